package io.github.wheelscheduler.spring.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runs of single tasks that take longer than their settings allow. */
class TimeLimitTest {

    private static final TaskSettings SHORT =
            TaskSettings.builder().timeLimit(Duration.ofMillis(50)).build();

    private final CountDownLatch never = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();

    @AfterEach
    void shutdown() {
        never.countDown();
        scheduler.shutdown();
    }

    private void waitForEver() {
        try {
            never.await();
        } catch (InterruptedException ex) {
            interrupted.countDown();
        }
    }

    private void schedule(String id, Runnable task, TaskSettings settings) {
        ScheduledFuture<?> ignored =
                scheduler.getTaskRegistry().schedule(id, task, TaskSchedule.once(Instant.now()), settings);
    }

    @Test
    void runBeyondItsTimeLimitIsInterruptedAndOthersAreNot() throws Exception {
        // A name of its own: the watch of another test's scheduler may still have something to say.
        scheduler.setThreadNamePrefix("limited-");
        try (LogCapture log = LogCapture.of(WheelTaskScheduler.class)) {
            scheduler.initialize();
            CountDownLatch other = new CountDownLatch(1);
            schedule(
                    "patient",
                    () -> {
                        try {
                            assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
                            other.countDown();
                        } catch (InterruptedException ex) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    TaskSettings.NONE);
            schedule("short", this::waitForEver, SHORT);
            assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(other.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(log.said("Scheduler limited-: A run of short has been interrupted after"))
                    .hasSizeLessThanOrEqualTo(1);
        }
    }

    @Test
    void limitThatIsShorterThanTheNextLookIsKeptAllTheSame() throws Exception {
        scheduler.setWarningLimits(
                new WarningLimits(Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(4), null));
        scheduler.initialize();
        schedule("long", this::waitForEver, TaskSettings.NONE);
        CountDownLatch shortOne = new CountDownLatch(1);
        schedule(
                "short",
                () -> {
                    try {
                        never.await();
                    } catch (InterruptedException ex) {
                        shortOne.countDown();
                    }
                },
                SHORT);
        // The watch would look again in an hour.
        assertThat(shortOne.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(interrupted.getCount()).isEqualTo(1);
    }
}
