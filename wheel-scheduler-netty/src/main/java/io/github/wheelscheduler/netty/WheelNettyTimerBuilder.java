package io.github.wheelscheduler.netty;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link WheelNettyTimer}. Each method checks its argument, names the rule and the value if it does not fit,
 * and returns this builder. Not thread-safe.
 */
public final class WheelNettyTimerBuilder {

    private static final AtomicLong UNNAMED = new AtomicLong();

    private final WheelScheduledExecutor executor;
    private @Nullable String name;
    private int maxConcurrent = 1;
    private long maxPendingTimeouts = Long.MAX_VALUE;
    private @Nullable Executor taskExecutor;

    WheelNettyTimerBuilder(WheelScheduledExecutor executor) {
        this.executor = Objects.requireNonNull(executor, "executor must not be null");
    }

    /**
     * Sets the name of the timer and of its group, which its threads have, too: "netty-timer-" and a number by default.
     * No other group of the executor may have it.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public WheelNettyTimerBuilder name(String name) {
        Objects.requireNonNull(name, "name must not be null");
        if (name.isBlank()) {
            throw new IllegalArgumentException("name must not be blank, was '" + name + "'");
        }
        this.name = name;
        return this;
    }

    /**
     * Sets how many tasks may run at a time. 1 by default: then they run in the order in which they are due. If it is
     * more, they begin in about that order.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public WheelNettyTimerBuilder maxConcurrent(int maxConcurrent) {
        this.maxConcurrent = (int) positive("maxConcurrent", maxConcurrent);
        return this;
    }

    /**
     * Sets how many timeouts may be pending, without limit by default; more are rejected.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public WheelNettyTimerBuilder maxPendingTimeouts(long maxPendingTimeouts) {
        this.maxPendingTimeouts = positive("maxPendingTimeouts", maxPendingTimeouts);
        return this;
    }

    /**
     * Sets where tasks run; by default that is on workers of the timer's group. It is handed no more of them than
     * {@linkplain #maxConcurrent may run at a time}, in the order in which they are due. They are handed over by a
     * worker, which it may block, or on which it may run the task. A rejected task is offered again, after 1 ms and
     * then at growing intervals up to 100 ms. This ends when it is accepted, the timeout is cancelled, or the timer is
     * stopped. No other task overtakes it. Once it has been shut down, if it can be, due timeouts stay pending until
     * then. So do tasks that it drops silently, which keep their place among the ones that may run. It is not shut down
     * with the timer. Cancellation callbacks run on workers of the wheel's executor.
     */
    public WheelNettyTimerBuilder taskExecutor(Executor taskExecutor) {
        this.taskExecutor = Objects.requireNonNull(taskExecutor, "taskExecutor must not be null");
        return this;
    }

    /**
     * Builds the timer. No thread starts before its first timeout.
     *
     * @throws IllegalStateException if the executor is a group, or has a group of that name
     * @throws RejectedExecutionException if the executor has been shut down
     */
    public WheelNettyTimer build() {
        String chosen = name != null ? name : "netty-timer-" + UNNAMED.incrementAndGet();
        return new WheelNettyTimer(executor, chosen, maxConcurrent, maxPendingTimeouts, taskExecutor);
    }

    private static long positive(String what, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(what + " must be positive, was " + value);
        }
        return value;
    }
}
