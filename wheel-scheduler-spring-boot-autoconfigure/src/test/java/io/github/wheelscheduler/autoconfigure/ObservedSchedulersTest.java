package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTask;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ScheduledTasksObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;

/** {@code wheel.scheduler.observe} says which runs have a span of their own. */
class ObservedSchedulersTest {

    private static ApplicationContextRunner traced(String... properties) {
        return withScheduling()
                .withConfiguration(AutoConfigurations.of(
                        WheelRunObservationAutoConfiguration.class,
                        WheelSchedulerTracingAutoConfiguration.class,
                        ObservationAutoConfiguration.class,
                        ScheduledTasksObservationAutoConfiguration.class))
                .withBean(SimpleTracer.class)
                .withBean(DefaultTracingObservationHandler.class)
                .withBean(Annotated.class)
                .withPropertyValues(properties);
    }

    static final class Annotated {

        @Scheduled(initialDelay = 1)
        void run() {}
    }

    /** Runs an annotated method, a task with a name and one without, and returns the names of the spans. */
    private static List<String> spans(ApplicationContext context) {
        WheelTaskScheduler scheduler = wheelOf(context);
        List<String> ran = new CopyOnWriteArrayList<>();
        List<ScheduledFuture<?>> ignored = List.of(
                scheduler
                        .getTaskRegistry()
                        .schedule("billing", () -> ran.add("billing"), TaskSchedule.once(Instant.EPOCH)),
                scheduler.schedule(() -> ran.add("timer"), Instant.now()));
        awaitThat(() -> assertThat(ran).hasSize(2));
        awaitThat(() -> assertThat(named(context)).contains("task annotated.run"));
        awaitThat(() -> assertThat(scheduler.getActiveCount()).isZero());
        scheduler.shutdown();
        return named(context);
    }

    /**
     * Returns the names of the spans that have ended, but those of the heartbeat that each of these applications has.
     */
    private static List<String> named(ApplicationContext context) {
        return List.copyOf(context.getBean(SimpleTracer.class).getSpans()).stream()
                .map(SimpleSpan::getName)
                .filter(name -> name != null && !name.contains("heartbeat"))
                .sorted()
                .toList();
    }

    @Test
    void annotatedMethodsAloneHaveSpansByDefault() {
        traced().run(context -> {
            assertThat(spans(context)).containsExactly("task annotated.run");
            assertThat(context).doesNotHaveBean(ObservedSchedulers.class);
        });
    }

    @Test
    void namedTasksHaveSpansIfAskedFor() {
        traced("wheel.scheduler.observe=named")
                .run(context -> assertThat(spans(context)).containsExactly("run billing", "task annotated.run"));
    }

    @Test
    void allTasksHaveOneSpanEach() {
        traced("wheel.scheduler.observe=all")
                .run(context ->
                        assertThat(spans(context)).containsExactly("run billing", "run task", "task annotated.run"));
    }

    @Test
    void singleTaskIsObservedIfItsSettingsSaySo() {
        traced("wheel.scheduler.observe=annotated", "wheel.scheduler.tasks.billing.observe=true")
                .run(context -> assertThat(spans(context)).containsExactly("run billing", "task annotated.run"));
    }

    @Test
    void singleTaskIsLeftOutIfItsSettingsSaySo() {
        traced("wheel.scheduler.observe=all", "wheel.scheduler.tasks.billing.observe=false")
                .run(context -> assertThat(spans(context)).containsExactly("run task", "task annotated.run"));
    }

    static final class LeftOut {

        private final CountDownLatch hasRun = new CountDownLatch(1);

        @Scheduled(initialDelay = 0)
        @WheelTask(observe = "false")
        void run() {
            hasRun.countDown();
        }
    }

    @Test
    void annotatedMethodIsLeftOutIfItsSettingsSaySo() {
        traced("wheel.scheduler.observe=annotated").withBean(LeftOut.class).run(context -> {
            assertThat(context.getBean(LeftOut.class).hasRun.await(30, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(spans(context)).containsExactly("task annotated.run");
        });
    }

    @Test
    void runsOfAGroupAreObserved() {
        traced("wheel.scheduler.observe=all", "wheel.scheduler.groups.partner.max-size=1")
                .run(context -> {
                    WheelTaskScheduler group = context.getBean("partner", WheelTaskScheduler.class);
                    ScheduledFuture<?> ignored = group.schedule(() -> {}, Instant.now());
                    awaitThat(() -> assertThat(named(context)).contains("run task"));
                    SimpleSpan run = context.getBean(SimpleTracer.class).getSpans().stream()
                            .filter(span -> "run task".equals(span.getName()))
                            .findFirst()
                            .orElseThrow();
                    assertThat(run.getTags()).containsEntry("scheduler", "partner");
                });
    }

    @Test
    void spansAreRoots() {
        traced("wheel.scheduler.observe=all").run(context -> {
            SimpleTracer tracer = context.getBean(SimpleTracer.class);
            ObservationRegistry registry = context.getBean(ObservationRegistry.class);
            Observation.start("request", registry).scoped(() -> wheelOf(context).schedule(() -> {}, Instant.now()));
            awaitThat(() -> assertThat(named(context)).contains("run task"));
            SimpleSpan run = tracer.getSpans().stream()
                    .filter(span -> "run task".equals(span.getName()))
                    .findFirst()
                    .orElseThrow();
            assertThat(run.context().parentId()).isNullOrEmpty();
        });
    }

    @Test
    void unknownValueStopsTheStart() {
        traced("wheel.scheduler.observe=everything")
                .run(context ->
                        assertThat(context).hasFailed().getFailure().rootCause().hasMessageContaining("everything"));
    }

    @Test
    void absentMicrometerChangesNothing() {
        withScheduling()
                .withConfiguration(AutoConfigurations.of(WheelRunObservationAutoConfiguration.class))
                .withPropertyValues("wheel.scheduler.observe=all")
                .withClassLoader(new FilteredClassLoader(ObservationRegistry.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ObservedSchedulers.class));
    }

    @Test
    void absentRegistryObservesNothing() {
        withScheduling()
                .withConfiguration(AutoConfigurations.of(WheelRunObservationAutoConfiguration.class))
                .withPropertyValues("wheel.scheduler.observe=all")
                .run(context -> {
                    List<String> ran = new CopyOnWriteArrayList<>();
                    ScheduledFuture<?> ignored = wheelOf(context).schedule(() -> ran.add("timer"), Instant.now());
                    awaitThat(() -> assertThat(ran).hasSize(1));
                    assertThat(wheelOf(context).getFailedRuns()).isZero();
                });
    }
}
