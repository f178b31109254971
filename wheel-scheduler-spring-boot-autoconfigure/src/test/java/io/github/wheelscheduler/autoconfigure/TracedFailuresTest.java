package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ScheduledTasksObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Mono;

/** A failure is kept with the id of the trace that it belongs to. */
class TracedFailuresTest {

    private static ApplicationContextRunner untraced(Class<?> bean) {
        return withScheduling()
                .withConfiguration(AutoConfigurations.of(
                        WheelSchedulerTracingAutoConfiguration.class, WheelSchedulerObservationAutoConfiguration.class))
                .withBean(bean);
    }

    private static ApplicationContextRunner traced(Class<?> bean) {
        return untraced(bean)
                .withConfiguration(AutoConfigurations.of(
                        ObservationAutoConfiguration.class, ScheduledTasksObservationAutoConfiguration.class))
                .withBean(SimpleTracer.class)
                .withBean(DefaultTracingObservationHandler.class);
    }

    private static TaskRegistry tasksOf(ApplicationContext context) {
        return wheelOf(context).getTaskRegistry();
    }

    private static RunOutcome.LastError lastError(ApplicationContext context, String id) {
        awaitThat(() -> assertThat(tasksOf(context).get(id).failures()).isEqualTo(1));
        return tasksOf(context).lastError(id).orElseThrow();
    }

    private static RunOutcome.LastError lastError(ApplicationContext context, Class<?> bean) {
        return lastError(context, bean.getName() + ".run");
    }

    private static String traceId(ApplicationContext context) {
        List<String> failed = context.getBean(SimpleTracer.class).getSpans().stream()
                .filter(span -> span.getError() != null)
                .map(SimpleSpan::getTraceId)
                .toList();
        assertThat(failed).hasSize(1);
        return failed.get(0);
    }

    @Test
    void failureHasTheIdOfTheTraceOfItsRun() {
        traced(Failing.class).run(context -> {
            RunOutcome.LastError error = lastError(context, Failing.class);
            assertThat(error.message()).isEqualTo("on purpose");
            assertThat(error.traceId()).isNotBlank().isEqualTo(traceId(context));
        });
    }

    @Test
    void checkedExceptionHasItToo() {
        traced(FailingChecked.class).run(context -> {
            RunOutcome.LastError error = lastError(context, FailingChecked.class);
            assertThat(error.type()).isEqualTo(IOException.class.getName());
            assertThat(error.traceId()).isNotBlank().isEqualTo(traceId(context));
        });
    }

    @Test
    void reactiveRunThatFailsLaterHasItToo() {
        traced(FailingLater.class).run(context -> {
            RunOutcome.LastError error = lastError(context, FailingLater.class);
            assertThat(error.trace()).contains("later");
            assertThat(error.traceId()).isNotBlank().isEqualTo(traceId(context));
        });
    }

    @Test
    void contextOfTheLogSaysItWhereNothingIsTraced() {
        untraced(Failing.class).run(context -> {
            assertThat(lastError(context, Failing.class).traceId()).isNull();
            ScheduledFuture<?> ignored = tasksOf(context)
                    .schedule("named", TracedFailuresTest::failInContext, TaskSchedule.fixedRate(Duration.ofHours(1)));
            assertThat(lastError(context, "named").traceId()).isEqualTo("of the log");
        });
    }

    private static void failInContext() {
        // As long as the thread has nothing else to do; decorators take it away again.
        MDC.put("traceId", "of the log");
        throw new IllegalStateException("on purpose");
    }

    @Test
    void failureIsKeptWithoutTracingAndLogContext() {
        untraced(Failing.class)
                .withClassLoader(new FilteredClassLoader("io.micrometer", "org.slf4j"))
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(TracedFailures.class);
                    assertThat(lastError(context, Failing.class).message()).isEqualTo("on purpose");
                });
    }

    @Test
    void applicationsOwnSettingStays() {
        untraced(Failing.class)
                .withBean("taskScheduler", WheelTaskScheduler.class, () -> {
                    WheelTaskScheduler scheduler = new WheelTaskScheduler();
                    scheduler.setTraceIds(failure -> "of the application");
                    return scheduler;
                })
                .run(context ->
                        assertThat(lastError(context, Failing.class).traceId()).isEqualTo("of the application"));
    }

    static class Failing {

        @Scheduled(fixedRate = 3_600_000)
        void run() {
            throw new IllegalStateException("on purpose");
        }
    }

    static class FailingChecked {

        @Scheduled(fixedRate = 3_600_000)
        void run() throws IOException {
            throw new IOException("on purpose");
        }
    }

    static class FailingLater {

        @Scheduled(fixedRate = 3_600_000)
        Mono<String> run() {
            return Mono.delay(Duration.ofMillis(20)).map(tick -> {
                throw new IllegalStateException("later");
            });
        }
    }
}
