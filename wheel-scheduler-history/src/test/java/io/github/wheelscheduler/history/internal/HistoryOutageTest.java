package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.history.FailureKind;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistorySettings;
import io.github.wheelscheduler.history.HistoryUnavailableException;
import io.github.wheelscheduler.history.HourSum;
import io.github.wheelscheduler.history.HourTotal;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The database is away, refuses, or has no tables. */
class HistoryOutageTest {

    /** A pool that fails while a test wants it to. */
    private static final class Fragile extends DelegatingDataSource {

        private @Nullable String state;
        private int failuresLeft = Integer.MAX_VALUE;

        Fragile(HikariDataSource pool) {
            super(pool);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (state != null && failuresLeft-- > 0) {
                throw new SQLException("The database is away", state);
            }
            return super.getConnection();
        }
    }

    @ParameterizedTest
    @EnumSource
    void outageLosesNoRowThatFits(HistoryDatabase database) {
        HikariDataSource pool = database.newDataSource();
        Fragile fragile = new Fragile(pool);
        try (HistoryBench bench = new HistoryBench(pool, HistoryBench.settings("a", 200, 100), fragile).atStart()) {
            fragile.state = "08006";
            for (int i = 0; i < 150; i++) {
                bench.succeed("report");
                bench.pass(Duration.ofSeconds(1));
                bench.writer.turn();
            }
            assertThat(bench.writer.problem()).hasRootCauseMessage("The database is away");
            // One is with the batch that failed.
            assertThat(bench.buffer.droppedCount()).isEqualTo(49);

            fragile.state = null;
            bench.writer.turn();
            assertThat(bench.writer.problem()).isNull();
            assertThat(bench.rows.page(HistoryQuery.ALL.limit(1_000)).rows()).hasSize(101);
            assertThat(bench.writer.writtenCount()).isEqualTo(101);
        }
    }

    private static void succeed(HistoryBench bench, int runs) {
        for (int i = 0; i < runs; i++) {
            bench.succeed("report");
        }
    }

    private static void assertRuns(HistoryBench bench, long runs) {
        assertThat(bench.totals.hours("report", HistoryBench.START.truncatedTo(ChronoUnit.HOURS), bench.now))
                .extracting(HourTotal::runs)
                .containsExactly(runs);
    }

    @Test
    void countsSurviveAnOutage() {
        HikariDataSource pool = HistoryDatabase.H2.newDataSource();
        Fragile fragile = new Fragile(pool);
        try (HistoryBench bench = new HistoryBench(pool, HistoryBench.settings("a", 2, 100), fragile).atStart()) {
            succeed(bench, 9);
            fragile.state = "08006";
            bench.pass(Duration.ofMinutes(1));
            bench.writer.turn();
            fragile.state = null;
            bench.writer.flush();

            assertRuns(bench, 9);
        }
    }

    @Test
    void countsSurviveWhereThereIsNoMemory() {
        HikariDataSource pool = HistoryDatabase.H2.newDataSource();
        MeanwhileDataSource between = new MeanwhileDataSource(pool);
        try (HistoryBench bench = new HistoryBench(pool, HistoryBench.settings("a", 2, 100), between).atStart()) {
            succeed(bench, 9);
            between.before("insert into wheel_history_count", () -> {
                throw new OutOfMemoryError("on purpose");
            });
            bench.pass(Duration.ofMinutes(1));
            bench.writer.turn();
            assertThat(bench.writer.problem()).isInstanceOf(OutOfMemoryError.class);
            bench.pass(Duration.ofMinutes(1));
            bench.writer.turn();

            assertThat(bench.writer.problem()).isNull();
            assertRuns(bench, 9);
        }
    }

    @Test
    void exceptionsAreNotHeldInAnOutage() {
        int runs = 600;
        HikariDataSource pool = HistoryDatabase.H2.newDataSource();
        Fragile fragile = new Fragile(pool);
        try (HistoryBench bench = new HistoryBench(pool, HistoryBench.settings("a", runs, 1_000), fragile).atStart()) {
            fragile.state = "08006";
            for (int i = 1; i < runs; i++) {
                bench.fail("report", new IllegalStateException());
            }
            WeakReference<Throwable> last = failOnce(bench);
            await().until(() -> {
                System.gc();
                return last.refersTo(null);
            });
            fragile.state = null;
            bench.writer.turn();

            assertThat(bench.writer.problem()).isNull();
            assertThat(bench.totals.failures("report", HistoryBench.START, bench.now.plusSeconds(1)))
                    .extracting(
                            FailureKind::rows,
                            kind -> String.valueOf(kind.trace()).contains("HistoryOutageTest.failOnce"))
                    .containsExactlyInAnyOrder(tuple(runs - 1L, false), tuple(1L, true));
        }
    }

