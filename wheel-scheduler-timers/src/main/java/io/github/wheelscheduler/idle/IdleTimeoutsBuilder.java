package io.github.wheelscheduler.idle;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.internal.Limit;
import io.github.wheelscheduler.timers.DurationRules;
import io.github.wheelscheduler.timers.TimerSource;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Builds {@link IdleTimeouts}. Each method checks its argument, names the rule and the value if it does not fit, and
 * returns this builder. Not thread-safe.
 *
 * @param <K> the type of the keys
 */
public final class IdleTimeoutsBuilder<K> {

    private final WheelScheduledExecutor executor;
    private final Consumer<? super K> handler;
    private String name = "idle timeouts";
    private long maxSize = Long.MAX_VALUE;
    private long closeLimitNanos = DurationRules.DEFAULT_CLOSE_LIMIT_NANOS;

    IdleTimeoutsBuilder(WheelScheduledExecutor executor, Consumer<? super K> handler) {
        this.executor = Objects.requireNonNull(executor, "executor must not be null");
        this.handler = Objects.requireNonNull(handler, "handler must not be null");
    }

    /** Sets by which name the log and the executor's observers know them, "idle timeouts" by default. */
    public IdleTimeoutsBuilder<K> name(String name) {
        this.name = Objects.requireNonNull(name, "name must not be null");
        return this;
    }

    /**
     * Sets how many timeouts may be open, without limit by default; more are rejected.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public IdleTimeoutsBuilder<K> maxSize(long maxSize) {
        this.maxSize = Limit.checkMax(maxSize);
        return this;
    }

    /**
     * Sets how long a close waits for handlers that run before it interrupts them, 10 s by default.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public IdleTimeoutsBuilder<K> closeLimit(Duration closeLimit) {
        this.closeLimitNanos = DurationRules.notNegativeNanos("closeLimit", closeLimit);
        return this;
    }

    /** Builds the timeouts. */
    public IdleTimeouts<K> build() {
        return new IdleTimeouts<>(name, TimerSource.of(executor), maxSize, closeLimitNanos, handler);
    }
}
