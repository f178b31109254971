package io.github.wheelscheduler.soak;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Lets time pass, as faults last a while, without allocating. */
final class Nap {

    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;

    private Nap() {}

    static void nanos(long nanos) {
        until(() -> false, nanos);
    }

    /** Waits until the condition holds, and returns whether it did within the limit. */
    static boolean until(BooleanSupplier condition, long limitNanos) {
        long startNanos = System.nanoTime();
        boolean holds = condition.getAsBoolean();
        long leftNanos = limitNanos;
        while (!holds && leftNanos > 0) {
            LockSupport.parkNanos(Math.min(leftNanos, MILLI));
            holds = condition.getAsBoolean();
            leftNanos = limitNanos - (System.nanoTime() - startNanos);
        }
        return holds;
    }
}
