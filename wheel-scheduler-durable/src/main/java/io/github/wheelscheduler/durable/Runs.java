package io.github.wheelscheduler.durable;

import com.github.kagkarlsson.scheduler.task.Execution;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.Claim.RowKey;
import io.github.wheelscheduler.durable.DurableCounts.Tally;
import io.github.wheelscheduler.durable.Payloads.UnreadablePayloadException;
import io.github.wheelscheduler.durable.RecurringTable.RunEnd;
import io.github.wheelscheduler.internal.LogLimit;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
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

    private final WheelScheduledExecutor keepers;
    private final DatabaseClock clock;
    private final TaskTable table;
    private final RecurringTable recurring;
    private final Handlers handlers;
    private final PassedOver passedOver;
    private final Payloads payloads;
    private final Availability availability;
    private final Tally tally;
    private final DurableObserver observer;
    private final Runnable claimSoon;
    private final LogLimit unreadable;

    private final Semaphore telling = new Semaphore(MOST_TELLING_AGAIN);

    private volatile boolean isInterrupting;

    Runs(
            WheelScheduledExecutor keepers,
            DatabaseClock clock,
            TaskTable table,
            RecurringTable recurring,
            Handlers handlers,
            PassedOver passedOver,
            Payloads payloads,
            Availability availability,
            Tally tally,
            DurableObserver observer,
            Runnable claimSoon) {
        this.keepers = keepers;
        this.clock = clock;
        this.table = table;
        this.recurring = recurring;
        this.handlers = handlers;
        this.passedOver = passedOver;
        this.payloads = payloads;
        this.availability = availability;
        this.tally = tally;
        this.observer = observer;
        this.claimSoon = claimSoon;
        this.unreadable = new LogLimit(keepers::nanoTime);
    }

    void claimSoon() {
        claimSoon.run();
    }

    /** From now on a run that fails is given back: it has been interrupted because the node closes. */
    void interrupting() {
        isInterrupting = true;
    }

    /** Runs a claim that has been started. */
    void run(Claim claim, Instant now) {
        int ignored = tally.running.incrementAndGet();
        boolean isTold = false;
        try {
            tell(claim, runAndEnd(claim, now), 0);
            isTold = true;
        } finally {
            int unused = tally.running.decrementAndGet();
            if (!isTold) {
                // Nobody knows how it has ended, so it is to be found dead.
                claim.forget();
            }
        }
    }

    /** Runs it, and returns what the database is to be told. */
    private BooleanSupplier runAndEnd(Claim claim, Instant now) {
        Handler<?> handler = handlers.find(claim.key().handler());
        if (handler == null) {
            return () -> giveBack(claim);
        }
        if (handler.leavesOut(claim.dueAt(), now) && !recurring.isTriggered(claim.key())) {
            LOGGER.info("The durable task " + claim + " was due at " + claim.dueAt()
                    + ", which is too long ago: it is left out");
            return again(claim, handler, null, false);
        }
        tellObserver(() -> observer.starting(handler.name(), Duration.between(claim.dueAt(), now)));
        long startNanos = keepers.nanoTime();
        BooleanSupplier end = call(claim, handler);
        tellObserver(() -> observer.ended(
                handler.name(), Duration.ofNanos(keepers.nanoTime() - startNanos), !(end instanceof AfterFailure)));
        return end;
    }

    /** Calls the handler, and returns what the database is to be told. */
    private BooleanSupplier call(Claim claim, Handler<?> handler) {
        RowKey key = claim.key();
        try {
            handler.run(payloadOf(claim), payloads);
            passedOver.readable(key);
            tally.succeeded.incrementAndGet();
            return handler.recurrence() == null ? () -> table.done(key) : again(claim, handler, null, true);
        } catch (UnreadablePayloadException ex) {
            tally.unreadable.incrementAndGet();
            passedOver.add(key, keepers.nanoTime());
            report(claim, ex);
            return () -> giveBack(claim);
        } catch (Throwable ex) {
            if (ex instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            if (isInterrupting) {
                return () -> giveBack(claim);
            }
            tally.failed.incrementAndGet();
            return new AfterFailure(afterFailure(claim, handler, ex));
        }
    }

    private byte[] payloadOf(Claim claim) {
        if (claim.row().taskInstance.getData() instanceof byte[] bytes) {
            return bytes;
        }
        byte[] read = table.payload(claim.key());
        return read == null ? new byte[0] : read;
    }

    /** Returns what gives a recurring task its next time. */
    private BooleanSupplier again(Claim claim, Handler<?> handler, @Nullable Throwable failure, boolean hasRun) {
        Instant now = clock.now();
        Recurrence recurrence = Objects.requireNonNull(handler.recurrence());
        Execution row = claim.row();
        boolean succeeded = hasRun && failure == null;
        RunEnd end = new RunEnd(
                now,
                hasRun,
                succeeded ? now : row.lastSuccess,
                succeeded ? 0 : row.consecutiveFailures + (hasRun ? 1 : 0),
                failure == null ? row.lastFailure : now,
                failure == null ? null : textOf(failure));
        return () -> recurring.again(claim.key(), recurrence, claim.dueAt(), end);
    }

    private BooleanSupplier afterFailure(Claim claim, Handler<?> handler, Throwable ex) {
        int failures = claim.row().consecutiveFailures + 1;
        if (handler.recurrence() != null) {
            log("The durable task " + claim + " has failed, and runs again at its next time", ex);
            return again(claim, handler, ex, true);
        }
        Instant now = clock.now();
        if (failures > handler.retries().maxRetries()) {
            log("The durable task " + claim + " has failed " + failures + " times, and is given up", ex);
            tally.givenUp.incrementAndGet();
            String text = textOf(ex);
            return () -> table.giveUp(claim.key(), failures, now, text);
        }
        Duration pause = handler.retries().pauseAfter(failures);
        log("The durable task " + claim + " has failed, and is tried again in " + pause, ex);
        Instant next = now.plus(pause);
        return () -> table.release(claim.key(), next, failures, now);
    }

    private boolean giveBack(Claim claim) {
        return table.release(claim.key(), claim.dueAt(), claim.row().consecutiveFailures, claim.row().lastFailure);
    }

    private void report(Claim claim, UnreadablePayloadException ex) {
        if (unreadable.tryPass() >= 0) {
            LOGGER.warn("The durable task " + claim + " cannot be run here, and is left to other nodes: "
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
            availability.isThere();
            claim.forget();
        } catch (RuntimeException ex) {
            if (Availability.isOfDatabase(ex)) {
                availability.isAway(ex);
            } else {
                LOGGER.warn(
                        "The database could not be told how the durable task " + claim
                                + " has ended; it is tried again",
                        ex);
            }
            tellLater(claim, end, attempt);
        }
    }

    private void tellLater(Claim claim, BooleanSupplier end, int attempt) {
        tellIn(
                Math.min(LONGEST_PAUSE_MILLIS, TELL_AGAIN_MILLIS << Math.min(attempt, MOST_DOUBLINGS)),
                claim,
                end,
                attempt + 1);
    }

    private void tellIn(long pauseMillis, Claim claim, BooleanSupplier end, int attempt) {
        try {
            Object ignored = keepers.schedule(() -> tellAgain(claim, end, attempt), pauseMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ex) {
            LOGGER.warn(
                    "The durable task " + claim + " has run, but the database has not been told: it will run again");
            claim.forget();
        }
    }

    /** Each may wait for a lock of a user's, and heartbeats need a thread as well. */
    private void tellAgain(Claim claim, BooleanSupplier end, int attempt) {
        if (!telling.tryAcquire()) {
            tellIn(TELL_AGAIN_MILLIS, claim, end, attempt);
            return;
        }
        try {
            tell(claim, end, attempt);
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

    /** The end of a run that has failed. */
    private record AfterFailure(BooleanSupplier end) implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            return end.getAsBoolean();
        }
    }
}
