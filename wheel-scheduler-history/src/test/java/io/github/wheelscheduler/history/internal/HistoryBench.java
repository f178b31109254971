package io.github.wheelscheduler.history.internal;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.HistorySettings;
import io.github.wheelscheduler.spring.run.RunOutcome;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/** A history at a time that a test moves, also that of the database's statements. */
final class HistoryBench implements AutoCloseable {

    static final Instant START = Instant.parse("2030-03-30T10:30:00Z");

    final HikariDataSource pool;
    final JdbcTemplate jdbc;
    final HistoryStore store;
    final RunBuffer buffer;
    final BatchWriter writer;
    final RunNotes notes;
    final RowReads rows;
    final TotalReads totals;

    Instant now = START;

    /** So far the clock of the node is ahead of the database's. */
    Duration ahead = Duration.ZERO;

    HistoryBench(HistoryDatabase database) {
        this(database.newDataSource(), HistorySettings.ofNode("a"), null);
    }

    /** Makes one that writes over another data source. */
    HistoryBench(HikariDataSource pool, HistorySettings settings, @Nullable DataSource between) {
        this.pool = pool;
        this.jdbc = new JdbcTemplate(pool);
        this.store = new HistoryStore(between == null ? pool : between, settings, kind -> kind.literal(now));
        this.buffer = new RunBuffer(settings);
        this.writer = new BatchWriter(store, buffer, this::nodeNow);
        this.notes = new RunNotes("main", buffer, this::nodeNow);
        this.rows = new RowReads(store);
        this.totals = new TotalReads(store);
    }

    /** Returns settings with budgets. */
    static HistorySettings settings(String node, int rowsPerHour, int buffer, String... unlimited) {
        return settings(node, rowsPerHour, buffer, HistorySettings.ofNode(node).queryTimeout(), unlimited);
    }

    /** Returns the same with a limit of questions. */
    static HistorySettings settings(
            String node, int rowsPerHour, int buffer, Duration queryTimeout, String... unlimited) {
        HistorySettings usual = HistorySettings.ofNode(node);
        return new HistorySettings(
                usual.table(),
                true,
                node,
                rowsPerHour,
                rowsPerHour,
                Set.of(unlimited),
                buffer,
                usual.keepRows(),
                usual.keepFailures(),
                usual.keepHours(),
                usual.keepDays(),
                usual.keepAudit(),
                usual.messageLength(),
                true,
                usual.closeLimit(),
                queryTimeout);
    }

    /** The hour of the tables begins with this test. */
    HistoryBench atStart() {
        store.requireTables();
        int ignored = jdbc.update(
                "update " + store.settings().table() + "_state set number = ? where name = 'folded'",
                START.truncatedTo(ChronoUnit.HOURS).getEpochSecond());
        return this;
    }

    void succeed(String task) {
        run(task, null, false);
    }

    void fail(String task, Throwable thrown) {
        run(task, thrown, false);
    }

    /** A run of 2 ms that has just ended. */
    void run(String task, @Nullable Throwable thrown, boolean triggered) {
        notes.ran(
                task,
                new RunOutcome(
                        nodeNow().minusMillis(2),
                        Duration.ofMillis(2),
                        Duration.ofMillis(1),
                        triggered,
                        thrown == null ? null : RunOutcome.Failure.of(thrown, "trace-1")),
                false,
                thrown);
    }

    /** Notes a steering at the present time. */
    void steer(String scheduler, String task, @Nullable String instance, String action, String who) {
        buffer.add(new AuditEntry(
                now, store.settings().node(), scheduler, task, instance, action, "java", who, null, null, null, null));
    }

    private Instant nodeNow() {
        return now.plus(ahead);
    }

    void pass(Duration time) {
        now = now.plus(time);
    }

    @Override
    public void close() {
        pool.close();
    }
}
