package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.RowEnd.Kind;
import io.github.wheelscheduler.durable.internal.TaskRow.Made;
import io.github.wheelscheduler.durable.internal.payload.UnreadablePayloadException;
import io.github.wheelscheduler.durable.internal.trace.DurableTraces;
import io.github.wheelscheduler.internal.LogLimit;
import io.github.wheelscheduler.internal.StackText;
import io.github.wheelscheduler.internal.spring.observation.AnnotatedRun;
import io.github.wheelscheduler.internal.spring.observation.ObservedRun;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import io.github.wheelscheduler.jdbc.internal.EndNote;
import io.github.wheelscheduler.spring.observation.WheelRunContext;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;

/** Runs due tasks, and decides which ends are written to the database. Workers. */
final class Runs {

    private static final int MOST_DOUBLINGS = 10;
    private static final int RETRY_DOUBLINGS = 40;
    private static final int JITTER = 10;

    /** After how long a row is tried again that no node could read. */
    private static final RetryPolicy UNREADABLE_PAUSES =
            new RetryPolicy(Integer.MAX_VALUE, Duration.ofSeconds(10), Duration.ofHours(1));

    final Context context;
    final Tables tables;
    final NextRuns nextRuns;

    private final RowEnds rowEnds;
    private final Map<String, LogLimit> unreadable = new ConcurrentHashMap<>();

    /** The runs that are going on. */
    private final Set<Run> going = ConcurrentHashMap.newKeySet();

    private volatile boolean isInterrupting;

    Runs(Context context, Tables tables) {
        this.context = context;
        this.tables = tables;
        this.nextRuns = new NextRuns(context, tables);
        this.rowEnds = new RowEnds(context, tables, nextRuns);
    }

    /**
     * Interrupts what runs, as the node stops: what fails because of that is given back, and nothing more starts until
     * {@link #mayRun}. Any thread.
     */
    void interruptAll() {
        isInterrupting = true;
        going.forEach(Run::interrupt);
    }

    /** Interrupts the run of a claim that is to be ended, if it has begun; else it is when it does. Any thread. */
    void interrupt(Claim claim) {
        claim.isAskedToEnd = true;
        going.stream().filter(run -> run.claim == claim).forEach(Run::interrupt);
    }

    boolean isInterrupting() {
        return isInterrupting;
    }

    void mayRun() {
        isInterrupting = false;
    }

    /**
     * The outcome of a claim.
     *
     * @param hasRun whether its handler has been called
     * @param hasSucceeded whether the run has succeeded
     * @param end the end that is still to be written to the database; null if it has been written
     * @param isKnown false if only the writing of the end finds out, and reports, whether the run has succeeded
     */
    record Outcome(
            boolean hasRun, boolean hasSucceeded, @Nullable PendingEnd end, boolean isKnown) {}

    /** Runs a claim that has been started. */
    Outcome run(Claim claim, Instant now) {
        Handler<?> handler = context.handlers().find(claim.handlerName());
        if (handler == null) {
            return unsuccessful(false, claim, () -> tables.claims().giveBack(claim.key()));
        }
        Made made = claim.row().made();
        RuntimeException strange = made == null ? null : RecurringTable.whyUnreadable(made.schedule());
        if (strange != null) {
            // This node would run it too often, as it does not know when it comes again.
            return unsuccessful(false, claim, () -> tables.made().leave(claim.key(), now, strange));
        }
        if (claim.row().leavesOut(handler, now) && !tables.recurring().isTriggered(claim.key())) {
            LOGGER.info("The durable task " + claim + " was due at " + claim.dueAt()
                    + ", but no node ran it in time: this run is skipped, as the task's setting of missed runs says");
            claim.unrun = EndNote.Kind.MISSED;
            if (context.listeners().notes().areThere()) {
                claim.missedRuns = nextRuns.missed(claim, handler.recurrence(), now);
            }
            return unsuccessful(false, claim, nextRuns.after(claim, handler.recurrence(), null, false));
        }
        if (hasKilledOftenEnough(claim, handler)) {
            LOGGER.error("Each node that ran the durable task " + claim
                    + " died during its run: this run is skipped, and the next one comes at its time. See why those "
                    + "processes ended");
            return new Outcome(
                    false,
                    false,
                    PendingEnd.of(
                            claim,
                            RowEnd.changed(
                                    nextRuns.after(claim, handler.recurrence(), ClaimTable.KILLED, true),
                                    claim.ran(DurableEnd.Kind.GIVEN_UP, null, null, null))),
                    true);
        }
        tellObserver(() -> context.observer().starting(handler.name(), Duration.between(claim.dueAt(), now)));
        long startNanos = context.jobs().nanoTime();
        // The database may have been asked since the turn of this run has come.
        claim.startedAt = context.clock().now();
        return observed(claim, handler, now, startNanos);
    }

