package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.RowEnd.Kind;
import io.github.wheelscheduler.durable.internal.journal.StatementRows;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writes the ends of runs to the database, repeatedly if it does not answer. Any thread.
 *
 * <pre>
 *  a run has ended --> queue --> nobody sends --> this thread sends batch by batch until the queue is empty
 *                           '--> another does --> it goes with the next batch
 *  batch --> rows that nobody has locked: deleted in one statement, or changed in one transaction
 *        '-> rows that are locked --> into the queue again after a pause that doubles: no statement waits for a lock
 *        '-> the database refuses one, and so all --> each alone; one that is refused alone waits for longer each time
 *        '-> the database does not answer --> all back into the queue, sent again after a pause
 * </pre>
 *
 * A single end is written by its own worker at once. A sender that waits for longer than a second delays no other: the
 * next one sends beside it.
 */
final class EndWriter {

    private static final int BATCH = 200;
    private static final long STUCK_NANOS = 1_000_000_000;
    private static final long LOCKED_MILLIS = 10;
    private static final long LONGEST_LOCKED_MILLIS = 1_000;
    private static final long AGAIN_MILLIS = 300;
    private static final long LONGEST_AGAIN_MILLIS = 30_000;
    private static final long LONGEST_STILL_MILLIS = 5_000;
    private static final int MOST_DOUBLINGS = 10;
    private static final int CLOGS = 4;
    private static final long PAUSE_NANOS = 500_000;

    /** More than a row takes that is found by its key. */
    private static final long SLOW_NANOS = 5_000_000;

    private static final long PLANNED_NANOS = 60_000_000_000L;

    private final Context context;
    private final Tables tables;
    private final ClaimedTasks claimedTasks;

    private final Queue<PendingEnd> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicReference<@Nullable Sender> sender = new AtomicReference<>();

    /** Ends that are not written yet: in the queue, under way, or waiting to be sent again. */
    private final AtomicInteger untold = new AtomicInteger();

    /** The number of those whose attempt has failed, by handler. */
    private final Map<String, Integer> refused = new ConcurrentHashMap<>();

    /** The number of consecutive failed attempts to send. */
    private final AtomicInteger failures = new AtomicInteger();

    /** Until when nobody sends after a failure; counts while there was one. */
    private volatile long goOnNanos;

    /**
     * Until when what ends alone is planned each time, too, as one was slow: its plan may be of a time when the table
     * was small.
     */
    private volatile long plannedUntilNanos;

    EndWriter(Context context, Tables tables) {
        this.context = context;
        this.tables = tables;
        this.claimedTasks = context.claimedTasks();
        this.plannedUntilNanos = context.jobs().nanoTime();
    }

    private static long doubled(long millis, int times, long longest) {
        return Math.min(longest, millis << Math.min(times, MOST_DOUBLINGS));
    }

    /** Adds an end, which the next {@link #send} of any thread writes. */
    void add(PendingEnd end) {
        int ignored = untold.incrementAndGet();
        enqueue(end);
    }

    private void enqueue(PendingEnd end) {
        try {
            boolean ignored = queue.add(end);
            int unused = queued.incrementAndGet();
        } catch (OutOfMemoryError ex) {
            giveUp(end, ex);
        }
    }

    /** The row is forgotten, so that it is found and given back. */
    private void giveUp(PendingEnd end, OutOfMemoryError why) {
        forget(end);
        context.unwritten(end.claim(), why);
    }

    /** Returns how many ends the database does not know of. */
    int untold() {
        return untold.get();
    }

    /**
     * Whether the database refuses so many ends of a handler that no more of it should run: the others need the room.
     */
    boolean isClogged(String handler) {
        return refused.getOrDefault(handler, 0) > context.settings().maxClaimed() / CLOGS;
    }

    /**
     * Whether something is being sent, or about to be; false while all that is left waits for the database or for a
     * lock.
     */
    boolean isSending() {
        return sender.get() != null || !(queue.isEmpty() || isPausing());
    }

    private boolean isPausing() {
        return failures.get() > 0 && context.jobs().nanoTime() - goOnNanos < 0;
    }

    /** Whether something is in the queue that nobody sends, and that may be sent. */
    boolean isLeft() {
        Sender current = sender.get();
        return !queue.isEmpty() && !isPausing() && (current == null || current.isStuck());
    }

    /** Sends what is in the queue, unless another thread does. */
    void send() {
        while (isLeft()) {
            Sender current = sender.get();
            Sender own = new Sender();
            if (current != null && !current.isStuck()) {
                return;
            }
            if (sender.compareAndSet(current, own)) {
                try {
                    own.sendAll();
                } finally {
                    boolean ignored = sender.compareAndSet(own, null);
                }
            }
        }
    }

