package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.Context.Tally;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.End.Kind;
import io.github.wheelscheduler.durable.internal.Endings.Ending;
import io.github.wheelscheduler.durable.internal.Endings.Told;
import io.github.wheelscheduler.durable.internal.RecurringTable.RunEnd;
import io.github.wheelscheduler.internal.LogLimit;
import io.github.wheelscheduler.internal.StackText;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
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

/** Runs what is due, and says what the database is to be told of that. Workers. */
final class Runs {

    private static final int MOST_DOUBLINGS = 10;
    private static final int RETRY_DOUBLINGS = 40;
    private static final int JITTER = 10;

    /** After how long a row is tried again that no node could read. */
    private static final RetryPolicy UNREADABLE_PAUSES =
            new RetryPolicy(Integer.MAX_VALUE, Duration.ofSeconds(10), Duration.ofHours(1));

    final Context context;
    final Tables tables;
    final Endings endings;

    private final Tally tally;
    private final Map<String, LogLimit> unreadable = new ConcurrentHashMap<>();

    /** The runs that are going on. */
    private final Set<Run> going = ConcurrentHashMap.newKeySet();

    private volatile boolean isInterrupting;

    Runs(Context context, Tables tables) {
        this.context = context;
        this.tables = tables;
        this.endings = new Endings(context, tables);
        this.tally = context.tally();
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

    boolean isInterrupting() {
        return isInterrupting;
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
            return unsuccessful(false, claim, () -> tables.claims().giveBack(claim.key()));
        }
        if (handler.leavesOut(claim.dueAt(), now) && !tables.recurring().isTriggered(claim.key())) {
            LOGGER.info("The durable task " + claim + " was due at " + claim.dueAt()
                    + ", which is too long ago: it is left out");
            return unsuccessful(false, claim, again(claim, handler, null, false));
        }
        tellObserver(() -> context.observer().starting(handler.name(), Duration.between(claim.dueAt(), now)));
        long startNanos = context.jobs().nanoTime();
        Outcome outcome = call(claim, handler, startNanos);
        if (outcome.isKnown) {
            tellEnded(handler, startNanos, outcome.hasSucceeded);
        }
        return outcome;
    }

    void tellEnded(Handler<?> handler, long startNanos, boolean hasSucceeded) {
        Duration length = Duration.ofNanos(context.jobs().nanoTime() - startNanos);
        tellObserver(() -> context.observer().ended(handler.name(), length, hasSucceeded));
    }

    private static Outcome unsuccessful(boolean hasRun, Claim claim, BooleanSupplier tell) {
        return new Outcome(hasRun, false, End.of(claim, Kind.CHANGE, tell), true);
    }

