package io.github.wheelscheduler.autoconfigure.testing;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerCustomizer;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Applications as they look with the starter on the class path. */
public final class SchedulingContexts {

    /** Our auto-configuration and those of Boot around it. */
    public static final AutoConfigurations AUTO_CONFIGURATIONS = AutoConfigurations.of(
            TaskSchedulingAutoConfiguration.class,
            WheelTaskSchedulerBuilderAutoConfiguration.class,
            WheelSchedulerAutoConfiguration.class,
            TimerWheelAutoConfiguration.class,
            TaskExecutionAutoConfiguration.class);

    private SchedulingContexts() {}

    /** An application that does not schedule anything. */
    public static ApplicationContextRunner withoutScheduling() {
        return new ApplicationContextRunner().withConfiguration(AUTO_CONFIGURATIONS);
    }

    /** An application with one {@code @Scheduled} method, and a last customizer that remembers the worker limit. */
    public static ApplicationContextRunner withScheduling() {
        return withoutScheduling().withUserConfiguration(Scheduling.class);
    }

    /** Returns the wheel, which must be there. */
    public static WheelTaskScheduler wheelOf(ApplicationContext context) {
        return context.getBean("taskScheduler", WheelTaskScheduler.class);
    }

    /** Returns the limit of workers that the wheel started with. */
    public static int workerLimitOf(ApplicationContext context) {
        wheelOf(context);
        return context.getBean(Scheduling.class).workerLimit;
    }

    /** Returns the name of the thread on which the {@code @Scheduled} method ran. */
    public static String threadOfScheduledMethod(ApplicationContext context) {
        return context.getBean(Heartbeat.class)
                .thread
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    public static class Scheduling {

        private volatile int workerLimit;

        @Bean
        WheelSchedulerCustomizer workerLimitReader() {
            return scheduler -> workerLimit = scheduler.getPoolSize();
        }

        @Bean
        Heartbeat heartbeat() {
            return new Heartbeat();
        }
    }

    public static class Heartbeat {

        private final CompletableFuture<String> thread = new CompletableFuture<>();

        @Scheduled(fixedRate = 10)
        void beat() {
            thread.complete(Thread.currentThread().getName());
        }
    }
}
