package io.github.wheelscheduler.test;

import static io.github.wheelscheduler.test.DurableAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableTasks;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** One attribute leaves durable tasks out of a test. */
class NoDurableTasksTest {

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {

        final AtomicInteger hours = new AtomicInteger();

        @Bean(destroyMethod = "close")
        HikariDataSource dataSource() {
            return TestDatabase.H2.newDataSource();
        }

        @Scheduled(cron = "0 0 * * * *")
        void everyHour() {
            hours.incrementAndGet();
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class, properties = "spring.autoconfigure.exclude=")
    @AutoConfigureVirtualTime(durableTasks = false)
    class LeftOut {

        @Test
        void taskIsScheduledAndStays(
                @Autowired VirtualTime time, @Autowired DurableTasks tasks, @Autowired Application application) {
            assertThat(tasks.schedule("unknown", "1", "one", time.now())).isTrue();

            time.advanceBy(Duration.ofDays(1));

            assertThat(application.hours).hasValue(24);
            assertThat(tasks).scheduled("unknown").withId("1");
        }

        @Test
        void noNodeJoins(@Autowired DurableEngine tasks) {
            assertThat(tasks.overview().nodes()).isEmpty();
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class, properties = "spring.autoconfigure.exclude=")
    @AutoConfigureVirtualTime
    class TakenIn {

        @Test
        void nodeJoins(@Autowired VirtualTime time, @Autowired DurableEngine tasks, @Autowired DurableRuns runs) {
            time.advanceBy(Duration.ofDays(1));

            assertThat(tasks.overview().nodes()).hasSize(1);
            assertThat(runs).nothingRan();
        }
    }
}
