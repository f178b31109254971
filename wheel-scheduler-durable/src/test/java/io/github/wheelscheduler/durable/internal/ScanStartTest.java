package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.ClaimTable.Candidates;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.row.OwnRetries;
import io.github.wheelscheduler.durable.internal.row.RowState;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Where looks begin while a transaction elsewhere keeps the database from tidying up. */
class ScanStartTest {

    private static final long MILLI = 1_000_000;
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Instant LATEST = NOW.minus(ScanStart.SLACK);
    private static final int DEAD = 150_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ScanStart scanStart = new ScanStart();

    private void looked(long startMillis, long tookMillis) {
        scanStart.looked(startMillis * MILLI, (startMillis + tookMillis) * MILLI);
    }

    private boolean isFullDueAt(long millis) {
        return scanStart.isFullDue(millis * MILLI);
    }

    @Test
    void refusedFullPollTakesItsPartOfTheTime() {
        scanStart.failed(0, 5_000 * MILLI);
        assertThat(isFullDueAt(6_000)).isFalse();
        assertThat(isFullDueAt(14_999)).isFalse();
        assertThat(isFullDueAt(15_000)).isTrue();
        scanStart.ask();
        assertThat(isFullDueAt(6_999)).isFalse();
        assertThat(isFullDueAt(7_000)).isTrue();
    }

    @Test
    void eachLookIsFullWhileThatIsCheap() {
        assertThat(scanStart.isFullDue(0)).isTrue();
        looked(0, 4);
        looked(4, 4);
        assertThat(scanStart.isFullDue(8 * MILLI)).isTrue();
    }

    @Test
    void oneSlowLookMeansNothing() {
        looked(0, 1);
        looked(1, 900);
        assertThat(scanStart.isFullDue(901 * MILLI)).isTrue();
    }

    @Test
    void dearFullLookComesOnceInFiftyTimesItsTime() {
        looked(0, 10);
        looked(10, 10);
        assertThat(scanStart.isFullDue(519 * MILLI)).isFalse();
        assertThat(scanStart.isFullDue(520 * MILLI)).isTrue();
    }

    @Test
    void veryDearFullLookComesOnceASecond() {
        looked(0, 300);
        looked(300, 300);
        assertThat(scanStart.isFullDue(1_599 * MILLI)).isFalse();
        assertThat(scanStart.isFullDue(1_600 * MILLI)).isTrue();
    }

    @Test
    void anotherNodeAsksForAFullLookOnce() {
        looked(0, 300);
        looked(300, 300);
        assertThat(isFullDueAt(900)).isFalse();
        scanStart.hear(7);
        assertThat(isFullDueAt(700)).isFalse();
        assertThat(isFullDueAt(800)).isTrue();
        looked(800, 300);
        scanStart.hear(7);
        assertThat(isFullDueAt(1_400)).isFalse();
        // The node that had asked has gone.
        scanStart.hear(3);
        assertThat(isFullDueAt(1_400)).isTrue();
    }

    private static TaskRow row(String handler, String id, Instant dueAt) {
        return new TaskRow(
                new RowKey(handler, id, 1),
                new byte[0],
                null,
                dueAt,
                dueAt,
                0,
                null,
                null,
                0,
                0,
                0,
                0,
                OwnRetries.NONE,
                null,
                null);
    }

    private static Candidates due(int count, Instant earliest) {
        return new Candidates(count, earliest);
    }

    @Test
    void looksBeginASecondAgoWhereNothingIsLeft() {
        scanStart.move(
                List.of("a", "b"),
                Map.of("a", due(1, NOW.minusSeconds(60))),
                List.of(row("a", "1", NOW.minusSeconds(60))),
                NOW);
        assertThat(scanStart.marks())
                .containsOnly(
                        Map.entry("a", LATEST),
                        Map.entry("b", LATEST),
                        Map.entry(Handler.RECURRING, LATEST),
                        Map.entry(Handler.MADE, LATEST));
    }

