package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Limits of the log go by real time, and the end of a verb sums up. */
@ExtendWith(OutputCaptureExtension.class)
class LogInVirtualTimeTest {

    private final VirtualTime time = VirtualTime.create();
    private final WheelTaskScheduler scheduler = time.newScheduler();

    @AfterEach
    void close() {
        time.close();
    }

    private static void fail() {
        throw new IllegalStateException("meant");
    }

    @Test
    void twoWeeksOfAFailingTaskAreOneFailureAndASum(CapturedOutput output) {
        ScheduledFuture<?> ignored = scheduler
                .getTaskRegistry()
                .schedule("failing", LogInVirtualTimeTest::fail, TaskSchedule.fixedRate(Duration.ofMinutes(5)));
        time.advanceBy(Duration.ofDays(14));
        assertThat(output).containsOnlyOnce("IllegalStateException: meant");
        assertThat(output.toString().lines().filter(line -> line.contains("task failing") && line.contains("ERROR")))
                .hasSize(2)
                .last()
                .asString()
                .endsWith("Scheduled task failing has failed 4033 times in a row");
        time.advanceBy(Duration.ofDays(1));
        assertThat(output).contains("Scheduled task failing has failed 4321 times in a row");
    }

    @Test
    void failingOneTimeTasksAreSummedUpAtTheEndOfTheVerb(CapturedOutput output) {
        for (int hour = 0; hour < 100; hour++) {
            ScheduledFuture<?> ignored =
                    scheduler.schedule(LogInVirtualTimeTest::fail, time.now().plus(Duration.ofHours(hour)));
        }
        time.advanceBy(Duration.ofDays(14));
        assertThat(output)
                .containsOnlyOnce("IllegalStateException: meant")
                .contains("One-time tasks have failed 99 more times");
    }
}
