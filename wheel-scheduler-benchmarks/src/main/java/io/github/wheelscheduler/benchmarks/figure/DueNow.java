package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Cpu;
import io.github.wheelscheduler.benchmarks.measure.Pause;
import io.github.wheelscheduler.benchmarks.measure.Percentiles;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** M: how soon what is due at once runs. */
final class DueNow implements Figure {

    private static final String CHAIN = "chain";
    private static final String CHAIN_OF_DELAYS = "chain-schedule";
    private static final String TEN_CHAINS = "ten-chains";
    private static final String LATE_SERIES = "late-series";
    private static final String GET = "get";
    private static final String GET_LOADED = "get-loaded";
    private static final String OVERRUN = "overrun";

    private static final double MOST_OF_A_POOL = 1.2;
    private static final double MOST_OF_VIRTUAL_THREADS = 1.5;
    private static final double MOST_OF_A_LARGE_POOL = 1.5;

    private static final int MANY = 10;

    private static final int WARM_UP_ROUNDS = 4;
    private static final int ROUNDS = 5;
    private static final long ROUND_MILLIS = 300;

    private static final long WARM_UP_MILLIS = 1_000;
    private static final long MEASURED_MILLIS = 1_500;
    private static final int LOAD_PER_SECOND = 100_000;

    private static final long PERIOD_MILLIS = 10;
    private static final long OVERRUN_MILLIS = 3_000;

    @Override
    public String name() {
        return "M";
    }

    @Override
    public String title() {
        return "Due now";
    }

    @Override
    public String method() {
        return "A chain is a task that executes, or schedules without delay, itself as the next one; rounds of 0.3 s, "
                + "the median of five after four that do not count. \"get\" is submit(...).get() in a loop from one "
                + "thread that is no worker, for 1.5 s after one that does not count. \"loaded\" is the same while "
                + "100k one-time tasks a second are due, which were armed beforehand. \"overrun\" is a task with a "
                + "fixed rate of 10 ms that takes 10 ms, which can make 300 runs in 3 s. Two workers wherever there is "
                + "a number of them. \"ten-chains\" are ten chains that execute themselves side by side, "
                + "\"late-series\" ten tasks with a fixed rate of 1 ns that do nothing. Both count processor time of "
                + "the whole process, ours with the workers that it has by default, the JDK's with 16.";
    }

    @Override
    public List<String> variants() {
        return List.of(CHAIN, CHAIN_OF_DELAYS, TEN_CHAINS, LATE_SERIES, GET, GET_LOADED, OVERRUN);
    }

    @Override
    public List<Metric> metrics(String variant) {
        return switch (variant) {
            case CHAIN, CHAIN_OF_DELAYS ->
                List.of(
                        Metric.compared("stepNanos", "per step", "ns"),
                        Metric.plain("slowestNanos", "per step, slowest round", "ns"));
            case TEN_CHAINS, LATE_SERIES -> List.of(Metric.compared("cpuNanos", "CPU, per step", "ns"));
            case OVERRUN ->
                List.of(Metric.compared("runMillis", "from run to run", "ms"), Metric.plain("runs", "runs", "runs"));
            default ->
                List.of(
                        Metric.compared("p50Micros", "per call, p50", "us"),
                        Metric.compared("p99Micros", "per call, p99", "us"));
        };
    }

    @Override
    public List<Goal> goals(String variant) {
        String metric = metrics(variant).get(0).key();
        if (isWithManyThreads(variant)) {
            return List.of(new Goal("wheel", "stpe/16", metric, MOST_OF_A_LARGE_POOL));
        }
        Goal executor = new Goal("wheel/2", "stpe/2", metric, MOST_OF_A_POOL);
        Goal scheduler = new Goal("wheel-spring/2", "tpts/2", metric, MOST_OF_A_POOL);
        return variant.equals(CHAIN) || variant.equals(GET)
                ? List.of(executor, scheduler, new Goal("wheel-virtual", "virtual", metric, MOST_OF_VIRTUAL_THREADS))
                : List.of(executor, scheduler);
    }

    private static boolean isWithManyThreads(String variant) {
        return variant.equals(TEN_CHAINS) || variant.equals(LATE_SERIES);
    }

    @Override
    public List<String> contenders(String variant) {
        if (isWithManyThreads(variant)) {
            return List.of("wheel", "wheel/2", "wheel-spring", "stpe/16", "stpe/2", "tpts/16");
        }
        List<String> schedulers = List.of("wheel/2", "wheel-spring/2", "wheel-virtual", "stpe/2", "tpts/2", "fjp/2");
        return variant.equals(CHAIN) || variant.equals(GET) ? Peers.plus(schedulers, "virtual") : schedulers;
    }

    @Override
    public double seconds(String variant, String contender) {
        return switch (variant) {
            case GET -> 2.7;
            case GET_LOADED -> 5;
            case OVERRUN -> 3.7;
            default -> 2.8;
        };
    }

    @Override
    public int mostJvms(String contender) {
        return contender.startsWith("wheel") ? Integer.MAX_VALUE : 3;
    }

    @Override
    public boolean isOnOlderJdks() {
        return true;
    }

