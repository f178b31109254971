package io.github.wheelscheduler.history.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.history.HistorySettings;
import io.github.wheelscheduler.history.RunHistoryReader;
import io.github.wheelscheduler.testing.Timed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * Processes with durable tasks and the history on one PostgreSQL: {@code n1} is killed; the clock of {@code n2} is
 * behind, that of {@code n3} ahead; {@code n4} has no history. The database goes away, and is for reading only, for a
 * while. The clocks are those of the schedulers; {@code -Dwheel.cluster.faketime=true} makes them those of the
 * processes, by the library {@code faketime}.
 */
@Timed
class HistoryClusterMeasured {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final boolean FAKES_TIME = Boolean.getBoolean("wheel.cluster.faketime");
    private static final Duration OUTAGE = Duration.ofSeconds(3);
    private static final int TASKS = 800;
    private static final int MORE_TASKS = 200;
    private static final int TASKS_PER_SECOND = 40;
    private static final int BEHIND_SECONDS = 7;
    private static final int AHEAD_SECONDS = 9;
    private static final Path LOGS = Path.of("target", "children");

    /** Times of the end of a connection: what had been sent may be there twice, or be told as a failure. */
    private static final String DISTURBED =
            "exists (select 1 from breaks where %s between breaks.at - interval '3 s' and breaks.at + interval '1 s')";

    private static final String SUCCESS = "h.task = 'note' and h.outcome = 0";

    private final String url = HistoryOnServersTest.Place.POSTGRESQL.newUrl();
    private final String database = url.replaceAll(".*/(\\w+)\\?.*", "$1");
    private final DriverManagerDataSource dataSource = new DriverManagerDataSource(url + "&ApplicationName=test");
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
    private final JdbcTemplate server = new JdbcTemplate(
            new DriverManagerDataSource(url.replace("/" + database + "?", "/postgres?") + "&ApplicationName=test"));
    private final Map<String, Process> nodes = new HashMap<>();
    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();

    private int scheduled;

    HistoryClusterMeasured() throws SQLException {}

    @AfterEach
    void stop() {
        nodes.values().forEach(Process::destroyForcibly);
        List<Runnable> ignored = executor.shutdownNow();
    }

