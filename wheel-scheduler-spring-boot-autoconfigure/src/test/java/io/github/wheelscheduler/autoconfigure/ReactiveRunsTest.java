package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.metrics.MeterNames;
import io.github.wheelscheduler.spring.WheelTask;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ScheduledTasksObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;

/** A run of a reactive method is over when its publisher is, where Spring observes that. */
class ReactiveRunsTest {

    private static final AutoConfigurations METRICS = AutoConfigurations.of(
            WheelSchedulerMetricsAutoConfiguration.class,
            CompositeMeterRegistryAutoConfiguration.class,
            MetricsAutoConfiguration.class,
            SimpleMetricsExportAutoConfiguration.class);

    private static final AutoConfigurations OBSERVATION = AutoConfigurations.of(
            WheelSchedulerObservationAutoConfiguration.class,
            ObservationAutoConfiguration.class,
            ScheduledTasksObservationAutoConfiguration.class);

    private static ApplicationContextRunner unobserved(Class<?>... beans) {
        ApplicationContextRunner runner = withScheduling().withConfiguration(METRICS);
        for (Class<?> bean : beans) {
            runner = runner.withBean(bean);
        }
        return runner;
    }

    static ApplicationContextRunner observed(Class<?>... beans) {
        return unobserved(beans).withConfiguration(OBSERVATION);
    }

    static TaskRegistry tasksOf(ApplicationContext context) {
        return wheelOf(context).getTaskRegistry();
    }

    static TaskInfo task(ApplicationContext context, Class<?> bean) {
        return tasksOf(context).get(idOf(bean));
    }

    static String idOf(Class<?> bean) {
        return bean.getName() + ".run";
    }

    private static RunOutcome lastOf(TaskInfo task) {
        return Objects.requireNonNull(task.last());
    }

    private static long countOf(ApplicationContext context, Class<?> bean, String outcome) {
        return context.getBean(MeterRegistry.class)
                .get(MeterNames.TASK_RUN)
                .tags("task", idOf(bean), "outcome", outcome)
                .timer()
                .count();
    }

    /** Waits until so many runs have been subscribed to and the method of the last one has returned. */
    static void awaitReturned(ApplicationContext context, Class<? extends Controlled> type, int runs) {
        Controlled bean = context.getBean(type);
        awaitThat(() -> assertThat(bean.ends).hasSize(runs));
        awaitThat(() -> assertThat(task(context, type).next()).isNotNull());
    }

    // How it ended, and when

    @Test
    void failingMonoIsAFailureOfTheRunAtItsEnd() {
        observed(Hourly.class).run(context -> {
            Hourly bean = context.getBean(Hourly.class);
            awaitReturned(context, Hourly.class, 1);
            assertThat(task(context, Hourly.class).runs()).isZero();
            long lastedNanos = bean.fail(0, new IllegalStateException("the service does not answer"));
            TaskInfo seen = task(context, Hourly.class);
            assertThat(seen.runs()).isEqualTo(1);
            assertThat(seen.failures()).isEqualTo(1);
            assertThat(seen.failuresInARow()).isEqualTo(1);
            assertThat(seen.lastSuccess()).isNull();
            assertThat(seen.state()).isEqualTo(TaskInfo.State.PENDING);
            assertThat(seen.runningSince()).isNull();
            assertThat(lastOf(seen).failure())
                    .isEqualTo(new RunOutcome.Failure(
                            IllegalStateException.class.getName(), "the service does not answer", null));
            assertThat(lastOf(seen).duration()).isGreaterThanOrEqualTo(Duration.ofNanos(lastedNanos));
            assertThat(countOf(context, Hourly.class, "ERROR")).isEqualTo(1);
            assertThat(countOf(context, Hourly.class, "SUCCESS")).isZero();
            assertThat(failedRuns(context)).isEqualTo(1);
        });
    }