    @Override
    public Values measure(Trial trial) {
        try (Contender contender = trial.newContender()) {
            return switch (trial.variant()) {
                case CHAIN -> chain(trial, contender, false);
                case CHAIN_OF_DELAYS -> chain(trial, contender, true);
                case TEN_CHAINS -> tenChains(trial, contender);
                case LATE_SERIES -> lateSeries(trial, contender);
                case GET -> get(trial, contender);
                case GET_LOADED -> getLoaded(trial, contender);
                default -> overrun(trial, contender);
            };
        }
    }

    private static Values chain(Trial trial, Contender contender, boolean isScheduled) {
        double[] stepNanos = new double[ROUNDS];
        for (int round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
            double nanos = new Chain(contender, isScheduled).run(trial.millis(ROUND_MILLIS));
            if (round >= WARM_UP_ROUNDS) {
                stepNanos[round - WARM_UP_ROUNDS] = nanos;
            }
        }
        Arrays.sort(stepNanos);
        return new Values().with("stepNanos", stepNanos[ROUNDS / 2]).with("slowestNanos", stepNanos[ROUNDS - 1]);
    }

    private static Values tenChains(Trial trial, Contender contender) {
        double[] stepNanos = new double[ROUNDS];
        for (int round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
            List<Chain> chains = Stream.generate(() -> new Chain(contender, false))
                    .limit(MANY)
                    .toList();
            long cpuBefore = Cpu.processNanos();
            long untilNanos = System.nanoTime() + trial.millis(ROUND_MILLIS);
            chains.forEach(chain -> chain.start(untilNanos));
            long steps = chains.stream().mapToLong(Chain::awaitSteps).sum();
            if (round >= WARM_UP_ROUNDS) {
                stepNanos[round - WARM_UP_ROUNDS] = (double) (Cpu.processNanos() - cpuBefore) / steps;
            }
        }
        Arrays.sort(stepNanos);
        return new Values().with("cpuNanos", stepNanos[ROUNDS / 2]);
    }

    private static Values lateSeries(Trial trial, Contender contender) {
        List<Busy> series = Stream.generate(() -> new Busy(0)).limit(MANY).toList();
        long startNanos = System.nanoTime();
        series.forEach(task -> contender.repeatAtRate(task, startNanos, 1));
        Pause.until(startNanos + trial.millis(WARM_UP_MILLIS));
        long cpuBefore = Cpu.processNanos();
        long runsBefore = series.stream().mapToLong(Busy::runs).sum();
        Pause.until(startNanos + trial.millis(WARM_UP_MILLIS + MEASURED_MILLIS));
        long runs = series.stream().mapToLong(Busy::runs).sum() - runsBefore;
        return new Values().with("cpuNanos", (double) (Cpu.processNanos() - cpuBefore) / Math.max(1, runs));
    }

    private static Values get(Trial trial, Contender contender) {
        Calls calls = new Calls(contender);
        Percentiles ignored = calls.run(System.nanoTime() + trial.millis(WARM_UP_MILLIS));
        return values(calls.run(System.nanoTime() + trial.millis(MEASURED_MILLIS)));
    }

    private static Values getLoaded(Trial trial, Contender contender) {
        long unusedNanos = contender.absorb();
        long loadNanos = trial.millis(WARM_UP_MILLIS + MEASURED_MILLIS);
        long[] deadlines = new long[trial.count((int) (loadNanos * LOAD_PER_SECOND / Arming.SECOND_NANOS))];
        Xorshift random = new Xorshift(trial.seed());
        for (int i = 0; i < deadlines.length; i++) {
            deadlines[i] = random.below(loadNanos);
        }
        Shots shots = new Shots(trial, contender, deadlines);
        long startNanos = System.nanoTime() + trial.millis(1_500);
        shots.startAt(startNanos);
        long unusedArmingNanos = shots.arm(startNanos);
        Pause.until(startNanos);
        Calls calls = new Calls(contender);
        Percentiles ignored = calls.run(startNanos + trial.millis(WARM_UP_MILLIS));
        Percentiles latencies = calls.run(startNanos + loadNanos);
        shots.awaitAll(startNanos + loadNanos);
        Percentiles unusedLateness = shots.checkedLateness();
        return values(latencies);
    }

    private static Values values(Percentiles latencies) {
        return new Values().with("p50Micros", latencies.at(50) / 1e3).with("p99Micros", latencies.at(99) / 1e3);
    }

    private static Values overrun(Trial trial, Contender contender) {
        Busy busy = new Busy(PERIOD_MILLIS * 1_000_000);
        long startNanos = System.nanoTime() + trial.millis(500);
        contender.repeatAtRate(busy, startNanos - trial.millis(400), PERIOD_MILLIS * 1_000_000);
        Pause.until(startNanos);
        long before = busy.runs();
        Pause.until(startNanos + trial.millis(OVERRUN_MILLIS));
        long runs = busy.runs() - before;
        return new Values()
                .with("runMillis", trial.millis(OVERRUN_MILLIS) / 1e6 / runs)
                .with("runs", runs);
    }
}
