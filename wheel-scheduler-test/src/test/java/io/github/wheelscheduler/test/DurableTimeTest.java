package io.github.wheelscheduler.test;

import static io.github.wheelscheduler.test.DurableAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RecurringTasks.Change;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Tasks run in the transaction of their test, which is rolled back, on each database and with both kinds of managers.
 */
class DurableTimeTest {

    @Entity(name = "entry")
    static class Entry {

        @Id
        private String name = "";

        protected Entry() {}

        Entry(String name) {
            this.name = name;
        }
    }

    @EnableAutoConfiguration
    @EnableScheduling
    @EnableTransactionManagement
    static class Application {

        @Bean
        JdbcTemplate jdbc(DataSource dataSource) {
            return new JdbcTemplate(dataSource);
        }

        @Bean
        Shop shop(
                JdbcTemplate jdbc,
                ObjectProvider<EntityManagerFactory> units,
                PlatformTransactionManager manager,
                ObjectProvider<DurableEngine> tasks,
                Clock clock) {
            return new Shop(jdbc, units.getIfAvailable(), manager, tasks, clock);
        }

        @Bean
        Action apart() {
            return new Apart();
        }
    }

    /** Runs an action in some transaction. */
    interface Action {
        void run(Runnable action);
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    @Retention(RetentionPolicy.RUNTIME)
    @interface InNewTransaction {}

    static class Apart implements Action {