    @Test
    void lastSuccessOfAMonoIsItsEnd() {
        observed(Hourly.class).run(context -> {
            Hourly bean = context.getBean(Hourly.class);
            awaitReturned(context, Hourly.class, 1);
            assertThat(task(context, Hourly.class).lastSuccess()).isNull();
            long lastedNanos = bean.succeed(0);
            TaskInfo seen = task(context, Hourly.class);
            assertThat(lastOf(seen).isSuccess()).isTrue();
            assertThat(lastOf(seen).duration()).isGreaterThanOrEqualTo(Duration.ofNanos(lastedNanos));
            assertThat(seen.lastSuccess())
                    .isEqualTo(lastOf(seen).startedAt().plus(lastOf(seen).duration()));
            assertThat(seen.runs()).isEqualTo(1);
            assertThat(countOf(context, Hourly.class, "SUCCESS")).isEqualTo(1);
            assertThat(failedRuns(context)).isZero();
        });
    }

    @Test
    void fluxEndsWithItsLastElement() {
        observed(Stream.class).run(context -> {
            Stream bean = context.getBean(Stream.class);
            awaitReturned(context, Stream.class, 1);
            FluxSink<String> ignored = bean.ends.get(0).next("one").next("another");
            assertThat(task(context, Stream.class).runs()).isZero();
            bean.fail(0, new IllegalStateException("no more"));
            assertThat(task(context, Stream.class).failures()).isEqualTo(1);
        });
    }

    @Test
    void runThatEndsDuringItsSubscriptionIsRecordedOnce() {
        observed(AtOnce.class).run(context -> {
            awaitThat(() -> assertThat(task(context, AtOnce.class).runs()).isGreaterThan(5));
            tasksOf(context).pause(idOf(AtOnce.class));
            awaitThat(() -> assertThat(wheelOf(context).getActiveCount()).isZero());
            TaskInfo seen = task(context, AtOnce.class);
            AtOnce bean = context.getBean(AtOnce.class);
            assertThat(seen.runs()).isEqualTo(bean.subscriptions.get());
            assertThat(seen.failures()).isEqualTo(bean.subscriptions.get());
            assertThat(failedRuns(context)).isEqualTo(bean.subscriptions.get());
            assertThat(countOf(context, AtOnce.class, "ERROR")).isEqualTo(bean.subscriptions.get());
            assertThat(observedRuns(context, AtOnce.class)).isEqualTo(bean.subscriptions.get());
        });
    }

    @Test
    void runOfAFixedDelayLastsUntilTheEnd() {
        observed(Delayed.class).run(context -> {
            Delayed bean = context.getBean(Delayed.class);
            awaitThat(() -> assertThat(bean.ends).hasSize(1));
            TaskInfo during = task(context, Delayed.class);
            assertThat(during.state()).isEqualTo(TaskInfo.State.RUNNING);
            assertThat(during.next()).isNull();
            long lastedNanos = bean.fail(0, new IllegalStateException());
            awaitThat(() -> assertThat(bean.ends).hasSize(2));
            TaskInfo seen = task(context, Delayed.class);
            assertThat(seen.runs()).isEqualTo(1);
            assertThat(seen.failures()).isEqualTo(1);
            assertThat(lastOf(seen).duration()).isGreaterThanOrEqualTo(Duration.ofNanos(lastedNanos));
            bean.succeed(1);
            awaitThat(() -> assertThat(task(context, Delayed.class).runs()).isEqualTo(2));
            assertThat(task(context, Delayed.class).failuresInARow()).isZero();
        });
    }

    // Runs that are going on

    @Test
    void monoThatNeverEndsIsRunningAndNoSuccess() {
        observed(Hourly.class).run(context -> {
            awaitReturned(context, Hourly.class, 1);
            TaskInfo seen = task(context, Hourly.class);
            assertThat(seen.state()).isEqualTo(TaskInfo.State.RUNNING);
            assertThat(seen.runningSince()).isNotNull();
            assertThat(seen.runs()).isZero();
            assertThat(seen.lastSuccess()).isNull();
            assertThat(seen.overdue()).isFalse();
            assertThat(countOf(context, Hourly.class, "SUCCESS")).isZero();
            tasksOf(context).pause(idOf(Hourly.class));
            assertThat(task(context, Hourly.class).state()).isEqualTo(TaskInfo.State.PAUSED);
            assertThat(task(context, Hourly.class).runningSince()).isEqualTo(seen.runningSince());
        });
    }

