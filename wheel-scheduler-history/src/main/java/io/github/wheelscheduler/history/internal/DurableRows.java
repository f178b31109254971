package io.github.wheelscheduler.history.internal;

import static io.github.wheelscheduler.history.internal.HistoryStore.LOGGER;

import io.github.wheelscheduler.internal.LogLimit;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import io.github.wheelscheduler.jdbc.internal.EndNote;
import io.github.wheelscheduler.jdbc.internal.EndRows;
import io.github.wheelscheduler.jdbc.internal.Statements;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Rows of durable runs that are written with their ends. Once the database has refused one, all go by the buffer for a
 * while. Any thread.
 */
final class DurableRows implements EndRows {

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final HistoryStore store;
    private final RunBuffer buffer;
    private final LongSupplier nanoTime;
    private final Function<EndNote, NotedRun> runs;

    /** The database may refuse some rows, and take others. */
    private final LogLimit warnings;

    /** Whether the last refusal has been logged. */
    private volatile boolean isSaid;

    /** Null while rows are written with their ends, and otherwise the time of the last refusal. */
    private volatile @Nullable Long refusedNanos;

    /** @param runs makes a row of a note */
    DurableRows(HistoryStore store, RunBuffer buffer, LongSupplier nanoTime, Function<EndNote, NotedRun> runs) {
        this.store = store;
        this.buffer = buffer;
        this.nanoTime = nanoTime;
        this.warnings = new LogLimit(nanoTime);
        this.runs = runs;
    }

    /** Whether statements on a database may write rows. Tables that have not been found yet are not waited for. */
    boolean areTaken(DataSource dataSource) {
        Long refused = refusedNanos;
        return store.known() != null
                && Statements.target(dataSource) == Statements.target(store.dataSource())
                && (refused == null || nanoTime.getAsLong() - refused > PAUSE_NANOS);
    }

    /** The user of a run by hand is looked up when the buffer is written. */
    @Override
    public @Nullable EndRow row(EndNote end) {
        return end.cause() == EndNote.Cause.BY_HAND && end.started() != null ? null : new Row(runs.apply(end));
    }

    /** A row, which counts against the budget of its task. */
    private final class Row implements EndRow {

        private final NotedRun run;
        private final boolean hasRow;
        private final @Nullable String kind;

        Row(NotedRun run) {
            this.run = run;
            this.hasRow = buffer.reserves(run.task(), run.outcome(), run.atMicros());
            FailureText text = hasRow ? run.textOfFailure() : null;
            this.kind = text == null ? null : text.kind();
        }

        @Override
        public Object @Nullable [] values(Instant now) {
            return hasRow && Duration.between(run.at(), now).compareTo(RunTable.IN_TIME) < 0
                    ? RunTable.values(store.settings(), run, run.at(), kind)
                    : null;
        }

        @Override
        public void committed(boolean isWritten) {
            if (!hasRow) {
                buffer.count(run.totals());
            } else if (isWritten) {
                taken();
                buffer.addWritten(run);
            } else {
                buffer.add(run);
            }
        }
    }

    @Override
    public String target() {
        HistorySql sql = store.known();
        return sql == null ? "" : sql.text("{run} (" + RunTable.COLUMNS + ")");
    }

    @Override
    public List<String> types() {
        return RunTable.TYPES;
    }

    @Override
    public void refused(Throwable why) {
        boolean isFirst = refusedNanos == null;
        refusedNanos = nanoTime.getAsLong();
        buffer.refused();
        if (isFirst && warnings.tryPass() >= 0) {
            isSaid = true;
            ThrownLog.warnInOneLine(
                    LOGGER,
                    "Rows of the history cannot be written with the ends of durable runs; the runs are not affected. "
                            + "Their rows are written separately, and tried again with the ends later",
                    DatabaseErrors.rootOf(why));
        }
    }

    /** Notes that the database has taken a row, perhaps one that was sent before a refusal. */
    private void taken() {
        Long refused = refusedNanos;
        if (refused != null && nanoTime.getAsLong() - refused > PAUSE_NANOS) {
            refusedNanos = null;
            if (isSaid) {
                isSaid = false;
                LOGGER.info("Rows of the history are written with the ends of durable runs again");
            }
        }
    }
}
