package io.github.wheelscheduler.netty;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.internal.FailureLog;
import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.internal.StripedCount;
import io.github.wheelscheduler.internal.UserCalls;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Netty's {@link Timer} on the wheel of an executor: a {@code HashedWheelTimer} without a thread that wakes up for
 * every tick.
 *
 * <pre>{@code
 * Timer timer = WheelNettyTimer.builder(executor).name("requests").build();
 * Timeout timeout = timer.newTimeout(expired -> fail(request), 5, TimeUnit.SECONDS);
 * ...
 * timeout.cancel();
 * }</pre>
 *
 * <p>Tasks run on workers of a {@linkplain WheelScheduledExecutor#newGroup group} of its own, one at a time and in the
 * order in which they are due, as clients may rely on the one thread of {@code HashedWheelTimer}. They run concurrently
 * if it is {@linkplain WheelNettyTimerBuilder#maxConcurrent built so}. Order is kept up to a tick of the executor, and
 * timeouts that one thread adds for the same time keep their order. A task's cancellation callback is called there,
 * too.
 *
 * <p>A timeout expires, is cancelled, or is returned by {@link #stop}: one of these, once. Exceptions of tasks are
 * logged, once a minute at most, and do not affect other timeouts. Neither tasks nor their texts are logged or part of
 * any text, except in a task's own exceptions.
 *
 * <p>When the executor is paused, so is this. When it is shut down, its policy for delayed tasks decides about
 * timeouts; what it does not run any more stays pending here until it is cancelled, or returned by {@link #stop}. All
 * methods may be called from any thread, tasks included, unless they say otherwise.
 */
public final class WheelNettyTimer implements Timer {

    private static final long LOOK_MILLIS = 100;

    private final String name;
    private final WheelScheduledExecutor group;
    private final PendingTimeouts pending;
    private final UserCalls calls;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final StripedCount expired = new StripedCount();
    private final StripedCount lateNanos = new StripedCount();
    private volatile boolean isLatenessMeasured;
    private final Cancellations cancellations;

    /** Null if tasks run on the workers of the group. */
    private final @Nullable TaskHandoff handoff;

    WheelNettyTimer(
            WheelScheduledExecutor executor,
            String name,
            int maxConcurrent,
            long maxPendingTimeouts,
            @Nullable Executor taskExecutor) {
        this.name = name;
        this.pending = new PendingTimeouts(maxPendingTimeouts);
        this.calls =
                new UserCalls(logOf("A task of " + name + " failed; other timeouts are unaffected. Fix the TimerTask"));
        this.handoff = taskExecutor == null
                ? null
                : new TaskHandoff(
                        taskExecutor,
                        maxConcurrent,
                        logOf("The executor of " + name
                                + " rejected a task, which is offered again. Raise its limits if timeouts start "
                                + "late"));
        this.group = executor.newGroup(name)
                .maxWorkers(taskExecutor == null ? maxConcurrent : 1)
                .onFull(OnFull.WAIT)
                .build();
        // The one worker that hands over may have to wait long, and those tasks do not run there.
        this.cancellations = new Cancellations(name, taskExecutor == null ? group : executor, calls);
        group.setStopListener(this::stopping);
    }

    private static FailureLog logOf(String message) {
        return new FailureLog(Level.WARNING, message, new TimeSource()::nanoTime);
    }

    /**
     * Returns a builder of a timer.
     *
     * @param executor the executor whose wheel is used; no group. It continues when the timer is stopped
     */
    public static WheelNettyTimerBuilder builder(WheelScheduledExecutor executor) {
        return new WheelNettyTimerBuilder(executor);
    }

    /**
     * Runs the task once, after the delay.
     *
     * @param delay zero or negative means now, after timeouts that are already due
     * @throws IllegalStateException if this has been stopped, or the executor has been shut down
     * @throws RejectedExecutionException if as many timeouts are pending as there may be, here or in the executor, with
     *     the numbers
     */
    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
        StackReserve.askForMore();
        Objects.requireNonNull(task, "task must not be null");
        Objects.requireNonNull(unit, "unit must not be null");
        requireRunning(null);
        WheelTimeout timeout = new WheelTimeout(this, task);
        pending.add(timeout);
        try {
            // Not 0: what is due at once would go past what was due before and waits for its turn.
            timeout.armed(group.schedule(timeout, Math.max(1, unit.toNanos(delay)), TimeUnit.NANOSECONDS));
        } catch (RuntimeException | Error ex) {
            if (timeout.reject()) {
                pending.remove(timeout);
                if (ex instanceof RejectedExecutionException) {
                    requireRunning(ex);
                }
                throw ex;
            }
            // A stop has cancelled it meanwhile, and returns it there.
        }
        return timeout;
    }

    private void requireRunning(@Nullable Throwable cause) {
        // In this order: a stop closes first, and then shuts the group down.
        boolean isShutdown = group.isShutdown();
        boolean isStopped = calls.isClosed();
        if (isStopped || isShutdown) {
            throw new IllegalStateException(
                    "Timeout rejected, because "
                            + (isStopped
                                    ? name + " has been stopped"
                                    : "the executor of " + name + " has been shut down"),
                    cause);
        }
    }

    /**
     * Stops this timer, and not the executor. No further task starts. Running tasks are interrupted repeatedly and
     * awaited, even if the calling thread is interrupted; its interrupt status is kept. Another call that comes
     * meanwhile does not wait.
     *
     * @return the timeouts that had neither expired nor been cancelled, which are cancelled now; their tasks are not
     *     notified. None if this was stopped before
     * @throws IllegalStateException from within a task of this timer
     */
    @Override
    public Set<Timeout> stop() {
        if (calls.isInside()) {
            throw new IllegalStateException(
                    "stop must not be called from within a task of the timer, was called from one of " + name);
        }
        if (stopped.getAndSet(true)) {
            return Collections.emptySet();
        }
        try {
            return stopForGood();
        } catch (Throwable ex) {
            // Another call continues.
            stopped.set(false);
            throw ex;
        }
    }

    private Set<Timeout> stopForGood() {
        calls.close();
        // The timers that it returns are those of timeouts that are still pending.
        List<Runnable> unused = group.shutdownNow();
        boolean interrupted = awaitEnd();
        List<WheelTimeout> all = pending.all();
        // All of them at first: none is cancelled before there is memory to return it.
        Set<Timeout> cancelled = new HashSet<>(all);
        for (WheelTimeout timeout : all) {
            if (!timeout.cancelByStop()) {
                boolean ignored = cancelled.remove(timeout);
            }
            pending.remove(timeout);
        }
        cancellations.tellAll();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return cancelled;
    }

    /** Interrupts and awaits the tasks and the group; returns whether the calling thread was interrupted meanwhile. */
    private boolean awaitEnd() {
        boolean interrupted = false;
        boolean hasEnded = false;
        while (!hasEnded) {
            try {
                hasEnded = calls.interruptAndAwaitQuiet() && group.awaitTermination(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException ex) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    /** Returns how many timeouts have neither expired nor been cancelled. */
    public long pendingTimeouts() {
        return pending.count();
    }

    /** Returns how many timeouts have expired. */
    public long expiredTimeouts() {
        return expired.sum();
    }

    /** Returns the number of tasks that threw an exception. */
    public long failedTasks() {
        return calls.failures();
    }

    /** Measures how late tasks begin from now on, for {@link #lateness}. That reads the clock for each of them. */
    public void measureLateness() {
        isLatenessMeasured = true;
    }

    /**
     * Returns by how much tasks have begun after the deadlines of their timeouts, all of them together, since that is
     * {@linkplain #measureLateness measured}.
     */
    public Duration lateness() {
        return Duration.ofNanos(lateNanos.sum());
    }

    /** Returns the name, which is that of the group. */
    public String name() {
        return name;
    }

    /** The group is about to be stopped, by itself or with its executor. */
    private void stopping() {
        if (handoff != null) {
            // Else a worker that waits for the user's executor would keep that of the wheel from ending.
            handoff.giveUp();
        }
        cancellations.stopping();
    }

    // For timeouts

    /** Worker of the group. */
    void due(WheelTimeout timeout) {
        TaskHandoff elsewhere = handoff;
        if (elsewhere == null) {
            runInTurn(timeout);
        } else if (calls.enter()) {
            try {
                elsewhere.pass(timeout);
            } finally {
                calls.leave();
            }
        }
    }

    /** Runs the task; after a stop, the timeout stays pending until it is returned there. */
    void runInTurn(WheelTimeout timeout) {
        if (calls.enter()) {
            try {
                boolean isFirst = timeout.expire();
                pending.remove(timeout);
                if (isFirst) {
                    expired.increment();
                    if (isLatenessMeasured) {
                        lateNanos.add(timeout.lateNanos());
                    }
                    timeout.task().run(timeout);
                }
            } catch (Throwable ex) {
                calls.failed(ex);
            } finally {
                calls.leave();
            }
        }
    }

    void cancelled(WheelTimeout timeout) {
        pending.remove(timeout);
        cancellations.tell(timeout);
    }

    @Override
    public String toString() {
        String state = calls.isClosed() ? "stopped" : group.isShutdown() ? "shut down" : "running";
        return "WheelNettyTimer[" + name + ", " + state + ", pending = " + pendingTimeouts() + "]";
    }
}
