package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.internal.Limit;
import io.github.wheelscheduler.timers.DurationRules;
import io.github.wheelscheduler.timers.TimerSource;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/**
 * Builds {@link KeyedTimers}. Each method checks its argument, names the rule and the value if it does not fit, and
 * returns this builder. Not thread-safe.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class KeyedTimersBuilder<K, V> {

    private final WheelScheduledExecutor executor;
    private final Function<KeyedTimers<K, V>, Firing<K, V>> firing;
    private String name = "keyed timers";
    private long maxSize = Long.MAX_VALUE;
    private long closeLimitNanos = DurationRules.DEFAULT_CLOSE_LIMIT_NANOS;

    KeyedTimersBuilder(WheelScheduledExecutor executor, Function<KeyedTimers<K, V>, Firing<K, V>> firing) {
        this.executor = Objects.requireNonNull(executor, "executor must not be null");
        this.firing = firing;
    }

    /** Sets by which name the log and the executor's observers know them, "keyed timers" by default. */
    public KeyedTimersBuilder<K, V> name(String name) {
        this.name = Objects.requireNonNull(name, "name must not be null");
        return this;
    }

    /**
     * Sets how many keys may be pending, without limit by default; more are rejected.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public KeyedTimersBuilder<K, V> maxSize(long maxSize) {
        this.maxSize = Limit.checkMax(maxSize);
        return this;
    }

    /**
     * Sets how long a close waits for handlers that run before it interrupts them, 10 s by default.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public KeyedTimersBuilder<K, V> closeLimit(Duration closeLimit) {
        this.closeLimitNanos = DurationRules.notNegativeNanos("closeLimit", closeLimit);
        return this;
    }

    /** Builds the timers. */
    public KeyedTimers<K, V> build() {
        return new KeyedTimers<>(
                name, TimerSource.of(executor), new TimeSource()::nanoTime, maxSize, closeLimitNanos, firing);
    }
}
