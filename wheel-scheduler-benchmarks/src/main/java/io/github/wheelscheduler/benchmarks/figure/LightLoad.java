package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Percentiles;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.List;

/** D: how punctual a scheduler is that has little to do. */
final class LightLoad implements Figure {

    private static final int PER_SECOND = 200;
    private static final int WARM_UP_PER_SECOND = 1_500;
    private static final int WARM_UP = 4 * WARM_UP_PER_SECOND;
    private static final int MEASURED = 5 * PER_SECOND;

    @Override
    public String name() {
        return "D";
    }

    @Override
    public String title() {
        return "Light load: 200 one-time tasks per second";
    }

    @Override
    public String method() {
        return "Deadlines are a Poisson process and armed beforehand. Before them come four seconds with 1,500 tasks "
                + "each, which do not count: an application that has run for a while is compiled.";
    }

    @Override
    public List<String> variants() {
        return List.of("200");
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("p50Micros", "late p50", "us"),
                Metric.compared("p99Micros", "late p99", "us"),
                Metric.plain("early", "early", "runs"));
    }

    @Override
    public List<String> contenders(String variant) {
        return Peers.ALL;
    }

    @Override
    public double seconds(String variant, String contender) {
        return 9.3;
    }

    @Override
    public boolean isOnOlderJdks() {
        return true;
    }

    @Override
    public Values measure(Trial trial) {
        try (Contender contender = trial.newContender()) {
            long unusedNanos = contender.absorb();
            int warmUp = trial.count(WARM_UP) / (trial.isTiny() ? 10 : 1);
            int measured = trial.count(MEASURED) / (trial.isTiny() ? 10 : 1);
            long[] deadlines = poisson(warmUp, measured, new Xorshift(trial.seed()));
            long lastNanos = deadlines[deadlines.length - 1];
            Shots shots = new Shots(trial, contender, deadlines);
            long startNanos = System.nanoTime() + trial.millis(200);
            shots.startAt(startNanos);
            shots.arm(startNanos);
            shots.awaitAll(startNanos + lastNanos);
            Percentiles ignored = shots.checkedLateness();
            Percentiles lateness = shots.latenessFrom(warmUp);
            return new Values()
                    .with("p50Micros", lateness.at(50) / 1e3)
                    .with("p99Micros", lateness.at(99) / 1e3)
                    .with("early", lateness.negative());
        }
    }

    private static long[] poisson(int warmUp, int measured, Xorshift random) {
        long[] deadlines = new long[warmUp + measured];
        double nanos = 0;
        for (int i = 0; i < deadlines.length; i++) {
            int perSecond = i < warmUp ? WARM_UP_PER_SECOND : PER_SECOND;
            nanos += -Math.log(random.unit()) * Arming.SECOND_NANOS / perSecond;
            deadlines[i] = (long) nanos;
        }
        return deadlines;
    }
}
