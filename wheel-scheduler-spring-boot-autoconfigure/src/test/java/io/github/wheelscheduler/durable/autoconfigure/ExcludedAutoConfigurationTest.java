package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilder;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** An auto-configuration that is excluded is not there, and takes along only what is made of its beans. */
class ExcludedAutoConfigurationTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {}

    private static void without(Class<?> autoConfiguration, Consumer<ConfigurableApplicationContext> check) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run("--spring.autoconfigure.exclude=" + autoConfiguration.getName())) {
            check.accept(context);
        }
    }

    private static void assertNone(ConfigurableApplicationContext context, Class<?> type) {
        assertThat(context.getBeansOfType(type)).isEmpty();
    }

    @Test
    void excludingTheBuilderLeavesBootsScheduler() {
        without(WheelTaskSchedulerBuilderAutoConfiguration.class, context -> {
            assertNone(context, WheelTaskSchedulerBuilder.class);
            assertNone(context, TimerWheel.class);
            assertNone(context, DurableTasks.class);
            assertThat(context.getBean("taskScheduler")).isExactlyInstanceOf(ThreadPoolTaskScheduler.class);
        });
    }

    @Test
    void excludingTheSchedulerLeavesItsBuilderAndTheTimers() {
        without(WheelSchedulerAutoConfiguration.class, context -> {
            assertThat(context.getBean("taskScheduler")).isExactlyInstanceOf(ThreadPoolTaskScheduler.class);
            assertThat(context.getBean(WheelTaskSchedulerBuilder.class)).isNotNull();
            assertThat(context.getBean(TimerWheel.class)).isNotNull();
            assertThat(context.getBean(DurableTasks.class)).isNotNull();
        });
    }

    @Test
    void excludingTheTimersLeavesTheScheduler() {
        without(TimerWheelAutoConfiguration.class, context -> {
            assertNone(context, TimerWheel.class);
            assertNone(context, DurableTasks.class);
            assertThat(context.getBean("taskScheduler")).isExactlyInstanceOf(WheelTaskScheduler.class);
        });
    }

    @Test
    void excludingDurableTasksLeavesTheTimers() {
        without(DurableAutoConfiguration.class, context -> {
            assertNone(context, DurableTasks.class);
            assertThat(context.getBean(TimerWheel.class)).isNotNull();
        });
    }
}
