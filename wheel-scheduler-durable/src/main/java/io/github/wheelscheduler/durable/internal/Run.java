package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;
import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.durable.DurableRun;
import io.github.wheelscheduler.durable.internal.journal.AfterCommit;
import io.github.wheelscheduler.durable.internal.row.OwnRetries;
import io.github.wheelscheduler.durable.internal.trace.Headers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A run on the thread that makes this. */
final class Run implements DurableRun {

    static final ThreadLocal<@Nullable Run> CURRENT = new ThreadLocal<>();

    final Claim claim;

    private final Runs runs;
    private final TaskRow row;
    private final @Nullable Duration timeLimit;
    private final Thread thread = Thread.currentThread();
    private final @Nullable Future<?> alarm;

    /** When its task is to run again, as it has said each time. Reader and writer: its thread. */
    private @Nullable Deque<Instant> nexts;

    // Guarded by this

    private boolean isOver;
    private boolean isLate;

    Run(Runs runs, Claim claim, @Nullable Duration timeLimit) {
        this.runs = runs;
        this.claim = claim;
        this.row = claim.row();
        this.timeLimit = timeLimit;
        this.alarm = timeLimit == null ? null : alarmIn(timeLimit);
    }

    private @Nullable Future<?> alarmIn(Duration limit) {
        try {
            return runs.context.jobs().schedule(this::interruptAsLate, limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ex) {
            // The node closes, and interrupts runs at its own limit.
            return null;
        }
    }

    /** Returns the run that the calling thread is in, if it is one of this task; else null. */
    static @Nullable Run currentOf(String handler, String id) {
        Run current = CURRENT.get();
        RowKey row = current == null ? null : current.row.key();
        return row != null && row.handler().equals(handler) && row.id().equals(id) ? current : null;
    }

    /** Schedules its own task again, for when it has ended well. */
    boolean scheduleNext(EndTable rows, byte[] payload, Instant at, OwnRetries retries, @Nullable Headers headers) {
        Deque<Instant> said = nexts == null ? new ArrayDeque<>() : nexts;
        nexts = said;
        // Where the outcome is unknown, it counts: a row with another task in it is not deleted.
        said.addLast(at);
        AfterCommit.run(() -> {}, why -> {
            boolean ignored = why.equals(AfterCommit.ROLLED_BACK) && said.removeLastOccurrence(at);
        });
        boolean isScheduled = rows.scheduleNext(row.key(), payload, at, retries, headers);
        boolean ignored = !isScheduled && said.removeLastOccurrence(at);
        return isScheduled;
    }

    /** Returns when its task is to run again, as it has said; null if it has not, or that was rolled back. */
    @Nullable
    Instant next() {
        return nexts == null ? null : nexts.peekLast();
    }

    synchronized void interrupt() {
        if (!isOver) {
            thread.interrupt();
        }
    }

    private void interruptAsLate() {
        synchronized (this) {
            if (isOver) {
                return;
            }
            isLate = true;
            thread.interrupt();
        }
        LOGGER.warn("The durable task " + claim.withTrace() + " has run for its time limit of "
                + exactly(Objects.requireNonNull(timeLimit)) + ", and is interrupted");
    }

    /** Ends it: it is not interrupted any more. Returns whether it has been at its time limit. */
    boolean end() {
        if (alarm != null) {
            boolean ignored = alarm.cancel(false);
        }
        synchronized (this) {
            isOver = true;
            return isLate;
        }
    }

    Exception tooLong(Throwable cause) {
        TimeoutException tooLong = new TimeoutException(
                "The run was interrupted at its time limit of " + exactly(Objects.requireNonNull(timeLimit)));
        Throwable ignored = tooLong.initCause(cause);
        return tooLong;
    }

    @Override
    public String id() {
        return row.key().id();
    }

    @Override
    public int attempt() {
        return row.attempt();
    }

    @Override
    public Instant dueAt() {
        return row.dueAt();
    }

    @Override
    public Instant firstDueAt() {
        return row.firstDueAt();
    }

    @Override
    public String node() {
        return runs.context.settings().node();
    }

    @Override
    public synchronized boolean isCancelled() {
        return runs.isInterrupting() || isLate || claim.isAskedToEnd;
    }
}