    /** The node that frees the row of a one-time task keeps it as failed; a recurring task goes on. */
    private boolean hasKilledOftenEnough(Claim claim, Handler<?> handler) {
        int most = context.settings().maxDeaths();
        return most > 0
                && claim.row().deaths() >= most
                && (handler.recurrence() != null || claim.row().made() != null);
    }

    /** Spring observes the methods of recurring tasks that nodes declare. */
    private Outcome observed(Claim claim, Handler<?> handler, Instant now, long startNanos) {
        TaskRow row = claim.row();
        DurableTraces traces = tables.sql().traces();
        Duration lateness = Duration.between(row.dueAt(), now);
        if (handler.recurrence() != null) {
            return annotated(
                    claim, handler, startNanos, traces.beginAnnotated(row.key().id(), lateness, row.origin()));
        }
        ObservedRun observed = traces.begin(
                handler.name(),
                row.key().id(),
                row.attempt(),
                lateness,
                context.settings().node(),
                row.origin());
        if (observed == null) {
            return callAndTell(claim, handler, startNanos);
        }
        Outcome outcome = null;
        try {
            claim.traceparent = traces.current();
            outcome = callAndTell(claim, handler, startNanos);
            return outcome;
        } finally {
            observed.end(
                    claim.failure,
                    claim.isUnanswered
                            ? WheelRunContext.Outcome.UNKNOWN
                            : outcome != null && outcome.hasSucceeded
                                    ? WheelRunContext.Outcome.SUCCESS
                                    : WheelRunContext.Outcome.ERROR);
        }
    }

    private Outcome annotated(Claim claim, Handler<?> handler, long startNanos, @Nullable AnnotatedRun run) {
        try {
            return callAndTell(claim, handler, startNanos);
        } finally {
            if (run != null) {
                run.end();
            }
        }
    }

    /** The observer is called within the observation of the run, so that its meters have exemplars. */
    private Outcome callAndTell(Claim claim, Handler<?> handler, long startNanos) {
        Outcome outcome = call(claim, handler, startNanos);
        if (outcome.isKnown) {
            Outcome ignored = tables.sql().traces().handling(() -> {
                tellEnded(handler, startNanos, outcome.hasSucceeded);
                return outcome;
            });
        }
        return outcome;
    }

    void tellEnded(Handler<?> handler, long startNanos, boolean hasSucceeded) {
        Duration length = Duration.ofNanos(context.jobs().nanoTime() - startNanos);
        tellObserver(() -> context.observer().ended(handler.name(), length, hasSucceeded));
    }

    private static Outcome unsuccessful(boolean hasRun, Claim claim, BooleanSupplier tell) {
        return new Outcome(hasRun, false, PendingEnd.of(claim, RowEnd.withoutRun(tell)), true);
    }

