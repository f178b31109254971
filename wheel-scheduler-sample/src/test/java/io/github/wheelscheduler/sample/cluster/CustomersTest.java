package io.github.wheelscheduler.sample.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.RecurringTasks.Change;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** A shop whose customers say when they want their report, each in the zone where they live; on PostgreSQL. */
class CustomersTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final TaskSchedule OFTEN = TaskSchedule.fixedRate(Duration.ofMillis(100));

    record Customer(String id, String name, ZoneId zone) {

        TaskSchedule atSeven() {
            return TaskSchedule.cron("0 0 7 * * MON-FRI", zone);
        }
    }

    @EnableAutoConfiguration
    static class Shop {

        @Bean
        Reports reports() {
            return new Reports();
        }

        @Bean
        Customers customers(JdbcTemplate jdbc, RecurringTasks recurring) {
            return new Customers(jdbc, recurring);
        }
    }

    static class Reports {

        private final Queue<String> sent = new ConcurrentLinkedQueue<>();

        @DurableHandler(value = "report", maxRetries = 0)
        void report(Customer customer) {
            sent.add(customer.name());
        }
    }

    static class Customers {

        private final JdbcTemplate jdbc;
        private final RecurringTasks recurring;

        Customers(JdbcTemplate jdbc, RecurringTasks recurring) {
            this.jdbc = jdbc;
            this.recurring = recurring;
            jdbc.execute("create table if not exists customer (id varchar(50) primary key, name varchar(50))");
        }

        @Transactional
        public Change add(Customer customer, TaskSchedule schedule) {
            Change change = recurring.schedule("report", customer.id(), schedule, customer);
            int ignored = jdbc.update("insert into customer values (?, ?)", customer.id(), customer.name());
            return change;
        }

        @Transactional
        public Change save(Customer customer, TaskSchedule schedule) {
            int ignored = jdbc.update("update customer set name = ? where id = ?", customer.name(), customer.id());
            return recurring.schedule("report", customer.id(), schedule, customer);
        }

        @Transactional
        public boolean remove(String id) {
            return jdbc.update("delete from customer where id = ?", id) == 1 && recurring.end(id);
        }
    }

    private static ConfigurableApplicationContext start(Cluster cluster) throws IOException, SQLException {
        return new SpringApplicationBuilder(Shop.class)
                .run(
                        "--spring.config.name=cluster",
                        "--spring.datasource.username=postgres",
                        "--spring.datasource.url=" + OrdersTest.url(cluster));
    }

    @Test
    void schedulesAreThoseOfTheCustomers() throws Exception {
        Assumptions.assumeFalse(
                System.getProperty("wheel.test.skip", "").contains("postgresql"), "skipped by wheel.test.skip");
        try (Cluster cluster = OrdersTest.start()) {
            Customer ada = new Customer("1", "Ada", ZoneId.of("Europe/London"));
            Customer grace = new Customer("2", "Grace", ZoneId.of("America/New_York"));
            Instant due;
            try (ConfigurableApplicationContext context = start(cluster)) {
                Customers customers = context.getBean(Customers.class);
                RecurringTasks recurring = context.getBean(RecurringTasks.class);
                assertThat(customers.add(ada, ada.atSeven())).isEqualTo(Change.ADDED);
                assertThat(customers.add(grace, OFTEN)).isEqualTo(Change.ADDED);
                Customer twice = new Customer("1", "Eve", ada.zone());
                assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> customers.add(twice, OFTEN));
                assertThat(recurring.find("1").orElseThrow().schedule())
                        .as("the change has gone with the transaction")
                        .isEqualTo("cron 0 0 7 * * MON-FRI Europe/London");
                due = recurring.find("1").orElseThrow().dueAt();
                awaitReports(context, "Grace", 3);
                assertThat(recurring.retime("2", grace.atSeven())).isTrue();
            }
            try (ConfigurableApplicationContext context = start(cluster)) {
                Customers customers = context.getBean(Customers.class);
                RecurringTasks recurring = context.getBean(RecurringTasks.class);
                assertThat(recurring.list()).extracting(RecurringTask::id).containsExactly("1", "2");
                assertThat(customers.save(ada, ada.atSeven())).isEqualTo(Change.UNCHANGED);
                assertThat(recurring.find("1").orElseThrow().dueAt()).isEqualTo(due);
                assertThat(customers.save(grace, OFTEN)).isEqualTo(Change.UNCHANGED);
                assertThat(recurring.find("2").orElseThrow().schedule())
                        .as("as its operator has re-timed it")
                        .isEqualTo("cron 0 0 7 * * MON-FRI America/New_York");
                Customer moved = new Customer("1", "Ada", ZoneId.of("Asia/Tokyo"));
                assertThat(customers.save(moved, moved.atSeven())).isEqualTo(Change.CHANGED);
                assertThat(recurring.find("1").orElseThrow().dueAt()).isNotEqualTo(due);
                assertThat(recurring.trigger("1")).isTrue();
                awaitReports(context, "Ada", 1);
                for (String id : List.of("1", "2")) {
                    assertThat(customers.remove(id)).isTrue();
                    assertThat(customers.remove(id)).isFalse();
                }
                assertThat(recurring.list()).isEmpty();
            }
        }
    }

    private static void awaitReports(ConfigurableApplicationContext context, String name, int count) {
        Reports reports = context.getBean(Reports.class);
        await().atMost(PATIENCE)
                .until(() -> reports.sent.stream().filter(name::equals).count() >= count);
    }
}
