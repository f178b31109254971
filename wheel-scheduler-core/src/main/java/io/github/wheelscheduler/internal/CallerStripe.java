package io.github.wheelscheduler.internal;

/**
 * Deals threads out to a few places, so that threads that do the same thing at once mostly do not meet in one. A thread
 * always has the same place.
 */
public final class CallerStripe {

    /** The number of places, a power of two. */
    public static final int COUNT = 8;

    private CallerStripe() {}

    /** Returns the place of the calling thread, from 0. */
    public static int index() {
        return (int) Thread.currentThread().getId() & (COUNT - 1);
    }
}
