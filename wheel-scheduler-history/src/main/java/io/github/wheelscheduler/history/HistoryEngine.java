package io.github.wheelscheduler.history;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.history.internal.BatchWriter;
import io.github.wheelscheduler.history.internal.DownTime;
import io.github.wheelscheduler.history.internal.HistoryParts;
import io.github.wheelscheduler.history.internal.HistoryStore;
import io.github.wheelscheduler.history.internal.RunBuffer;
import io.github.wheelscheduler.history.internal.RunNotes;
import io.github.wheelscheduler.internal.spring.run.OneTimeEnds;
import io.github.wheelscheduler.internal.worker.ThreadOrigin;
import io.github.wheelscheduler.spring.run.OneTimeRunListener;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/**
 * Keeps a history of runs in a database. Listeners put rows into a buffer, which is written within a second, or from
 * 500 rows on, by one worker in a group of its own: no run waits for the database. While there are no rows, it looks
 * once a minute whether hours are to be added up, or old rows deleted. All methods may be called from any thread.
 */
public final class HistoryEngine extends HistoryParts implements AutoCloseable {

    /** The group that writes. */
    public static final String GROUP = "wheel-history";

    /** Maximum time that a row waits before it is sent. */
    private static final Duration TURN = Duration.ofSeconds(1);

    /** Counts, hours and old rows are looked after so often. */
    private static final Duration UPKEEP = Duration.ofMinutes(1);

    private final HistoryStore store;
    private final WheelScheduledExecutor executor;
    private final RunBuffer buffer;
    private final BatchWriter writer;
    private final RunHistoryReader reader;
    private final DownTime downTime;

    /** Whether a batch is about to be written. */
    private final AtomicBoolean isAsked = new AtomicBoolean();

    /** Whether rows are to be written within a second. */
    private final AtomicBoolean isDue = new AtomicBoolean();

    /** Writer: start. */
    private volatile Instant startedAt = Instant.EPOCH;

    // Guarded by this.

    private @Nullable WheelScheduledExecutor group;
    private boolean isClosed;

    /**
     * Makes a history that has not started.
     *
     * @param executor on whose wheel it writes; no group, and not shut down with this
     * @param dataSource where the tables are
     */
    public HistoryEngine(HistorySettings settings, WheelScheduledExecutor executor, DataSource dataSource) {
        this(
                new HistoryStore(dataSource, settings),
                new RunBuffer(settings),
                Objects.requireNonNull(executor, "executor must not be null"));
    }

    private HistoryEngine(HistoryStore store, RunBuffer buffer, WheelScheduledExecutor executor) {
        super(store, buffer, executor::nanoTime);
        this.store = store;
        this.executor = executor;
        this.buffer = buffer;
        this.writer = new BatchWriter(store, buffer, executor::wallClockInstant);
        this.reader = new RunHistoryReader(store);
        this.downTime = new DownTime(store);
    }

    /**
     * Begins to write. A database that does not answer is asked again with each batch.
     *
     * @throws HistoryUnavailableException if the tables are not there, or not as this release needs them
     */
    public synchronized void start() {
        if (group != null || isClosed) {
            return;
        }
        startedAt = executor.wallClockInstant();
        try {
            store.requireTables();
        } catch (DataAccessException ex) {
            // The first batch says so.
            Objects.requireNonNull(ex);
        }
        WheelScheduledExecutor made = executor.newGroup(GROUP)
                .maxWorkers(1)
                .onFull(OnFull.WAIT)
                .standsApart(true)
                .build();
        group = made;
        Future<?> upkeep = made.scheduleWithFixedDelay(
                () -> turn(made, isDue), UPKEEP.toNanos(), UPKEEP.toNanos(), TimeUnit.NANOSECONDS);
        // The executor would wait for it.
        made.setShutdownListener(() -> upkeep.cancel(false));
        buffer.onRows(() -> writeWithinASecond(made), () -> writeSoon(made));
        writeWithinASecond(made);
    }

    /** An exception would end the upkeep. */
    private void turn(WheelScheduledExecutor current, AtomicBoolean isAskedFor) {
        isAskedFor.set(false);
        try {
            writer.turn();
            if (writer.hasMore()) {
                writeWithinASecond(current);
            }
        } catch (OutOfMemoryError ex) {
            // The next row or the upkeep asks for another turn.
        }
    }

    /** Not after the shutdown of the executor, which would wait for it: the rest is for the close. */
    private void writeWithinASecond(WheelScheduledExecutor current) {
        if (!isDue.get() && !executor.isShutdown()) {
            once(isDue, () -> {
                Object ignored = current.schedule(() -> turn(current, isDue), TURN.toNanos(), TimeUnit.NANOSECONDS);
            });
        }
    }

    private void writeSoon(WheelScheduledExecutor current) {
        once(isAsked, () -> current.execute(() -> turn(current, isAsked)));
    }

