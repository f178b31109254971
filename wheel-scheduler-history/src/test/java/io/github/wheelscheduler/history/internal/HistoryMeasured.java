package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryQuery;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * How long questions to millions of rows take, what a day costs that is dropped, and what a row costs. {@code
 * -Dmeasured.rows} rows of {@code -Dmeasured.tasks} tasks in 14 days. Only the profile {@code history} runs it.
 */
class HistoryMeasured {

    private static final int ROWS = Integer.getInteger("measured.rows", 10_000_000);
    private static final int TASKS = Integer.getInteger("measured.tasks", 1_000);
    private static final int DAYS = 14;
    private static final int WARM_UP_ROUNDS = 5;
    private static final int ROUNDS = 7;
    private static final int ROWS_PER_SECOND = 2_000;
    private static final Duration BATCH = Duration.ofMillis(100);

    private static final double TASK_MILLIS = 20;
    private static final double ALL_MILLIS = 50;
    private static final double DROP_MILLIS = 100;
    private static final double NO_LIMIT = Double.POSITIVE_INFINITY;

    private final List<String> slow = new ArrayList<>();

    private static void print(String line) {
        System.out.println("> history: " + line);
    }

    private static double millis(long startNanos) {
        return (System.nanoTime() - startNanos) / 1e6;
    }

