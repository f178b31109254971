package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.testing.ReleasedObjects;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Beans with {@code @Durable} methods come and go while the application runs. */
class RemovedDurableBeansTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ReleasedObjects released = new ReleasedObjects();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    WheelSchedulerAutoConfiguration.class,
                    DurableAutoConfiguration.class))
            .withUserConfiguration(Scheduling.class)
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    static class Job {

        private final AtomicInteger runs = new AtomicInteger();

        @Durable("job")
        @Scheduled(fixedRate = 50)
        void run() {
            runs.incrementAndGet();
        }
    }

    @Test
    void taskEndsWithItsBeanAndGoesOnWithTheNextOne() {
        runner.run(context -> {
            AtomicInteger runsBefore = comeAndGo(context);
            for (int i = 0; i < 3; i++) {
                int atEnd = runsBefore.get();
                AtomicInteger runs = comeAndGo(context);
                assertThat(runsBefore).hasValue(atEnd);
                runsBefore = runs;
            }
            released.awaitAll();
            assertThat(context.getBean(TaskCatalog.class).declarations()).isEmpty();
            // The row stays for other nodes.
            assertThat(context.getBean(RecurringTasks.class).find("job")).isPresent();
        });
    }

    private AtomicInteger comeAndGo(ConfigurableApplicationContext context) {
        DefaultListableBeanFactory beanFactory = factoryOf(context.getBeanFactory());
        beanFactory.registerBeanDefinition("job", new RootBeanDefinition(Job.class));
        AtomicInteger runs = context.getBean(Job.class).runs;
        await().atMost(PATIENCE).until(() -> runs.get() > 1);
        released.watch(context.getBean(Job.class));
        beanFactory.removeBeanDefinition("job");
        RecurringTasks tasks = context.getBean(RecurringTasks.class);
        await().atMost(PATIENCE)
                .until(() -> tasks.find("job").map(RecurringTask::owner).isEmpty());
        return runs;
    }

    private static DefaultListableBeanFactory factoryOf(ConfigurableListableBeanFactory beanFactory) {
        return (DefaultListableBeanFactory) beanFactory;
    }
}
