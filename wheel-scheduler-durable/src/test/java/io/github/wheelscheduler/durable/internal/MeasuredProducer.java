package io.github.wheelscheduler.durable.internal;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.testing.Contender;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Schedules tasks for now at a steady rate, in a thread of its own; the id of each says when that was, and the log
 * which ones are there for certain.
 */
final class MeasuredProducer {

    /** What a line begins with that sets the rate. */
    static final String COMMAND = "produce ";

    private static final String PAYLOAD = "p".repeat(Integer.getInteger("measured.payload-bytes", 256));
    private static final long PAUSE_NANOS = 5_000_000;
    private static final long PAUSE_AFTER_FAILURE_NANOS = 100_000_000;
    private static final int MOST = 1_000;
    private static final String INSERTED = "inserted ";

    private final String prefix;
    private final MeasuredLog log;
    private final Insertion insertion;
    private volatile double perSecond;
    private long next;

    /** Schedules tasks that are due at an instant, all or none. */
    interface Insertion {
        void insert(List<String> ids, String payload, Instant at);
    }

    /** What one statement has inserted. */
    record Inserted(String prefix, long first, int count, long atMicros) {

        static List<Inserted> of(MeasuredCluster cluster) {
            return cluster.lines(INSERTED).stream()
                    .map(words -> new Inserted(
                            words[1], Long.parseLong(words[2]), Integer.parseInt(words[3]), Long.parseLong(words[4])))
                    .toList();
        }

