package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.testing.Contender;
import io.github.wheelscheduler.durable.testing.MeasuredServer;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Three processes on one PostgreSQL share what is due, no matter what one node, one handler or one task does. Each
 * scenario prints what it has seen in lines that begin with {@code > fair:}, and fails where a bound is not kept.
 * {@code -Pcluster} runs it, no other build does.
 */
@TestMethodOrder(MethodOrderer.MethodName.class)
class FairClusterMeasured {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final long MILLI = 1_000;
    private static final long SECOND = 1_000_000;
    private static final String[] NODES = {"n1", "n2", "n3"};

    private static MeasuredServer server;

    @BeforeAll
    static void start() throws IOException {
        server = new MeasuredServer();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    private static MeasuredCluster cluster(String handlers) throws IOException, SQLException {
        return new MeasuredCluster(server, Contender.OURS).with("handlers", handlers);
    }

    private static void print(String text) {
        System.out.println("> fair: " + text);
    }

    private static long nowMicros(MeasuredCluster cluster) {
        return MeasuredLog.micros(cluster.databaseNow());
    }

    private static void awaitRows(MeasuredCluster cluster, String condition, long count) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .ignoreExceptions()
                .until(() -> rows(cluster, condition) == count);
    }

    private static long rows(MeasuredCluster cluster, String condition) {
        return cluster.count("select count(*) from wheel_durable_task where " + condition);
    }

    private static List<MeasuredLog.Run> runs(MeasuredCluster cluster, char letter) {
        return cluster.runs().stream()
                .filter(run -> run.id().charAt(0) == letter)
                .toList();
    }

    private static Map<String, Long> byNode(List<MeasuredLog.Run> runs) {
        return runs.stream().collect(Collectors.groupingBy(MeasuredLog.Run::node, Collectors.counting()));
    }

    // 1

    @Test
    void burstClaimedAheadIsShared() throws Exception {
        burst("ahead", Duration.ofSeconds(3));
    }

    @Test
    void burstThatIsOverdueIsShared() throws Exception {
        burst("overdue", Duration.ZERO);
    }

    private static void burst(String title, Duration in) throws Exception {
        int tasks = 300;
        try (MeasuredCluster cluster = cluster("sleep").start(NODES)) {
            long due = nowMicros(cluster) + in.toNanos() / 1_000;
            cluster.insert(MeasuredHandlers.SLEEP, tasks, 500, due, 0);
            awaitRows(cluster, "true", 0);
            List<MeasuredLog.Run> runs = runs(cluster, 's');
            MeasuredLateness late = MeasuredLateness.of(runs, due, 0);
            Map<String, String> givenBack = givenBack(cluster);
            print("300 tasks of 500 ms at one instant, " + title + ": " + byNode(runs) + ", given back "
                    + givenBack + ", median start after " + late.millis(0.5) + " ms, last after "
                    + late.most() + " ms");
            assertThat(late.tasks()).isEqualTo(tasks);
            assertThat(late.moreThanOnce()).isEmpty();
            assertThat(late.mostMicros()).isLessThan(6 * SECOND);
            // 2 %.
            assertThat(givenBack.values().stream().mapToInt(Integer::parseInt).sum())
                    .isLessThanOrEqualTo(tasks / 50);
        }
    }

    private static Map<String, String> givenBack(MeasuredCluster cluster) throws IOException {
        Map<String, String> counts = new LinkedHashMap<>();
        for (String name : cluster.running()) {
            cluster.tell(name, "counts");
            await().until(() -> !MeasuredLog.lines(cluster.log(name), "counts ").isEmpty());
            String unused = counts.put(
                    name, MeasuredLog.lines(cluster.log(name), "counts ").get(0)[1]);
        }
        return counts;
    }

    // 2

