package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Timed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * Three processes on one PostgreSQL, of which {@code n1} is killed and {@code n2} is stopped for longer than it takes
 * to be found dead: each task runs at least once, and more than once only where one of those was running it. {@code
 * -Dwheel.cluster.seconds} makes it longer.
 */
@Timed
class ClusterIT {

    private static final int SECONDS = Integer.getInteger("wheel.cluster.seconds", 12);
    private static final int TASKS_PER_SECOND = 150;
    private static final long PERIOD_MILLIS = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path LOGS = Path.of("target", "children");

    private final String url = TestDatabase.POSTGRESQL.newUrl();
    private final HikariDataSource dataSource = TestDatabase.dataSource(url);
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
    private final Map<String, Process> nodes = new HashMap<>();

    static Recurrence tick() {
        return ScheduleRecurrence.of(TaskSchedule.fixedRate(Duration.ofMillis(PERIOD_MILLIS)), null);
    }

    @BeforeEach
    void createTables() {
        jdbc.execute("create table dues (id varchar(50) primary key, due timestamp with time zone)");
        jdbc.execute("create table runs (id varchar(50), node varchar(50), late_micros bigint, ended boolean default "
                + "false)");
        jdbc.execute("create table ticks (node varchar(50), at timestamp with time zone)");
        jdbc.execute("create table ledger (id varchar(50), node varchar(50))");
    }

    @AfterEach
    void stop() {
        nodes.values().forEach(Process::destroyForcibly);
        dataSource.close();
    }

