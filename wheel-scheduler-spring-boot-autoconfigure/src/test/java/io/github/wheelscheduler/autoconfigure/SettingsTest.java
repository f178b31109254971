package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.threadOfScheduledMethod;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.workerLimitOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.wheelscheduler.autoconfigure.endpoint.WheelSchedulerEndpointAutoConfiguration;
import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.watch.WarningLimits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.task.ThreadPoolTaskSchedulerBuilder;
import org.springframework.boot.task.ThreadPoolTaskSchedulerCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.task.TaskDecorator;
import org.springframework.scheduling.TaskScheduler;

/** Properties and customizers of Boot's scheduler and of ours, and which of them win. */
class SettingsTest {

    @Test
    void threadNamePrefixAndShutdownAreThoseOfBoot() {
        withScheduling()
                .withPropertyValues(
                        "spring.task.scheduling.thread-name-prefix=spokes-",
                        "spring.task.scheduling.shutdown.await-termination=true",
                        "spring.task.scheduling.shutdown.await-termination-period=7s")
                .run(context -> {
                    assertThat(threadOfScheduledMethod(context)).startsWith("spokes-");
                    assertThat(wheelOf(context))
                            .hasFieldOrPropertyWithValue("settings.waitForTasks", true)
                            .hasFieldOrPropertyWithValue("settings.awaitTerminationMillis", 7_000L);
                });
    }

    @Test
    void ourOwnPropertiesReachTheWheel() {
        withScheduling()
                .withPropertyValues(
                        "wheel.scheduler.tick=2ms",
                        "wheel.scheduler.worker.keep-alive=3s",
                        "wheel.scheduler.max-pending=5000",
                        "wheel.scheduler.max-catch-up=0")
                .run(context -> assertThat(wheelOf(context))
                        .hasFieldOrPropertyWithValue("settings.tick", Duration.ofMillis(2))
                        .hasFieldOrPropertyWithValue("settings.workerKeepAlive", Duration.ofSeconds(3))
                        .hasFieldOrPropertyWithValue("settings.maxPending", 5_000L)
                        .hasFieldOrPropertyWithValue("settings.maxCatchUp", 0));
    }

    @Test
    void shutdownDropsDelayedTasksIfAPropertySaysSo() {
        withScheduling()
                .withPropertyValues("wheel.scheduler.shutdown.execute-delayed-tasks=false")
                .run(context ->
                        assertThat(executesDelayedTasks(wheelOf(context))).isFalse());
    }

    @Test
    void customizerDecidesAboutDelayedTasksAfterTheProperty() {
        withScheduling()
                .withPropertyValues("wheel.scheduler.shutdown.execute-delayed-tasks=false")
                .withBean(
                        ThreadPoolTaskSchedulerCustomizer.class,
                        () -> scheduler -> scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(true))
                .run(context ->
                        assertThat(executesDelayedTasks(wheelOf(context))).isTrue());
    }

    @Test
    void delayedTasksRunAsWithBootWithoutAProperty() {
        withScheduling()
                .run(context ->
                        assertThat(executesDelayedTasks(wheelOf(context))).isTrue());
    }

    private static boolean executesDelayedTasks(WheelTaskScheduler scheduler) {
        return scheduler.getWheelScheduledExecutor().getExecuteExistingDelayedTasksAfterShutdownPolicy();
    }

    @Test
    void limitsOfWarningsReachTheWheel() {
        withScheduling()
                .withPropertyValues(
                        "wheel.scheduler.warn.oversleep=1s",
                        "wheel.scheduler.warn.queue-wait=2s",
                        "wheel.scheduler.warn.run=3s",
                        "wheel.scheduler.warn.interrupt-run=4s")
                .run(context -> assertThat(wheelOf(context))
                        .hasFieldOrPropertyWithValue(
                                "settings.warningLimits",
                                new WarningLimits(
                                        Duration.ofSeconds(1),
                                        Duration.ofSeconds(2),
                                        Duration.ofSeconds(3),
                                        Duration.ofSeconds(4))));
    }

