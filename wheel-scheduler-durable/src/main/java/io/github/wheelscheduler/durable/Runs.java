package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.Database.Tables;
import io.github.wheelscheduler.durable.DurableCounts.Tally;
import io.github.wheelscheduler.durable.DurableNode.Context;
import io.github.wheelscheduler.durable.InHand.Claim;
import io.github.wheelscheduler.durable.Payloads.UnreadablePayloadException;
import io.github.wheelscheduler.durable.RecurringTable.RunEnd;
import io.github.wheelscheduler.durable.TaskTable.RowKey;
import io.github.wheelscheduler.durable.TaskTable.TaskRow;
import io.github.wheelscheduler.internal.LogLimit;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Runs what is due, and tells the database how that ended, again and again if it does not answer. Workers. */
final class Runs {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private static final long TELL_AGAIN_MILLIS = 300;
    private static final long LONGEST_PAUSE_MILLIS = 30_000;
    private static final int MOST_DOUBLINGS = 10;
    private static final int LONGEST_FAILURE = 8_000;
    private static final int MOST_TELLING_AGAIN = 2;
    private static final int JITTER = 10;

    /** After how long a row is tried again that no node could read. */
    private static final RetryPolicy UNREADABLE_PAUSES =
            new RetryPolicy(Integer.MAX_VALUE, Duration.ofSeconds(10), Duration.ofHours(1));

    private static final ThreadLocal<@Nullable RowKey> CURRENT = new ThreadLocal<>();

    private final Context context;
    private final Tables tables;
    private final InHand inHand;
    private final Tally tally;
    private final LogLimit unreadable;

    private final Semaphore telling = new Semaphore(MOST_TELLING_AGAIN);

    /** The runs that are going on. */
    private final Set<Run> going = ConcurrentHashMap.newKeySet();

    private volatile boolean isInterrupting;

    Runs(Context context, Tables tables) {
        this.context = context;
        this.tables = tables;
        this.inHand = context.inHand();
        this.tally = context.tally();
        this.unreadable = new LogLimit(keepers()::nanoTime);
    }

    private WheelScheduledExecutor keepers() {
        return context.groups().keepers();
    }

    /** Interrupts what runs, as the node stops: what fails because of that is given back, and nothing more starts until {@link #mayRun}. Any thread. */
    void interruptAll() {
        isInterrupting = true;
        going.forEach(Run::interrupt);
    }

    void mayRun() {
        isInterrupting = false;
    }

    /** Runs a claim that has been started, and tells the database; returns whether the handler has been called. */
    boolean run(Claim claim, Instant now) {
        boolean isTold = false;
        try {
            End end = runAndEnd(claim, now);
            tell(claim, end.end, 0);
            isTold = true;
            return end.hasRun;
        } finally {
            if (!isTold) {
                // Nobody knows how it has ended, so it is given back when somebody finds that out.
                inHand.forget(claim);
            }
        }
    }

    /**
     * What has become of a run.
     *
     * @param end tells the database; false if the row is not this node's any more
     */
    private record End(boolean hasRun, boolean hasSucceeded, BooleanSupplier end) {

        static End withoutRun(BooleanSupplier end) {
            return new End(false, false, end);
        }
    }

    private End runAndEnd(Claim claim, Instant now) {
        Handler<?> handler = context.handlers().find(claim.handlerName());
        if (handler == null) {
            return End.withoutRun(() -> tables.tasks().giveBack(claim.key()));
        }
        if (handler.leavesOut(claim.dueAt(), now) && !tables.recurring().isTriggered(claim.key())) {
            LOGGER.info("The durable task " + claim + " was due at " + claim.dueAt()
                    + ", which is too long ago: it is left out");
            return End.withoutRun(again(claim, handler, null, false));
        }
        tellObserver(() -> context.observer().starting(handler.name(), Duration.between(claim.dueAt(), now)));
        long startNanos = keepers().nanoTime();
        End end = call(claim, handler);
        tellObserver(() -> context.observer()
                .ended(handler.name(), Duration.ofNanos(keepers().nanoTime() - startNanos), end.hasSucceeded));
        return end;
    }

