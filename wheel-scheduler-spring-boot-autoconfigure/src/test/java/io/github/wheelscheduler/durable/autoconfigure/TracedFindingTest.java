package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding;
import io.github.wheelscheduler.autoconfigure.endpoint.FindingSource;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The finding that a durable recurring task fails leads to the trace of the run that has failed. */
class TracedFindingTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    DurableAutoConfiguration.class,
                    DurableObservationAutoConfiguration.class,
                    DurableFindingsAutoConfiguration.class))
            .withUserConfiguration(Reports.class)
            .withBean(WheelRunObservation.class, TracedFindingTest::observation)
            .withPropertyValues(
                    "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                    "management.endpoints.web.exposure.include=wheelscheduler");

    static class Reports {
        @DurableHandler("report")
        void report(@Nullable String payload) {
            throw new IllegalStateException("on purpose");
        }
    }

    /** As a tracer has it: within a run, its span is current. */
    private static WheelRunObservation observation() {
        return new WheelRunObservation(
                ObservationRegistry::create,
                ObservedTasks.NAMED,
                null,
                () -> new RunOrigin(TRACE, "00f067aa0ba902b7", true, true),
                WheelRunObservation.DEFAULT_CHILD_WITHIN);
    }

    private static List<Finding> failing(RecurringTasks tasks, FindingSource source) {
        assertThat(tasks.schedule("report", "daily", TaskSchedule.fixedRate(Duration.ofHours(1)), null))
                .isEqualTo(RecurringTasks.Change.ADDED);
        await().atMost(PATIENCE)
                .until(() ->
                        tasks.list().stream().mapToInt(RecurringTask::failures).sum() > 0);
        await().atMost(PATIENCE)
                .until(() -> source.findings(Instant.now()).stream()
                        .anyMatch(finding -> finding.rule().equals("durableFailing")));
        return source.findings(Instant.now()).stream()
                .filter(finding -> finding.rule().equals("durableFailing"))
                .toList();
    }

    @Test
    void findingOfAFailureLinksToItsTrace() {
        runner.withPropertyValues("wheel.scheduler.trace-url=https://tracer.example/trace/{traceId}")
                .run(context -> assertThat(
                                failing(context.getBean(RecurringTasks.class), context.getBean(FindingSource.class)))
                        .extracting(Finding::traceUrl)
                        .containsExactly("https://tracer.example/trace/" + TRACE));
    }

    @Test
    void findingHasNoLinkWithoutTheAddress() {
        runner.run(context -> assertThat(
                        failing(context.getBean(RecurringTasks.class), context.getBean(FindingSource.class)))
                .extracting(Finding::traceUrl)
                .containsExactly((String) null));
    }
}
