package io.github.wheelscheduler.history.internal;

import static io.github.wheelscheduler.history.internal.HistoryStore.LOGGER;

import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.HistoryUnavailableException;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.BadSqlGrammarException;

/**
 * Writes the buffer, adds up hours and deletes what is old. A batch that the database does not take is kept and sent
 * again, while the buffer fills up; a row that no database would take is dropped. One turn at a time.
 */
public final class BatchWriter {

    /** Less than a minute, as the upkeep comes once a minute by another clock. */
    private static final Duration TOTALS = Duration.ofSeconds(59);

    private static final Duration RETENTION = Duration.ofMinutes(10);
    private static final int MOST_BATCHES = 50;

    /** Between two attempts of the last turns. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long SECONDS_PER_HOUR = 3_600;

    private final HistoryStore store;
    private final RunBuffer buffer;
    private final Supplier<Instant> clock;
    private final RunTable table;
    private final HistoryRetention retention;
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    /** The failure of the last turn; null if all is well. Writer: the holder of the lock. */
    private volatile @Nullable Throwable problem;

    /** Whether the next turn has something to do even if no row comes. Writer: who has the lock. */
    private volatile boolean hasMore;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.

    private List<NotedRun> rows = List.of();
    private List<AuditEntry> audit = List.of();

    /** Empty between turns, unless there was no memory to give them back. */
    private final List<RunTotals> totals = new ArrayList<>();

    private Instant nextTotals;
    private Instant nextRetention;

    public BatchWriter(HistoryStore store, RunBuffer buffer, Supplier<Instant> clock) {
        this.store = store;
        this.buffer = buffer;
        this.clock = clock;
        this.table = new RunTable(store.settings(), clock);
        this.retention = new HistoryRetention(store.settings());
        this.nextTotals = clock.get().plus(TOTALS);
        this.nextRetention = clock.get();
    }

    /** Writes all rows, if the database takes them; every minute also the counts, and hours that are closed. */
    public void turn() {
        guarded(() -> {
            HistorySql sql = store.sql();
            try {
                writeRows(sql);
            } catch (RuntimeException ex) {
                if (DatabaseErrors.isRefusal(ex)) {
                    // A full disk has room again once old rows are gone.
                    deleteOld(sql);
                }
                throw ex;
            }
            Instant now = clock.get();
            if (isDue(nextTotals, now, TOTALS)) {
                nextTotals = now.plus(TOTALS);
                writeTotals(sql, now);
                int ignored = HistoryFolding.fold(sql);
            }
            deleteOld(sql);
        });
    }

    /** Whether it is time; a clock that has been set back may have made it too far ahead. */
    private static boolean isDue(Instant next, Instant now, Duration interval) {
        return !now.isBefore(next) || next.isAfter(now.plus(interval));
    }

    private void deleteOld(HistorySql sql) {
        Instant now = clock.get();
        if (isDue(nextRetention, now, RETENTION)) {
            nextRetention = now.plus(RETENTION);
            retention.start();
        }
        retention.step(sql, store.partitions());
    }

    /** Writes all rows and counts, as the last turns: until that is done, or interrupted, or the rest is dropped. */
    public void flush() {
        do {
            if (problem != null) {
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
            guarded(() -> {
                HistorySql sql = store.sql();
                writeRows(sql);
                writeTotals(sql, clock.get());
            });
        } while ((problem != null || buffer.size() > 0)
                && !buffer.isClosed()
                && !Thread.currentThread().isInterrupted());
    }

    private void guarded(Runnable work) {
        lock.lock();
        try {
            work.run();
            if (problem != null) {
                problem = null;
                LOGGER.info("The history is written again");
            }
        } catch (Throwable ex) {
            long ignored = failed.incrementAndGet();
            boolean isFirst = problem == null;
            problem = ex;
            if (isFirst) {
                ThrownLog.warnInOneLine(
                        LOGGER,
                        "The history cannot be written to its database; tasks are not affected. Rows wait in "
                                + "memory, and are dropped "
                                + "and counted once its buffer is full",
                        DatabaseErrors.rootOf(ex));
            }
        } finally {
            hasMore = problem != null || !retention.isDone() || buffer.size() > 0;
            lock.unlock();
        }
        if (buffer.isClosed()) {
            // The close has not waited for this turn.
            drop();
        }
    }

    /** Returns whether the next turn is to come within a second even if no row comes. */
    public boolean hasMore() {
        return hasMore;
    }

    private void writeRows(HistorySql sql) {
        for (int i = 0; i < MOST_BATCHES; i++) {
            if (rows.isEmpty()) {
                rows = buffer.takeRows();
            }
            if (audit.isEmpty()) {
                audit = buffer.takeAudit();
            }
            if (rows.isEmpty() && audit.isEmpty()) {
                return;
            }
            writeBatch(sql);
        }
    }

    private void writeBatch(HistorySql sql) {
        rows = buffer.triggers().named(sql, rows);
        write(rows, some -> table.insert(sql, some));
        write(audit, some -> table.insertAudit(sql, some));
    }

    /** Writes a batch and empties it; where the database refuses one of its rows, one after the other. */
    private <T> void write(List<T> batch, Consumer<List<T>> insert) {
        if (batch.isEmpty()) {
            return;
        }
        try {
            insert.accept(batch);
            long ignored = written.addAndGet(batch.size());
            batch.clear();
        } catch (RuntimeException ex) {
            if (isOfDatabase(ex)) {
                throw ex;
            }
            LOGGER.debug("The database refused a batch of the history, so its rows are inserted one by one", ex);
        }
        while (!batch.isEmpty()) {
            writeOne(batch.get(0), insert);
            T ignored = batch.remove(0);
        }
    }

    private <T> void writeOne(T row, Consumer<List<T>> insert) {
        try {
            insert.accept(List.of(row));
            long ignored = written.incrementAndGet();
        } catch (RuntimeException ex) {
            if (isOfDatabase(ex)) {
                throw ex;
            }
            buffer.dropped(1);
            ThrownLog.warnInOneLine(
                    LOGGER,
                    "A row of the history is dropped, as the database refuses it; find the constraint or trigger of "
                            + "yours that does, and remove it",
                    ex);
        }
    }

    /** Whether the database refuses any row, and not one of them: a table may be missing for a moment. */
    private static boolean isOfDatabase(RuntimeException ex) {
        return DatabaseErrors.isOfConnection(ex)
                || DatabaseErrors.isRefusal(ex)
                || DatabaseErrors.isConflict(ex)
                || ex instanceof HistoryUnavailableException
                || ex instanceof BadSqlGrammarException;
    }

    private void writeTotals(HistorySql sql, Instant now) {
        try {
            buffer.takeTotals(Math.floorDiv(now.getEpochSecond(), SECONDS_PER_HOUR), totals);
            if (!totals.isEmpty()) {
                table.insertTotals(sql, totals);
                totals.clear();
            }
        } catch (Throwable ex) {
            buffer.giveBack(totals);
            throw ex;
        }
    }

    /** Counts what has not been written, and will not be. A turn that hangs in the database is not waited for. */
    public void drop() {
        int sent = 0;
        if (lock.tryLock()) {
            try {
                sent = rows.size() + audit.size();
                rows = List.of();
                audit = List.of();
            } finally {
                lock.unlock();
            }
        }
        buffer.dropped(sent + buffer.clear());
    }

    /** Returns what the last turn failed with; null if all is well. */
    public @Nullable Throwable problem() {
        return problem;
    }

    public long writtenCount() {
        return written.get();
    }

    public long failedCount() {
        return failed.get();
    }
}
