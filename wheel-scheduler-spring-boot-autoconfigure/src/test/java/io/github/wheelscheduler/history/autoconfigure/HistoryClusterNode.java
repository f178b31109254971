package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * The main class of a process of {@link HistoryClusterMeasured}. Its tasks write down their runs, by the database's
 * clock.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
public class HistoryClusterNode {

    private static final Duration TICK = Duration.ofMillis(500);
    private static final long CHECK_MILLIS = 300;
    private static final long RUN_MILLIS = 20;

    public static void main(String[] args) {
        Object ignored = SpringApplication.run(HistoryClusterNode.class, args);
        System.out.println("started");
    }

    /** A clock that differs from the machine's by so much. */
    @Bean
    static BeanPostProcessor clock(Environment environment) {
        Duration offset = Duration.ofSeconds(environment.getProperty("clock-seconds", Long.class, 0L));
        return new BeanPostProcessor() {
            @Override
            public Object postProcessBeforeInitialization(Object bean, String name) {
                if (bean instanceof WheelTaskScheduler scheduler) {
                    scheduler.setClock(Clock.offset(Clock.systemUTC(), offset));
                }
                return bean;
            }
        };
    }

    @Bean
    Tasks tasks(JdbcTemplate jdbc, @Value("${wheel.scheduler.durable.node}") String node) {
        return new Tasks(jdbc, node);
    }

    @Bean
    ApplicationRunner ticks(WheelTaskScheduler scheduler, Tasks tasks) {
        return arguments -> {
            Object ignored = scheduler
                    .getTaskRegistry()
                    .schedule("tick-" + tasks.node, tasks::tick, TaskSchedule.fixedRate(TICK));
        };
    }

    static class Tasks {

        private final JdbcTemplate jdbc;
        private final String node;

        Tasks(JdbcTemplate jdbc, String node) {
            this.jdbc = jdbc;
            this.node = node;
        }

        /** Each tenth fails in its first run. */
        @DurableHandler(value = "note", maxRetries = 100, backOff = "300ms")
        void note(String id) throws InterruptedException {
            Long run = jdbc.queryForObject(
                    "insert into runs (id, node) values (?, ?) returning number", Long.class, id, node);
            Thread.sleep(RUN_MILLIS);
            if (id.endsWith("0") && number("select count(*) from runs where id = ?", id) == 1) {
                throw new IllegalStateException("no paper");
            }
            int ignored = jdbc.update("update runs set ended = clock_timestamp() where number = ?", run);
        }

        @Durable("check")
        @Scheduled(fixedRate = CHECK_MILLIS)
        void check() {
            long broken = number("select count(*) from flags where is_broken");
            int ignored = jdbc.update("insert into checks (node, failed) values (?, ?)", node, broken > 0);
            if (broken > 0) {
                throw new IllegalStateException("broken");
            }
        }

        void tick() {
            int ignored = jdbc.update("insert into ticks (node) values (?)", node);
        }

        private long number(String query, Object... parameters) {
            return Objects.requireNonNull(jdbc.queryForObject(query, Long.class, parameters));
        }
    }
}
