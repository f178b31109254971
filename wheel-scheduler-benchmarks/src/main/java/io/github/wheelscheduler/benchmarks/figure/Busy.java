package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import java.util.concurrent.atomic.AtomicLong;

/** A task that keeps a processor busy for so long, and counts its runs. */
final class Busy extends BenchTask {

    private final long nanos;
    private final AtomicLong runs = new AtomicLong();

    Busy(long nanos) {
        this.nanos = nanos;
    }

    @Override
    public void run() {
        if (nanos > 0) {
            spin();
        }
        runs.incrementAndGet();
    }

    private void spin() {
        long startNanos = System.nanoTime();
        while (System.nanoTime() - startNanos < nanos) {
            Thread.onSpinWait();
        }
    }

    long runs() {
        return runs.get();
    }
}
