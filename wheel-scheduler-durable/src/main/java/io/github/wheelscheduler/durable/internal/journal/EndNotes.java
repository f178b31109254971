package io.github.wheelscheduler.durable.internal.journal;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.internal.Handler;
import io.github.wheelscheduler.internal.LogLimit;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.jdbc.internal.EndNote;
import io.github.wheelscheduler.jdbc.internal.EndRows;
import io.github.wheelscheduler.jdbc.internal.RunJournal;
import java.time.Instant;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Passes ends to a history, if there is one, on the threads that write them. Throws nothing. Any thread. */
public final class EndNotes {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private final Supplier<Instant> now;
    private final LogLimit failures;

    /** Null for none. Writer: who wires the node. */
    private volatile @Nullable RunJournal journal;

    /** Where statements write rows; null if they must not. Written before the journal. */
    private volatile @Nullable DataSource tasks;

    /** @param now the database's clock */
    public EndNotes(Supplier<Instant> now, LongSupplier nanoTime) {
        this.now = now;
        this.failures = new LogLimit(nanoTime);
    }

    /**
     * Lets a history have all ends from now on.
     *
     * @param dataSource where statements may write rows; null if they must not
     */
    public void use(RunJournal history, @Nullable DataSource dataSource) {
        tasks = dataSource;
        journal = Objects.requireNonNull(history, "history must not be null");
    }

    /** Whether there is a history. */
    public boolean areThere() {
        return journal != null;
    }

    /** Returns the rows of a statement that is about to end runs. */
    public StatementRows rows() {
        EndRows rows = endRows();
        try {
            return rows == null ? StatementRows.none() : new StatementRows(rows, now.get());
        } catch (Throwable ex) {
            failed(ex);
            return StatementRows.none();
        }
    }

    private @Nullable EndRows endRows() {
        RunJournal history = journal;
        DataSource dataSource = tasks;
        try {
            return history == null || dataSource == null ? null : history.rowsIn(dataSource);
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    /** Returns the note of an end that is about to be committed; null if there is none. */
    public @Nullable NotedEnd about(Supplier<@Nullable EndNote> end) {
        try {
            EndRows rows = endRows();
            EndNote note = rows == null ? null : end.get();
            return rows == null || note == null ? null : new NotedEnd(note, rows.row(note));
        } catch (Throwable ex) {
            failed(ex);
            return null;
        }
    }

    /**
     * Passes on an end that has been committed.
     *
     * @param noted its note from before the commit; null for none
     * @param end the note otherwise
     */
    public void committed(@Nullable NotedEnd noted, Supplier<@Nullable EndNote> end) {
        RunJournal history = journal;
        if (history == null) {
            return;
        }
        try {
            if (noted != null && noted.row != null) {
                noted.row.committed(noted.isWritten());
                return;
            }
            EndNote note = noted == null ? end.get() : noted.note;
            if (note != null) {
                history.ended(note);
            }
        } catch (Throwable ex) {
            failed(ex);
        }
    }

    /**
     * Returns the note of an end that listeners receive.
     *
     * @param facts the known facts of its run; null for none
     */
    public EndNote of(DurableEnd end, @Nullable RunFacts facts) {
        return note(kindOf(end), end.handler(), end.id(), end.attempt(), 1, facts, end.reason(), end.thrown());
    }

    /**
     * Returns the note of an end that listeners do not receive, as nothing has run.
     *
     * @param runs the number of runs that it stands for
     * @param why the exception or error; null for none
     */
    public EndNote ofUnrun(
            EndNote.Kind kind,
            String handler,
            String id,
            int attempt,
            long runs,
            RunFacts facts,
            @Nullable Throwable why) {
        RunFacts unrun = new RunFacts(facts.due(), null, null, facts.cause(), null);
        return note(kind, handler, id, attempt, runs, unrun, null, why);
    }

    /** An error, too: an end is not to fail for its history. */
    private void failed(Throwable failure) {
        try {
            if (failures.tryPass() >= 0) {
                ThrownLog.warn(
                        LOGGER,
                        "The history could not take the end of a durable run; the task is not affected",
                        failure);
            }
        } catch (Throwable ex) {
            // There is no memory for words.
        }
    }

    private EndNote note(
            EndNote.Kind kind,
            String handler,
            String id,
            int attempt,
            long runs,
            @Nullable RunFacts facts,
            @Nullable String reason,
            @Nullable Throwable thrown) {
        Instant time = now.get();
        boolean isDeclared = handler.equals(Handler.RECURRING);
        return new EndNote(
                kind,
                isDeclared ? id : handler,
                isDeclared ? null : id,
                attempt,
                runs,
                facts == null ? EndNote.Cause.SCHEDULE : facts.cause(),
                facts == null ? time : facts.endedAt(time),
                facts == null ? null : facts.due(),
                facts == null ? null : facts.started(),
                facts == null ? null : facts.length(),
                facts == null ? null : facts.traceId(),
                reason,
                thrown);
    }

    private static EndNote.Kind kindOf(DurableEnd end) {
        return switch (end.kind()) {
            case DONE, AGAIN -> EndNote.Kind.DONE;
            case RETRIED -> EndNote.Kind.FAILED;
            case GIVEN_UP -> EndNote.Kind.GIVEN_UP;
            case CANCELLED -> EndNote.Kind.CANCELLED;
            case TAKEN_OVER -> EndNote.Kind.TAKEN_OVER;
        };
    }
}
