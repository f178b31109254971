package io.github.wheelscheduler.internal;

import java.util.concurrent.locks.LockSupport;

/** Waits for memory. Any thread. */
public final class ShortMemory {

    private static final long PAUSE_NANOS = 1_000_000;

    private ShortMemory() {}

    /** Loads this class while there is memory for that. */
    public static void prepare() {}

    /** Waits a moment before something is tried again for which there was no memory. */
    public static void pause() {
        pause(PAUSE_NANOS);
    }

    /** Repeats work that no other thread would do until it throws nothing. */
    public static void untilDone(Runnable step) {
        while (true) {
            try {
                step.run();
                return;
            } catch (Throwable ex) {
                pause();
            }
        }
    }

    /** Waits for the time, or shorter if there is no memory for that. */
    public static void pause(long nanos) {
        try {
            LockSupport.parkNanos(nanos);
        } catch (OutOfMemoryError ex) {
            // Virtual threads need memory to sleep.
            Thread.onSpinWait();
        }
    }
}
