package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.testing.Contender;
import io.github.wheelscheduler.durable.testing.MeasuredServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.FileSystemUtils;

/** Some processes on a database of their own. Closing kills the ones that are left. */
final class MeasuredCluster implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    final String url;
    final HikariDataSource dataSource;
    final JdbcTemplate jdbc;
    private final Contender contender;
    private final Path logs;
    private final Map<String, Process> nodes = new LinkedHashMap<>();
    private final Map<String, Integer> starts = new HashMap<>();
    private final Map<String, Object> properties = new LinkedHashMap<>();
    private final Set<String> running = new TreeSet<>();

    MeasuredCluster(MeasuredServer server, Contender contender) throws IOException, SQLException {
        this.contender = contender;
        this.url = server.newUrl();
        this.dataSource = TestDatabase.dataSource(url);
        this.jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("create extension pg_stat_statements");
        Path directory = Path.of(
                "target", "measured", url.substring(url.lastIndexOf('/') + 1).replaceAll("\\W.*", ""));
        boolean ignored = FileSystemUtils.deleteRecursively(directory);
        this.logs = Files.createDirectories(directory);
        if (contender == Contender.DB_SCHEDULER) {
            jdbc.execute(Contender.TABLE_OF_DB_SCHEDULER);
        }
    }

    // Processes

    MeasuredCluster start(String... names) throws IOException {
        for (String name : names) {
            launch(name);
        }
        for (String name : names) {
            await().atMost(PATIENCE)
                    .until(() -> MeasuredLog.lines(log(name), "started").size() == starts.get(name));
        }
        return this;
    }

    /** Lets nodes that start from now on have a system property. */
    MeasuredCluster with(String property, Object value) {
        properties.put(property, value);
        return this;
    }

    /** Starts a process without waiting for it, for the first time or again. */
    void launch(String name) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-XX:+UseSerialGC"));
        properties.forEach((property, value) -> command.add("-Dmeasured." + property + "=" + value));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                MeasuredNode.class.getName(),
                contender.name(),
                url + "&ApplicationName=" + name,
                name,
                log(name).toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output(name).toFile()))
                .start();
        nodes.put(name, process);
        running.add(name);
        starts.merge(name, 1, Integer::sum);
    }

    Process process(String name) {
        return nodes.get(name);
    }

    Path log(String name) {
        return logs.resolve(name + ".log");
    }

    private Path output(String name) {
        return logs.resolve(name + ".out");
    }

    /** Returns the lines that nodes have printed with some text in them. */
    List<String> printed(String text) throws IOException {
        List<String> found = new ArrayList<>();
        for (String name : nodes.keySet()) {
            Files.readAllLines(output(name)).stream()
                    .filter(line -> line.contains(text))
                    .map(line -> name + ": " + line)
                    .forEach(found::add);
        }
        return found;
    }

    List<String> running() {
        return List.copyOf(running);
    }

    /** Kills all, and waits until the database has noted what they did. */
    void killAll() {
        nodes.values().forEach(Process::destroyForcibly);
        running.clear();
        await().atMost(PATIENCE)
                .until(() -> count("select count(*) from pg_stat_activity where datname = current_database()"
                                + " and application_name in ('" + String.join("', '", nodes.keySet()) + "')")
                        == 0);
    }

    /** Kills a node as a failing machine does, and returns what the database says it had. */
    Set<String> kill(String name) throws InterruptedException {
        assertThat(running.remove(name)).isTrue();
        assertThat(nodes.get(name).destroyForcibly().waitFor()).isNotZero();
        // What it had sent may still be carried out.
        Set<String> had = new TreeSet<>();
        await().pollInterval(Duration.ofMillis(100)).atMost(PATIENCE).until(() -> !had.addAll(claimedBy(name)));
        return had;
    }

    private List<String> claimedBy(String name) {
        return jdbc.queryForList(
                "select task_instance from " + contender.table + " where "
                        + (contender == Contender.OURS
                                ? "owner in (select incarnation from wheel_durable_task_node where name = ?)"
                                : "picked_by = ?"),
                String.class,
                name);
    }

    void signal(String name, String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder(
                        "kill", signal, String.valueOf(nodes.get(name).pid()))
                .inheritIO()
                .start();
        assertThat(kill.waitFor()).isZero();
    }

    void tell(String name, String line) throws IOException {
        OutputStream input = nodes.get(name).getOutputStream();
        input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    // Tasks

    Instant databaseNow() {
        OffsetDateTime now = jdbc.queryForObject("select clock_timestamp()", OffsetDateTime.class);
        return now.toInstant();
    }

    /**
     * Inserts tasks, of which the first is due in so long and each other a step later; returns when the first is, in
     * microseconds.
     */
    long insert(int count, Duration in, long stepMicros) {
        Instant first = MeasuredLog.instant(MeasuredLog.micros(databaseNow().plus(in)));
        assertThat(jdbc.update(contender.insert(count), first.atOffset(ZoneOffset.UTC), stepMicros))
                .isEqualTo(count);
        jdbc.execute("vacuum analyze " + contender.table);
        assertThat(databaseNow()).as("inserted in time").isBefore(first);
        return MeasuredLog.micros(first);
    }

    /**
     * Inserts tasks of {@link MeasuredHandlers}, each with the milliseconds that it takes; their ids are the first
     * letter of the handler's title and a number.
     */
    void insert(MeasuredHandlers handler, int count, long millis, long firstMicros, long stepMicros) {
        assertThat(jdbc.update(
                        "insert into wheel_durable_task (task_name, task_instance, task_data, execution_time) select "
                                + "?, ? || i, convert_to(?, 'UTF8'), ?::timestamptz + i * (? * interval '1 "
                                + "microsecond') from generate_series(0, ? - 1) i",
                        handler.title(),
                        handler.title().substring(0, 1),
                        "" + millis,
                        MeasuredLog.instant(firstMicros).atOffset(ZoneOffset.UTC),
                        stepMicros,
                        count))
                .isEqualTo(count);
    }

    String table() {
        return contender.table;
    }

    long rows() {
        return count("select count(*) from " + contender.table + " where task_name = 'note'");
    }

    long count(String query) {
        return jdbc.queryForObject(query, Long.class);
    }

    void awaitNoRows(Duration atMost) {
        await().atMost(atMost.plus(PATIENCE))
                .pollInterval(Duration.ofMillis(500))
                .ignoreExceptions()
                .until(() -> rows() == 0);
    }

    /** Lets time pass that is part of what is measured. */
    static void pass(Duration time) {
        long startNanos = System.nanoTime();
        await().atMost(time.plus(PATIENCE))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> System.nanoTime() - startNanos >= time.toNanos());
    }

    // What they did

    /** Forgets the statements that nodes have sent so far. */
    void forgetStatements() {
        jdbc.execute("select pg_stat_statements_reset()");
    }

    /** Returns how many statements touched the table of tasks, but for those of here. */
    long statements() {
        return count("select coalesce(sum(calls), 0) from pg_stat_statements where query like '%" + contender.table
                + "%' and query not like '%count(*)%'");
    }

    /**
     * Prints what the database has spent on those statements: how often, for how many rows, milliseconds, and bytes of
     * the WAL for a row.
     */
    void printDearest() {
        System.out.println("> " + contender.title + ", statements by what they took:");
        dearest().forEach(statement -> System.out.println("> " + statement));
    }

    private List<Map<String, Object>> dearest() {
        return jdbc.queryForList(
                "select calls, rows, round(mean_exec_time::numeric, 3) mean, round(max_exec_time::numeric, 3) most, "
                        + "round(wal_bytes / greatest(rows, 1)) wal, left(regexp_replace(query, '\\s+', ' ', 'g'), 80) "
                        + "query from pg_stat_statements where query like '%" + contender.table
                        + "%' order by total_exec_time desc limit 6");
    }

    List<MeasuredLog.Run> runs() {
        List<MeasuredLog.Run> runs = new ArrayList<>();
        for (String name : nodes.keySet()) {
            MeasuredLog.runs(log(name), name).stream()
                    .filter(run -> !run.id().equals("tick"))
                    .forEach(runs::add);
        }
        return runs;
    }

    List<MeasuredLog.Run> ticks() {
        return nodes.keySet().stream()
                .flatMap(name -> MeasuredLog.runs(log(name), name).stream())
                .filter(run -> run.id().equals("tick"))
                .sorted(java.util.Comparator.comparingLong(MeasuredLog.Run::atMicros))
                .toList();
    }

    List<String[]> lines(String word) {
        return nodes.keySet().stream()
                .flatMap(name -> MeasuredLog.lines(log(name), word).stream())
                .toList();
    }

    @Override
    public void close() {
        nodes.values().forEach(Process::destroyForcibly);
        await().atMost(PATIENCE).until(() -> nodes.values().stream().noneMatch(Process::isAlive));
        dataSource.close();
    }

    /**
     * The work of a database so far, by its own statistics, which are up to a second old for busy connections and up to
     * ten for others; or its work between two of them.
     *
     * @param walBytes of the whole server
     * @param pages in them as a whole, of the whole server
     * @param versions of rows that updates and deletes have left to be vacuumed
     * @param hot how many of them wrote nothing into an index
     * @param statements that name one of the tables, but for the ones that count
     * @param commits also of what only reads
     * @param writes transactions that have written
     */
    record MeasuredCost(
            double walBytes,
            double pages,
            double versions,
            double hot,
            double statements,
            double commits,
            double writes) {

        /** The titles of {@link #cells}. */
        static final List<String> HEAD = List.of(
                "WAL bytes a task",
                "whole pages",
                "dead row versions",
                "of them HOT",
                "statements",
                "transactions",
                "of them wrote");

        private static final String QUERY = """
                select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') wal, (select wal_fpi from pg_stat_wal) pages,
                  (select coalesce(sum(n_tup_upd + n_tup_del), 0) from pg_stat_user_tables) versions,
                  (select coalesce(sum(n_tup_hot_upd), 0) from pg_stat_user_tables) hot,
                  (select coalesce(sum(calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid
                    where d.datname = current_database() and query ~ 'wheel_durable_task|scheduled_tasks'
                    and query not like '%count(*)%') statements,
                  (select xact_commit from pg_stat_database where datname = current_database()) commits,
                  pg_snapshot_xmax(pg_current_snapshot())::text::bigint writes
                """;

        static MeasuredCost of(JdbcTemplate jdbc) {
            Map<String, Object> row = jdbc.queryForMap(QUERY);
            return new MeasuredCost(
                    number(row, "wal"),
                    number(row, "pages"),
                    number(row, "versions"),
                    number(row, "hot"),
                    number(row, "statements"),
                    number(row, "commits"),
                    number(row, "writes"));
        }

        private static double number(Map<String, Object> row, String column) {
            return ((Number) row.get(column)).doubleValue();
        }

        MeasuredCost since(MeasuredCost before) {
            return new MeasuredCost(
                    walBytes - before.walBytes,
                    pages - before.pages,
                    versions - before.versions,
                    hot - before.hot,
                    statements - before.statements,
                    commits - before.commits,
                    writes - before.writes);
        }

        /** Returns what each of so many tasks has cost. */
        List<String> cells(long tasks) {
            return List.of(
                    tasks == 0 ? "-" : String.format(Locale.ROOT, "%,.0f", walBytes / tasks),
                    each(pages, tasks),
                    each(versions, tasks),
                    each(hot, tasks),
                    each(statements, tasks),
                    each(commits, tasks),
                    each(writes, tasks));
        }

        private static String each(double number, long tasks) {
            return tasks == 0 ? "-" : String.format(Locale.ROOT, "%.3f", number / tasks);
        }
    }
}
