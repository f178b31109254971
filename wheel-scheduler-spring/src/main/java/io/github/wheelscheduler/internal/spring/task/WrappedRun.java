package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.WheelTimer;
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
 * own.
 */
final class WrappedRun implements Runnable, NamedTask {

    /** The run that a thread is arming by a call of such an executor, until its timer is on the wheel. */
    private static final ThreadLocal<@Nullable WrappedRun> ARMING = new ThreadLocal<>();

    private final TaskTimers timers;
    private final ScheduledExecutorService executor;
    private final Runnable run;

    /** The thread that is calling the executor. Only that thread goes by it. */
    private @Nullable Thread caller;

    /** The thread that has armed it ahead, which runs it later. Only that thread goes by it. */
    private @Nullable Thread holder;

    /** The executor has run it at once, on that thread. By that thread. */
    private boolean isOwed;

    /** The timer on the wheel; null if the executor has made none on the calling thread. */
    private @Nullable WheelTimer<?> onWheel;

    /**
     * Creates one for the task of a timer.
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

    // Before the series follows the timer

    /** Lets a run on the calling thread wait until {@link #settle}. */
    void holdBack() {
        holder = Thread.currentThread();
    }

    /** Lets runs begin, and starts the waiting ones. Without a lock. */
    void settle() {
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
