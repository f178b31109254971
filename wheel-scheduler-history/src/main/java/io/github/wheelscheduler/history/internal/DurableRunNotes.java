package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.jdbc.internal.EndNote;
import io.github.wheelscheduler.jdbc.internal.EndRows;
import io.github.wheelscheduler.jdbc.internal.RunJournal;
import io.github.wheelscheduler.spring.run.RunOutcome;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Takes notes of the ends of durable runs, on the threads that write them. */
public final class DurableRunNotes implements RunJournal {

    /** The name of the scheduler in the rows. */
    public static final String SCHEDULER = "durable";

    /** The class in the rows of tasks whose handler gave them up, and threw nothing. */
    private static final String GAVE_UP = "io.github.wheelscheduler.durable.DurableOutcome$GiveUp";

    private final String node;
    private final RunBuffer buffer;
    private final DurableRows rows;

    /** Makes those of a history. */
    public DurableRunNotes(HistoryParts history) {
        this(history.parts, history.waiting, history.nanoTime);
    }

    DurableRunNotes(HistoryStore store, RunBuffer buffer, LongSupplier nanoTime) {
        this.node = store.settings().node();
        this.buffer = buffer;
        this.rows =
                new DurableRows(store, buffer, nanoTime, end -> RunNotes.noted(buffer, row(end), null, thrown(end)));
    }

    @Override
    public void ended(EndNote end) {
        RunNotes.note(buffer, row(end), thrown(end));
    }

    @Override
    public @Nullable EndRows rowsIn(DataSource dataSource) {
        return rows.areTaken(dataSource) ? rows : null;
    }

    private static @Nullable Throwable thrown(EndNote end) {
        return end.started() == null ? null : end.thrown();
    }

    private HistoryRow row(EndNote end) {
        return new HistoryRow(
                0,
                end.at(),
                end.task(),
                end.instance(),
                SCHEDULER,
                node,
                end.due(),
                end.started(),
                end.length(),
                outcome(end),
                end.runs(),
                end.attempt(),
                cause(end.cause()),
                null,
                null,
                end.traceId(),
                failure(end));
    }

    static HistoryOutcome outcome(EndNote end) {
        return switch (end.kind()) {
            case DONE -> HistoryOutcome.SUCCESS;
            case FAILED -> failed(end);
            case GIVEN_UP -> HistoryOutcome.GIVEN_UP;
            case CANCELLED ->
                end.started() == null
                        ? HistoryOutcome.CANCELLED
                        : end.thrown() == null ? HistoryOutcome.SUCCESS : failed(end);
            case PUT_ASIDE -> HistoryOutcome.PUT_ASIDE;
            case MISSED -> HistoryOutcome.MISSED;
            case TAKEN_OVER -> HistoryOutcome.TAKEN_OVER;
        };
    }

    private static HistoryOutcome failed(EndNote end) {
        return RunNotes.isInterruption(end.thrown()) ? HistoryOutcome.INTERRUPTED : HistoryOutcome.FAILURE;
    }

    private static HistoryCause cause(EndNote.Cause cause) {
        return switch (cause) {
            case SCHEDULE -> HistoryCause.SCHEDULE;
            case CAUGHT_UP -> HistoryCause.CAUGHT_UP;
            case RETRY -> HistoryCause.RETRY;
            case BY_HAND -> HistoryCause.BY_HAND;
        };
    }

    private static HistoryRow.@Nullable Failure failure(EndNote end) {
        if (end.thrown() != null) {
            RunOutcome.Failure failure = RunOutcome.Failure.of(end.thrown(), null);
            return new HistoryRow.Failure(failure.type(), failure.message(), null);
        }
        return end.reason() == null ? null : new HistoryRow.Failure(GAVE_UP, end.reason(), null);
    }
}
