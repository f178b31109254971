package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Callers;
import io.github.wheelscheduler.benchmarks.measure.Heap;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.List;

/** O: repeating tasks that come and go, all from one place in the code, so that a registry has to tell them apart. */
final class RepeatingChurn implements Figure {

    private static final long PERIOD_NANOS = Arming.HOUR_NANOS;

    @Override
    public String name() {
        return "O";
    }

    @Override
    public String title() {
        return "Churn of repeating tasks: cancel a random one, schedule another";
    }

    @Override
    public String method() {
        return "N tasks repeat every hour, all of one class; one thread cancels a random one and schedules another in "
                + "its place. Through our `TaskScheduler`, each has an id, can be steered and keeps a history. Bytes "
                + "are those of one that has not run yet, its future left out of the count.";
    }

    @Override
    public List<String> variants() {
        return List.of("10k", "50k", "1M");
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("callerNanos", "caller, per pair", "ns"),
                Metric.compared("cpuNanos", "CPU, per pair", "ns"),
                Metric.compared("bytes", "per task", "B"));
    }

    @Override
    public List<String> contenders(String variant) {
        return List.of("wheel-spring", "tpts", "wheel", "stpe");
    }

    @Override
    public double seconds(String variant, String contender) {
        return variant.equals("1M") ? 6 : 3;
    }

    @Override
    public int mostJvms(String contender) {
        return contender.equals("wheel-spring") ? Integer.MAX_VALUE : 1;
    }

    @Override
    public Values measure(Trial trial) {
        try (Contender contender = trial.newContender()) {
            Xorshift random = new Xorshift(trial.seed());
            Object[] handles = new Object[trial.count(Arming.numberOf(trial.variant()))];
            long unusedNanos = contender.absorb();
            long beforeBytes = Heap.usedBytes();
            for (int i = 0; i < handles.length; i++) {
                handles[i] = another(contender, random);
            }
            long unusedNanosToo = contender.absorb();
            long usedBytes = Heap.usedBytes() - beforeBytes;
            Churning churning = new Churning(contender, handles, random, any -> another(contender, any));
            Callers.Cost ignored = Callers.run(contender, 1, i -> churning.run(trial.millis(1_000)));
            Callers.Cost cost = Callers.run(contender, 1, i -> churning.run(trial.millis(2_000)));
            return new Values()
                    .with("callerNanos", (double) cost.wallNanos() / churning.pairs())
                    .with("cpuNanos", (double) cost.cpuNanos() / churning.pairs())
                    .with("bytes", (double) usedBytes / handles.length);
        }
    }

    private static Object another(Contender contender, Xorshift random) {
        return contender.repeating(BenchTask.NOTHING, random.between(PERIOD_NANOS, 2 * PERIOD_NANOS), PERIOD_NANOS);
    }
}
