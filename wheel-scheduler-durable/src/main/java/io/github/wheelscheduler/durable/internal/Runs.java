package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableRun;
import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.DurableNode.Context;
import io.github.wheelscheduler.durable.internal.DurableNode.Tally;
import io.github.wheelscheduler.durable.internal.Ends.End;
import io.github.wheelscheduler.durable.internal.Ends.Kind;
import io.github.wheelscheduler.durable.internal.InHand.Claim;
import io.github.wheelscheduler.durable.internal.Payloads.UnreadablePayloadException;
import io.github.wheelscheduler.durable.internal.RecurringTable.RunEnd;
import io.github.wheelscheduler.durable.internal.TaskTable.RowKey;
import io.github.wheelscheduler.durable.internal.TaskTable.TaskRow;
import io.github.wheelscheduler.internal.LogLimit;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** Runs what is due, and says what the database is to be told of that. Workers. */
final class Runs {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private static final int MOST_DOUBLINGS = 10;
    private static final int RETRY_DOUBLINGS = 40;
    private static final int LONGEST_FAILURE = 8_000;
    private static final int JITTER = 10;

    /** After how long a row is tried again that no node could read. */
    private static final RetryPolicy UNREADABLE_PAUSES =
            new RetryPolicy(Integer.MAX_VALUE, Duration.ofSeconds(10), Duration.ofHours(1));

    private static final ThreadLocal<@Nullable Run> CURRENT = new ThreadLocal<>();

    private final Context context;
    private final Tables tables;
    private final Tally tally;
    private final LogLimit unreadable;

    /** The runs that are going on. */
    private final Set<Run> going = ConcurrentHashMap.newKeySet();

    private volatile boolean isInterrupting;

