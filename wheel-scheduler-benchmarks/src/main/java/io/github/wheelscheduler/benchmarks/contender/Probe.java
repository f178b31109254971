package io.github.wheelscheduler.benchmarks.contender;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A task that tells when it has run, and how long after its making. */
public final class Probe extends BenchTask {

    private static final long PATIENCE_SECONDS = 120;

    private final long madeNanos = System.nanoTime();
    private final CountDownLatch done = new CountDownLatch(1);

    /** Written by the run; read after {@link #done}. */
    private long ranNanos;

    @Override
    public void run() {
        ranNanos = System.nanoTime();
        done.countDown();
    }

    /**
     * Waits for the run, and returns the time from the making of the probe to its run.
     *
     * @throws IllegalStateException if it does not run within two minutes
     */
    public long awaitNanos() {
        try {
            if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(
                        "a task that is due must run, was not after " + PATIENCE_SECONDS + " s");
            }
        } catch (InterruptedException ex) {
            throw new IllegalStateException("interrupted", ex);
        }
        return ranNanos - madeNanos;
    }

    /** Returns when it ran; only after {@link #awaitNanos}. */
    public long ranNanos() {
        return ranNanos;
    }
}
