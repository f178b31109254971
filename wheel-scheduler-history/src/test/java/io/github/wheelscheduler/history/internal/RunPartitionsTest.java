package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistorySettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Days of the table of runs in PostgreSQL. */
class RunPartitionsTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    private static List<String> partitions(HistoryBench bench) {
        return bench.jdbc.queryForList(
                "select inhrelid::regclass::text from pg_inherits where inhparent = to_regclass(?) order by 1",
                String.class,
                bench.store.settings().table() + "_run");
    }

    private static List<String> homes(HistoryBench bench) {
        return bench.jdbc.queryForList(
                "select tableoid::regclass::text from wheel_history_run order by noted_at", String.class);
    }

    private static void turns(HistoryBench bench, int turns) {
        for (int i = 0; i < turns; i++) {
            bench.writer.turn();
            assertThat(bench.writer.problem()).isNull();
            bench.pass(Duration.ofSeconds(1));
        }
    }

    @Test
    void daysAreMadeAhead() {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.POSTGRESQL).atStart()) {
            assertThat(partitions(bench))
                    .containsExactly(
                            "wheel_history_run_d20300330",
                            "wheel_history_run_d20300331",
                            "wheel_history_run_d20300401",
                            "wheel_history_run_d20300402",
                            "wheel_history_run_rest");
            bench.succeed("report");
            turns(bench, 1);
            bench.pass(DAY);
            bench.succeed("report");
            turns(bench, 1);

            assertThat(homes(bench)).containsExactly("wheel_history_run_d20300330", "wheel_history_run_d20300331");
            assertThat(partitions(bench)).contains("wheel_history_run_d20300403");
            assertThat(bench.rows.page(HistoryQuery.ALL).rows()).hasSize(2);
        }
    }

    @Test
    void dayIsDroppedOnceAllItsRowsAreOld() {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.POSTGRESQL).atStart()) {
            for (int day = 0; day < 20; day++) {
                bench.succeed("report");
                turns(bench, 8);
                bench.pass(DAY);
            }
            bench.pass(DAY.negated());
            turns(bench, 8);

            // The last row is of April 18th; 14 days before it is the 4th, half of which is to be kept.
            assertThat(homes(bench)).hasSize(15).startsWith("wheel_history_run_d20300404");
            assertThat(partitions(bench))
                    .startsWith("wheel_history_run_d20300404")
                    .hasSize(15 + 3 + 1);
        }
    }

    @Test
    void rowOfDayWithoutPartitionIsKeptAndDeleted() {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.POSTGRESQL).atStart()) {
            bench.jdbc.execute("drop table wheel_history_run_d20300331");
            bench.pass(DAY);
            bench.succeed("report");
            turns(bench, 8);
            bench.pass(TEN_MINUTES);
            turns(bench, 8);
            assertThat(homes(bench)).containsExactly("wheel_history_run_rest");

            bench.pass(DAY.multipliedBy(14));
            turns(bench, 8);
            assertThat(homes(bench)).isEmpty();
        }
    }

    @Test
    void longQueryHoldsUpNoRow() throws SQLException {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.POSTGRESQL).atStart()) {
            try (Connection reader = bench.pool.getConnection();
                    Statement statement = reader.createStatement()) {
                reader.setAutoCommit(false);
                boolean ignored = statement.execute("select count(*) from wheel_history_run");
                bench.pass(DAY);
                bench.succeed("report");
                turns(bench, 3);

                assertThat(homes(bench)).containsExactly("wheel_history_run_d20300331");
                assertThat(partitions(bench)).doesNotContain("wheel_history_run_d20300403");
                reader.rollback();
            }
            turns(bench, 1);
            assertThat(partitions(bench)).contains("wheel_history_run_d20300403");
        }
    }

    @Test
    void tablesOfAnotherSchemaHaveDays() {
        HistorySettings usual = HistorySettings.ofNode("a");
        var pool = HistoryDatabase.POSTGRESQL.newDataSource();
        try (HistoryBench bench = new HistoryBench(pool, named(usual, "ops.history"), null)) {
            bench.jdbc.execute("create schema ops");
            assertThat(bench.atStart().store.partitions()).isNotNull();
            assertThat(partitions(bench)).hasSize(5).startsWith("ops.history_run_d20300330");
            bench.succeed("report");
            turns(bench, 1);
            assertThat(bench.rows.page(HistoryQuery.ALL).rows()).hasSize(1);
        }
    }

    @Test
    void missingRightIsLoggedOnceAndKeepsNoRow() {
        List<String> warnings = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord log) {
                if (log.getLevel() == Level.WARNING) {
                    warnings.add(log.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("io.github.wheelscheduler.history");
        logger.addHandler(handler);
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.POSTGRESQL).atStart()) {
            HistoryBench writer = withoutRights(bench);
            writer.pass(DAY.multipliedBy(5));
            writer.succeed("report");
            turns(writer, 8);
            writer.pass(TEN_MINUTES);
            turns(writer, 8);

            assertThat(homes(bench)).containsExactly("wheel_history_run_rest");
            assertThat(warnings)
                    .singleElement()
                    .asString()
                    .startsWith("A day's partition of the history cannot be made or dropped");
        } finally {
            logger.removeHandler(handler);
        }
    }

    /** A node whose user may write rows, and neither make nor change tables. */
    private static HistoryBench withoutRights(HistoryBench owner) {
        // Roles are those of the whole server.
        String user = "r" + UUID.randomUUID().toString().replace("-", "");
        owner.jdbc.execute("create role " + user);
        owner.jdbc.execute("grant select, insert, update, delete on all tables in schema public to " + user);
        owner.jdbc.execute("grant usage on all sequences in schema public to " + user);
        return new HistoryBench(owner.pool, HistorySettings.ofNode("b"), new AsUser(owner.pool, user));
    }

    @Test
    void partitionsOfTheUserAreLeftAlone() {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.POSTGRESQL).atStart()) {
            List<String> names =
                    List.of("archive_run_d20290101", "wheel_history_run_d20299999", "wheel_history_run_d20200101z");
            for (int i = 0; i < names.size(); i++) {
                bench.jdbc.execute("create table " + names.get(i) + " partition of wheel_history_run for values from ('"
                        + (2026 + i) + "-01-01') to ('" + (2027 + i) + "-01-01')");
            }
            bench.pass(DAY);
            turns(bench, 2);
            assertThat(partitions(bench)).containsAll(names).contains("wheel_history_run_d20300403");
            assertThat(new RunPartitions(bench.store.sql(), DAY).keep()).isTrue();
        }
    }

    /** Connections of a user without the right to make tables. */
    private static final class AsUser extends DelegatingDataSource {

        private final String user;

        AsUser(DataSource target, String user) {
            super(target);
            this.user = user;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            try (Statement statement = connection.createStatement()) {
                boolean ignored = statement.execute("set role " + user);
            }
            return connection;
        }
    }

    @Test
    void oldRowsGoThoughTheirDayCannotBeDropped() {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.POSTGRESQL).atStart()) {
            bench.succeed("report");
            turns(bench, 1);
            HistoryBench cleaner = withoutRights(bench);
            cleaner.pass(DAY.multipliedBy(16));
            cleaner.succeed("report");
            turns(cleaner, 8);

            assertThat(partitions(bench)).contains("wheel_history_run_d20300330");
            assertThat(homes(bench)).containsExactly("wheel_history_run_rest");
        }
    }

    @Test
    void rowsAreKeptWhereTheTableHasBeenPartitionedSince() {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.POSTGRESQL).atStart()) {
            bench.succeed("old");
            turns(bench, 1);
            bench.pass(DAY);
            bench.succeed("new");
            turns(bench, 1);
            // Both rows have the first address of their partition.
            HistoryRetention retention = new HistoryRetention(bench.store.settings());
            retention.start();
            bench.pass(DAY.multipliedBy(13).plusHours(1));
            retention.step(bench.store.sql(), null);

            assertThat(homes(bench)).containsExactly("wheel_history_run_d20300331");
        }
    }

    @Test
    void constraintOfTheUserKeepsNoDayFromBeingMade() {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.POSTGRESQL).atStart()) {
            bench.jdbc.execute("alter table wheel_history_run add constraint own check (runs > 0)");
            bench.pass(DAY);
            turns(bench, 2);
            assertThat(partitions(bench)).contains("wheel_history_run_d20300403");
        }
    }

    private static HistorySettings named(HistorySettings usual, String table) {
        return new HistorySettings(
                table,
                true,
                usual.node(),
                usual.successesPerHour(),
                usual.othersPerHour(),
                usual.unlimited(),
                usual.buffer(),
                usual.keepRows(),
                usual.keepFailures(),
                usual.keepHours(),
                usual.keepDays(),
                usual.keepAudit(),
                usual.messageLength(),
                true,
                usual.closeLimit(),
                usual.queryTimeout());
    }
}
