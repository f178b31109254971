package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Callers;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.List;

/** J: cancelling any pending timer, which no cache knows any more. */
final class Churn implements Figure {

    @Override
    public String name() {
        return "J";
    }

    @Override
    public String title() {
        return "Churn: cancel a random pending one, schedule another";
    }

    @Override
    public String method() {
        return "N timers are pending for 60 to 360 s; one thread cancels a random one and schedules another in its "
                + "place. \"Behind\" is how late a task with a delay of 0.1 ms then is.";
    }

    @Override
    public List<String> variants() {
        return List.of("1k", "100k", "1M", "5M");
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
        return Peers.plus(Peers.plus(Peers.STRUCTURES, "bare-wheel"), "bare-linked");
    }

    @Override
    public double seconds(String variant, String contender) {
        return switch (variant) {
            case "5M" -> 6;
            case "1M" -> 3.8;
            default -> 2.8;
        };
    }

    @Override
    public Values measure(Trial trial) {
        try (Contender contender = trial.newContender()) {
            Xorshift random = new Xorshift(trial.seed());
            Object[] handles = Arming.forMinutes(contender, trial.count(Arming.numberOf(trial.variant())), random);
            Churning churning = new Churning(
                    contender, handles, random, any -> contender.schedule(BenchTask.NOTHING, Arming.minutes(any)));
            Callers.Cost ignored = Callers.run(contender, 1, i -> churning.run(trial.millis(1_000)));
            Callers.Cost cost = Callers.run(contender, 1, i -> churning.run(trial.millis(2_000)));
            return new Values()
                    .with("callerNanos", (double) cost.wallNanos() / churning.pairs())
                    .with("cpuNanos", (double) cost.cpuNanos() / churning.pairs())
                    .with("behindMillis", cost.behindNanos() / 1e6);
        }
    }
}