    @Test
    void hungNodeHoldsNothingUp() throws Exception {
        Duration period = Duration.ofMillis(500);
        long bound = 1_500 * MILLI;
        try (MeasuredCluster cluster =
                cluster("hang").start("n1").with("handlers", "none").start("n2", "n3")) {
            for (int i = 0; i < 5; i++) {
                for (String name : NODES) {
                    cluster.tell(name, MeasuredNode.repeat("r" + i, period));
                }
            }
            await().atMost(PATIENCE).until(() -> ids(runs(cluster, 'r')).size() == 5);
            long hangs = nowMicros(cluster) + 2 * SECOND;
            Map<String, Long> dues = new HashMap<>();
            cluster.insert(MeasuredHandlers.HANG, 10, 0, hangs, 0);
            awaitRows(cluster, "task_name = 'hang' and state = 1", 10);
            // Claimed by the node that hangs, too, before it can know that its workers do.
            insertNotes(cluster, dues, 40, hangs + 350 * MILLI);
            int ahead = dues.size();
            await().pollInterval(Duration.ofMillis(20)).until(() -> nowMicros(cluster) > hangs + 300 * MILLI);
            long claimed = rows(
                    cluster,
                    "task_name = 'note' and owner in (select incarnation from wheel_durable_task_node where name = "
                            + "'n1')");
            await().atMost(PATIENCE).until(() -> runs(cluster, 'h').size() == 10);
            for (int i = 0; i < 6; i++) {
                insertNotes(cluster, dues, 8, nowMicros(cluster));
                MeasuredCluster.pass(Duration.ofSeconds(1));
            }
            cluster.awaitNoRows(Duration.ZERO);
            List<MeasuredLog.Run> notes = runs(cluster, 't');
            MeasuredLateness late = MeasuredLateness.of(notes, dues::get);
            long gap = longestGap(runs(cluster, 'r'));
            print("ten hung runs on n1: the hung node had " + claimed + " of " + ahead + " others in hand; "
                    + dues.size() + " others ran on " + byNode(notes) + ", median start after " + late.millis(0.5)
                    + " ms, last after " + late.most() + " ms; longest gap of five tasks every " + period.toMillis()
                    + " ms: " + MeasuredLateness.millis(gap) + " ms; given back " + givenBack(cluster));
            assertThat(late.tasks()).isEqualTo(dues.size());
            assertThat(late.moreThanOnce()).isEmpty();
            assertThat(claimed).isPositive();
            assertThat(late.mostMicros()).isLessThan(bound);
            assertThat(gap).isLessThan(bound + period.toNanos() / 1_000);
        }
    }

    private static Set<String> ids(List<MeasuredLog.Run> runs) {
        return runs.stream().map(MeasuredLog.Run::id).collect(Collectors.toCollection(TreeSet::new));
    }

    private static void insertNotes(MeasuredCluster cluster, Map<String, Long> dues, int count, long dueMicros) {
        int first = dues.size();
        assertThat(cluster.jdbc.update(
                        "insert into wheel_durable_task (task_name, task_instance, task_data, execution_time)"
                                + " select 'note', 't' || i, convert_to('\"t' || i || '\"', 'UTF8'), ?"
                                + " from generate_series(?, ?) i",
                        MeasuredLog.instant(dueMicros).atOffset(ZoneOffset.UTC),
                        first,
                        first + count - 1))
                .isEqualTo(count);
        for (int i = first; i < first + count; i++) {
            Long unused = dues.put("t" + i, dueMicros);
        }
    }

    private static long longestGap(List<MeasuredLog.Run> runs) {
        long longest = 0;
        for (String id : ids(runs)) {
            long[] starts = runs.stream()
                    .filter(run -> run.id().equals(id))
                    .mapToLong(MeasuredLog.Run::atMicros)
                    .sorted()
                    .toArray();
            for (int i = 1; i < starts.length; i++) {
                longest = Math.max(longest, starts[i] - starts[i - 1]);
            }
        }
        return longest;
    }