    Runs(Context context, Tables tables) {
        this.context = context;
        this.tables = tables;
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

    /** Interrupts the run of a claim that is to be ended, if it has begun; else it is when it does. Any thread. */
    void interrupt(Claim claim) {
        claim.isAskedToEnd = true;
        going.stream().filter(run -> run.claim == claim).forEach(Run::interrupt);
    }

    void mayRun() {
        isInterrupting = false;
    }

    /**
     * What has become of a claim.
     *
     * @param hasRun whether its handler has been called
     * @param hasSucceeded whether that came to a good end
     * @param end what the database is to be told; null if it has been
     * @param isKnown false if the end finds out whether the run has come to a good one, and says so
     */
    record Outcome(
            boolean hasRun, boolean hasSucceeded, @Nullable End end, boolean isKnown) {}

    /** Runs a claim that has been started. */
    Outcome run(Claim claim, Instant now) {
        Handler<?> handler = context.handlers().find(claim.handlerName());
        if (handler == null) {
            return withoutRun(claim, () -> tables.tasks().giveBack(claim.key()));
        }
        if (handler.leavesOut(claim.dueAt(), now) && !tables.recurring().isTriggered(claim.key())) {
            LOGGER.info("The durable task " + claim + " was due at " + claim.dueAt()
                    + ", which is too long ago: it is left out");
            return withoutRun(claim, again(claim, handler, null, false));
        }
        tellObserver(() -> context.observer().starting(handler.name(), Duration.between(claim.dueAt(), now)));
        long startNanos = keepers().nanoTime();
        Outcome outcome = call(claim, handler, startNanos);
        if (outcome.isKnown) {
            tellEnded(handler, startNanos, outcome.hasSucceeded);
        }
        return outcome;
    }

    private void tellEnded(Handler<?> handler, long startNanos, boolean hasSucceeded) {
        Duration length = Duration.ofNanos(keepers().nanoTime() - startNanos);
        tellObserver(() -> context.observer().ended(handler.name(), length, hasSucceeded));
    }

    private static Outcome withoutRun(Claim claim, BooleanSupplier tell) {
        return new Outcome(false, false, End.of(claim, Kind.CHANGE, tell), true);
    }

    private static Outcome failed(Claim claim, BooleanSupplier tell) {
        return new Outcome(true, false, End.of(claim, Kind.CHANGE, tell), true);
    }

    private Outcome call(Claim claim, Handler<?> handler, long startNanos) {
        RowKey key = claim.key();
        PlatformTransactionManager manager = handler.transactions();
        RunTransaction transaction = manager == null ? null : new RunTransaction(manager, claim, handler, startNanos);
        try {
            Instant next = runNoted(claim, handler, transaction);
            if (transaction != null) {
                return transaction.end(next);
            }
            tally.succeeded.incrementAndGet();
            boolean isOnce = handler.recurrence() == null;
            BooleanSupplier tell =
                    isOnce ? () -> announced(claim, next, tables.tasks().done(key)) : again(claim, handler, null, true);
            return new Outcome(true, true, End.of(claim, isOnce && next == null ? Kind.DONE : Kind.CHANGE, tell), true);
        } catch (UnreadablePayloadException ex) {
            rollBack(transaction);
            tally.unreadable.incrementAndGet();
            report(claim, ex);
            return withoutRun(claim, setAside(claim, ex));
        } catch (Throwable ex) {
            rollBack(transaction);
            if (ex instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            if (claim.isAskedToEnd) {
                return new Outcome(true, false, ended(claim), true);
            }
            if (isInterrupting) {
                return failed(
                        claim,
                        () -> announced(claim, claim.dueAt(), tables.tasks().giveBack(key)));
            }
            if (transaction != null && transaction.isRefused(ex)) {
                // Nothing of it has run: that is no failure of its.
                context.availability().isAway(ex);
                return withoutRun(claim, () -> tables.tasks().giveBack(key));
            }
            tally.failed.incrementAndGet();
            return failed(claim, afterFailure(claim, handler, ex));
        }
    }

    /** If a row has been changed that is due again, says so; returns whether it has been. */
    private boolean announced(Claim claim, @Nullable Instant dueAt, boolean isChanged) {
        if (isChanged && dueAt != null) {
            context.announcer().due(claim.handlerName(), List.of(dueAt));
        }
        return isChanged;
    }

    private End ended(Claim claim) {
        LOGGER.info("The durable task " + claim + " was cancelled while it ran, and has ended");
        Instant now = context.clock().now();
        return End.of(claim, Kind.CHANGE, () -> tables.tasks().end(claim.key(), now, "Cancelled while it ran"));
    }

    /** The interrupt was that of the run, which has ended. */
    private static void clearInterrupt() {
        if (Thread.interrupted()) {
            LOGGER.debug("Interrupted");
        }
    }

    private static void rollBack(@Nullable RunTransaction transaction) {
        if (transaction != null) {
            transaction.rollBack();
        }
    }

    /** A task may schedule its own id in its run; returns for when it has, or null if it has not. */
    private @Nullable Instant runNoted(Claim claim, Handler<?> handler, @Nullable RunTransaction transaction)
            throws Exception {
        Run run = new Run(claim, handler.timeLimit());
        boolean ignored;
        try {
            CURRENT.set(run);
            ignored = going.add(run);
            if (isInterrupting || claim.isAskedToEnd) {
                throw new InterruptedException("The node stops, or the task has been cancelled");
            }
            if (transaction != null) {
                transaction.begin();
            }
            handler.run(Objects.requireNonNull(claim.payload), context.payloads(), run);
            if (transaction != null) {
                transaction.requireNoRollback();
            }
            return run.next;
        } catch (Throwable ex) {
            if (run.end() && (transaction == null || !transaction.isRefused(ex))) {
                throw run.tooLong(ex);
            }
            throw ex;
        } finally {
            CURRENT.remove();
            ignored = going.remove(run);
            ignored = run.end();
        }
    }

    /** Returns the run that the calling thread is in, if it is one of this task; else null. */
    static @Nullable Run currentOf(String handler, String id) {
        Run current = CURRENT.get();
        RowKey row = current == null ? null : current.row.key();
        return row != null && row.handler().equals(handler) && row.id().equals(id) ? current : null;
    }

    /** A run on the thread that makes this. */
    final class Run implements DurableRun {

        private final Claim claim;
        private final TaskRow row;
        private final @Nullable Duration timeLimit;
        private final Thread thread = Thread.currentThread();
        private final @Nullable Future<?> alarm;

        /** When its task is to run again, as it has said. Reader and writer: its thread. */
        private @Nullable Instant next;

        // Guarded by this

        private boolean isOver;
        private boolean isLate;

        private Run(Claim claim, @Nullable Duration timeLimit) {
            this.claim = claim;
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

        /** Schedules its own task again, for when it has ended well. */
        boolean scheduleNext(TaskTable tasks, byte[] payload, Instant at) {
            next = at;
            return tasks.scheduleNext(row.key(), payload, at);
        }

        private synchronized void interrupt() {
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
        private boolean end() {
            if (alarm != null) {
                boolean ignored = alarm.cancel(false);
            }
            synchronized (this) {
                isOver = true;
                return isLate;
            }
        }

        private Exception tooLong(Throwable cause) {
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
            return isInterrupting || isLate || claim.isAskedToEnd;
        }
    }

    /**
     * A transaction in which a run goes on, and in which its row is deleted or waits again. If nobody answers how that has ended, the row says it. The thread of the run; what is
     * told later, one thread after another.
     */
    private final class RunTransaction {

        private final PlatformTransactionManager manager;
        private final Claim claim;
        private final Handler<?> handler;
        private final long startNanos;

        private @Nullable TransactionStatus status;

        private boolean isCommitSent;

        /** Tells how it has ended, once that is known. */
        private @Nullable BooleanSupplier known;

        RunTransaction(PlatformTransactionManager manager, Claim claim, Handler<?> handler, long startNanos) {
            this.manager = manager;
            this.claim = claim;
            this.handler = handler;
            this.startNanos = startNanos;
        }

        void begin() {
            DefaultTransactionDefinition definition =
                    new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            definition.setName(handler.name());
            status = manager.getTransaction(definition);
            if (!tables.sql().isReachedBy(manager)) {
                throw new IllegalStateException(
                        "The transaction of a run must be on the DataSource of the durable tasks, but that of "
                                + manager + " is not");
            }
        }

        /** Whether it could not begin, as there was no connection. */
        boolean isRefused(Throwable ex) {
            return status == null && (ex instanceof CannotCreateTransactionException || Availability.isOfDatabase(ex));
        }

        void requireNoRollback() {
            if (Objects.requireNonNull(status).isRollbackOnly()) {
                throw new UnexpectedRollbackException("The run has marked its transaction for rollback");
            }
        }

        /** If that fails as well, the database does it when it finds the connection broken. */
        void rollBack() {
            clearInterrupt();
            if (status != null && !status.isCompleted()) {
                try {
                    manager.rollback(status);
                } catch (Throwable ex) {
                    LOGGER.debug("The transaction of the durable task " + claim + " could not be rolled back", ex);
                }
            }
        }

        /** Ends the row with the transaction. */
        Outcome end(@Nullable Instant next) {
            clearInterrupt();
            try {
                boolean isOurs = tables.tasks().done(claim.key());
                if (!isOurs) {
                    rollBack();
                    lost("what it has done is rolled back");
                    return told(false);
                }
                isCommitSent = true;
                manager.commit(Objects.requireNonNull(status));
            } catch (Throwable ex) {
                rollBack();
                return new Outcome(true, false, End.of(claim, Kind.ASK, () -> tellWhatIsSeen(ex)), false);
            }
            tally.succeeded.incrementAndGet();
            boolean ignored = announced(claim, next, true);
            return told(true);
        }

        private Outcome told(boolean hasSucceeded) {
            context.inHand().forget(claim);
            return new Outcome(true, hasSucceeded, null, true);
        }

        private void lost(String what) {
            tally.lost.incrementAndGet();
            LOGGER.warn("The durable task " + claim + " has run here, but was taken over by another node meanwhile: "
                    + what);
        }

        private boolean tellWhatIsSeen(Throwable ex) {
            BooleanSupplier tell = known;
            if (tell == null) {
                tell = whatIsSeen(ex);
                known = tell;
            }
            return tell.getAsBoolean();
        }

        private BooleanSupplier whatIsSeen(Throwable ex) {
            switch (tables.tasks().traceOf(claim.key())) {
                case LOCKED ->
                    throw new CannotAcquireLockException(
                            "The durable task " + claim + " is locked, so its transaction may still be going on", ex);
                case OURS -> {
                    tally.failed.incrementAndGet();
                    tellEnded(handler, startNanos, false);
                    return claim.isAskedToEnd ? ended(claim).tell() : afterFailure(claim, handler, ex);
                }
                case GONE -> {
                    boolean isCommitted = isCommitSent && tables.nodes().isAlive(claim.owner());
                    if (isCommitted) {
                        tally.succeeded.incrementAndGet();
                    } else {
                        lost("nobody knows whether what it has done is committed, so it may run, or have run, twice");
                    }
                    tellEnded(handler, startNanos, isCommitted);
                    return () -> true;
                }
            }
            throw new IllegalStateException();
        }
    }

    /** Returns what lets other nodes try a row that this one cannot read, newer ones among them, after a pause that doubles each time. */
    private BooleanSupplier setAside(Claim claim, UnreadablePayloadException ex) {
        int times = Math.min(claim.row().unreadable(), MOST_DOUBLINGS) + 1;
        Instant now = context.clock().now();
        Instant until = now.plus(jittered(pauseAfter(UNREADABLE_PAUSES, times)));
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
        Duration pause = jittered(pauseAfter(handler.retries(), failures));
        log("The durable task " + claim + " has failed, and is tried again in " + pause, ex);
        Instant next = now.plus(pause);
        return () -> tables.tasks().tryAgain(claim.key(), next, failures, now);
    }

    /** Returns the pause after so many failures in a row, which is at least 1. */
    static Duration pauseAfter(RetryPolicy retries, int failures) {
        Duration pause = retries.backOff();
        Duration longest = retries.maxBackOff();
        for (int i = 1; i < Math.min(failures, RETRY_DOUBLINGS) && pause.compareTo(longest) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(longest) < 0 ? pause : longest;
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
