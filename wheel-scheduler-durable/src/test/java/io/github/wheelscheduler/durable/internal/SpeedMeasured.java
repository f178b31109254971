package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.MeasuredLog.MeasuredPage.IS_LONG;
import static io.github.wheelscheduler.durable.internal.MeasuredLog.MeasuredPage.rate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.internal.MeasuredCluster.MeasuredCost;
import io.github.wheelscheduler.durable.internal.MeasuredLog.MeasuredPage;
import io.github.wheelscheduler.durable.testing.Contender;
import io.github.wheelscheduler.durable.testing.MeasuredServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * Measures the rate at which due rows run, the lateness of many rows a second, and their cost to the database, beside
 * db-scheduler. {@code -Pcluster} runs it, no other build does:
 *
 * <pre>{@code
 * mvn -B verify -Pcluster -pl wheel-scheduler-durable -am -Dit.test='SpeedMeasured#drain' \
 *     -Dfailsafe.failIfNoSpecifiedTests=false -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false
 * }</pre>
 *
 * <ul>
 *   <li>{@code #disk}: what a write to the disk and a commit take.
 *   <li>{@code #bare}: what claims and deletes in plain SQL reach; {@code -Dmeasured.tasks=100000}.
 *   <li>{@code #drain}: rows that are due at once; {@code -Dmeasured.tasks=100000 -Dmeasured.rounds=3
 *       -Dmeasured.nodes=1,2,3 -Dmeasured.threads-each=10,64}. About 50 minutes. With {@code -Dmeasured.traced=true},
 *       each run of ours is observed and has a span that is not sampled.
 *   <li>{@code #rates}: {@code -Dmeasured.rates=2000000:2000,10000000:1000}, rows in the table and how many of them are
 *       due in a second, for {@code -Dmeasured.seconds=60}; {@code -Dmeasured.insert-rate=20000} is how many rows a
 *       second can be inserted for certain.
 * </ul>
 */
@TestMethodOrder(MethodOrderer.MethodName.class)
class SpeedMeasured {

    private static final int TASKS = Integer.getInteger("measured.tasks", IS_LONG ? 100_000 : 10_000);
    private static final int ROUNDS = Integer.getInteger("measured.rounds", IS_LONG ? 3 : 1);
    private static final int SECONDS = Integer.getInteger("measured.seconds", IS_LONG ? 60 : 5);
    private static final int WARM_SECONDS = IS_LONG ? 10 : 2;
    private static final int INSERTED_PER_SECOND = Integer.getInteger("measured.insert-rate", 20_000);
    private static final long SECOND = 1_000_000;
    private static final int BATCH = 200;
    private static final int TIMES = 300;
    private static final int BLOCK = 8_192;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String[] NODES = {"n1", "n2", "n3"};

    private static MeasuredServer server;

    @BeforeAll
    static void start() throws IOException {
        server = new MeasuredServer(MeasuredServer.OF_QUEUES);
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    private static int[] numbers(String property, String usual) {
        return Arrays.stream(System.getProperty(property, usual).split(",", -1))
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    private static Duration timeToInsert(int rows) {
        return Duration.ofMillis(4_000 + rows * 1_000L / INSERTED_PER_SECOND);
    }

    // The disk

    @Test
    void disk() throws Exception {
        MeasuredPage.write(
                "j-disk",
                "The disk",
                "One after the other, " + TIMES
                        + " times, in milliseconds: 8 kB written to a file beside the data and forced to the disk, and "
                        + "an update of one row by a connection alone.",
                List.of("", "p50", "p99"),
                List.of(cells("write", writeTimes()), cells("commit", commitTimes())));
    }

    private static List<String> cells(String title, long[] nanos) {
        Arrays.sort(nanos);
        return List.of(
                title,
                MeasuredLateness.millis(nanos[TIMES / 2] / 1_000),
                MeasuredLateness.millis(nanos[TIMES * 99 / 100] / 1_000));
    }

    private static long[] writeTimes() throws IOException {
        Path path = Files.createTempFile(server.directory, "disk", null);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            long[] nanos = new long[TIMES];
            for (int i = 0; i < TIMES; i++) {
                long startNanos = System.nanoTime();
                int ignored = file.write(ByteBuffer.allocate(BLOCK), 0);
                file.force(false);
                nanos[i] = System.nanoTime() - startNanos;
            }
            return nanos;
        }
    }

    private static long[] commitTimes() throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.newUrl());
                Statement statement = connection.createStatement()) {
            int created = statement.executeUpdate("create table one as select 0 i");
            assertThat(created).isOne();
            long[] nanos = new long[TIMES];
            for (int i = 0; i < TIMES; i++) {
                long startNanos = System.nanoTime();
                int updated = statement.executeUpdate("update one set i = i + 1");
                nanos[i] = System.nanoTime() - startNanos;
                assertThat(updated).isOne();
            }
            return nanos;
        }
    }

    // What plain statements reach

    @Test
    void bare() throws Exception {
        List<List<String>> rows = new ArrayList<>();
        for (int connections : new int[] {1, 2}) {
            rows.add(bare(connections));
        }
        List<String> head = new ArrayList<>(List.of("connections", "rows a second", "each round"));
        head.addAll(MeasuredCost.HEAD);
        MeasuredPage.write(
                "k-bare",
                "Claims and deletes in plain SQL",
                rate(TASKS) + " rows of our table; each connection claims " + BATCH
                        + " that are due by an update that skips locked ones, and deletes them by an array, until none "
                        + "is left.",
                head,
                rows);
    }

    private static List<String> bare(int connections) throws Exception {
        List<Drained> rounds = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            try (MeasuredCluster cluster = new MeasuredCluster(server, Contender.OURS)) {
                new ResourceDatabasePopulator(new ClassPathResource("schema-postgresql.sql", DurableEngine.class))
                        .execute(cluster.dataSource);
                long ignored = cluster.insert(TASKS, timeToInsert(TASKS), 0);
                cluster.jdbc.execute("checkpoint");
                MeasuredCost before = MeasuredCost.of(cluster.jdbc);
                List<Callable<Integer>> workers = Collections.nCopies(connections, () -> claimAndDelete(cluster.url));
                long startNanos = System.nanoTime();
                int done = 0;
                ExecutorService executor = Executors.newFixedThreadPool(connections);
                try {
                    for (Future<Integer> worker : executor.invokeAll(workers)) {
                        done += worker.get();
                    }
                } finally {
                    executor.shutdown();
                }
                long nanos = System.nanoTime() - startNanos;
                assertThat(done).isEqualTo(TASKS);
                cluster.killAll();
                rounds.add(new Drained(
                        TASKS * 1e9 / nanos,
                        "",
                        0,
                        MeasuredCost.of(cluster.jdbc).since(before)));
            }
        }
        List<String> cells = new ArrayList<>(List.of("" + connections, rate(median(rounds).perSecond), each(rounds)));
        cells.addAll(median(rounds).cost.cells(TASKS));
        return cells;
    }

    private static int claimAndDelete(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement claim = connection.prepareStatement(
                        "with due as materialized (select ctid from wheel_durable_task where task_name = 'note' and "
                                + "state = 0 and execution_time <= 'infinity' order by execution_time limit " + BATCH
                                + " for update skip locked) update wheel_durable_task t set state = 1, owner = 1, "
                                + "version = version + 1 from due where t.ctid = due.ctid returning t.task_instance");
                PreparedStatement delete = connection.prepareStatement(
                        "delete from wheel_durable_task using unnest(?::text[]) ended (id) where task_name = 'note'"
                                + " and task_instance = ended.id and owner = 1")) {
            int done = 0;
            while (true) {
                List<String> ids = new ArrayList<>();
                try (ResultSet claimed = claim.executeQuery()) {
                    while (claimed.next()) {
                        ids.add(claimed.getString(1));
                    }
                }
                if (ids.isEmpty()) {
                    return done;
                }
                Array array = connection.createArrayOf("text", ids.toArray());
                delete.setArray(1, array);
                done += delete.executeUpdate();
                array.free();
            }
        }
    }

    // Due at once

    /** A round. */
    private record Drained(double perSecond, String mostAfter, int twice, MeasuredCost cost) {}

    private static Drained median(List<Drained> rounds) {
        return rounds.stream()
                .sorted(Comparator.comparingDouble(Drained::perSecond))
                .toList()
                .get(rounds.size() / 2);
    }

    private static String each(List<Drained> rounds) {
        return rounds.stream().map(round -> rate(round.perSecond)).collect(Collectors.joining(", "));
    }

    @Test
    void drain() throws Exception {
        List<List<String>> rows = new ArrayList<>();
        for (int threads : numbers("measured.threads-each", "10,64")) {
            for (int nodes : numbers("measured.nodes", "1,2,3")) {
                rows.addAll(drain(nodes, threads));
            }
        }
        List<String> head = new ArrayList<>(List.of(
                "",
                "nodes",
                "threads each",
                "rows a second",
                "of db-scheduler's",
                "each round",
                "90 % after",
                "twice"));
        head.addAll(MeasuredCost.HEAD);
        MeasuredPage.write(
                "l-drain",
                "Rows that are due at once",
                rate(TASKS)
                        + " tasks at one instant, after a fifth of that to make the processes warm; handlers do "
                        + "nothing but note it. Medians of "
                        + ROUNDS
                        + " rounds in turns, each with processes and a database of its own, after a checkpoint. "
                        + "`max_connections` 400, `shared_buffers` 256 MB.",
                head,
                rows);
    }

    private static List<List<String>> drain(int nodes, int threads) throws Exception {
        Map<Contender, List<Drained>> rounds = new EnumMap<>(Contender.class);
        for (int round = 0; round < ROUNDS; round++) {
            for (Contender contender : Contender.turns(round)) {
                Drained drained = drained(contender, nodes, threads);
                System.out.println("> " + contender.title + ", " + nodes + " nodes of " + threads + " threads: "
                        + rate(drained.perSecond) + " rows a second");
                rounds.computeIfAbsent(contender, unused -> new ArrayList<>()).add(drained);
            }
        }
        double theirs = median(rounds.get(Contender.DB_SCHEDULER)).perSecond;
        List<List<String>> rows = new ArrayList<>();
        for (Contender contender : Contender.values()) {
            Drained median = median(rounds.get(contender));
            List<String> cells = new ArrayList<>(List.of(
                    contender.title,
                    "" + nodes,
                    "" + threads,
                    rate(median.perSecond),
                    String.format(Locale.ROOT, "%.2f", median.perSecond / theirs),
                    each(rounds.get(contender)),
                    median.mostAfter,
                    "" + rounds.get(contender).stream().mapToInt(Drained::twice).sum()));
            cells.addAll(median.cost.cells(TASKS));
            rows.add(cells);
        }
        return rows;
    }

    private static Drained drained(Contender contender, int nodes, int threads) throws Exception {
        try (MeasuredCluster cluster = new MeasuredCluster(server, contender)
                .with("threads", threads)
                .with("traced", Boolean.getBoolean("measured.traced"))
                .start(Arrays.copyOf(NODES, nodes))) {
            int warming = TASKS / 5;
            long ignored = cluster.insert(warming, timeToInsert(warming), 0);
            cluster.awaitNoRows(Duration.ofMinutes(5));
            // What idle connections have done is counted some seconds later.
            await().atMost(PATIENCE).until(() -> MeasuredCost.of(cluster.jdbc).versions() >= 2.0 * warming);
            long due = cluster.insert(TASKS, timeToInsert(TASKS), 0);
            cluster.jdbc.execute("checkpoint");
            cluster.forgetStatements();
            MeasuredCost before = MeasuredCost.of(cluster.jdbc);
            assertThat(MeasuredLog.micros(cluster.databaseNow())).isLessThan(due - SECOND);
            cluster.awaitNoRows(Duration.ofMinutes(5));
            cluster.killAll();
            cluster.printDearest();
            MeasuredCost cost = MeasuredCost.of(cluster.jdbc).since(before);
            MeasuredLateness late = MeasuredLateness.of(
                    cluster.runs().stream()
                            .filter(run -> run.atMicros() >= due - SECOND)
                            .toList(),
                    due,
                    0);
            assertThat(late.tasks()).isEqualTo(TASKS);
            int twice = late.moreThanOnce().size();
            if (contender == Contender.OURS) {
                assertThat(twice).isZero();
                assertThat(late.early).isZero();
            }
            return new Drained(TASKS * (double) SECOND / late.mostMicros(), late.millis(0.9), twice, cost);
        }
    }

    // So many a second

    @Test
    void rates() throws Exception {
        List<List<String>> rows = new ArrayList<>();
        String usual = IS_LONG ? "2000000:2000,10000000:1000" : "20000:1000";
        for (String each : System.getProperty("measured.rates", usual).split(",", -1)) {
            int[] numbers = Arrays.stream(each.split(":", -1))
                    .mapToInt(Integer::parseInt)
                    .toArray();
            for (Contender contender : Contender.values()) {
                rows.add(due(contender, numbers[0], numbers[1]));
            }
        }
        List<String> head = new ArrayList<>(List.of(
                "", "rows", "a second", "table in MB", "ran once", "twice", "p50", "p99", "latest", "earliest"));
        head.addAll(MeasuredCost.HEAD);
        MeasuredPage.write(
                "m-rates",
                "So many a second of a large table",
                "Two nodes; the rows are due one after the other, what is due in " + SECONDS + " s, after "
                        + WARM_SECONDS
                        + " s to make the processes warm, is measured. `max_connections` 400, `shared_buffers` 256 MB.",
                head,
                rows);
    }

    private static List<String> due(Contender contender, int rows, int perSecond) throws Exception {
        int warming = WARM_SECONDS * perSecond;
        int measured = SECONDS * perSecond;
        assertThat(rows).as("rows, of which enough are due").isGreaterThanOrEqualTo(warming + measured);
        try (MeasuredCluster cluster = new MeasuredCluster(server, contender).start("n1", "n2")) {
            long step = SECOND / perSecond;
            long first = cluster.insert(rows, timeToInsert(rows).plusMillis(rows / 100), step);
            cluster.jdbc.execute("checkpoint");
            pass(cluster, first + step * warming);
            MeasuredCost before = MeasuredCost.of(cluster.jdbc);
            pass(cluster, first + step * (warming + measured));
            MeasuredCost cost = MeasuredCost.of(cluster.jdbc).since(before);
            MeasuredCluster.pass(Duration.ofSeconds(3));
            MeasuredLateness late = MeasuredLateness.of(
                    MeasuredLateness.only(
                            cluster.runs(),
                            id -> MeasuredLateness.number(id) >= warming
                                    && MeasuredLateness.number(id) < warming + measured),
                    first,
                    step);
            if (contender == Contender.OURS) {
                assertThat(late.tasks()).isEqualTo(measured);
                assertThat(late.moreThanOnce()).isEmpty();
                assertThat(late.early).isZero();
            }
            List<String> cells = new ArrayList<>(List.of(
                    contender.title,
                    rate(rows),
                    rate(perSecond),
                    rate(cluster.count("select sum(pg_total_relation_size(relid)) from pg_stat_user_tables") / 1e6),
                    rate(late.tasks() - late.moreThanOnce().size()),
                    "" + late.moreThanOnce().size()));
            cells.addAll(List.of(late.cells().split(" \\| ", -1)));
            cells.addAll(cost.cells(measured));
            return cells;
        }
    }

    private static void pass(MeasuredCluster cluster, long untilMicros) {
        MeasuredCluster.pass(Duration.ofNanos((untilMicros - MeasuredLog.micros(cluster.databaseNow())) * 1_000));
    }
}
