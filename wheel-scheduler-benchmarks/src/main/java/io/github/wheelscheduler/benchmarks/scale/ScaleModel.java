package io.github.wheelscheduler.benchmarks.scale;

import io.github.wheelscheduler.benchmarks.measure.Percentiles;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import io.github.wheelscheduler.internal.CallerStripe;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Simulates callers that meet at inboxes, and tick threads that route what is due. Seeded, so that it repeats. */
final class ScaleModel {

    private static final int PAIRS = 400_000;
    private static final int TIMERS = 400_000;

    /** The tick thread wakes up at most so often under load. */
    static final double INTERVAL_NANOS = 600_000;

    /** So many wake-ups may follow each other at any distance before that. */
    private static final double BURST_NANOS = 64 * INTERVAL_NANOS;

    private final Parts parts;

    ScaleModel(Parts parts) {
        this.parts = parts;
    }

    private record Caller(int index, double readyNanos) {}

    /**
     * Returns the number of pairs of schedule and cancel that a number of callers, each on a processor of its own,
     * complete in a second. A caller does its local part, whose length varies, and then waits for its turn at its
     * stripe of its wheel's inbox. Tick threads must remove the cancelled timers from there as fast.
     */
    double pairsPerSecond(int callers, int wheels) {
        Xorshift random = new Xorshift(callers * 31L + wheels);
        PriorityQueue<Caller> queue = new PriorityQueue<>(Comparator.comparingDouble(Caller::readyNanos));
        for (int i = 0; i < callers; i++) {
            queue.add(new Caller(i, local(random)));
        }
        int stripes = wheels * CallerStripe.COUNT;
        double[] freeNanos = new double[stripes];
        double endNanos = 0;
        for (int pair = 0; pair < PAIRS; pair++) {
            Caller caller = queue.remove();
            int stripe = caller.index() % stripes;
            // A lone caller owns the shared memory already.
            boolean contended = callers > stripe + stripes;
            double shared = contended ? parts.sharedNanos() : Math.min(parts.sharedNanos(), 5);
            double done = Math.max(caller.readyNanos(), freeNanos[stripe]) + shared;
            freeNanos[stripe] = done;
            endNanos = Math.max(endNanos, done);
            queue.add(new Caller(caller.index(), done + local(random)));
        }
        return Math.min(PAIRS / endNanos, wheels / parts.dropNanos()) * 1e9;
    }

    private double local(Xorshift random) {
        return parts.localNanos() * (0.5 + random.unit());
    }

    /** Whether tick threads can route that many timers a second at all. */
    boolean keepsUp(double timersPerSecond, int wheels) {
        return timersPerSecond / wheels * parts.routeNanos() < 0.98e9;
    }

    /**
     * Returns the 99th percentile of how late timers are handed over, in nanoseconds, if so many are due a second, at
     * random times, and wake-ups are exact.
     */
    double p99LatenessNanos(double timersPerSecond, int wheels) {
        Xorshift random = new Xorshift((long) timersPerSecond + wheels);
        double meanGapNanos = 1e9 * wheels / timersPerSecond;
        long[] lateness = new long[TIMERS];
        double dueNanos = 0;
        double freeNanos = 0;
        double wakeUpNanos = 0;
        // The budget of wake-ups is a bucket, which each fills by an interval and which is empty at this time.
        double emptyNanos = 0;
        for (int i = 0; i < TIMERS; i++) {
            dueNanos += -Math.log(random.unit()) * meanGapNanos;
            if (dueNanos > Math.max(wakeUpNanos, freeNanos)) {
                wakeUpNanos = Math.max(dueNanos, emptyNanos - BURST_NANOS);
                emptyNanos = Math.max(wakeUpNanos, emptyNanos) + INTERVAL_NANOS;
            }
            freeNanos = Math.max(freeNanos, wakeUpNanos) + parts.routeNanos();
            lateness[i] = (long) (freeNanos - dueNanos);
        }
        return new Percentiles(lateness).at(99);
    }
}
