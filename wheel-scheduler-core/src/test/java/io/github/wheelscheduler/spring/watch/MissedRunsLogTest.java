package io.github.wheelscheduler.spring.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MissedRunsLogTest {

    private static final Duration PERIOD = Duration.ofMillis(1);
    private static final int RUNS = 20;

    /** Each run takes longer than two periods, so each is followed by one that is missed. */
    private static void takeTwoPeriods() {
        long startNanos = System.nanoTime();
        while (System.nanoTime() - startNanos < 2 * PERIOD.toNanos() + 1) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aStreakOfMissedRunsIsLoggedOnceAndCountedToTheEnd() throws Exception {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        try (LogCapture log = LogCapture.of(WheelTaskScheduler.class)) {
            scheduler.initialize();
            AtomicLong told = new AtomicLong();
            scheduler.getTaskRegistry().addListener(new TaskListener() {
                @Override
                public void missed(String id, long runs) {
                    told.addAndGet(runs);
                }
            });
            CountDownLatch runs = new CountDownLatch(RUNS);
            ScheduledFuture<?> future = scheduler
                    .getTaskRegistry()
                    .schedule(
                            "slow",
                            () -> {
                                takeTwoPeriods();
                                runs.countDown();
                            },
                            TaskSchedule.fixedRate(PERIOD),
                            TaskSettings.builder().missedRuns(MissedRuns.LATEST).build());
            assertThat(runs.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(log.said("Task slow has missed")).hasSize(1);
            assertThat(scheduler.getTaskRegistry().get("slow").missed()).isGreaterThanOrEqualTo(RUNS - 2);
            assertThat(told.get()).isGreaterThanOrEqualTo(RUNS - 2);
            assertThat(future.cancel(false)).isTrue();
        } finally {
            scheduler.shutdown();
        }
    }
}
