package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

/** Applications under each {@code wheel.scheduler.mode}. */
@ExtendWith(OutputCaptureExtension.class)
class ModeTest {

    private static final String MODE = "wheel.scheduler.mode=";

    static class Task {

        final AtomicInteger runs = new AtomicInteger();

        @Scheduled(fixedRate = 1)
        void run() {
            runs.incrementAndGet();
        }
    }

    @Test
    void haltedSchedulerRunsSubmittedTasksAndTheRestLater(CapturedOutput output) {
        withScheduling()
                .withBean(Task.class)
                .withPropertyValues(MODE + "halted")
                .run(context -> {
                    WheelTaskScheduler scheduler = context.getBean(WheelTaskScheduler.class);
                    Task task = context.getBean(Task.class);
                    assertThat(scheduler.submit(() -> "ran").get(30, TimeUnit.SECONDS))
                            .isEqualTo("ran");
                    assertThat(task.runs).hasValue(0);
                    assertThat(scheduler.isRunning())
                            .as("the lifecycle knows nothing of it")
                            .isTrue();
                    assertThat(output).containsOnlyOnce("is halted: scheduled tasks wait until its mode changes");
                    Health health = new WheelSchedulerHealthIndicator(scheduler, new WheelSchedulerProperties.Health())
                            .health();
                    assertThat(health).isNotNull();
                    assertThat(health.getStatus()).isEqualTo(Status.UP);
                    assertThat(health.getDetails())
                            .containsEntry("mode", "HALTED")
                            .containsEntry("overdue", 0);
                    scheduler.setMode(SchedulerMode.RUN);
                    await().untilAsserted(() -> assertThat(task.runs).hasValueGreaterThan(2));
                });
    }

    @Test
    void disabledSchedulerAcceptsTasksAndSaysSoOnce(CapturedOutput output) {
        withScheduling().withBean(Task.class).withPropertyValues(MODE + "off").run(context -> {
            WheelTaskScheduler scheduler = context.getBean(WheelTaskScheduler.class);
            ScheduledFuture<?> never = scheduler.scheduleWithFixedDelay(() -> {}, Duration.ofMillis(1));
            assertThat(scheduler.submit(() -> "ran").get(30, TimeUnit.SECONDS)).isEqualTo("ran");
            assertThat(context.getBean(Task.class).runs).hasValue(0);
            assertThat(scheduler.getWheelScheduledExecutor().pendingCount()).isZero();
            assertThat(never.isDone()).isFalse();
            assertThat(never.cancel(false)).isTrue();
            assertThat(output).containsOnlyOnce("is off: scheduled tasks are accepted but never run");
        });
    }

    @Test
    void modeThatDoesNotExistStopsTheStart() {
        withScheduling()
                .withPropertyValues(MODE + "sometimes")
                .run(context ->
                        assertThat(context).hasFailed().getFailure().hasStackTraceContaining("wheel.scheduler.mode"));
    }

    @Test
    void propertyThatBootDoesNotHaveIsNamedWithTheOneToSet(CapturedOutput output) {
        withScheduling()
                .withPropertyValues("spring.task.scheduling.enabled=false")
                .run(context -> assertThat(output)
                        .containsOnlyOnce("spring.task.scheduling.enabled has no effect")
                        .contains("wheel.scheduler.mode=off"));
        withScheduling().run(context -> assertThat(output).containsOnlyOnce("has no effect"));
    }
}
