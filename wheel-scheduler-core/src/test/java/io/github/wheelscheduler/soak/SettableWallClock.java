package io.github.wheelscheduler.soak;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** A wall clock that is set now and then. */
final class SettableWallClock implements InstantSource {

    private final long startNanos = System.nanoTime();
    private final long startMillis = System.currentTimeMillis();
    private final AtomicLong offsetNanos = new AtomicLong();

    /** The latest time that anybody has been shown. */
    private final AtomicLong highest = new AtomicLong();

    @Override
    public Instant instant() {
        return instantAt(show());
    }

    /** Sets it forward, or back, by so much. Only one thread at a time. */
    void jump(long nanos) {
        offsetNanos.addAndGet(nanos);
    }

    /** Sets it to where it has been before it was set back. */
    void makeUp() {
        jump(Math.max(0, highest.get() - show()));
    }

    /** Returns the latest time that it has ever shown, in nanoseconds since it was made: no run is due after it. */
    long highestNanos() {
        long nanos = show();
        return Math.max(highest.get(), nanos);
    }

    /** Returns the instant that is so many nanoseconds after its making, as it showed the time then. */
    Instant instantAt(long nanos) {
        return Instant.ofEpochMilli(startMillis).plusNanos(nanos);
    }

    /** Reads the clock, and writes down what it shows before anybody can act on it. Allocates nothing. */
    private long show() {
        long nanos = System.nanoTime() - startNanos + offsetNanos.get();
        long seen = highest.get();
        while (nanos > seen && !highest.compareAndSet(seen, nanos)) {
            seen = highest.get();
        }
        return nanos;
    }
}
