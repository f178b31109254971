package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Callers;
import java.util.List;

/** A: the life of a timeout that does not happen, beside many others that are pending. */
final class ScheduleAndCancel implements Figure {

    private static final int PENDING = 1_000_000;
    private static final long DELAY_NANOS = 30 * Arming.SECOND_NANOS;

    @Override
    public String name() {
        return "A";
    }

    @Override
    public String title() {
        return "Schedule one, cancel the one scheduled 1024 before";
    }

    @Override
    public String method() {
        return "1M timers are pending for hours; each thread schedules timers 30 s ahead and cancels each 1024 later.";
    }

    @Override
    public List<String> variants() {
        return variants(List.of(1, 2));
    }

    @Override
    public List<String> variants(List<Integer> callers) {
        return Arming.variantsOf(callers);
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("callerNanos", "caller, per pair", "ns"),
                Metric.compared("cpuNanos", "CPU, per pair", "ns"),
                Metric.plain("behindMillis", "behind", "ms"));
    }

    @Override
    public List<String> contenders(String variant) {
        return variant.equals("1-thread") ? Peers.plus(Peers.ALL, "bare-wheel") : Peers.ALL;
    }

    @Override
    public double seconds(String variant, String contender) {
        return 3.4;
    }

    @Override
    public boolean isOnOlderJdks() {
        return true;
    }

    @Override
    public Values measure(Trial trial) {
        int threads = Arming.threadsOf(trial.variant());
        Turns turns = turn(trial, threads);
        return new Values()
                .with("callerNanos", (double) threads * turns.cost.wallNanos() / turns.pairs)
                .with("cpuNanos", (double) turns.cost.cpuNanos() / turns.pairs)
                .with("behindMillis", turns.cost.behindNanos() / 1e6);
    }

    /** So many pairs, and what they took. */
    record Turns(long pairs, Callers.Cost cost) {}

    /** Schedules and cancels for a while on a number of threads. */
    static Turns turn(Trial trial, int threads) {
        try (Contender contender = trial.newContender()) {
            Arming.forHours(contender, trial.count(PENDING), trial.seed());
            Ring[] rings = new Ring[threads];
            for (int i = 0; i < threads; i++) {
                rings[i] = new Ring(contender);
            }
            Callers.Cost ignored = Callers.run(contender, threads, i -> rings[i].turn(trial.millis(1_000)));
            trial.watch().begin();
            Callers.Cost cost = Callers.run(contender, threads, i -> rings[i].turn(trial.millis(1_500)));
            long pairs = 0;
            for (Ring ring : rings) {
                pairs += ring.pairs;
            }
            trial.watch().end(pairs);
            return new Turns(pairs, cost);
        }
    }

    /** One caller's latest timers. */
    private static final class Ring {

        private static final int SIZE = 1024;

        private final Contender contender;
        private final Object[] handles = new Object[SIZE];

        /** Writer: the caller, once per measurement. Reader: the thread that waited for the caller. */
        private long pairs;

        Ring(Contender contender) {
            this.contender = contender;
            for (int i = 0; i < SIZE; i++) {
                handles[i] = contender.schedule(BenchTask.NOTHING, DELAY_NANOS);
            }
        }

        void turn(long forNanos) {
            long endNanos = System.nanoTime() + forNanos;
            long turns = 0;
            do {
                turnOnce();
                turns++;
            } while (System.nanoTime() - endNanos < 0);
            pairs = turns * SIZE;
        }

        private void turnOnce() {
            for (int i = 0; i < SIZE; i++) {
                Object earlier = handles[i];
                handles[i] = contender.schedule(BenchTask.NOTHING, DELAY_NANOS);
                contender.cancel(earlier);
            }
        }
    }
}