    private void start(String name, int clockSeconds, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                HistoryClusterNode.class.getName(),
                "--spring.main.web-application-type=none",
                "--spring.main.keep-alive=true",
                "--spring.datasource.url=" + url + "&ApplicationName=" + name,
                "--spring.datasource.hikari.maximum-pool-size=14",
                "--spring.datasource.hikari.connection-timeout=1000",
                "--wheel.scheduler.durable.initialize-schema=always",
                "--wheel.scheduler.durable.node=" + name,
                "--wheel.scheduler.history.initialize-schema=always",
                "--wheel.scheduler.history.unlimited=note,check,tick-" + name));
        command.addAll(List.of(more));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log(name).toFile());
        if (clockSeconds != 0 && FAKES_TIME) {
            builder.environment()
                    .putAll(Map.of(
                            "LD_PRELOAD", fakeTime().toString(),
                            "FAKETIME", String.format("%+ds", clockSeconds),
                            "NO_FAKE_STAT", "1",
                            "DONT_FAKE_MONOTONIC", "1",
                            "FAKETIME_DONT_FAKE_MONOTONIC", "1"));
        } else {
            builder.command().add("--clock-seconds=" + clockSeconds);
        }
        nodes.put(name, builder.start());
    }

    private static Path log(String name) throws IOException {
        return Files.createDirectories(LOGS).resolve("history-" + name + ".log");
    }

    /** The library makes a start slow. */
    private void awaitStarted(String name) throws IOException {
        Path log = log(name);
        Process process = nodes.get(name);
        await().atMost(PATIENCE.multipliedBy(3))
                .until(() -> Files.readString(log).contains("\nstarted") || !process.isAlive());
        assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
    }

    private static Path fakeTime() throws IOException {
        try (Stream<Path> found = Files.find(
                Path.of("/usr/lib"),
                4,
                (path, attributes) -> path.getFileName().toString().equals("libfaketime.so.1"))) {
            return found.findFirst().orElseThrow();
        }
    }

    private long count(String query, Object... parameters) {
        return Objects.requireNonNull(jdbc.queryForObject(query, Long.class, parameters));
    }

    private void awaitNone(String query, Object... parameters) {
        await().atMost(PATIENCE).until(() -> count(query, parameters) == 0);
    }

    /** Schedules tasks that are due from now on, one after the other. */
    private void schedule(int count) {
        try (DurableEngine engine = new DurableEngine(
                DurableSettings.ofNode("scheduling"),
                executor,
                dataSource,
                JsonMapper.builder().build(),
                DurableObserver.NONE)) {
            Instant first = Instant.now();
            List<DurableRequest> requests = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String id = "t" + scheduled++;
                requests.add(new DurableRequest(id, id, first.plusMillis(1_000L * i / TASKS_PER_SECOND)));
            }
            assertThat(engine.scheduleAll("note", requests)).isEqualTo(count);
        }
    }

    private void awaitEnded(int number) {
        await().atMost(PATIENCE)
                .until(() -> count("select count(distinct id) from runs where ended is not null") >= number);
    }

    private static void pass(Duration time) {
        long startNanos = System.nanoTime();
        await().atMost(time.plus(PATIENCE))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> System.nanoTime() - startNanos >= time.toNanos());
    }

    private void change(String change) {
        server.execute("alter database " + database + " " + change);
    }

    private void noteBreak() {
        int ignored = jdbc.update("insert into breaks values (clock_timestamp())");
    }

    /** Ends all connections of the nodes. */
    private void disconnect() {
        List<Boolean> ended = server.queryForList(
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = ?"
                        + " and application_name like 'n_'",
                Boolean.class,
                database);
        assertThat(ended).isNotEmpty();
    }

    @Test
    void historyIsRightThoughNodesDieAndTheDatabaseGoes() throws Exception {
        createTables();
        start("n1", 0);
        awaitStarted("n1");
        start("n2", -BEHIND_SECONDS);
        start("n3", AHEAD_SECONDS);
        awaitStarted("n2");
        awaitStarted("n3");
        schedule(TASKS);
        awaitEnded(TASKS / 6);
        Instant before = killFirst();
        start("n4", 0, "--wheel.scheduler.history.enabled=false");
        awaitStarted("n4");
        endConnections();
        String broken = breakChecks();
        awaitNone("select count(*) from wheel_durable_task where task_name = 'note'");
        close("n2", "n3", "n4");

        assertThat(count("select count(distinct id) from runs where ended is not null"))
                .isEqualTo(scheduled);
        assertRowsAreThereOnce(before);
        assertTimes();
        System.out.println("> history of a cluster: " + broken + ", rows by node "
                + jdbc.queryForList("select node, count(*) c from wheel_history_run group by node order by node")
                + ", runs by node " + jdbc.queryForList("select node, count(*) c from runs group by node order by node")
                + ", ends that the kill took "
                + count("select count(*) from runs r where ended is not null and node = 'n1' and not exists ("
                        + "select 1 from wheel_history_run h where h.instance = r.id and h.node = r.node and " + SUCCESS
                        + ")"));
    }

    private void createTables() {
        jdbc.execute("create table runs (number bigint generated always as identity, id varchar(50), node varchar(50),"
                + " begun timestamp with time zone default clock_timestamp(), ended timestamp with time zone)");
        jdbc.execute("create table checks (node varchar(50), failed boolean,"
                + " at timestamp with time zone default clock_timestamp())");
        jdbc.execute("create table ticks (node varchar(50), at timestamp with time zone default clock_timestamp())");
        jdbc.execute("create table breaks (at timestamp with time zone)");
        jdbc.execute("create table flags (is_broken boolean)");
    }

    /**
     * Kills a node once all that has ended so far has its row; returns that time. Each task that the node had claimed
     * has a row that says so.
     */
    private Instant killFirst() throws InterruptedException {
        Instant before = jdbc.queryForObject("select clock_timestamp()", OffsetDateTime.class)
                .toInstant();
        awaitNone(
                "select count(*) from runs r where ended < ? and not exists (select 1 from wheel_history_run h where "
                        + "h.instance = r.id and h.node = r.node and " + SUCCESS + ")",
                before.atOffset(ZoneOffset.UTC));
        assertThat(nodes.get("n1").destroyForcibly().waitFor()).isNotZero();
        awaitNone("select count(*) from pg_stat_activity where datname = current_database()"
                + " and application_name = 'n1'");
        List<String> claimed = jdbc.queryForList(
                "select task_instance from wheel_durable_task where task_name = 'note' and owner in"
                        + " (select incarnation from wheel_durable_task_node where name = 'n1')",
                String.class);
        assertThat(claimed).isNotEmpty();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(jdbc.queryForList(
                                "select instance from wheel_history_run where task = 'note' and outcome = 9",
                                String.class))
                        .containsExactlyInAnyOrderElementsOf(claimed));
        assertThat(count("select count(*) from wheel_history_run where noted_at > clock_timestamp()"))
                .as("rows of a node whose clock is ahead")
                .isZero();
        return before;
    }

    private void endConnections() {
        schedule(MORE_TASKS);
        noteBreak();
        change("with allow_connections false");
        disconnect();
        pass(OUTAGE);
        change("with allow_connections true");
        awaitWork();
        schedule(MORE_TASKS);
        noteBreak();
        change("set default_transaction_read_only = on");
        disconnect();
        pass(OUTAGE);
        change("set default_transaction_read_only = off");
        noteBreak();
        disconnect();
        awaitWork();
    }

    /** Waits until each node has run something again, and durable tasks have been run. */
    private void awaitWork() {
        await().atMost(PATIENCE)
                .until(() ->
                        count("select count(distinct node) from ticks where at > (select max(at) from breaks)") == 3
                                && count("select count(*) from runs where ended > (select max(at) from breaks)") > 10);
    }

    /** Lets a recurring task fail from some time on; the history knows since when. */
    private String breakChecks() {
        // Well on a node with a history, after all that has failed meanwhile.
        await().atMost(PATIENCE)
                .until(() -> count("select count(*) from wheel_history_run where task = 'check' and outcome = 0"
                                + " and noted_at > (select max(at) from breaks)")
                        > 0);
        int ignored = jdbc.update("insert into flags values (true)");
        try (HistoryEngine engine = new HistoryEngine(HistorySettings.ofNode("test"), executor, dataSource)) {
            RunHistoryReader reader = engine.reader();
            HistoryQuery failures = HistoryQuery.ALL.ofTask("check").with(Set.of(HistoryOutcome.FAILURE));
            await().atMost(PATIENCE)
                    .until(() -> count("select count(*) from wheel_history_run where task = 'check' and outcome = 1"
                                    + " and node <> 'n4' and message = 'broken'")
                            >= 5);
            Instant since = Objects.requireNonNull(reader.summary("check").failingSince());
            HistoryRow first = reader.page(failures.limit(1_000)).rows().stream()
                    .filter(row -> row.failure().message().equals("broken"))
                    .reduce((later, earlier) -> earlier)
                    .orElseThrow();
            assertThat(since).isEqualTo(first.at());
            String node = jdbc.queryForObject("select node from checks where failed order by at limit 1", String.class);
            Instant failed = jdbc.queryForObject(
                            "select min(at) from checks where failed and node <> 'n4'", OffsetDateTime.class)
                    .toInstant();
            assertThat(failed)
                    .isBetween(first.started().minusSeconds(1), first.at().plusSeconds(1));
            return "failed first on " + node + " at " + failed + ", failing since " + since;
        }
    }

    private void close(String... names) throws InterruptedException {
        for (String name : names) {
            nodes.get(name).destroy();
        }
        for (String name : names) {
            assertThat(nodes.get(name).waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    private void assertRowsAreThereOnce(Instant before) {
        assertThat(jdbc.queryForList(
                        "select task, instance, attempt, count(*) from wheel_history_run h where started is not null"
                                + " and"
                                + " instance is not null and not " + String.format(DISTURBED, "h.noted_at")
                                + " group by task, instance, attempt having count(*) > 1"))
                .as("two rows of one attempt")
                .isEmpty();
        assertThat(jdbc.queryForList(
                        "select due, count(*) from wheel_history_run h where task = 'check' and started is not null"
                                + " and not " + String.format(DISTURBED, "h.noted_at")
                                + " group by due having count(*) > 1"))
                .as("two rows of one run of a recurring task")
                .isEmpty();
        assertThat(jdbc.queryForList(
                        "select id, node, ended from runs r where ended is not null and node <> 'n4'"
                                + " and (node <> 'n1' or ended < ?) and not " + String.format(DISTURBED, "r.ended")
                                + " and not exists (select 1 from wheel_history_run h where h.instance = r.id"
                                + " and h.node = r.node and " + SUCCESS + ")",
                        before.atOffset(ZoneOffset.UTC)))
                .as("ends without a row")
                .isEmpty();
        assertThat(count("select count(*) from runs where node = 'n4'")).isPositive();
        assertThat(count("select count(*) from wheel_history_run where node = 'n4'"))
                .isZero();
    }

    /** Rows of durable runs have the time of the database, others that of their node, and none is ahead. */
    private void assertTimes() {
        for (String node : List.of("n2", "n3")) {
            assertThat(seconds(
                            "select percentile_disc(0.5) within group"
                                    + " (order by extract(epoch from r.begun - h.started))"
                                    + " from wheel_history_run h join runs r on h.instance = r.id and h.node = r.node"
                                    + " where r.node = ? and r.ended is not null and " + SUCCESS,
                            node))
                    .as("begins on " + node)
                    .isBetween(-1.0, 2.0);
        }
        String ticks = "select extract(epoch from (select min(h.noted_at) from wheel_history_run h where h.task ="
                + " 'tick-' || t.node) - min(t.at)) from ticks t where node = ? group by node";
        assertThat(seconds(ticks, "n2")).isBetween(-BEHIND_SECONDS - 1.0, -BEHIND_SECONDS + 2.0);
        assertThat(seconds(ticks, "n3")).isBetween(-1.0, (double) AHEAD_SECONDS - 1);
    }

    private double seconds(String query, String node) {
        return Objects.requireNonNull(jdbc.queryForObject(query, Double.class, node));
    }
}
