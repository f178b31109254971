package io.github.wheelscheduler.benchmarks.scale;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.benchmarks.measure.Pause;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import io.github.wheelscheduler.internal.CallerStripe;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Measures the parts on this machine, with two threads at most. */
final class PartsMeasurement {

    private static final int PAIRS = 5_000_000;
    private static final int RING = 1024;
    private static final int TIMERS = 1_000_000;
    private static final int ROUNDS = 5;

    /** The cost of moving the inbox's index for a lone caller: one uncontended compare-and-set. */
    private static final double LONE_SHARED_NANOS = 5;

    private PartsMeasurement() {}

    /** Measures for about half a minute and returns the medians. */
    static Parts measure() {
        List<double[]> alone = new ArrayList<>();
        List<double[]> together = new ArrayList<>();
        List<double[]> fired = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            alone.add(pair(1));
            together.add(pair(2));
            fired.add(fire());
        }
        double aloneNanos = medianOf(alone, 0);
        double togetherNanos = medianOf(together, 0);
        // Two callers that find each other at the shared part every time take turns there.
        double shared = togetherNanos > aloneNanos + LONE_SHARED_NANOS ? togetherNanos / 2 : LONE_SHARED_NANOS;
        return new Parts(
                aloneNanos - LONE_SHARED_NANOS, shared, medianOf(alone, 1), medianOf(fired, 0), medianOf(fired, 1));
    }

    private static double medianOf(List<double[]> rounds, int index) {
        double[] values =
                rounds.stream().mapToDouble(round -> round[index]).sorted().toArray();
        return values[values.length / 2];
    }

    /**
     * Returns the time that a pair of schedule and cancel takes each of a number of callers on the same stripe of the
     * inbox, and the processor time it takes the tick thread.
     */
    private static double[] pair(int callers) {
        Queue<Thread> ticks = new ConcurrentLinkedQueue<>();
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .tickThreadFactory(task -> remember(new Thread(task, "tick"), ticks))
                .build();
        try (Stopping stopping = new Stopping(executor)) {
            CyclicBarrier start = new CyclicBarrier(callers);
            List<FutureTask<Long>> tasks = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                FutureTask<Long> task = new FutureTask<>(() -> {
                    start.await();
                    long startNanos = System.nanoTime();
                    scheduleAndCancel(stopping.executor);
                    return System.nanoTime() - startNanos;
                });
                tasks.add(task);
                threadOfFirstStripe(task).start();
            }
            long longest = 0;
            for (FutureTask<Long> task : tasks) {
                longest = Math.max(longest, task.get());
            }
            double tickNanos = cpu(ManagementFactory.getThreadMXBean(), ticks);
            return new double[] {(double) longest / PAIRS, tickNanos / PAIRS / callers};
        } catch (Exception ex) {
            throw new IllegalStateException(
                    "a thread that calls the scheduler has failed; the cause has its exception", ex);
        }
    }

    private static Thread threadOfFirstStripe(Runnable task) {
        Thread thread = new Thread(task, "caller");
        while (thread.getId() % CallerStripe.COUNT != 0) {
            thread = new Thread(task, "caller");
        }
        return thread;
    }

    private static void scheduleAndCancel(WheelScheduledExecutor executor) {
        WheelTimer<?>[] ring = new WheelTimer<?>[RING];
        for (int i = 0; i < PAIRS; i++) {
            int place = i & (RING - 1);
            if (ring[place] != null) {
                boolean ignored = ring[place].cancel(false);
            }
            ring[place] = executor.schedule(PartsMeasurement::doNothing, 1, TimeUnit.HOURS);
        }
    }

    private static void doNothing() {}

    /**
     * Returns the processor time of the tick thread and of the workers, per timer, for many that are due within a
     * second.
     */
    private static double[] fire() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Queue<Thread> ticks = new ConcurrentLinkedQueue<>();
        Queue<Thread> workers = new ConcurrentLinkedQueue<>();
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .tickThreadFactory(task -> remember(new Thread(task, "tick"), ticks))
                .threadFactory(task -> remember(new Thread(task, "worker"), workers))
                .build();
        try (Stopping stopping = new Stopping(executor)) {
            Xorshift random = new Xorshift(1);
            long leadNanos = TimeUnit.MILLISECONDS.toNanos(700);
            long startNanos = System.nanoTime() + leadNanos;
            for (int i = 0; i < TIMERS; i++) {
                long deadline = startNanos + random.below(1_000_000_000);
                WheelTimer<?> ignored = executor.schedule(
                        PartsMeasurement::doNothing, deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            while (stopping.executor.pendingCount() > 0) {
                Pause.nanos(1_000_000);
            }
            return new double[] {cpu(threads, ticks) / TIMERS, cpu(threads, workers) / TIMERS};
        }
    }

    private static Thread remember(Thread thread, Queue<Thread> threads) {
        threads.add(thread);
        return thread;
    }

    private static double cpu(ThreadMXBean bean, Queue<Thread> threads) {
        return threads.stream()
                .mapToDouble(thread -> Math.max(0, bean.getThreadCpuTime(thread.getId())))
                .sum();
    }

    /** Stops without waiting for what is pending. */
    private record Stopping(WheelScheduledExecutor executor) implements AutoCloseable {
        @Override
        public void close() {
            List<Runnable> ignored = executor.shutdownNow();
        }
    }
}