    @Test
    void shortRunsAtOneInstantAreClaimedAhead() throws Exception {
        int tasks = 1_000;
        try (MeasuredCluster cluster = cluster("sleep").start("n1")) {
            // It is warm after these.
            long ignored = cluster.insert(5_000, Duration.ofSeconds(1), MILLI);
            awaitRows(cluster, "true", 0);
            long due = cluster.insert(tasks, Duration.ofSeconds(4), 0);
            awaitRows(cluster, "true", 0);
            MeasuredLateness late = MeasuredLateness.of(
                    cluster.runs().stream()
                            .filter(run -> run.atMicros() >= due - SECOND)
                            .toList(),
                    due,
                    0);
            print("1,000 short runs at one instant on one warm node: p50 " + late.millis(0.5) + " ms, p99 "
                    + late.millis(0.99) + " ms, most " + late.most() + " ms");
            assertThat(late.tasks()).isEqualTo(tasks);
            assertThat(late.mostMicros()).isLessThan(SECOND);
        }
    }

    // 3

    @Test
    void backlogOfOneHandlerDelaysNoOther() throws Exception {
        try (MeasuredCluster cluster = cluster("sleep").start(NODES)) {
            long step = 100 * MILLI;
            int notes = 110;
            long first = cluster.insert(notes, Duration.ofSeconds(2), step);
            cluster.insert(MeasuredHandlers.SLEEP, 3_000, 100, first, 0);
            awaitRows(cluster, "true", 0);
            MeasuredLateness late = MeasuredLateness.of(runs(cluster, 't'), first, step);
            List<MeasuredLog.Run> backlog = runs(cluster, 's');
            print("3,000 runs of 100 ms beside another task every 100 ms: the backlog ran on " + byNode(backlog)
                    + ", its last start was after "
                    + MeasuredLateness.of(backlog, first, 0).most() + " ms; the other was late by p50 "
                    + late.millis(0.5) + " ms, p99 " + late.millis(0.99) + " ms, most " + late.most()
                    + " ms; given back " + givenBack(cluster));
            assertThat(late.tasks()).isEqualTo(notes);
            assertThat(MeasuredLateness.of(backlog, first, 0).tasks()).isEqualTo(3_000);
            assertThat(Double.parseDouble(late.millis(0.99))).isLessThan(250);
        }
    }

    // 4

