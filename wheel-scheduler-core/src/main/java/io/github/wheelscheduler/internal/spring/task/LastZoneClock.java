package io.github.wheelscheduler.internal.spring.task;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A user's clock; while it fails to tell its zone, that is the last one that it told. */
final class LastZoneClock extends Clock {

    private final Clock clock;

    /** Null until it has told one. Any thread; which of two that are told at once is kept does not matter. */
    private volatile @Nullable ZoneId last;

    LastZoneClock(Clock clock) {
        this.clock = clock;
    }

    @Override
    public Instant instant() {
        return clock.instant();
    }

    @Override
    public ZoneId getZone() {
        try {
            ZoneId zone = Objects.requireNonNull(clock.getZone(), "the zone of the clock must not be null");
            last = zone;
            return zone;
        } catch (RuntimeException ex) {
            ZoneId known = last;
            if (known == null) {
                throw ex;
            }
            return known;
        }
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return clock.withZone(zone);
    }
}
