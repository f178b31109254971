package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Pause;
import java.util.List;

/** F: what slow tasks do to a quick one. */
final class Heartbeat implements Figure {

    private static final int SLOW_TASKS = 100;
    private static final long SLOW_MILLIS = 200;
    private static final int SETTLING_MILLIS = 1_000;
    private static final long BEAT_MILLIS = 10;
    private static final long OBSERVED_MILLIS = 4_000;
    private static final long LONGEST_MILLIS = 25_000;
    private static final String FIXED_RATE = "fixed-rate";

    @Override
    public String name() {
        return "F";
    }

    @Override
    public String title() {
        return "A heartbeat of 10 ms beside 100 tasks that sleep 200 ms";
    }

    @Override
    public String method() {
        return "The slow tasks have a period, or a delay, of 200 ms. The worst gap between two heartbeats in 4 s "
                + "counts; a gap that lasts longer is observed for up to 25 s, and its length then is shown. In the "
                + "first second of a fresh JVM, a contender with platform threads starts a hundred of them, which "
                + "takes its time.";
    }

    @Override
    public List<String> variants() {
        return List.of(FIXED_RATE, "fixed-delay");
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("worstGapMillis", "worst gap after the first second", "ms"),
                Metric.plain("firstGapMillis", "worst gap with the first second", "ms"));
    }

    @Override
    public List<String> contenders(String variant) {
        return List.of(
                "wheel", "wheel-virtual", "wheel-group/8", "tpts/1", "tpts/8", "fjp/8", "sats", "hwt", "hwt+x/8");
    }

    @Override
    public double seconds(String variant, String contender) {
        boolean isOneThread = contender.equals("tpts/1") || contender.equals("hwt");
        boolean isOneThreadForDelays = contender.equals("sats") && !variant.equals(FIXED_RATE);
        return isOneThread || isOneThreadForDelays ? 20 : 4;
    }

    @Override
    public int mostJvms(String contender) {
        return contender.startsWith("wheel") ? Integer.MAX_VALUE : 1;
    }

    @Override
    public boolean isOnOlderJdks() {
        return true;
    }

    @Override
    public Values measure(Trial trial) {
        // Never closed: that may wait for the slow tasks.
        Contender contender = trial.newContender();
        boolean isAtRate = trial.variant().equals(FIXED_RATE);
        long startNanos = System.nanoTime() + trial.millis(200);
        Beat beat = new Beat(startNanos, startNanos + trial.millis(SETTLING_MILLIS));
        repeat(contender, beat, startNanos, BEAT_MILLIS * 1_000_000, isAtRate);
        long slowNanos = trial.millis(SLOW_MILLIS);
        for (int i = 0; i < SLOW_TASKS; i++) {
            repeat(contender.forSlowTasks(), new Slow(slowNanos), startNanos, slowNanos, isAtRate);
        }
        long endNanos = startNanos + trial.millis(OBSERVED_MILLIS);
        Pause.until(endNanos);
        long hopelessNanos = startNanos + trial.millis(LONGEST_MILLIS);
        while (isOverdue(beat) && System.nanoTime() - hopelessNanos < 0) {
            Pause.nanos(5_000_000);
        }
        long nowNanos = System.nanoTime();
        boolean isAtLeast = isOverdue(beat);
        return new Values()
                .with("worstGapMillis", beat.worstSettledGapNanos(nowNanos) / 1e6)
                .with("firstGapMillis", beat.worstGapNanos(nowNanos) / 1e6)
                .with(Metric.AT_LEAST, isAtLeast ? 1 : 0);
    }

    private static void repeat(
            Contender contender, BenchTask task, long firstNanos, long periodNanos, boolean isAtRate) {
        if (isAtRate) {
            contender.repeatAtRate(task, firstNanos, periodNanos);
        } else {
            contender.repeatWithDelay(task, firstNanos, periodNanos);
        }
    }

    private static boolean isOverdue(Beat beat) {
        return System.nanoTime() - beat.latestNanos() > 10 * BEAT_MILLIS * 1_000_000;
    }

    private static final class Slow extends BenchTask {

        private final long nanos;

        Slow(long nanos) {
            this.nanos = nanos;
        }

        @Override
        public void run() {
            Pause.nanos(nanos);
        }
    }
}
