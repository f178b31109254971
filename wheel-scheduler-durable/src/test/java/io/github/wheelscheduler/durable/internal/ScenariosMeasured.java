package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.MeasuredLog.MeasuredPage.IS_LONG;
import static io.github.wheelscheduler.durable.internal.MeasuredLog.MeasuredPage.rate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.durable.internal.MeasuredCluster.MeasuredCost;
import io.github.wheelscheduler.durable.internal.MeasuredLog.MeasuredPage;
import io.github.wheelscheduler.durable.testing.Contender;
import io.github.wheelscheduler.durable.testing.MeasuredServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the scenarios of a public benchmark of queues on PostgreSQL do to us and to db-scheduler: two processes, tasks
 * for now at a steady rate, and something bad for a while. {@code -Pcluster} runs it, where {@code -Dscenario=} names
 * one, several or {@code all}:
 *
 * <pre>{@code
 * mvn -B verify -Pcluster -pl wheel-scheduler-durable -am -Dit.test=ScenariosMeasured -Dscenario=all \
 *     -Dfailsafe.failIfNoSpecifiedTests=false -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false
 * }</pre>
 *
 * They are {@code crash}, {@code repeated-kills}, {@code restart}, {@code back-ends}, {@code exhaustion}, {@code
 * idle-in-transaction}, {@code active-readers} and {@code burst}; about 4 minutes for each contender and round.
 * Properties, with what they are unless they are said: {@code measured.phase-seconds} 60, {@code measured.warm-seconds}
 * 20, {@code measured.kill-seconds} 20, {@code measured.rounds} 1, {@code measured.rate} 800, which is that of all
 * processes together, {@code measured.burst} 1.5, by which it is multiplied in a burst, {@code measured.threads-each}
 * 32, {@code measured.work-millis} 1, {@code measured.payload-bytes} 256, {@code measured.producers} {@code nodes}, or
 * {@code own} for a process that schedules all and runs none.
 */
class ScenariosMeasured {

    private static final Duration PHASE = seconds("measured.phase-seconds", 60, 5);
    private static final Duration WARM = seconds("measured.warm-seconds", 20, 3);
    private static final Duration BETWEEN_KILLS = seconds("measured.kill-seconds", 20, 3);
    private static final Duration BETWEEN_TERMINATIONS = Duration.ofMillis(500);
    private static final Duration BETWEEN_COUNTS = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ROUNDS = Integer.getInteger("measured.rounds", 1);
    private static final int RATE = Integer.getInteger("measured.rate", 800);
    private static final double BURST = Double.parseDouble(System.getProperty("measured.burst", "1.5"));
    private static final int IDLE_CONNECTIONS = 300;
    private static final int READERS = 4;
    private static final double SECOND = 1e6;
    private static final String[] NODES = {"n1", "n2"};
    private static final List<String> PRODUCERS =
            System.getProperty("measured.producers", "nodes").equals("own") ? List.of("p") : List.of(NODES);

    private static MeasuredServer server;

