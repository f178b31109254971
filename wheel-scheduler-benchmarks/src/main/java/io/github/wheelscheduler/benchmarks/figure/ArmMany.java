package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Callers;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.List;

/** B: filling a scheduler. */
final class ArmMany implements Figure {

    private static final int TIMERS = 1_000_000;
    private static final int WARM_UP_ROUNDS = 3;

    @Override
    public String name() {
        return "B";
    }

    @Override
    public String title() {
        return "Arm 1M timers";
    }

    @Override
    public String method() {
        return "Deadlines are 60 to 360 s ahead. \"Absorbed after\" is how late a task then is that each thread "
                + "schedules last, with a delay of 0.1 ms. Three other instances were filled before, to warm up.";
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
                Metric.compared("callerNanos", "caller, per timer", "ns"),
                Metric.compared("cpuNanos", "CPU, per timer", "ns"),
                Metric.plain("absorbedMillis", "absorbed after", "ms"));
    }

    @Override
    public List<String> contenders(String variant) {
        return Peers.STRUCTURES;
    }

    @Override
    public double seconds(String variant, String contender) {
        return 2;
    }

    @Override
    public Values measure(Trial trial) {
        int threads = Arming.threadsOf(trial.variant());
        int perThread = trial.count(TIMERS) / threads;
        for (int round = 0; round < WARM_UP_ROUNDS; round++) {
            Callers.Cost ignored = arm(trial, threads, perThread);
        }
        System.gc();
        Callers.Cost cost = arm(trial, threads, perThread);
        return new Values()
                .with("callerNanos", (double) cost.wallNanos() / perThread)
                .with("cpuNanos", (double) cost.cpuNanos() / ((double) perThread * threads))
                .with("absorbedMillis", cost.behindNanos() / 1e6);
    }

    private static Callers.Cost arm(Trial trial, int threads, int perThread) {
        try (Contender contender = trial.newContender()) {
            long unusedNanos = contender.absorb();
            return Callers.run(contender, threads, index -> {
                Xorshift random = new Xorshift(trial.seed() + index);
                for (int i = 0; i < perThread; i++) {
                    Object ignored = contender.schedule(BenchTask.NOTHING, Arming.minutes(random));
                }
            });
        }
    }
}
