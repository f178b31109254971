package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.MeasuredLog.MeasuredPage.IS_LONG;
import static io.github.wheelscheduler.durable.internal.MeasuredLog.MeasuredPage.rate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.MeasuredLog.MeasuredPage;
import io.github.wheelscheduler.durable.internal.MeasuredNode.MeasuredMoves;
import io.github.wheelscheduler.durable.testing.Contender;
import io.github.wheelscheduler.durable.testing.MeasuredServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * What {@code durable-measured.md} shows: processes on a real PostgreSQL, beside those of db-scheduler. {@code
 * -Pcluster} runs it, no other build does.
 */
@TestMethodOrder(MethodOrderer.MethodName.class)
class DurableMeasured {

    private static final Duration SOON = Duration.ofSeconds(3);
    private static final Duration FAR = Duration.ofHours(1);
    private static final Duration WARM = Duration.ofSeconds(length(1, 5));
    private static final long SECOND = 1_000_000;

    private static final int USERS = 12;

    private static MeasuredServer server;

    @BeforeAll
    static void start() throws IOException {
        server = new MeasuredServer();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    private static int length(int inShort, int inFull) {
        return IS_LONG ? inFull : inShort;
    }

    // a

    @Test
    void steadyLoad() throws Exception {
        List<List<String>> rows = new ArrayList<>();
        for (int[] each : new int[][] {{100, length(5, 60)}, {1_000, length(3, 30)}}) {
            for (Contender contender : Contender.values()) {
                rows.add(steady(contender, each[0], each[1]));
            }
        }
        MeasuredPage.write(
                "a",
                "Instants, one after the other",
                "Two nodes; each task is due at an instant of its own. The last column is of what is due when both "
                        + "processes have been at it for "
                        + WARM.toSeconds() + " s, and their code has been compiled.",
                List.of(
                        "",
                        "a second",
                        "for",
                        "p50",
                        "p99",
                        "latest",
                        "earliest",
                        "ran once",
                        "twice",
                        "early",
                        "p99 when warm"),
                rows);
    }

    private static List<String> steady(Contender contender, int perSecond, int seconds) throws Exception {
        try (MeasuredCluster cluster = new MeasuredCluster(server, contender).start("n1", "n2")) {
            long step = SECOND / perSecond;
            int tasks = perSecond * seconds;
            long first = cluster.insert(tasks, SOON.multipliedBy(2), step);
            cluster.awaitNoRows(Duration.ofSeconds(seconds));
            List<MeasuredLog.Run> runs = cluster.runs();
            MeasuredLateness late = MeasuredLateness.of(runs, first, step);
            MeasuredLateness warm = MeasuredLateness.of(
                    MeasuredLateness.only(runs, id -> MeasuredLateness.number(id) >= perSecond * WARM.toSeconds()),
                    first,
                    step);
            assertThat(late.tasks()).isEqualTo(tasks);
            if (contender == Contender.OURS) {
                assertThat(late.moreThanOnce()).isEmpty();
                assertThat(late.early).isZero();
            }
            return List.of(
                    contender.title,
                    rate(perSecond),
                    seconds + " s",
                    late.cells(),
                    rate(late.tasks() - late.moreThanOnce().size()),
                    "" + late.moreThanOnce().size(),
                    "" + late.early,
                    warm.millis(0.99));
        }
    }

    // b

    @Test
    void bBacklog() throws Exception {
        int tasks = length(5_000, 100_000);
        List<List<String>> rows = new ArrayList<>();
        for (Contender contender : Contender.values()) {
            rows.add(backlog(contender, tasks));
        }
        MeasuredPage.write(
                "b",
                "A backlog",
                "Two nodes, " + rate(tasks) + " tasks that are due at once, whose handlers do nothing but note it.",
                List.of("", "rows a second", "all after", "n1 : n2", "statements a row", "ran once", "twice"),
                rows);
    }

    private static List<String> backlog(Contender contender, int tasks) throws Exception {
        try (MeasuredCluster cluster = new MeasuredCluster(server, contender).start("n1", "n2")) {
            long due = cluster.insert(tasks, SOON.multipliedBy(3), 0);
            cluster.forgetStatements();
            cluster.awaitNoRows(Duration.ofMinutes(5));
            List<MeasuredLog.Run> runs = cluster.runs();
            MeasuredLateness late = MeasuredLateness.of(runs, due, 0);
            assertThat(late.tasks()).isEqualTo(tasks);
            if (contender == Contender.OURS) {
                assertThat(late.moreThanOnce()).isEmpty();
                assertThat(late.early).isZero();
            }
            long first = runs.stream().filter(run -> run.node().equals("n1")).count();
            cluster.printDearest();
            return List.of(
                    contender.title,
                    rate(tasks * (double) SECOND / late.mostMicros()),
                    late.most(),
                    first + " : " + (runs.size() - first),
                    String.format(Locale.ROOT, "%.2f", cluster.statements() / (double) tasks),
                    rate(late.tasks() - late.moreThanOnce().size()),
                    "" + late.moreThanOnce().size());
        }
    }

    // c

    @Test
    void cKilled() throws Exception {
        int seconds = length(6, 60);
        int every = length(2, 10);
        long step = 3_000;
        int tasks = (int) (seconds * SECOND / step);
        Random random = new Random(4711);
        Set<String> ofTheDead = new HashSet<>();
        try (MeasuredCluster cluster = new MeasuredCluster(server, Contender.OURS).start("n1", "n2", "n3")) {
            long first = cluster.insert(tasks, SOON, step);
            int kills = seconds / every - 1;
            for (int i = 0; i < kills; i++) {
                MeasuredCluster.pass(Duration.ofSeconds(every));
                List<String> running = cluster.running();
                ofTheDead.addAll(cluster.kill(running.get(random.nextInt(running.size()))));
                MeasuredCluster unused = cluster.start("n" + (4 + i));
            }
            cluster.awaitNoRows(Duration.ofSeconds(seconds));
            List<MeasuredLog.Run> runs = cluster.runs();
            MeasuredLateness all = MeasuredLateness.of(runs, first, step);
            MeasuredLateness untouched =
                    MeasuredLateness.of(MeasuredLateness.only(runs, id -> !ofTheDead.contains(id)), first, step);
            MeasuredLateness touched =
                    MeasuredLateness.of(MeasuredLateness.only(runs, ofTheDead::contains), first, step);
            assertThat(all.tasks()).isEqualTo(tasks);
            assertThat(all.early).isZero();
            assertThat(untouched.moreThanOnce()).isEmpty();
            MeasuredPage.write(
                    "c",
                    "Nodes that are killed",
                    "Three nodes, " + rate(tasks) + " tasks in " + seconds + " s; every " + every
                            + " s one of the nodes is killed, and a new one is started. Killed: " + kills + ".",
                    List.of("tasks", "number", "p50", "p99", "latest", "earliest", "never ran", "ran twice"),
                    List.of(
                            List.of(
                                    "that no dead node had claimed",
                                    rate(untouched.tasks()),
                                    untouched.cells(),
                                    "0",
                                    "" + untouched.moreThanOnce().size()),
                            List.of(
                                    "that a dead node had claimed",
                                    rate(touched.tasks()),
                                    touched.cells(),
                                    "0",
                                    "" + touched.moreThanOnce().size())));
        }
    }

    // d

    @Test
    void dStopped() throws Exception {
        int seconds = length(25, 40);
        long step = SECOND / 100;
        int tasks = 100 * seconds;
        Duration stopped = Duration.ofSeconds(length(10, 15));
        try (MeasuredCluster cluster = new MeasuredCluster(server, Contender.OURS).start("n1", "n2")) {
            long first = cluster.insert(tasks, SOON, step);
            MeasuredCluster.pass(SOON.multipliedBy(2));
            cluster.signal("n1", "-STOP");
            long stopMicros = MeasuredLog.nowMicros();
            long claimed = cluster.count("select count(*) from wheel_durable_task where owner in"
                    + " (select incarnation from wheel_durable_task_node where name = 'n1')");
            MeasuredCluster.pass(stopped);
            cluster.signal("n1", "-CONT");
            cluster.awaitNoRows(Duration.ofSeconds(seconds));
            List<MeasuredLog.Run> runs = cluster.runs();
            MeasuredLateness late = MeasuredLateness.of(runs, first, step);
            Set<String> elsewhere = new HashSet<>();
            runs.stream().filter(run -> run.node().equals("n2")).forEach(run -> elsewhere.add(run.id()));
            assertThat(runs)
                    .filteredOn(run -> run.node().equals("n1") && run.atMicros() > stopMicros)
                    .as("what it started although another node had it")
                    .noneMatch(run -> elsewhere.contains(run.id()));
            assertThat(late.tasks()).isEqualTo(tasks);
            assertThat(late.early).isZero();
            MeasuredPage.write(
                    "d",
                    "A node that stands still",
                    "Two nodes, 100 tasks a second for " + seconds + " s; one is stopped for " + stopped.toSeconds()
                            + " s, as a suspended machine is, and goes on. The latest are what it had claimed.",
                    List.of("tasks", "claimed by it", "p50", "p99", "latest", "earliest", "never ran", "ran twice"),
                    List.of(List.of(
                            rate(late.tasks()),
                            "" + claimed,
                            late.cells(),
                            "0",
                            "" + late.moreThanOnce().size())));
        }
    }

    // e

    @Test
    void eDatabaseAway() throws Exception {
        int seconds = length(20, 40);
        long step = SECOND / 100;
        int tasks = 100 * seconds;
        Duration away = Duration.ofSeconds(length(4, 10));
        try (MeasuredCluster cluster = new MeasuredCluster(server, Contender.OURS).start("n1", "n2")) {
            long first = cluster.insert(tasks, SOON, step);
            MeasuredCluster.pass(SOON.multipliedBy(2));
            server.stop();
            MeasuredCluster.pass(away);
            server.startAgain();
            long backMicros = MeasuredLog.nowMicros();
            cluster.awaitNoRows(Duration.ofSeconds(seconds));
            List<MeasuredLog.Run> runs = cluster.runs();
            MeasuredLateness late = MeasuredLateness.of(runs, first, step);
            MeasuredLateness after = MeasuredLateness.of(
                    MeasuredLateness.only(
                            runs, id -> first + step * MeasuredLateness.number(id) > backMicros + 5 * SECOND),
                    first,
                    step);
            assertThat(late.tasks()).isEqualTo(tasks);
            assertThat(late.early).isZero();
            MeasuredPage.write(
                    "e",
                    "A database that is away",
                    "Two nodes, 100 tasks a second for " + seconds + " s; PostgreSQL is stopped for " + away.toSeconds()
                            + " s, and started again on its data.",
                    List.of("tasks", "number", "p50", "p99", "latest", "earliest", "never ran", "ran twice"),
                    List.of(
                            List.of(
                                    "all",
                                    rate(late.tasks()),
                                    late.cells(),
                                    "0",
                                    "" + late.moreThanOnce().size()),
                            List.of(
                                    "due 5 s after it was back, or later",
                                    rate(after.tasks()),
                                    after.cells(),
                                    "0",
                                    "" + after.moreThanOnce().size())));
        }
    }

    // f

    @Test
    void fMillion() throws Exception {
        int tasks = length(50_000, 1_000_000);
        Duration watched = Duration.ofSeconds(length(10, 30));
        List<List<String>> rows = new ArrayList<>();
        for (Contender contender : Contender.values()) {
            try (MeasuredCluster cluster = new MeasuredCluster(server, contender).start("n1", "n2")) {
                long ignored = cluster.insert(tasks, FAR, SECOND);
                MeasuredCluster.pass(SOON);
                cluster.forgetStatements();
                MeasuredCluster.pass(watched);
                double perSecond = cluster.statements() / (2.0 * watched.toSeconds());
                cluster.tell("n1", "heap");
                await().until(() -> !cluster.lines("heap ").isEmpty());
                long heap = Long.parseLong(cluster.lines("heap ").get(0)[1]);
                rows.add(List.of(
                        contender.title,
                        String.format(Locale.ROOT, "%.1f", perSecond),
                        contender == Contender.OURS ? lookTimes(cluster) : "",
                        String.format(Locale.ROOT, "%.1f MB", heap / 1e6)));
                assertThat(cluster.rows()).isEqualTo(tasks);
                assertThat(cluster.runs()).isEmpty();
            }
        }
        MeasuredPage.write(
                "f",
                "Rows that are not due yet",
                "Two nodes that have nothing to do but to look, " + rate(tasks)
                        + " rows that are due in an hour or later.",
                List.of("", "statements a second and node", "look, p50, p99", "heap after a collection"),
                rows);
    }

    private static String lookTimes(MeasuredCluster cluster) {
        int times = 500;
        long[] micros = new long[times];
        ClaimTable claims = new Database(cluster.dataSource, DurableSettings.ofNode("measuring"))
                .tables()
                .claims();
        for (int i = 0; i < times; i++) {
            long startNanos = System.nanoTime();
            assertThat(claims.countDue(List.of("note"), 200, List.of(), Duration.ofSeconds(1), Map.of(), false)
                            .candidates())
                    .isEmpty();
            micros[i] = (System.nanoTime() - startNanos) / 1_000;
        }
        Arrays.sort(micros);
        return String.format(
                Locale.ROOT, "%.2f, %.2f", micros[times / 2] / 1_000.0, micros[times * 99 / 100] / 1_000.0);
    }

    // g

    @Test
    void gCommittedLate() throws Exception {
        MeasuredPage.write(
                "g",
                "Committed after it was due",
                "Two nodes, 12 transactions at a time that schedule a task for now and end 3 s later, one after the "
                        + "other, every second one rolled back.",
                List.of(
                        "scheduled by",
                        "committed",
                        "ran once",
                        "p50 after the commit",
                        "p99",
                        "latest",
                        "earliest",
                        "rolled back",
                        "of them ran"),
                List.of(committedLate(true), committedLate(false)));
    }

    private static List<String> committedLate(boolean byNode) throws Exception {
        int tasks = length(40, 240);
        long apart = SOON.toMillis() / USERS;
        try (MeasuredCluster cluster = new MeasuredCluster(server, Contender.OURS).start("n1", "n2")) {
            Path path = cluster.log("here");
            java.nio.file.Files.deleteIfExists(path);
            DurableEngine here = MeasuredNode.ours("here", cluster.dataSource, MeasuredLog.to(path));
            if (byNode) {
                here.start();
            }
            TransactionTemplate transaction =
                    new TransactionTemplate(new DataSourceTransactionManager(cluster.dataSource));
            Map<String, Long> commits = new ConcurrentHashMap<>();
            ExecutorService users = Executors.newFixedThreadPool(USERS);
            for (int i = 0; i < tasks; i++) {
                String id = "t" + i;
                boolean isRolledBack = i % 2 == 1;
                if (i < USERS) {
                    MeasuredCluster.pass(Duration.ofMillis(apart));
                }
                Object ignored = users.submit(() -> transaction.executeWithoutResult(status -> {
                    assertThat(here.schedule("note", id, id, Instant.now())).isTrue();
                    MeasuredCluster.pass(SOON);
                    if (isRolledBack) {
                        status.setRollbackOnly();
                    } else {
                        commits.put(id, MeasuredLog.nowMicros());
                    }
                }));
            }
            users.shutdown();
            assertThat(users.awaitTermination(10, TimeUnit.MINUTES)).isTrue();
            cluster.awaitNoRows(Duration.ofSeconds(10));
            MeasuredCluster.pass(SOON);
            here.close();
            List<MeasuredLog.Run> runs = new ArrayList<>(cluster.runs());
            runs.addAll(MeasuredLog.runs(path, "here"));
            assertThat(runs).as("what was rolled back never runs").allMatch(run -> commits.containsKey(run.id()));
            MeasuredLateness late = MeasuredLateness.of(runs, commits::get);
            assertThat(late.tasks()).isEqualTo(tasks / 2);
            assertThat(late.moreThanOnce()).isEmpty();
            return List.of(
                    byNode ? "a node" : "what is no node",
                    "" + commits.size(),
                    "" + late.tasks(),
                    late.cells(),
                    "" + (tasks - commits.size()),
                    "0");
        }
    }

    // h

    @Test
    void hFixedRate() throws Exception {
        Duration length = Duration.ofSeconds(length(20, 120));
        long period = MeasuredNode.TICK.toMillis() * 1_000;
        try (MeasuredCluster cluster = new MeasuredCluster(server, Contender.OURS).start("n1", "n2")) {
            cluster.tell("n1", MeasuredNode.repeat("tick", MeasuredNode.TICK));
            cluster.tell("n2", MeasuredNode.repeat("tick", MeasuredNode.TICK));
            await().atMost(SOON.multipliedBy(5)).until(() -> cluster.ticks().size() > 2);
            long phase = dueOfTick(cluster);
            MeasuredCluster.pass(length.dividedBy(3));
            await().until(() -> !claimersOfTick(cluster).isEmpty());
            String runner = claimersOfTick(cluster).get(0);
            Set<String> ignored = cluster.kill(runner);
            MeasuredCluster.pass(length.dividedBy(3).multipliedBy(2));

            assertThat((dueOfTick(cluster) - phase) % period).as("the phase").isZero();
            Map<Long, Integer> periods = new TreeMap<>();
            List<MeasuredLog.Run> late = new ArrayList<>();
            long longest = 0;
            long last = 0;
            for (MeasuredLog.Run tick : cluster.ticks()) {
                long number = Math.floorDiv(tick.atMicros() + tick.errorMicros() - phase, period);
                periods.merge(number, 1, Integer::sum);
                late.add(new MeasuredLog.Run("t" + number, tick.node(), tick.atMicros(), tick.errorMicros()));
                longest = Math.max(longest, last == 0 ? 0 : tick.atMicros() - last);
                last = tick.atMicros();
            }
            MeasuredLateness lateness = MeasuredLateness.of(late, phase, period);
            long expected =
                    ((TreeMap<Long, Integer>) periods).lastKey() - ((TreeMap<Long, Integer>) periods).firstKey() + 1;
            MeasuredPage.write(
                    "h",
                    "A fixed rate whose node is killed",
                    "Two nodes, one durable fixed rate of " + MeasuredNode.TICK.toMillis() + " ms for "
                            + length.toSeconds()
                            + " s; the node that has claimed it is killed after a third of that. Lateness is that "
                            + "against the phase, which is kept.",
                    List.of(
                            "periods",
                            "ran",
                            "left out",
                            "twice in one",
                            "longest pause",
                            "p50",
                            "p99",
                            "latest",
                            "earliest"),
                    List.of(List.of(
                            "" + expected,
                            "" + periods.size(),
                            "" + (expected - periods.size()),
                            ""
                                    + periods.values().stream()
                                            .filter(times -> times > 1)
                                            .count(),
                            MeasuredLateness.millis(longest),
                            lateness.cells())));
            assertThat(expected - periods.size())
                    .as("what is left out: what it takes to find a node dead, and what a slow machine takes")
                    .isLessThan(30);
        }
    }

    private static List<String> claimersOfTick(MeasuredCluster cluster) {
        return cluster.jdbc.queryForList(
                "select n.name from wheel_durable_task t join wheel_durable_task_node n on n.incarnation = t.owner"
                        + " where task_name = 'recurring:' and task_instance = 'tick'",
                String.class);
    }

    private static long dueOfTick(MeasuredCluster cluster) {
        return MeasuredLog.micros(cluster.jdbc
                .queryForObject(
                        "select execution_time from wheel_durable_task where task_name = 'recurring:' and "
                                + "task_instance = 'tick'",
                        OffsetDateTime.class)
                .toInstant());
    }

    // i

    @Test
    void iMoved() throws Exception {
        int tasks = length(500, 5_000);
        long step = SECOND / 200;
        try (MeasuredCluster cluster = new MeasuredCluster(server, Contender.OURS).start("n1", "n2")) {
            long first = cluster.insert(tasks, SOON.multipliedBy(2), step);
            cluster.tell("n1", MeasuredMoves.line(0, tasks, first, step));
            cluster.tell("n2", MeasuredMoves.line(1, tasks, first, step));
            await().atMost(Duration.ofMinutes(5))
                    .until(() -> cluster.lines("moved").size() == 2);
            cluster.awaitNoRows(Duration.ofSeconds(10));

            assertThat(cluster.lines("failed ")).isEmpty();
            Map<String, Long> dues = new HashMap<>();
            for (int i = 0; i < tasks; i++) {
                dues.put("t" + i, first + i * step);
            }
            int[] told = new int[4];
            for (String[] words : cluster.lines("")) {
                boolean isCancel = words[0].equals("cancel");
                if (isCancel || words[0].equals("move")) {
                    boolean inTime = Boolean.parseBoolean(words[2]);
                    told[(isCancel ? 0 : 2) + (inTime ? 0 : 1)]++;
                    if (inTime) {
                        assertThat(dues).as("cancelled for good").containsKey(words[1]);
                        Long unused = isCancel ? dues.remove(words[1]) : dues.put(words[1], Long.parseLong(words[3]));
                    }
                }
            }
            assertThat(Arrays.stream(told).sum()).isEqualTo(2 * tasks);
            List<MeasuredLog.Run> runs = cluster.runs();
            assertThat(runs).as("what was cancelled never runs").allMatch(run -> dues.containsKey(run.id()));
            MeasuredLateness late = MeasuredLateness.of(runs, dues::get);
            assertThat(late.tasks()).isEqualTo(dues.size());
            assertThat(late.moreThanOnce()).isEmpty();
            assertThat(late.early).isZero();
            MeasuredPage.write(
                    "i",
                    "Moved and cancelled at the last moment",
                    "Two nodes, " + rate(tasks)
                            + " tasks, each cancelled (one in four) or moved twice by one of them within two seconds "
                            + "of its time. Each run is compared with what the last call that was not refused has "
                            + "said.",
                    List.of(
                            "cancelled",
                            "refused",
                            "moved",
                            "refused",
                            "ran as said",
                            "p50",
                            "p99",
                            "latest",
                            "earliest",
                            "against what was said"),
                    List.of(List.of(
                            "" + told[0],
                            "" + told[1],
                            "" + told[2],
                            "" + told[3],
                            "" + late.tasks(),
                            late.cells(),
                            "0")));
        }
    }

    // j

    /** Who schedules tasks that others run. */
    private enum Elsewhere {
        DISABLED("a process with enabled: false"),
        OTHER_HANDLERS("a node that does not have the handler"),
        SQL("SQL and the function"),
        WITHOUT("a process with enabled: false, nodes with nudge: false"),
        DB_SCHEDULER("SQL, for db-scheduler, which polls every 20 ms");

        private final String title;

        Elsewhere(String title) {
            this.title = title;
        }
    }

    @Test
    void jScheduledElsewhere() throws Exception {
        List<List<String>> rows = new ArrayList<>();
        for (Elsewhere elsewhere : Elsewhere.values()) {
            rows.add(scheduledElsewhere(elsewhere));
        }
        MeasuredPage.write(
                "j",
                "Scheduled by another process for now",
                "Two nodes, and a process that runs nothing and schedules " + rate(length(50, 1_000))
                        + " tasks for now, one by one, each in a transaction of its own, 20 ms apart and up to 20 ms "
                        + "more.",
                List.of(
                        "scheduled by",
                        "ran once",
                        "p50 after the commit",
                        "p99",
                        "latest",
                        "earliest",
                        "p50 after the call",
                        "p99",
                        "latest",
                        "earliest"),
                rows);
    }

    private static List<String> scheduledElsewhere(Elsewhere elsewhere) throws Exception {
        int tasks = length(50, 1_000);
        Contender contender = elsewhere == Elsewhere.DB_SCHEDULER ? Contender.DB_SCHEDULER : Contender.OURS;
        try (MeasuredCluster cluster = new MeasuredCluster(server, contender)
                .with("nudge", elsewhere != Elsewhere.WITHOUT)
                .start("n1", "n2")) {
            WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
            DurableEngine here = new DurableEngine(
                    DurableSettings.ofNode("here"),
                    executor,
                    cluster.dataSource,
                    JsonMapper.builder().build(),
                    DurableObserver.NONE);
            if (elsewhere == Elsewhere.OTHER_HANDLERS) {
                here.start();
            }
            MeasuredCluster.pass(SOON);
            Map<String, Long> calls = new ConcurrentHashMap<>();
            Map<String, Long> commits = new ConcurrentHashMap<>();
            Random random = new Random(4711);
            ScheduledExecutorService users = Executors.newScheduledThreadPool(2);
            long at = 0;
            for (int i = -tasks / 10; i < tasks; i++) {
                // The first ones let the processes compile.
                String id = i < 0 ? "w" + -i : "t" + i;
                at += 20_000 + random.nextInt(20_000);
                Object ignored = users.schedule(
                        () -> {
                            calls.put(id, MeasuredLog.nowMicros());
                            scheduleNow(elsewhere, here, cluster, id);
                            commits.put(id, MeasuredLog.nowMicros());
                        },
                        at,
                        TimeUnit.MICROSECONDS);
            }
            users.shutdown();
            assertThat(users.awaitTermination(10, TimeUnit.MINUTES)).isTrue();
            cluster.awaitNoRows(Duration.ofSeconds(10));
            here.close();
            List<Runnable> unused = executor.shutdownNow();
            List<MeasuredLog.Run> runs = MeasuredLateness.only(cluster.runs(), id -> id.startsWith("t"));
            MeasuredLateness late = MeasuredLateness.of(runs, commits::get);
            assertThat(late.tasks()).isEqualTo(tasks);
            assertThat(late.moreThanOnce()).isEmpty();
            return List.of(
                    elsewhere.title,
                    "" + late.tasks(),
                    late.cells(),
                    MeasuredLateness.of(runs, calls::get).cells());
        }
    }

    private static void scheduleNow(Elsewhere elsewhere, DurableEngine here, MeasuredCluster cluster, String id) {
        switch (elsewhere) {
            case SQL -> {
                assertThat(cluster.jdbc.update(
                                "insert into wheel_durable_task (task_name, task_instance, task_data, execution_time) "
                                        + "values ('note', ?, convert_to('\"' || ? || '\"', 'UTF8'), "
                                        + "clock_timestamp())",
                                id,
                                id))
                        .isEqualTo(1);
                cluster.jdbc.execute("select wheel_durable_task_nudge()");
            }
            case DB_SCHEDULER ->
                assertThat(cluster.jdbc.update(
                                "insert into scheduled_tasks (task_name, task_instance, execution_time, picked, "
                                        + "version) values ('note', ?, clock_timestamp(), false, 1)",
                                id))
                        .isEqualTo(1);
            default -> assertThat(here.schedule("note", id, id, Duration.ZERO)).isTrue();
        }
    }
}
