package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Pause;
import io.github.wheelscheduler.benchmarks.measure.ThreadsOfProcess;
import java.util.List;

/** H: what it costs to wait. */
final class Waiting implements Figure {

    @Override
    public String name() {
        return "H";
    }

    @Override
    public String title() {
        return "Waiting";
    }

    @Override
    public String method() {
        return "1 or 1M timers are pending for hours. After collecting garbage and 3 s of rest, over 5 s: processor "
                + "time and context switches of all threads of the process, as the kernel counts them.";
    }

    @Override
    public List<String> variants() {
        return List.of("1", "1M");
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("cpuMillis", "CPU, per second", "ms"),
                Metric.compared("switches", "context switches, per second", "1/s"));
    }

    @Override
    public List<String> contenders(String variant) {
        List<String> peers = List.of("wheel", "stpe", "fjp", "tpts", "hwt", "kafka", "agrona");
        return variant.equals("1") ? Peers.plus(peers, "bare-jvm") : peers;
    }

    @Override
    public double seconds(String variant, String contender) {
        return 8.4;
    }

    @Override
    public int mostJvms(String contender) {
        return contender.equals("wheel") || contender.equals("bare-jvm") ? Integer.MAX_VALUE : 2;
    }

    @Override
    public Values measure(Trial trial) {
        try (Contender contender = trial.newContender()) {
            Arming.forHours(contender, trial.count(Arming.numberOf(trial.variant())), trial.seed());
            System.gc();
            Pause.nanos(trial.millis(3_000));
            long startNanos = System.nanoTime();
            ThreadsOfProcess before = ThreadsOfProcess.now();
            Pause.nanos(trial.millis(5_000));
            ThreadsOfProcess after = ThreadsOfProcess.now();
            double seconds = (System.nanoTime() - startNanos) / 1e9;
            Values values = new Values().with("cpuMillis", (after.cpuNanos() - before.cpuNanos()) / 1e6 / seconds);
            return after.areSwitchesKnown()
                    ? values.with("switches", (after.switches() - before.switches()) / seconds)
                    : values;
        }
    }
}
