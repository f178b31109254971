package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.threadOfScheduledMethod;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withoutScheduling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.Heartbeat;
import io.github.wheelscheduler.metrics.MeterNames;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MeterRegistryCustomizer;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.task.TaskExecutorMetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ScheduledTasksObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.PriorityOrdered;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;

/** Every scheduler on the wheel has its meters, once, and nothing comes early for their sake. */
@ExtendWith(OutputCaptureExtension.class)
class WheelSchedulerMetricsAutoConfigurationTest {

    private static final AutoConfigurations METRICS = AutoConfigurations.of(
            WheelSchedulerMetricsAutoConfiguration.class,
            CompositeMeterRegistryAutoConfiguration.class,
            MetricsAutoConfiguration.class,
            SimpleMetricsExportAutoConfiguration.class);

    private static final AutoConfigurations BOOTS_EXECUTOR_METRICS =
            AutoConfigurations.of(TaskExecutorMetricsAutoConfiguration.class);

    private static final AutoConfigurations OBSERVATION =
            AutoConfigurations.of(ObservationAutoConfiguration.class, ScheduledTasksObservationAutoConfiguration.class);

    private static ApplicationContextRunner withMetrics() {
        return withScheduling().withConfiguration(METRICS);
    }

    private static MeterRegistry registryOf(ApplicationContext context) {
        return context.getBean(MeterRegistry.class);
    }

    private static List<String> executorMetersOf(ApplicationContext context, String scheduler) {
        return registryOf(context).getMeters().stream()
                .map(Meter::getId)
                .filter(id -> scheduler.equals(id.getTag("name")))
                .map(Meter.Id::getName)
                .filter(name -> name.startsWith("executor."))
                .sorted()
                .toList();
    }

    private static List<String> schedulersWithMeters(MeterRegistry registry) {
        return registry.find(MeterNames.PENDING).gauges().stream()
                .map(gauge -> gauge.getId().getTag("name"))
                .sorted()
                .toList();
    }

    private static long runsOf(MeterRegistry registry, String task) {
        return registry.find(MeterNames.TASK_RUN).tag("task", task).timers().stream()
                .mapToLong(Timer::count)
                .sum();
    }