    private End call(Claim claim, Handler<?> handler) {
        RowKey key = claim.key();
        try {
            runNoted(claim, handler);
            tally.succeeded.incrementAndGet();
            return new End(
                    true,
                    true,
                    handler.recurrence() == null ? () -> tables.tasks().done(key) : again(claim, handler, null, true));
        } catch (UnreadablePayloadException ex) {
            tally.unreadable.incrementAndGet();
            report(claim, ex);
            return End.withoutRun(setAside(claim, ex));
        } catch (Throwable ex) {
            if (ex instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            if (isInterrupting) {
                return new End(true, false, () -> tables.tasks().giveBack(key));
            }
            tally.failed.incrementAndGet();
            return new End(true, false, afterFailure(claim, handler, ex));
        }
    }

    /** A task may schedule its own id in its run. */
    private void runNoted(Claim claim, Handler<?> handler) throws Exception {
        Run run = new Run(claim, handler.timeLimit());
        boolean ignored;
        try {
            CURRENT.set(claim.key());
            ignored = going.add(run);
            if (isInterrupting) {
                throw new InterruptedException("The node stops");
            }
            handler.run(Objects.requireNonNull(claim.payload), context.payloads(), run);
        } catch (Throwable ex) {
            if (run.end()) {
                throw run.tooLong(ex);
            }
            throw ex;
        } finally {
            CURRENT.remove();
            ignored = going.remove(run);
            ignored = run.end();
        }
    }

    /** Returns the row whose run the calling thread is in, if it is that of this task; else null. */
    static @Nullable RowKey currentOf(String handler, String id) {
        RowKey current = CURRENT.get();
        return current != null
                        && current.handler().equals(handler)
                        && current.id().equals(id)
                ? current
                : null;
    }

    /** A run on the thread that makes this. */
    private final class Run implements DurableRun {

        private final TaskRow row;
        private final @Nullable Duration timeLimit;
        private final Thread thread = Thread.currentThread();
        private final @Nullable Future<?> alarm;

        // Guarded by this

        private boolean isOver;
        private boolean isLate;

        Run(Claim claim, @Nullable Duration timeLimit) {
            this.row = claim.row();
            this.timeLimit = timeLimit;
            this.alarm = timeLimit == null ? null : alarmIn(timeLimit);
        }

        private @Nullable Future<?> alarmIn(Duration limit) {
            try {
                return keepers().schedule(this::interruptAsLate, limit.toMillis(), TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException ex) {
                // The node closes, and interrupts runs at its own limit.
                return null;
            }
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
            LOGGER.warn(
                    "The durable task " + row + " has run for its time limit of " + timeLimit + ", and is interrupted");
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
            TimeoutException tooLong =
                    new TimeoutException("The run was interrupted at its time limit of " + timeLimit);
            Throwable ignored = tooLong.initCause(cause);
            return tooLong;
        }

        @Override
        public String id() {
            return row.key().id();
        }

        @Override
        public int attempt() {
            return oneMore(row.failures());
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
            return context.settings().node();
        }

        @Override
        public synchronized boolean isCancelled() {
            return isInterrupting || isLate;
        }
    }

    /** Returns what lets other nodes try a row that this one cannot read, newer ones among them, after a pause that doubles each time. */
    private BooleanSupplier setAside(Claim claim, UnreadablePayloadException ex) {
        int times = Math.min(claim.row().unreadable(), MOST_DOUBLINGS) + 1;
        Instant now = context.clock().now();
        Instant until = now.plus(jittered(UNREADABLE_PAUSES.pauseAfter(times)));
        return () -> tables.tasks().setAside(claim.key(), until, times, now, String.valueOf(ex.getMessage()));
    }

    /** Returns what gives a recurring task its next time. */
    private BooleanSupplier again(Claim claim, Handler<?> handler, @Nullable Throwable failure, boolean hasRun) {
        Instant now = context.clock().now();
        Recurrence recurrence = Objects.requireNonNull(handler.recurrence());
        TaskRow row = claim.row();
        boolean succeeded = hasRun && failure == null;
        RunEnd end = new RunEnd(
                now,
                hasRun,
                succeeded ? now : row.lastSuccessAt(),
                succeeded ? 0 : hasRun ? oneMore(row.failures()) : row.failures(),
                failure == null ? row.lastFailureAt() : now,
                failure == null ? null : textOf(failure));
        return () -> tables.recurring().again(claim.key(), recurrence, claim.dueAt(), end);
    }

    /** A count that is as large as it can be stays so. */
    private static int oneMore(int count) {
        return count == Integer.MAX_VALUE ? count : count + 1;
    }

    private BooleanSupplier afterFailure(Claim claim, Handler<?> handler, Throwable ex) {
        int failures = oneMore(claim.row().failures());
        if (handler.recurrence() != null) {
            log("The durable task " + claim + " has failed, and runs again at its next time", ex);
            return again(claim, handler, ex, true);
        }
        Instant now = context.clock().now();
        if (failures > handler.retries().maxRetries()) {
            log("The durable task " + claim + " has failed " + failures + " times, and is given up", ex);
            tally.givenUp.incrementAndGet();
            String text = textOf(ex);
            return () -> tables.tasks().giveUp(claim.key(), failures, now, text);
        }
        Duration pause = jittered(handler.retries().pauseAfter(failures));
        log("The durable task " + claim + " has failed, and is tried again in " + pause, ex);
        Instant next = now.plus(pause);
        return () -> tables.tasks().tryAgain(claim.key(), next, failures, now);
    }

    /** What has failed together is not tried again together: up to a tenth later. */
    private static Duration jittered(Duration pause) {
        return pause.plusNanos(ThreadLocalRandom.current().nextLong(Math.max(1, pause.toNanos() / JITTER)));
    }

    private void report(Claim claim, UnreadablePayloadException ex) {
        if (unreadable.tryPass() >= 0) {
            LOGGER.warn("The durable task " + claim + " cannot be read here, and is left to other nodes: "
                    + ex.getMessage());
        }
    }

    /** What a handler throws may fail itself when it is asked for its text. */
    private static void log(String text, Throwable ex) {
        try {
            LOGGER.error(text, ex);
        } catch (RuntimeException failure) {
            LOGGER.error(text + ": " + ex.getClass().getName());
        }
    }

    /** Tells the database how a run has ended, until it has taken notice. */
    private void tell(Claim claim, BooleanSupplier end, int attempt) {
        if (Thread.interrupted()) {
            // The run's, which has ended.
            LOGGER.debug("Interrupted: " + claim);
        }
        try {
            boolean isTold = end.getAsBoolean();
            // An answer may have been lost: then it is not there any more because of what was said before.
            if (!isTold && attempt == 0) {
                tally.lost.incrementAndGet();
                LOGGER.warn(
                        "The durable task " + claim
                                + " has run here, but was taken over by another node meanwhile: it may run, or have run, twice");
            }
            context.availability().isThere();
            inHand.forget(claim);
        } catch (RuntimeException ex) {
            if (Availability.isOfDatabase(ex)) {
                context.availability().isAway(ex);
            } else {
                LOGGER.warn(
                        "The database could not be told how the durable task " + claim
                                + " has ended; it is tried again",
                        ex);
            }
            tellIn(
                    Math.min(LONGEST_PAUSE_MILLIS, TELL_AGAIN_MILLIS << Math.min(attempt, MOST_DOUBLINGS)),
                    claim,
                    end,
                    attempt + 1);
        }
    }

    private void tellIn(long pauseMillis, Claim claim, BooleanSupplier end, int attempt) {
        try {
            Object ignored =
                    keepers().schedule(() -> tellAgain(claim, end, attempt), pauseMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ex) {
            LOGGER.warn(
                    "The durable task " + claim + " has run, but the database has not been told: it will run again");
            inHand.forget(claim);
        }
    }

    /** Each may wait for a lock of a user's, and looks need a thread as well. */
    private void tellAgain(Claim claim, BooleanSupplier end, int attempt) {
        if (!telling.tryAcquire()) {
            tellIn(TELL_AGAIN_MILLIS, claim, end, attempt);
            return;
        }
        try {
            tell(claim, end, attempt);
        } catch (Throwable ex) {
            inHand.forget(claim);
            throw ex;
        } finally {
            telling.release();
        }
    }

    private void tellObserver(Runnable call) {
        try {
            call.run();
        } catch (Throwable ex) {
            LOGGER.debug("The observer of durable tasks has failed", ex);
        }
    }

    private static String textOf(Throwable ex) {
        try {
            StringWriter text = new StringWriter();
            ex.printStackTrace(new PrintWriter(text));
            // A database may refuse it.
            String clean = text.toString().replace("\0", "");
            return clean.length() > LONGEST_FAILURE ? clean.substring(0, LONGEST_FAILURE) : clean;
        } catch (RuntimeException failure) {
            return ex.getClass().getName();
        }
    }
}