    @Test
    void runsThatOverlapAreEachRecordedWithTheirOwnEnd() {
        observed(Hourly.class).run(context -> {
            Hourly bean = context.getBean(Hourly.class);
            awaitReturned(context, Hourly.class, 1);
            trigger(context, 2);
            trigger(context, 3);
            long secondNanos = bean.fail(1, new IllegalStateException("second"));
            long firstNanos = bean.succeed(0);
            assertThat(task(context, Hourly.class).runningSince())
                    .isAfter(lastOf(task(context, Hourly.class)).startedAt());
            bean.fail(2, new IllegalArgumentException("third"));
            TaskInfo seen = task(context, Hourly.class);
            assertThat(seen.runs()).isEqualTo(3);
            assertThat(seen.failures()).isEqualTo(2);
            assertThat(seen.failuresInARow()).isEqualTo(1);
            assertThat(seen.runningSince()).isNull();
            List<RunOutcome> outcomes = seen.recent();
            assertThat(outcomes).extracting(RunOutcome::isSuccess).containsExactly(false, true, false);
            assertThat(outcomes).extracting(RunOutcome::triggered).containsExactly(true, false, true);
            assertThat(outcomes.get(2).duration()).isGreaterThanOrEqualTo(Duration.ofNanos(secondNanos));
            assertThat(outcomes.get(1).duration()).isGreaterThanOrEqualTo(Duration.ofNanos(firstNanos));
            assertThat(outcomes.get(1).startedAt())
                    .isBefore(outcomes.get(2).startedAt())
                    .isBefore(outcomes.get(0).startedAt());
        });
    }

    @Test
    void fixedRateOverlapsAsSpringHasItAndThatIsAnOverrun() {
        observed(Frequent.class).run(context -> {
            Frequent bean = context.getBean(Frequent.class);
            awaitThat(() -> assertThat(bean.ends).hasSizeGreaterThanOrEqualTo(3));
            tasksOf(context).pause(idOf(Frequent.class));
            awaitThat(() -> assertThat(wheelOf(context).getActiveCount()).isZero());
            assertThat(task(context, Frequent.class).runs()).isZero();
            awaitThat(() -> assertThat(bean.lastedNanos(0)).isGreaterThan(Frequent.PERIOD_MILLIS * 1_000_000));
            bean.succeed(0);
            assertThat(task(context, Frequent.class).overruns()).isEqualTo(1);
            bean.ends.forEach(FluxSink::complete);
            assertThat(task(context, Frequent.class).runs()).isEqualTo(bean.ends.size());
            assertThat(task(context, Frequent.class).failures()).isZero();
        });
    }

    @Test
    void runCancelledWithItsBeanIsNeitherSuccessNorFailure() {
        observed(Hourly.class, Delayed.class).run(context -> {
            awaitReturned(context, Hourly.class, 1);
            Delayed delayed = context.getBean(Delayed.class);
            awaitThat(() -> assertThat(delayed.ends).hasSize(1));
            List<String> ended = new CopyOnWriteArrayList<>();
            tasksOf(context).addListener(new TaskListener() {
                @Override
                public void ran(String id, RunOutcome outcome, boolean overran) {
                    ended.add(id);
                }
            });
            context.getBeanFactory().destroyBean(context.getBean(Hourly.class));
            context.getBeanFactory().destroyBean(delayed);
            awaitThat(() -> assertThat(wheelOf(context).getActiveCount()).isZero());
            wheelOf(context).stop();
            assertThat(ended).doesNotContain(idOf(Hourly.class), idOf(Delayed.class));
            assertThat(failedRuns(context)).isZero();
        });
    }

    // Settings and names

    @Test
    void failuresPauseATaskAndTriggeredSuccessesEndThePause() {
        observed(Hourly.class)
                .withPropertyValues("wheel.scheduler.tasks.[" + idOf(Hourly.class) + "].pause-after-failures=1")
                .run(context -> {
                    Hourly bean = context.getBean(Hourly.class);
                    awaitReturned(context, Hourly.class, 1);
                    bean.fail(0, new IllegalStateException());
                    assertThat(task(context, Hourly.class).pausedAfterFailures())
                            .isTrue();
                    trigger(context, 2);
                    assertThat(task(context, Hourly.class).pausedAfterFailures())
                            .isTrue();
                    bean.succeed(1);
                    assertThat(task(context, Hourly.class).state()).isEqualTo(TaskInfo.State.PENDING);
                });
    }

