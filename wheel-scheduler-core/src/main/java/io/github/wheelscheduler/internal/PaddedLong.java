package io.github.wheelscheduler.internal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A number that shares its cache line, and the next one, with no other that follows it in memory. Unlike a handle on an
 * array of numbers, it is quick before it is compiled, too, and then needs little of compilers.
 */
@SuppressWarnings({"unused", "serial"})
public final class PaddedLong extends AtomicLong {

    private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, pA, pB, pC, pD, pE;

    /** Creates a 0. */
    public PaddedLong() {}
}
