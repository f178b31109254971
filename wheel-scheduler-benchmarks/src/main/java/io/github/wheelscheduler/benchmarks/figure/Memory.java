package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Heap;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.List;

/** G: what a pending timer takes, and what a cancelled one leaves. */
final class Memory implements Figure {

    private static final int TIMERS = 1_000_000;
    private static final int CANCELLED_AT_A_TIME = 1_000;

    @Override
    public String name() {
        return "G";
    }

    @Override
    public String title() {
        return "Memory of 1M pending timers, and of 1M cancelled ones";
    }

    @Override
    public String method() {
        return "Heap in use after collecting garbage. All timers share one task, and nobody holds their futures. The "
                + "cancelled ones were due in hours, too; what they leave is looked at for up to 3 s.";
    }

    @Override
    public List<String> variants() {
        return List.of("1M");
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("pendingBytes", "per pending timer", "B"),
                Metric.plain("leftBytes", "left by each cancelled one", "B"));
    }

    @Override
    public List<String> contenders(String variant) {
        return List.of("wheel", "wheel-spring", "stpe", "fjp", "tpts", "sats", "hwt", "kafka", "agrona");
    }

    @Override
    public double seconds(String variant, String contender) {
        return contender.equals("sats") ? 6 : 3;
    }

    @Override
    public Values measure(Trial trial) {
        try (Contender contender = trial.newContender()) {
            int count = trial.count(TIMERS);
            long unusedNanos = contender.absorb();
            long beforeBytes = Heap.usedBytes();
            Arming.forHours(contender, count, trial.seed());
            long pendingBytes = Heap.usedBytes() - beforeBytes;
            scheduleAndCancel(contender, count, new Xorshift(trial.seed()));
            long negligibleBytes = count / 2;
            long leftBytes = Heap.usedBytesWithin(trial.millis(3_000), beforeBytes + pendingBytes + negligibleBytes)
                    - beforeBytes
                    - pendingBytes;
            return new Values()
                    .with("pendingBytes", (double) pendingBytes / count)
                    .with("leftBytes", (double) leftBytes / count);
        }
    }

    private static void scheduleAndCancel(Contender contender, int count, Xorshift random) {
        Object[] handles = new Object[CANCELLED_AT_A_TIME];
        for (int done = 0; done < count; done += CANCELLED_AT_A_TIME) {
            for (int i = 0; i < CANCELLED_AT_A_TIME; i++) {
                handles[i] =
                        contender.schedule(BenchTask.NOTHING, random.between(Arming.HOUR_NANOS, 2 * Arming.HOUR_NANOS));
            }
            for (Object handle : handles) {
                contender.cancel(handle);
            }
        }
        long ignored = contender.absorb();
    }
}
