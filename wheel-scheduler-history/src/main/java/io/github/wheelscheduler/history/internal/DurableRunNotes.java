package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.jdbc.internal.EndNote;
import io.github.wheelscheduler.jdbc.internal.EndRows;
import io.github.wheelscheduler.jdbc.internal.RunJournal;
import io.github.wheelscheduler.spring.run.RunOutcome;
import java.time.temporal.ChronoUnit;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Takes notes of the ends of durable runs, on the threads that write them. */
public final class DurableRunNotes implements RunJournal {

    /** The name of the scheduler in the rows. */
    public static final String SCHEDULER = "durable";

    /** The class in the rows of tasks whose handler gave them up, and threw nothing. */
    private static final String GAVE_UP = "io.github.wheelscheduler.durable.DurableOutcome$GiveUp";

    private final RunBuffer buffer;
    private final DurableRows rows;

    /** Makes those of a history. */
    public DurableRunNotes(HistoryParts history) {
        this(history.parts, history.waiting, history.nanoTime);
    }

    DurableRunNotes(HistoryStore store, RunBuffer buffer, LongSupplier nanoTime) {
        this.buffer = buffer;
        this.rows = new DurableRows(store, buffer, nanoTime, this::run);
    }

    @Override
    public void ended(EndNote end) {
        RunNotes.note(buffer, run(end));
    }

    @Override
    public @Nullable EndRows rowsIn(DataSource dataSource) {
        return rows.areTaken(dataSource) ? rows : null;
    }

    private NotedRun run(EndNote end) {
        Throwable thrown = end.thrown();
        RunOutcome.Failure failure = thrown == null
                ? end.reason() == null ? null : new RunOutcome.Failure(GAVE_UP, end.reason(), null)
                : RunOutcome.Failure.of(thrown, null);
        return new NotedRun(
                SCHEDULER,
                end.task(),
                end.instance(),
                end.at().truncatedTo(ChronoUnit.MICROS),
                end.due(),
                end.started(),
                NotedRun.micros(end.length()),
                outcome(end),
                end.runs(),
                end.attempt(),
                cause(end.cause()),
                null,
                null,
                end.traceId(),
                failure == null ? null : failure.type(),
                failure == null ? "" : failure.message(),
                end.started() != null && buffer.keepsTraces() ? thrown : null,
                null,
                false);
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
}
