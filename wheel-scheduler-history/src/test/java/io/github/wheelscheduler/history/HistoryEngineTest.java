package io.github.wheelscheduler.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** A history beside a scheduler. */
class HistoryEngineTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final HikariDataSource pool = new HikariDataSource();
    private @Nullable HistoryEngine engine;

    @BeforeEach
    void open() {
        pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        scheduler.initialize();
    }

    @AfterEach
    void close() {
        scheduler.shutdown();
        if (engine != null) {
            engine.close();
        }
        pool.close();
    }

    private HistoryEngine start() {
        HistoryEngine made =
                new HistoryEngine(HistorySettings.ofNode("a"), scheduler.getWheelScheduledExecutor(), pool);
        made.start();
        scheduler.getTaskRegistry().addListener(made.listener("main"));
        engine = made;
        return made;
    }

    private static Runnable named(String name, Runnable task) {
        return new Named(name, task);
    }

    private record Named(String taskName, Runnable task) implements Runnable, NamedTask {

        @Override
        public void run() {
            task.run();
        }
    }

    @Test
    void runsOfASchedulerHaveRows() {
        HistoryEngine history = start();
        CountDownLatch ran = new CountDownLatch(1);
        Object ignored = scheduler.scheduleAtFixedRate(named("report", ran::countDown), HOUR);
        ignored = scheduler.scheduleAtFixedRate(
                named("broken", () -> {
                    throw new IllegalStateException("no paper");
                }),
                HOUR);

        await().atMost(PATIENCE)
                .until(() -> history.reader().page(HistoryQuery.ALL).rows().size() == 2);
        HistoryRow success =
                history.reader().page(HistoryQuery.ALL.ofTask("report")).rows().get(0);
        assertThat(success.outcome()).isEqualTo(HistoryOutcome.SUCCESS);
        assertThat(success.scheduler()).isEqualTo("main");
        HistoryRow failed =
                history.reader().page(HistoryQuery.ALL.ofTask("broken")).rows().get(0);
        assertThat(failed.failure().message()).isEqualTo("no paper");
        assertThat(history.reader().trace("broken", failed.failure().kind())).contains("HistoryEngineTest");
        assertThat(history.reader().summary("broken").failingSince()).isEqualTo(failed.at());
        assertThat(HistoryPageExamples.ask(
                        history.reader(), failed.at(), failed.at().plus(HOUR)))
                .isEqualTo(new HistoryPageExamples.Answer(new HistoryPage(List.of(failed), null, 1, null), null));
    }

    @Test
    void historyWithoutRunsSleeps() {
        HistoryEngine history = start();
        await().atMost(PATIENCE).until(() -> sleepsFor().compareTo(Duration.ofSeconds(10)) > 0);
        Object ignored = scheduler.getTaskRegistry().schedule("report", () -> {}, TaskSchedule.once(Instant.now()));
        await().atMost(PATIENCE).until(() -> history.counts().written() == 1);
        await().atMost(PATIENCE).until(() -> sleepsFor().compareTo(Duration.ofSeconds(10)) > 0);
    }

    private Duration sleepsFor() {
        Duration first = scheduler.getWheelScheduledExecutor().untilFirstDue();
        return first == null ? Duration.ofDays(1) : first;
    }

    @Test
    void schedulerThatWaitsForItsTasksEnds() throws InterruptedException {
        HistoryEngine history = start();
        await().atMost(PATIENCE).until(() -> sleepsFor().compareTo(Duration.ofSeconds(10)) > 0);
        WheelScheduledExecutor executor = scheduler.getWheelScheduledExecutor();
        executor.shutdown();
        assertThat(executor.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        assertThat(history.problem()).isNull();
    }

    @Test
    void closingWritesWhatWaits() throws InterruptedException {
        HistoryEngine history = start();
        CountDownLatch ran = new CountDownLatch(1);
        Object ignored = scheduler.scheduleAtFixedRate(named("report", ran::countDown), HOUR);
        assertThat(ran.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        await().atMost(PATIENCE)
                .until(() -> history.counts().buffered() + history.counts().written() == 1);
        history.close();

        assertThat(history.reader().page(HistoryQuery.ALL).rows()).hasSize(1);
        assertThat(history.counts()).isEqualTo(new HistoryCounts(1, 0, 0, 0, 0));
    }

    @Test
    void runByHandSaysByWhom() {
        HistoryEngine history = start();
        Object ignored = scheduler.scheduleAtFixedRate(
                named("report", () -> {}), Instant.now().plus(HOUR), HOUR);
        history.audit(new AuditEntry(
                Instant.now(), "a", "main", "report", null, "trigger", "http", "ann", null, null, "asked for", null));
        scheduler.getTaskRegistry().trigger("report");

        await().atMost(PATIENCE)
                .until(() -> !history.reader().page(HistoryQuery.ALL).rows().isEmpty());
        HistoryRow row = history.reader().page(HistoryQuery.ALL).rows().get(0);
        assertThat(row.cause()).isEqualTo(HistoryCause.BY_HAND);
        assertThat(row.by()).isEqualTo("ann");
        assertThat(history.reader().audit(AuditQuery.ALL).entries())
                .extracting(AuditEntry::reason)
                .containsExactly("asked for");
    }

    private static final class Mail implements Runnable {

        private final boolean isToFail;

        Mail(boolean isToFail) {
            this.isToFail = isToFail;
        }

        @Override
        public void run() {
            if (isToFail) {
                throw new IllegalStateException("no paper");
            }
        }
    }

    @Test
    void unnamedRunsAreCountedByTheirClass() throws Exception {
        HistoryEngine history = start();
        scheduler.getTaskRegistry().addOneTimeRunListener(history.oneTimeListener("main"));
        Instant from = Instant.now().minus(HOUR);
        for (int i = 0; i < 20; i++) {
            scheduler.submit(new Mail(false)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> scheduler.submit(new Mail(true)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        scheduler.submit(named("report", () -> {})).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        history.close();

        String mail = Mail.class.getName();
        assertThat(history.reader().page(HistoryQuery.ALL.ofTask(mail)).rows())
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.outcome()).isEqualTo(HistoryOutcome.FAILURE);
                    assertThat(row.failure().message()).isEqualTo("no paper");
                    assertThat(row.scheduler()).isEqualTo("main");
                    assertThat(row.due()).isNull();
                });
        assertThat(history.reader().page(HistoryQuery.ALL.ofTask("report")).rows())
                .extracting(HistoryRow::outcome)
                .containsExactly(HistoryOutcome.SUCCESS);
        assertThat(history.reader().hours(mail, from, Instant.now().plus(HOUR)))
                .extracting(HourTotal::outcome, HourTotal::runs)
                .containsExactlyInAnyOrder(tuple(HistoryOutcome.SUCCESS, 20L), tuple(HistoryOutcome.FAILURE, 1L));
        assertThat(history.counts().overBudget()).isZero();
    }

    @Test
    void tasksThatNeverRunHaveRows() {
        HistoryEngine history = start();
        Instant later = Instant.now().plus(HOUR);
        scheduler
                .getTaskRegistry()
                .schedule("withdrawn", () -> {}, TaskSchedule.once(later))
                .cancel(false);
        Object ignored = scheduler.getTaskRegistry().schedule("closed", () -> {}, TaskSchedule.once(later));
        scheduler.shutdown();
        assertThatExceptionOfType(TaskRejectedException.class)
                .isThrownBy(() -> scheduler.getTaskRegistry().schedule("late", () -> {}, TaskSchedule.fixedRate(HOUR)));
        history.close();

        assertThat(history.reader().page(HistoryQuery.ALL).rows())
                .extracting(row -> row.task() + " " + row.outcome())
                .containsExactlyInAnyOrder("withdrawn CANCELLED", "closed CANCELLED", "late REJECTED");
    }

    @Test
    void rowOfAnotherSourceIsFoundByItsId() {
        HistoryEngine history = start();
        HistoryRow row = new HistoryRow(
                0,
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                "invoice",
                "17",
                "durable",
                "a",
                null,
                null,
                null,
                HistoryOutcome.GIVEN_UP,
                1,
                3,
                HistoryCause.RETRY,
                null,
                null,
                null,
                new HistoryRow.Failure("java.io.IOException", "jam", null));
        history.note(row, new IOException("jam"));
        history.close();

        HistoryRow found = history.reader()
                .page(HistoryQuery.ALL.ofInstance("invoice", "17"))
                .rows()
                .get(0);
        assertThat(found.attempt()).isEqualTo(3);
        assertThat(found.at()).isEqualTo(row.at());
        assertThat(found.length()).isNull();
        assertThat(history.reader().trace("invoice", found.failure().kind())).startsWith("java.io.IOException");
    }

    @Test
    void historySurvivesTheProcess() {
        HistoryEngine first = start();
        Object ignored = scheduler.scheduleAtFixedRate(named("report", () -> {}), HOUR);
        await().atMost(PATIENCE).until(() -> first.reader().summary("report").lastSuccess() != null);
        first.close();

        HistoryEngine second =
                new HistoryEngine(HistorySettings.ofNode("b"), scheduler.getWheelScheduledExecutor(), pool);
        assertThat(second.reader().summary("report").successes()).isEqualTo(1);
        second.close();
    }

    @Test
    void cronsOfADownTimeAreMissed() {
        Instant down = Instant.now().minus(Duration.ofHours(3));
        long least = hours(down, Instant.now());
        HistoryEngine history = start();
        long most = hours(down, Instant.now());
        noteHour("nightly", down);
        noteHour("paused", down);
        for (String task : List.of("nightly", "paused", "new")) {
            Object ignored = scheduler
                    .getTaskRegistry()
                    .schedule(task, () -> {}, TaskSchedule.cron("0 0 * * * *", ZoneOffset.UTC));
        }
        scheduler.getTaskRegistry().pause("paused");

        Map<String, Long> missed = history.noteMissed("main", scheduler.getTaskRegistry(), ZoneOffset.UTC);
        assertThat(missed).containsOnlyKeys("nightly");
        assertThat(missed.get("nightly")).isBetween(least, most);
        history.close();
        HistoryRow row = history.reader().page(HistoryQuery.ALL).rows().get(0);
        assertThat(row.outcome()).isEqualTo(HistoryOutcome.MISSED);
        assertThat(row.runs()).isEqualTo(missed.get("nightly"));
        assertThat(row.detail()).isEqualTo("down");
        assertThat(row.due()).isEqualTo(down.truncatedTo(ChronoUnit.HOURS).plus(HOUR));
    }

    private static long hours(Instant from, Instant to) {
        return ChronoUnit.HOURS.between(from.truncatedTo(ChronoUnit.HOURS), to.truncatedTo(ChronoUnit.HOURS));
    }

    private void noteHour(String task, Instant latest) {
        OffsetDateTime time = latest.atOffset(ZoneOffset.UTC);
        int ignored = new JdbcTemplate(pool)
                .update(
                        "insert into wheel_history_hour (starts_at, task, node, outcome, runs, micros, longest, "
                                + "earliest,"
                                + " latest) values (?, ?, 'b', 0, 1, 1, 1, ?, ?)",
                        latest.truncatedTo(ChronoUnit.HOURS).atOffset(ZoneOffset.UTC),
                        task,
                        time,
                        time);
    }

    @Test
    void unknownDatabaseIsRefused() {
        HistoryEngine history = new HistoryEngine(
                HistorySettings.ofNode("a"), scheduler.getWheelScheduledExecutor(), new Renamed(pool));
        assertThatExceptionOfType(HistoryUnavailableException.class)
                .isThrownBy(history::start)
                .withMessage("The database must be PostgreSQL, MariaDB, MySQL or H2 for a history, was SQLite");
    }

    /** A database that has another name. */
    private static final class Renamed extends AbstractDataSource {

        private final HikariDataSource pool;

        Renamed(HikariDataSource pool) {
            this.pool = pool;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = pool.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                        Object result = method.invoke(connection, arguments);
                        return method.getName().equals("getMetaData") ? renamed(result) : result;
                    });
        }

        private static Object renamed(Object metaData) {
            return Proxy.newProxyInstance(
                    Connection.class.getClassLoader(),
                    new Class<?>[] {DatabaseMetaData.class},
                    (self, method, arguments) -> method.getName().equals("getDatabaseProductName")
                            ? "SQLite"
                            : method.invoke(metaData, arguments));
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }
}
