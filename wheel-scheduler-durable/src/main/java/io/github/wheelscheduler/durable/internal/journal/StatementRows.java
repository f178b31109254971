package io.github.wheelscheduler.durable.internal.journal;

import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import io.github.wheelscheduler.jdbc.internal.EndRows;
import io.github.wheelscheduler.jdbc.internal.EndRows.EndRow;
import io.github.wheelscheduler.jdbc.internal.Statements;
import java.sql.Savepoint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;

/**
 * The rows of a history that a statement or transaction writes with ends. A history that makes it fail keeps no end: it
 * is repeated without rows. For one thread.
 */
public final class StatementRows {

    /** The longest time of a statement with rows, in seconds: the table of the history may be locked. */
    public static final int LONGEST = 1;

    private final Instant now;
    private final Map<Object, NotedEnd> notes = new HashMap<>();

    /** The rows that are in the statement. */
    private final Map<Object, Object[]> sent = new HashMap<>();

    /** Null if each end is noted after its commit. */
    private @Nullable EndRows history;

    private boolean hasFailed;

    /** @param now the time by the database's clock */
    StatementRows(@Nullable EndRows history, Instant now) {
        this.history = history;
        this.now = now;
    }

    /** Returns those of a statement without rows. */
    public static StatementRows none() {
        return new StatementRows(null, Instant.EPOCH);
    }

    /** Whether the history takes rows. */
    public boolean areTaken() {
        return history != null;
    }

    /** Adds the note of an end. */
    public void add(Object key, @Nullable NotedEnd note) {
        if (note != null) {
            NotedEnd ignored = notes.put(key, note);
        }
    }

    /** Returns the note of an end; null if there is none. */
    public @Nullable NotedEnd noteOf(Object key) {
        return notes.get(key);
    }

    /** Returns the values of the row of an end, which is about to be sent; null if it has none. */
    public Object @Nullable [] values(Object key) {
        NotedEnd note = history == null ? null : notes.get(key);
        return note == null || note.row == null ? null : sent.computeIfAbsent(key, unused -> valuesOf(note.row));
    }

    private Object @Nullable [] valuesOf(EndRow row) {
        try {
            return row.values(now);
        } catch (Throwable ex) {
            // It cannot be written here, and the history says so when it writes it.
            return null;
        }
    }

    /** Returns the rows of some ends, whose ids are these, column by column; null if no end has one. */
    public @Nullable RowColumns columns(List<?> keys, List<String> ids) {
        List<@Nullable Object @Nullable []> rows = new ArrayList<>();
        keys.forEach(key -> rows.add(values(key)));
        return rows.stream().allMatch(Objects::isNull) ? null : new RowColumns(types(), rows, ids);
    }

    /** Returns the types of the columns in PostgreSQL. */
    public List<String> types() {
        return history == null ? List.of() : history.types();
    }

    /** Returns the beginning of the statement that inserts rows. */
    public String insertion() {
        return "insert into " + (history == null ? "" : history.target());
    }

    /** Inserts the rows of ends, in the transaction that has written these. */
    public void insert(Statements sql, Collection<?> ended) {
        List<Object[]> all = new ArrayList<>();
        for (Object key : ended) {
            Object[] values = values(key);
            boolean ignored = values != null && all.add(sql.parameters(values));
        }
        if (!all.isEmpty()) {
            String text = insertion() + " values (" + DatabaseKind.placeholders(types().size()) + ")";
            int[] ignored = attempt(() ->
                    sql.committed(jdbc -> sql.within(LONGEST, jdbc, () -> jdbc.batchUpdate(sql.text(text), all))));
        }
    }

    /** Inserts the row of an end; if the history refuses it, the transaction goes on without it. */
    public void insertOrLeave(Statements sql, Object ended) {
        if (values(ended) == null) {
            return;
        }
        Savepoint before = savepoint(sql);
        if (before == null) {
            insert(sql, List.of(ended));
            return;
        }
        try {
            insert(sql, List.of(ended));
            sql.release(before);
        } catch (Throwable ex) {
            if (!isRefused(ex) || DatabaseErrors.isDeadlock(ex)) {
                throw ex;
            }
            sql.rollBackTo(before);
            refuse(ex);
        }
    }

    /** Returns null where the connection has none, as one of JTA. */
    private static @Nullable Savepoint savepoint(Statements sql) {
        try {
            return sql.setSavepoint();
        } catch (DataAccessException ex) {
            return null;
        }
    }

    /** Sends a statement that has rows in it. */
    public <T> T attempt(Supplier<T> statement) {
        try {
            return statement.get();
        } catch (Throwable ex) {
            hasFailed = true;
            throw ex;
        }
    }

    /** Sends ends, with rows if the history takes them; without them if these made it fail. */
    public <T> T send(Supplier<T> work) {
        try {
            return work.get();
        } catch (Throwable ex) {
            EndRows refusing = history;
            if (refusing == null || !isRefused(ex)) {
                failed(ex);
                throw ex;
            }
            withdraw();
            T result = send(work);
            refused(refusing, ex);
            return result;
        }
    }

    /** Whether the rows may be the cause of a failure: the connection was there to say so, or there is no memory. */
    public boolean isRefused(Throwable ex) {
        return hasFailed && (ex instanceof Error || DatabaseErrors.isAnswer(ex));
    }

    /** Lets the history take rows after the commit, for a while. */
    public void refuse(Throwable ex) {
        EndRows refusing = history;
        if (refusing != null) {
            withdraw();
            refused(refusing, ex);
        }
    }

    private void withdraw() {
        history = null;
        hasFailed = false;
        sent.clear();
    }

    private static void refused(EndRows history, Throwable ex) {
        // Others have caused a deadlock.
        if (!DatabaseErrors.isDeadlock(ex)) {
            history.refused(ex);
        }
    }

    /** Notes that some have failed: with a lost answer, the ends that were sent may be there, with their rows. */
    public void failed(Throwable ex) {
        boolean isSent =
                !(ex instanceof CannotGetJdbcConnectionException || ex instanceof CannotCreateTransactionException);
        if (isSent && DatabaseErrors.isOfConnection(ex)) {
            answered(sent.keySet());
        }
    }

    /** Notes which ends have been written: with their rows, as far as these were sent. */
    public void answered(Collection<?> ended) {
        for (Object key : ended) {
            NotedEnd note = notes.get(key);
            if (note != null) {
                note.written(sent.containsKey(key));
            }
        }
    }
}
