package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Cpu;
import io.github.wheelscheduler.benchmarks.measure.Heap;
import io.github.wheelscheduler.benchmarks.measure.Pause;
import io.github.wheelscheduler.benchmarks.measure.Percentiles;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.List;

/** K: ten times more than anyone should need. */
final class Masses implements Figure {

    private static final int TIMERS = 10_000_000;
    private static final long LEAD_MILLIS = 16_000;
    private static final long WINDOW_MILLIS = 10_000;

    @Override
    public String name() {
        return "K";
    }

    @Override
    public String title() {
        return "10M timers held and fired";
    }

    @Override
    public String method() {
        return "All are armed up to 16 s before the first is due; then they are due within 10 s. Each must run exactly "
                + "once. The tasks are there before the memory is measured. Default heap.";
    }

    @Override
    public List<String> variants() {
        return List.of("10M");
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("armNanos", "arming, per timer", "ns"),
                Metric.compared("bytes", "per pending timer", "B"),
                Metric.compared("p99Millis", "late p99", "ms"),
                Metric.compared("cpuNanos", "CPU, per timer", "ns"),
                Metric.plain("early", "early", "runs"),
                Metric.plain("onTimerThread", "on the timer thread", "runs"));
    }

    @Override
    public List<String> contenders(String variant) {
        return List.of("wheel", "stpe", "hwt", "hwt+x", "agrona");
    }

    @Override
    public double seconds(String variant, String contender) {
        return 34;
    }

    @Override
    public int mostJvms(String contender) {
        return contender.equals("wheel") ? 2 : 1;
    }

    @Override
    public Values measure(Trial trial) {
        try (Contender contender = trial.newContender()) {
            long unusedNanos = contender.absorb();
            int count = trial.count(TIMERS);
            long windowNanos = trial.millis(WINDOW_MILLIS);
            Xorshift random = new Xorshift(trial.seed());
            long[] deadlines = new long[count];
            for (int i = 0; i < count; i++) {
                deadlines[i] = random.below(windowNanos);
            }
            Shots shots = new Shots(trial, contender, deadlines);
            long beforeBytes = Heap.usedBytes();
            long startNanos = System.nanoTime() + trial.millis(LEAD_MILLIS);
            shots.startAt(startNanos);
            long armNanos = shots.arm(startNanos);
            long ignored = contender.absorb();
            long bytes = Heap.usedBytes() - beforeBytes;
            Pause.until(startNanos);
            long cpuBefore = Cpu.processNanos();
            Pause.until(startNanos + windowNanos);
            shots.awaitAll(startNanos + windowNanos);
            long cpuNanos = Cpu.processNanos() - cpuBefore;
            Percentiles lateness = shots.checkedLateness();
            return new Values()
                    .with("armNanos", (double) armNanos / count)
                    .with("bytes", (double) bytes / count)
                    .with("p99Millis", lateness.at(99) / 1e6)
                    .with("cpuNanos", (double) cpuNanos / count)
                    .with("early", lateness.negative())
                    .with("onTimerThread", shots.onTimerThread());
        }
    }
}
