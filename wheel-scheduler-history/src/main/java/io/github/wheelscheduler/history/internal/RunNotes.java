package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.internal.spring.run.EpochNanos;
import io.github.wheelscheduler.internal.spring.task.RunEnds;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.SkipReason;
import io.github.wheelscheduler.spring.task.TaskListener;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Takes notes of the runs of a scheduler's tasks, on the threads that end them. */
public final class RunNotes implements TaskListener {

    private static final long NANOS_PER_MICRO = 1_000;
    private static final int MOST_CAUSES = 20;

    /** The lateness of a run that was due at no time. */
    private static final long NOT_DUE = -1;

    /** Why runs were missed. */
    private static final String DOWN = "down";

    private final String scheduler;
    private final RunBuffer buffer;
    private final Supplier<Instant> clock;

    public RunNotes(String scheduler, RunBuffer buffer, Supplier<Instant> clock) {
        this.scheduler = scheduler;
        this.buffer = buffer;
        this.clock = clock;
    }

    private static HistoryOutcome outcomeOf(RunOutcome.@Nullable Failure failure, @Nullable Throwable thrown) {
        return failure == null
                ? HistoryOutcome.SUCCESS
                : isInterruption(thrown) ? HistoryOutcome.INTERRUPTED : HistoryOutcome.FAILURE;
    }

    @Override
    public TaskListener ofRuns(String id) {
        return new OneTask(id);
    }

    @Override
    public void ran(String id, RunOutcome run, boolean overran, @Nullable Throwable thrown) {
        ofRuns(id).ran(id, run, overran, thrown);
    }

    /** Receives the ends of the runs of one task. A run without a row makes no object. */
    private final class OneTask extends RunBuffer.KnownTask implements RunEnds {

        OneTask(String id) {
            super(buffer, id);
        }

        @Override
        public void ended(
                long startedAt,
                long nanos,
                long latenessNanos,
                boolean triggered,
                RunOutcome.@Nullable Failure failure,
                @Nullable Throwable thrown) {
            HistoryOutcome outcome = outcomeOf(failure, thrown);
            // Also if this run has no row: it is not the next one that has been triggered.
            String by =
                    triggered ? buffer.triggers().take(scheduler, task, null, EpochNanos.toInstant(startedAt)) : null;
            if (buffer.takes(this, outcome, 1, micros(nanos), endMicros(startedAt, nanos))) {
                long lateness = triggered ? NOT_DUE : Math.max(0, latenessNanos);
                HistoryCause cause = triggered ? HistoryCause.BY_HAND : HistoryCause.SCHEDULE;
                add(task, startedAt, nanos, lateness, outcome, cause, by, failure, thrown);
            }
        }
    }

    /** A one-time run without an id has ended. */
    public void ranOnce(
            String name,
            boolean isNamed,
            long startedAt,
            long nanos,
            RunOutcome.@Nullable Failure failure,
            @Nullable Throwable thrown) {
        HistoryOutcome outcome = outcomeOf(failure, thrown);
        long micros = micros(nanos);
        long atMicros = endMicros(startedAt, nanos);
        boolean hasRow = (isNamed || failure != null)
                ? buffer.takes(name, outcome, 1, micros, atMicros)
                : buffer.takesIfUnlimited(name, outcome, micros, atMicros);
        if (hasRow) {
            add(name, startedAt, nanos, NOT_DUE, outcome, HistoryCause.SCHEDULE, null, failure, thrown);
        }
    }

    private static long micros(long nanos) {
        return Math.max(0, nanos / NANOS_PER_MICRO);
    }

    /** Returns the end of a run, in microseconds since the epoch. */
    private static long endMicros(long startedAt, long nanos) {
        return Math.floorDiv(startedAt, NANOS_PER_MICRO) + micros(nanos);
    }

