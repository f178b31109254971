package io.github.wheelscheduler.history.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.DurableNode;
import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.autoconfigure.HistoryOnServersTest.Place;
import io.github.wheelscheduler.history.internal.DurableRunNotes;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Drains durable tasks that are due by one node, with a row of the history for each and without, in turns. */
class HistoryDrainMeasured {

    private static final int TASKS = Integer.getInteger("measured.tasks", 200_000);
    private static final int ROUNDS = Integer.getInteger("measured.rounds", 3);
    private static final int BATCH = 5_000;
    private static final int WORKERS = 10;

    /**
     * A drain.
     *
     * @param walBytes of each run
     */
    private record Drained(double perSecond, double walBytes) {}

    @Test
    void rowsSlowADrainLittle() throws Exception {
        List<Drained> without = new ArrayList<>();
        List<Drained> with = new ArrayList<>();
        for (int round = -1; round < ROUNDS; round++) {
            Drained bare = drained(false);
            Drained noted = drained(true);
            // The first round compiles.
            if (round >= 0) {
                without.add(bare);
                with.add(noted);
            }
        }
        System.out.printf(
                Locale.ROOT,
                "> history: drain of %,d tasks, rows a second: %s without, %s with a row for each run; bytes of WAL a "
                        + "run: %.0f and %.0f%n",
                TASKS,
                rates(without),
                rates(with),
                without.get(0).walBytes,
                with.get(0).walBytes);
        List<Double> ratios = IntStream.range(0, ROUNDS)
                .mapToObj(i -> with.get(i).perSecond / without.get(i).perSecond)
                .sorted()
                .toList();
        System.out.printf(
                Locale.ROOT,
                "> history: drain with rows, of that without: %.2f in the median, from %.2f to %.2f%n",
                ratios.get(ROUNDS / 2),
                Collections.min(ratios),
                Collections.max(ratios));
    }

    private static List<String> rates(List<Drained> all) {
        return all.stream()
                .map(each -> String.format(Locale.ROOT, "%.0f", each.perSecond))
                .toList();
    }

    private static HikariDataSource pool() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(Place.POSTGRESQL.newUrl());
        config.setMaximumPoolSize(WORKERS * 2);
        return new HikariDataSource(config);
    }

    private static Drained drained(boolean hasHistory) throws Exception {
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        try (HikariDataSource pool = pool();
                HistoryEngine history = new HistoryEngine(EndRowsTest.settings(Integer.MAX_VALUE), executor, pool);
                DurableEngine engine = new DurableEngine(
                        new DurableSettings(
                                "wheel_durable_task",
                                true,
                                "a",
                                WORKERS,
                                Duration.ofSeconds(1),
                                2_000,
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(20),
                                Duration.ofDays(1),
                                5,
                                null,
                                true,
                                DurableSettings.UnknownHandlers.WARN),
                        executor,
                        pool,
                        JsonMapper.builder().build(),
                        DurableObserver.NONE)) {
            JdbcTemplate jdbc = new JdbcTemplate(pool);
            if (hasHistory) {
                assertThat(history.reader().page(HistoryQuery.ALL).rows()).isEmpty();
                history.start();
                DurableNode.of(engine).note(new DurableRunNotes(history));
            }
            CountDownLatch left = new CountDownLatch(TASKS);
            engine.listen(end -> left.countDown());
            engine.handle("work", String.class, RetryPolicy.DEFAULT, payload -> {});
            Instant due = Instant.now().minusSeconds(1);
            for (int i = 0; i < TASKS; i += BATCH) {
                int first = i;
                int ignored = engine.scheduleAll(
                        "work",
                        IntStream.range(first, Math.min(TASKS, first + BATCH))
                                .mapToObj(number -> new DurableRequest("" + number, "x", due))
                                .toList());
            }
            jdbc.execute("vacuum analyze");
            jdbc.execute("checkpoint");
            String before = wal(jdbc);
            long startNanos = System.nanoTime();
            engine.start();
            assertThat(left.await(10, TimeUnit.MINUTES)).isTrue();
            double seconds = (System.nanoTime() - startNanos) / 1e9;
            Number bytes = Objects.requireNonNull(jdbc.queryForObject(
                    "select pg_wal_lsn_diff(pg_current_wal_lsn(), ?::pg_lsn)", Number.class, before));
            if (hasHistory) {
                assertThat(jdbc.queryForObject("select count(*) from wheel_history_run", Integer.class))
                        .isEqualTo(TASKS);
            }
            return new Drained(TASKS / seconds, bytes.doubleValue() / TASKS);
        } finally {
            executor.shutdownNow();
        }
    }

    private static String wal(JdbcTemplate jdbc) {
        return Objects.requireNonNull(jdbc.queryForObject("select pg_current_wal_lsn()::text", String.class));
    }
}
