package io.github.wheelscheduler.sample.connections;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The planned traffic, and the counts of what happened. */
final class Traffic {

    final LongAdder beats = new LongAdder();
    final LongAdder answers = new LongAdder();
    private final LongAdder tooEarly = new LongAdder();
    private final long idleNanos;

    /** One place for each closing; more than one for a connection would not fit. */
    private final long[] latenesses;

    private final AtomicInteger closed = new AtomicInteger();

    Traffic(long idleNanos, int connections) {
        this.idleNanos = idleNanos;
        this.latenesses = new long[connections];
    }

    long idleNanos() {
        return idleNanos;
    }

    void closed(long lateNanos) {
        if (lateNanos < 0) {
            tooEarly.increment();
        }
        int place = closed.getAndIncrement();
        if (place < latenesses.length) {
            latenesses[place] = lateNanos;
        }
    }

    int closed() {
        return closed.get();
    }

    long tooEarly() {
        return tooEarly.sum();
    }

    /** Returns how late closings were, in order. */
    long[] sortedLatenesses() {
        long[] sorted = Arrays.copyOf(latenesses, Math.min(closed.get(), latenesses.length));
        Arrays.sort(sorted);
        return sorted;
    }
}
