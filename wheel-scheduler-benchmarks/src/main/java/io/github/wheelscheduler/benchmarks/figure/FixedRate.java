package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Cpu;
import io.github.wheelscheduler.benchmarks.measure.Pause;
import io.github.wheelscheduler.benchmarks.measure.Percentiles;
import io.github.wheelscheduler.benchmarks.measure.Slots;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.List;

/** E: many tasks that repeat. */
final class FixedRate implements Figure {

    private static final int TASKS = 10_000;
    private static final long PERIOD_MILLIS = 100;
    private static final int WARM_UP_RUNS = 50;
    private static final int MEASURED_RUNS = 40;

    private static final long PATIENCE_NANOS = 30 * Arming.SECOND_NANOS;

    /** Slots of one task; what runs after the measurement falls into those at the end. */
    private static final int SLOTS = WARM_UP_RUNS + MEASURED_RUNS + 20;

    @Override
    public String name() {
        return "E";
    }

    @Override
    public String title() {
        return "10k fixed-rate tasks with a period of 100 ms";
    }

    @Override
    public String method() {
        return "Phases are random. After 5 s of warm-up, 4 s count. Lateness is that of each run against first "
                + "deadline + n periods. Contenders without a fixed rate let each run schedule the next.";
    }

    @Override
    public List<String> variants() {
        return List.of("10k");
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("cpuNanos", "CPU, per run", "ns"),
                Metric.compared("p50Micros", "late p50", "us"),
                Metric.compared("p99Micros", "late p99", "us"),
                Metric.plain("runs", "runs", "runs"),
                Metric.plain("early", "early", "runs"),
                Metric.plain("onTimerThread", "on the timer thread", "runs"));
    }

    @Override
    public List<String> contenders(String variant) {
        return Peers.plus(Peers.ALL, "wheel-tolerant");
    }

    @Override
    public double seconds(String variant, String contender) {
        return 9.5;
    }

    @Override
    public boolean isOnOlderJdks() {
        return true;
    }

    /** A platform thread for each of 100k runs a second is more than there can be. */
    @Override
    public boolean takesPart(int javaVersion, String contender) {
        return Figure.super.takesPart(javaVersion, contender) && !(javaVersion < 21 && contender.equals("sats"));
    }

    @Override
    public Values measure(Trial trial) {
        try (Contender contender = trial.newContender()) {
            long ignored = contender.absorb();
            int tasks = trial.count(TASKS) / (trial.isTiny() ? 10 : 1);
            long periodNanos = trial.millis(PERIOD_MILLIS);
            Slots slots = new Slots(tasks * SLOTS, contender.timerThread());
            Xorshift random = new Xorshift(trial.seed());
            long startNanos = System.nanoTime() + trial.millis(200);
            for (int i = 0; i < tasks; i++) {
                long firstNanos = startNanos + random.below(periodNanos);
                contender.repeatAtRate(new Repeated(slots, i, firstNanos, periodNanos), firstNanos, periodNanos);
            }
            Pause.until(startNanos + WARM_UP_RUNS * periodNanos);
            trial.watch().begin();
            long runsBefore = slots.countTaken();
            long cpuBefore = Cpu.processNanos();
            Pause.until(startNanos + (WARM_UP_RUNS + MEASURED_RUNS) * periodNanos);
            long cpuNanos = Cpu.processNanos() - cpuBefore;
            long runs = slots.countTaken() - runsBefore;
            trial.watch().end(runs);
            if (runs <= 0) {
                throw new IllegalStateException("tasks must run during the measurement, none did");
            }
            long[] latenesses = awaitMeasured(slots, tasks);
            slots.checkOnce();
            Percentiles lateness = new Percentiles(latenesses);
            Promises.check(trial, lateness.negative(), slots.onTimerThread());
            return new Values()
                    .with("cpuNanos", (double) cpuNanos / runs)
                    .with("p50Micros", lateness.at(50) / 1e3)
                    .with("p99Micros", lateness.at(99) / 1e3)
                    .with("runs", runs)
                    .with("early", lateness.negative())
                    .with("onTimerThread", slots.onTimerThread());
        }
    }

    /** Returns the latenesses of all runs that count, those included that are still to come. */
    private static long[] awaitMeasured(Slots slots, int tasks) {
        long giveUpNanos = System.nanoTime() + PATIENCE_NANOS;
        long[] all = new long[tasks * MEASURED_RUNS];
        for (int task = 0; task < tasks; task++) {
            int from = task * SLOTS + WARM_UP_RUNS;
            long[] some = slots.takenBetween(from, from + MEASURED_RUNS);
            while (some.length < MEASURED_RUNS) {
                if (System.nanoTime() - giveUpNanos > 0) {
                    throw new IllegalStateException(
                            "every task must run " + MEASURED_RUNS + " times, task " + task + " did " + some.length);
                }
                Pause.nanos(1_000_000);
                some = slots.takenBetween(from, from + MEASURED_RUNS);
            }
            System.arraycopy(some, 0, all, task * MEASURED_RUNS, MEASURED_RUNS);
        }
        return all;
    }

    private static final class Repeated extends BenchTask {

        private final Slots slots;
        private final int task;
        private final long firstNanos;
        private final long periodNanos;

        /** Writer and reader: its runs, one after the other; volatile as some contenders do not order them. */
        private volatile int run;

        Repeated(Slots slots, int task, long firstNanos, long periodNanos) {
            this.slots = slots;
            this.task = task;
            this.firstNanos = firstNanos;
            this.periodNanos = periodNanos;
        }

        @Override
        public void run() {
            int current = run;
            run = current + 1;
            if (current < SLOTS) {
                slots.record(task * SLOTS + current, firstNanos + current * periodNanos);
            }
        }
    }
}
