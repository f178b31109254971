package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** In which of several databases durable tasks are. */
class DurableDataSourceTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String COUNT = "select count(*) from wheel_durable_task";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    DurableAutoConfiguration.class))
            .withUserConfiguration(WithHandler.class);

    private static DataSource newDataSource() {
        return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
    }

    static class Notes {
        final Queue<String> ran = new ConcurrentLinkedQueue<>();

        @DurableHandler("note")
        void take(String note) {
            ran.add(note);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithHandler {
        @Bean
        Notes notes() {
            return new Notes();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithPrimary {
        @Bean
        @Primary
        DataSource first() {
            return newDataSource();
        }

        @Bean
        DataSource second() {
            return newDataSource();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithMarked {
        @Bean
        @Primary
        DataSource first() {
            return newDataSource();
        }

        @Bean
        @DurableDataSource
        DataSource second() {
            return newDataSource();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithMarkedThatIsNoCandidate {
        @Bean(defaultCandidate = false)
        @DurableDataSource
        DataSource second() {
            return newDataSource();
        }
    }

    private static boolean hasTable(DataSource dataSource) {
        return !new JdbcTemplate(dataSource)
                .queryForList("select 1 from information_schema.tables where upper(table_name) = 'WHEEL_DURABLE_TASK'")
                .isEmpty();
    }

    @Test
    void primaryOneIsUsed() {
        runner.withUserConfiguration(WithPrimary.class).run(context -> {
            assertThat(context).hasSingleBean(DurableEngine.class);
            assertThat(hasTable(context.getBean("first", DataSource.class))).isTrue();
            assertThat(hasTable(context.getBean("second", DataSource.class))).isFalse();
        });
    }

    @Test
    void markedOneIsUsedAlsoWhereAnotherIsPrimary() {
        runner.withUserConfiguration(WithMarked.class).run(context -> {
            assertThat(hasTable(context.getBean("first", DataSource.class))).isFalse();
            assertThat(hasTable(context.getBean("second", DataSource.class))).isTrue();
            assertThat(context.getBean(DurableTasks.class).schedule("note", "1", "one", Instant.now()))
                    .isTrue();
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(context.getBean(Notes.class).ran).containsExactly("one"));
        });
    }

    @Test
    void markedOneIsUsedBesideThatOfBoot() {
        runner.withUserConfiguration(WithMarkedThatIsNoCandidate.class).run(context -> {
            assertThat(hasTable(context.getBean("dataSource", DataSource.class)))
                    .isFalse();
            assertThat(hasTable(context.getBean("second", DataSource.class))).isTrue();
        });
    }

    @Test
    void scheduleJoinsTransactionsOfTheMarkedSourceAlone() {
        runner.withUserConfiguration(WithMarked.class).run(context -> {
            DurableTasks tasks = context.getBean(DurableTasks.class);
            DataSource marked = context.getBean("second", DataSource.class);
            Instant later = Instant.now().plus(Duration.ofDays(1));
            transactionsOf(marked).executeWithoutResult(status -> {
                assertThat(tasks.schedule("note", "rolled back", "one", later)).isTrue();
                status.setRollbackOnly();
            });
            transactionsOf(context.getBean("first", DataSource.class)).executeWithoutResult(status -> {
                assertThat(tasks.schedule("note", "of others", "one", later)).isTrue();
                status.setRollbackOnly();
            });
            transactionsOf(marked).executeWithoutResult(status -> {
                assertThat(tasks.schedule("note", "committed", "one", later)).isTrue();
                assertThat(new JdbcTemplate(marked).queryForObject(COUNT, Integer.class))
                        .isEqualTo(2);
            });

            assertThat(tasks.find("note", "rolled back")).isEmpty();
            assertThat(tasks.find("note", "of others")).isPresent();
            assertThat(tasks.find("note", "committed")).isPresent();
        });
    }

    private static TransactionTemplate transactionsOf(DataSource dataSource) {
        return new TransactionTemplate(new DataSourceTransactionManager(dataSource));
    }
}
