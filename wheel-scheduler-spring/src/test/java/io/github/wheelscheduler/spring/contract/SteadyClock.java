package io.github.wheelscheduler.spring.contract;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/**
 * A wall clock that follows the monotonic one exactly, so that a lower bound holds to the nanosecond and no step of
 * the machine's clock can fail a test.
 */
final class SteadyClock extends Clock {

    private final Instant origin;
    private final long originNanos;
    private final ZoneId zone;

    SteadyClock() {
        this(Instant.now());
    }

    /** Shows the given time now. */
    SteadyClock(Instant origin) {
        this(origin, System.nanoTime(), ZoneId.of("UTC"));
    }

    private SteadyClock(Instant origin, long originNanos, ZoneId zone) {
        this.origin = origin;
        this.originNanos = originNanos;
        this.zone = zone;
    }

    /** Returns a clock that is ahead of the machine's clock, or behind it by a negative offset. */
    static SteadyClock aheadBy(Duration offset) {
        return new SteadyClock(Instant.now().plus(offset));
    }

    @Override
    public Instant instant() {
        return origin.plusNanos(System.nanoTime() - originNanos);
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    @Override
    public SteadyClock withZone(ZoneId newZone) {
        return new SteadyClock(origin, originNanos, newZone);
    }
}