    private static void awaitThat(Callable<Boolean> condition) {
        await().pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofSeconds(30))
                .until(condition);
    }

    @Test
    void childThatClosesLeavesTheMetersOfItsSibling() {
        new ApplicationContextRunner().withBean(SimpleMeterRegistry.class).run(parent -> {
            MeterRegistry registry = registryOf(parent);
            ApplicationContextRunner child = withScheduling()
                    .withParent(parent)
                    .withConfiguration(AutoConfigurations.of(WheelSchedulerMetricsAutoConfiguration.class));
            child.run(first -> {
                int meters = registry.getMeters().size();
                assertThat(schedulersWithMeters(registry)).hasSize(1);
                child.run(second -> assertThat(registryOf(second)).isSameAs(registry));
                assertThat(registry.getMeters()).hasSize(meters);
                assertThat(registry.get(MeterNames.PENDING).gauge().value()).isNotNegative();
            });
            assertThat(registry.getMeters()).isEmpty();
        });
    }

    @Test
    void wheelHasItsMetersUnderTheNameOfItsBean() {
        withMetrics().run(context -> {
            threadOfScheduledMethod(context);
            MeterRegistry registry = registryOf(context);
            assertThat(schedulersWithMeters(registry)).containsExactly("taskScheduler");
            assertThat(registry.get(MeterNames.FIRED).functionCounter().count()).isPositive();
            awaitThat(() -> runsOf(registry, Heartbeat.class.getName() + ".beat") > 2);
        });
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void metersExistOnVirtualThreadsToo() {
        withMetrics()
                .withConfiguration(BOOTS_EXECUTOR_METRICS)
                .withPropertyValues("spring.threads.virtual.enabled=true")
                .run(context -> {
                    assertThat(schedulersWithMeters(registryOf(context))).containsExactly("taskScheduler");
                    assertThat(executorMetersOf(context, "taskScheduler")).hasSize(7);
                });
    }

    // Beside Boot's

    @Test
    void bootMetersTheWorkersWhereOursAreNot() {
        withScheduling()
                .withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class))
                .withConfiguration(BOOTS_EXECUTOR_METRICS)
                .run(context -> {
                    assertThat(executorMetersOf(context, "taskScheduler")).hasSize(7);
                    assertThat(executorMetersOf(context, "applicationTaskExecutor"))
                            .isNotEmpty();
                });
    }

    @Test
    void bootAddsTheRemainingCapacityAndNothingTwice(CapturedOutput output) {
        withMetrics().withConfiguration(BOOTS_EXECUTOR_METRICS).run(context -> {
            assertThat(executorMetersOf(context, "taskScheduler"))
                    .containsExactly(
                            MeterNames.EXECUTOR_ACTIVE,
                            MeterNames.EXECUTOR_COMPLETED,
                            MeterNames.EXECUTOR_POOL_CORE,
                            MeterNames.EXECUTOR_POOL_MAX,
                            MeterNames.EXECUTOR_POOL_SIZE,
                            MeterNames.EXECUTOR_QUEUE_REMAINING,
                            MeterNames.EXECUTOR_QUEUED);
            assertThat(executorMetersOf(context, "applicationTaskExecutor")).hasSize(7);
            for (int i = 0; i < 1_000; i++) {
                var unused = wheelOf(context).schedule(() -> {}, Instant.now().plusSeconds(3_600));
            }
            MeterRegistry registry = registryOf(context);
            assertThat(registry.get(MeterNames.EXECUTOR_QUEUED)
                            .tag("name", "taskScheduler")
                            .gauge()
                            .value())
                    .isBetween(1_000.0, 1_001.0);
            awaitThat(() -> registry.get(MeterNames.EXECUTOR_COMPLETED)
                            .tag("name", "taskScheduler")
                            .functionCounter()
                            .count()
                    > 2);
            assertThat(output).doesNotContain("has been already registered");
        });
    }

    @Test
    void schedulerOfBootKeepsTheMetersOfBoot() {
        withMetrics()
                .withConfiguration(BOOTS_EXECUTOR_METRICS)
                .withPropertyValues("wheel.scheduler.enabled=false")
                .run(context -> {
                    assertThat(schedulersWithMeters(registryOf(context))).isEmpty();
                    assertThat(executorMetersOf(context, "taskScheduler")).hasSize(7);
                });
    }

    @Test
    void observationOfScheduledMethodsSeesEachRunOnce() {
        withMetrics()
                .withConfiguration(OBSERVATION)
                .withUserConfiguration(CountedMethod.class)
                .run(context -> {
                    CountedMethod method = context.getBean(CountedMethod.class);
                    awaitThat(() -> method.runs.get() > 5);
                    wheelOf(context).stop();
                    awaitThat(() -> wheelOf(context).getActiveCount() == 0);
                    MeterRegistry registry = registryOf(context);
                    long observed = registry
                            .find("tasks.scheduled.execution")
                            .tag("code.namespace", CountedMethod.class.getCanonicalName())
                            .timers()
                            .stream()
                            .mapToLong(Timer::count)
                            .sum();
                    assertThat(observed).isEqualTo(method.runs.get());
                    assertThat(runsOf(registry, CountedMethod.class.getName() + ".count"))
                            .isEqualTo(method.runs.get());
                });
    }

    // Early, late, lazy

    @Test
    void lazyBeansMakeNoMetersLate() {
        withMetrics()
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> {
                    assertThat(context.getBeanFactory()
                                    .getBeanDefinition("taskScheduler")
                                    .isLazyInit())
                            .isTrue();
                    // Nobody has asked for the registry.
                    assertThat(context.getBeanFactory().containsSingleton("simpleMeterRegistry"))
                            .isTrue();
                    threadOfScheduledMethod(context);
                    assertThat(schedulersWithMeters(registryOf(context))).containsExactly("taskScheduler");
                    awaitThat(() -> runsOf(registryOf(context), Heartbeat.class.getName() + ".beat") > 0);
                });
    }

    @Test
    void lazySchedulerHasMetersOnceItIsCreated() {
        withoutScheduling()
                .withConfiguration(METRICS)
                .withUserConfiguration(LazyScheduler.class)
                .run(context -> {
                    assertThat(context.getBeanFactory().containsSingleton("lazyScheduler"))
                            .isFalse();
                    assertThat(schedulersWithMeters(registryOf(context))).isEmpty();
                    assertThat(context.getBean("lazyScheduler")).isNotNull();
                    assertThat(schedulersWithMeters(registryOf(context))).containsExactly("lazyScheduler");
                });
    }

    @Test
    void beanThatTheRegistryNeedsMayNeedTheScheduler() {
        withMetrics()
                .withUserConfiguration(BinderThatNeedsTheScheduler.class)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(schedulersWithMeters(registryOf(context))).containsExactly("taskScheduler");
                });
    }

    @Test
    void settingsOfAllMetersHoldForTheScheduler() {
        withMetrics()
                .withUserConfiguration(CommonTag.class)
                .withPropertyValues("management.metrics.enable.wheel.scheduler.inbox=false")
                .run(context -> {
                    MeterRegistry registry = registryOf(context);
                    assertThat(registry.get(MeterNames.PENDING)
                                    .tag("region", "north")
                                    .gauges())
                            .hasSize(1);
                    assertThat(registry.find(MeterNames.INBOX).meters()).isEmpty();
                });
    }

    @Test
    void propertiesGiveTheTimersBuckets() {
        withMetrics()
                .withPropertyValues(
                        "management.metrics.distribution.slo.wheel.scheduler.lateness=1ms,1s",
                        "management.metrics.distribution.slo.wheel.scheduler.task=50ms")
                .run(context -> {
                    threadOfScheduledMethod(context);
                    MeterRegistry registry = registryOf(context);
                    assertThat(registry.get(MeterNames.LATENESS).timers())
                            .hasSize(2)
                            .allSatisfy(timer -> assertThat(limitsOf(timer)).containsExactly(1e6, 1e9));
                    assertThat(registry.get(MeterNames.TASK_RUN).timers())
                            .allSatisfy(timer -> assertThat(limitsOf(timer)).containsExactly(50e6));
                    assertThat(registry.get(MeterNames.TASK_LATENESS).timers())
                            .allSatisfy(timer -> assertThat(limitsOf(timer)).containsExactly(50e6));
                });
    }

    private static List<Double> limitsOf(Timer timer) {
        return Arrays.stream(timer.takeSnapshot().histogramCounts())
                .map(CountAtBucket::bucket)
                .toList();
    }

    // Which schedulers

    @Test
    void everySchedulerHasItsOwnMetersUnderAnyDeclaredType() {
        withoutScheduling()
                .withConfiguration(METRICS)
                .withUserConfiguration(OwnSchedulers.class)
                .run(context ->
                        assertThat(schedulersWithMeters(registryOf(context))).containsExactly("first", "second"));
    }

    @Test
    void prototypeHasNone() {
        withoutScheduling()
                .withConfiguration(METRICS)
                .withUserConfiguration(PrototypeScheduler.class)
                .run(context -> {
                    WheelTaskScheduler created = context.getBean(WheelTaskScheduler.class);
                    assertThat(schedulersWithMeters(registryOf(context))).isEmpty();
                    created.shutdown();
                });
    }

    @Test
    void scopedSchedulerHasItsBeansNameAndIsNotCreatedForIt() {
        withoutScheduling()
                .withConfiguration(METRICS)
                .withInitializer(context -> context.getBeanFactory().registerScope("thread", new SimpleThreadScope()))
                .withUserConfiguration(ScopedScheduler.class)
                .run(context -> {
                    assertThat(schedulersWithMeters(registryOf(context))).isEmpty();
                    WheelTaskScheduler proxy = context.getBean("scoped", WheelTaskScheduler.class);
                    assertThat(schedulersWithMeters(registryOf(context))).isEmpty();
                    assertThat(proxy.getFailedRuns()).isZero();
                    assertThat(schedulersWithMeters(registryOf(context))).containsExactly("scoped");
                    proxy.shutdown();
                });
    }

    @Test
    void metersOfASchedulerBehindAProxyGoWithIt() {
        AtomicReference<MeterRegistry> registry = new AtomicReference<>();
        MeterRegistry kept = new SimpleMeterRegistry();
        withMetrics()
                .withBean(
                        "kept",
                        MeterRegistry.class,
                        () -> kept,
                        definition -> ((AbstractBeanDefinition) definition).setDestroyMethodName(""))
                .withBean(Proxies.class)
                .run(context -> {
                    assertThat(AopUtils.isCglibProxy(context.getBean("taskScheduler")))
                            .isTrue();
                    registry.set(registryOf(context));
                    assertThat(schedulersWithMeters(registry.get())).containsExactly("taskScheduler");
                });
        assertThat(schedulersWithMeters(registry.get())).isEmpty();
    }

    /** Wraps the bean as an aspect of the application does. */
    static final class Proxies implements BeanPostProcessor, PriorityOrdered {

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (!(bean instanceof WheelTaskScheduler)) {
                return bean;
            }
            ProxyFactory factory = new ProxyFactory(bean);
            factory.setProxyTargetClass(true);
            return factory.getProxy();
        }

        @Override
        public int getOrder() {
            return 0;
        }
    }

    @Test
    void schedulerThatIsNoAutowireCandidateHasNone() {
        withMetrics()
                .withBean(
                        "hidden",
                        WheelTaskScheduler.class,
                        WheelTaskScheduler::new,
                        definition -> definition.setAutowireCandidate(false))
                .run(context ->
                        assertThat(schedulersWithMeters(registryOf(context))).containsExactly("taskScheduler"));
    }

    @Test
    void metersGoWithTheContext() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        withScheduling()
                .withConfiguration(AutoConfigurations.of(WheelSchedulerMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, () -> registry)
                .run(context -> assertThat(schedulersWithMeters(registry)).containsExactly("taskScheduler"));
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void childContextBindsToTheRegistryOfItsParent() {
        withoutScheduling().withConfiguration(METRICS).run(parent -> {
            withScheduling()
                    .withConfiguration(AutoConfigurations.of(WheelSchedulerMetricsAutoConfiguration.class))
                    .withParent(parent)
                    .run(child ->
                            assertThat(schedulersWithMeters(registryOf(parent))).containsExactly("taskScheduler"));
            assertThat(schedulersWithMeters(registryOf(parent))).isEmpty();
        });
    }

    // Which registry

    @Test
    void severalRegistriesHaveTheMetersOnceEach() {
        withMetrics().withUserConfiguration(TwoRegistries.class).run(context -> {
            threadOfScheduledMethod(context);
            for (String name : List.of("one", "other")) {
                MeterRegistry registry = context.getBean(name, MeterRegistry.class);
                assertThat(schedulersWithMeters(registry)).containsExactly("taskScheduler");
                assertThat(registry.find(MeterNames.FIRED).functionCounters()).hasSize(1);
            }
        });
    }

    @Test
    void severalRegistriesOfWhichNoneComesFirstAreLeftAlone(CapturedOutput output) {
        withScheduling()
                .withConfiguration(AutoConfigurations.of(WheelSchedulerMetricsAutoConfiguration.class))
                .withUserConfiguration(TwoRegistries.class)
                .run(context -> {
                    assertThat(threadOfScheduledMethod(context)).isNotEmpty();
                    assertThat(output).contains("Scheduler taskScheduler has no meters");
                });
    }

    @Test
    void registryThatThrowsKeepsNoApplicationFromStarting(CapturedOutput output) {
        withMetrics().withUserConfiguration(HostileFilter.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(threadOfScheduledMethod(context)).isNotEmpty();
            assertThat(schedulersWithMeters(registryOf(context))).isEmpty();
            assertThat(output).contains("Scheduler taskScheduler has no meters").contains("refused on purpose");
        });
    }

    @Test
    void metersAreAbsentWithoutARegistry() {
        withScheduling()
                .withConfiguration(AutoConfigurations.of(WheelSchedulerMetricsAutoConfiguration.class))
                .run(context -> {
                    assertThat(context).doesNotHaveBean(SchedulerMeterBinding.class);
                    assertThat(threadOfScheduledMethod(context)).isNotEmpty();
                });
    }

    @Test
    void metersAreAbsentWithoutMicrometer() {
        withScheduling()
                .withConfiguration(AutoConfigurations.of(WheelSchedulerMetricsAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("io.micrometer", "org.springframework.boot.micrometer"))
                .run(context -> {
                    assertThat(context).doesNotHaveBean("wheelSchedulerMeterBinding");
                    assertThat(threadOfScheduledMethod(context)).isNotEmpty();
                });
    }

    // The limit of tasks

    @Test
    void limitOfTasksCanBeSet() {
        withMetrics().withPropertyValues("wheel.scheduler.metrics.max-tasks=0").run(context -> {
            threadOfScheduledMethod(context);
            MeterRegistry registry = registryOf(context);
            assertThat(registry.find(MeterNames.TASK_RUN).timers()).isEmpty();
            assertThat(registry.get(MeterNames.TASKS)
                            .tag("metered", "false")
                            .gauge()
                            .value())
                    .isEqualTo(1);
        });
    }

    @Test
    void patternsSayWhichTasksHaveMeters() {
        withMetrics()
                .withPropertyValues(
                        "wheel.scheduler.metrics.tasks.include=import-*,*.count",
                        "wheel.scheduler.metrics.tasks.exclude=import-tenant-*,*CountedMethod*")
                .run(context -> {
                    threadOfScheduledMethod(context);
                    TaskRegistry tasks =
                            context.getBean(WheelTaskScheduler.class).getTaskRegistry();
                    TaskSchedule daily = TaskSchedule.fixedRate(Duration.ofDays(1));
                    for (String name : List.of("import-all", "import-tenant-1", "export")) {
                        ScheduledFuture<?> ignored = tasks.schedule(name, () -> {}, daily);
                    }
                    assertThat(registryOf(context).get(MeterNames.TASK_OVERRUNS).counters())
                            .extracting(counter -> counter.getId().getTag(MeterNames.TAG_TASK))
                            .containsExactly("import-all");
                });
    }

    @Test
    void limitThatIsNoneIsExplained() {
        withMetrics()
                .withPropertyValues("wheel.scheduler.metrics.max-tasks=-1")
                .run(context -> assertThat(NestedExceptionUtils.getRootCause(context.getStartupFailure()))
                        .isInstanceOf(UnusableSettingException.class)
                        .hasMessage("wheel.scheduler.metrics.max-tasks must not be negative, was -1"));
    }

    static class CountedMethod {

        private final AtomicInteger runs = new AtomicInteger();

        @Scheduled(fixedRate = 5, initialDelay = 200)
        void count() {
            runs.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyScheduler {

        /** Spring itself would create lazy beans that are to be started. */
        @Bean
        static DefaultLifecycleProcessor lifecycleProcessor() {
            return new DefaultLifecycleProcessor() {
                @Override
                public void onRefresh() {}
            };
        }

        @Bean
        @Lazy
        WheelTaskScheduler lazyScheduler() {
            return new WheelTaskScheduler();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnSchedulers {

        @Bean
        WheelTaskScheduler first() {
            return new WheelTaskScheduler();
        }

        @Bean
        TaskScheduler second() {
            return new WheelTaskScheduler();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrototypeScheduler {

        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        WheelTaskScheduler prototype() {
            return new WheelTaskScheduler();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedScheduler {

        @Bean
        @Scope(value = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
        WheelTaskScheduler scoped() {
            return new WheelTaskScheduler();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BinderThatNeedsTheScheduler {

        @Bean
        MeterBinder binder(TaskScheduler scheduler) {
            return registry -> assertThat(scheduler).isNotNull();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class CommonTag {

        @Bean
        MeterRegistryCustomizer<MeterRegistry> commonTag() {
            return registry -> registry.config().commonTags("region", "north");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoRegistries {

        @Bean
        MeterRegistry one() {
            return new SimpleMeterRegistry();
        }

        @Bean
        MeterRegistry other() {
            return new SimpleMeterRegistry();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class HostileFilter {

        @Bean
        MeterFilter hostileFilter() {
            return new MeterFilter() {
                @Override
                public Meter.Id map(Meter.Id id) {
                    if (id.getName().equals(MeterNames.LATENESS)) {
                        throw new IllegalStateException("refused on purpose");
                    }
                    return id;
                }
            };
        }
    }
}
