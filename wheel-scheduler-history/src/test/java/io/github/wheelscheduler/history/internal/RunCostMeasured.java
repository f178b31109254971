package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.task.TaskRejectedException;

/**
 * The processor time and bytes of a run in memory, with a history and without, in turns: as figures E and M of the
 * benchmarks.
 * Each task has its first row; other runs are counted, as those of tasks that run often are. Only the profile {@code
 * history} runs it.
 */
class RunCostMeasured {

    private static final int ROUNDS = Integer.getInteger("measured.rounds", 7);
    private static final double LIMIT_NANOS = 150;
    private static final int BUFFER = 10_000;

    /** The runs that are measured. */
    enum Load {
        /** As E: tasks with a fixed rate, at random phases. */
        REPEATING {
            @Override
            void begin(WheelTaskScheduler scheduler, LongAdder runs) {
                Duration period = Duration.ofMillis(100);
                Instant start = Instant.now();
                for (int i = 0; i < TASKS; i++) {
                    Instant first = start.plusNanos(ThreadLocalRandom.current().nextLong(period.toNanos()));
                    Object ignored = scheduler.scheduleAtFixedRate(runs::increment, first, period);
                }
            }
        },
        /** As M: chains of one-time tasks that execute themselves. */
        CHAINS {
            @Override
            void begin(WheelTaskScheduler scheduler, LongAdder runs) {
                for (int i = 0; i < CHAINS_BESIDE; i++) {
                    scheduler.execute(new Link(scheduler, runs));
                }
            }
        };

        private static final int TASKS = 10_000;
        private static final int CHAINS_BESIDE = 10;

        abstract void begin(WheelTaskScheduler scheduler, LongAdder runs);
    }

    private record Link(WheelTaskScheduler scheduler, LongAdder runs) implements Runnable {

        @Override
        public void run() {
            runs.increment();
            try {
                scheduler.execute(this);
            } catch (TaskRejectedException ex) {
                // It is closing.
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void historyCostsARunLittle(Load load) {
        List<Cost> costs = new ArrayList<>();
        List<Cost> notedCosts = new ArrayList<>();
        for (int round = -1; round < ROUNDS; round++) {
            Cost bare = costOfARun(load, false);
            Cost noted = costOfARun(load, true);
            // The first round compiles.
            if (round >= 0) {
                costs.add(bare);
                notedCosts.add(noted);
            }
        }
        List<Double> without = costs.stream().map(Cost::nanos).toList();
        List<Double> with = notedCosts.stream().map(Cost::nanos).toList();
        double more = median(with) - median(without);
        System.out.printf(
                Locale.ROOT,
                "> history: a run, %s: %.0f ns without, %.0f ns with a history, %.0f ns more, allowed %.0f ns"
                        + " (spread %.0f without, %.0f with); %.1f bytes without, %.1f with%n",
                load.name().toLowerCase(Locale.ROOT),
                median(without),
                median(with),
                more,
                LIMIT_NANOS,
                Collections.max(without) - Collections.min(without),
                Collections.max(with) - Collections.min(with),
                median(costs.stream().map(Cost::bytes).toList()),
                median(notedCosts.stream().map(Cost::bytes).toList()));
        assertThat(more).isLessThanOrEqualTo(LIMIT_NANOS);
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    /** The processor time and the memory of a run. */
    private record Cost(double nanos, double bytes) {}

    private static Cost costOfARun(Load load, boolean hasHistory) {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.initialize();
        try (HikariDataSource pool = HistoryDatabase.H2.newDataSource();
                HistoryEngine history = new HistoryEngine(
                        HistoryBench.settings("a", 1, BUFFER), scheduler.getWheelScheduledExecutor(), pool)) {
            if (hasHistory) {
                history.start();
                scheduler.getTaskRegistry().addListener(history.listener("main"));
                scheduler.getTaskRegistry().addOneTimeRunListener(history.oneTimeListener("main"));
            }
            LongAdder runs = new LongAdder();
            load.begin(scheduler, runs);
            pass(Duration.ofSeconds(2));
            // The first rows, which are written by this process.
            while (history.counts().buffered() > 0) {
                pass(Duration.ofMillis(100));
            }
            long runsBefore = runs.sum();
            long cpuBefore = processorNanos();
            long bytesBefore = AllocatedBytes.ofAllThreads();
            pass(Duration.ofSeconds(3));
            double nanos = processorNanos() - cpuBefore;
            double bytes = AllocatedBytes.ofAllThreads() - bytesBefore;
            long counted = runs.sum() - runsBefore;
            scheduler.shutdown();
            return new Cost(nanos / counted, bytes / counted);
        }
    }

    private static long processorNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static void pass(Duration time) {
        long endNanos = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = endNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
