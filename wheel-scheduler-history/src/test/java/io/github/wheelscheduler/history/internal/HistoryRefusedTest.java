package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A database that answers and takes no row: rows wait, and are written once it does. */
class HistoryRefusedTest {

    private static final int BUFFER = 100;

    /** A database that is read-only for some time, as after a switch to a replica. */
    private static final class ReadOnlyForATime extends DelegatingDataSource {

        private final HistoryDatabase database;
        private boolean isReadOnly;

        ReadOnlyForATime(HikariDataSource pool, HistoryDatabase database) {
            super(pool);
            this.database = database;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            try (Statement statement = connection.createStatement()) {
                String mode = isReadOnly ? "read only" : "read write";
                boolean ignored = statement.execute(
                        database == HistoryDatabase.POSTGRESQL
                                ? "set session characteristics as transaction " + mode
                                : "set session transaction " + mode);
            }
            return connection;
        }
    }

    private static void assertRowsWait(HistoryBench bench) {
        for (int i = 0; i < BUFFER + 50; i++) {
            bench.succeed("report");
        }
        bench.writer.turn();
        assertThat(bench.writer.problem()).matches(DatabaseErrors::isRefusal, "is a refusal");
        assertThat(bench.buffer.droppedCount()).isEqualTo(50);
        assertThat(bench.writer.writtenCount()).isZero();
        assertThat(bench.rows.page(HistoryQuery.ALL).rows()).isEmpty();
    }

    private static void assertRowsAreWritten(HistoryBench bench) {
        bench.writer.turn();
        assertThat(bench.writer.problem()).isNull();
        assertThat(bench.rows.page(HistoryQuery.ALL.limit(1_000)).rows())
                .hasSize(BUFFER)
                .extracting(HistoryRow::id)
                .doesNotHaveDuplicates();
        assertThat(bench.buffer.droppedCount()).isEqualTo(50);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void rowsWaitWhileTheDatabaseIsReadOnly(HistoryDatabase database) {
        HikariDataSource pool = database.newDataSource();
        ReadOnlyForATime between = new ReadOnlyForATime(pool, database);
        try (HistoryBench bench = new HistoryBench(pool, HistoryBench.settings("a", 200, BUFFER), between).atStart()) {
            between.isReadOnly = true;
            assertRowsWait(bench);
            between.isReadOnly = false;
            assertRowsAreWritten(bench);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void rowsWaitWhileTheDiskIsFull(HistoryDatabase database) {
        boolean isPostgresql = database == HistoryDatabase.POSTGRESQL;
        HikariDataSource pool = database.newDataSource();
        try (HistoryBench bench = new HistoryBench(pool, HistoryBench.settings("a", 200, BUFFER), null).atStart()) {
            int ignored =
                    bench.jdbc.update("insert into wheel_history_kind (starts_at, task, kind, failure, rows_written,"
                            + " earliest, latest) values (timestamp '2029-01-01 00:00:00', 'report', 'k', 'f', 1,"
                            + " timestamp '2029-01-01 00:00:00', timestamp '2029-01-01 00:00:00')");
            if (isPostgresql) {
                bench.jdbc.execute("create function full_disk() returns trigger language plpgsql as "
                        + "$$begin raise exception 'No space left on device' using errcode = '53100'; end$$");
                bench.jdbc.execute("create trigger full_disk before insert on wheel_history_run for each row "
                        + "execute function full_disk()");
            } else {
                bench.jdbc.execute("create trigger full_disk before insert on wheel_history_run for each row "
                        + "signal sqlstate 'HY000' set mysql_errno = 1114, message_text = 'The table is full'");
            }
            assertRowsWait(bench);
            // Old ones go, which makes room.
            for (int i = 0; i < 20; i++) {
                bench.writer.turn();
            }
            assertThat(bench.jdbc.queryForObject("select count(*) from wheel_history_kind", Long.class))
                    .isZero();
            bench.jdbc.execute(isPostgresql ? "drop trigger full_disk on wheel_history_run" : "drop trigger full_disk");
            assertRowsAreWritten(bench);
        }
    }

    /** A node of the next release may have added to the tables what this one may leave out. */
    @ParameterizedTest
    @EnumSource
    void tablesOfTheNextLayoutAreWrittenTo(HistoryDatabase database) {
        HikariDataSource pool = database.newDataSource();
        try (HistoryBench newer = new HistoryBench(pool, HistoryBench.settings("b", 200, BUFFER), null).atStart()) {
            newer.jdbc.execute("alter table wheel_history_run add column weight int default 0 not null");
            newer.jdbc.execute("update wheel_history_state set number = 2, oldest = 1 where name = 'layout'");
            HistoryBench bench = new HistoryBench(pool, HistoryBench.settings("a", 200, BUFFER), null);
            bench.succeed("report");
            bench.writer.turn();
            assertThat(bench.writer.problem()).isNull();
            newer.succeed("report");
            newer.writer.turn();
            assertThat(bench.rows.page(HistoryQuery.ALL).rows())
                    .extracting(HistoryRow::node)
                    .containsExactlyInAnyOrder("a", "b");
        }
    }
}
