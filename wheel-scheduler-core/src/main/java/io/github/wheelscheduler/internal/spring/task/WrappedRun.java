package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.ShortMemory;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The runs of one timer, as an executor of the user's sees them that a subclass of the scheduler has put around its
 * own. That executor is called without a lock; runs that come before the series follows the timer wait for that.
 */
final class WrappedRun implements Runnable, NamedTask {

    private static final long PAUSE_NANOS = 10_000;

    /** What a thread is arming by a call of such an executor, until the timer on the wheel is there. */
    private static final ThreadLocal<@Nullable WrappedRun> ARMING = new ThreadLocal<>();

    private final TaskTimers timers;
    private final ScheduledExecutorService executor;
    private final Runnable run;

    /** The thread that is calling the executor. Only that thread goes by it. */
    private @Nullable Thread caller;

    /** The thread for which runs wait, until it has noted the timer; null if none does. Writer: that thread. */
    private volatile @Nullable Thread holder;

    /** Armed while runs wait, and not taken yet. By the thread for which they wait. */
    private @Nullable ScheduledFuture<?> ahead;

    /** The executor has run it at once, on the thread for which runs wait. By that thread. */
    private boolean isOwed;

    /** The timer on the wheel; null if the executor has made none on the calling thread. */
    private @Nullable WheelTimer<?> onWheel;

    /**
     * Makes one for what a timer runs.
     *
     * @param run also a {@link ManagedTask}
     */
    WrappedRun(TaskTimers timers, ScheduledExecutorService executor, Runnable run) {
        this.timers = timers;
        this.executor = executor;
        this.run = run;
    }

    /**
     * Returns what the calling thread is arming, once: what else the executor schedules in that call is its own. Null
     * if there is nothing.
     */
    static @Nullable WrappedRun takeArming(TaskTimers timers) {
        WrappedRun arming = ARMING.get();
        if (arming == null || arming.timers != timers) {
            return null;
        }
        ARMING.remove();
        return arming;
    }

    /** Notes the timer on the wheel, and returns the task in whose books it is kept, a {@link ManagedTask}. */
    Runnable armedOnWheel(WheelTimer<?> timer) {
        onWheel = timer;
        return run;
    }

    /** Whether the calling thread is in a call of the executor, which so runs a task at once in place of later. */
    boolean isCalledHere() {
        return caller == Thread.currentThread();
    }

    /** Calls the executor. */
    ScheduledFuture<?> arm(Supplier<@Nullable ScheduledFuture<?>> call) {
        WrappedRun before = ARMING.get();
        onWheel = null;
        caller = Thread.currentThread();
        timers.isWrapped = true;
        ARMING.set(this);
        ScheduledFuture<?> armed;
        try {
            armed = call.get();
        } finally {
            caller = null;
            if (before == null) {
                ARMING.remove();
            } else {
                ARMING.set(before);
            }
        }
        Objects.requireNonNull(armed, "the executor that getScheduledExecutor returns must not return null");
        WheelTimer<?> timer = onWheel;
        return timer == null || armed instanceof WheelTimer<?> ? armed : new WrappedTimer(armed, timer);
    }

    /** Arms the one run for an instant, as it lies ahead by the clock now. */
    ScheduledFuture<?> armAt(Instant instant, Instant now) {
        long delayNanos = TimeUnit.NANOSECONDS.convert(Duration.between(now, instant));
        return arm(() -> executor.schedule(this, delayNanos, TimeUnit.NANOSECONDS));
    }

    // Arming ahead of a lock

    /** Lets runs wait for the calling thread until {@link #settle}. */
    void holdBack() {
        holder = Thread.currentThread();
    }

    void setAhead(ScheduledFuture<?> armed) {
        ahead = armed;
    }

    /** Takes the timer that has been armed ahead; null if none has. */
    @Nullable
    ScheduledFuture<?> takeAhead() {
        ScheduledFuture<?> armed = ahead;
        ahead = null;
        return armed;
    }

    /** Cancels a timer that has not been taken, and lets runs begin. Without a lock. */
    void settle() {
        ScheduledFuture<?> unused = takeAhead();
        if (unused != null) {
            boolean ignored = unused.cancel(false);
        }
        holder = null;
        if (isOwed) {
            isOwed = false;
            run.run();
        }
    }

    @Override
    public void run() {
        if (holder == Thread.currentThread()) {
            isOwed = true;
            return;
        }
        while (holder != null) {
            ShortMemory.pause(PAUSE_NANOS);
        }
        run.run();
    }

    @Override
    public String taskName() {
        return NamedTask.of(run);
    }

    @Override
    public String toString() {
        return taskName();
    }
}