    @Test
    void looksBeginAtTheLastThatWasClaimedWhereSomeAreLeft() {
        Instant last = NOW.minusSeconds(50);
        scanStart.move(
                List.of("a"),
                Map.of("a", due(3, NOW.minusSeconds(60))),
                List.of(row("a", "1", NOW.minusSeconds(60)), row("a", "2", last)),
                NOW);
        assertThat(scanStart.marks()).containsEntry("a", last);
    }

    @Test
    void looksBeginAtTheFirstWhereNoneWasClaimed() {
        Instant first = NOW.minusSeconds(60);
        scanStart.move(
                List.of("a"),
                Map.of(
                        "a",
                        due(3, first),
                        Handler.RECURRING + "x",
                        due(1, NOW.minusSeconds(9)),
                        Handler.RECURRING + "y",
                        due(1, NOW.minusSeconds(8))),
                List.of(row(Handler.RECURRING, "x", NOW.minusSeconds(9))),
                NOW);
        assertThat(scanStart.marks()).containsEntry("a", first).containsEntry(Handler.RECURRING, NOW.minusSeconds(8));
    }

    @Test
    void countMayBeALowerBound() {
        Instant first = NOW.minusSeconds(600);
        List<TaskRow> claimed = IntStream.range(0, 200)
                .mapToObj(i -> row("a", "" + i, first.plusMillis(i)))
                .toList();
        scanStart.move(List.of("a"), Map.of("a", due(200, first)), claimed, NOW);
        assertThat(scanStart.marks()).containsEntry("a", first.plusMillis(199));
    }

    @Test
    void looksBeginNoLaterThanASecondAgo() {
        scanStart.move(List.of("a"), Map.of("a", due(1, NOW.plusMillis(900))), List.of(), NOW);
        assertThat(scanStart.marks()).containsEntry("a", LATEST);
    }

    // Behind an open transaction

