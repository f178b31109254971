package io.github.wheelscheduler.lease;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.timers.DurationRules;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongUnaryOperator;

/**
 * Builds a {@link LeaseRenewer}. Not thread-safe.
 *
 * @param <K> the type of the keys
 */
public final class LeaseRenewerBuilder<K> {

    private static final int DEFAULT_MAX_CONCURRENT = 16;

    final WheelScheduledExecutor executor;
    final int maxBatch;
    final BatchRenewal<K> renewal;
    String name = "leases";
    int maxConcurrent = DEFAULT_MAX_CONCURRENT;
    long closeLimitNanos = DurationRules.DEFAULT_CLOSE_LIMIT_NANOS;

    /** Computes the margin of a lease by its length, both in nanoseconds. */
    LongUnaryOperator marginNanos = lengthNanos -> lengthNanos / 10;

    LeaseRenewerBuilder(WheelScheduledExecutor executor, int maxBatch, BatchRenewal<K> renewal) {
        this.executor = Objects.requireNonNull(executor, "executor must not be null");
        this.maxBatch = maxBatch;
        this.renewal = renewal;
    }

    /** Sets the name of the group of workers, {@code leases} by default; that of losses has {@code -lost} behind it. */
    public LeaseRenewerBuilder<K> name(String name) {
        this.name = Objects.requireNonNull(name, "name must not be null");
        return this;
    }

    /**
     * Sets how many renewals may be active at a time, 16 by default.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public LeaseRenewerBuilder<K> maxConcurrent(int maxConcurrent) {
        if (maxConcurrent < 1) {
            throw new IllegalArgumentException("maxConcurrent must be at least 1, was " + maxConcurrent);
        }
        this.maxConcurrent = maxConcurrent;
        return this;
    }

    /**
     * Sets how long before its end a lease counts as lost: a tenth of each lease by default.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public LeaseRenewerBuilder<K> margin(Duration margin) {
        long nanos = DurationRules.notNegativeNanos("margin", margin);
        this.marginNanos = lengthNanos -> nanos;
        return this;
    }

    /**
     * Sets how long closing a lease, or all of them together, waits for active renewals before it interrupts them, 10 s
     * by default.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public LeaseRenewerBuilder<K> closeLimit(Duration closeLimit) {
        this.closeLimitNanos = DurationRules.notNegativeNanos("closeLimit", closeLimit);
        return this;
    }

    /**
     * Builds the renewer. No thread starts before the first lease.
     *
     * @throws IllegalStateException if the executor is a group, or has a group of the name already
     * @throws java.util.concurrent.RejectedExecutionException if the executor has been shut down
     */
    public LeaseRenewer<K> build() {
        return new LeaseRenewer<>(this);
    }
}