    /** Prints the median time of a question, which is asked in another hour or of another task each time. */
    private void ask(String what, double limitMillis, Supplier<Object> question) {
        List<Double> millis = new ArrayList<>();
        // The first ones load classes, and what the database keeps in memory.
        Object answer = "";
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            answer = question.get();
        }
        for (int i = 0; i < ROUNDS; i++) {
            long startNanos = System.nanoTime();
            answer = question.get();
            millis.add(millis(startNanos));
        }
        Collections.sort(millis);
        double median = millis.get(ROUNDS / 2);
        print(String.format(
                Locale.ROOT,
                "%s: %.1f ms, longest %.1f ms%s (%s)",
                what,
                median,
                millis.get(ROUNDS - 1),
                limitMillis == NO_LIMIT ? "" : String.format(Locale.ROOT, ", allowed %.0f ms", limitMillis),
                answer));
        note(what, median, limitMillis);
    }

    private void note(String what, double millis, double limitMillis) {
        if (millis > limitMillis) {
            boolean ignored = slow.add(what + " took " + millis + " ms, allowed " + limitMillis + " ms");
        }
    }

    /** Inserts rows of the last days: 2 % of them failures, each task's evenly over the time. */
    private static void fill(HistoryBench bench, int rows, int tasks) {
        // The days before have partitions where a node was up.
        for (int day = DAYS; day >= 0; day--) {
            bench.now = HistoryBench.START.minus(Duration.ofDays(day));
            assertThat(Objects.requireNonNull(bench.store.partitions()).keep()).isTrue();
        }
        bench.now = HistoryBench.START;
        long startNanos = System.nanoTime();
        double apart = DAYS * 86_400.0 / rows;
        int ignored = bench.jdbc.update(
                "insert into wheel_history_run (noted_at, due, started, micros, outcome, failure, message, kind, task,"
                        + " scheduler, node)"
                        + " select t, t, t, 1500, case when x % 49 = 0 then 1 else 0 end,"
                        + " case when x % 49 = 0 then 'java.io.IOException' end,"
                        + " case when x % 49 = 0 then 'Disk is full' end, case when x % 49 = 0 then 'ab12' end,"
                        + " 'task-' || x % ?, 'taskScheduler', 'node-' || x % 3 from (select x, cast(? as timestamptz)"
                        + " + x * cast(? as double precision) * interval '1 second' as t"
                        + " from generate_series(1, ?) x) s",
                tasks, HistoryBench.START.minus(Duration.ofDays(DAYS)).atOffset(ZoneOffset.UTC), apart, rows);
        // As the autovacuum does, which notes what is in blocks of time.
        bench.jdbc.execute("vacuum analyze wheel_history_run");
        Long bytes = bench.jdbc.queryForObject(
                "select sum(pg_total_relation_size(inhrelid)) from pg_inherits"
                        + " where inhparent = to_regclass('wheel_history_run')",
                Long.class);
        print(String.format(
                Locale.ROOT,
                "%,d rows of %,d tasks in %d days inserted in %.0f s: %,d MB, %d bytes a row with its indexes",
                rows,
                tasks,
                DAYS,
                millis(startNanos) / 1_000,
                bytes >> 20,
                bytes / rows));
    }

    /** Adds up all hours, as nodes have done it one by one. */
    private static void addUp(HistoryBench bench) {
        int ignored = bench.jdbc.update(
                "update wheel_history_state set number = ? where name = 'folded'",
                HistoryBench.START
                        .minus(Duration.ofDays(DAYS))
                        .truncatedTo(ChronoUnit.HOURS)
                        .getEpochSecond());
        long startNanos = System.nanoTime();
        int hours = 0;
        int done = HistoryFolding.fold(bench.store.sql());
        while (done > 0) {
            hours += done;
            done = HistoryFolding.fold(bench.store.sql());
        }
        bench.jdbc.execute("vacuum analyze wheel_history_hour");
        print(String.format(
                Locale.ROOT, "an hour of all tasks added up: %.0f ms, of %d hours", millis(startNanos) / hours, hours));
    }

    @Test
    void questionsToManyRows() throws InterruptedException {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.POSTGRESQL)) {
            bench.now = HistoryBench.START.minus(Duration.ofDays(DAYS));
            bench.store.requireTables();
            fill(bench, ROWS, TASKS);
            addUp(bench);
            int[] asked = {0};
            Supplier<Instant> hour =
                    () -> HistoryBench.START.truncatedTo(ChronoUnit.HOURS).minus(++asked[0], ChronoUnit.HOURS);
            Supplier<String> task = () -> "task-" + (++asked[0] * 37 % TASKS);
            ask(
                    "page of a task",
                    TASK_MILLIS,
                    () -> bench.rows
                            .page(HistoryQuery.ALL.ofTask(task.get()))
                            .rows()
                            .size());
            ask(
                    "page of a task's failures",
                    NO_LIMIT,
                    () -> bench.rows
                            .page(HistoryQuery.ALL.ofTask(task.get()).with(Set.of(HistoryOutcome.FAILURE)))
                            .rows()
                            .size());
            ask("page of an hour of all tasks", ALL_MILLIS, () -> {
                Instant from = hour.get();
                return bench.rows
                        .page(HistoryQuery.ALL.between(from, from.plus(1, ChronoUnit.HOURS)))
                        .rows()
                        .size();
            });
            ask("text in an hour of all tasks", NO_LIMIT, () -> {
                Instant from = hour.get();
                return bench.rows
                        .page(HistoryQuery.ALL
                                .between(from, from.plus(1, ChronoUnit.HOURS))
                                .containing("disk"))
                        .rows()
                        .size();
            });
            ask(
                    "page of the last 24 hours",
                    ALL_MILLIS,
                    () -> bench.rows
                            .page(HistoryQuery.ALL.between(HistoryBench.START.minus(1, ChronoUnit.DAYS), null))
                            .rows()
                            .size());
            ask(
                    "newest page of all",
                    ALL_MILLIS,
                    () -> bench.rows.page(HistoryQuery.ALL).rows().size());
            ask(
                    "summary of a task",
                    NO_LIMIT,
                    () -> bench.totals.summary(task.get()).failures());
            ask(
                    "hours of 14 days of all tasks, added up",
                    NO_LIMIT,
                    () -> bench.totals
                            .sums(null, HistoryBench.START.minus(Duration.ofDays(DAYS)), HistoryBench.START)
                            .size());
            ask(
                    "kinds of failures of 14 days of all tasks",
                    NO_LIMIT,
                    () -> bench.totals
                            .failures(null, HistoryBench.START.minus(Duration.ofDays(DAYS)), HistoryBench.START)
                            .size());
            dropDays(bench);
            assertThat(slow).isEmpty();
        }
    }

    /** Drops days, the oldest one each time, while another node writes. */
    private void dropDays(HistoryBench bench) throws InterruptedException {
        AtomicBoolean isDone = new AtomicBoolean();
        List<Double> batches = Collections.synchronizedList(new ArrayList<>());
        Thread writer = new Thread(() -> write(bench, isDone, batches));
        writer.start();
        RunPartitions partitions = Objects.requireNonNull(bench.store.partitions());
        // What is too old by now.
        while (!partitions.keep()) {
            LockSupport.parkNanos(BATCH.toNanos());
        }
        List<Double> drops = new ArrayList<>();
        int tries = 0;
        for (int day = 1; day <= ROUNDS; day++) {
            bench.pass(Duration.ofDays(1));
            int before = partitions(bench);
            boolean isDropped = false;
            while (!isDropped) {
                tries++;
                long startNanos = System.nanoTime();
                isDropped = partitions.keep();
                if (isDropped) {
                    boolean ignored = drops.add(millis(startNanos));
                } else {
                    LockSupport.parkNanos(BATCH.toNanos());
                }
            }
            assertThat(partitions(bench)).isEqualTo(before - 1);
        }
        isDone.set(true);
        writer.join();
        Collections.sort(drops);
        double median = drops.get(ROUNDS / 2);
        print(String.format(
                Locale.ROOT,
                "a day dropped, and one made, while %,d rows a second are written: %.1f ms, longest %.1f ms, allowed"
                        + " %.0f ms, in %d tries for %d days; batches of another node at most %.1f ms",
                ROWS_PER_SECOND,
                median,
                drops.get(ROUNDS - 1),
                DROP_MILLIS,
                tries,
                ROUNDS,
                Collections.max(batches)));
        note("a day dropped", median, DROP_MILLIS);
    }

    private static void write(HistoryBench bench, AtomicBoolean isDone, List<Double> batches) {
        HistoryBench other =
                new HistoryBench(bench.pool, HistoryBench.settings("b", Integer.MAX_VALUE, 10 * ROWS_PER_SECOND), null);
        other.now = HistoryBench.START;
        while (!isDone.get() || batches.size() < ROUNDS) {
            long startNanos = System.nanoTime();
            for (int i = 0; i < ROWS_PER_SECOND * BATCH.toMillis() / 1_000; i++) {
                other.succeed("task-" + i);
            }
            other.writer.turn();
            batches.add(millis(startNanos));
            long leftNanos = startNanos + BATCH.toNanos() - System.nanoTime();
            while (leftNanos > 0) {
                LockSupport.parkNanos(leftNanos);
                leftNanos = startNanos + BATCH.toNanos() - System.nanoTime();
            }
        }
    }

    /** Returns how many days there are before the first one of the test's. */
    private static int partitions(HistoryBench bench) {
        Integer found = bench.jdbc.queryForObject(
                "select count(*) from pg_inherits where inhparent = to_regclass('wheel_history_run')"
                        + " and inhrelid::regclass::text < 'wheel_history_run_d20300330'",
                Integer.class);
        return found == null ? 0 : found;
    }

    @Test
    void sizeOfTwoHundredTasks() {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.POSTGRESQL)) {
            bench.now = HistoryBench.START.minus(Duration.ofDays(DAYS));
            bench.store.requireTables();
            // Each runs once a minute: 60 rows an hour, within the budget.
            fill(bench, 200 * 60 * 24 * DAYS, 200);
        }
    }

    /** The part of a run's thread, and the bytes of WAL of a row. */
    @ParameterizedTest
    @EnumSource
    void rowCosts(HistoryDatabase database) {
        int rows = Math.min(ROWS, 200_000);
        int batch = 500;
        try (HistoryBench bench = new HistoryBench(
                database.newDataSource(), HistoryBench.settings("a", Integer.MAX_VALUE, 2 * batch), null)) {
            bench.atStart();
            List<Long> nanos = new ArrayList<>();
            long walBefore = wal(bench, database);
            long startNanos = System.nanoTime();
            for (int i = 0; i < rows / batch; i++) {
                long begun = System.nanoTime();
                for (int j = 0; j < batch; j++) {
                    bench.succeed("task-" + j % 100);
                }
                nanos.add(System.nanoTime() - begun);
                bench.writer.turn();
            }
            double micros = millis(startNanos) * 1_000 / rows;
            long wal = (wal(bench, database) - walBefore) / rows;
            Collections.sort(nanos);
            print(String.format(
                    Locale.ROOT,
                    "%s, a row: %.0f ns on the run's thread, %.1f us in all, %d bytes of WAL",
                    database,
                    nanos.get(nanos.size() / 2) / (double) batch,
                    micros,
                    wal));
        }
    }

    private static long wal(HistoryBench bench, HistoryDatabase database) {
        if (database != HistoryDatabase.POSTGRESQL) {
            return 0;
        }
        Long bytes = bench.jdbc.queryForObject("select pg_current_wal_insert_lsn() - '0/0'", Long.class);
        return bytes == null ? 0 : bytes;
    }
}