    /**
     * Lets so many rows of a handler have been there, and keeps the database from tidying them up until that is closed.
     */
    private static Connection holdHorizon(HikariDataSource dataSource) throws SQLException {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        assertThat(jdbc.update(
                        "insert into wheel_durable_task (task_name, task_instance, task_data, execution_time) select "
                                + "'note', 'dead' || i, '', clock_timestamp() - i * interval '10 milliseconds' - "
                                + "interval '5 seconds' from generate_series(1, ?) i",
                        DEAD))
                .isEqualTo(DEAD);
        Connection holding = dataSource.getConnection();
        holding.setAutoCommit(false);
        holding.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = holding.createStatement()) {
            assertThat(statement.execute("select txid_current(), count(*) from wheel_durable_task"))
                    .isTrue();
        }
        assertThat(jdbc.update("delete from wheel_durable_task where task_instance like 'dead%'"))
                .isEqualTo(DEAD);
        jdbc.execute("analyze wheel_durable_task");
        return holding;
    }

    private static long buffers(HikariDataSource dataSource, Instant since) {
        String statement = new Sql(dataSource, Dialect.POSTGRESQL, "wheel_durable_task")
                .text(Dialect.POSTGRESQL.countDue(1, 200, 0, false));
        OffsetDateTime time = since.atOffset(ZoneOffset.UTC);
        String plan = String.join(
                "\n",
                new JdbcTemplate(dataSource)
                        .queryForList(
                                "explain (analyze, buffers, costs off) " + statement,
                                String.class,
                                "note",
                                "note",
                                time,
                                1_000L));
        Matcher found =
                Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?").matcher(plan);
        assertThat(found.find()).as(plan).isTrue();
        return Long.parseLong(found.group(1)) + (found.group(2) == null ? 0 : Long.parseLong(found.group(2)));
    }

    @Test
    void lookFromTheMarkReadsNothingOfWhatIsGone() throws SQLException {
        try (HikariDataSource dataSource = TestDatabase.POSTGRESQL.newDataSource()) {
            TaskTable tasks =
                    new Database(dataSource, Node.settings("a")).tables().tasks();
            try (Connection holding = holdHorizon(dataSource)) {
                assertThat(buffers(dataSource, Arguments.EARLIEST)).isGreaterThan(1_000);
                assertThat(buffers(dataSource, tasks.now().minus(ScanStart.SLACK)))
                        .isLessThan(20);
                holding.rollback();
            }
        }
    }

    @Test
    void lateCommitStartsSoonBehindAnOpenTransaction() throws SQLException {
        try (HikariDataSource dataSource = TestDatabase.POSTGRESQL.newDataSource();
                Node node = new Node("a", dataSource)) {
            Queue<String> ran = new ConcurrentLinkedQueue<>();
            node.handle("note", String.class, ran::add);
            TaskTable tasks =
                    new Database(dataSource, Node.settings("a")).tables().tasks();
            try (Connection holding = holdHorizon(dataSource)) {
                node.start();
                JdbcTemplate jdbc = new JdbcTemplate(dataSource);
                await("looks from the mark")
                        .until(() -> jdbc.queryForObject(
                                        "select count(*) from pg_stat_activity where datname = current_database() and "
                                                + "query like '%(full\\_looks + 1)%' and pid <> pg_backend_pid()",
                                        Long.class)
                                > 0);
                assertThat(tasks.insert(
                                "note",
                                "late",
                                "\"late\"".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                                tasks.now().minusSeconds(30)))
                        .isTrue();
                await().atMost(Duration.ofSeconds(5)).until(() -> ran.contains("late"));
                assertThat(tasks.insert(
                                "note",
                                "now",
                                "\"now\"".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                                tasks.now()))
                        .isTrue();
                await().atMost(Duration.ofSeconds(5)).until(() -> ran.contains("now"));
                holding.rollback();
            }
        }
    }

    private static DurableSettings settings(
            String name, boolean nudge, Duration heartbeat, Duration deadAfter, Duration closeLimit) {
        DurableSettings usual = Node.settings(name);
        return new DurableSettings(
                usual.table(),
                true,
                name,
                usual.maxConcurrent(),
                usual.claimAhead(),
                usual.maxClaimed(),
                heartbeat,
                deadAfter,
                closeLimit,
                usual.forgetAfter(),
                usual.maxDeaths(),
                null,
                nudge,
                DurableSettings.UnknownHandlers.WARN);
    }

    private static void insertOld(JdbcTemplate jdbc, String id, int state) {
        assertThat(jdbc.update(
                        "insert into wheel_durable_task (task_name, task_instance, task_data, execution_time, state) "
                                + "values ('note', ?, convert_to(?, 'UTF8'), clock_timestamp() - interval '30 "
                                + "seconds', ?)",
                        id,
                        "\"" + id + "\"",
                        state))
                .isEqualTo(1);
    }

    private static long incarnationOf(JdbcTemplate jdbc, String name) {
        return jdbc.queryForObject("select incarnation from wheel_durable_task_node where name = ?", Long.class, name);
    }

    /** Looks of nodes are full when this is another number. */
    private static long asked(ClaimTable claims) {
        return claims.countDue(List.of("none"), 1, List.of(), Duration.ZERO, Map.of(), true)
                .fullLooks();
    }

    /** What nodes put back behind an open transaction, and how long another one takes to start it. */
    private record PutBack(JdbcTemplate jdbc, ClaimTable claims, Map<String, Long> startedNanos, StringBuilder times) {

        /** Puts a row back that a node has, or none, and waits until it starts. */
        void starts(String id, @Nullable Long owner, boolean isOld, Runnable putsBack) {
            long before = asked(claims);
            putsBack.run();
            if (owner != null) {
                await().atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(2))
                        .until(() -> jdbc.queryForList(
                                        "select 1 from wheel_durable_task where task_instance = ? and owner = ?",
                                        id,
                                        owner)
                                .isEmpty());
            }
            long sinceNanos = System.nanoTime();
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(() -> startedNanos.containsKey(id));
            Duration took = Duration.ofNanos(startedNanos.get(id) - sinceNanos);
            times.append(", ").append(id).append(' ').append(took.toMillis());
            // A second, and what a noisy machine needs.
            assertThat(took).as(id).isLessThan(Duration.ofSeconds(4));
            if (isOld) {
                await().atMost(PATIENCE).until(() -> asked(claims) != before);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatAnotherNodePutsBackStartsSoonBehindAnOpenTransaction(boolean nudge) throws SQLException {
        String url = TestDatabase.POSTGRESQL.newUrl();
        Duration beat = Duration.ofMillis(500);
        Map<String, Long> startedNanos = new ConcurrentHashMap<>();
        try (HikariDataSource dataSource = TestDatabase.dataSource(url);
                HikariDataSource named = TestDatabase.dataSource(url + "&ApplicationName=starts");
                Node holds = new Node(
                        settings("holds", nudge, beat, Duration.ofMinutes(1), Duration.ofMillis(100)),
                        dataSource,
                        DurableObserver.NONE);
                Node frees = new Node(
                        settings("frees", nudge, beat, Duration.ofSeconds(2), Duration.ofSeconds(5)),
                        dataSource,
                        DurableObserver.NONE);
                Node starts = new Node(
                        settings("starts", nudge, beat, Duration.ofMinutes(1), Duration.ofSeconds(5)),
                        named,
                        DurableObserver.NONE)) {
            JdbcTemplate jdbc = new JdbcTemplate(dataSource);
            Tables tables = new Database(dataSource, Node.settings("x")).tables();
            holds.handle("note", String.class, id -> new CountDownLatch(1).await());
            starts.handle("note", String.class, id -> startedNanos.put(String.valueOf(id), System.nanoTime()));
            try (Connection holding = holdHorizon(dataSource)) {
                insertOld(jdbc, "interrupted", RowState.WAITING);
                holds.start();
                await().atMost(PATIENCE).until(() -> holds.engine.counts().running() == 1);
                holds.engine.drain();
                frees.start();
                starts.start();
                await("looks from the mark")
                        .atMost(PATIENCE)
                        .until(() -> jdbc.queryForObject(
                                        "select count(*) from pg_stat_activity where application_name = 'starts'"
                                                + " and query like '%(full\\_looks + 1)%'",
                                        Long.class)
                                > 0);
                PutBack putBack = new PutBack(jdbc, tables.claims(), startedNanos, new StringBuilder());

                assertThat(frees.engine.schedule("note", "moved", "moved", Duration.ofDays(1)))
                        .isTrue();
                putBack.starts(
                        "moved",
                        null,
                        true,
                        () -> assertThat(frees.engine.reschedule(
                                        "note", "moved", tables.tasks().now().minusSeconds(30)))
                                .isTrue());
                insertOld(jdbc, "retried", RowState.FAILED);
                putBack.starts(
                        "retried",
                        null,
                        false,
                        () -> assertThat(frees.engine.retry("note", "retried")).isTrue());
                long freeing = incarnationOf(jdbc, "frees");
                insertOld(jdbc, "unknown", RowState.FAILED);
                putBack.starts("unknown", freeing, true, () -> claim(jdbc, "unknown", freeing));
                insertOld(jdbc, "left", RowState.FAILED);
                putBack.starts("left", 7L, true, () -> {
                    assertThat(jdbc.update(
                                    "insert into wheel_durable_task_node (incarnation, name, state, beat, beat_at)"
                                            + " values (7, 'dead', 0, 1, clock_timestamp())"))
                            .isEqualTo(1);
                    claim(jdbc, "left", 7);
                });
                putBack.starts("interrupted", incarnationOf(jdbc, "holds"), true, holds::close);
                System.out.println("> put back behind an open transaction, "
                        + (nudge ? "with" : "without") + " notifications, milliseconds until it starts"
                        + putBack.times);
                holding.rollback();
            }
        }
    }

    private static void claim(JdbcTemplate jdbc, String id, long owner) {
        assertThat(jdbc.update(
                        "update wheel_durable_task set state = 1, owner = ?, version = version + 1 where task_instance "
                                + "= ?",
                        owner,
                        id))
                .isEqualTo(1);
    }
}
