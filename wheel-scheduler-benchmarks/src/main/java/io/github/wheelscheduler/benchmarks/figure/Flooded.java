package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Callers;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** N: what callers that ask for more than can be done do to what is pending. */
final class Flooded implements Figure {

    private static final String EXECUTE = "execute";
    private static final String SCHEDULE_FAR = "schedule-far";
    private static final String SCHEDULE_NEAR = "schedule-near";
    private static final String BY = "-by-";
    private static final int CALLERS = 4;
    private static final int BATCH = 64;
    private static final long WARM_UP_MILLIS = 500;
    private static final long FLOOD_MILLIS = 4_000;
    private static final long BEAT_MILLIS = 10;
    private static final long FAR_NANOS = 60_000_000_000L;
    private static final long NEAR_NANOS = 1_000_000;

    @Override
    public String name() {
        return "N";
    }

    @Override
    public String title() {
        return "A heartbeat of 10 ms beside four callers that flood";
    }

    @Override
    public String method() {
        return "For 4 s each caller executes tasks that do nothing, or schedules them with a delay of a minute, or of "
                + "1 ms, as fast as it can. Half a second of that comes before, to warm up. The heartbeat has a fixed "
                + "rate, so that it can beat 400 times. \"Behind\" is how late a task with a delay of 0.1 ms is at the "
                + "end of the flood. With 1 ms, more is due than two processors can run, and a contender that slows "
                + "the callers is less behind. Ours catches up missed beats at once, the JDK's pool one by one among "
                + "the others, so its gaps are alike.";
    }

    @Override
    public List<String> variants() {
        return List.of(EXECUTE, SCHEDULE_FAR, SCHEDULE_NEAR);
    }

    @Override
    public List<String> variants(List<Integer> callers) {
        return callers.stream()
                .flatMap(count -> variants().stream().map(variant -> variant + BY + count))
                .toList();
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("worstGapMillis", "worst gap", "ms"),
                Metric.plain("beats", "beats", "beats"),
                Metric.plain("callsPerMicro", "calls", "M/s"),
                Metric.plain("behindMillis", "behind", "ms"));
    }

    @Override
    public List<Goal> goals(String variant) {
        return variant.startsWith(SCHEDULE_NEAR)
                ? List.of()
                : List.of(new Goal("wheel/2", "stpe/2", "worstGapMillis", 1));
    }

    @Override
    public List<String> contenders(String variant) {
        return List.of("wheel/2", "wheel", "stpe/2", "fjp/2");
    }

    @Override
    public double seconds(String variant, String contender) {
        return 9;
    }

    @Override
    public int mostJvms(String contender) {
        return contender.startsWith("wheel") ? 2 : 1;
    }

    @Override
    public boolean isOnOlderJdks() {
        return true;
    }

    @Override
    public Values measure(Trial trial) {
        try (Contender contender = trial.newContender()) {
            long delayNanos = delayNanos(trial.variant());
            int callers = callersOf(trial.variant());
            AtomicLong calls = new AtomicLong();
            Callers.Cost ignored = Callers.run(
                    contender, callers, i -> flood(contender, delayNanos, trial.millis(WARM_UP_MILLIS), calls));
            calls.set(0);
            long startNanos = System.nanoTime();
            Beat beat = new Beat(startNanos, startNanos);
            contender.repeatAtRate(beat, startNanos + BEAT_MILLIS * 1_000_000, BEAT_MILLIS * 1_000_000);
            AtomicLong beats = new AtomicLong();
            AtomicLong worstGapNanos = new AtomicLong();
            Callers.Cost cost = Callers.run(contender, callers, i -> {
                flood(contender, delayNanos, trial.millis(FLOOD_MILLIS), calls);
                beats.accumulateAndGet(beat.beats(), Math::max);
                worstGapNanos.accumulateAndGet(beat.worstGapNanos(System.nanoTime()), Math::max);
            });
            return new Values()
                    .with("worstGapMillis", worstGapNanos.get() / 1e6)
                    .with("beats", beats.get())
                    .with("callsPerMicro", 1e3 * calls.get() / cost.wallNanos())
                    .with("behindMillis", cost.behindNanos() / 1e6);
        }
    }

    private static long delayNanos(String variant) {
        return variant.startsWith(EXECUTE) ? 0 : variant.startsWith(SCHEDULE_FAR) ? FAR_NANOS : NEAR_NANOS;
    }

    private static int callersOf(String variant) {
        int by = variant.indexOf(BY);
        return by < 0 ? CALLERS : Integer.parseInt(variant.substring(by + BY.length()));
    }

    private static void flood(Contender contender, long delayNanos, long forNanos, AtomicLong calls) {
        long endNanos = System.nanoTime() + forNanos;
        long count = 0;
        do {
            for (int i = 0; i < BATCH; i++) {
                if (delayNanos == 0) {
                    contender.execute(BenchTask.NOTHING);
                } else {
                    Object ignored = contender.schedule(BenchTask.NOTHING, delayNanos);
                }
            }
            count += BATCH;
        } while (System.nanoTime() - endNanos < 0);
        calls.addAndGet(count);
    }
}
