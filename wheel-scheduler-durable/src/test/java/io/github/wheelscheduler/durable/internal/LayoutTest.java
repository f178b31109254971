package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.UnsupportedDatabaseException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSetMetaData;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.ResultSetExtractor;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** A node works on tables that fit its release, and stops the start on others with what to do. */
@ParameterizedClass
@EnumSource
class LayoutTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final TestDatabase database;
    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;

    LayoutTest(TestDatabase database) {
        this.database = database;
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
    }

    @AfterEach
    void close() {
        dataSource.close();
    }

    private static DurableSettings settings(String table, boolean initializes) {
        DurableSettings usual = Node.settings("a");
        return new DurableSettings(
                table,
                initializes,
                "a",
                usual.maxConcurrent(),
                usual.claimAhead(),
                usual.maxClaimed(),
                usual.heartbeat(),
                usual.deadAfter(),
                usual.closeLimit(),
                usual.forgetAfter(),
                usual.maxDeaths(),
                null,
                usual.nudge(),
                DurableSettings.UnknownHandlers.WARN);
    }

    private Node node(String table, boolean initializes) {
        return new Node(settings(table, initializes), dataSource, DurableObserver.NONE);
    }

    private ThrowableAssertAlternative<UnsupportedDatabaseException> refused(String table) {
        try (Node node = node(table, false)) {
            return assertThatExceptionOfType(UnsupportedDatabaseException.class).isThrownBy(node::start);
        }
    }

    private String script() {
        return "schema-" + database.name().toLowerCase(Locale.ROOT) + ".sql";
    }

    private void change(String sql) {
        assertThat(jdbc.update(sql)).isEqualTo(1);
    }

    @Test
    void nodeStartsWhileATransactionHasWrittenIntoTheTable() {
        try (Node first = new Node("first", dataSource).start();
                Node second = new Node("second", dataSource)) {
            new TransactionTemplate(new DataSourceTransactionManager(dataSource)).executeWithoutResult(status -> {
                assertThat(first.engine.schedule("note", "1", "one", Instant.now()))
                        .isTrue();
                CompletableFuture<Node> started = CompletableFuture.supplyAsync(second::start);
                assertThat(started).succeedsWithin(PATIENCE).isSameAs(second);
            });
        }
    }

    @Test
    void callersTransactionSurvivesTheMakingOfTables() {
        jdbc.execute("create table mine (id int)");
        DataSource proxy = new TransactionAwareDataSourceProxy(dataSource);
        try (Node node = new Node("a", proxy)) {
            new TransactionTemplate(new DataSourceTransactionManager(dataSource)).executeWithoutResult(status -> {
                change("insert into mine values (1)");
                assertThat(node.engine.schedule("note", "1", "one", Instant.now()))
                        .isTrue();
                status.setRollbackOnly();
            });
            assertThat(jdbc.queryForList("select id from mine")).isEmpty();
            assertThat(node.engine.find("note", "1")).isEmpty();
        }
    }

    @Test
    void missingTablesStopTheStart() {
        refused("wheel_durable_task")
                .withMessageStartingWith("The tables wheel_durable_task and wheel_durable_task_node must be there")
                .satisfies(ex -> assertThat(ex.action()).contains(script(), "initialize-schema"));
    }

    @Test
    void startThatWasRefusedMayBeTriedAgain() {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        try (Node node = node("wheel_durable_task", false).handle("note", String.class, ran::add)) {
            assertThatExceptionOfType(UnsupportedDatabaseException.class).isThrownBy(node::start);
            new ResourceDatabasePopulator(new ClassPathResource(script(), DurableEngine.class)).execute(dataSource);
            node.start();
            assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
            await().atMost(PATIENCE).until(() -> ran.contains("one"));
        }
    }

    @Test
    void nameThatTheDatabaseKeepsForItselfStopsTheStart() {
        try (Node node = node("table", true)) {
            assertThatExceptionOfType(UnsupportedDatabaseException.class)
                    .isThrownBy(node::start)
                    .withMessageStartingWith("The tables table and table_node cannot be made: ");
        }
    }

    @Test
    void scriptThatAUserRunsIsEnough() throws Exception {
        ResourceDatabasePopulator script =
                new ResourceDatabasePopulator(new ClassPathResource(script(), DurableEngine.class));
        script.execute(dataSource);
        // A migration may be run once more.
        script.execute(dataSource);
        assertRuns("wheel_durable_task", false);
    }

    @Test
    void nodesThatStartAtTheSameTimeMakeThemInTurn() {
        if (database != TestDatabase.POSTGRESQL) {
            return;
        }
        for (int round = 0; round < 5; round++) {
            List<CompletableFuture<Void>> starts = java.util.stream.IntStream.range(0, 8)
                    .mapToObj(i -> CompletableFuture.runAsync(() -> {
                        Object ignored = new Database(dataSource, settings("jobs", true)).tables();
                    }))
                    .toList();
            starts.forEach(CompletableFuture::join);
        }
        assertThat(jdbc.queryForObject("select count(*) from pg_proc where proname = 'jobs_nudge'", Integer.class))
                .isEqualTo(1);
    }

    private void assertRuns(String table, boolean initializes) {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        try (Node node = node(table, initializes).handle("note", String.class, ran::add)) {
            node.start();
            assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
            await().atMost(PATIENCE).until(() -> ran.contains("one"));
        }
    }

    @Test
    void tableMayHaveAnotherNameAndASchema() {
        assertRuns("other_tasks", true);
        if (database == TestDatabase.POSTGRESQL) {
            jdbc.execute("create schema jobs");
            assertRuns("jobs.tasks", true);
            assertThat(jdbc.queryForObject("select count(*) from jobs.tasks_node", Integer.class))
                    .isEqualTo(1);
        }
    }

    @Test
    void tablesThatAUserHasWrittenWithoutTheRowStopTheStart() {
        assertRuns("wheel_durable_task", true);
        change("delete from wheel_durable_task_node where incarnation = 0");
        refused("wheel_durable_task")
                .withMessageContaining("must have the layout 2, but wheel_durable_task_node says nothing of it");
    }

    @Test
    void tablesThatANewerReleaseHasAddedToAreWorkedOn() {
        assertRuns("wheel_durable_task", true);
        change("update wheel_durable_task_node set layout = 3 where incarnation = 0");
        assertRuns("wheel_durable_task", false);
        change("update wheel_durable_task_node set oldest_layout = 3 where incarnation = 0");
        refused("wheel_durable_task")
                .withMessageContaining("says 3, for nodes of at least 3")
                .satisfies(ex -> assertThat(ex.action()).contains("newer release"));
    }

    @Test
    void tablesOfAnOlderReleaseStopTheStart() {
        assertRuns("wheel_durable_task", true);
        change("update wheel_durable_task_node set layout = 0, oldest_layout = 0 where incarnation = 0");
        refused("wheel_durable_task").satisfies(ex -> assertThat(ex.action()).contains(script()));
    }

    @Test
    void layoutBeforeStopsTheStartUnlessItMayBeChanged() {
        OlderNode.makeTables(database, dataSource);
        refused("wheel_durable_task")
                .withMessageContaining("must have the layout 2, but wheel_durable_task_node says 1")
                .satisfies(ex -> assertThat(ex.action()).contains("layout-2-", "UPGRADING.md", "initialize-schema"));
        assertRuns("wheel_durable_task", true);
        assertRuns("wheel_durable_task", false);
    }

    @Test
    void changedTablesAreThoseThatAreMadeAnew() {
        OlderNode.makeTables(database, dataSource);
        assertRuns("wheel_durable_task", true);
        assertRuns("made_anew", true);
        assertThat(columns("wheel_durable_task")).hasSizeGreaterThan(40).isEqualTo(columns("made_anew"));
        assertThat(columns("wheel_durable_task_node")).isEqualTo(columns("made_anew_node"));
    }

    private List<String> columns(String table) {
        return jdbc.query("select * from " + table, (ResultSetExtractor<List<String>>) rows -> {
            ResultSetMetaData columns = rows.getMetaData();
            List<String> all = new ArrayList<>();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                all.add(columns.getColumnName(i) + " " + columns.getColumnTypeName(i) + " " + columns.getPrecision(i)
                        + " " + columns.isNullable(i));
            }
            return all;
        });
    }

    @Test
    void changeMayBeRunTwiceAndByHand() throws Exception {
        OlderNode.makeTables(database, dataSource);
        ResourceDatabasePopulator script = new ResourceDatabasePopulator(
                new ClassPathResource(script().replace("schema-", "layout-2-"), DurableEngine.class));
        script.execute(dataSource);
        script.execute(dataSource);
        assertRuns("wheel_durable_task", false);
    }

    @Test
    void nodesThatStartTogetherChangeTablesOnce() {
        if (database == TestDatabase.H2) {
            return;
        }
        OlderNode.makeTables(database, dataSource);
        List<CompletableFuture<Void>> starts = java.util.stream.IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.runAsync(() -> {
                    Object ignored = new Database(dataSource, settings("wheel_durable_task", true)).tables();
                }))
                .toList();
        starts.forEach(CompletableFuture::join);
        assertRuns("wheel_durable_task", false);
    }

    @Test
    void longTransactionStopsTheStartAndNotTheNodes() {
        if (database == TestDatabase.H2) {
            return;
        }
        OlderNode.makeTables(database, dataSource);
        new TransactionTemplate(new DataSourceTransactionManager(dataSource)).executeWithoutResult(status -> {
            OlderNode older = new OlderNode(database, dataSource, JsonMapper.shared());
            older.insert("note", "held", "one");
            CompletableFuture<Void> start = CompletableFuture.runAsync(() -> {
                try (Node node = node("wheel_durable_task", true)) {
                    node.start();
                }
            });
            assertThat(start)
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(UnsupportedDatabaseException.class)
                    .withMessageContaining("and they cannot be changed: ");
        });
        assertRuns("wheel_durable_task", true);
    }

    @Test
    void pageHasTheStatements() throws Exception {
        String page = Files.readString(Path.of("..", "UPGRADING.md"));
        String statements = new ClassPathResource(script().replace("schema-", "layout-2-"), DurableEngine.class)
                .getContentAsString(StandardCharsets.UTF_8);
        assertThat(page).contains(statements);
    }

    @Test
    void poolOfOneConnectionStopsTheStart() {
        HikariConfig config = new HikariConfig();
        dataSource.copyStateTo(config);
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(500);
        try (HikariDataSource small = new HikariDataSource(config);
                Node node = new Node("a", small)) {
            assertThatExceptionOfType(UnsupportedDatabaseException.class)
                    .isThrownBy(node::start)
                    .withMessage(
                            "The pool must have at least two connections for durable tasks, one of which heartbeats "
                                    + "keep, was 1");
        }
    }

    @Test
    void taskScheduledAfterTheCommitIsCommitted() {
        HikariConfig config = new HikariConfig();
        dataSource.copyStateTo(config);
        config.setAutoCommit(false);
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        try (HikariDataSource manual = new HikariDataSource(config);
                Node node = new Node("a", manual).handle("note", String.class, ran::add)) {
            node.start();
            new TransactionTemplate(new DataSourceTransactionManager(manual)).executeWithoutResult(status -> {
                assertThat(node.engine.schedule("note", "1", "in it", Instant.now()))
                        .isTrue();
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        assertThat(node.engine.schedule("note", "2", "after it", Instant.now()))
                                .isTrue();
                    }
                });
            });
            await().atMost(PATIENCE).until(() -> ran.size() == 2);
            assertThat(ran).containsExactlyInAnyOrder("in it", "after it");
            assertThat(node.engine.scheduleAll("note", List.of())).isZero();
        }
    }
}