    @Test
    void timeLimitEndsTheWaitOfAFixedDelayAndNotTheRun() {
        observed(Delayed.class)
                .withPropertyValues("wheel.scheduler.tasks.[" + idOf(Delayed.class) + "].time-limit=20ms")
                .run(context -> {
                    Delayed bean = context.getBean(Delayed.class);
                    awaitThat(() -> assertThat(bean.ends).hasSizeGreaterThan(1));
                    assertThat(task(context, Delayed.class).runs()).isZero();
                    bean.fail(0, new IllegalStateException());
                    assertThat(task(context, Delayed.class).runs()).isEqualTo(1);
                    assertThat(task(context, Delayed.class).failures()).isEqualTo(1);
                });
    }

    @Test
    void methodOfAProxiedBeanHasItsIdAndItsEnd() {
        observed(Named.class).withBean(Proxies.class, true).run(ReactiveRunsTest::assertNamed);
    }

    @Test
    void methodBehindAnInterfaceHasThemToo() {
        observed(Named.class).withBean(Proxies.class, false).run(ReactiveRunsTest::assertNamed);
    }

    @Test
    void inheritedMethodHasThemToo() {
        observed(Heir.class).run(ReactiveRunsTest::assertNamed);
    }

    @Test
    void methodsBehindOneInterfaceEachHaveTheirOwn() {
        observed(Named.class, Other.class).withBean(Proxies.class, false).run(context -> {
            awaitThat(() -> assertThat(tasksOf(context).ids()).contains("named", "other"));
            assertThat(tasksOf(context).get("other").settings().pauseAfterFailures())
                    .isEqualTo(8);
        });
    }

    private static void assertNamed(ApplicationContext context) {
        awaitThat(() -> assertThat(tasksOf(context).ids()).contains("named"));
        awaitThat(() -> assertThat(tasksOf(context).get("named").runningSince()).isNotNull());
        awaitThat(() -> assertThat(wheelOf(context).getActiveCount()).isZero());
        TaskInfo seen = tasksOf(context).get("named");
        assertThat(seen.state()).isEqualTo(TaskInfo.State.RUNNING);
        assertThat(seen.settings().pauseAfterFailures()).isEqualTo(7);
        assertThat(seen.runs()).isZero();
        assertThat(tasksOf(context).ids()).hasSize(2);
    }

    // Runs that are not reactive, or not observed

    @Test
    void methodThatReturnsAValueIsRecordedAsEver() {
        observed(Plain.class).run(context -> {
            awaitThat(() -> assertThat(task(context, Plain.class).runs()).isEqualTo(1));
            assertThat(lastOf(task(context, Plain.class)).failure())
                    .isEqualTo(new RunOutcome.Failure(IllegalStateException.class.getName(), "plain", null));
            assertThat(failedRuns(context)).isEqualTo(1);
            assertThat(observedRuns(context, Plain.class)).isEqualTo(1);
        });
    }

    @Test
    void unobservedRunIsOverOnceSubscribedTo() {
        unobserved(Hourly.class)
                .withConfiguration(AutoConfigurations.of(WheelSchedulerObservationAutoConfiguration.class))
                .run(context -> {
                    assertThat(context).doesNotHaveBean(ReactiveRuns.class);
                    assertSuccessWhenSubscribedTo(context);
                });
    }

    @Test
    void outcomeIsTheSameWithoutObservation() {
        observed(Hourly.class)
                .withPropertyValues("management.observations.enable.tasks.scheduled=false")
                .run(ReactiveRunsTest::assertSuccessWhenSubscribedTo);
    }

    private static void assertSuccessWhenSubscribedTo(ApplicationContext context) {
        Hourly bean = context.getBean(Hourly.class);
        awaitThat(() -> assertThat(task(context, Hourly.class).runs()).isEqualTo(1));
        assertThat(lastOf(task(context, Hourly.class)).isSuccess()).isTrue();
        bean.fail(0, new IllegalStateException());
        assertThat(task(context, Hourly.class).runs()).isEqualTo(1);
        assertThat(task(context, Hourly.class).failures()).isZero();
    }

