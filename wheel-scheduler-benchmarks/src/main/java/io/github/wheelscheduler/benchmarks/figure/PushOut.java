package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.BenchTask;
import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Callers;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** I: the life of a lease that is renewed. */
final class PushOut implements Figure {

    private static final int PENDING = 100_000;
    private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(400);

    @Override
    public String name() {
        return "I";
    }

    @Override
    public String title() {
        return "Push a random one of 100k deadlines out";
    }

    @Override
    public String method() {
        return "As a keep-alive does: to 400 s from now, which is later than before. Ours moves the timer; the others "
                + "cancel it and schedule another. Two threads have half of the timers each.";
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
                Metric.plain("megaOps", "throughput", "M/s"),
                Metric.compared("callerNanos", "caller, per move", "ns"),
                Metric.compared("cpuNanos", "CPU, per move", "ns"),
                Metric.plain("behindMillis", "behind", "ms"));
    }

    @Override
    public List<String> contenders(String variant) {
        return List.of("wheel", "stpe", "fjp", "tpts", "sats", "hwt", "kafka", "agrona");
    }

    @Override
    public double seconds(String variant, String contender) {
        return 2.4;
    }

    @Override
    public Values measure(Trial trial) {
        int threads = Arming.threadsOf(trial.variant());
        try (Contender contender = trial.newContender()) {
            Xorshift random = new Xorshift(trial.seed());
            Object[] handles = Arming.forMinutes(contender, trial.count(PENDING), random);
            Share[] shares = new Share[threads];
            int size = handles.length / threads;
            for (int i = 0; i < threads; i++) {
                Object[] some = Arrays.copyOfRange(handles, i * size, (i + 1) * size);
                shares[i] = new Share(contender, some, new Xorshift(trial.seed() + i));
            }
            Callers.Cost ignored = Callers.run(contender, threads, i -> shares[i].move(trial.millis(800)));
            Callers.Cost cost = Callers.run(contender, threads, i -> shares[i].move(trial.millis(1_500)));
            long moves = 0;
            for (Share share : shares) {
                moves += share.moves;
            }
            return new Values()
                    .with("megaOps", moves * 1e3 / cost.wallNanos())
                    .with("callerNanos", (double) threads * cost.wallNanos() / moves)
                    .with("cpuNanos", (double) cost.cpuNanos() / moves)
                    .with("behindMillis", cost.behindNanos() / 1e6);
        }
    }

    /** The timers of one caller. */
    private static final class Share {

        private static final int BATCH = 512;

        private final Contender contender;
        private final Object[] handles;
        private final Xorshift random;

        /** Writer: the caller, once per measurement. Reader: the thread that waited for the caller. */
        private long moves;

        Share(Contender contender, Object[] handles, Xorshift random) {
            this.contender = contender;
            this.handles = handles;
            this.random = random;
        }

        void move(long forNanos) {
            long endNanos = System.nanoTime() + forNanos;
            long batches = 0;
            do {
                moveSome();
                batches++;
            } while (System.nanoTime() - endNanos < 0);
            moves = batches * BATCH;
        }

        private void moveSome() {
            for (int i = 0; i < BATCH; i++) {
                int index = random.below(handles.length);
                handles[index] = contender.move(handles[index], BenchTask.NOTHING, DELAY_NANOS);
            }
        }
    }
}
