package io.github.wheelscheduler.durable;

import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The main class of a process that the harness of the public benchmark {@code postgresql-job-queue-benchmarking} can start: it schedules and runs tasks as environment variables say, and prints what
 * it sees as lines of JSON. Its argument is {@code OURS} or {@code DB_SCHEDULER}; it speaks of fixed rates only. It needs the class path of the tests of this module:
 *
 * <pre>{@code
 * DATABASE_URL=postgres://bench:bench@localhost:15555/wheel_bench PRODUCER_RATE=800 WORKER_COUNT=32 java -cp ... io.github.wheelscheduler.durable.MeasuredAdapter OURS
 * }</pre>
 */
public final class MeasuredAdapter {

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
        return "jdbc:postgresql://" + url.getHost() + ":" + (url.getPort() < 0 ? 5_432 : url.getPort()) + url.getPath()
                + "?user=" + user[0] + (user.length == 2 ? "&password=" + user[1] : "");
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
                "{\"kind\":\"descriptor\",\"system\":\"%s\",\"instance_id\":%d,\"event_tables\":[\"public.%s\"],\"extensions\":[],"
                        + "\"version\":\"measured\",\"schema_version\":\"current\",\"db_name\":\"%s\",\"started_at\":\"%s\"}%n",
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
            LockSupport.parkNanos(Math.min(1_000, Math.max(1, nextMillis - System.currentTimeMillis())) * 1_000_000);
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
                "{\"t\":\"%s\",\"system\":\"%s\",\"instance_id\":%d,\"kind\":\"adapter\",\"subject_kind\":\"adapter\",\"subject\":\"\","
                        + "\"metric\":\"%s\",\"value\":%.3f,\"window_s\":%d}%n",
                at,
                contender.title,
                instance,
                metric,
                value,
                windowSeconds);
    }
}
