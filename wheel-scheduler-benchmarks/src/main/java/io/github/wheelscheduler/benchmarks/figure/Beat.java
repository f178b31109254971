package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import java.util.concurrent.atomic.AtomicLong;

/** A heartbeat: a task that remembers the longest time between two of its runs. */
final class Beat extends BenchTask {

    /** Runs of contenders without order between them may overlap; so they are counted atomically. */
    private final AtomicLong latest;

    private final AtomicLong worst = new AtomicLong();
    private final AtomicLong worstSettled = new AtomicLong();
    private final AtomicLong beats = new AtomicLong();
    private final long settledNanos;

    /** Creates a beat. Gaps count from the start; gaps that end after it has settled count apart, too. */
    Beat(long startNanos, long settledNanos) {
        this.latest = new AtomicLong(startNanos);
        this.settledNanos = settledNanos;
    }

    @Override
    public void run() {
        long nowNanos = System.nanoTime();
        beats.incrementAndGet();
        long gapNanos = nowNanos - latest.getAndSet(nowNanos);
        worst.accumulateAndGet(gapNanos, Math::max);
        if (nowNanos - settledNanos > 0) {
            worstSettled.accumulateAndGet(gapNanos, Math::max);
        }
    }

    long beats() {
        return beats.get();
    }

    long latestNanos() {
        return latest.get();
    }

    long worstGapNanos(long nowNanos) {
        return Math.max(worst.get(), nowNanos - latest.get());
    }

    long worstSettledGapNanos(long nowNanos) {
        return Math.max(worstSettled.get(), nowNanos - latest.get());
    }
}
