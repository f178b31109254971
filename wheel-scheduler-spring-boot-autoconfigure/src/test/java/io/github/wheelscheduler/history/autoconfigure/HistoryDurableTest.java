package io.github.wheelscheduler.history.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.steering.SteeringAutoConfiguration;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableListener;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.autoconfigure.DurableAutoConfiguration;
import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.AuditQuery;
import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.history.RunHistoryReader;
import io.github.wheelscheduler.history.TaskSummary;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.steering.SteeredBy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import tools.jackson.databind.json.JsonMapper;

/** Durable tasks of an application that has the history, too. */
class HistoryDurableTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    TaskSchedulingAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    WheelSchedulerAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    DurableAutoConfiguration.class,
                    HistoryAutoConfiguration.class,
                    SteeringAutoConfiguration.class))
            .withUserConfiguration(Mails.class);

    private final ApplicationContextRunner application =
            bare.withBean("dataSource", DataSource.class, () -> new DriverManagerDataSource(url, "sa", ""));

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Mails implements DurableListener {

        final Queue<DurableEnd> ends = new ConcurrentLinkedQueue<>();
        final CountDownLatch isRunning = new CountDownLatch(1);

        @DurableHandler(value = "mail", maxRetries = 1, backOff = "10ms")
        void mail(String text) {
            if (text.equals("broken")) {
                throw new IllegalStateException("no paper");
            }
            if (text.equals("slow")) {
                isRunning.countDown();
                await().pollDelay(Duration.ofMillis(300)).until(() -> true);
            }
        }

        @Durable("nightly")
        @Scheduled(cron = "0 0 2 29 2 *", zone = "UTC")
        void nightly() {}

        @Override
        public void ended(DurableEnd end) {
            ends.add(end);
        }
    }

    private static List<HistoryRow> rows(ApplicationContext context, String task, int number) {
        RunHistoryReader reader = context.getBean(RunHistoryReader.class);
        HistoryQuery query = HistoryQuery.ALL.ofTask(task);
        await().atMost(PATIENCE).until(() -> reader.page(query).rows().size() >= number);
        return reader.page(query).rows();
    }

    @Test
    void everyEndThatListenersReceiveHasItsRow() {
        application.run(context -> {
            DurableTasks tasks = context.getBean(DurableTasks.class);
            assertThat(tasks.schedule("mail", "1", "well", Instant.now())).isTrue();
            assertThat(tasks.schedule("mail", "2", "broken", Instant.now())).isTrue();
            assertThat(tasks.schedule("mail", "3", "well", Instant.now().plusSeconds(3_600)))
                    .isTrue();
            assertThat(tasks.cancel("mail", "3")).isTrue();
            List<HistoryRow> rows = rows(context, "mail", 4);
            Mails mails = context.getBean(Mails.class);
            await().atMost(PATIENCE).until(() -> mails.ends.size() == 4);
            assertThat(rows)
                    .extracting(row -> row.instance() + " " + row.attempt())
                    .containsExactlyInAnyOrderElementsOf(mails.ends.stream()
                            .map(end -> end.id() + " " + end.attempt())
                            .toList());
            assertThat(rows)
                    .filteredOn(row -> "2".equals(row.instance()))
                    .extracting(HistoryRow::outcome)
                    .containsExactly(HistoryOutcome.GIVEN_UP, HistoryOutcome.FAILURE);
            TaskSummary summary = context.getBean(RunHistoryReader.class).summary("mail");
            assertThat(summary.failures()).isEqualTo(2);
            assertThat(summary.lastSuccess()).isNotNull();
        });
        application.run(context -> assertThat(
                        context.getBean(RunHistoryReader.class).summary("mail").successes())
                .isEqualTo(1));
    }

    @Test
    void recurringTaskHasRowsByItsId() {
        application.run(context -> {
            RecurringTasks tasks = context.getBean(RecurringTasks.class);
            await().atMost(PATIENCE).until(() -> tasks.trigger("nightly"));
            HistoryRow row = rows(context, "nightly", 1).get(0);
            assertThat(row.outcome()).isEqualTo(HistoryOutcome.SUCCESS);
            assertThat(row.cause()).isEqualTo(HistoryCause.BY_HAND);
            assertThat(row.scheduler()).isEqualTo("durable");
            assertThat(row.instance()).isNull();
        });
    }

    @Test
    void namedCallIsInTheAuditOnce() {
        application.run(context -> {
            RecurringTasks tasks = context.getBean(RecurringTasks.class);
            await().atMost(PATIENCE).until(() -> tasks.find("nightly").isPresent());
            SteeredBy.name("release 12").because("a new table").run(() -> {
                assertThat(tasks.pause("nightly")).isTrue();
                assertThat(tasks.trigger("none")).isFalse();
            });
            RunHistoryReader reader = context.getBean(RunHistoryReader.class);
            await().atMost(PATIENCE)
                    .until(() -> reader.audit(AuditQuery.ALL).entries().size() >= 2);
            assertThat(reader.audit(AuditQuery.ALL).entries())
                    .extracting(
                            AuditEntry::task,
                            AuditEntry::action,
                            AuditEntry::channel,
                            AuditEntry::who,
                            AuditEntry::from,
                            AuditEntry::to,
                            AuditEntry::reason,
                            AuditEntry::refusal)
                    .containsExactlyInAnyOrder(
                            tuple(
                                    "nightly",
                                    "pause",
                                    "java",
                                    "release 12",
                                    "SCHEDULED cron 0 0 2 29 2 * UTC",
                                    "PAUSED cron 0 0 2 29 2 * UTC",
                                    "a new table",
                                    null),
                            tuple(
                                    "none",
                                    "trigger",
                                    "java",
                                    "release 12",
                                    null,
                                    null,
                                    "a new table",
                                    "No recurring durable task named none"));
        });
    }

    @Test
    void nodeOfAFactoryBeanHasRows() {
        bare.withUserConfiguration(MadeByAFactory.class)
                .withBean("dataSource", DataSource.class, () -> new DriverManagerDataSource(url, "sa", ""))
                .run(context -> {
                    DurableEngine engine = context.getBean(DurableEngine.class);
                    engine.handle("fax", String.class, RetryPolicy.DEFAULT, text -> {});
                    engine.start();
                    SteeredBy.name("ann")
                            .run(() -> assertThat(engine.cancel("fax", "none")).isFalse());
                    assertThat(engine.schedule("fax", "1", "well", Instant.now()))
                            .isTrue();
                    assertThat(rows(context, "fax", 1))
                            .extracting(HistoryRow::instance)
                            .containsExactly("1");
                    RunHistoryReader reader = context.getBean(RunHistoryReader.class);
                    await().atMost(PATIENCE)
                            .until(() -> !reader.audit(AuditQuery.ALL).entries().isEmpty());
                    assertThat(reader.audit(AuditQuery.ALL).entries()).hasSize(1);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class MadeByAFactory {

        @Bean
        static FactoryBean<DurableEngine> faxes(TimerWheel wheel, DataSource dataSource) {
            return new FactoryBean<>() {
                @Override
                public DurableEngine getObject() {
                    return new DurableEngine(
                            DurableSettings.ofNode("a"),
                            wheel.executor(),
                            dataSource,
                            JsonMapper.builder().build(),
                            DurableObserver.NONE);
                }

                @Override
                public Class<?> getObjectType() {
                    return DurableEngine.class;
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReadsTheHistory {

        @Bean
        DurableObserver readingObserver(RunHistoryReader reader) {
            return DurableObserver.NONE;
        }
    }

    @Test
    void observersAndFormatsMayReadTheHistory() {
        application.withUserConfiguration(ReadsTheHistory.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(HistoryEngine.class).settings().node())
                    .isEqualTo(context.getBean(DurableEngine.class).settings().node());
        });
        application
                .withUserConfiguration(ReadsTheHistory.class)
                .withPropertyValues("wheel.scheduler.durable.node=shop")
                .run(context -> assertThat(
                                context.getBean(HistoryEngine.class).settings().node())
                        .isEqualTo("shop"));
    }

    @Test
    void runByHandSaysByWhom() {
        application.run(context -> {
            RecurringTasks tasks = context.getBean(RecurringTasks.class);
            SteeredBy ann = SteeredBy.name("ann");
            await().atMost(PATIENCE).until(() -> ann.call(() -> tasks.trigger("nightly")));
            assertThat(rows(context, "nightly", 1)).extracting(HistoryRow::by).containsExactly("ann");
            DurableTasks mails = context.getBean(DurableTasks.class);
            assertThat(mails.schedule("mail", "2", "broken", Instant.now())).isTrue();
            assertThat(rows(context, "mail", 2)).extracting(HistoryRow::by).containsOnlyNulls();
            assertThat(ann.<Boolean>call(() -> mails.retry("mail", "2"))).isTrue();
            assertThat(rows(context, "mail", 4)).extracting(HistoryRow::by).containsExactly(null, "ann", null, null);
        });
    }

    @Test
    void runThatEndsWhileTheApplicationClosesIsWritten() {
        application.run(context -> {
            assertThat(context.getBean(DurableTasks.class).schedule("mail", "1", "slow", Instant.now()))
                    .isTrue();
            assertThat(context.getBean(Mails.class).isRunning.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        });
        application.run(context -> assertThat(rows(context, "mail", 1))
                .extracting(HistoryRow::outcome)
                .containsExactly(HistoryOutcome.SUCCESS));
    }

    @Test
    void nodeIsDestroyedBeforeAHistoryOfTheUser() {
        application
                .withUserConfiguration(HistoryAutoConfigurationTest.Ours.class)
                .run(context -> {
                    ConfigurableBeanFactory beans =
                            context.getSourceApplicationContext().getBeanFactory();
                    assertThat(beans.getDependentBeans("ourHistory"))
                            .contains(context.getBeanNamesForType(DurableEngine.class));
                });
    }

    @Test
    void brokenHistoryFailsNoEnd() {
        bare.withUserConfiguration(TwoDatabases.class).run(context -> {
            JdbcTemplate jdbc = new JdbcTemplate(context.getBean("history", DataSource.class));
            jdbc.execute("alter table wheel_history_run rename to gone");
            DurableTasks tasks = context.getBean(DurableTasks.class);
            for (int i = 0; i < 20; i++) {
                assertThat(tasks.schedule("mail", "" + i, "well", Instant.now()))
                        .isTrue();
            }
            Mails mails = context.getBean(Mails.class);
            await().atMost(PATIENCE).until(() -> mails.ends.size() == 20);
            assertThat(mails.ends).extracting(DurableEnd::kind).containsOnly(DurableEnd.Kind.DONE);
            HistoryEngine history = context.getBean(HistoryEngine.class);
            await().atMost(PATIENCE)
                    .until(() -> history.counts().dropped() + history.counts().failed() > 0);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDatabases {

        private static DataSource made() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        }

        @Bean
        @Primary
        DataSource tasks() {
            return made();
        }

        @Bean
        @HistoryDataSource
        DataSource history() {
            return made();
        }
    }

    @Test
    void durableTasksRunWithoutTheModule() {
        application
                .withClassLoader(new FilteredClassLoader(HistoryEngine.class))
                .run(context -> {
                    assertThat(context).doesNotHaveBean("wheelHistoryJournal");
                    assertThat(context.getBean(DurableTasks.class).schedule("mail", "1", "well", Instant.now()))
                            .isTrue();
                    Mails mails = context.getBean(Mails.class);
                    await().atMost(PATIENCE).until(() -> mails.ends.size() == 1);
                });
    }
}
