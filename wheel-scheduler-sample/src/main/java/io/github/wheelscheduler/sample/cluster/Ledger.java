package io.github.wheelscheduler.sample.cluster;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;

/** The records that the nodes write into tables of their own, beside the table of durable tasks. */
final class Ledger {

    private final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** A run of a task, as it began. */
    record Run(String task, String node, Instant dueAt, Instant startedAt) {}

    /** A run of the recurring task. */
    record Tick(String node, Instant at) {}

    void create() {
        jdbc.execute("create table ready (node varchar(50) primary key)");
        jdbc.execute("create table run (task varchar(50), node varchar(50),"
                + " due_at timestamp with time zone, started_at timestamp with time zone)");
        jdbc.execute("create table tick (node varchar(50), at timestamp with time zone)");
    }

    void addReady(String node) {
        int ignored = jdbc.update("insert into ready values (?)", node);
    }

    void addRun(Run run) {
        int ignored = jdbc.update(
                "insert into run values (?, ?, ?, ?)", run.task, run.node, utc(run.dueAt), utc(run.startedAt));
    }

    void addTick(Tick tick) {
        int ignored = jdbc.update("insert into tick values (?, ?)", tick.node, utc(tick.at));
    }

    boolean isReady(String node) {
        return count("select count(*) from ready where node = ?", node) > 0;
    }

    /** Returns whether the database still has connections of that node, on which something may be going on. */
    boolean isConnected(String node) {
        return count("select count(*) from pg_stat_activity where application_name = ?", node) > 0;
    }

    long countRuns() {
        return count("select count(*) from run");
    }

    List<Run> runs() {
        return jdbc.query(
                "select task, node, due_at, started_at from run order by started_at",
                (row, number) -> new Run(
                        row.getString("task"),
                        row.getString("node"),
                        instant(row, "due_at"),
                        instant(row, "started_at")));
    }

    List<Tick> ticks() {
        return jdbc.query(
                "select node, at from tick order by at",
                (row, number) -> new Tick(row.getString("node"), instant(row, "at")));
    }

    private long count(String query, Object... arguments) {
        Long count = jdbc.queryForObject(query, Long.class, arguments);
        return count == null ? 0 : count;
    }

    private static OffsetDateTime utc(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