        @Override
        @InNewTransaction
        public void run(Runnable action) {
            action.run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithJdbc {

        @Bean
        DataSourceTransactionManager transactionManager(DataSource dataSource) {
            DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
            new TransactionTemplate(manager)
                    .executeWithoutResult(status ->
                            new JdbcTemplate(dataSource).execute("create table entry (name varchar(200) primary key)"));
            return manager;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithJpa {

        @Bean
        LocalContainerEntityManagerFactoryBean units(DataSource dataSource) {
            HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
            hibernate.setGenerateDdl(true);
            LocalContainerEntityManagerFactoryBean units = new LocalContainerEntityManagerFactoryBean();
            units.setDataSource(dataSource);
            units.setJpaVendorAdapter(hibernate);
            units.setManagedTypes(PersistenceManagedTypes.of(Entry.class.getName()));
            return units;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory units) {
            return new JpaTransactionManager(units);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnH2 {

        @Bean(destroyMethod = "close")
        HikariDataSource dataSource(@Value("${auto-commit:true}") boolean isAutoCommit) {
            return TestDatabase.H2.newDataSource(isAutoCommit);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnPostgresql {

        @Bean(destroyMethod = "close")
        HikariDataSource dataSource(@Value("${auto-commit:true}") boolean isAutoCommit) {
            return TestDatabase.POSTGRESQL.newDataSource(isAutoCommit);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnMariaDb {

        @Bean(destroyMethod = "close")
        HikariDataSource dataSource(@Value("${auto-commit:true}") boolean isAutoCommit) {
            return TestDatabase.MARIADB.newDataSource(isAutoCommit);
        }
    }

    /** An application with an entry for each thing that has happened. */
    static class Shop {

        final Set<Thread> threads = new CopyOnWriteArraySet<>();
        final List<String> order = new CopyOnWriteArrayList<>();
        final @Nullable EntityManager units;
        final TransactionTemplate joined;
        final TransactionTemplate outside;

        private final JdbcTemplate jdbc;
        private final ObjectProvider<DurableEngine> tasks;
        private final Clock clock;

        Shop(
                JdbcTemplate jdbc,
                @Nullable EntityManagerFactory units,
                PlatformTransactionManager manager,
                ObjectProvider<DurableEngine> tasks,
                Clock clock) {
            this.jdbc = jdbc;
            this.clock = clock;
            this.units = units == null ? null : SharedEntityManagerCreator.createSharedEntityManager(units);
            this.joined = new TransactionTemplate(manager);
            this.outside = new TransactionTemplate(manager);
            outside.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            this.tasks = tasks;
        }

        void add(String name) {
            EntityManager manager = units;
            joined.executeWithoutResult(status -> {
                if (manager == null) {
                    insert(name);
                } else {
                    manager.persist(new Entry(name));
                }
            });
        }

        private void insert(String name) {
            assertThat(jdbc.update("insert into entry (name) values (?)", name)).isEqualTo(1);
        }

        private void note(String what) {
            order.add(what);
            threads.add(Thread.currentThread());
        }

        @DurableHandler(value = "confirm", transactional = true)
        void confirm(String name) {
            note(name);
            add("confirmed " + name);
        }

        @DurableHandler(value = "plain", backOff = "10m")
        void plain(String name) {
            note(name);
            add("plain " + name);
        }

        @DurableHandler(value = "fail", transactional = true, maxRetries = 2, backOff = "10m")
        void fail(String name) {
            note(name);
            add("half of " + name);
            throw new IllegalStateException("always");
        }

        @DurableHandler(value = "recover", maxRetries = 3, backOff = "10m")
        void recover(String name) {
            boolean isFirst = !order.contains(name);
            note(name);
            if (isFirst) {
                throw new IllegalStateException("the first time");
            }
            add("recovered " + name);
        }

        @DurableHandler(value = "break", maxRetries = 1, backOff = "10m")
        void breakSql(String name) {
            note(name);
            insert("broken " + name);
            insert("broken " + name);
        }

        @DurableHandler(value = "swallow", transactional = true, backOff = "10m")
        void swallow(String name) {
            note(name);
            insert("swallowed " + name);
            try {
                insert("swallowed " + name);
            } catch (DataIntegrityViolationException ex) {
                order.add("caught");
            }
        }

        @DurableHandler("outside")
        void outside(String name) {
            outside.executeWithoutResult(status -> insert(name));
        }

        @DurableHandler(value = "mark", transactional = true, backOff = "10m")
        void mark(String name) {
            add("marked " + name);
            joined.executeWithoutResult(TransactionStatus::setRollbackOnly);
        }

        @DurableHandler("hide")
        void hide(String name) {
            try {
                joined.executeWithoutResult(status -> {
                    add("hidden " + name);
                    throw new IllegalStateException("in a transaction of its own");
                });
            } catch (IllegalStateException ex) {
                order.add("hidden");
            }
        }

        @DurableHandler("cancel")
        void cancel(String name) {
            Object ignored = tasks.getObject().cancel("confirm", name, Duration.ofSeconds(1));
        }

        @DurableHandler("chain")
        void chain(String name) {
            note(name);
            Instant now = tasks.getObject().find("chain", name).orElseThrow().dueAt();
            assertThat(tasks.getObject().schedule("confirm", name, name + " at last", now))
                    .isTrue();
        }

        @DurableHandler("stamp")
        void stamp(String name) {
            order.add(name + " at " + clock.instant());
        }

        @DurableHandler(value = "both", backOff = "10m")
        DurableOutcome scheduleAndReturnAgain(String name) {
            return both("both", name);
        }

        @DurableHandler(value = "both joined", transactional = true, backOff = "10m")
        DurableOutcome scheduleAndReturnAgainJoined(String name) {
            return both("both joined", name);
        }

        private DurableOutcome both(String handler, String name) {
            Instant next = clock.instant().plus(Duration.ofDays(1));
            add("both " + name);
            assertThat(tasks.getObject().schedule(handler, name, "next", next)).isTrue();
            if (name.equals("throws")) {
                throw new IllegalStateException("after it has scheduled its own id");
            }
            return name.equals("once") ? DurableOutcome.done() : DurableOutcome.again(next);
        }

        @DurableHandler("vanish")
        void vanish(String name) {
            deleteRow("vanish", name);
        }

        @DurableHandler(value = "vanish joined", transactional = true)
        void vanishJoined(String name) {
            deleteRow("vanish joined", name);
        }

        private void deleteRow(String handler, String name) {
            add("vanished " + name);
            joined.executeWithoutResult(status -> assertThat(jdbc.update(
                            "delete from wheel_durable_task where task_name = ? and task_instance = ?", handler, name))
                    .isEqualTo(1));
        }

        @DurableHandler(value = "collide", transactional = true, backOff = "10m")
        void collide(String name) {
            insert("collides " + name);
            add("collides " + name);
        }

        @DurableHandler("repeat")
        DurableOutcome repeat(String name) {
            return DurableOutcome.again(Instant.EPOCH);
        }

        @DurableHandler("tick")
        DurableOutcome tick(String name) {
            return DurableOutcome.again(clock.instant().plusMillis(1));
        }

        @DurableHandler("decide")
        DurableOutcome decide(String name) {
            note(name);
            add("decided " + name + " " + order.size());
            return order.size() < 3 ? DurableOutcome.again(Instant.EPOCH) : DurableOutcome.giveUp("enough");
        }
    }

    /** The tests of each database and manager. An application that closed with the JVM would find its server gone. */
    @AutoConfigureVirtualTime
    @Transactional
    @DirtiesContext
    abstract static class Contract {

        @Autowired
        VirtualTime time;

        @Autowired
        DurableTime durable;

        @Autowired
        DurableEngine tasks;

        @Autowired
        DurableRuns runs;

        @Autowired
        Shop shop;

        @Autowired
        Action apart;

        @Autowired
        JdbcTemplate jdbc;

        @Autowired
        DataSource dataSource;

        @BeforeEach
        void forget() {
            shop.order.clear();
            shop.threads.clear();
        }

        void schedule(String handler, String id) {
            assertThat(tasks.schedule(handler, id, id, time.now())).isTrue();
        }

        private List<String> entries() {
            if (shop.units != null) {
                shop.units.flush();
            }
            return jdbc.queryForList("select name from entry order by name", String.class);
        }

        /** Asks over a connection beside that of the test. */
        private List<String> seenByOthers(String query) throws SQLException {
            List<String> found = new ArrayList<>();
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(query)) {
                while (rows.next()) {
                    found.add(rows.getString(1));
                }
            }
            return found;
        }

        @Test
        void taskRunsOnTestsThreadAndConnection() throws SQLException {
            schedule("confirm", "a");

            DurableRuns ended = durable.runDue();

            assertThat(ended).ran("confirm").withId("a").times(1);
            assertThat(runs).ran("confirm").withId("a");
            assertThat(entries()).containsExactly("confirmed a");
            assertThat(shop.threads).containsExactly(Thread.currentThread());
            assertThat(tasks).nothingScheduled();
            assertThat(seenByOthers("select name from entry")).isEmpty();
            assertThat(seenByOthers("select task_name from wheel_durable_task")).isEmpty();
        }

        @Test
        void nothingIsLeftAfterRollback() {
            assertThat(entries()).isEmpty();
            assertThat(tasks.list("confirm", null, null, 10)).isEmpty();
        }

        @Test
        void retryComesWhenTimeHasMoved() {
            Instant before = time.now();
            schedule("recover", "r");

            assertThat(durable.runDue()).failed("recover").withId("r").times(1);
            assertThat(entries()).isEmpty();
            assertThat(tasks)
                    .scheduled("recover")
                    .withId("r")
                    .afterFailures(1)
                    .dueAt(before.plus(Duration.ofMinutes(10)));
            assertThat(durable.runDue()).nothingRan();

            DurableRuns later = durable.runUntilIdle(Duration.ofHours(1));

            assertThat(later).ran("recover").withId("r").atAttempt(2);
            assertThat(entries()).containsExactly("recovered r");
            assertThat(time.now()).isEqualTo(before.plus(Duration.ofMinutes(10)));
        }

        @Test
        void retriesAreRunUpToANumber() {
            schedule("fail", "f");

            DurableRuns ended = durable.runDue(1);

            assertThat(ended).failed("fail").withId("f").times(2);
            assertThat(tasks).scheduled("fail").withId("f").afterFailures(2);
            DurableRuns rest = durable.runUntilIdle(Duration.ofDays(1));
            assertThat(rest).failed("fail").withId("f").atAttempt(3).forGood();
            assertThat(tasks).failed("fail").withId("f").afterFailures(3);
            assertThat(entries()).isEmpty();
        }

        @Test
        void allEndsHappenInOneTransaction() {
            Instant now = time.now();
            List<String> handlers = List.of("confirm", "fail", "break", "swallow", "recover", "plain");
            for (int i = 0; i < handlers.size(); i++) {
                assertThat(tasks.schedule(handlers.get(i), "" + i, "" + i, now.minusSeconds(60 - i)))
                        .isTrue();
            }

            DurableRuns ended = durable.runDue(1);

            assertThat(ended).ran("confirm").times(1);
            assertThat(ended).failed("fail").times(2);
            assertThat(ended).failed("break").atAttempt(2).forGood();
            assertThat(ended).ran("recover").atAttempt(2);
            assertThat(ended).ran("plain").times(1);
            assertThat(entries())
                    .contains("confirmed 0", "plain 5", "recovered 4")
                    .doesNotContain("half of 1", "broken 2");
            assertThat(shop.order.subList(0, 7)).containsExactly("0", "1", "2", "3", "caught", "4", "5");
        }

        @Test
        void statementThatFailedAndWasCaughtEndsAsInProduction() {
            schedule("swallow", "s");

            DurableRuns ended = durable.runDue();

            if (isAborted()) {
                assertThat(ended).failed("swallow").withId("s").times(1);
                assertThat(entries()).isEmpty();
            } else {
                assertThat(ended).ran("swallow").withId("s").times(1);
                assertThat(entries()).containsExactly("swallowed s");
            }
        }

        @Test
        void newTransactionIsOutside() throws SQLException {
            String name = "outside " + System.identityHashCode(this) + time.now();
            assertThat(tasks.schedule("outside", "o", name, time.now())).isTrue();

            assertThat(durable.runDue()).ran("outside").withId("o");

            assertThat(seenByOthers("select name from entry")).containsExactly(name);
            shop.outside.executeWithoutResult(status -> jdbc.update("delete from entry where name = ?", name));
        }

        @Test
        void committedTaskIsLeftToItsNode() {
            shop.outside.executeWithoutResult(status -> schedule("confirm", "committed"));
            try {
                schedule("confirm", "own");

                assertThat(durable.runDue()).ran("confirm").times(1).withId("own");

                assertThat(tasks).scheduled("confirm").withId("committed");
            } finally {
                shop.outside.executeWithoutResult(status ->
                        assertThat(tasks.cancel("confirm", "committed")).isTrue());
            }
        }

        @Test
        void committedTaskThatTestHasMovedIsItsOwn() {
            Instant tomorrow = time.now().plus(Duration.ofDays(1));
            shop.outside.executeWithoutResult(
                    status -> assertThat(tasks.schedule("confirm", "moved", "moved", tomorrow))
                            .isTrue());
            assertThat(tasks.reschedule("confirm", "moved", time.now())).isTrue();

            assertThat(durable.runDue()).ran("confirm").withId("moved");

            assertThat(tasks).notScheduled("confirm");
            TestTransaction.end();
            assertThat(tasks).scheduled("confirm").withId("moved").dueAt(tomorrow);
            assertThat(tasks.cancel("confirm", "moved")).isTrue();
        }

        @Test
        void nodeClaimsNothingOfIt() {
            schedule("confirm", "c");

            DurableRuns none = runs.during(() -> time.advanceBy(Duration.ofDays(1)));

            assertThat(none).nothingRan();
            assertThatThrownBy(() -> assertThat(none).ran("confirm"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("The test is in a transaction, of which no node sees anything");
            assertThat(tasks).scheduled("confirm").withId("c");
            assertThat(durable.runDue()).ran("confirm").withId("c");
        }

        @Test
        void tasksRunInOrderAndScheduleOthers() {
            Instant now = time.now();
            assertThat(tasks.schedule("plain", "3", "three", now.minusSeconds(1)))
                    .isTrue();
            assertThat(tasks.schedule("confirm", "1", "one", now.minusSeconds(3)))
                    .isTrue();
            assertThat(tasks.schedule("chain", "2", "2", now.minusSeconds(2))).isTrue();
            assertThat(tasks.schedule("plain", "4", "later", now.plusSeconds(1)))
                    .isTrue();

            assertThat(durable.runDue()).ran("confirm").times(2);

            assertThat(shop.order).containsExactly("one", "2", "three", "2 at last");
            assertThat(tasks).scheduled("plain").withId("4");
        }

        @Test
        void outcomesOfHandlersCount() {
            schedule("decide", "d");

            DurableRuns ended = durable.runDue();

            assertThat(ended).ran("decide").times(2);
            assertThat(ended).failed("decide").forGood();
            assertThat(entries()).containsExactly("decided d 1", "decided d 2", "decided d 3");
            assertThat(tasks).failed("decide").withId("d");
        }

        @Test
        void recurringTaskIsMadeAndRun() {
            Instant day = time.now().plus(Duration.ofDays(1));
            assertThat(tasks.recurringTasks()
                            .schedule("confirm", "daily", TaskSchedule.cron("0 0 6 * * *", ZoneOffset.UTC), "daily"))
                    .isEqualTo(Change.ADDED);
            time.advanceTo(day);

            assertThat(durable.runDue()).ran("confirm").withId("daily").times(1);

            assertThat(tasks.recurringTasks().find("daily").orElseThrow().dueAt())
                    .isAfter(day);
            assertThat(tasks).nothingScheduled();
        }

        @Test
        void recurringTaskRunsEachTime() {
            assertThat(tasks.recurringTasks()
                            .schedule("stamp", "daily", TaskSchedule.cron("0 0 6 * * *", ZoneOffset.UTC), "daily"))
                    .isEqualTo(Change.ADDED);
            Instant begin = time.now();
            assertThat(durable.awaitEnd("stamp", "daily", Duration.ofDays(2)).kind())
                    .isEqualTo(DurableEnd.Kind.DONE);
            assertThat(time.now()).isBetween(begin, begin.plus(Duration.ofDays(1)));
            assertThat(tasks.schedule("stamp", "later", "later", time.now().plus(Duration.ofDays(5))))
                    .isTrue();

            assertThat(durable.runUntilIdle(Duration.ofDays(6)))
                    .ran("stamp")
                    .withId("daily")
                    .times(5);
        }

        @Test
        void endIsAwaited() {
            Instant due = time.now().plus(Duration.ofDays(30));
            assertThat(tasks.schedule("confirm", "month", "month", due)).isTrue();

            DurableEnd end = durable.awaitEnd("confirm", "month", Duration.ofDays(31));

            assertThat(end.kind()).isEqualTo(DurableEnd.Kind.DONE);
            assertThat(time.now()).isEqualTo(due);
            assertThat(durable.awaitEnd("confirm", "month", Duration.ZERO)).isEqualTo(end);
            assertThatThrownBy(() -> durable.awaitEnd("confirm", "another", Duration.ofDays(1)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("A run of 'confirm' another must have ended within 24 h");
        }

        @Test
        void taskBeyondTheLimitFailsTheVerb() {
            assertThat(tasks.schedule("confirm", "far", "far", time.now().plus(Duration.ofDays(3))))
                    .isTrue();

            assertThatThrownBy(() -> durable.runUntilIdle(Duration.ofDays(2)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("No task of the transaction must be scheduled any more after 48 h");
        }

        @Test
        void payloadIsSeenInTransaction() {
            assertThat(tasks.schedule("confirm", "p", "of p", time.now())).isTrue();

            assertThat(tasks).scheduled("confirm").withId("p").payload("of p");
            assertThatThrownBy(() -> assertThat(tasks).scheduled("confirm").payload("of q"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("A task of 'confirm' must have the payload of q, but none has")
                    .hasMessageContaining("[p: of p]");
        }

        @Test
        void markForRollbackIsFailureOfTheRun() {
            schedule("mark", "m");
            schedule("plain", "p");

            if (shop.units == null) {
                DurableRuns ended = durable.runDue();
                assertThat(ended).failed("mark").withId("m").times(1);
                assertThat(ended).ran("plain").withId("p");
                assertThat(entries()).containsExactly("plain p");
            } else {
                assertThatThrownBy(durable::runDue)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("The run of mark m must not leave the test's transaction marked");
            }
        }

        @Test
        void hiddenRollbackOfOwnTransactionIsNamed() {
            schedule("hide", "h");

            assertThatThrownBy(durable::runDue)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("The run of hide h must not leave the test's transaction marked");
        }

        @Test
        void testThatWillCommitIsRefused() {
            schedule("confirm", "a");
            TestTransaction.flagForCommit();
            try {
                assertThatThrownBy(durable::runDue)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("is to be committed");
            } finally {
                TestTransaction.flagForRollback();
            }
            assertThat(shop.order).isEmpty();
        }

        @Test
        void newTransactionWithinTestIsRefused() {
            shop.outside.executeWithoutResult(status -> assertThatThrownBy(durable::runDue)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("was not begun by Spring's test framework"));
        }

        @Test
        void newTransactionWithNameIsRefused() {
            schedule("plain", "of the test");
            TransactionTemplate named = new TransactionTemplate(shop.outside.getTransactionManager(), shop.outside);
            named.setName("named");
            for (Runnable verb : List.<Runnable>of(
                    durable::runDue,
                    () -> durable.runUntilIdle(Duration.ofDays(1)),
                    () -> durable.awaitEnd("plain", "of the test", Duration.ofDays(1)))) {
                named.executeWithoutResult(status -> assertThatThrownBy(verb::run)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("was not begun by Spring's test framework"));
                apart.run(() -> assertThatThrownBy(verb::run)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("was not begun by Spring's test framework"));
            }
            assertThat(shop.order).isEmpty();
            shop.joined.executeWithoutResult(
                    status -> assertThat(durable.runDue()).ran("plain").withId("of the test"));
        }

        @Test
        void transactionThatTestBeginsAgainIsItsOwn() {
            schedule("plain", "first");
            TestTransaction.end();
            TestTransaction.start();
            assertThat(tasks).nothingScheduled();
            schedule("plain", "second");

            assertThat(durable.runDue()).ran("plain").withId("second").times(1);
        }

        @Test
        void againBesideAnOwnScheduleIsUndone() {
            Instant now = time.now();
            for (String handler : List.of("both", "both joined")) {
                for (String id : List.of("returns", "throws")) {
                    schedule(handler, id);

                    DurableRuns ended = durable.runDue();

                    assertThat(ended).failed(handler).withId(id).times(1);
                    assertThat(entries()).isEmpty();
                    assertThat(tasks)
                            .scheduled(handler)
                            .withId(id)
                            .afterFailures(1)
                            .payload(id)
                            .dueAt(now.plus(Duration.ofMinutes(10)));
                    assertThat(tasks.cancel(handler, id)).isTrue();
                }
            }
        }

        @Test
        void ownScheduleOfRunThatEndsWellIsKept() {
            schedule("both", "once");

            assertThat(durable.runDue()).ran("both").withId("once").times(1);

            assertThat(entries()).containsExactly("both once");
            assertThat(tasks)
                    .scheduled("both")
                    .withId("once")
                    .payload("next")
                    .dueAt(time.now().plus(Duration.ofDays(1)));
        }

        @Test
        void runWhoseRowIsGoneEndsAsInProduction() {
            schedule("vanish", "v");
            assertThat(durable.runDue()).nothingRan();
            assertThat(entries()).as("as its statements stay").containsExactly("vanished v");
            assertThat(tasks.find("vanish", "v")).isEmpty();
            schedule("vanish joined", "j");

            assertThat(durable.runDue()).nothingRan();

            assertThat(entries()).as("as its transaction is rolled back").containsExactly("vanished v");
            assertThat(tasks.find("vanish joined", "j")).isPresent();
        }

        @Test
        void failedStatementAtTheEndFailsTheRun() {
            schedule("collide", "c");
            schedule("plain", "p");

            if (shop.units == null) {
                DurableRuns ended = durable.runDue();
                assertThat(ended).failed("collide").withId("c").times(1);
                assertThat(ended).ran("plain").withId("p");
                assertThat(entries()).containsExactly("plain p");
            } else {
                assertThatThrownBy(durable::runDue)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("The run of collide c must not leave the test's transaction marked");
            }
        }

        @Test
        void committedTaskRunsAtItsTimeBesideTransaction() {
            Instant now = time.now();
            assertThat(entries()).isEmpty();
            shop.outside.executeWithoutResult(
                    status -> assertThat(tasks.schedule("stamp", "far", "far", now.plus(Duration.ofDays(9))))
                            .isTrue());
            time.advanceBy(Duration.ofHours(1));
            Instant due = now.plus(Duration.ofHours(2));
            shop.outside.executeWithoutResult(status ->
                    assertThat(tasks.schedule("stamp", "near", "near", due)).isTrue());
            assertThat(time.nextDue()).contains(due);

            time.advanceBy(Duration.ofHours(9));

            assertThat(shop.order).containsExactly("near at " + due);
            shop.outside.executeWithoutResult(
                    status -> assertThat(tasks.cancel("stamp", "far")).isTrue());
        }

        @Test
        void endOfCommittedTaskIsAwaited() {
            Instant due = time.now().plus(Duration.ofHours(2));
            shop.outside.executeWithoutResult(status ->
                    assertThat(tasks.schedule("stamp", "near", "near", due)).isTrue());

            assertThat(durable.awaitEnd("stamp", "near", Duration.ofHours(3)).kind())
                    .isEqualTo(DurableEnd.Kind.DONE);

            assertThat(time.now()).isEqualTo(due);
        }

        private void breakPayload(String handler, String id) {
            assertThat(jdbc.update(
                            "update wheel_durable_task set task_data = ? where task_name = ? and task_instance = ?",
                            new byte[] {'{'},
                            handler,
                            id))
                    .isEqualTo(1);
        }

        private int unreadable(String id) {
            return jdbc.queryForObject(
                    "select coalesce(unreadable, 0) from wheel_durable_task where task_instance = ?",
                    Integer.class,
                    id);
        }

        @Test
        void unreadableTaskOfTestPauses() {
            Instant now = time.now();
            schedule("plain", "u");
            breakPayload("plain", "u");

            for (int i = 0; i < 3; i++) {
                assertThat(durable.runDue(2)).nothingRan();
                assertThat(unreadable("u")).isEqualTo(1);
                assertThat(tasks.find("plain", "u").orElseThrow().dueAt()).isEqualTo(now.plusSeconds(10));
            }
            assertThat(tasks).scheduled("plain").withId("u");
            assertThatThrownBy(() -> assertThat(tasks).nothingScheduled()).isInstanceOf(AssertionError.class);
            assertThatThrownBy(() -> durable.runUntilIdle(Duration.ofMinutes(1)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("No task of the transaction must be scheduled any more after 1 min");
            assertThat(unreadable("u")).as("after 10 s, 20 s and 40 s").isEqualTo(3);
        }

        @Test
        @Transactional(propagation = Propagation.NEVER)
        void unreadableTaskPausesForItsNode() {
            Instant now = time.now();
            shop.outside.executeWithoutResult(status -> {
                schedule("plain", "u");
                breakPayload("plain", "u");
            });

            for (int i = 0; i < 3; i++) {
                assertThat(durable.runDue()).nothingRan();
                time.runCurrent();
                assertThat(unreadable("u")).isEqualTo(1);
                assertThat(tasks.find("plain", "u").orElseThrow().dueAt()).isEqualTo(now.plusSeconds(10));
            }
            assertThatThrownBy(() -> durable.runUntilIdle(Duration.ofSeconds(15)))
                    .isInstanceOf(AssertionError.class);
            assertThat(unreadable("u")).as("after 10 s").isEqualTo(2);
            assertThat(tasks).scheduled("plain").withId("u");
            assertThatThrownBy(() -> assertThat(tasks).nothingScheduled()).isInstanceOf(AssertionError.class);
            time.advanceBy(Duration.ofSeconds(15));
            assertThat(unreadable("u")).as("after 20 s more").isEqualTo(3);
            shop.outside.executeWithoutResult(
                    status -> assertThat(tasks.cancel("plain", "u")).isTrue());
        }

        @Test
        @Transactional(propagation = Propagation.NEVER)
        void taskThatIsClaimedAheadIsScheduled() {
            schedule("plain", "now");
            assertThat(tasks.schedule("plain", "soon", "soon", time.now().plusMillis(500)))
                    .isTrue();

            assertThat(durable.runDue()).ran("plain").times(1);

            assertThat(tasks.find("plain", "soon").orElseThrow().state()).isEqualTo(DurableTask.State.CLAIMED);
            assertThat(tasks).scheduled("plain").withId("soon");
            assertThatThrownBy(() -> assertThat(tasks).nothingScheduled())
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("No task of 'plain' must be scheduled, but these are: [soon (CLAIMED");
            assertThat(durable.runUntilIdle(Duration.ofHours(1))).ran("plain").withId("soon");
            assertThat(tasks).nothingScheduled();
            shop.outside.executeWithoutResult(
                    status -> assertThat(jdbc.update("delete from entry")).isEqualTo(2));
        }

        @Test
        @Transactional(propagation = Propagation.NEVER)
        void cancelledTaskHasNotRun() {
            schedule("stamp", "first");
            assertThat(tasks.schedule("stamp", "soon", "soon", time.now().plusMillis(500)))
                    .isTrue();
            assertThat(durable.runDue()).ran("stamp").withId("first").times(1);

            DurableRuns ended = runs.during(() -> {
                Instant later = time.now().plus(Duration.ofHours(1));
                assertThat(tasks.schedule("stamp", "c", "c", later)).isTrue();
                assertThat(tasks.cancel("stamp", "c")).isTrue();
                assertThat(tasks.cancel("stamp", "soon", Duration.ofSeconds(30)))
                        .isEqualTo(DurableTasks.Cancellation.CANCELLED);
                time.runCurrent();
            });

            assertThat(ended.ends()).extracting(DurableEnd::kind).containsOnly(DurableEnd.Kind.CANCELLED);
            assertThat(ended).nothingRan();
            assertThatThrownBy(() -> assertThat(ended).ran("stamp")).isInstanceOf(AssertionError.class);
            schedule("stamp", "c");
            assertThat(durable.awaitEnd("stamp", "c", Duration.ofHours(1)).kind())
                    .isEqualTo(DurableEnd.Kind.DONE);
        }

        @Test
        void workersInTransactionAreRefused() {
            assertThatThrownBy(durable::runDueOnWorkers)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("Workers must not run tasks while the test is in a transaction");
        }

        @Test
        void cancelWithLimitIsRefused() {
            schedule("confirm", "x");
            assertThatThrownBy(() -> tasks.cancel("confirm", "x", Duration.ofSeconds(1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("cancel with a limit must be called within no transaction");
            assertThat(tasks.cancel("confirm", "x")).isTrue();
            schedule("cancel", "x");

            assertThat(durable.runDue()).failed("cancel").withId("x");
        }

        @Test
        void entitiesOfTestAreFlushedAndCleared() {
            if (shop.units != null) {
                Entry own = new Entry("of the test");
                shop.units.persist(own);
                schedule("plain", "p");

                assertThat(durable.runDue()).ran("plain");

                assertThat(jdbc.queryForList("select name from entry order by name", String.class))
                        .containsExactly("of the test", "plain p");
                assertThat(shop.units.contains(own)).isTrue();
                schedule("fail", "f");
                assertThat(durable.runDue()).failed("fail");
                assertThat(shop.units.contains(own)).isFalse();
                assertThat(entries()).containsExactly("of the test", "plain p");
            }
        }

        @Test
        @Transactional(propagation = Propagation.NEVER)
        void tasksRunOnWorkersWithoutTransaction() {
            schedule("plain", "w");
            assertThat(durable.runDueOnWorkers()).ran("plain").withId("w");
            assertThat(shop.threads).doesNotContain(Thread.currentThread());
            schedule("recover", "x");
            assertThat(durable.runDue(1)).ran("recover").withId("x").atAttempt(2);
            schedule("fail", "y");
            assertThat(durable.runUntilIdle(Duration.ofDays(1))).failed("fail").times(3);
            assertThat(tasks.cancel("fail", "y")).isTrue();
            shop.outside.executeWithoutResult(
                    status -> assertThat(jdbc.update("delete from entry")).isEqualTo(2));
        }

        @Test
        @Transactional(propagation = Propagation.NEVER)
        void transactionOfAnotherIsRefused() {
            shop.joined.executeWithoutResult(status -> {
                status.setRollbackOnly();
                assertThatThrownBy(durable::runDue)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("was not begun by Spring's test framework");
            });
        }

        /** Whether a statement that fails leaves the transaction unusable. */
        boolean isAborted() {
            return false;
        }
    }

    /** With what no database changes, and what takes long on a server: the verb itself counts the runs. */
    abstract static class ContractOnH2 extends Contract {

        @AfterEach
        void forgetMaxRuns() {
            time.setMaxRuns(1_000_000);
        }

        @Test
        void taskWithoutEndFailsTheVerb() {
            schedule("repeat", "r");
            time.setMaxRuns(100);

            assertThatThrownBy(durable::runDue)
                    .isInstanceOf(AssertionError.class)
                    .hasMessage("runDue() has made more than 100 runs and got from " + time.now() + " to " + time.now()
                            + " only; most were of repeat (101). A task may reschedule itself endlessly. Otherwise set"
                            + " maxRuns, or advance by less");
        }

        @Test
        void taskWithoutEndThatMovesTimeFailsTheVerb() {
            Instant begin = time.now();
            schedule("tick", "t");
            time.setMaxRuns(100);

            assertThatThrownBy(() -> durable.runUntilIdle(Duration.ofSeconds(1)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith(
                            "runUntilIdle(PT1S) has made more than 100 runs and got from " + begin + " to ")
                    .hasMessageContaining("most were of tick (");
            // A poll of the node counts as a run.
            assertThat(time.now()).isBetween(begin.plusMillis(50), begin.plusMillis(100));
        }

        @Test
        void taskWithoutEndFailsTheWaitForAnother() {
            schedule("tick", "t");
            time.setMaxRuns(100);

            assertThatThrownBy(() -> durable.awaitEnd("plain", "p", Duration.ofSeconds(1)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("awaitEnd(plain, p, PT1S) has made more than 100 runs");
        }

        @Test
        void badLimitsAreRefused() {
            for (Consumer<Duration> verb : List.<Consumer<Duration>>of(
                    durable::runUntilIdle, limit -> durable.awaitEnd("plain", "p", limit))) {
                assertThatThrownBy(() -> verb.accept(null))
                        .isInstanceOf(NullPointerException.class)
                        .hasMessage("limit must not be null");
                assertThatThrownBy(() -> verb.accept(Duration.ofSeconds(-1)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("limit must not be negative, was PT-1S");
                assertThatThrownBy(() -> verb.accept(Duration.ofSeconds(Long.MAX_VALUE)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("limit must end within a hundred years of virtual time, of which");
            }
        }

        @Test
        void manyDueTasksRun() {
            for (int i = 0; i <= 1_000; i++) {
                schedule("stamp", "" + i);
            }

            assertThat(durable.runDue()).ran("stamp").times(1_001);
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Application.class, OnH2.class, WithJdbc.class},
            properties = {"spring.autoconfigure.exclude=", "wheel.scheduler.durable.initialize-schema=always"})
    class JdbcOnH2 extends ContractOnH2 {}

    @Nested
    @SpringBootTest(
            classes = {Application.class, OnH2.class, WithJpa.class},
            properties = {"spring.autoconfigure.exclude=", "wheel.scheduler.durable.initialize-schema=always"})
    class JpaOnH2 extends ContractOnH2 {}

    @Nested
    @SpringBootTest(
            classes = {Application.class, OnPostgresql.class, WithJdbc.class},
            properties = {"spring.autoconfigure.exclude=", "wheel.scheduler.durable.initialize-schema=always"})
    class JdbcOnPostgresql extends Contract {

        @BeforeAll
        static void requireServer() {
            String ignored = TestDatabase.POSTGRESQL.newUrl();
        }

        @Override
        boolean isAborted() {
            return true;
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Application.class, OnPostgresql.class, WithJpa.class},
            properties = {"spring.autoconfigure.exclude=", "wheel.scheduler.durable.initialize-schema=always"})
    class JpaOnPostgresql extends Contract {

        @BeforeAll
        static void requireServer() {
            String ignored = TestDatabase.POSTGRESQL.newUrl();
        }

        @Override
        boolean isAborted() {
            return true;
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Application.class, OnMariaDb.class, WithJdbc.class},
            properties = {"spring.autoconfigure.exclude=", "wheel.scheduler.durable.initialize-schema=always"})
    class JdbcOnMariaDb extends Contract {

        @BeforeAll
        static void requireServer() {
            String ignored = TestDatabase.MARIADB.newUrl();
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Application.class, OnMariaDb.class, WithJpa.class},
            properties = {"spring.autoconfigure.exclude=", "wheel.scheduler.durable.initialize-schema=always"})
    class JpaOnMariaDb extends Contract {

        @BeforeAll
        static void requireServer() {
            String ignored = TestDatabase.MARIADB.newUrl();
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Application.class, OnH2.class, WithJdbc.class},
            properties = {
                "auto-commit=false",
                "spring.autoconfigure.exclude=",
                "wheel.scheduler.durable.initialize-schema=always"
            })
    class JdbcWithoutAutoCommitOnH2 extends ContractOnH2 {}

    @Nested
    @SpringBootTest(
            classes = {Application.class, OnPostgresql.class, WithJdbc.class},
            properties = {
                "auto-commit=false",
                "spring.autoconfigure.exclude=",
                "wheel.scheduler.durable.initialize-schema=always"
            })
    class JdbcWithoutAutoCommitOnPostgresql extends Contract {
        @BeforeAll
        static void requireServer() {
            String ignored = TestDatabase.POSTGRESQL.newUrl();
        }

        @Override
        boolean isAborted() {
            return true;
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Application.class, OnMariaDb.class, WithJdbc.class},
            properties = {
                "auto-commit=false",
                "spring.autoconfigure.exclude=",
                "wheel.scheduler.durable.initialize-schema=always"
            })
    class JdbcWithoutAutoCommitOnMariaDb extends Contract {
        @BeforeAll
        static void requireServer() {
            String ignored = TestDatabase.MARIADB.newUrl();
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Application.class, OnMariaDb.class, WithJpa.class},
            properties = {
                "auto-commit=false",
                "spring.autoconfigure.exclude=",
                "wheel.scheduler.durable.initialize-schema=always"
            })
    class JpaWithoutAutoCommitOnMariaDb extends Contract {
        @BeforeAll
        static void requireServer() {
            String ignored = TestDatabase.MARIADB.newUrl();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnSmallPool {

        @Bean(destroyMethod = "close")
        HikariDataSource dataSource(@Value("${pool-size}") int size) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(TestDatabase.H2.newUrl());
            config.setUsername("sa");
            config.setMaximumPoolSize(size);
            config.setConnectionTimeout(250);
            return new HikariDataSource(config);
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Application.class, OnSmallPool.class, WithJdbc.class},
            properties = {
                "pool-size=2",
                "spring.autoconfigure.exclude=",
                "wheel.scheduler.durable.initialize-schema=always"
            })
    @AutoConfigureVirtualTime
    @DirtiesContext
    class OnPoolOfTwo {

        @Autowired
        VirtualTime time;

        @Autowired
        DurableTime durable;

        @Autowired
        DurableEngine tasks;

        @Test
        @Transactional
        void connectionForTheLookOfOthersIsMissed() {
            assertThat(tasks.schedule("plain", "p", "p", time.now())).isTrue();

            assertThatThrownBy(durable::runDue)
                    .isInstanceOf(CannotGetJdbcConnectionException.class)
                    .hasMessageStartingWith("The pool must have a second free connection to read what other "
                            + "transactions see, but has none: ")
                    .hasMessageContaining("total=2, active=2");
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Application.class, OnSmallPool.class, WithJdbc.class},
            properties = {
                "pool-size=3",
                "spring.autoconfigure.exclude=",
                "wheel.scheduler.durable.initialize-schema=always"
            })
    @AutoConfigureVirtualTime
    @DirtiesContext
    class OnPoolOfThree {

        @Autowired
        VirtualTime time;

        @Autowired
        DurableTime durable;

        @Autowired
        DurableEngine tasks;

        @Test
        @Transactional
        void threeConnectionsSuffice() {
            for (String handler : List.of("recover", "outside")) {
                assertThat(tasks.schedule(handler, handler, handler, time.now()))
                        .isTrue();
            }

            DurableRuns ended = durable.runUntilIdle(Duration.ofHours(1));

            assertThat(ended).ran("recover").atAttempt(2);
            assertThat(ended).ran("outside").times(1);
        }
    }
}
