package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Cpu;
import io.github.wheelscheduler.benchmarks.measure.Pause;
import io.github.wheelscheduler.benchmarks.measure.Percentiles;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.List;

/** L: our scheduler without meters beside the same with them. */
final class MeterCost implements Figure {

    private static final String SCHEDULE_AND_CANCEL = "schedule-and-cancel";
    private static final String FIRING = "firing";
    private static final int TIMERS = 300_000;
    private static final int WARM_UP_ROUNDS = 5;
    private static final int ROUNDS = 10;

    @Override
    public String name() {
        return "L";
    }

    @Override
    public String title() {
        return "What meters cost";
    }

    @Override
    public String method() {
        return "Meters are bound to a registry for Prometheus. Scheduling and cancelling is that of A, on one thread. "
                + "Firing is ten times 300k one-time tasks that are armed beforehand and due within 10 ms, from then "
                + "until the last has run; a scrape in the end is part of the processor time. Ratios are to the "
                + "scheduler without meters.";
    }

    @Override
    public List<String> variants() {
        return List.of(SCHEDULE_AND_CANCEL, FIRING);
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("perMicro", "throughput", "pairs or runs per us"),
                Metric.compared("cpuNanos", "CPU, each", "ns"));
    }

    @Override
    public List<String> contenders(String variant) {
        return List.of("wheel-spring", "wheel-spring-meters", "wheel-spring-histograms");
    }

    @Override
    public double seconds(String variant, String contender) {
        return variant.equals(FIRING) ? 13 : 3.4;
    }

    @Override
    public Values measure(Trial trial) {
        if (trial.variant().equals(FIRING)) {
            return fire(trial);
        }
        ScheduleAndCancel.Turns turns = ScheduleAndCancel.turn(trial, 1);
        return values(turns.pairs(), turns.cost().wallNanos(), turns.cost().cpuNanos());
    }

    private static Values fire(Trial trial) {
        int count = trial.count(TIMERS);
        long wallNanos = 0;
        long cpuNanos = 0;
        try (Contender contender = trial.newContender()) {
            long ignored = contender.absorb();
            for (int round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
                Round fired = fireOnce(trial, contender, count, trial.seed() + round);
                if (round >= WARM_UP_ROUNDS) {
                    wallNanos += fired.wallNanos;
                    cpuNanos += fired.cpuNanos;
                } else {
                    contender.look();
                }
            }
            long cpuBefore = Cpu.processNanos();
            contender.look();
            cpuNanos += Cpu.processNanos() - cpuBefore;
        }
        return values((long) ROUNDS * count, wallNanos, cpuNanos);
    }

    private record Round(long wallNanos, long cpuNanos) {}

    private static Round fireOnce(Trial trial, Contender contender, int count, long seed) {
        long windowNanos = trial.millis(10);
        Xorshift random = new Xorshift(seed);
        long[] deadlines = new long[count];
        for (int i = 0; i < count; i++) {
            deadlines[i] = random.below(windowNanos);
        }
        Shots shots = new Shots(trial, contender, deadlines);
        long startNanos = System.nanoTime() + trial.millis(700);
        shots.startAt(startNanos);
        long unusedNanos = shots.arm(startNanos);
        System.gc();
        Pause.until(startNanos);
        long beforeNanos = System.nanoTime();
        long cpuBefore = Cpu.processNanos();
        shots.awaitAll(startNanos + windowNanos);
        Round fired = new Round(System.nanoTime() - beforeNanos, Cpu.processNanos() - cpuBefore);
        Percentiles ignored = shots.checkedLateness();
        return fired;
    }

    private static Values values(long count, long wallNanos, long cpuNanos) {
        return new Values().with("perMicro", 1e3 * count / wallNanos).with("cpuNanos", (double) cpuNanos / count);
    }
}
