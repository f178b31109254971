package io.github.wheelscheduler.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A wall clock that goes with a {@link ManualClock} until a test sets it, slews it, or breaks it. */
public final class ManualWallClock implements InstantSource {

    static final Instant ORIGIN = Instant.parse("2000-01-01T00:00:00Z");

    private final ManualClock clock;
    private long referenceNanos;
    private Instant referenceInstant = ORIGIN;
    private double rate = 1;
    private boolean failing;
    private int failures;
    private final AtomicReference<@Nullable Runnable> blocker = new AtomicReference<>();

    ManualWallClock(ManualClock clock) {
        this.clock = clock;
        this.referenceNanos = clock.nanoTime();
    }

    @Override
    public Instant instant() {
        Runnable block = blocker.getAndSet(null);
        if (block != null) {
            block.run();
        }
        return read();
    }

    private synchronized Instant read() {
        if (failing) {
            failures++;
            throw new IllegalStateException("the clock is broken on purpose");
        }
        return referenceInstant.plusNanos((long) ((clock.nanoTime() - referenceNanos) * rate));
    }

    public synchronized void moveBy(Duration jump) {
        referenceInstant = referenceInstant.plus(jump);
    }

    /** Lets the wall clock gain or lose from now on. */
    synchronized void goAtRate(double newRate) {
        referenceInstant = read();
        referenceNanos = clock.nanoTime();
        rate = newRate;
    }

    /** Runs something in the next reading, on the thread that reads. */
    void blockNextReadingOn(Runnable block) {
        blocker.set(block);
    }

    public synchronized void fail(boolean fails) {
        failing = fails;
    }

    /** Returns how often it has been asked in vain. */
    synchronized int failures() {
        return failures;
    }
}
