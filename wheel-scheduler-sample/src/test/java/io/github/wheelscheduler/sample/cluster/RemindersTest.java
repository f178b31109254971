package io.github.wheelscheduler.sample.cluster;

import static io.github.wheelscheduler.test.DurableAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.test.AutoConfigureVirtualTime;
import io.github.wheelscheduler.test.DurableRuns;
import io.github.wheelscheduler.test.DurableTime;
import io.github.wheelscheduler.test.VirtualTime;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.Transactional;

/** Reminders of a month, and their retries, in a second: tests of durable tasks as an application has them. */
class RemindersTest {

    @EnableAutoConfiguration
    static class Application {

        @Bean
        Mails mails(Clock clock) {
            return new Mails(clock);
        }

        @Bean
        Shop shop(Orders orders, DurableTasks tasks, Clock clock) {
            return new Shop(orders, tasks, clock);
        }
    }

    static class Mails {

        final List<String> sent = new CopyOnWriteArrayList<>();
        final AtomicInteger failures = new AtomicInteger();
        private final Clock clock;

        Mails(Clock clock) {
            this.clock = clock;
        }

        @DurableHandler(value = "remind", backOff = "5m")
        void remind(String address) throws IOException {
            send(address);
        }

        void send(String address) throws IOException {
            if (failures.getAndDecrement() > 0) {
                throw new IOException("The mail server does not answer");
            }
            sent.add(address + " at " + clock.instant());
        }
    }

    /** Where orders are kept. */
    interface Orders {

        void add(String number);

        void confirm(String number);

        String stateOf(String number);
    }

    static class Shop {

        private final Orders orders;
        private final DurableTasks tasks;
        private final Clock clock;

        Shop(Orders orders, DurableTasks tasks, Clock clock) {
            this.orders = orders;
            this.tasks = tasks;
            this.clock = clock;
        }

        @Transactional
        public void place(String number) {
            orders.add(number);
            assertThat(tasks.schedule("confirm", number, number, clock.instant()))
                    .isTrue();
        }

        @DurableHandler(value = "confirm", transactional = true, backOff = "5m", maxRetries = 1)
        public void confirm(String number) {
            orders.confirm(number);
            if (number.startsWith("bad")) {
                throw new IllegalStateException("nobody can deliver that");
            }
        }
    }

    /** With JDBC, which Spring Boot sets up. */
    @TestConfiguration(proxyBeanMethods = false)
    static class WithJdbc {

        @Bean
        Orders orders(JdbcTemplate jdbc) {
            jdbc.execute("create table orders (number varchar(50) primary key, state varchar(50))");
            return new JdbcOrders(jdbc);
        }
    }

    record JdbcOrders(JdbcTemplate jdbc) implements Orders {

        @Override
        public void add(String number) {
            int ignored = jdbc.update("insert into orders values (?, 'placed')", number);
        }

        @Override
        public void confirm(String number) {
            int ignored = jdbc.update("update orders set state = 'confirmed' where number = ?", number);
        }

        @Override
        public String stateOf(String number) {
            return jdbc.queryForObject("select state from orders where number = ?", String.class, number);
        }
    }

    /** With JPA. */
    @TestConfiguration(proxyBeanMethods = false)
    static class WithJpa {

        @Bean
        LocalContainerEntityManagerFactoryBean units(DataSource dataSource) {
            HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
            hibernate.setGenerateDdl(true);
            LocalContainerEntityManagerFactoryBean units = new LocalContainerEntityManagerFactoryBean();
            units.setDataSource(dataSource);
            units.setJpaVendorAdapter(hibernate);
            units.setManagedTypes(PersistenceManagedTypes.of(Order.class.getName()));
            return units;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory units) {
            return new JpaTransactionManager(units);
        }

        @Bean
        Orders orders(EntityManagerFactory units) {
            return new JpaOrders(SharedEntityManagerCreator.createSharedEntityManager(units));
        }
    }

    @Entity(name = "orders")
    static class Order {

        @Id
        private String number = "";

        private String state = "placed";

        protected Order() {}

        Order(String number) {
            this.number = number;
        }
    }

    record JpaOrders(EntityManager units) implements Orders {

        @Override
        public void add(String number) {
            units.persist(new Order(number));
        }

        @Override
        public void confirm(String number) {
            units.find(Order.class, number).state = "confirmed";
        }

        @Override
        public String stateOf(String number) {
            return units.find(Order.class, number).state;
        }
    }

    /** The tests of each database, with JDBC and with JPA. */
    @AutoConfigureVirtualTime
    @DirtiesContext
    abstract static class Contract {

        @Autowired
        VirtualTime time;

        @Autowired
        DurableTasks tasks;

        @Autowired
        DurableTime durable;

        @Autowired
        DurableRuns runs;

        @Autowired
        Mails mails;

        @Autowired
        Shop shop;

        @Autowired
        Orders orders;

        @BeforeEach
        void forget() {
            mails.sent.clear();
        }

        @Test
        void customerIsRemindedAfterThirtyDays() {
            mails.failures.set(2);
            Instant due = time.now().plus(Duration.ofDays(30));
            assertThat(tasks.schedule("remind", "42", "anna@example.org", due)).isTrue();

            time.advanceBy(Duration.ofDays(31));

            assertThat(runs).failed("remind").withId("42").times(2);
            assertThat(runs).ran("remind").withId("42").atAttempt(3);
            assertThat(mails.sent).containsExactly("anna@example.org at " + due.plus(Duration.ofMinutes(15)));
            assertThat(tasks).nothingScheduled();
        }

