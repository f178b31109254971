package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Cpu;
import io.github.wheelscheduler.benchmarks.measure.Pause;
import io.github.wheelscheduler.benchmarks.measure.Percentiles;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.List;

/** C: very many timers that are due within one second. */
final class Burst implements Figure {

    private static final int TIMERS = 1_000_000;
    private static final int WARM_UP_TIMERS = 1_000_000;

    @Override
    public String name() {
        return "C";
    }

    @Override
    public String title() {
        return "1M one-time tasks due within one second";
    }

    @Override
    public String method() {
        return "All are armed up to 3 s before the second starts. Lateness counts from deadlines fixed beforehand, CPU "
                + "from the start of the second until the last task has run.";
    }

    @Override
    public List<String> variants() {
        return List.of("1M");
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("p50Millis", "late p50", "ms"),
                Metric.compared("p99Millis", "late p99", "ms"),
                Metric.plain("maxMillis", "late max", "ms"),
                Metric.compared("cpuNanos", "CPU, per timer", "ns"),
                Metric.plain("early", "early", "runs"),
                Metric.plain("onTimerThread", "on the timer thread", "runs"));
    }

    @Override
    public List<String> contenders(String variant) {
        return Peers.ALL;
    }

    @Override
    public double seconds(String variant, String contender) {
        return 9;
    }

    @Override
    public boolean isOnOlderJdks() {
        return true;
    }

    /** On a JDK without virtual threads, a thread for each of so many tasks does not get through. */
    @Override
    public boolean takesPart(int javaVersion, String contender) {
        return Figure.super.takesPart(javaVersion, contender) && !(javaVersion < 21 && contender.equals("sats"));
    }

    @Override
    public Values measure(Trial trial) {
        try (Contender contender = trial.newContender()) {
            long unusedNanos = contender.absorb();
            Values ignored = fire(trial, Watch.NOBODY, contender, trial.count(WARM_UP_TIMERS), trial.millis(1_000));
            return fire(trial, trial.watch(), contender, trial.count(TIMERS), trial.millis(3_000));
        }
    }

    private static Values fire(Trial trial, Watch watch, Contender contender, int count, long leadNanos) {
        long windowNanos = trial.millis(1_000);
        Xorshift random = new Xorshift(trial.seed());
        long[] deadlines = new long[count];
        for (int i = 0; i < count; i++) {
            deadlines[i] = random.below(windowNanos);
        }
        Shots shots = new Shots(trial, contender, deadlines);
        watch.begin();
        long startNanos = System.nanoTime() + leadNanos;
        shots.startAt(startNanos);
        shots.arm(startNanos);
        Pause.until(startNanos);
        long cpuBefore = Cpu.processNanos();
        Pause.until(startNanos + windowNanos);
        shots.awaitAll(startNanos + windowNanos);
        long cpuNanos = Cpu.processNanos() - cpuBefore;
        watch.end(count);
        Percentiles lateness = shots.checkedLateness();
        return new Values()
                .with("p50Millis", lateness.at(50) / 1e6)
                .with("p99Millis", lateness.at(99) / 1e6)
                .with("maxMillis", lateness.max() / 1e6)
                .with("cpuNanos", (double) cpuNanos / count)
                .with("early", lateness.negative())
                .with("onTimerThread", shots.onTimerThread());
    }
}
