package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Percentiles;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;

/** A thread that submits a task, waits for it, and submits the next. */
final class Calls {

    private static final int MOST = 2_000_000;

    private final Contender contender;

    /** The duration of each call; allocated before the first call, so that nothing grows meanwhile. */
    private final long[] nanos = new long[MOST];

    Calls(Contender contender) {
        this.contender = contender;
    }

    /** Calls until then, and returns how long the calls took. */
    Percentiles run(long endNanos) {
        int count = 0;
        long beforeNanos = System.nanoTime();
        while (beforeNanos - endNanos < 0 && count < MOST) {
            call();
            long afterNanos = System.nanoTime();
            nanos[count++] = afterNanos - beforeNanos;
            beforeNanos = afterNanos;
        }
        return new Percentiles(Arrays.copyOf(nanos, count));
    }

    private void call() {
        try {
            Object ignored = contender.submit(BenchTask.NOTHING).get();
        } catch (InterruptedException | ExecutionException ex) {
            throw new IllegalStateException(
                    "a task that the benchmark submitted has failed; the cause has its exception", ex);
        }
    }
}
