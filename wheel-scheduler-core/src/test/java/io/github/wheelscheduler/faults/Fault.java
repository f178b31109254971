package io.github.wheelscheduler.faults;

import io.github.wheelscheduler.testing.Patience;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Throws an error at one place of the engine. {@link FaultLoader} puts a call of it in front of each that may fail. */
public final class Fault {

    /** In the name of a place: memory runs out there, or the stack does; at any other one, foreign code throws. */
    static final String ALLOCATES = " allocates ";

    static final String ASKS = " asks for stack ";
    static final String CALLS = " calls ";

    /** The places that have been reached. */
    static final Set<String> REACHED = new ConcurrentSkipListSet<>();

    /** The catches that have caught something since the last {@link #arm}. */
    static final Set<String> CAUGHT = new ConcurrentSkipListSet<>();

    private static final AtomicInteger PASSES = new AtomicInteger();
    private static final AtomicInteger LEFT = new AtomicInteger();

    /** The longest time that a promise may take. */
    private static volatile long patienceNanos = Patience.PATIENCE.toNanos();

    /** Null while nothing fails, and the places that are reached are noted. */
    private static volatile @Nullable String failing;

    private Fault() {}

    /** Lets the place fail so many times, after it has been passed so many times. */
    static void arm(String place, int passes, int times) {
        CAUGHT.clear();
        PASSES.set(passes);
        LEFT.set(times);
        failing = place;
    }

    /** Sets how long what is promised may take: short where a promise is to be broken. */
    static void setPatience(Duration patience) {
        patienceNanos = patience.toNanos();
    }

    /** Returns how many nanoseconds a promise may take. */
    public static long patienceNanos() {
        return patienceNanos;
    }

    /** Lets no place fail. */
    public static void disarm() {
        failing = null;
        LEFT.set(0);
    }

    /** Is called just before the place. */
    public static void at(String place) {
        String armed = failing;
        if (armed == null) {
            boolean ignored = REACHED.add(place);
        } else if (armed.equals(place) && isToFail()) {
            throw errorAt(place);
        }
    }

    private static boolean isToFail() {
        return PASSES.getAndDecrement() <= 0 && LEFT.getAndDecrement() > 0;
    }

    private static Error errorAt(String place) {
        if (place.contains(ALLOCATES)) {
            return new OutOfMemoryError("no memory at " + place);
        }
        return place.contains(ASKS)
                ? new StackOverflowError("no stack at " + place)
                : new Thrown("foreign code at " + place);
    }

    /** Is called at the beginning of each handler that catches everything, or a lack of memory. */
    public static void caught(String handler) {
        if (failing != null) {
            boolean ignored = CAUGHT.add(handler);
        }
    }

    /** Is thrown by foreign code. */
    public static final class Thrown extends Error {

        private static final long serialVersionUID = 1;

        public Thrown(String message) {
            super(message);
        }
    }
}
