package io.github.wheelscheduler.benchmarks.measure;

import java.util.concurrent.TimeUnit;

/** Lets time pass, as measuring takes some. */
public final class Pause {

    private Pause() {}

    /** Sleeps until that time has come. */
    public static void until(long nanoTime) {
        long left = nanoTime - System.nanoTime();
        while (left > 0) {
            nanos(left);
            left = nanoTime - System.nanoTime();
        }
    }

    /** Sleeps for about so long. */
    public static void nanos(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException ex) {
            throw new IllegalStateException("interrupted", ex);
        }
    }
}