    private Outcome call(Claim claim, Handler<?> handler, long startNanos) {
        RowKey key = claim.key();
        PlatformTransactionManager manager = handler.transactions();
        RunTransaction transaction =
                manager == null ? null : new RunTransaction(this, manager, claim, handler, startNanos);
        try {
            RowEnd end = runNoted(claim, handler, transaction, startNanos);
            if (transaction != null) {
                return transaction.end(end);
            }
            if (isRecurring(claim, handler)) {
                tables.sql().traces().recurringSucceeded(claim.row().made() != null, key.id());
            }
            boolean isOnce = handler.recurrence() == null;
            BooleanSupplier write = isOnce
                    ? () -> announced(claim, end.dueAt(), end.write().getAsBoolean())
                    : nextRuns.after(claim, handler.recurrence(), null, true);
            RowEnd written = new RowEnd(isOnce ? end.kind() : Kind.CHANGE, write, end.dueAt(), end.notice());
            return new Outcome(true, end.hasSucceeded(), PendingEnd.of(claim, written), true);
        } catch (UnreadablePayloadException ex) {
            claim.failure = ex;
            rollBack(transaction);
            context.tally().unreadable.incrementAndGet();
            if (unreadable
                            .computeIfAbsent(handler.name(), name -> new LogLimit(context.jobs()::nanoTime))
                            .tryPass()
                    >= 0) {
                LOGGER.warn("The durable task " + claim + " has a payload that cannot be read here, and is left to "
                        + "other nodes; deploy a class that reads it: "
                        + ex.getMessage());
            }
            claim.unrun = EndNote.Kind.PUT_ASIDE;
            return unsuccessful(false, claim, setAside(claim, ex));
        } catch (Throwable ex) {
            claim.failure = ex;
            rollBack(transaction);
            if (ex instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            if (claim.isAskedToEnd) {
                return new Outcome(true, false, PendingEnd.of(claim, cancelled(claim)), true);
            }
            if (isInterrupting) {
                return unsuccessful(true, claim, givenBack(claim));
            }
            if (transaction != null && transaction.isRefused(ex)) {
                // Nothing of it has run: that is no failure of its.
                context.availability().isAway(ex);
                return unsuccessful(false, claim, () -> tables.claims().giveBack(key));
            }
            RowEnd end = tables.sql().traces().handling(() -> {
                if (isRecurring(claim, handler)) {
                    if (claim.traceparent == null) {
                        claim.traceparent = tables.sql().traces().current();
                    }
                    tables.sql().traces().recurringFailed(claim.row().made() != null, key.id());
                }
                return afterFailure(claim, claim.toString(), handler, ex);
            });
            return new Outcome(true, false, PendingEnd.of(claim, end), true);
        }
    }

    private static boolean isRecurring(Claim claim, Handler<?> handler) {
        return handler.recurrence() != null || claim.row().made() != null;
    }

    /** If a row has been changed that is due again, says so; returns whether it has been. */
    boolean announced(Claim claim, @Nullable Instant dueAt, boolean isChanged) {
        if (isChanged && dueAt != null) {
            context.announcer().due(claim.handlerName(), List.of(dueAt));
        }
        return isChanged;
    }

    /** Returns what lets a row be due again as it was. */
    BooleanSupplier givenBack(Claim claim) {
        return () -> announced(claim, claim.dueAt(), tables.claims().giveBack(claim.key()));
    }

    RowEnd cancelled(Claim claim) {
        LOGGER.info("The durable task " + claim + " was cancelled while it ran, and has ended");
        Instant now = context.clock().now();
        return RowEnd.changed(
                () -> tables.ends().end(claim.key(), now, EndTable.CANCELLED),
                claim.ran(DurableEnd.Kind.CANCELLED, null, null, null));
    }

    /** The interrupt was that of the run, which has ended. */
    static void clearInterrupt() {
        if (Thread.interrupted()) {
            LOGGER.debug("Interrupted");
        }
    }

    private static void rollBack(@Nullable RunTransaction transaction) {
        if (transaction != null) {
            transaction.rollBack();
        }
    }

    private RowEnd runNoted(Claim claim, Handler<?> handler, @Nullable RunTransaction transaction, long startNanos)
            throws Exception {
        Run run = new Run(this, claim, handler.timeLimit());
        boolean ignored;
        try {
            Run.CURRENT.set(run);
            ignored = going.add(run);
            if (isInterrupting || claim.isAskedToEnd) {
                throw new InterruptedException(
                        "The run does not start: its node closes, or its task has been cancelled");
            }
            if (transaction != null) {
                transaction.begin();
            }
            DurableOutcome outcome = outcomeOf(claim, handler, run);
            if (outcome == null) {
                throw new IllegalStateException("A handler must return a DurableOutcome, such as done(), was null");
            }
            if (transaction != null) {
                transaction.requireNoRollback();
            }
            return rowEnds.of(claim, outcome, run.next());
        } catch (Throwable ex) {
            if (run.end() && (transaction == null || !transaction.isRefused(ex))) {
                claim.hasThrown = false;
                throw run.tooLong(ex);
            }
            throw ex;
        } finally {
            Run.CURRENT.remove();
            ignored = going.remove(run);
            ignored = run.end();
            claim.lengthNanos = Math.max(0, context.jobs().nanoTime() - startNanos);
        }
    }

    private DurableOutcome outcomeOf(Claim claim, Handler<?> handler, Run run) throws Exception {
        claim.hasThrown = true;
        DurableOutcome outcome =
                handler.run(Objects.requireNonNull(claim.payload), claim.row().format(), context.payloads(), run);
        claim.hasThrown = false;
        return outcome;
    }

    /**
     * Returns what lets other nodes try a row that this one cannot read, newer ones among them, after a pause that
     * doubles each time.
     */
    private BooleanSupplier setAside(Claim claim, UnreadablePayloadException ex) {
        int times = Math.min(claim.row().unreadable(), MOST_DOUBLINGS) + 1;
        Instant now = context.clock().now();
        Instant until = now.plus(jittered(pauseAfter(UNREADABLE_PAUSES, times)));
        String why = RowEnds.kept(String.valueOf(ex.getMessage()));
        return () -> tables.ends().setAside(claim.key(), until, times, now, why);
    }

    /** A count that is as large as it can be stays so. */
    static int oneMore(int count) {
        return count == Integer.MAX_VALUE ? count : count + 1;
    }

    /** @param named the claim in words, for the log */
    RowEnd afterFailure(Claim claim, String named, Handler<?> handler, Throwable ex) {
        int failures = oneMore(claim.row().failures());
        if (handler.recurrence() != null) {
            ThrownLog.error(LOGGER, "The durable task " + named + " has failed, and runs again at its next time", ex);
            return RowEnd.changed(
                    nextRuns.after(claim, handler.recurrence(), textOf(ex), true),
                    claim.ran(DurableEnd.Kind.RETRIED, null, null, ex));
        }
        Instant now = context.clock().now();
        boolean isRetried = !claim.hasThrown
                || DatabaseErrors.isOfConnection(ex)
                || handler.retries().retries(ex);
        RetryPolicy retries = claim.row().retries().over(handler.retries());
        if (!isRetried || failures > retries.maxRetries()) {
            String why = isRetried ? ": no retries are left" : ": its handler does not retry this exception";
            boolean isMade = claim.row().made() != null;
            String task = "The durable task " + named;
            ThrownLog.error(
                    LOGGER,
                    isMade
                            ? task + " has failed in attempt " + failures + why + "; it runs again at its next time"
                            : task + " has failed permanently in attempt " + failures + why
                                    + ". Fix the cause, then retry or cancel the task",
                    ex);
            String text = textOf(ex);
            return RowEnd.changed(
                    isMade
                            ? nextRuns.after(claim, null, text, true)
                            : () -> tables.ends().giveUp(claim, failures, now, text),
                    claim.ran(DurableEnd.Kind.GIVEN_UP, null, null, ex));
        }
        Duration pause = jittered(pauseAfter(retries, failures));
        Instant next = now.plus(pause);
        long attempts = retries.maxRetries() + 1L;
        ThrownLog.warnInOneLine(
                LOGGER,
                "The durable task " + named + ": attempt " + failures + " of " + attempts + " failed, next at " + next,
                ex);
        return RowEnd.changed(
                () -> tables.ends().tryAgain(claim, next, failures, now),
                claim.ran(DurableEnd.Kind.RETRIED, next, null, ex));
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

    /** Adds up to a tenth, so that tasks that failed together do not retry together. Virtual time adds nothing. */
    private Duration jittered(Duration pause) {
        return context.clock().isVirtual()
                ? pause
                : pause.plusNanos(ThreadLocalRandom.current().nextLong(Math.max(1, pause.toNanos() / JITTER)));
    }

    private void tellObserver(Runnable call) {
        try {
            call.run();
        } catch (Throwable ex) {
            ThrownLog.debug(LOGGER, "The observer of durable tasks has failed; tasks are not affected", ex);
        }
    }

    private static String textOf(Throwable ex) {
        return RowEnds.kept(StackText.of(ex, RowEnds.LONGEST_FAILURE));
    }
}
