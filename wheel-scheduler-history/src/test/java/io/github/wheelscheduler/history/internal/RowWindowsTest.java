package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.history.HistoryPage;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.history.HistorySettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Pages of all tasks read a part of the time for which rows are kept. */
class RowWindowsTest {

    private static final int DAYS = 13;

    /** Notes rows of each day, the last ones now, and makes its partition. */
    private static void fill(HistoryBench bench, int rowsPerDay) {
        for (int day = DAYS; day >= 0; day--) {
            bench.now = HistoryBench.START.minus(Duration.ofDays(day));
            assertThat(Objects.requireNonNull(bench.store.partitions()).keep()).isTrue();
            for (int i = 0; i < rowsPerDay; i++) {
                bench.succeed("task-" + i);
            }
            bench.writer.turn();
            assertThat(bench.writer.problem()).isNull();
        }
    }

    /** Returns the partitions with rows that a question has read; the database locks no other ones. */
    private static List<String> read(HistoryBench bench, Runnable question) {
        return new TransactionTemplate(new DataSourceTransactionManager(bench.pool)).execute(status -> {
            question.run();
            return bench.jdbc.queryForList(
                    "select c.relname from pg_locks l join pg_class c on c.oid = l.relation"
                            + " where l.pid = pg_backend_pid() and c.relkind = 'r'"
                            + " and c.relname like 'wheel_history_run_d%'"
                            + " and c.relname <= 'wheel_history_run_d20300330'"
                            + " order by 1",
                    String.class);
        });
    }

    @Test
    void newestPageOfAllReadsOneDay() {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.POSTGRESQL)) {
            bench.now = HistoryBench.START.minus(Duration.ofDays(DAYS));
            bench.store.requireTables();
            fill(bench, 60);

            List<String> newest = read(
                    bench,
                    () -> assertThat(bench.rows.page(HistoryQuery.ALL).rows()).hasSize(50));
            assertThat(newest).containsExactly("wheel_history_run_d20300330");
            HistoryPage first = bench.rows.page(HistoryQuery.ALL);
            List<String> next = read(
                    bench,
                    () -> assertThat(bench.rows
                                    .page(HistoryQuery.ALL.after(first.next()))
                                    .rows())
                            .hasSize(50));
            assertThat(next).containsExactly("wheel_history_run_d20300329", "wheel_history_run_d20300330");
        }
    }

    @ParameterizedTest
    @EnumSource
    void pagesOfAllHaveEveryRowOnce(HistoryDatabase database) {
        Random random = new Random(11);
        try (HistoryBench bench =
                new HistoryBench(database.newDataSource(), HistoryBench.settings("a", 1_000, 10_000), null).atStart()) {
            List<String> tasks = new ArrayList<>();
            for (int i = 0; i < 150; i++) {
                String task = "task-" + i;
                tasks.add(0, task);
                bench.succeed(task);
                // Some at the same time, some with days in between.
                int kind = random.nextInt(10);
                bench.pass(kind < 5 ? Duration.ZERO : Duration.ofMinutes(kind < 9 ? 1 : random.nextInt(600)));
                bench.writer.turn();
            }
            bench.now = bench.now.plus(Duration.ofHours(3));
            HistoryQuery all = HistoryQuery.ALL.limit(7);
            assertThat(walk(bench, all)).containsExactlyElementsOf(tasks);
            assertThat(walk(bench, all.between(HistoryBench.START, null))).containsExactlyElementsOf(tasks);
            HistoryQuery part =
                    all.between(HistoryBench.START.plus(Duration.ofHours(10)), bench.now.minus(Duration.ofHours(20)));
            assertThat(walk(bench, part))
                    .isNotEmpty()
                    .containsExactlyElementsOf(walk(bench, part.limit(1_000)))
                    .containsExactlyElementsOf(walk(bench, part.onNode("a").limit(90)));
        }
    }

    private static List<String> walk(HistoryBench bench, HistoryQuery query) {
        List<String> tasks = new ArrayList<>();
        @Nullable String next = null;
        do {
            HistoryPage page = bench.rows.page(query.after(next));
            page.rows().stream().map(HistoryRow::task).forEach(tasks::add);
            next = page.next();
        } while (next != null);
        return tasks;
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void questionThatTakesLongEnds(HistoryDatabase database) throws SQLException {
        HistorySettings settings = HistoryBench.settings("a", 10, 100, Duration.ofSeconds(1));
        try (HistoryBench bench = new HistoryBench(database.newDataSource(), settings, null).atStart();
                Connection other = bench.pool.getConnection();
                Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            int ignored = lock.executeUpdate(
                    database == HistoryDatabase.POSTGRESQL
                            ? "lock table wheel_history_hour in access exclusive mode"
                            : "lock tables wheel_history_hour write");
            assertThatExceptionOfType(QueryTimeoutException.class)
                    .isThrownBy(() ->
                            bench.totals.sums(null, HistoryBench.START.minus(Duration.ofDays(31)), HistoryBench.START))
                    .withMessage("A question to the history must be answered within 1 s, but was not; ask for a"
                            + " shorter range of time, or for a task");
            other.rollback();
            int unlocked = database == HistoryDatabase.POSTGRESQL ? 0 : lock.executeUpdate("unlock tables");
            assertThat(unlocked).isZero();
        }
    }
}
