package io.github.wheelscheduler.history.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.steering.SteeringAutoConfiguration;
import io.github.wheelscheduler.durable.autoconfigure.DurableDataSource;
import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.AuditQuery;
import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.history.HistorySettings;
import io.github.wheelscheduler.history.RunHistoryReader;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.steering.SteeredBy;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** The history of an application on an embedded database. */
class HistoryAutoConfigurationTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    TaskSchedulingAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    WheelSchedulerAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    HistoryAutoConfiguration.class,
                    HistoryMetricsAutoConfiguration.class,
                    SteeringAutoConfiguration.class))
            .withUserConfiguration(Nightly.class);

    private final ApplicationContextRunner application =
            bare.withBean("dataSource", DataSource.class, () -> new DriverManagerDataSource(url, "sa", ""));

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Nightly {

        static final String TASK =
                "io.github.wheelscheduler.history.autoconfigure.HistoryAutoConfigurationTest$Nightly" + ".nightly";

        @Scheduled(cron = "0 0 2 29 2 *", zone = "UTC")
        void nightly() {}
    }

    private static TaskRegistry tasks(ApplicationContext context) {
        return context.getBean("taskScheduler", WheelTaskScheduler.class).getTaskRegistry();
    }

    private static List<HistoryRow> rows(ApplicationContext context, String task, int number) {
        RunHistoryReader reader = context.getBean(RunHistoryReader.class);
        HistoryQuery query = HistoryQuery.ALL.ofTask(task);
        await().atMost(PATIENCE).until(() -> reader.page(query).rows().size() >= number);
        return reader.page(query).rows();
    }

    @Test
    void runsOfTheSchedulerAreWrittenAndRead() {
        application.run(context -> {
            tasks(context).trigger(Nightly.TASK);
            assertThat(rows(context, Nightly.TASK, 1)).singleElement().satisfies(row -> {
                assertThat(row.outcome()).isEqualTo(HistoryOutcome.SUCCESS);
                assertThat(row.cause()).isEqualTo(HistoryCause.BY_HAND);
                assertThat(row.scheduler()).isEqualTo("taskScheduler");
                assertThat(row.node()).isNotEmpty();
            });
        });
    }

    @Test
    void nothingIsThereWithoutADatabase() {
        bare.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HistoryEngine.class));
    }

    @Test
    void nothingIsThereWithoutTheModule() {
        application
                .withClassLoader(new FilteredClassLoader(HistoryEngine.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("wheelHistory"));
    }

    @Test
    void nothingIsThereIfItIsSwitchedOff() {
        application
                .withPropertyValues("wheel.scheduler.history.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HistoryEngine.class));
    }

    @Test
    void badSettingIsNamedAsItsProperty() {
        application
                .withPropertyValues("wheel.scheduler.history.keep-rows=1s")
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .hasStackTraceContaining(
                                "wheel.scheduler.history.keep-rows must be 1 hour to 3650 days, was PT1S"));
    }

    @Test
    void missingTablesFailTheStartWithWhatToDo() {
        application
                .withPropertyValues("wheel.scheduler.history.initialize-schema=never")
                .run(context -> assertThat(context).hasFailed().getFailure().hasStackTraceContaining("wheel_history"));
    }

    @Test
    void oneOfSeveralDatabasesIsMarkedAsThatOfTheHistory() {
        application
                .withBean("other", DataSource.class, () -> new DriverManagerDataSource("jdbc:h2:mem:other", "sa", ""))
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("The DataSource for history rows must be clear")
                        .hasMessageContaining("dataSource, other"));
        application.withUserConfiguration(Marked.class).run(context -> {
            tasks(context).trigger(Nightly.TASK);
            assertThat(rows(context, Nightly.TASK, 1)).hasSize(1);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {

        @Bean
        @HistoryDataSource
        DataSource history() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedAlone {

        @Bean(defaultCandidate = false)
        @DurableDataSource
        @HistoryDataSource
        DataSource rows() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedForOthers {

        @Bean(defaultCandidate = false)
        @DurableDataSource
        DataSource rows() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        }
    }

    @Test
    void markedDatabaseNeedNotBeACandidate() {
        bare.withUserConfiguration(MarkedAlone.class).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(HistoryEngine.class);
            tasks(context).trigger(Nightly.TASK);
            assertThat(rows(context, Nightly.TASK, 1)).hasSize(1);
        });
        bare.withUserConfiguration(MarkedForOthers.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HistoryEngine.class));
    }

    @Test
    void eachSchedulerIsInTheRowsWithItsName() {
        application
                .withBean("reports", WheelTaskScheduler.class, WheelTaskScheduler::new)
                .run(context -> {
                    TaskRegistry reports =
                            context.getBean("reports", WheelTaskScheduler.class).getTaskRegistry();
                    ScheduledFuture<?> ignored = reports.schedule("print", () -> {}, TaskSchedule.once(Instant.now()));
                    assertThat(rows(context, "print", 1))
                            .extracting(HistoryRow::scheduler)
                            .containsExactly("reports");
                });
    }

    @Test
    void schedulerThatComesLaterIsInTheRows() {
        application.run(context -> {
            DefaultListableBeanFactory beans = (DefaultListableBeanFactory)
                    context.getSourceApplicationContext().getBeanFactory();
            beans.registerBeanDefinition(
                    "late",
                    BeanDefinitionBuilder.genericBeanDefinition(WheelTaskScheduler.class)
                            .getBeanDefinition());
            WheelTaskScheduler late = context.getBean("late", WheelTaskScheduler.class);
            ScheduledFuture<?> ignored =
                    late.getTaskRegistry().schedule("later", () -> {}, TaskSchedule.once(Instant.now()));
            assertThat(rows(context, "later", 1))
                    .extracting(HistoryRow::scheduler)
                    .containsExactly("late");
            beans.destroySingleton("late");
            tasks(context).trigger(Nightly.TASK);
            assertThat(rows(context, Nightly.TASK, 1)).hasSize(1);
        });
    }

    @Test
    void runThatEndsWhileTheApplicationClosesIsWritten() {
        CountDownLatch isRunning = new CountDownLatch(1);
        long[] closedNanos = new long[1];
        application
                .withPropertyValues(
                        "spring.task.scheduling.shutdown.await-termination=true",
                        "spring.task.scheduling.shutdown.await-termination-period=3m")
                .run(context -> {
                    ScheduledFuture<?> ignored = tasks(context)
                            .schedule(
                                    "last",
                                    () -> {
                                        isRunning.countDown();
                                        await().pollDelay(Duration.ofMillis(300))
                                                .until(() -> true);
                                    },
                                    TaskSchedule.once(Instant.now()));
                    assertThat(isRunning.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .isTrue();
                    closedNanos[0] = System.nanoTime();
                });
        // The history does not hold up the close for the whole period.
        assertThat(System.nanoTime() - closedNanos[0])
                .isLessThan(Duration.ofMinutes(2).toNanos());
        application.run(context -> assertThat(rows(context, "last", 1))
                .extracting(HistoryRow::outcome)
                .containsExactly(HistoryOutcome.SUCCESS));
    }

    /** A database that needs the scheduler, as a pool does that renews its connections on it. */
    @Configuration(proxyBeanMethods = false)
    static class OnTheScheduler {

        static final class Pool extends DelegatingDataSource implements AutoCloseable {

            private volatile boolean isClosed;

            Pool(DataSource target) {
                super(target);
            }

            @Override
            public Connection getConnection() throws SQLException {
                if (isClosed) {
                    throw new SQLException("the pool is closed");
                }
                return super.getConnection();
            }

            @Override
            public void close() {
                isClosed = true;
            }
        }

        @Bean
        Pool pool(TaskScheduler scheduler, @Value("${url}") String url) {
            return new Pool(new DriverManagerDataSource(url, "sa", ""));
        }
    }

    @Test
    void databaseThatNeedsTheSchedulerTakesTheLastRows() {
        ApplicationContextRunner onTheScheduler =
                bare.withUserConfiguration(OnTheScheduler.class).withPropertyValues("url=" + url);
        HistoryEngine[] history = new HistoryEngine[1];
        onTheScheduler.run(context -> {
            assertThat(context).hasNotFailed();
            history[0] = context.getBean(HistoryEngine.class);
            // The first batch, so that the next one waits.
            tasks(context).trigger(Nightly.TASK);
            assertThat(rows(context, Nightly.TASK, 1)).hasSize(1);
            tasks(context).trigger(Nightly.TASK);
            await().atMost(PATIENCE)
                    .until(() ->
                            history[0].counts().written() + history[0].counts().buffered() >= 2);
        });
        assertThat(history[0].counts().dropped()).isZero();
        onTheScheduler.run(context -> assertThat(rows(context, Nightly.TASK, 2)).hasSize(2));
    }

    @Configuration(proxyBeanMethods = false)
    static class Ours {

        @Bean
        HistoryEngine ourHistory(TimerWheel wheel, DataSource dataSource) {
            return new HistoryEngine(HistorySettings.ofNode("a"), wheel.executor(), dataSource);
        }
    }

    @Test
    void schedulersAreDestroyedBeforeAHistoryOfTheUser() {
        application.withUserConfiguration(Ours.class).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(HistoryEngine.class);
            DefaultListableBeanFactory beans = (DefaultListableBeanFactory)
                    context.getSourceApplicationContext().getBeanFactory();
            assertThat(beans.getDependentBeans("ourHistory")).contains("taskScheduler", "wheelSchedulerTimers");
        });
    }

    @Test
    void restartKeepsTheLastSuccess() {
        application.run(context -> {
            tasks(context).trigger(Nightly.TASK);
            assertThat(rows(context, Nightly.TASK, 1)).hasSize(1);
        });
        application.run(context -> {
            await().atMost(PATIENCE)
                    .until(() -> tasks(context).get(Nightly.TASK).lastSuccess() != null);
            assertThat(tasks(context).get(Nightly.TASK).runs()).isZero();
            assertThat(context.getBean(RunHistoryReader.class)
                            .summary(Nightly.TASK)
                            .successes())
                    .isEqualTo(1);
        });
    }

    @Test
    void namedCallIsInTheAuditAndNamesWhoTriggered() {
        application.run(context -> {
            SteeredBy.name("release 12")
                    .because("the table is rebuilt")
                    .run(() -> tasks(context).trigger(Nightly.TASK));
            assertThat(rows(context, Nightly.TASK, 1)).hasSize(1);
            RunHistoryReader reader = context.getBean(RunHistoryReader.class);
            await().atMost(PATIENCE)
                    .until(() -> !reader.audit(AuditQuery.ALL).entries().isEmpty());
            assertThat(reader.audit(AuditQuery.ALL).entries()).singleElement().satisfies(entry -> {
                assertThat(entry)
                        .extracting(
                                AuditEntry::scheduler,
                                AuditEntry::task,
                                AuditEntry::action,
                                AuditEntry::channel,
                                AuditEntry::who,
                                AuditEntry::reason,
                                AuditEntry::refusal)
                        .containsExactly(
                                "taskScheduler",
                                Nightly.TASK,
                                "trigger",
                                "java",
                                "release 12",
                                "the table is rebuilt",
                                null);
            });
        });
    }

    @Test
    void metersCountTheRows() {
        application.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            context.getBean("wheelHistoryMeters", MeterBinder.class).bindTo(registry);
            tasks(context).trigger(Nightly.TASK);
            assertThat(rows(context, Nightly.TASK, 1)).hasSize(1);
            await().atMost(PATIENCE)
                    .until(() -> registry.get("wheel.scheduler.history.written")
                                    .functionCounter()
                                    .count()
                            == 1);
            assertThat(registry.get("wheel.scheduler.history.dropped")
                            .functionCounter()
                            .count())
                    .isZero();
            assertThat(registry.get("wheel.scheduler.history.buffered").gauge().value())
                    .isZero();
        });
    }
}
