package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.journal.StatementRows;
import io.github.wheelscheduler.durable.internal.row.OwnRetries;
import io.github.wheelscheduler.durable.internal.trace.Headers;
import io.github.wheelscheduler.durable.testing.Contender;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** A database finds what a node asks for without reading the rows that are of no interest. */
class DialectTest {

    private static final OffsetDateTime EVER = Arguments.EARLIEST.atOffset(ZoneOffset.UTC);

    private static final String TABLE = TaskTable.DEFAULT_NAME;

    private final HikariDataSource dataSource = TestDatabase.POSTGRESQL.newDataSource();
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);

    @BeforeEach
    void makeRowsThatAreNotDue() {
        Tables ignored = new Database(dataSource, Node.settings("x")).tables();
        assertThat(jdbc.update(
                        Contender.OURS.insert(10_000),
                        Instant.now().atOffset(ZoneOffset.UTC).plusDays(1),
                        1_000_000L))
                .isEqualTo(10_000);
    }

    @AfterEach
    void close() {
        dataSource.close();
    }

    private String plan(String statement, Object... parameters) {
        jdbc.execute("vacuum analyze " + TABLE);
        List<String> lines = jdbc.queryForList("explain (analyze, costs off) " + statement, String.class, parameters);
        return String.join("\n", lines);
    }

    private static String text(Dialect dialect, String template) {
        return new Sql(new DriverManagerDataSource(), dialect, TABLE).text(template);
    }

    private static String claim() {
        return text(Dialect.POSTGRESQL, Dialect.claim(Dialect.POSTGRESQL.lockDue(List.of(200, 7), 2, true)));
    }

    @Test
    void claimReadsNoRowThatIsNotDue() {
        assertThat(plan(claim(), "note", EVER, 1_000L, "other", EVER, 1_000L, "a", "b", EVER, 1_000L, 7L))
                .contains(
                        "Index Cond: (((task_name)::text = 'note'::text) AND (execution_time >= ",
                        "AND (execution_time <= ")
                .doesNotContain("Rows Removed by Filter");
    }

    @Test
    void lookReadsNoRowThatIsNotDue() {
        assertThat(plan(
                        text(Dialect.POSTGRESQL, Dialect.POSTGRESQL.countDue(1, 200, 2, true)),
                        "note",
                        "note",
                        EVER,
                        1_000L,
                        "a",
                        "b",
                        EVER,
                        1_000L))
                .contains("(execution_time <= ")
                .doesNotContain("Rows Removed by Filter")
                .doesNotContain("Seq Scan on " + TABLE + " ");
    }

    @Test
    void unreadableRowsAreFoundByTheirIndex() {
        assertThat(jdbc.update("update " + TABLE
                        + " set state = 3, last_failure = clock_timestamp() where task_instance < 't5'"))
                .isGreaterThan(4_000);
        assertThat(plan(text(Dialect.POSTGRESQL, Dialect.POSTGRESQL.lockUnreadable(3)), "note"))
                .contains(TABLE + "_kept", "(execution_time <= ")
                .doesNotContain("Rows Removed by Filter", "Seq Scan");
        OffsetDateTime begin = Instant.EPOCH.atOffset(ZoneOffset.UTC);
        OffsetDateTime later = Instant.now().plusSeconds(60).atOffset(ZoneOffset.UTC);
        assertThat(plan(text(Dialect.POSTGRESQL, Dialect.POSTGRESQL.lockUntried(3)), "note", begin, later))
                .contains(TABLE + "_kept", "(execution_time >= ")
                .doesNotContain("Rows Removed by Filter", "Seq Scan");
    }

    @Test
    void noPlanIsKeptFromTheTimeWhenTheTableWasSmall() {
        SingleConnectionDataSource one = new SingleConnectionDataSource(dataSource.getJdbcUrl(), true);
        Tables tables = Tables.of(new Sql(one, Dialect.POSTGRESQL, TABLE));
        for (int i = 0; i < 10; i++) {
            assertThat(tables.claims()
                            .countDue(List.of("none"), 200, List.of(), Duration.ofSeconds(1), Map.of(), true)
                            .candidates())
                    .isEmpty();
            assertThat(tables.claims().claim(7, Duration.ofSeconds(1), Map.of("none", 200), List.of(), Map.of(), true))
                    .isEmpty();
            assertThat(tables.ends().doneAll(List.of(new RowKey("none", "" + i, 1)), StatementRows.none()))
                    .isEmpty();
            assertThat(tables.tasks().find("none", "1")).isEmpty();
        }
        assertThat(new JdbcTemplate(one).queryForList("select statement from pg_prepared_statements", String.class))
                .as("what is prepared, as is usual with the fifth time")
                .isNotEmpty()
                .allMatch(statement -> statement.startsWith("select t.task_name, "));
        one.destroy();
    }

    @Test
    void finishedRowIsDeletedAloneInATableOfParts() {
        jdbc.execute("alter table " + TABLE + " rename to whole");
        jdbc.execute(
                "create table " + TABLE + " (like whole including defaults, primary key (task_name, task_instance))"
                        + " partition by hash (task_instance)");
        for (int i = 0; i < 4; i++) {
            jdbc.execute("create table part_" + i + " partition of " + TABLE + " for values with (modulus 4, remainder "
                    + i + ")");
        }
        assertThat(jdbc.update("insert into " + TABLE + " select * from whole")).isEqualTo(10_000);
        EndTable table =
                Tables.of(new Sql(dataSource, Dialect.POSTGRESQL, TABLE)).ends();
        RowKey row = new RowKey("note", "t7", 1);
        assertThat(table.doneAll(List.of(row), StatementRows.none())).containsExactly(row);
        RowKey other = new RowKey("note", "t8", 1);
        assertThat(table.doneEach(List.of(other), StatementRows.none())).containsExactly(other);
        assertThat(jdbc.queryForObject("select count(*) from " + TABLE, Long.class))
                .isEqualTo(9_998);
    }

    @Test
    void takeOverReadsNoRowOfTheLiving() {
        assertThat(jdbc.update("update " + TABLE + " set state = 1, owner = 7 where task_instance < 't5'"))
                .isPositive();
        assertThat(plan("select task_instance from " + TABLE + " where owner = 8"))
                .contains("Index Cond: (owner = ")
                .doesNotContain("Rows Removed by Filter");
    }

    @Test
    void claimReadsNoFutureRowOnMariaDb() {
        try (HikariDataSource mariaDb = TestDatabase.MARIADB.newDataSource()) {
            TaskTable table = new Database(mariaDb, Node.settings("x")).tables().tasks();
            String[] ids = IntStream.range(0, 5_000).mapToObj(i -> "t" + i).toArray(String[]::new);
            byte[][] payloads = Stream.of(ids).map(id -> new byte[1]).toArray(byte[][]::new);
            Instant later = table.now().plus(Duration.ofDays(1));
            Instant[] times = Stream.of(ids).map(id -> later).toArray(Instant[]::new);
            OwnRetries[] retries = new OwnRetries[ids.length];
            Arrays.fill(retries, OwnRetries.NONE);
            assertThat(table.insertAll("note", ids, payloads, times, retries, new Headers[ids.length]))
                    .isEqualTo(ids.length);
            JdbcTemplate onMariaDb = new JdbcTemplate(mariaDb);
            onMariaDb.execute("analyze table " + TABLE);

            assertThat(explained(onMariaDb, lockDue(), "note", EVER.toLocalDateTime(), 1_000L))
                    .containsEntry("key", TABLE + "_due")
                    .containsEntry("rows", "1");
        }
    }

    private static String lockDue() {
        return text(
                Dialect.MARIADB, Dialect.MARIADB.lockDue(List.of(200), 0, true).get(0));
    }

    @Test
    void claimReadsNoFutureRowOnMariaDbDuringABacklog() {
        try (HikariDataSource mariaDb = TestDatabase.MARIADB.newDataSource()) {
            Tables ignored = new Database(mariaDb, Node.settings("x")).tables();
            JdbcTemplate onMariaDb = new JdbcTemplate(mariaDb);
            assertThat(onMariaDb.update("insert into " + TABLE
                            + " (task_name, task_instance, execution_time) select if(seq % 20 < 14, 'later', if(seq % "
                            + "2, 'note', 'other')), concat('t', seq), utc_timestamp(6) + interval if(seq % 20 < 14, "
                            + "1000, -1) * cast(seq as signed) second from seq_1_to_100000"))
                    .isEqualTo(100_000);
            onMariaDb.execute("analyze table " + TABLE);

            assertThat(explained(onMariaDb, lockDue(), "note", EVER.toLocalDateTime(), 1_000L))
                    .containsEntry("type", "range")
                    .containsEntry("key", TABLE + "_due");
            assertThat(onMariaDb.update("update " + TABLE + " set state = 3 where task_name = 'later'"))
                    .isEqualTo(70_000);
            assertThat(explained(onMariaDb, text(Dialect.MARIADB, Dialect.MARIADB.lockUnreadable(3)), "later"))
                    .containsEntry("type", "range")
                    .containsEntry("key", TABLE + "_due");
            assertThat(explained(onMariaDb, text(Dialect.MARIADB, Dialect.MARIADB.waitingNames()))
                            .get("Extra"))
                    .contains("Using index for group-by");
        }
    }

    @Test
    @Timeout(30)
    void claimReadsDueRowsOnceOnH2() {
        try (HikariDataSource h2 = TestDatabase.H2.newDataSource();
                Node node = new Node("a", h2)) {
            Queue<String> ran = new ConcurrentLinkedQueue<>();
            node.handle("note", String.class, ran::add);
            assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
            assertThat(new JdbcTemplate(h2)
                            .update("insert into " + TABLE
                                    + " (task_name, task_instance, task_data, execution_time) select "
                                    + "'note', 'later' || x, X'', dateadd(day, 1, current_timestamp) "
                                    + "from system_range(1, 50000)"))
                    .isEqualTo(50_000);
            node.start();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> node.engine.counts().succeeded() == 1);
            assertThat(ran).containsExactly("one");
        }
    }

    private static Map<String, String> explained(JdbcTemplate jdbc, String statement, Object... parameters) {
        Map<String, String> columns = new HashMap<>();
        jdbc.queryForMap("explain " + statement, parameters)
                .forEach((name, value) -> columns.put(name, String.valueOf(value)));
        return columns;
    }
}