    private Outcome call(Claim claim, Handler<?> handler, long startNanos) {
        RowKey key = claim.key();
        PlatformTransactionManager manager = handler.transactions();
        RunTransaction transaction =
                manager == null ? null : new RunTransaction(this, manager, claim, handler, startNanos);
        try {
            Ending ending = runNoted(claim, handler, transaction);
            if (transaction != null) {
                return transaction.end(ending);
            }
            endings.count(claim, ending);
            boolean isOnce = handler.recurrence() == null;
            BooleanSupplier tell = isOnce
                    ? () -> announced(claim, ending.dueAt(), ending.tell().getAsBoolean())
                    : again(claim, handler, null, true);
            End end = End.of(claim, isOnce ? ending.kind() : Kind.CHANGE, tell, ending.notice());
            return new Outcome(true, ending.hasSucceeded(), end, true);
        } catch (UnreadablePayloadException ex) {
            rollBack(transaction);
            tally.unreadable.incrementAndGet();
            if (unreadable
                            .computeIfAbsent(handler.name(), name -> new LogLimit(context.jobs()::nanoTime))
                            .tryPass()
                    >= 0) {
                LOGGER.warn("The durable task " + claim + " cannot be read here, and is left to other nodes: "
                        + ex.getMessage());
            }
            return unsuccessful(false, claim, setAside(claim, ex));
        } catch (Throwable ex) {
            rollBack(transaction);
            if (ex instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            if (claim.isAskedToEnd) {
                return new Outcome(true, false, ended(claim), true);
            }
            if (isInterrupting) {
                return unsuccessful(true, claim, givenBack(claim));
            }
            if (transaction != null && transaction.isRefused(ex)) {
                // Nothing of it has run: that is no failure of its.
                context.availability().isAway(ex);
                return unsuccessful(false, claim, () -> tables.claims().giveBack(key));
            }
            Told told = afterFailure(claim, handler, ex);
            tally.failed.incrementAndGet();
            return new Outcome(true, false, End.of(claim, Kind.CHANGE, told.tell(), told.notice()), true);
        }
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

    End ended(Claim claim) {
        LOGGER.info("The durable task " + claim + " was cancelled while it ran, and has ended");
        Instant now = context.clock().now();
        return End.of(
                claim,
                Kind.CHANGE,
                () -> tables.ends().end(claim.key(), now, EndTable.CANCELLED),
                endings.noted(claim, DurableEnd.Kind.CANCELLED, null, null, null));
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

    private Ending runNoted(Claim claim, Handler<?> handler, @Nullable RunTransaction transaction) throws Exception {
        Run run = new Run(this, claim, handler.timeLimit());
        boolean ignored;
        try {
            Run.CURRENT.set(run);
            ignored = going.add(run);
            if (isInterrupting || claim.isAskedToEnd) {
                throw new InterruptedException("The node stops, or the task has been cancelled");
            }
            if (transaction != null) {
                transaction.begin();
            }
            DurableOutcome outcome = outcomeOf(claim, handler, run);
            if (outcome == null) {
                throw new IllegalStateException("A run must return what becomes of its task, was null");
            }
            if (transaction != null) {
                transaction.requireNoRollback();
            }
            return endings.of(claim, outcome, run.next);
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
        }
    }

    private DurableOutcome outcomeOf(Claim claim, Handler<?> handler, Run run) throws Exception {
        claim.hasThrown = true;
        DurableOutcome outcome =
                handler.run(Objects.requireNonNull(claim.payload), claim.row().format(), context.payloads(), run);
        claim.hasThrown = false;
        return outcome;
    }

    /** Returns what lets other nodes try a row that this one cannot read, newer ones among them, after a pause that doubles each time. */
    private BooleanSupplier setAside(Claim claim, UnreadablePayloadException ex) {
        int times = Math.min(claim.row().unreadable(), MOST_DOUBLINGS) + 1;
        Instant now = context.clock().now();
        Instant until = now.plus(jittered(pauseAfter(UNREADABLE_PAUSES, times)));
        return () -> tables.ends().setAside(claim.key(), until, times, now, String.valueOf(ex.getMessage()));
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
    static int oneMore(int count) {
        return count == Integer.MAX_VALUE ? count : count + 1;
    }

    Told afterFailure(Claim claim, Handler<?> handler, Throwable ex) {
        int failures = oneMore(claim.row().failures());
        if (handler.recurrence() != null) {
            ThrownLog.error(LOGGER, "The durable task " + claim + " has failed, and runs again at its next time", ex);
            return new Told(
                    again(claim, handler, ex, true), endings.noted(claim, DurableEnd.Kind.RETRIED, null, null, ex));
        }
        Instant now = context.clock().now();
        boolean isRetried = !claim.hasThrown
                || Availability.isOfConnection(ex)
                || handler.retries().retries(ex);
        RetryPolicy retries = claim.row().retries().over(handler.retries());
        if (!isRetried || failures > retries.maxRetries()) {
            String why = isRetried ? "" : ", which its handler does not retry";
            ThrownLog.error(
                    LOGGER,
                    "The durable task " + claim + " has failed " + failures + " times" + why + ", and is given up",
                    ex);
            tally.givenUp.incrementAndGet();
            String text = textOf(ex);
            return new Told(
                    () -> tables.ends().giveUp(claim.key(), failures, now, text),
                    endings.noted(claim, DurableEnd.Kind.GIVEN_UP, null, null, ex));
        }
        Duration pause = jittered(pauseAfter(retries, failures));
        Instant next = now.plus(pause);
        long attempts = retries.maxRetries() + 1L;
        ThrownLog.warnInOneLine(
                LOGGER,
                "The durable task " + claim + ": attempt " + failures + " of " + attempts + " failed, next at " + next,
                ex);
        return new Told(
                () -> tables.ends().tryAgain(claim.key(), next, failures, now),
                endings.noted(claim, DurableEnd.Kind.RETRIED, next, null, ex));
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

    private void tellObserver(Runnable call) {
        try {
            call.run();
        } catch (Throwable ex) {
            ThrownLog.debug(LOGGER, "The observer of durable tasks has failed", ex);
        }
    }

    private static String textOf(Throwable ex) {
        return Endings.kept(StackText.of(ex, Endings.LONGEST_FAILURE));
    }
}