    private static WeakReference<Throwable> failOnce(HistoryBench bench) {
        IllegalStateException thrown = new IllegalStateException();
        bench.fail("report", thrown);
        return new WeakReference<>(thrown);
    }

    @Test
    void closeGoesOnAfterAnOutage() {
        HikariDataSource pool = HistoryDatabase.H2.newDataSource();
        Fragile fragile = new Fragile(pool);
        try (HistoryBench bench = new HistoryBench(pool, HistoryBench.settings("a", 2, 100), fragile).atStart()) {
            succeed(bench, 9);
            fragile.state = "08006";
            fragile.failuresLeft = 2;
            bench.writer.flush();

            assertThat(bench.writer.writtenCount()).isEqualTo(2);
            assertThat(bench.writer.failedCount()).isEqualTo(2);
            assertRuns(bench, 9);
        }
    }

    @Test
    void closeWritesTheLargestBuffer() {
        int rows = 26_000;
        try (HistoryBench bench = new HistoryBench(
                        HistoryDatabase.H2.newDataSource(), HistoryBench.settings("a", 1, rows, "report"), null)
                .atStart()) {
            succeed(bench, rows);
            bench.writer.flush();
            assertThat(bench.writer.writtenCount()).isEqualTo(rows);
        }
    }

    @Test
    void closeEndsAtItsLimitInAnOutage() throws InterruptedException {
        HikariDataSource pool = HistoryDatabase.H2.newDataSource();
        Fragile fragile = new Fragile(pool);
        try (HistoryBench bench = new HistoryBench(pool, HistorySettings.ofNode("a"), fragile).atStart()) {
            bench.succeed("report");
            fragile.state = "08006";
            Thread last = new Thread(bench.writer::flush);
            last.start();
            await().until(() -> bench.writer.failedCount() > 1);
            bench.writer.drop();
            last.join();
            assertThat(bench.buffer.droppedCount()).isEqualTo(1);
        }
    }