    @BeforeAll
    static void start() throws IOException {
        server = new MeasuredServer(MeasuredServer.OF_QUEUES);
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    private static Duration seconds(String property, int usual, int inShort) {
        return Duration.ofSeconds(Integer.getInteger(property, IS_LONG ? usual : inShort));
    }

    /** What is bad, for the time of a phase. */
    enum Scenario {
        CRASH("One process is killed, and started again after half of the phase.") {
            @Override
            void play(MeasuredCluster cluster) throws Exception {
                Set<String> ignored = cluster.kill(NODES[0]);
                MeasuredCluster.pass(PHASE.dividedBy(2));
                startAgain(cluster);
                MeasuredCluster.pass(PHASE.dividedBy(2));
            }
        },

        REPEATED_KILLS("One process is killed and at once started again, every " + BETWEEN_KILLS.toSeconds()
                + " s, for two phases.") {
            @Override
            void play(MeasuredCluster cluster) throws Exception {
                long endNanos = System.nanoTime() + PHASE.multipliedBy(2).toNanos();
                while (System.nanoTime() < endNanos) {
                    Set<String> ignored = cluster.kill(NODES[0]);
                    long killNanos = System.nanoTime();
                    startAgain(cluster);
                    MeasuredCluster.pass(BETWEEN_KILLS.minusNanos(System.nanoTime() - killNanos));
                }
            }
        },

        RESTART("PostgreSQL is stopped and started.") {
            @Override
            void play(MeasuredCluster cluster) throws Exception {
                server.stop();
                server.startAgain();
                MeasuredCluster.pass(PHASE);
            }
        },

        BACK_ENDS("A connection of the processes is terminated at random, twice a second.") {
            @Override
            void play(MeasuredCluster cluster) {
                long endNanos = System.nanoTime() + PHASE.toNanos();
                while (System.nanoTime() < endNanos) {
                    List<Boolean> ended = cluster.jdbc.queryForList(
                            "select pg_terminate_backend(pid) from (select pid from pg_stat_activity where datname = "
                                    + "current_database() and application_name in ('n1', 'n2', 'p') order by random() "
                                    + "limit 1) back_end",
                            Boolean.class);
                    assertThat(ended).hasSizeLessThanOrEqualTo(1);
                    MeasuredCluster.pass(BETWEEN_TERMINATIONS);
                }
            }
        },

        EXHAUSTION(IDLE_CONNECTIONS + " connections are taken, or as many of them as there are.") {
            @Override
            void play(MeasuredCluster cluster) throws Exception {
                List<Connection> taken = new ArrayList<>();
                try {
                    while (taken.size() < IDLE_CONNECTIONS) {
                        taken.add(DriverManager.getConnection(cluster.url));
                    }
                } catch (SQLException ex) {
                    System.out.println("> only " + taken.size() + " connections: " + ex.getMessage());
                }
                MeasuredCluster.pass(PHASE);
                for (Connection connection : taken) {
                    connection.close();
                }
            }
        },

        IDLE_IN_TRANSACTION("A transaction with an id is open for the whole phase.") {
            @Override
            void play(MeasuredCluster cluster) throws Exception {
                try (Connection connection = begin(cluster, "select pg_current_xact_id()")) {
                    MeasuredCluster.pass(PHASE);
                    connection.rollback();
                }
            }
        },

        ACTIVE_READERS(READERS + " repeatable-read transactions, open for the whole phase, count the table every "
                + BETWEEN_COUNTS.toMillis() + " ms.") {
            @Override
            void play(MeasuredCluster cluster) throws Exception {
                List<Thread> readers = new ArrayList<>();
                for (int i = 0; i < READERS; i++) {
                    Thread reader = new Thread(() -> read(cluster));
                    reader.start();
                    readers.add(reader);
                }
                for (Thread reader : readers) {
                    reader.join();
                }
            }

            private void read(MeasuredCluster cluster) {
                long endNanos = System.nanoTime() + PHASE.toNanos();
                String count = "select count(*) from " + cluster.table();
                try (Connection connection = begin(cluster, "set transaction isolation level repeatable read");
                        Statement statement = connection.createStatement()) {
                    while (System.nanoTime() < endNanos) {
                        boolean ignored = statement.execute(count);
                        MeasuredCluster.pass(BETWEEN_COUNTS);
                    }
                    connection.rollback();
                } catch (SQLException ex) {
                    throw new IllegalStateException(ex);
                }
            }
        },

        BURST("The rate is " + ScenariosMeasured.BURST + " times what it was.") {
            @Override
            void play(MeasuredCluster cluster) throws Exception {
                produce(cluster, RATE * ScenariosMeasured.BURST);
                MeasuredCluster.pass(PHASE);
                produce(cluster, RATE);
            }
        };

        private final String text;

        Scenario(String text) {
            this.text = text;
        }

        abstract void play(MeasuredCluster cluster) throws Exception;

        String title() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private static Connection begin(MeasuredCluster cluster, String first) throws SQLException {
        Connection connection = DriverManager.getConnection(cluster.url);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute(first);
        }
        return connection;
    }

    private static void startAgain(MeasuredCluster cluster) throws IOException {
        MeasuredCluster unused = cluster.start(NODES[0]);
        produce(cluster, RATE);
    }

    private static void produce(MeasuredCluster cluster, double perSecond) throws IOException {
        for (String name : PRODUCERS) {
            cluster.tell(name, MeasuredProducer.COMMAND + perSecond / PRODUCERS.size());
        }
    }

    static Stream<Scenario> scenarios() {
        List<String> titles = List.of(System.getProperty("scenario", "").split(",", -1));
        return Arrays.stream(Scenario.values())
                .filter(scenario -> titles.contains("all") || titles.contains(scenario.title()));
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("scenarios")
    void outlives(Scenario scenario) throws Exception {
        List<List<String>> rows = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (Contender contender : Contender.turns(round)) {
                rows.addAll(played(scenario, contender));
            }
        }
        List<String> head = new ArrayList<>(List.of(
                "",
                "phase",
                "inserted a second",
                "started a second",
                "of the baseline",
                "p50",
                "p99",
                "rows",
                "dead rows"));
        head.addAll(MeasuredCost.HEAD);
        head.addAll(List.of("doubtful", "lost", "left", "twice"));
        MeasuredPage.write(
                "n-" + scenario.title(),
                "Scenario " + scenario.title(),
                scenario.text + " Two processes, " + RATE + " tasks a second for now, scheduled by "
                        + (PRODUCERS.size() == 1 ? "a process that runs none" : "both")
                        + "; p50 and p99 are from just before the insert to the start, of what was inserted in the "
                        + "phase. \"Doubtful\" is what its insert failed for, \"left\" what was there 90 s after the "
                        + "last insert.",
                head,
                rows);
    }

    /** How things are where one phase ends and the next begins. */
    private record Mark(long micros, MeasuredCost cost, long rows, long dead) {

        static Mark now(MeasuredCluster cluster) {
            List<Mark> marks = new ArrayList<>();
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(100))
                    .ignoreExceptions()
                    .until(() -> marks.add(new Mark(
                            MeasuredLog.nowMicros(),
                            MeasuredCost.of(cluster.jdbc),
                            cluster.rows(),
                            cluster.count("select coalesce(sum(n_dead_tup), 0) from pg_stat_user_tables"))));
            return marks.get(0);
        }
    }

