package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.dao.DataAccessException;

/** Runs what is due, and tells the database how that ended, again and again if it does not answer. Workers. */
final class Runs {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private static final long TELL_AGAIN_MILLIS = 300;
    private static final long SAY_AGAIN_NANOS = 60_000_000_000L;
    private static final int LONGEST_FAILURE = 8_000;

    private final WheelScheduledExecutor keepers;
    private final DatabaseClock clock;
    private final TaskTable table;
    private final Handlers handlers;
    private final PassedOver passedOver;
    private final Payloads payloads;
    private final Availability availability;
    private final Tally tally;
    private final DurableObserver observer;
    private final Runnable claimSoon;

    /** When what cannot be read was last reported. */
    private volatile long saidNanos;

    private volatile boolean hasSaid;

    Runs(
            WheelScheduledExecutor keepers,
            DatabaseClock clock,
            TaskTable table,
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
        this.handlers = handlers;
        this.passedOver = passedOver;
        this.payloads = payloads;
        this.availability = availability;
        this.tally = tally;
        this.observer = observer;
        this.claimSoon = claimSoon;
    }

    void claimSoon() {
        claimSoon.run();
    }

    /** Runs a claim that has been started. */
    void run(Claim claim, Instant now) {
        int ignored = tally.running.incrementAndGet();
        try {
            Handler<?> handler = handlers.find(claim.key().handler());
            if (handler == null) {
                tell(claim, () -> giveBack(claim));
                return;
            }
            if (handler.leavesOut(claim.dueAt(), now)) {
                LOGGER.info("The durable task " + claim + " was due at " + claim.dueAt()
                        + ", which is too long ago: it is left out");
                tell(claim, again(claim, handler, 0));
                return;
            }
            tellObserver(() -> observer.starting(handler.name(), Duration.between(claim.dueAt(), now)));
            long startNanos = keepers.nanoTime();
            BooleanSupplier end = call(claim, handler);
            tellObserver(() -> observer.ended(
                    handler.name(), Duration.ofNanos(keepers.nanoTime() - startNanos), !(end instanceof AfterFailure)));
            tell(claim, end);
        } finally {
            int unused = tally.running.decrementAndGet();
        }
    }

    /** Calls the handler, and returns what the database is to be told. */
    private BooleanSupplier call(Claim claim, Handler<?> handler) {
        RowKey key = claim.key();
        try {
            Object data = claim.row().taskInstance.getData();
            handler.run(data instanceof byte[] bytes ? bytes : new byte[0], payloads);
            passedOver.readable(key);
            tally.succeeded.incrementAndGet();
            return handler.recurrence() == null ? () -> table.done(key) : again(claim, handler, 0);
        } catch (UnreadablePayloadException ex) {
            tally.unreadable.incrementAndGet();
            passedOver.add(key, keepers.nanoTime());
            report(claim, ex);
            return () -> giveBack(claim);
        } catch (Throwable ex) {
            tally.failed.incrementAndGet();
            if (ex instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return new AfterFailure(afterFailure(claim, handler, ex));
        }
    }

    /** Returns what gives a recurring task its next time. */
    private BooleanSupplier again(Claim claim, Handler<?> handler, int failures) {
        Instant now = clock.now();
        Recurrence recurrence = Objects.requireNonNull(handler.recurrence());
        Instant next = recurrence.next(claim.dueAt(), now);
        Instant failedAt = failures == 0 ? claim.row().lastFailure : now;
        return next == null
                ? () -> table.done(claim.key())
                : () -> table.release(claim.key(), next, failures, failedAt);
    }

    private BooleanSupplier afterFailure(Claim claim, Handler<?> handler, Throwable ex) {
        int failures = claim.row().consecutiveFailures + 1;
        if (handler.recurrence() != null) {
            LOGGER.error("The durable task " + claim + " has failed, and runs again at its next time", ex);
            return again(claim, handler, failures);
        }
        Instant now = clock.now();
        if (failures > handler.retries().maxRetries()) {
            LOGGER.error("The durable task " + claim + " has failed " + failures + " times, and is given up", ex);
            tally.givenUp.incrementAndGet();
            String text = textOf(ex);
            return () -> table.giveUp(claim.key(), failures, now, text);
        }
        Duration pause = handler.retries().pauseAfter(failures);
        LOGGER.warn("The durable task " + claim + " has failed, and is tried again in " + pause, ex);
        return () -> table.release(claim.key(), now.plus(pause), failures, now);
    }

    private boolean giveBack(Claim claim) {
        return table.release(claim.key(), claim.dueAt(), claim.row().consecutiveFailures, claim.row().lastFailure);
    }

    private void report(Claim claim, UnreadablePayloadException ex) {
        long nowNanos = keepers.nanoTime();
        if (!hasSaid || nowNanos - saidNanos > SAY_AGAIN_NANOS) {
            saidNanos = nowNanos;
            hasSaid = true;
            LOGGER.warn("The durable task " + claim + " cannot be run here, and is left to other nodes: "
                    + ex.getMessage());
        }
    }

    /** Tells the database how a run has ended, until it has taken notice. */
    private void tell(Claim claim, BooleanSupplier end) {
        if (Thread.interrupted()) {
            // The run's, which has ended.
            LOGGER.debug("Interrupted: " + claim);
        }
        try {
            if (!end.getAsBoolean()) {
                tally.lost.incrementAndGet();
                LOGGER.warn(
                        "The durable task " + claim
                                + " has run here, but was taken over by another node meanwhile: it may run, or have run, twice");
            }
            availability.isThere();
            claim.forget();
        } catch (DataAccessException ex) {
            availability.isAway(ex);
            tellLater(claim, end);
        }
    }

    private void tellLater(Claim claim, BooleanSupplier end) {
        try {
            Object ignored = keepers.schedule(() -> tell(claim, end), TELL_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ex) {
            LOGGER.warn(
                    "The durable task " + claim + " has run, but the database has not been told: it will run again");
        }
    }

    private void tellObserver(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException ex) {
            LOGGER.debug("The observer of durable tasks has failed", ex);
        }
    }

    private static String textOf(Throwable ex) {
        StringWriter text = new StringWriter();
        ex.printStackTrace(new PrintWriter(text));
        // A database may refuse it.
        String clean = text.toString().replace("\0", "");
        return clean.length() > LONGEST_FAILURE ? clean.substring(0, LONGEST_FAILURE) : clean;
    }

    /** The end of a run that has failed. */
    private record AfterFailure(BooleanSupplier end) implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            return end.getAsBoolean();
        }
    }
}