    private void start(String name) throws IOException {
        Files.createDirectories(LOGS);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ClusterNode.class.getName(),
                        url,
                        name)
                .redirectErrorStream(true)
                .redirectOutput(LOGS.resolve(name + ".log").toFile())
                .start();
        nodes.put(name, process);
    }

    private void awaitStarted(String name) {
        await().atMost(PATIENCE)
                .until(() -> Files.readString(LOGS.resolve(name + ".log")).contains("started " + name));
    }

    private void signal(String name, String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder(
                        "kill", signal, String.valueOf(nodes.get(name).pid()))
                .inheritIO()
                .start();
        assertThat(kill.waitFor()).isZero();
    }

    private List<String> schedule() {
        try (Node node = new Node("scheduling", dataSource)) {
            Instant start = Instant.now().plusSeconds(1);
            List<DurableRequest> requests = new ArrayList<>();
            List<Object[]> dues = new ArrayList<>();
            for (int i = 0; i < SECONDS * TASKS_PER_SECOND; i++) {
                Instant at = start.plusMillis(1_000L * i / TASKS_PER_SECOND);
                requests.add(new DurableRequest("t" + i, "t" + i, at));
                dues.add(new Object[] {"t" + i, at.atOffset(ZoneOffset.UTC)});
            }
            assertThat(jdbc.batchUpdate("insert into dues values (?, ?)", dues)).hasSize(requests.size());
            assertThat(node.engine.scheduleAll("note", requests)).isEqualTo(requests.size());
            return requests.stream().map(DurableRequest::id).toList();
        }
    }

    @Test
    void nothingIsLostThoughNodesDie() throws Exception {
        for (String name : List.of("n1", "n2", "n3")) {
            start(name);
        }
        List.of("n1", "n2", "n3").forEach(this::awaitStarted);
        List<String> ids = schedule();

        awaitRuns(ids.size() / 4);
        nodes.get("n1").destroyForcibly();
        start("n4");
        awaitRuns(ids.size() / 2);
        signal("n2", "-STOP");
        // What it had claimed runs elsewhere: all that is due by now, while it stands still.
        await().atMost(PATIENCE).until(() -> freedOf("n2"));
        signal("n2", "-CONT");

        await().atMost(PATIENCE.plusSeconds(SECONDS)).until(() -> rows() == 1);
        await().atMost(PATIENCE).until(() -> count("select count(distinct id) from runs") == ids.size());
        report();
        assertThat(jdbc.queryForList(
                        "select distinct id from runs r where (select count(*) from runs s where s.id = r.id) > 1"
                                + " and not exists (select 1 from runs s where s.id = r.id and s.node in ('n1', 'n2'))",
                        String.class))
                .as("what ran twice without having been on a node that was disturbed")
                .isEmpty();
        assertThat(count("select count(*) from (select id from runs group by id having count(*) > 1) x"))
                .as("what ran twice: what both disturbed nodes were running at most")
                .isLessThanOrEqualTo(2L * Node.settings("any").maxConcurrent());
        assertThat(count("select count(*) from runs where late_micros < -5000"))
                .as("early")
                .isZero();
        assertThat(count("select count(*) from ticks"))
                .as("ticks, of which there is one in each period at most")
                .isBetween(
                        10L,
                        count("select (extract(epoch from max(at) - min(at)) * 1000 / " + PERIOD_MILLIS
                                + ")::bigint + 2 from ticks"));
    }

    @Test
    void writesOfATransactionalRunExistOnceThoughNodesDie() throws Exception {
        List<String> names = List.of("b1", "b2", "b3", "b4", "b5", "b6");
        for (String name : names.subList(0, 3)) {
            start(name);
        }
        names.subList(0, 3).forEach(this::awaitStarted);
        int count = SECONDS * TASKS_PER_SECOND;
        try (Node node = new Node("scheduling", dataSource)) {
            Instant start = Instant.now();
            List<DurableRequest> requests = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                requests.add(new DurableRequest("b" + i, "b" + i, start.plusMillis(1_000L * i / TASKS_PER_SECOND)));
            }
            assertThat(node.engine.scheduleAll("book", requests)).isEqualTo(count);
        }
        for (int i = 0; i < 3; i++) {
            awaitEntries(count * (i + 1) / 6);
            start(names.get(i + 3));
            nodes.get(names.get(i)).destroyForcibly();
        }
        awaitEntries(count * 4 / 6);
        signal("b4", "-STOP");
        // What it was about to commit stays locked until it goes on.
        await().atMost(PATIENCE)
                .until(() -> count("select count(*) from (select 1 from wheel_durable_task where owner in"
                                + " (select incarnation from wheel_durable_task_node where name = 'b4')"
                                + " for update skip locked) left_over")
                        == 0);
        signal("b4", "-CONT");
        await().atMost(PATIENCE.plusSeconds(SECONDS))
                .until(() -> count("select count(*) from wheel_durable_task where task_name = 'book'") == 0);
        assertThat(count("select count(*) from ledger")).isEqualTo(count);
        assertThat(count("select count(distinct id) from ledger")).isEqualTo(count);
        System.out.println("> transactional runs, of which the nodes b1 to b3 were killed and b4 was stopped: "
                + jdbc.queryForList("select node, count(*) c from ledger group by node order by node"));
    }

    private void awaitEntries(int number) {
        await().atMost(PATIENCE.plusSeconds(SECONDS)).until(() -> count("select count(*) from ledger") >= number);
    }

    private boolean freedOf(String node) {
        return count("select count(*) from wheel_durable_task where owner in (select incarnation from "
                        + "wheel_durable_task_node where name = '"
                        + node + "')")
                == 0;
    }

    private void awaitRuns(int number) {
        await().atMost(PATIENCE.plusSeconds(SECONDS)).until(() -> count("select count(*) from runs") >= number);
    }

    private long rows() {
        return count("select count(*) from wheel_durable_task");
    }

    private long count(String query) {
        Long count = jdbc.queryForObject(query, Long.class);
        return count == null ? -1 : count;
    }

    private void report() {
        Map<String, Object> late = jdbc.queryForMap(
                "select percentile_disc(0.5) within group (order by late_micros) p50, percentile_disc(0.99) within "
                        + "group (order by late_micros) p99, max(late_micros) most, count(*) runs from runs");
        System.out.println("> cluster: " + late + " [us], ran twice "
                + count("select count(*) from (select id from runs group by id having count(*) > 1) x") + ", not ended "
                + count("select count(*) from runs where not ended") + ", by node "
                + jdbc.queryForList("select node, count(*) c from runs group by node order by node") + ", ticks "
                + count("select count(*) from ticks"));
        assertThat(TimeUnit.MICROSECONDS.toSeconds(((Number) late.get("most")).longValue()))
                .as("what is taken over is late by what it takes to find a node dead, and by what a slow machine takes")
                .isLessThan(30);
    }

    /**
     * The main class of a process that is one node of a cluster. It writes down each run as it begins, and as it ends.
     */
    public static final class ClusterNode {

        private static final long RUN_MILLIS = 5;

        private ClusterNode() {}

        /** Expects the address of the database and the name of the node; goes on until it is killed. */
        public static void main(String[] args) throws InterruptedException {
            HikariDataSource dataSource = TestDatabase.dataSource(args[0]);
            JdbcTemplate jdbc = new JdbcTemplate(dataSource);
            String name = args[1];
            try (Node node = new Node(name, dataSource)) {
                node.handle("note", String.class, id -> {
                    int begun = jdbc.update(
                            "insert into runs (id, node, late_micros) select ?, ?, extract(epoch from "
                                    + "clock_timestamp() - due) * 1000000 from dues where dues.id = ?",
                            id,
                            name,
                            id);
                    if (begun != 1) {
                        throw new IllegalStateException("every task has its row");
                    }
                    Thread.sleep(RUN_MILLIS);
                    int ended = jdbc.update("update runs set ended = true where id = ? and node = ?", id, name);
                    if (ended < 1) {
                        throw new IllegalStateException("every run has its row");
                    }
                });
                node.engine.handle(
                        "book",
                        String.class,
                        RetryPolicy.DEFAULT,
                        Integer.MAX_VALUE,
                        null,
                        new DataSourceTransactionManager(dataSource),
                        (id, run) -> {
                            int booked = jdbc.update("insert into ledger (id, node) values (?, ?)", id, name);
                            if (booked != 1) {
                                throw new IllegalStateException("every run has its entry");
                            }
                            Thread.sleep(RUN_MILLIS);
                        });
                Runnable ignored = node.engine.repeat("tick", ClusterIT.tick(), false, () -> {
                    int ticked = jdbc.update("insert into ticks (node, at) values (?, clock_timestamp())", name);
                    if (ticked != 1) {
                        throw new IllegalStateException("every tick has its row");
                    }
                });
                node.start();
                System.out.println("started " + name);
                Thread.sleep(Long.MAX_VALUE);
            }
        }
    }
}
