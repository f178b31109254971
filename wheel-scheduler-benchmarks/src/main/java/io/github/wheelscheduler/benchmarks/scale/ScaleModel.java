package io.github.wheelscheduler.benchmarks.scale;

import io.github.wheelscheduler.benchmarks.measure.Percentiles;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Simulates callers that meet at inboxes, and tick threads that route what is due. Seeded, so that it repeats. */
final class ScaleModel {

    private static final int PAIRS = 400_000;
    private static final int TIMERS = 400_000;

    /** The tick thread wakes up at most so often under load. */
    static final double INTERVAL_NANOS = 600_000;

    private final Parts parts;

    ScaleModel(Parts parts) {
        this.parts = parts;
    }

    private record Caller(int index, double readyNanos) {}

    /**
     * Returns how many pairs of schedule and cancel so many callers, each on a processor of its own, get through in a second.
     * A caller does its local part, whose length varies, and then waits for its turn at its wheel's inbox.
     */
    double pairsPerSecond(int callers, int wheels) {
        Xorshift random = new Xorshift(callers * 31L + wheels);
        PriorityQueue<Caller> queue = new PriorityQueue<>(Comparator.comparingDouble(Caller::readyNanos));
        for (int i = 0; i < callers; i++) {
            queue.add(new Caller(i, local(random)));
        }
        double[] freeNanos = new double[wheels];
        double endNanos = 0;
        for (int pair = 0; pair < PAIRS; pair++) {
            Caller caller = queue.remove();
            int wheel = caller.index() % wheels;
            // A lone caller owns the shared memory already.
            boolean contended = callers > wheels;
            double shared = contended ? parts.sharedNanos() : Math.min(parts.sharedNanos(), 5);
            double done = Math.max(caller.readyNanos(), freeNanos[wheel]) + shared;
            freeNanos[wheel] = done;
            endNanos = Math.max(endNanos, done);
            queue.add(new Caller(caller.index(), done + local(random)));
        }
        return PAIRS / endNanos * 1e9;
    }

    private double local(Xorshift random) {
        return parts.localNanos() * (0.5 + random.unit());
    }

    /** Whether tick threads can route so many timers a second at all. */
    boolean keepsUp(double timersPerSecond, int wheels) {
        return timersPerSecond / wheels * parts.routeNanos() < 0.98e9;
    }

    /**
     * Returns the 99th percentile of how late timers are handed over, in nanoseconds, if so many are due a second, at random
     * times, and wake-ups are exact.
     */
    double p99LatenessNanos(double timersPerSecond, int wheels) {
        Xorshift random = new Xorshift((long) timersPerSecond + wheels);
        double meanGapNanos = 1e9 * wheels / timersPerSecond;
        long[] lateness = new long[TIMERS];
        double dueNanos = 0;
        double freeNanos = 0;
        double wakeUpNanos = -INTERVAL_NANOS;
        for (int i = 0; i < TIMERS; i++) {
            dueNanos += -Math.log(random.unit()) * meanGapNanos;
            if (dueNanos > Math.max(wakeUpNanos, freeNanos)) {
                wakeUpNanos = Math.max(dueNanos, wakeUpNanos + INTERVAL_NANOS);
            }
            freeNanos = Math.max(freeNanos, wakeUpNanos) + parts.routeNanos();
            lateness[i] = (long) (freeNanos - dueNanos);
        }
        return new Percentiles(lateness).at(99);
    }
}
