package io.github.wheelscheduler.history.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DecidingBody;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RecurringRequest;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.durable.internal.DurableNode;
import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistorySettings;
import io.github.wheelscheduler.history.autoconfigure.HistoryOnServersTest.Place;
import io.github.wheelscheduler.history.internal.DurableRunNotes;
import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/**
 * Rows of durable runs are written with their ends. The history of these tests is not started, so that its buffer is
 * never written: as if each process were killed right after its ends.
 */
@ParameterizedClass
@EnumSource
@Timeout(180)
class EndRowsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final RetryPolicy RETRIES = new RetryPolicy(1, Duration.ofMillis(10), Duration.ofMillis(10));

    private final Place place;
    private final HikariDataSource pool;
    private final CuttingDataSource dataSource;
    private final JdbcTemplate jdbc;
    private final Queue<DurableEnd> ends = new ConcurrentLinkedQueue<>();
    private final List<DurableEngine> engines = new ArrayList<>();
    private final List<WheelScheduledExecutor> executors = new ArrayList<>();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger runs = new AtomicInteger();

    EndRowsTest(Place place) throws SQLException {
        this.place = place;
        this.pool = pool(place.newUrl());
        this.dataSource = new CuttingDataSource(pool);
        this.jdbc = new JdbcTemplate(pool);
    }

    private static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(20);
        if (url.startsWith("jdbc:h2")) {
            config.setUsername("sa");
        }
        return new HikariDataSource(config);
    }

    @AfterEach
    void close() {
        goOn.countDown();
        engines.forEach(DurableEngine::close);
        executors.forEach(WheelScheduledExecutor::shutdownNow);
        pool.close();
    }

    private WheelScheduledExecutor executor() {
        WheelScheduledExecutor made = WheelScheduledExecutor.builder().build();
        executors.add(made);
        return made;
    }

    /** Returns settings with that many rows an hour for each task. */
    static HistorySettings settings(int budget) {
        HistorySettings usual = HistorySettings.ofNode("a");
        return new HistorySettings(
                usual.table(),
                true,
                "a",
                budget,
                budget,
                Set.of(),
                usual.buffer(),
                usual.keepRows(),
                usual.keepFailures(),
                usual.keepHours(),
                usual.keepDays(),
                usual.keepAudit(),
                usual.messageLength(),
                true,
                usual.closeLimit(),
                usual.queryTimeout());
    }

    /** Makes one whose tables are there. */
    private HistoryEngine history(DataSource ofHistory, int budget) {
        HistoryEngine history = new HistoryEngine(settings(budget), executor(), ofHistory);
        assertThat(history.reader().page(HistoryQuery.ALL).rows()).isEmpty();
        return history;
    }

    private DurableEngine engine(String node, HistoryEngine history) {
        DurableEngine engine = new DurableEngine(
                new DurableSettings(
                        "wheel_durable_task",
                        true,
                        node,
                        10,
                        Duration.ofSeconds(1),
                        2_000,
                        Duration.ofMillis(500),
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(20),
                        Duration.ofDays(1),
                        5,
                        null,
                        true,
                        DurableSettings.UnknownHandlers.WARN),
                executor(),
                dataSource,
                JsonMapper.builder().build(),
                DurableObserver.NONE);
        engines.add(engine);
        DurableNode.of(engine).note(new DurableRunNotes(history));
        engine.listen(ends::add);
        return engine;
    }

    private DurableEngine start(HistoryEngine history, boolean isTransactional, DecidingBody<String> body) {
        DurableEngine engine = engine("a", history);
        engine.decide(
                "work",
                String.class,
                RETRIES,
                10,
                null,
                isTransactional ? new JdbcTransactionManager(dataSource) : null,
                body);
        engine.start();
        return engine;
    }

    private static void schedule(DurableEngine engine, int count) {
        assertThat(engine.scheduleAll(
                        "work",
                        IntStream.range(0, count)
                                .mapToObj(i -> new DurableRequest("" + i, "done", Instant.now()))
                                .toList()))
                .isEqualTo(count);
    }

    private void awaitEnds(int count) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ends).hasSizeGreaterThanOrEqualTo(count));
        assertThat(ends).hasSize(count);
    }

    /** Returns id, attempt and outcome of rows in the order of their ends. */
    private List<String> rows() {
        return jdbc.query(
                "select instance, attempt, outcome, runs from wheel_history_run order by noted_at, attempt",
                (row, number) -> row.getString(1) + " " + row.getInt(2) + " " + row.getInt(3) + " x" + row.getInt(4));
    }

    private static DurableOutcome decide(@Nullable String payload) {
        return switch (String.valueOf(payload)) {
            case "again" -> DurableOutcome.again(Instant.parse("2050-01-02T03:04:05Z"));
            case "give up" -> DurableOutcome.giveUp("no use");
            case "throw" -> throw new IllegalStateException("on purpose");
            default -> DurableOutcome.done();
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachEndHasItsRowAtOnce(boolean isTransactional) {
        HistoryEngine history = history(dataSource, 120);
        DurableEngine engine = start(history, isTransactional, (payload, run) -> decide(payload));
        int expected = 0;
        for (String payload : List.of("done", "again", "give up", "throw")) {
            assertThat(engine.schedule("work", payload, payload, Instant.now())).isTrue();
            expected += payload.equals("throw") ? 2 : 1;
            awaitEnds(expected);
        }
        assertThat(rows())
                .containsExactly("done 1 0 x1", "again 1 0 x1", "give up 1 3 x1", "throw 1 1 x1", "throw 2 3 x1");
        assertThat(jdbc.queryForList(
                        "select message from wheel_history_run where kind is not null and failure is not null",
                        String.class))
                .containsExactly("on purpose", "on purpose");
        // Only texts of failures wait.
        assertThat(history.counts().buffered()).isEqualTo(2);
        assertThat(history.counts().failed()).isZero();
        assertThat(history.counts().written()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void manyEndsHaveOneRowEach(boolean isTransactional) {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        DurableEngine engine = start(history, isTransactional, (payload, run) -> decide(payload));
        schedule(engine, 400);
        awaitEnds(400);
        assertThat(rows())
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 400).mapToObj(i -> i + " 1 0 x1").toList());
        assertThat(history.counts().buffered()).isZero();
        DatabaseKind kind = DatabaseKind.valueOf(place.name());
        Instant now = Instant.now();
        jdbc.query("select noted_at, due, started, micros from wheel_history_run", row -> {
            Instant started = kind.instant(row, "started");
            assertThat(started).isBetween(now.minus(PATIENCE), now.plusMillis(100));
            assertThat(kind.instant(row, "due")).isBetween(now.minus(PATIENCE), started.plusMillis(100));
            // A database rounds a start, and the end is cut.
            assertThat(kind.instant(row, "noted_at"))
                    .isCloseTo(started.plusNanos(row.getLong("micros") * 1_000), within(2, ChronoUnit.MICROS));
        });
    }

    @Test
    void runsBeyondTheBudgetAreOnlyCounted() {
        HistoryEngine history = history(dataSource, 5);
        DurableEngine engine = start(history, false, (payload, run) -> decide(payload));
        schedule(engine, 100);
        awaitEnds(100);
        assertThat(rows()).hasSize(5);
        assertThat(history.counts().overBudget()).isEqualTo(95);
        assertThat(history.counts().buffered()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusedRowKeepsNoEndAndIsNotLost(boolean isTransactional) {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        jdbc.execute("alter table wheel_history_run rename to kept");
        DurableEngine engine = start(history, isTransactional, (payload, run) -> {
            assertThat(run.attempt()).isEqualTo(1);
            return decide(payload);
        });
        schedule(engine, 100);
        awaitEnds(100);
        assertThat(ends).extracting(DurableEnd::kind).containsOnly(DurableEnd.Kind.DONE);
        assertThat(history.counts().buffered()).isEqualTo(100);
        assertThat(history.counts().failed()).isPositive();
        jdbc.execute("alter table kept rename to wheel_history_run");
        history.start();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(rows()).hasSize(100));
        assertThat(history.counts().dropped()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lostAnswerNeitherDoublesNorLosesARow(boolean isCommitted) {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        DurableEngine engine = start(history, false, (payload, run) -> decide(payload));
        dataSource.cut(3, isCommitted);
        for (int i = 0; i < 4; i++) {
            assertThat(engine.schedule("work", "" + i, "done", Instant.now())).isTrue();
            awaitEnds(i + 1);
        }
        assertThat(dataSource.hasCut()).isTrue();
        assertThat(rows()).containsExactly("0 1 0 x1", "1 1 0 x1", "2 1 0 x1", "3 1 0 x1");
        assertThat(history.counts().buffered()).isZero();
    }

    @Test
    void lostCommitOfAHandlerHasOneRow() {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        DurableEngine engine = start(history, true, (payload, run) -> decide(payload));
        dataSource.cut(1, true);
        assertThat(engine.schedule("work", "1", "done", Instant.now())).isTrue();
        awaitEnds(1);
        assertThat(dataSource.hasCut()).isTrue();
        assertThat(rows()).containsExactly("1 1 0 x1");
        assertThat(history.counts().buffered()).isZero();
    }

    @Test
    void endTakesNoFurtherCommit() {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        DurableEngine engine = start(history, false, (payload, run) -> decide(payload));
        assertThat(engine.schedule("work", "0", "done", Instant.now())).isTrue();
        awaitEnds(1);
        List<String> all = List.copyOf(dataSource.sentWithRow);
        List<String> rows = all.stream()
                .filter(text -> text.contains("insert into wheel_history_run"))
                .toList();
        assertThat(rows).hasSize(1);
        if (place == Place.POSTGRESQL) {
            assertThat(rows.get(0)).startsWith("with gone as (delete from wheel_durable_task");
        } else {
            int index = all.indexOf(rows.get(0));
            assertThat(all.get(index - 1)).contains("delete from wheel_durable_task");
            assertThat(all.get(index + 1)).isEqualTo("commit");
        }
    }

    @Test
    void historyInAnotherDatabaseGoesByItsBuffer() throws SQLException {
        try (HikariDataSource other = pool(place.newUrl())) {
            HistoryEngine history = history(other, Integer.MAX_VALUE);
            DurableEngine engine = start(history, false, (payload, run) -> decide(payload));
            schedule(engine, 20);
            awaitEnds(20);
            assertThat(dataSource.sent).noneMatch(text -> text.contains("wheel_history"));
            assertThat(history.counts().buffered()).isEqualTo(20);
            history.start();
            await().atMost(PATIENCE)
                    .until(() -> history.reader().page(HistoryQuery.ALL).rows().size() == 20);
        }
    }

    @Test
    void lockedHistoryKeepsNoEnd() throws SQLException {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        DurableEngine engine = start(history, false, (payload, run) -> decide(payload));
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            boolean ignored = statement.execute(
                    switch (place) {
                        case POSTGRESQL -> "lock table wheel_history_run in access exclusive mode";
                        case MARIADB -> "lock tables wheel_history_run write";
                        case H2 -> "select * from wheel_history_run for update";
                    });
            schedule(engine, 30);
            awaitEnds(30);
            if (place == Place.MARIADB) {
                ignored = statement.execute("unlock tables");
            }
            connection.rollback();
        }
        assertThat(history.counts().dropped()).isZero();
    }

    @Test
    void roleWithoutRightOnTheHistoryKeepsItsEnds() {
        assumeTrue(place == Place.POSTGRESQL);
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        String role = "r" + UUID.randomUUID().toString().replace("-", "");
        String database = jdbc.queryForObject("select current_database()", String.class);
        for (String statement : List.of(
                "create role " + role,
                "grant select, insert, update, delete on all tables in schema public to " + role,
                "grant usage, create on schema public to " + role,
                "revoke insert on wheel_history_run from " + role,
                "alter database " + database + " set role to " + role)) {
            jdbc.execute(statement);
        }
        pool.getHikariPoolMXBean().softEvictConnections();
        assertThat(jdbc.queryForObject("select current_user", String.class)).isEqualTo(role);
        DurableEngine engine = start(history, false, (payload, run) -> decide(payload));
        schedule(engine, 30);
        awaitEnds(30);
        assertThat(ends).extracting(DurableEnd::kind).containsOnly(DurableEnd.Kind.DONE);
        assertThat(history.counts().failed()).isPositive();
        assertThat(history.counts().buffered()).isEqualTo(30);
        assertThat(history.counts().dropped()).isZero();
    }

    @Test
    void recurringTasksHaveTheirRowsAtOnce() {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        DurableEngine engine = engine("a", history);
        TaskSchedule hourly = new TaskSchedule.FixedRate(Duration.ofHours(1));
        Runnable ignored = engine.repeat("tick", ScheduleRecurrence.of(hourly, null), false, () -> {
            throw new IllegalStateException("on purpose");
        });
        engine.handle("work", String.class, RETRIES, payload -> runs.incrementAndGet());
        engine.start();
        RecurringRequest request = new RecurringRequest("made", hourly, "x", Instant.now(), Durable.Missed.RUN_ONCE);
        assertThat(engine.recurringTasks().schedule("work", request)).isNotNull();
        awaitEnds(2);
        assertThat(jdbc.queryForList(
                        "select concat(task, ' ', coalesce(instance, '-'), ' ', outcome) from wheel_history_run",
                        String.class))
                .containsExactlyInAnyOrder("tick - 1", "work made 0");
    }

    @Test
    void cancelledRunHasItsRowAtOnce() {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        DurableEngine engine = start(history, false, (payload, run) -> {
            assertThat(runs.incrementAndGet()).isPositive();
            goOn.await();
            return DurableOutcome.done();
        });
        assertThat(engine.schedule("work", "1", "done", Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> runs.get() == 1);
        assertThat(engine.cancel("work", "1", PATIENCE)).isEqualTo(DurableTasks.Cancellation.INTERRUPTED);
        awaitEnds(1);
        assertThat(rows()).singleElement().asString().startsWith("1 1 ");
    }

    @Test
    void unreadableTaskHasItsRowAtOnce() {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        DurableEngine other = engine("b", history);
        assertThat(other.schedule("work", "1", "no number", Instant.now())).isTrue();
        DurableEngine engine = engine("a", history);
        engine.handle("work", Integer.class, RETRIES, payload -> runs.incrementAndGet());
        engine.start();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(rows()).containsExactly("1 0 8 x1"));
        assertThat(runs).hasValue(0);
    }

    /** The run of a process that is killed does not end. */
    private void awaitDespiteInterrupts() {
        try {
            goOn.await();
        } catch (InterruptedException ex) {
            assertThat(goOn.getCount()).isPositive();
        }
    }

    @Tag("full")
    @Test
    void takenOverTaskHasItsRowAtOnce() {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        DurableEngine first = start(history, false, (payload, run) -> {
            boolean isKilled = runs.incrementAndGet() == 1;
            while (isKilled && goOn.getCount() > 0) {
                awaitDespiteInterrupts();
            }
            return DurableOutcome.done();
        });
        assertThat(first.schedule("work", "1", "done", Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> runs.get() == 1);
        List<Runnable> ignored = executors.get(executors.size() - 1).shutdownNow();
        DurableEngine second = engine("b", history);
        second.start();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(rows()).containsExactly("1 0 9 x1"));
        assertThat(jdbc.queryForList("select started from wheel_history_run", Object.class))
                .containsOnlyNulls();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fullDiskOfTheHistoryKeepsNoEnd(boolean isTransactional) {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        dataSource.refusal = "53100";
        DurableEngine engine = start(history, isTransactional, (payload, run) -> decide(payload));
        schedule(engine, 20);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(ends).hasSizeGreaterThanOrEqualTo(20));
        assertThat(ends).extracting(DurableEnd::kind).containsOnly(DurableEnd.Kind.DONE);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void memoryThatTheHistoryLacksKeepsNoEnd(boolean isTransactional) {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        dataSource.hasNoMemory = true;
        DurableEngine engine = start(history, isTransactional, (payload, run) -> {
            assertThat(run.attempt()).isEqualTo(1);
            return decide(payload);
        });
        schedule(engine, 20);
        awaitEnds(20);
        assertThat(ends).extracting(DurableEnd::kind).containsOnly(DurableEnd.Kind.DONE);
        assertThat(history.counts().buffered()).isEqualTo(20);
        assertThat(history.counts().failed()).isPositive();
    }

    private void runLong(HistoryEngine history, boolean refusesSavepoints) {
        DurableEngine engine = start(history, true, (payload, run) -> {
            assertThat(runs.incrementAndGet()).isPositive();
            dataSource.refusesSavepoints = refusesSavepoints;
            boolean ignored = goOn.await(1_200, TimeUnit.MILLISECONDS);
            return decide(payload);
        });
        assertThat(engine.schedule("work", "1", "done", Instant.now())).isTrue();
        awaitEnds(1);
        assertThat(runs).hasValue(1);
    }

    @Tag("full")
    @Test
    void longTransactionalRunIsNotRolledBack() {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        jdbc.execute("alter table wheel_history_run rename to kept");
        runLong(history, false);
        assertThat(history.counts().failed()).isPositive();
    }

    @Tag("full")
    @Test
    void longRunIsKeptWhereTheHistoryLacksMemory() {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        dataSource.hasNoMemory = true;
        runLong(history, false);
        assertThat(ends).extracting(DurableEnd::kind).containsOnly(DurableEnd.Kind.DONE);
        assertThat(history.counts().buffered()).isEqualTo(1);
    }

    @Tag("full")
    @Test
    void longRunHasItsRowWithoutASavepoint() {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        runLong(history, true);
        assertThat(rows()).containsExactly("1 1 0 x1");
        assertThat(history.counts().buffered()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectionsOfThePoolKeepTheirLimits(boolean isTransactional) throws SQLException {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        DurableEngine engine = start(history, isTransactional, (payload, run) -> decide(payload));
        schedule(engine, 50);
        awaitEnds(50);
        engine.close();
        List<Connection> all = new ArrayList<>();
        List<Integer> limits = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.add(pool.getConnection());
            try (Statement statement = all.get(i).createStatement()) {
                limits.add(statement.getQueryTimeout());
            }
        }
        for (Connection each : all) {
            each.close();
        }
        assertThat(limits).containsOnly(0);
    }

    @Test
    void rowThatATriggerLeavesOutKeepsNoEnd() {
        assumeTrue(place == Place.POSTGRESQL);
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        jdbc.execute("create function left_out() returns trigger language plpgsql as $$ begin return null; end $$");
        jdbc.execute("create trigger left_out before insert on wheel_history_run for each row "
                + "execute function left_out()");
        DurableEngine engine = start(history, false, (payload, run) -> decide(payload));
        assertThat(engine.schedule("work", "1", "done", Instant.now())).isTrue();
        await().atMost(Duration.ofSeconds(15)).until(() -> !ends.isEmpty());
        assertThat(engine.counts().lost()).isZero();
    }

    @Tag("full")
    @Test
    void lostAnswerAndAnOutageDoubleNoRow() {
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        DurableEngine engine = start(history, false, (payload, run) -> decide(payload));
        dataSource.downMillis = 2_000;
        dataSource.cut(1, true);
        assertThat(engine.schedule("work", "1", "done", Instant.now())).isTrue();
        awaitEnds(1);
        assertThat(dataSource.hasCut()).isTrue();
        assertThat(rows()).containsExactly("1 1 0 x1");
        // A row that waits is a second one of this run.
        assertThat(history.counts().buffered()).isZero();
    }

    /** What MariaDB says if innodb_lock_wait_timeout, or lock_wait_timeout, is at most a second. */
    @Test
    void lockedHistoryIsNoFailureOfARun() {
        assumeTrue(place == Place.MARIADB);
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        dataSource.refusal = "HY000";
        dataSource.refusalCode = 1205;
        DurableEngine engine = start(history, true, (payload, run) -> decide(payload));
        assertThat(engine.schedule("work", "1", "done", Instant.now())).isTrue();
        awaitEnds(1);
        assertThat(ends).extracting(DurableEnd::kind).containsOnly(DurableEnd.Kind.DONE);
    }

    @Test
    void lockedHistoryPausesItsRows() {
        assumeTrue(place == Place.MARIADB);
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        dataSource.refusal = "HY000";
        dataSource.refusalCode = 1205;
        DurableEngine engine = start(history, false, (payload, run) -> decide(payload));
        for (int i = 0; i < 3; i++) {
            assertThat(engine.schedule("work", "" + i, "done", Instant.now())).isTrue();
            awaitEnds(i + 1);
        }
        assertThat(history.counts().failed()).isEqualTo(1);
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takeOverNeedsNoConnectionOfThePool(boolean isRefused) throws Exception {
        assumeTrue(place == Place.H2);
        HistoryEngine history = history(dataSource, Integer.MAX_VALUE);
        DurableEngine first = start(history, false, (payload, run) -> {
            while (goOn.getCount() > 0) {
                awaitDespiteInterrupts();
            }
            return DurableOutcome.done();
        });
        assertThat(first.schedule("work", "1", "done", Instant.now())).isTrue();
        await().atMost(PATIENCE)
                .until(() -> jdbc.queryForObject("select count(*) from wheel_durable_task where owner > 0", Long.class)
                        == 1);
        List<Runnable> ignored = executors.get(executors.size() - 1).shutdownNow();
        DurableEngine second = engine("b", history);
        second.start();
        if (isRefused) {
            jdbc.execute("alter table wheel_history_run rename to kept");
        }
        // Runs take all connections that are free, or become so.
        List<Connection> taken = new CopyOnWriteArrayList<>();
        Thread runsOfUsers = new Thread(() -> {
            try {
                while (true) {
                    taken.add(pool.getConnection());
                }
            } catch (SQLException ex) {
                assertThat((Throwable) ex).isNotNull();
            }
        });
        runsOfUsers.start();
        try {
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> ends.stream().anyMatch(end -> end.kind() == DurableEnd.Kind.TAKEN_OVER));
        } finally {
            runsOfUsers.interrupt();
            runsOfUsers.join();
            for (Connection each : taken) {
                each.close();
            }
        }
    }
}