    private void add(
            String id,
            long startedAt,
            long nanos,
            long lateness,
            HistoryOutcome outcome,
            HistoryCause cause,
            @Nullable String by,
            RunOutcome.@Nullable Failure failure,
            @Nullable Throwable thrown) {
        NotedRun run;
        try {
            run = new NotedRun(
                    scheduler,
                    id,
                    null,
                    Instant.EPOCH.plus(endMicros(startedAt, nanos), ChronoUnit.MICROS),
                    lateness == NOT_DUE ? null : EpochNanos.toInstant(startedAt - lateness),
                    EpochNanos.toInstant(startedAt),
                    micros(nanos),
                    outcome,
                    1,
                    1,
                    cause,
                    by,
                    null,
                    failure == null ? null : failure.traceId(),
                    failure == null ? null : failure.type(),
                    failure == null ? "" : failure.message(),
                    buffer.keepsTraces() ? thrown : null,
                    null,
                    false);
        } catch (OutOfMemoryError ex) {
            buffer.dropped(1);
            throw ex;
        }
        buffer.add(run);
    }

    /** Whether one of the causes is the interruption of a thread. An exception of a user's may not tell. */
    static boolean isInterruption(@Nullable Throwable thrown) {
        try {
            Throwable cause = thrown;
            for (int i = 0; i < MOST_CAUSES && cause != null; i++) {
                if (cause instanceof InterruptedException) {
                    return true;
                }
                cause = cause.getCause();
            }
        } catch (Throwable ex) {
            // The JDK throws no such exception.
        }
        return false;
    }

    /** Takes a note of what none of these events says. */
    public static void note(RunBuffer buffer, HistoryRow row, @Nullable Throwable thrown) {
        if (row.runs() < 1 || row.runs() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "runs must be between 1 and " + Integer.MAX_VALUE + ", was " + row.runs());
        }
        HistoryRow.Failure failure = row.failure();
        note(
                buffer,
                new NotedRun(
                        row.scheduler(),
                        row.task(),
                        row.instance(),
                        row.at().truncatedTo(ChronoUnit.MICROS),
                        row.due(),
                        row.started(),
                        NotedRun.micros(row.length()),
                        row.outcome(),
                        row.runs(),
                        row.attempt(),
                        row.cause(),
                        row.by(),
                        row.detail(),
                        row.traceId(),
                        failure == null ? null : failure.type(),
                        failure == null ? "" : failure.message(),
                        failure != null && buffer.keepsTraces() ? thrown : null,
                        null,
                        false));
    }

    /** Takes a note of a run, whose user may have to be looked up. */
    static void note(RunBuffer buffer, NotedRun run) {
        String who = run.by() == null && run.cause() == HistoryCause.BY_HAND && run.started() != null
                ? buffer.triggers().take(run.scheduler(), run.task(), run.instance(), run.started())
                : null;
        NotedRun named = who == null ? run : run.by(who);
        if (buffer.takes(run.task(), run.outcome(), run.runs(), run.micros(), run.atMicros())) {
            buffer.add(named);
        }
    }

    /** Runs were missed before the start of this node, as no node was up. */
    public void missedWhileDown(String id, Instant start, Instant first, long runs) {
        didNotRun(id, HistoryOutcome.MISSED, runs, start, first, DOWN);
    }

    @Override
    public void missed(String id, long runs) {
        Instant now = clock.get();
        didNotRun(id, HistoryOutcome.MISSED, runs, now, now, null);
    }

    @Override
    public void skipped(String id, SkipReason reason) {
        Instant now = clock.get();
        didNotRun(id, HistoryOutcome.SKIPPED, 1, now, now, reason.tag());
    }

    @Override
    public void rejected(String id) {
        didNotRun(id, HistoryOutcome.REJECTED, 1, clock.get(), null, null);
    }

    @Override
    public void cancelled(String id) {
        didNotRun(id, HistoryOutcome.CANCELLED, 1, clock.get(), null, null);
    }

    private void didNotRun(
            String id, HistoryOutcome outcome, long runs, Instant now, @Nullable Instant due, @Nullable String detail) {
        if (!buffer.takes(id, outcome, runs, 0, NotedRun.micros(now))) {
            return;
        }
        NotedRun run;
        try {
            run = new NotedRun(
                    scheduler,
                    id,
                    null,
                    now.truncatedTo(ChronoUnit.MICROS),
                    due,
                    null,
                    NotedRun.NO_RUN,
                    outcome,
                    runs,
                    1,
                    HistoryCause.SCHEDULE,
                    null,
                    detail,
                    null,
                    null,
                    "",
                    null,
                    null,
                    false);
        } catch (OutOfMemoryError ex) {
            buffer.dropped(1);
            throw ex;
        }
        buffer.add(run);
    }
}