    @Test
    void graceOfTasksReachesTheWheel() {
        withScheduling()
                .withPropertyValues("wheel.scheduler.overdue.grace=0.25", "wheel.scheduler.overdue.shortest-grace=5s")
                .run(context -> assertThat(wheelOf(context).getTaskRegistry())
                        .extracting("look")
                        .hasFieldOrPropertyWithValue("share", 0.25)
                        .hasFieldOrPropertyWithValue("shortest", Duration.ofSeconds(5)));
    }

    @Test
    void defaultsAreThoseOfTheWheel() {
        WheelTaskScheduler plain = new WheelTaskScheduler();
        withScheduling().run(context -> {
            assertThat(workerLimitOf(context)).isEqualTo(plain.getPoolSize());
            assertThat(wheelOf(context))
                    .usingRecursiveComparison()
                    .comparingOnlyFields(
                            "settings.maxPending", "settings.maxCatchUp", "settings.warningLimits", "registry.look")
                    .isEqualTo(plain);
        });
    }

    @Test
    void poolSizeWrittenAsPropertyLimitsTheWorkers() {
        withScheduling()
                .withPropertyValues("spring.task.scheduling.pool.size=3")
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(3));
    }

    @Test
    void poolSizeOfOneLimitsTheWorkersIfAPropertySetsIt() {
        withScheduling()
                .withPropertyValues("spring.task.scheduling.pool.size=1")
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SPRING_TASK_SCHEDULING_POOL_SIZE",
                "spring_task_scheduling_pool_size",
                "WHEEL_SCHEDULER_WORKER_MAXSIZE"
            })
    void aPoolSizeWrittenInTheSystemEnvironmentLimitsTheWorkers(String variable) {
        withSource(new SystemEnvironmentPropertySource("test-systemEnvironment", Map.of(variable, "4")))
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(4));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring: {task: {scheduling: {pool: {size: 5}}}}",
                "Spring.Task.SCHEDULING: {pool.size: 5}",
                "wheel.scheduler: {worker: {maxSize: 5}}"
            })
    void aPoolSizeWrittenInYamlLimitsTheWorkers(String yaml) throws Exception {
        PropertySource<?> source = new YamlPropertySourceLoader()
                .load("test", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                .get(0);
        withSource(source).run(context -> assertThat(workerLimitOf(context)).isEqualTo(5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker", "shutdown", "warn", "overdue", "health", "metrics", "metrics.tasks", "endpoint"})
    void aSectionMayBeEmptyInYaml(String section) throws Exception {
        assumeFalse(
                SpringBootVersion.getVersion().startsWith("4.0."),
                "Boot 4.0 stops at an empty section of its own, too");
        PropertySource<?> source = new YamlPropertySourceLoader()
                .load(
                        "test",
                        new ByteArrayResource(("wheel.scheduler." + section + ":").getBytes(StandardCharsets.UTF_8)))
                .get(0);
        withSource(source)
                .withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class,
                        SimpleMetricsExportAutoConfiguration.class,
                        WheelSchedulerMetricsAutoConfiguration.class,
                        WheelSchedulerEndpointAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=*")
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(256));
    }

    @Test
    void earlySchedulerHasItsSettings() {
        withScheduling()
                .withUserConfiguration(WantedEarly.class)
                .withPropertyValues("wheel.scheduler.mode=off", "wheel.scheduler.worker.max-size=7")
                .run(context -> {
                    assertThat(wheelOf(context).getMode()).isEqualTo(SchedulerMode.OFF);
                    assertThat(workerLimitOf(context)).isEqualTo(7);
                });
    }

    @Test
    void beanMayHaveTheNameOfTheSettings() {
        withScheduling()
                .withUserConfiguration(WantedEarly.class, NamedAsSettings.class)
                .withPropertyValues("wheel.scheduler.worker.max-size=7")
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(7));
    }

    @Test
    void unusableSettingStopsAnEarlyScheduler() {
        withScheduling()
                .withUserConfiguration(WantedEarly.class)
                .withPropertyValues("wheel.scheduler.tick=2s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("wheel.scheduler.tick must be between 1us and 1s"));
    }

    @Test
    void ourMaxSizeWinsOverBootsPoolSize() {
        withScheduling()
                .withPropertyValues("wheel.scheduler.worker.max-size=6", "spring.task.scheduling.pool.size=1")
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(6));
    }

    @Test
    void builderOfTheApplicationReplacesBootsProperties() {
        withScheduling()
                .withBean(ThreadPoolTaskSchedulerBuilder.class, () -> new ThreadPoolTaskSchedulerBuilder().poolSize(1))
                .withPropertyValues("spring.task.scheduling.pool.size=9")
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(1));
    }

    @Test
    void builderOfTheApplicationMayLeaveTheLimitToTheWheel() {
        withScheduling().withUserConfiguration(OwnBuilder.class).run(context -> {
            assertThat(workerLimitOf(context)).isEqualTo(256);
            assertThat(threadOfScheduledMethod(context)).startsWith("own-");
        });
    }

    @Test
    void ourMaxSizeWinsOverTheBuilderOfTheApplication() {
        withScheduling()
                .withBean(ThreadPoolTaskSchedulerBuilder.class, () -> new ThreadPoolTaskSchedulerBuilder().poolSize(1))
                .withPropertyValues("wheel.scheduler.worker.max-size=6")
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(6));
    }

    @Test
    void customizersComeAfterPropertiesAndOursLast() {
        withScheduling()
                .withUserConfiguration(Customizers.class)
                .withPropertyValues("spring.task.scheduling.pool.size=1", "wheel.scheduler.worker.max-size=2")
                .run(context ->
                        assertThat(context.getBean(Customizers.class).poolSizes).containsExactly(2, 11, 12, 13));
    }

    @Test
    void allDecoratorsApplyTheLastOneOutermost() {
        withScheduling()
                .withUserConfiguration(Decorators.class)
                .run(context -> assertThat(wheelOf(context)
                                .submitCompletable(Decorators.trail::get)
                                .get(30, TimeUnit.SECONDS))
                        .isEqualTo(" second first"));
    }

    private static ApplicationContextRunner withSource(PropertySource<?> source) {
        return withScheduling()
                .withInitializer(
                        context -> context.getEnvironment().getPropertySources().addFirst(source));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnBuilder {

        @Bean
        ThreadPoolTaskSchedulerBuilder threadPoolTaskSchedulerBuilder() {
            return new ThreadPoolTaskSchedulerBuilder().threadNamePrefix("own-");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Customizers {

        private final List<Integer> poolSizes = new CopyOnWriteArrayList<>();

        @Bean
        @Order(2)
        WheelSchedulerCustomizer last() {
            return scheduler -> {
                poolSizes.add(scheduler.getPoolSize());
                scheduler.setPoolSize(13);
                poolSizes.add(scheduler.getPoolSize());
            };
        }

        @Bean
        @Order(1)
        WheelSchedulerCustomizer first() {
            return scheduler -> {
                poolSizes.add(scheduler.getPoolSize());
                scheduler.setPoolSize(12);
            };
        }

        @Bean
        ThreadPoolTaskSchedulerCustomizer ofBoot() {
            return scheduler -> {
                poolSizes.add(scheduler.getPoolSize());
                scheduler.setPoolSize(11);
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Decorators {

        private static final ThreadLocal<String> trail = ThreadLocal.withInitial(() -> "");

        @Bean
        @Order(2)
        TaskDecorator second() {
            return decorator("second");
        }

        @Bean
        @Order(1)
        TaskDecorator first() {
            return decorator("first");
        }

        private static TaskDecorator decorator(String name) {
            return task -> () -> {
                String before = trail.get();
                trail.set(before + " " + name);
                try {
                    task.run();
                } finally {
                    trail.set(before);
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WantedEarly {

        @Bean
        static BeanFactoryPostProcessor early(TaskScheduler scheduler) {
            return beanFactory -> assertThat(scheduler).isInstanceOf(WheelTaskScheduler.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NamedAsSettings {

        @Bean("wheel.scheduler")
        String text() {
            return "text";
        }
    }
}