    /** Asks the executor for something, unless that is asked for. Without memory it fails, and the next call asks. */
    private static void once(AtomicBoolean isAskedFor, Runnable request) {
        if (isAskedFor.compareAndSet(false, true)) {
            boolean isTaken = false;
            try {
                request.run();
                isTaken = true;
            } catch (RejectedExecutionException ex) {
                // It is closing, and writes all.
            } finally {
                if (!isTaken) {
                    isAskedFor.set(false);
                }
            }
        }
    }

    /**
     * Returns what writes the runs of a scheduler, to be {@linkplain
     * io.github.wheelscheduler.spring.task.TaskRegistry#addListener added} to its tasks.
     *
     * @param scheduler its name in the rows
     */
    public TaskListener listener(String scheduler) {
        Objects.requireNonNull(scheduler, "scheduler must not be null");
        return new RunNotes(scheduler, buffer, executor::wallClockInstant);
    }

    /**
     * Returns what notes one-time runs of a scheduler that have no id, to be {@linkplain
     * io.github.wheelscheduler.spring.task.TaskRegistry#addOneTimeRunListener added} to its tasks: a row for each
     * failure, and for each run of a task that says its name. Other runs are counted, by the class of their task.
     *
     * @param scheduler its name in the rows
     */
    public OneTimeRunListener oneTimeListener(String scheduler) {
        Objects.requireNonNull(scheduler, "scheduler must not be null");
        RunNotes notes = new RunNotes(scheduler, buffer, executor::wallClockInstant);
        return (OneTimeEnds) notes::ranOnce;
    }

    /**
     * Writes a row soon that no listener of this history sees, such as that of a durable task. It counts against the
     * budget of its task. Its id and its node are not taken over.
     *
     * @param thrown the exception of the run, for its stack trace; null if it has none
     * @throws IllegalArgumentException if the row stands for no run, or for more than {@link Integer#MAX_VALUE}
     */
    public void note(HistoryRow row, @Nullable Throwable thrown) {
        RunNotes.note(buffer, row, thrown);
    }

    /**
     * Writes which runs of crons were due before the {@linkplain #start start} and after the last row of any node: no
     * node was up. Crons of less than a minute are left out, as each restart would miss some. It reads the database,
     * and is called once for each task, when that has been scheduled.
     *
     * @param zone of crons without a zone
     * @return the number of missed runs of each task, by its id
     * @throws DataAccessException if the database does not answer
     */
    public Map<String, Long> noteMissed(String scheduler, TaskRegistry registry, ZoneId zone) {
        return noteMissed(scheduler, registry, registry.ids(), zone);
    }

    /** The same for some of the tasks. */
    public Map<String, Long> noteMissed(String scheduler, TaskRegistry registry, Collection<String> ids, ZoneId zone) {
        Instant start = startedAt;
        RunNotes notes = new RunNotes(scheduler, buffer, executor::wallClockInstant);
        Map<String, Long> counts = new TreeMap<>();
        downTime.before(start, registry, ids, zone).forEach((task, missed) -> {
            notes.missedWhileDown(task, start, missed.first(), missed.runs());
            Long ignored = counts.put(task, missed.runs());
        });
        return counts;
    }

    /**
     * Writes an entry of the audit soon. If it triggers or retries a task of its scheduler, its user is the cause of
     * that task's next run by hand. The scheduler of durable tasks is {@code durable}.
     */
    public void audit(AuditEntry entry) {
        buffer.add(entry);
    }

    /** Returns its settings. */
    public HistorySettings settings() {
        return store.settings();
    }

    /** Returns what reads the history. */
    public RunHistoryReader reader() {
        return reader;
    }

    /** Returns what has been written and dropped. */
    public HistoryCounts counts() {
        return new HistoryCounts(
                writer.writtenCount() + buffer.withEndsCount(),
                buffer.droppedCount(),
                buffer.overBudgetCount(),
                buffer.size(),
                writer.failedCount() + buffer.refusedCount());
    }

    /** Returns what the last batch failed with; null if all is well. */
    public @Nullable Throwable problem() {
        return writer.problem();
    }

    /** Writes what waits, within the limit, and drops and counts the rest. Call it when the schedulers have ended. */
    @Override
    public void close() {
        WheelScheduledExecutor current;
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            current = group;
        }
        try {
            if (current != null) {
                flush(current);
            }
        } finally {
            if (current != null) {
                current.shutdownNow();
            }
            writer.drop();
        }
    }

    private void flush(WheelScheduledExecutor current) {
        FutureTask<Boolean> last = new FutureTask<>(() -> {
            writer.flush();
            return true;
        });
        try {
            start(last, current);
            Object ignored = last.get(store.settings().closeLimit().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException ex) {
            boolean ignored = last.cancel(true);
        } catch (OutOfMemoryError ex) {
            // No thread starts: the rows that wait are dropped and counted.
        }
    }

    private void start(Runnable last, WheelScheduledExecutor current) {
        try {
            current.execute(last);
        } catch (RejectedExecutionException ex) {
            // The scheduler whose wheel it is has ended, with runs that are to be written yet.
            new ThreadOrigin().newDaemon(last, GROUP).start();
        }
    }
}