    @Test
    void tasksRunWithoutReactor() {
        observed(Plain.class)
                .withClassLoader(new FilteredClassLoader("reactor", "org.reactivestreams"))
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(ReactiveRuns.class);
                    awaitThat(() ->
                            assertThat(task(context, Plain.class).failures()).isEqualTo(1));
                });
    }

    private static void trigger(ApplicationContext context, int runs) {
        tasksOf(context).trigger(idOf(Hourly.class));
        awaitReturned(context, Hourly.class, runs);
        awaitThat(() -> assertThat(wheelOf(context).getActiveCount()).isZero());
    }

    static double failedRuns(ApplicationContext context) {
        return context.getBean(MeterRegistry.class)
                .get(MeterNames.FAILED)
                .functionCounter()
                .count();
    }

    private static long observedRuns(ApplicationContext context, Class<?> bean) {
        return context
                .getBean(MeterRegistry.class)
                .find("tasks.scheduled.execution")
                .tag("code.namespace", bean.getCanonicalName())
                .timers()
                .stream()
                .mapToLong(Timer::count)
                .sum();
    }

    /** Ends when the test says so. */
    abstract static class Controlled {

        final List<FluxSink<String>> ends = new CopyOnWriteArrayList<>();
        private final List<Long> startedNanos = new CopyOnWriteArrayList<>();

        Flux<String> controlled() {
            return Flux.create(end -> {
                startedNanos.add(System.nanoTime());
                ends.add(end);
            });
        }

        /** Returns how long the run has lasted at least. */
        long lastedNanos(int run) {
            return System.nanoTime() - startedNanos.get(run);
        }

        /** Returns how long the run had lasted at least. */
        long fail(int run, Throwable failure) {
            long nanos = lastedNanos(run);
            ends.get(run).error(failure);
            return nanos;
        }

        /** The same. */
        long succeed(int run) {
            long nanos = lastedNanos(run);
            ends.get(run).complete();
            return nanos;
        }
    }

    static class Hourly extends Controlled {

        @Scheduled(fixedRate = 3_600_000)
        Mono<String> run() {
            return controlled().next();
        }
    }

    static class Stream extends Controlled {

        @Scheduled(fixedRate = 3_600_000)
        Flux<String> run() {
            return controlled();
        }
    }

    static class Frequent extends Controlled {

        static final long PERIOD_MILLIS = 10;

        @Scheduled(fixedRate = PERIOD_MILLIS)
        Mono<Void> run() {
            return controlled().then();
        }
    }

    static class Delayed extends Controlled {

        @Scheduled(fixedDelay = 10)
        Mono<Void> run() {
            return controlled().then();
        }
    }

    interface Runs {

        Mono<Void> run();
    }

    static class Named implements Runs {

        @Override
        @Scheduled(fixedRate = 3_600_000)
        @WheelTask(id = "named", pauseAfterFailures = 7)
        public Mono<Void> run() {
            return Mono.never();
        }
    }

    static class Heir extends Named {}

    static class Other implements Runs {

        @Override
        @Scheduled(fixedRate = 3_600_000)
        @WheelTask(id = "other", pauseAfterFailures = 8)
        public Mono<Void> run() {
            return Mono.never();
        }
    }

    static class AtOnce {

        final AtomicInteger subscriptions = new AtomicInteger();

        @Scheduled(fixedRate = 10)
        Mono<String> run() {
            return Mono.defer(() -> Mono.error(new IllegalStateException("run " + subscriptions.incrementAndGet())));
        }
    }

    static class Plain {

        @Scheduled(fixedRate = 3_600_000)
        int run() {
            throw new IllegalStateException("plain");
        }
    }

    /** Puts proxies around the beans with named tasks: of a subclass, or of their interface. */
    record Proxies(boolean isOfSubclass) implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (!(bean instanceof Runs)) {
                return bean;
            }
            ProxyFactory factory = new ProxyFactory(bean);
            factory.setProxyTargetClass(isOfSubclass);
            return Objects.requireNonNull(factory.getProxy());
        }
    }
}