    private static List<List<String>> played(Scenario scenario, Contender contender) throws Exception {
        try (MeasuredCluster cluster = new MeasuredCluster(server, contender)
                .with("threads", System.getProperty("measured.threads-each", "32"))
                .with("work-millis", System.getProperty("measured.work-millis", "1"))
                .with("payload-bytes", System.getProperty("measured.payload-bytes", "256"))
                .start(NODES)) {
            if (PRODUCERS.size() == 1) {
                MeasuredCluster unused = cluster.with("threads", 0).start("p");
            }
            produce(cluster, RATE);
            MeasuredCluster.pass(WARM);
            List<Mark> marks = new ArrayList<>();
            cluster.forgetStatements();
            marks.add(Mark.now(cluster));
            MeasuredCluster.pass(PHASE);
            marks.add(Mark.now(cluster));
            cluster.printDearest();
            scenario.play(cluster);
            marks.add(Mark.now(cluster));
            MeasuredCluster.pass(PHASE);
            marks.add(Mark.now(cluster));
            produce(cluster, 0);
            try {
                cluster.awaitNoRows(Duration.ZERO);
            } catch (ConditionTimeoutException ex) {
                System.out.println("> " + contender.title + ", " + scenario.title() + ": " + ex.getMessage());
            }
            cluster.killAll();
            return phases(cluster, contender, marks);
        }
    }

    private static List<List<String>> phases(MeasuredCluster cluster, Contender contender, List<Mark> marks) {
        List<MeasuredLog.Run> runs = cluster.runs();
        List<MeasuredProducer.Inserted> inserted = MeasuredProducer.Inserted.of(cluster);
        List<List<String>> rows = new ArrayList<>();
        double baseline = 0;
        for (int i = 1; i < marks.size(); i++) {
            Mark from = marks.get(i - 1);
            Mark to = marks.get(i);
            double seconds = (to.micros - from.micros) / SECOND;
            long started = runs.stream()
                    .filter(run -> run.atMicros() >= from.micros && run.atMicros() < to.micros)
                    .count();
            baseline = i == 1 ? started / seconds : baseline;
            long insertedHere = inserted.stream()
                    .filter(each -> each.atMicros() >= from.micros && each.atMicros() < to.micros)
                    .mapToLong(MeasuredProducer.Inserted::count)
                    .sum();
            MeasuredLateness late = MeasuredLateness.of(
                    MeasuredLateness.only(
                            runs,
                            id -> MeasuredProducer.atMicros(id) >= from.micros
                                    && MeasuredProducer.atMicros(id) < to.micros),
                    MeasuredProducer::atMicros);
            List<String> cells = new ArrayList<>(List.of(
                    contender.title,
                    List.of("baseline", "stress", "recovery").get(i - 1),
                    rate(insertedHere / seconds),
                    rate(started / seconds),
                    String.format(Locale.ROOT, "%.3f", started / seconds / baseline),
                    late.millis(0.5),
                    late.millis(0.99),
                    "" + to.rows,
                    "" + to.dead));
            cells.addAll(to.cost.since(from.cost).cells(started));
            cells.addAll(i < marks.size() - 1 ? List.of("", "", "", "") : ends(cluster, contender, runs, inserted));
            rows.add(cells);
        }
        return rows;
    }

    private static List<String> ends(
            MeasuredCluster cluster,
            Contender contender,
            List<MeasuredLog.Run> runs,
            List<MeasuredProducer.Inserted> inserted) {
        MeasuredLateness all = MeasuredLateness.of(runs, MeasuredProducer::atMicros);
        Set<String> missing = new HashSet<>();
        inserted.forEach(each -> missing.addAll(each.ids()));
        runs.forEach(run -> missing.remove(run.id()));
        List<String> left = cluster.jdbc.queryForList(
                "select task_instance from " + cluster.table() + " where task_name = 'note'", String.class);
        left.forEach(missing::remove);
        if (contender == Contender.OURS) {
            assertThat(missing).as("lost").isEmpty();
            assertThat(left).as("left").isEmpty();
        }
        int doubtful = cluster.lines("doubtful ").stream()
                .mapToInt(words -> Integer.parseInt(words[1]))
                .sum();
        return List.of(
                "" + doubtful,
                "" + missing.size(),
                "" + left.size(),
                "" + all.moreThanOnce().size());
    }
}