    @Test
    void killingTaskAloneIsSetAside() throws Exception {
        try (MeasuredCluster cluster =
                quickToTakeOver("sleep,deaf,halt").with("max-deaths", 2).start(NODES)) {
            long due = nowMicros(cluster) + 2 * SECOND;
            cluster.insert(MeasuredHandlers.HALT, 1, 0, due, 0);
            cluster.insert(MeasuredHandlers.SLEEP, 50, 200, due, 0);
            cluster.insert(MeasuredHandlers.DEAF, 1, 10_000, due, 0);
            int[] ends = new int[1];
            await().atMost(PATIENCE.multipliedBy(2))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> {
                        for (String name : NODES) {
                            if (!cluster.process(name).isAlive()) {
                                assertThat(cluster.process(name).exitValue()).isEqualTo(MeasuredHandlers.STATUS);
                                ends[0]++;
                                cluster.launch(name);
                            }
                        }
                        return rows(cluster, "state <> 2") == 0;
                    });
            long over = MeasuredLog.nowMicros();
            List<Map<String, Object>> kept =
                    cluster.jdbc.queryForList("select task_name, state, deaths, failure from wheel_durable_task");
            print("a task that ends its process: ended " + ends[0] + " processes, kept " + kept
                    + "; 50 others began " + runs(cluster, 's').size() + " times, a long one "
                    + runs(cluster, 'd').size() + " times; over after " + MeasuredLateness.millis(over - due) + " ms");
            assertThat(kept).hasSize(1);
            assertThat(kept.get(0)).containsEntry("task_name", "halt");
            assertThat(String.valueOf(kept.get(0).get("failure"))).contains("Its process ended each time it ran");
            assertThat(ended(cluster, 's')).hasSize(50);
            assertThat(ended(cluster, 'd')).hasSize(1);
        }
    }

    private static MeasuredCluster quickToTakeOver(String handlers) throws IOException, SQLException {
        return cluster(handlers).with("heartbeat", 500).with("dead-after", 2_000);
    }

    private static Set<String> ended(MeasuredCluster cluster, char letter) {
        return cluster.lines("end ").stream()
                .map(words -> words[1])
                .filter(id -> id.charAt(0) == letter)
                .collect(Collectors.toSet());
    }

    // 5

    @Test
    void longRunsOutliveRollingRestarts() throws Exception {
        int restarts = 6;
        try (MeasuredCluster cluster = quickToTakeOver("sleep,deaf")
                .with("max-deaths", 1)
                .with("close-limit", 1_000)
                .start(NODES)) {
            long due = nowMicros(cluster);
            cluster.insert(MeasuredHandlers.SLEEP, 1, 25_000, due, 0);
            cluster.insert(MeasuredHandlers.DEAF, 1, 25_000, due, 0);
            await().atMost(PATIENCE).until(() -> cluster.runs().size() == 2);
            List<Object> suspicions = new ArrayList<>();
            for (int i = 0; i < restarts; i++) {
                String name = NODES[i % NODES.length];
                cluster.signal(name, "-TERM");
                long ended = awaitEnd(cluster, name, System.nanoTime());
                assertThat(ended).isLessThan(3_000);
                MeasuredCluster unused = cluster.start(name);
                // Both run again, wherever that is.
                awaitRows(cluster, "state = 1", 2);
                suspicions.addAll(cluster.jdbc.queryForList(
                        "select suspicions from wheel_durable_task where suspicions is not null", Integer.class));
            }
            awaitRows(cluster, "state <> 2", 0);
            print("two runs of 25 s through " + restarts
                    + " rolling restarts, of which one ignores interrupts: it began "
                    + byNode(runs(cluster, 'd')) + ", the other " + byNode(runs(cluster, 's')) + ", suspicions "
                    + suspicions + ", set aside " + rows(cluster, "state = 2") + ", over after "
                    + MeasuredLateness.millis(MeasuredLog.nowMicros() - due) + " ms");
            assertThat(rows(cluster, "true")).isZero();
            assertThat(suspicions).isEmpty();
            assertThat(ended(cluster, 's')).hasSize(1);
            assertThat(ended(cluster, 'd')).hasSize(1);
        }
    }

    @Test
    void restartsUnderLoadLoseNothing() throws Exception {
        int tasks = 3_000;
        long step = 10 * MILLI;
        try (MeasuredCluster cluster = cluster("sleep").start(NODES)) {
            long first = nowMicros(cluster) + 2 * SECOND;
            cluster.insert(MeasuredHandlers.SLEEP, tasks, 100, first, step);
            for (String name : NODES) {
                MeasuredCluster.pass(Duration.ofSeconds(5));
                cluster.signal(name, "-TERM");
                long unused = awaitEnd(cluster, name, System.nanoTime());
                MeasuredCluster ignored = cluster.start(name);
            }
            awaitRows(cluster, "true", 0);
            List<MeasuredLog.Run> runs = runs(cluster, 's');
            MeasuredLateness late = MeasuredLateness.of(runs, first, step);
            print("three rolling restarts under 100 tasks of 100 ms a second: " + byNode(runs) + ", twice "
                    + late.moreThanOnce() + ", late by p50 " + late.millis(0.5) + " ms, p99 " + late.millis(0.99)
                    + " ms, most " + late.most() + " ms");
            assertThat(late.tasks()).isEqualTo(tasks);
            assertThat(late.moreThanOnce()).isEmpty();
            assertThat(late.early).isZero();
            assertThat(late.mostMicros()).isLessThan(1_500 * MILLI);
        }
    }

    // 6

    @Test
    void outagesMakeNoNodeDead() throws Exception {
        int tasks = 4_000;
        long step = 10 * MILLI;
        try (MeasuredCluster cluster = cluster("sleep").start(NODES)) {
            long first = nowMicros(cluster) + 2 * SECOND;
            cluster.insert(MeasuredHandlers.SLEEP, tasks, 100, first, step);
            List<long[]> outages = new ArrayList<>();
            for (Duration away : List.of(Duration.ofSeconds(9), Duration.ofSeconds(2))) {
                MeasuredCluster.pass(Duration.ofSeconds(8));
                long from = MeasuredLog.nowMicros();
                server.crash();
                MeasuredCluster.pass(away);
                server.startAgain();
                outages.add(new long[] {from, MeasuredLog.nowMicros()});
            }
            awaitRows(cluster, "true", 0);
            List<MeasuredLog.Run> runs = runs(cluster, 's');
            MeasuredLateness late = MeasuredLateness.of(runs, first, step);
            Set<String> undisturbed = new TreeSet<>(late.moreThanOnce());
            runs.stream()
                    .filter(run -> outages.stream()
                            .anyMatch(outage ->
                                    run.atMicros() > outage[0] - SECOND && run.atMicros() < outage[1] + SECOND))
                    .forEach(run -> undisturbed.remove(run.id()));
            List<String> dead = cluster.printed("has missed its heartbeats");
            print("PostgreSQL crashed twice, away for "
                    + outages.stream()
                            .map(outage -> MeasuredLateness.millis(outage[1] - outage[0]) + " ms")
                            .toList()
                    + ": " + late.tasks() + " of " + tasks + " tasks ran, "
                    + late.moreThanOnce().size()
                    + " twice, of them without an outage " + undisturbed + ", last after " + late.most()
                    + " ms; nodes found dead: " + dead);
            assertThat(late.tasks()).isEqualTo(tasks);
            assertThat(late.early).isZero();
            assertThat(undisturbed).isEmpty();
            assertThat(dead).isEmpty();
            assertThat(ended(cluster, 's')).hasSize(tasks);
        }
    }

    // 7

    @Test
    void lookReadsNoUnknownRowsOfPostgresql() throws Exception {
        try (HikariDataSource dataSource = TestDatabase.dataSource(server.newUrl())) {
            look(Dialect.POSTGRESQL, dataSource, 5, "vacuum analyze wheel_durable_task");
        }
    }

    @Test
    void lookReadsNoUnknownRowsOfMariaDb() throws Exception {
        try (HikariDataSource dataSource = TestDatabase.MARIADB.newDataSource()) {
            look(Dialect.MARIADB, dataSource, 20, "analyze table wheel_durable_task");
        }
    }

    private static void look(Dialect dialect, HikariDataSource dataSource, long boundMillis, String analyze) {
        int recurring = 1_000;
        int due = 10;
        Duration ahead = Duration.ofSeconds(1);
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        Tables tables = new Database(dataSource, DurableSettings.ofNode("measuring")).tables();
        TaskTable tasks = tables.tasks();
        ClaimTable claims = tables.claims();
        Instant now = tasks.now();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < recurring; i++) {
            ids.add("known-" + i);
            assertThat(tasks.insert(
                            Handler.RECURRING,
                            ids.get(i),
                            new byte[0],
                            i < due ? now.minusSeconds(1) : now.plusSeconds(3_600)))
                    .isTrue();
        }
        for (int i = 0; i < due; i++) {
            assertThat(tasks.insert("note", "t" + i, new byte[0], now.minusSeconds(1)))
                    .isTrue();
        }
        // Before, between and behind the names that the node knows.
        for (String unknown : List.of("a", "o", "z")) {
            insertOverdue(jdbc, unknown, 100_000, dialect.time(now.minusSeconds(3_600)));
        }
        jdbc.execute(analyze);
        List<Long> idle = new ArrayList<>();
        List<Long> busy = new ArrayList<>();
        List<String> others = ids.subList(due, recurring);
        for (int i = 0; i < 300; i++) {
            long startNanos = System.nanoTime();
            assertThat(claims.countDue(List.of("none"), 200, others, ahead, Map.of(), false)
                            .candidates())
                    .isEmpty();
            idle.add((System.nanoTime() - startNanos) / 1_000);
            startNanos = System.nanoTime();
            assertThat(claims.countDue(List.of("note"), 200, ids, ahead, Map.of(), false)
                            .candidates())
                    .hasSize(due + 1);
            List<TaskRow> claimed = claims.claim(1, ahead, Map.of("note", due), ids.subList(0, due), Map.of(), true);
            busy.add((System.nanoTime() - startNanos) / 1_000);
            assertThat(claimed).hasSize(2 * due);
            assertThat(claims.giveBack(claimed.stream().map(TaskRow::key).toList()))
                    .isEqualTo(2 * due);
        }
        // The first ones are compiled.
        long median = median(busy.subList(100, 300));
        print("a look beside 300,000 overdue rows of unknown handlers and 1,000 recurring names on " + dialect
                + ": median " + MeasuredLateness.millis(median) + " ms where it claims 20 rows, "
                + MeasuredLateness.millis(median(idle.subList(100, 300))) + " ms where nothing is due");
        // The bound is that of a machine that does nothing else.
        assertThat(median).isLessThan(3 * boundMillis * MILLI);
    }

    private static void insertOverdue(JdbcTemplate jdbc, String name, int count, Object due) {
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(new Object[] {name, "u" + i, new byte[0], due});
        }
        assertThat(jdbc.batchUpdate(
                        "insert into wheel_durable_task (task_name, task_instance, task_data, execution_time) values "
                                + "(?, ?, ?, ?)",
                        rows))
                .hasSize(count);
    }

    private static long median(List<Long> times) {
        return times.stream().sorted(Comparator.naturalOrder()).toList().get(times.size() / 2);
    }

    // 8

    @Test
    void signalEndsAProcessInTime() throws Exception {
        long limitMillis = 3_000;
        for (MeasuredHandlers handler : List.of(MeasuredHandlers.SLEEP, MeasuredHandlers.DEAF)) {
            try (MeasuredCluster cluster =
                    cluster("sleep,deaf").with("close-limit", limitMillis).start("n1")) {
                cluster.insert(handler, 1, 60_000, nowMicros(cluster), 0);
                await().atMost(PATIENCE).until(() -> cluster.runs().size() == 1);
                long startNanos = System.nanoTime();
                cluster.signal("n1", "-TERM");
                long millis = awaitEnd(cluster, "n1", startNanos);
                print("SIGTERM during a run of 60 s (" + handler.title() + "), with a close limit of " + limitMillis
                        + " ms: the process ended after " + millis + " ms, the row is "
                        + cluster.jdbc.queryForList("select state, suspicions from wheel_durable_task"));
                assertThat(millis).isBetween(limitMillis - 100, limitMillis + 2_000);
                assertThat(rows(cluster, "true")).isEqualTo(1);
            }
        }
    }

    @Test
    void signalEndsAProcessInTimeWithoutItsDatabase() throws Exception {
        long limitMillis = 3_000;
        for (long awayMillis : new long[] {0, 5_000}) {
            try (MeasuredCluster cluster =
                    cluster("sleep").with("close-limit", limitMillis).start("n1")) {
                server.crash();
                MeasuredCluster.pass(Duration.ofMillis(awayMillis));
                long startNanos = System.nanoTime();
                cluster.signal("n1", "-TERM");
                long millis = awaitEnd(cluster, "n1", startNanos);
                print("SIGTERM " + awayMillis + " ms after PostgreSQL has crashed, with a close limit of " + limitMillis
                        + " ms: the process ended after " + millis + " ms");
                server.startAgain();
                assertThat(millis).isLessThan(limitMillis + 2_000);
            }
        }
    }

    @Test
    void exitOfAHandlerEndsTheProcessWithItsStatus() throws Exception {
        long limitMillis = 3_000;
        try (MeasuredCluster cluster =
                cluster("exit").with("close-limit", limitMillis).start("n1")) {
            cluster.insert(MeasuredHandlers.EXIT, 1, 0, nowMicros(cluster), 0);
            await().atMost(PATIENCE).until(() -> cluster.runs().size() == 1);
            long millis = awaitEnd(cluster, "n1", System.nanoTime());
            int status = cluster.process("n1").exitValue();
            print("System.exit in a handler: the process ended after " + millis + " ms with " + status);
            assertThat(status).isEqualTo(MeasuredHandlers.STATUS);
            assertThat(millis).isLessThan(limitMillis + 2_000);
        }
    }

    private static long awaitEnd(MeasuredCluster cluster, String name, long startNanos) throws InterruptedException {
        assertThat(cluster.process(name).waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        return (System.nanoTime() - startNanos) / 1_000_000;
    }
}
