package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTask;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;

/** The start tolerance where it can be set: for the scheduler, a group and a task. */
class StartToleranceSettingTest {

    static class Jobs {

        @WheelTask(id = "poll", startTolerance = "${poll.tolerance:250ms}")
        @Scheduled(fixedRate = 3_600_000)
        void poll() {}
    }

    private static Duration ofExecutor(ApplicationContext context, String name) {
        return context.getBean(name, WheelTaskScheduler.class)
                .getWheelScheduledExecutor()
                .startTolerance();
    }

    private static Duration ofTask(ApplicationContext context) {
        return wheelOf(context).getTaskRegistry().get("poll").settings().startTolerance();
    }

    @Test
    void nothingIsToleratedUnlessItIsSet() {
        withScheduling()
                .withPropertyValues("wheel.scheduler.groups.reports.max-size=1")
                .run(context -> {
                    assertThat(ofExecutor(context, "taskScheduler")).isZero();
                    assertThat(ofExecutor(context, "reports")).isZero();
                });
    }

    @Test
    void groupToleratesAsTheSchedulerUnlessItIsSet() {
        withScheduling()
                .withPropertyValues(
                        "wheel.scheduler.start-tolerance=2ms",
                        "wheel.scheduler.groups.reports.max-size=1",
                        "wheel.scheduler.groups.mails.start-tolerance=1s",
                        "wheel.scheduler.groups.exact.start-tolerance=0")
                .run(context -> {
                    assertThat(ofExecutor(context, "taskScheduler")).isEqualTo(Duration.ofMillis(2));
                    assertThat(ofExecutor(context, "reports")).isEqualTo(Duration.ofMillis(2));
                    assertThat(ofExecutor(context, "mails")).isEqualTo(Duration.ofSeconds(1));
                    assertThat(ofExecutor(context, "exact")).isZero();
                });
    }

    @Test
    void taskHasThatOfItsAnnotationOrItsProperty() {
        withScheduling()
                .withBean(Jobs.class)
                .run(context -> assertThat(ofTask(context)).isEqualTo(Duration.ofMillis(250)));
        withScheduling()
                .withBean(Jobs.class)
                .withPropertyValues("wheel.scheduler.tasks.poll.start-tolerance=2s")
                .run(context -> assertThat(ofTask(context)).isEqualTo(Duration.ofSeconds(2)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            wheel.scheduler.tasks.poll.start-tolerance | -1s  | must not be negative
            wheel.scheduler.tasks.poll.start-tolerance | soon | is not a valid duration
            wheel.scheduler.groups.a.start-tolerance   | -1ns | must not be negative
            wheel.scheduler.groups.a.start-tolerance   | soon | is not a valid duration
            wheel.scheduler.start-tolerance            | -1s  | must not be negative
            wheel.scheduler.start-tolerance            | soon | is not a valid duration
            poll.tolerance                             | -1s  | start-tolerance must not be negative
            poll.tolerance                             | soon | startTolerance must be a duration such as 10s, was soon
            """)
    void unusableToleranceStopsTheStart(String property, String value, String text) {
        withScheduling()
                .withBean(Jobs.class)
                .withPropertyValues(property + "=" + value)
                .run(context -> assertThat(context)
                        .getFailure()
                        .extracting(StartToleranceSettingTest::textOf)
                        .asString()
                        .contains(text));
    }

    private static String textOf(Throwable failure) {
        StringBuilder text = new StringBuilder();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            text.append(each.getMessage()).append('\n');
        }
        return text.toString();
    }
}
