package io.github.wheelscheduler;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A wall clock that goes with a {@link ManualClock} until a test sets it, slews it, or breaks it. */
final class ManualWallClock implements InstantSource {

    static final Instant ORIGIN = Instant.parse("2000-01-01T00:00:00Z");

    private final ManualClock clock;
    private long referenceNanos;
    private Instant referenceInstant = ORIGIN;
    private double rate = 1;
    private boolean failing;

    ManualWallClock(ManualClock clock) {
        this.clock = clock;
        this.referenceNanos = clock.nanoTime();
    }

    @Override
    public synchronized Instant instant() {
        if (failing) {
            throw new IllegalStateException("the clock is broken on purpose");
        }
        return referenceInstant.plusNanos((long) ((clock.nanoTime() - referenceNanos) * rate));
    }

    synchronized void moveBy(Duration jump) {
        referenceInstant = referenceInstant.plus(jump);
    }

    /** Lets the wall clock gain or lose from now on. */
    synchronized void goAtRate(double newRate) {
        referenceInstant = instant();
        referenceNanos = clock.nanoTime();
        rate = newRate;
    }

    synchronized void fail(boolean fails) {
        failing = fails;
    }
}
