package io.github.wheelscheduler.sample.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableListener;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableRun;
import io.github.wheelscheduler.durable.DurableTask.State;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A shop whose handlers say what becomes of their tasks, on PostgreSQL. */
class OrdersTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration TENTH = Duration.ofMillis(100);
    private static final TaskSchedule DAILY = TaskSchedule.cron("0 0 3 * * *", ZoneId.of("Europe/Berlin"));

    record Order(String number, int polls) {}

    /** The carrier does not know this order. */
    @SuppressWarnings("serial")
    static final class UnknownOrderException extends Exception {}

    @EnableAutoConfiguration
    static class Shop {

        @Bean
        Handlers handlers(JdbcTemplate jdbc) {
            return new Handlers(jdbc);
        }

        @Bean
        Refunds refunds(DurableTasks tasks) {
            return new Refunds(tasks);
        }
    }

    static class Handlers {

        private final JdbcTemplate jdbc;

        Handlers(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
            jdbc.execute("create table booked (entry varchar(50))");
        }

        private int book(String entry) {
            int ignored = jdbc.update("insert into booked values (?)", entry);
            return jdbc.queryForObject("select count(*) from booked where entry = ?", Integer.class, entry);
        }

        @DurableHandler(
                value = "ship",
                transactional = true,
                backOff = "10ms",
                noRetryFor = UnknownOrderException.class)
        DurableOutcome ship(Order order, DurableRun run) throws UnknownOrderException {
            if (order.polls() < 0) {
                book("is rolled back");
                throw new UnknownOrderException();
            }
            if (book("polled " + order.number()) < order.polls()) {
                assertThat(run.attempt()).isEqualTo(1);
                return DurableOutcome.again(Instant.now().plusMillis(20));
            }
            return order.number().startsWith("lost")
                    ? DurableOutcome.giveUp("The carrier has lost it")
                    : DurableOutcome.done();
        }

        @DurableHandler(value = "remind", maxRetries = 1, backOff = "10ms", transactional = true)
        void remind(Order order, DurableRun run) {
            if (book("reminded " + order.number()) == 1 && run.attempt() == 1) {
                throw new IllegalStateException("The first attempt fails, and is rolled back");
            }
        }

        @DurableHandler("refund")
        void refund(String number) {
            assertThat(book("refunded " + number)).isEqualTo(1);
        }
    }

    static class Refunds implements DurableListener {

        private final DurableTasks tasks;
        private final Queue<DurableEnd> ends = new ConcurrentLinkedQueue<>();

        Refunds(DurableTasks tasks) {
            this.tasks = tasks;
        }

        @Override
        public void ended(DurableEnd end) {
            ends.add(end);
            if (end.kind() == DurableEnd.Kind.GIVEN_UP) {
                assertThat(tasks.schedule("refund", end.id(), end.id(), Instant.now()))
                        .isTrue();
            }
        }
    }

    @Test
    void handlersSayWhatBecomesOfOrders() throws Exception {
        Assumptions.assumeFalse(
                System.getProperty("wheel.test.skip", "").contains("postgresql"), "skipped by wheel.test.skip");
        try (Cluster cluster = start();
                ConfigurableApplicationContext context = new SpringApplicationBuilder(Shop.class)
                        .run(
                                "--spring.config.name=cluster",
                                "--spring.datasource.username=postgres",
                                "--spring.datasource.url=" + url(cluster))) {
            DurableTasks tasks = context.getBean(DurableTasks.class);
            RetryPolicy once = new RetryPolicy(0, Duration.ofSeconds(1), Duration.ofSeconds(1));
            assertThat(tasks.scheduleAll(
                            "ship",
                            List.of(
                                    new DurableRequest("1", new Order("1", 3), Instant.now()),
                                    new DurableRequest("2", new Order("lost 2", 2), Instant.now(), once),
                                    new DurableRequest("3", new Order("3", -1), Instant.now()))))
                    .isEqualTo(3);
            Refunds refunds = context.getBean(Refunds.class);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(refunds.ends)
                            .extracting(end -> end.kind() + " " + end.handler() + " " + end.id())
                            .containsExactlyInAnyOrder(
                                    "AGAIN ship 1",
                                    "AGAIN ship 1",
                                    "DONE ship 1",
                                    "AGAIN ship 2",
                                    "GIVEN_UP ship 2",
                                    "GIVEN_UP ship 3",
                                    "DONE refund 2",
                                    "DONE refund 3"));
            assertThat(tasks.list("ship", State.FAILED, null, 10))
                    .extracting(task -> task.id() + ": "
                            + task.failure().lines().findFirst().orElseThrow())
                    .containsExactly("2: The carrier has lost it", "3: " + UnknownOrderException.class.getName());
            DataSource dataSource = context.getBean(DataSource.class);
            assertThat(new JdbcTemplate(dataSource)
                            .queryForList("select entry from booked order by entry", String.class))
                    .containsExactly(
                            "polled 1",
                            "polled 1",
                            "polled 1",
                            "polled lost 2",
                            "polled lost 2",
                            "refunded 2",
                            "refunded 3");
        }
    }

    @Test
    void customersHaveSchedulesOfTheirOwn() throws Exception {
        Assumptions.assumeFalse(
                System.getProperty("wheel.test.skip", "").contains("postgresql"), "skipped by wheel.test.skip");
        try (Cluster cluster = start();
                ConfigurableApplicationContext context = new SpringApplicationBuilder(Shop.class)
                        .run(
                                "--spring.config.name=cluster",
                                "--spring.datasource.username=postgres",
                                "--spring.datasource.url=" + url(cluster))) {
            RecurringTasks recurring = context.getBean(RecurringTasks.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            transaction.executeWithoutResult(status -> {
                recurring.schedule("remind", "rolled back", TaskSchedule.fixedRate(HOUR), new Order("no", 0));
                status.setRollbackOnly();
            });
            transaction.executeWithoutResult(status -> {
                recurring.schedule("remind", "4711", TaskSchedule.fixedRate(TENTH), new Order("4711", 0));
                recurring.schedule("remind", "daily", DAILY, new Order("daily", 0));
            });
            Refunds refunds = context.getBean(Refunds.class);
            await().atMost(PATIENCE)
                    .until(() -> refunds.ends.stream()
                                    .filter(end -> end.kind() == DurableEnd.Kind.DONE)
                                    .count()
                            >= 3);
            assertThat(refunds.ends).allSatisfy(end -> {
                assertThat(end.handler()).isEqualTo("remind");
                assertThat(end.id()).isEqualTo("4711");
            });
            assertThat(refunds.ends)
                    .first()
                    .satisfies(end -> assertThat(end.kind()).isEqualTo(DurableEnd.Kind.RETRIED));
            assertThat(recurring.schedule("remind", "daily", DAILY, new Order("daily", 0)))
                    .isEqualTo(RecurringTasks.Change.UNCHANGED);
            assertThat(recurring.list())
                    .extracting(RecurringTask::id, RecurringTask::handler, RecurringTask::schedule)
                    .containsExactly(
                            tuple("4711", "remind", "fixed-rate PT0.1S"),
                            tuple("daily", "remind", "cron 0 0 3 * * * Europe/Berlin"));
            assertThat(recurring.end("4711")).isTrue();
            assertThat(recurring.list()).extracting(RecurringTask::id).containsExactly("daily");
        }
    }

    static String url(Cluster cluster) throws IOException, SQLException {
        try (Connection connection = cluster.dataSource().getConnection()) {
            return connection.getMetaData().getURL();
        }
    }

    static Cluster start() throws IOException, InterruptedException {
        try {
            return Cluster.start();
        } catch (IOException ex) {
            boolean isRequired = System.getProperty("wheel.test.require", "").contains("postgresql");
            if (isRequired || !ex.getMessage().startsWith("PostgreSQL must start here")) {
                throw ex;
            }
            return Assumptions.abort("PostgreSQL does not start here");
        }
    }
}
