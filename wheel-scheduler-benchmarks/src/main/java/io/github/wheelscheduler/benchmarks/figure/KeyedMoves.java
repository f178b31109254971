package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.keyed.Entry;
import io.github.wheelscheduler.benchmarks.keyed.Keyed;
import io.github.wheelscheduler.benchmarks.measure.Cpu;
import io.github.wheelscheduler.benchmarks.measure.Pause;
import io.github.wheelscheduler.benchmarks.measure.Percentiles;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** P: keyed timers that are moved at random, as those of connections and sessions are. */
final class KeyedMoves implements Figure {

    private static final int KEYS = 1_000_000;
    private static final int MOVES_PER_MILLI = 200;
    private static final long MOVING_MILLIS = 30_000;
    private static final long SHORTEST_MILLIS = 5_000;
    private static final long LONGEST_MILLIS = 15_000;
    private static final long PATIENCE_MILLIS = 30_000;
    private static final int MOST_EXPIRIES = 4 * KEYS;

    @Override
    public String name() {
        return "P";
    }

    @Override
    public String title() {
        return "1M keyed timers, 200,000 random moves a second";
    }

    @Override
    public String method() {
        return "Each is due in 5 to 15 s. For 30 s a thread puts random ones off to 5 to 15 s from then, 200 in each "
                + "millisecond; what has expired before is set again. Then the rest expires. Each expiry is checked. "
                + "CPU is that of the 30 s, with the thread that moves and the collector, of which there are two, one "
                + "in each table.";
    }

    /**
     * By collector: the pauses of G1 take more than a hundredth of the time, which is what is seen at the 99th
     * percentile then.
     */
    @Override
    public List<String> variants() {
        return List.of("G1", "ZGC");
    }

    @Override
    public List<String> jvmOptions(String variant) {
        return List.of("-XX:+Use" + (variant.equals("G1") ? "G1GC" : variant));
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("cpuMillis", "CPU, per second", "ms"),
                Metric.compared("p50Millis", "late p50", "ms"),
                Metric.compared("p99Millis", "late p99", "ms"),
                Metric.plain("maxMillis", "late at most", "ms"),
                Metric.plain("kiloMoves", "moves, per second", "k"),
                Metric.plain("kiloExpiries", "expired", "k"),
                Metric.plain("early", "early", ""),
                Metric.plain("lost", "lost", ""),
                Metric.plain("twice", "twice", ""));
    }

    @Override
    public List<Goal> goals(String variant) {
        return List.of(
                new Goal("wheel-keyed", "hwt+map", "cpuMillis", 1),
                new Goal("wheel-keyed", "caffeine", "cpuMillis", 1));
    }

    @Override
    public List<String> contenders(String variant) {
        return List.of("wheel-keyed", "hwt+map", "caffeine");
    }

    @Override
    public double seconds(String variant, String contender) {
        return 50;
    }

    @Override
    public int mostJvms(String contender) {
        return 1;
    }

    @Override
    public Values measure(Trial trial) {
        return new Run(trial).play();
    }

    private static final class Run {

        private final Trial trial;
        private final Xorshift random;
        private final Entry[] entries;
        private final long[] latenesses;
        private final AtomicInteger expired = new AtomicInteger();
        private final AtomicLong twice = new AtomicLong();
        private final AtomicLong onTimerThread = new AtomicLong();
        private final Keyed keyed;

        /** Only the thread that moves uses it. */
        private long sets;

        Run(Trial trial) {
            this.trial = trial;
            this.random = new Xorshift(trial.seed());
            this.entries = new Entry[trial.count(KEYS)];
            this.latenesses = new long[MOST_EXPIRIES];
            this.keyed = Keyed.create(trial.contender(), this::expire);
        }

        private void expire(Entry entry) {
            long lateNanos = System.nanoTime() - entry.deadlineNanos();
            if (entry.incrementAndGet() > 1) {
                twice.incrementAndGet();
                return;
            }
            if (Thread.currentThread() == keyed.timerThread()) {
                onTimerThread.incrementAndGet();
            }
            int place = expired.getAndIncrement();
            if (place < latenesses.length) {
                latenesses[place] = lateNanos;
            }
        }

        Values play() {
            try (keyed) {
                for (int i = 0; i < entries.length; i++) {
                    set(i);
                }
                long cpuBefore = Cpu.processNanos();
                long startNanos = System.nanoTime();
                long moves = moveFor(startNanos, trial.millis(MOVING_MILLIS));
                double seconds = (System.nanoTime() - startNanos) / 1e9;
                double cpuMillis = (Cpu.processNanos() - cpuBefore) / 1e6;
                awaitTheRest();
                Percentiles lateness =
                        new Percentiles(Arrays.copyOf(latenesses, Math.min(latenesses.length, expired.get())));
                long lost = sets - expired.get();
                Promises.check(trial, lateness.negative(), onTimerThread.get());
                if (trial.isOurs() && (lost != 0 || twice.get() != 0)) {
                    throw new IllegalStateException(
                            "each must expire once, " + lost + " did not, " + twice + " did twice");
                }
                return new Values()
                        .with("cpuMillis", cpuMillis / seconds)
                        .with("p50Millis", lateness.at(50) / 1e6)
                        .with("p99Millis", lateness.at(99) / 1e6)
                        .with("maxMillis", lateness.max() / 1e6)
                        .with("kiloMoves", moves / seconds / 1e3)
                        .with("kiloExpiries", expired.get() / 1e3)
                        .with("early", lateness.negative())
                        .with("lost", lost)
                        .with("twice", twice.get());
            }
        }

        private long delayNanos() {
            return random.between(trial.millis(SHORTEST_MILLIS), trial.millis(LONGEST_MILLIS));
        }

        private void set(int index) {
            long delayNanos = delayNanos();
            Entry entry = new Entry(index, System.nanoTime() + delayNanos);
            entries[index] = entry;
            sets++;
            keyed.set(entry, delayNanos);
        }

        private long moveFor(long startNanos, long forNanos) {
            long moves = 0;
            for (long atNanos = 0; atNanos < forNanos; atNanos += 1_000_000) {
                while (System.nanoTime() - startNanos < atNanos) {
                    LockSupport.parkNanos(startNanos + atNanos - System.nanoTime());
                }
                for (int i = 0; i < MOVES_PER_MILLI; i++) {
                    move(random.below(entries.length));
                }
                moves += MOVES_PER_MILLI;
            }
            return moves;
        }

        private void move(int index) {
            Entry entry = entries[index];
            long delayNanos = delayNanos();
            long deadlineNanos = System.nanoTime() + delayNanos;
            if (keyed.move(entry, delayNanos)) {
                entry.setDeadlineNanos(deadlineNanos);
            } else {
                set(index);
            }
        }

        private void awaitTheRest() {
            long giveUpNanos = System.nanoTime() + trial.millis(LONGEST_MILLIS) + 1_000_000 * PATIENCE_MILLIS;
            while (expired.get() < sets && System.nanoTime() - giveUpNanos < 0) {
                Pause.nanos(5_000_000);
            }
        }
    }
}