        @Test
        void reminderOfTheNextMonthWaits() {
            Instant due = time.now().plus(Duration.ofDays(30));
            assertThat(tasks.schedule("remind", "43", "berta@example.org", due)).isTrue();

            assertThat(runs.during(() -> time.advanceBy(Duration.ofDays(29)))).nothingRan();
            assertThat(tasks).scheduled("remind").withId("43").dueAt(due);
            assertThat(tasks.cancel("remind", "43")).isTrue();
        }

        @Test
        @Transactional
        void reminderIsSentInTestsTransaction() {
            mails.failures.set(1);
            assertThat(tasks.schedule("remind", "44", "carla@example.org", time.now()))
                    .isTrue();
            assertThat(tasks).scheduled("remind").withId("44").payload("carla@example.org");

            DurableRuns ended = durable.runDue(1);

            assertThat(ended).failed("remind").withId("44").atAttempt(1);
            assertThat(ended).ran("remind").withId("44").atAttempt(2);
            assertThat(mails.sent).containsExactly("carla@example.org at " + time.now());
            assertThat(tasks).nothingScheduled();
        }

        @Test
        @Transactional
        void orderIsConfirmedInTestsTransaction() {
            shop.place("1");
            assertThat(tasks).scheduled("confirm").withId("1").payload("1").dueAt(time.now());

            assertThat(durable.runDue()).ran("confirm").withId("1").times(1);

            assertThat(orders.stateOf("1")).isEqualTo("confirmed");
            assertThat(tasks).nothingScheduled();
        }

        @Test
        @Transactional
        void orderThatFailsIsNotConfirmed() {
            shop.place("bad 1");

            DurableRuns ended = durable.runUntilIdle(Duration.ofHours(1));

            assertThat(ended)
                    .failed("confirm")
                    .withId("bad 1")
                    .times(2)
                    .atAttempt(2)
                    .forGood();
            assertThat(tasks).failed("confirm").withId("bad 1").afterFailures(2);
            assertThat(orders.stateOf("bad 1")).isEqualTo("placed");
        }

        @Test
        void committedOrderIsConfirmedByWorkers() {
            shop.place("2");

            assertThat(durable.runDueOnWorkers()).ran("confirm").withId("2").times(1);

            assertThat(durable.awaitEnd("confirm", "2", Duration.ZERO).attempt())
                    .isEqualTo(1);
            assertThat(orders.stateOf("2")).isEqualTo("confirmed");
        }
    }

    @Nested
    @SpringBootTest(
            webEnvironment = WebEnvironment.NONE,
            properties = "spring.config.name=cluster",
            classes = {Application.class, WithJdbc.class})
    class JdbcOnH2 extends Contract {

        @DynamicPropertySource
        static void useDatabase(DynamicPropertyRegistry registry) {
            TestServers.useH2(registry);
        }
    }

    @Nested
    @SpringBootTest(
            webEnvironment = WebEnvironment.NONE,
            properties = "spring.config.name=cluster",
            classes = {Application.class, WithJdbc.class})
    class JdbcOnPostgresql extends Contract {

        @BeforeAll
        static void requireServer() {
            TestServers.requirePostgresql();
        }

        @DynamicPropertySource
        static void useDatabase(DynamicPropertyRegistry registry) {
            TestServers.usePostgresql(registry);
        }
    }

    @Nested
    @SpringBootTest(
            webEnvironment = WebEnvironment.NONE,
            properties = "spring.config.name=cluster",
            classes = {Application.class, WithJdbc.class})
    class JdbcOnMariaDb extends Contract {

        @BeforeAll
        static void requireServer() {
            TestServers.requireMariaDb();
        }

        @DynamicPropertySource
        static void useDatabase(DynamicPropertyRegistry registry) {
            TestServers.useMariaDb(registry);
        }
    }

    @Nested
    @SpringBootTest(
            webEnvironment = WebEnvironment.NONE,
            properties = "spring.config.name=cluster",
            classes = {Application.class, WithJpa.class})
    class JpaOnH2 extends Contract {

        @DynamicPropertySource
        static void useDatabase(DynamicPropertyRegistry registry) {
            TestServers.useH2(registry);
        }
    }

    @Nested
    @SpringBootTest(
            webEnvironment = WebEnvironment.NONE,
            properties = "spring.config.name=cluster",
            classes = {Application.class, WithJpa.class})
    class JpaOnPostgresql extends Contract {

        @BeforeAll
        static void requireServer() {
            TestServers.requirePostgresql();
        }

        @DynamicPropertySource
        static void useDatabase(DynamicPropertyRegistry registry) {
            TestServers.usePostgresql(registry);
        }
    }

    @Nested
    @SpringBootTest(
            webEnvironment = WebEnvironment.NONE,
            properties = "spring.config.name=cluster",
            classes = {Application.class, WithJpa.class})
    class JpaOnMariaDb extends Contract {

        @BeforeAll
        static void requireServer() {
            TestServers.requireMariaDb();
        }

        @DynamicPropertySource
        static void useDatabase(DynamicPropertyRegistry registry) {
            TestServers.useMariaDb(registry);
        }
    }
}