    @Test
    void databaseThatComesLaterIsWrittenTo() {
        HikariDataSource pool = HistoryDatabase.H2.newDataSource();
        Fragile fragile = new Fragile(pool);
        fragile.state = "08001";
        try (HistoryBench bench = new HistoryBench(pool, HistorySettings.ofNode("a"), fragile)) {
            bench.succeed("report");
            bench.writer.turn();
            assertThat(bench.writer.problem()).isNotNull();
            fragile.state = null;
            bench.writer.turn();

            assertThat(bench.rows.page(HistoryQuery.ALL).rows()).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowThatNoDatabaseTakesIsDroppedAlone(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            bench.succeed("one");
            bench.jdbc.execute("alter table wheel_history_run add constraint no_bad check (task <> 'bad')");
            bench.succeed("bad");
            bench.succeed("two");
            bench.writer.turn();

            assertThat(bench.rows.page(HistoryQuery.ALL).rows())
                    .extracting(row -> row.task())
                    .containsExactlyInAnyOrder("one", "two");
            assertThat(bench.buffer.droppedCount()).isEqualTo(1);
            assertThat(bench.writer.problem()).isNull();
        }
    }

    @Test
    void droppingCountsWhatWaits() {
        HikariDataSource pool = HistoryDatabase.H2.newDataSource();
        Fragile fragile = new Fragile(pool);
        try (HistoryBench bench = new HistoryBench(pool, HistorySettings.ofNode("a"), fragile)) {
            fragile.state = "08006";
            bench.succeed("one");
            bench.writer.turn();
            bench.succeed("two");
            bench.writer.drop();

            bench.succeed("three");

            assertThat(bench.buffer.droppedCount()).isEqualTo(3);
            assertThat(bench.buffer.size()).isZero();
        }
    }

    /** The close has not waited for it. */
    @Test
    void turnThatFailsAfterTheCloseCountsItsRows() throws Exception {
        HikariDataSource pool = HistoryDatabase.H2.newDataSource();
        AtomicBoolean hangs = new AtomicBoolean();
        CountDownLatch isAsked = new CountDownLatch(1);
        CountDownLatch isClosed = new CountDownLatch(1);
        DataSource hanging = new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                if (!hangs.get()) {
                    return super.getConnection();
                }
                isAsked.countDown();
                try {
                    isClosed.await();
                } catch (InterruptedException ex) {
                    Thread.currentThread().interrupt();
                }
                throw new SQLException("The database is away", "08006");
            }
        };
        try (HistoryBench bench = new HistoryBench(pool, HistorySettings.ofNode("a"), hanging)) {
            bench.store.requireTables();
            hangs.set(true);
            bench.succeed("one");
            Thread turn = new Thread(bench.writer::turn);
            turn.start();
            isAsked.await();
            bench.succeed("two");
            bench.writer.drop();
            isClosed.countDown();
            turn.join();

            assertThat(bench.buffer.droppedCount()).isEqualTo(2);
        }
    }

    /** As while another program makes the table anew. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void rowsWaitForATableThatIsMissingForAMoment(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            bench.jdbc.execute("alter table wheel_history_run rename to away");
            bench.succeed("report");
            bench.writer.turn();
            assertThat(bench.writer.problem()).isInstanceOf(BadSqlGrammarException.class);
            bench.jdbc.execute("alter table away rename to wheel_history_run");
            bench.writer.turn();

            assertThat(bench.writer.problem()).isNull();
            assertThat(bench.rows.page(HistoryQuery.ALL).rows()).hasSize(1);
            assertThat(bench.buffer.droppedCount()).isZero();
        }
    }

    @Test
    void manyCancelledTasksDisplaceNoRun() {
        try (HistoryBench bench = new HistoryBench(
                        HistoryDatabase.H2.newDataSource(), HistoryBench.settings("a", 120, 100), null)
                .atStart()) {
            for (int i = 0; i < 1_000; i++) {
                bench.notes.cancelled("task-" + i);
            }
            succeed(bench, 50);
            assertThat(bench.buffer.droppedCount()).isZero();
            bench.writer.flush();
            assertThat(bench.writer.problem()).isNull();
            assertThat(bench.rows
                            .page(HistoryQuery.ALL.ofTask("report").limit(100))
                            .rows())
                    .hasSize(50);
            HistoryQuery cancelled = HistoryQuery.ALL.with(Set.of(HistoryOutcome.CANCELLED));
            assertThat(bench.rows.page(cancelled.limit(1_000)).rows()).hasSize(50);
            long counted = bench.totals.sums(null, HistoryBench.START.minus(Duration.ofHours(1)), bench.now).stream()
                    .mapToLong(HourSum::notRun)
                    .sum();
            assertThat(counted).isEqualTo(1_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void missingTablesAreNamed(HistoryDatabase database) {
        HistorySettings usual = HistorySettings.ofNode("a");
        HistorySettings settings = new HistorySettings(
                usual.table(),
                false,
                "a",
                1,
                1,
                usual.unlimited(),
                usual.buffer(),
                usual.keepRows(),
                usual.keepFailures(),
                usual.keepHours(),
                usual.keepDays(),
                usual.keepAudit(),
                200,
                true,
                usual.closeLimit(),
                usual.queryTimeout());
        try (HistoryBench bench = new HistoryBench(database.newDataSource(), settings, null)) {
            assertThatExceptionOfType(HistoryUnavailableException.class)
                    .isThrownBy(bench.store::requireTables)
                    .withMessageStartingWith(
                            "The tables of the history must be there, but wheel_history_state cannot be read: ")
                    .satisfies(ex -> assertThat(ex.action()).startsWith("Run schema-"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void newerTablesAreRefused(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            int ignored =
                    bench.jdbc.update("update wheel_history_state set number = 9, oldest = 2 where name = 'layout'");
            HistoryStore other = new HistoryStore(bench.pool, HistorySettings.ofNode("b"));
            assertThatExceptionOfType(HistoryUnavailableException.class)
                    .isThrownBy(other::requireTables)
                    .withMessage("The tables of the history must have the layout 1, but wheel_history_state says 9,"
                            + " for nodes of at least 2")
                    .satisfies(ex -> assertThat(ex.action()).contains("newer release"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void tablesMayHaveAnotherName(HistoryDatabase database) {
        HistorySettings usual = HistoryBench.settings("a", 5, 100);
        HistorySettings settings = new HistorySettings(
                "app_past",
                true,
                "a",
                5,
                5,
                usual.unlimited(),
                100,
                usual.keepRows(),
                usual.keepFailures(),
                usual.keepHours(),
                usual.keepDays(),
                usual.keepAudit(),
                200,
                true,
                usual.closeLimit(),
                usual.queryTimeout());
        try (HistoryBench bench = new HistoryBench(database.newDataSource(), settings, null).atStart()) {
            bench.succeed("report");
            bench.writer.turn();

            assertThat(bench.rows.page(HistoryQuery.ALL).rows()).hasSize(1);
            assertThat(bench.jdbc.queryForObject("select count(*) from app_past_runs_by_hour", Integer.class))
                    .isEqualTo(1);
        }
    }
}
