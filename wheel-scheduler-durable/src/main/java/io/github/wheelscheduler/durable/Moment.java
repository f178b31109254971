package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.WheelScheduledExecutor;

/** A time on both clocks of this machine: the monotonic one stands still while some machines sleep, the other one is set. */
record Moment(long nanos, long wallMillis) {

    private static final long MILLI = 1_000_000;

    static Moment now(WheelScheduledExecutor executor) {
        return new Moment(executor.nanoTime(), executor.wallClockInstant().toEpochMilli());
    }

    /** Returns how long it was before the other, by the clock by which it was longer. */
    long nanosUntil(Moment later) {
        return Math.max(later.nanos - nanos, (later.wallMillis - wallMillis) * MILLI);
    }
}
