package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Cpu;
import java.util.List;

/** R: the first timers of a JVM. */
final class Cold implements Figure {

    private static final String ONE = "1";
    private static final String MANY = "100k";

    private static final int TIMERS = 100_000;
    private static final long DELAY_NANOS = 125_000_000;

    /** The goal: level with Netty's wheel, as far as a JVM of which nothing is compiled lets one say so. */
    private static final double MOST_OF_NETTY = 1.2;

    @Override
    public String name() {
        return "R";
    }

    @Override
    public String title() {
        return "The first timers of a JVM";
    }

    @Override
    public String method() {
        return "A JVM in which nothing has run before: from making the scheduler until its first timers, all with a "
                + "delay of 125 ms, have run; processor time of the whole process, compilers included.";
    }

    @Override
    public List<String> variants() {
        return List.of(ONE, MANY);
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("cpuMillis", "CPU, in all", "ms"),
                Metric.plain("callerMillis", "caller, in all", "ms"),
                Metric.plain("lastMillis", "the last is late", "ms"));
    }

    @Override
    public List<Goal> goals(String variant) {
        return variant.equals(MANY)
                ? List.of(
                        new Goal("wheel", "hwt", "cpuMillis", MOST_OF_NETTY),
                        new Goal("wheel-netty", "hwt", "cpuMillis", MOST_OF_NETTY))
                : List.of();
    }

    @Override
    public List<String> contenders(String variant) {
        return List.of("wheel", "wheel-spring", "wheel-netty", "stpe", "fjp", "tpts", "hwt", "hwt+x");
    }

    @Override
    public double seconds(String variant, String contender) {
        return 1;
    }

    @Override
    public boolean isOnOlderJdks() {
        return true;
    }

    @Override
    public Values measure(Trial trial) {
        int count = trial.variant().equals(ONE) ? 1 : trial.count(TIMERS);
        // What the measuring itself needs is ready before.
        long unusedNanos = Cpu.processNanos();
        trial.watch().begin();
        long cpuBefore = Cpu.processNanos();
        try (Contender contender = trial.newContender()) {
            Shots shots = new Shots(trial, contender, new long[count]);
            long callerNanos = shots.armWithDelay(DELAY_NANOS);
            shots.awaitAll(System.nanoTime() + DELAY_NANOS);
            long cpuNanos = Cpu.processNanos() - cpuBefore;
            trial.watch().end(count);
            return new Values()
                    .with("cpuMillis", cpuNanos / 1e6)
                    .with("callerMillis", callerNanos / 1e6)
                    .with("lastMillis", shots.checkedLateness().max() / 1e6);
        }
    }
}