    /** Waits while a sender has more than a batch before it, so that a kill makes no more runs twice. Worker. */
    void awaitTurn() {
        while (queued.get() > BATCH
                && sender.get() != null
                && !isLeft()
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
    }

    /** One thread that sends. */
    private final class Sender {

        private volatile long startNanos = context.jobs().nanoTime();

        boolean isStuck() {
            return context.jobs().nanoTime() - startNanos > STUCK_NANOS;
        }

        void sendAll() {
            while (!queue.isEmpty() && sender.get() == this && !isPausing()) {
                startNanos = context.jobs().nanoTime();
                Batch batch = new Batch();
                if (batch.take()) {
                    batch.send();
                }
            }
        }
    }

    /** Ends that are told together. */
    private final class Batch {

        private final List<PendingEnd> ends = new ArrayList<>();

        /** Those of which the database knows, or never will. */
        private final Set<RowKey> over = new HashSet<>();

        /** The ones that had become another node's. */
        private final Set<RowKey> lost = new HashSet<>();

        /** Whether one of them was refused. */
        private boolean hasRefused;

        boolean take() {
            while (ends.size() < BATCH) {
                PendingEnd end = queue.poll();
                if (end == null) {
                    break;
                }
                int ignored = queued.decrementAndGet();
                if (end.isAlone() && !ends.isEmpty()) {
                    enqueue(end);
                    break;
                }
                add(end);
                if (end.isAlone()) {
                    break;
                }
            }
            return !ends.isEmpty();
        }

        private void add(PendingEnd end) {
            try {
                boolean ignored = ends.add(end);
            } catch (OutOfMemoryError ex) {
                giveUp(end, ex);
            }
        }

        void send() {
            Runs.clearInterrupt();
            Answer answer = Answer.NONE;
            try {
                tellDone();
                tellChanges();
                tellOfLost();
                answer = Answer.TAKEN;
                failures.set(0);
                context.availability().isThere();
            } catch (Throwable ex) {
                // An error, too, as of a schedule of a user's.
                note(ex);
                if (DatabaseErrors.isOfConnection(ex)) {
                    pause();
                } else {
                    answer = Answer.REFUSED;
                }
            } finally {
                boolean isAlone = ends.get(0).isAlone();
                for (int i = 0; i < ends.size(); i++) {
                    settle(ends.get(i), answer);
                }
                // While some are refused, others that are taken do not say that all are.
                if (answer == Answer.TAKEN && !hasRefused && refused.isEmpty() && (!isAlone || untold() == 0)) {
                    context.availability().hasWorked(EndWriter.this);
                }
            }
        }

        private void settle(PendingEnd end, Answer answer) {
            try {
                if (over.contains(end.key())) {
                    forget(end);
                    if (!lost.contains(end.key())) {
                        context.ended(end.claim(), end.end().notice());
                    }
                } else if (answer == Answer.NONE) {
                    enqueue(end.again());
                } else if (answer == Answer.REFUSED) {
                    refuse(end);
                } else if (end.kind() == Kind.ASK) {
                    ask(end);
                } else {
                    sendIn(doubled(LOCKED_MILLIS, end.waits(), LONGEST_LOCKED_MILLIS), end.locked());
                }
            } catch (OutOfMemoryError ex) {
                giveUp(end, ex);
            }
        }

        /** Each of several is sent alone at once; one that was alone waits longer each time, and delays no other. */
        private void refuse(PendingEnd end) {
            hasRefused = true;
            if (ends.size() > 1) {
                enqueue(end.refused(Math.max(1, end.refusals())));
                return;
            }
            PendingEnd again = end.refused(Math.max(2, end.refusals() + 1));
            if (!end.isRefusedAlone()) {
                Integer ignored = refused.merge(end.claim().handlerName(), 1, Integer::sum);
            }
            try {
                sendIn(doubled(AGAIN_MILLIS, again.refusals() - 2, LONGEST_AGAIN_MILLIS), again);
            } catch (OutOfMemoryError ex) {
                // Counted as refused, which the other is not.
                giveUp(again, ex);
            }
        }

        private List<RowKey> keysOf(Kind kind) {
            return ends.stream()
                    .filter(end -> end.kind() == kind)
                    .map(PendingEnd::key)
                    .sorted()
                    .toList();
        }

        private void tellDone() {
            List<RowKey> done = keysOf(Kind.DONE);
            if (done.isEmpty()) {
                return;
            }
            long nowNanos = context.jobs().nanoTime();
            boolean isByKey = done.size() == 1 && nowNanos - plannedUntilNanos >= 0;
            StatementRows rows = context.listeners().notes().rows();
            ends.stream()
                    .filter(end -> end.kind() == Kind.DONE)
                    .forEach(end -> context.note(rows, end.claim(), end.end().notice()));
            over(
                    rows,
                    rows.send(() -> isByKey
                            ? tables.ends().doneEach(done, rows)
                            : tables.ends().doneAll(done, rows)));
            if (isByKey && context.jobs().nanoTime() - nowNanos > SLOW_NANOS) {
                plannedUntilNanos = nowNanos + PLANNED_NANOS;
            }
        }

        private void over(StatementRows rows, Set<RowKey> ended) {
            rows.answered(ended);
            boolean ignored = over.addAll(ended);
        }

        private void tellChanges() {
            List<RowKey> keys = keysOf(Kind.CHANGE);
            if (keys.isEmpty()) {
                return;
            }
            StatementRows rows = context.listeners().notes().rows();
            over(
                    rows,
                    rows.send(() -> tables.sql().inTransaction(() -> {
                        Set<RowKey> ours = tables.ends().lockOurs(keys);
                        tables.ends()
                                .learnWhatIsAsked(ends.stream()
                                        .filter(end -> ours.contains(end.key()) && isWorthAsking(end.end()))
                                        .map(PendingEnd::claim)
                                        .toList());
                        Set<RowKey> changed = new HashSet<>();
                        for (PendingEnd end : ends) {
                            boolean isToChange = end.kind() == Kind.CHANGE && ours.contains(end.key());
                            if (isToChange && end.end().write().getAsBoolean()) {
                                boolean ignored = changed.add(end.key());
                                context.note(rows, end.claim(), end.end().notice());
                            } else if (isToChange) {
                                LOGGER.warn("The end of the durable task "
                                        + end.claim().withTrace()
                                        + " was not written, as a trigger or another program has changed its row: the "
                                        + "task may run again. Let only nodes change claimed rows");
                            }
                        }
                        rows.insert(tables.sql(), changed);
                        return ours;
                    })));
        }

        /** Whether it matters to listeners that a cancel has reached the row. */
        private boolean isWorthAsking(RowEnd end) {
            return end.mayRunAgain()
                    || (end.notice() == null && context.listeners().areThere());
        }

        /** A row that is neither written nor there has become another node's. */
        private void tellOfLost() {
            List<PendingEnd> left = ends.stream()
                    .filter(end -> end.kind() != Kind.ASK && !over.contains(end.key()))
                    .toList();
            if (left.isEmpty()) {
                return;
            }
            Set<RowKey> there =
                    tables.ends().stillOurs(left.stream().map(PendingEnd::key).toList());
            for (PendingEnd end : left) {
                if (!there.contains(end.key()) && !over.contains(end.key())) {
                    lost(end);
                    if (!isToldBefore(end)) {
                        boolean unused = lost.add(end.key());
                    }
                    boolean ignored = over.add(end.key());
                }
            }
        }

        /** Each by itself, as each asks several things. */
        private void ask(PendingEnd end) {
            boolean isAskedAgain = false;
            try {
                if (!end.end().write().getAsBoolean()) {
                    lost(end);
                }
            } catch (Throwable ex) {
                note(ex);
                isAskedAgain = true;
                if (DatabaseErrors.isRefusal(ex)) {
                    refuse(end);
                } else {
                    sendIn(doubled(AGAIN_MILLIS, end.attempt(), LONGEST_AGAIN_MILLIS), end.again());
                }
            } finally {
                if (!isAskedAgain) {
                    forget(end);
                }
            }
        }
    }

    /** Whether an answer was lost to what this node has told: nobody else could have changed the row. */
    private boolean isToldBefore(PendingEnd end) {
        return end.attempt() > 0 && tables.nodes().isAlive(end.claim().owner());
    }

    /** An answer may have been lost: then it is not there any more because of what was said before. */
    private void lost(PendingEnd end) {
        if (end.attempt() == 0) {
            context.tally().lost.incrementAndGet();
            LOGGER.warn("The durable task " + end.claim().withTrace()
                    + " has run here, but was taken over by another node meanwhile: it may run, or have run, twice. "
                    + "Look for long pauses of this process");
        }
    }

    private void sendIn(long pauseMillis, PendingEnd end) {
        try {
            Object ignored = context.jobs()
                    .schedule(
                            () -> {
                                enqueue(end);
                                send();
                            },
                            pauseMillis,
                            TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ex) {
            forget(end);
            LOGGER.warn("The durable task " + end.claim().withTrace()
                    + " has run, but its end was not written before the node closed, as its row was locked or the "
                    + "database slow: it will run again");
        }
    }

    private void forget(PendingEnd end) {
        claimedTasks.forget(end.claim());
        int ignored = untold.decrementAndGet();
        if (end.isRefusedAlone()) {
            Integer unused = refused.computeIfPresent(
                    end.claim().handlerName(), (handler, count) -> count == 1 ? null : count - 1);
        }
    }

    /** The answer of the database. */
    private enum Answer {
        NONE,
        TAKEN,
        REFUSED
    }

    private void note(Throwable ex) {
        if (DatabaseErrors.isOfDatabase(ex)) {
            context.availability().isAway(ex, this);
        } else {
            ThrownLog.warn(
                    LOGGER,
                    "Ends of durable tasks could not be written, because of an error outside of the database; it is "
                            + "retried. Report this stack trace, unless memory was short",
                    ex);
        }
    }

    /** Polling sends, too, so a missing keeper does not matter. */
    private void pause() {
        int before = failures.getAndIncrement();
        // It may have been one connection.
        long millis = before == 0 ? LOCKED_MILLIS : doubled(AGAIN_MILLIS, before - 1, LONGEST_STILL_MILLIS);
        goOnNanos = context.jobs().nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            Object ignored = context.jobs().schedule(this::send, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ex) {
            LOGGER.warn("The ends of " + untold()
                    + " durable tasks could not be written to the database before the node closed: these "
                    + "tasks will run "
                    + "again");
        }
    }
}