        List<String> ids() {
            List<String> ids = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                ids.add(prefix + "." + (first + i) + "@" + atMicros);
            }
            return ids;
        }
    }

    MeasuredProducer(String name, MeasuredLog log, Insertion insertion) {
        this.prefix = name + "." + ProcessHandle.current().pid();
        this.log = log;
        this.insertion = insertion;
        Thread thread = new Thread(this::produce, "producer");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns when a task was inserted, which its id says. */
    static long atMicros(String id) {
        return Long.parseLong(id.substring(id.indexOf('@') + 1));
    }

    void setRate(double perSecond) {
        this.perSecond = perSecond;
    }

    /** What could not be inserted in time is made up for, but for what took longer than a second. */
    private void produce() {
        double owed = 0;
        long lastNanos = System.nanoTime();
        while (true) {
            LockSupport.parkNanos(PAUSE_NANOS);
            long nowNanos = System.nanoTime();
            owed = Math.min(owed + perSecond * (nowNanos - lastNanos) / 1e9, perSecond);
            lastNanos = nowNanos;
            int count = (int) Math.min(owed, MOST);
            if (count > 0) {
                owed -= count;
                insert(count);
            }
        }
    }

    private void insert(int count) {
        Instant now = Instant.now();
        Inserted inserted = new Inserted(prefix, next, count, MeasuredLog.micros(now));
        next += count;
        try {
            insertion.insert(inserted.ids(), PAYLOAD, now);
            log.line(INSERTED + prefix + " " + inserted.first() + " " + count + " " + inserted.atMicros());
        } catch (RuntimeException ex) {
            log.line("doubtful " + count + " " + ex);
            LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
        }
    }

    /**
     * The main class of a process that the harness of the public benchmark {@code postgresql-job-queue-benchmarking}
     * can start: it schedules and runs tasks as environment variables say, and prints what it sees as lines of JSON.
     * Its argument is {@code OURS} or {@code DB_SCHEDULER}; it speaks of fixed rates only. It needs the class path of
     * the tests of this module:
     *
     * <pre>{@code
     * DATABASE_URL=postgres://bench:bench@localhost:15555/wheel_bench PRODUCER_RATE=800 WORKER_COUNT=32 java -cp \
     *     ... io.github.wheelscheduler.durable.MeasuredAdapter OURS
     * }</pre>
     */
    public static final class MeasuredAdapter {

        private static final int WINDOW_SECONDS = 30;
        private static final long CLOSE_MILLIS = 3_000;

        private final Contender contender;
        private final BufferedReader log;
        private final JdbcTemplate jdbc;
        private final Deque<long[]> window = new ArrayDeque<>();
        private final int everySeconds = number("SAMPLE_EVERY_S", 5);
        private final int instance = number("BENCH_INSTANCE_ID", 0);
        private long inserted;
        private long ended;

        private MeasuredAdapter(Contender contender, BufferedReader log, JdbcTemplate jdbc) {
            this.contender = contender;
            this.log = log;
            this.jdbc = jdbc;
        }

        /** Goes on until it is told to end, and then ends with 0. */
        public static void main(String[] args) throws IOException {
            Contender contender = Contender.valueOf(args[0]);
            String mode = text("PRODUCER_MODE", "fixed");
            if (!mode.equals("fixed")) {
                throw new IllegalArgumentException("PRODUCER_MODE must be fixed, not " + mode);
            }
            Map.of(
                            "threads", number("WORKER_COUNT", 32),
                            "work-millis", number("JOB_WORK_MS", 1),
                            "payload-bytes", number("JOB_PAYLOAD_BYTES", 256),
                            "close-limit", CLOSE_MILLIS)
                    .forEach((property, value) -> System.setProperty("measured." + property, value.toString()));
            String url = jdbcUrl(URI.create(text("DATABASE_URL", "")));
            HikariDataSource dataSource = TestDatabase.dataSource(url, 1);
            JdbcTemplate jdbc = new JdbcTemplate(dataSource);
            if (contender == Contender.DB_SCHEDULER) {
                // Processes that start together make it once.
                jdbc.execute("select pg_advisory_lock(1)");
                if (jdbc.queryForObject("select to_regclass('" + contender.table + "')::text", String.class) == null) {
                    jdbc.execute(Contender.TABLE_OF_DB_SCHEDULER);
                }
                jdbc.execute("select pg_advisory_unlock(1)");
            }
            Path path = Files.createTempFile("adapter", ".log");
            try (BufferedReader log = Files.newBufferedReader(path)) {
                MeasuredAdapter adapter = new MeasuredAdapter(contender, log, jdbc);
                MeasuredNode node = MeasuredNode.start(
                        contender, url, "adapter-" + number("BENCH_INSTANCE_ID", 0), MeasuredLog.to(path));
                Files.delete(path); // it is open, and gone with the process
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    node.close();
                    Runtime.getRuntime().halt(0);
                }));
                adapter.describe(url.substring(url.lastIndexOf('/') + 1).replaceAll("\\?.*", ""));
                adapter.sample(node);
            }
        }

        private static String jdbcUrl(URI url) {
            String[] user = (url.getUserInfo() == null ? "postgres" : url.getUserInfo()).split(":", 2);
            return "jdbc:postgresql://" + url.getHost() + ":" + (url.getPort() < 0 ? 5_432 : url.getPort())
                    + url.getPath() + "?user=" + user[0] + (user.length == 2 ? "&password=" + user[1] : "");
        }

        private static String text(String variable, String usual) {
            return System.getenv().getOrDefault(variable, usual);
        }

        private static int number(String variable, int usual) {
            return Integer.parseInt(text(variable, "" + usual));
        }

        private void describe(String database) {
            System.out.printf(
                    Locale.ROOT,
                    "{\"kind\":\"descriptor\",\"system\":\"%s\",\"instance_id\":%d,"
                            + "\"event_tables\":[\"public.%s\"],\"extensions\":[],"
                            + "\"version\":\"measured\",\"schema_version\":\"current\",\"db_name\":\"%s\","
                            + "\"started_at\":\"%s\"}%n",
                    contender.title,
                    instance,
                    contender.table,
                    database,
                    Instant.now());
        }

        private void sample(MeasuredNode node) throws IOException {
            long everyMillis = everySeconds * 1_000L;
            long nextMillis = (System.currentTimeMillis() / everyMillis + 1) * everyMillis;
            while (true) {
                node.produce(producerRate());
                LockSupport.parkNanos(
                        Math.min(1_000, Math.max(1, nextMillis - System.currentTimeMillis())) * 1_000_000);
                if (System.currentTimeMillis() >= nextMillis) {
                    print(Instant.ofEpochMilli(nextMillis));
                    nextMillis += everyMillis;
                }
            }
        }

        /** Returns what a file says, if there is one; the harness changes it where the load is to be high. */
        private static double producerRate() {
            String path = text("PRODUCER_RATE_CONTROL_FILE", "");
            double usual = Double.parseDouble(text("PRODUCER_RATE", "800"));
            try {
                return path.isEmpty()
                        ? usual
                        : Double.parseDouble(Files.readString(Path.of(path)).strip());
            } catch (IOException | NumberFormatException ex) {
                return usual;
            }
        }

        private void print(Instant at) throws IOException {
            long insertedBefore = inserted;
            long endedBefore = ended;
            read();
            ended = MeasuredNode.ENDED.sum();
            long[] late = window.stream().mapToLong(run -> run[1]).sorted().toArray();
            for (int percent : new int[] {50, 95, 99}) {
                metric(at, "claim_p" + percent + "_ms", quantile(late, percent / 100.0), WINDOW_SECONDS);
            }
            metric(at, "enqueue_rate", (double) (inserted - insertedBefore) / everySeconds, everySeconds);
            metric(at, "completion_rate", (double) (ended - endedBefore) / everySeconds, everySeconds);
            try {
                metric(at, "queue_depth", depth(), 0);
            } catch (RuntimeException ex) {
                System.err.println("no depth: " + ex);
            }
        }

        private double depth() {
            List<Long> depths = jdbc.queryForList(
                    "select count(*) from " + contender.table + " where execution_time <= now() and "
                            + (contender == Contender.OURS ? "state = 0" : "not picked"),
                    Long.class);
            return depths.get(0);
        }

        private void read() throws IOException {
            for (String line = log.readLine(); line != null; line = log.readLine()) {
                String[] words = line.split(" ", -1);
                if (words[0].equals("inserted")) {
                    inserted += Long.parseLong(words[3]);
                } else if (words[0].equals("run")) {
                    long atMicros = Long.parseLong(words[2]);
                    window.add(new long[] {atMicros, atMicros - MeasuredProducer.atMicros(words[1])});
                }
            }
            long from = MeasuredLog.nowMicros() - WINDOW_SECONDS * 1_000_000L;
            while (!window.isEmpty() && window.peek()[0] < from) {
                long[] ignored = window.remove();
            }
        }

        private static double quantile(long[] sorted, double quantile) {
            return sorted.length == 0 ? 0 : sorted[(int) Math.round(quantile * (sorted.length - 1))] / 1_000.0;
        }

        private void metric(Instant at, String metric, double value, int windowSeconds) {
            System.out.printf(
                    Locale.ROOT,
                    "{\"t\":\"%s\",\"system\":\"%s\",\"instance_id\":%d,\"kind\":\"adapter\","
                            + "\"subject_kind\":\"adapter\",\"subject\":\"\","
                            + "\"metric\":\"%s\",\"value\":%.3f,\"window_s\":%d}%n",
                    at,
                    contender.title,
                    instance,
                    metric,
                    value,
                    windowSeconds);
        }
    }
}
