package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableCounts;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.durable.internal.journal.StatementRows;
import io.github.wheelscheduler.durable.internal.payload.Payloads;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** The settings and components that a node has from the start. Any thread may use them. */
record Context(
        DurableSettings settings,
        NodeGroups groups,
        DatabaseClock clock,
        Handlers handlers,
        Payloads payloads,
        DurableObserver observer,
        Availability availability,
        Tally tally,
        ClaimedTasks claimedTasks,
        Notifications notifications,
        EndListeners listeners,
        Announcer announcer) {

    /** Of all that is below the packages for programs, as users know them. */
    static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    /** Returns a copy for runs of these handlers, with counters of its own and without announcements. */
    Context apart(Handlers others, Tally another) {
        return new Context(
                settings,
                groups,
                clock,
                others,
                payloads,
                observer,
                availability,
                another,
                claimedTasks,
                notifications,
                listeners,
                (name, times) -> {});
    }

    WheelScheduledExecutor workers() {
        return groups.workers();
    }

    WheelScheduledExecutor jobs() {
        return groups.jobs();
    }

    /**
     * Writes a payload for a handler.
     *
     * @throws IllegalArgumentException if it cannot be written, or that handler, if it is here, could not read it
     */
    byte[] write(String handler, @Nullable Object payload) {
        Handler<?> known = handlers.find(handler);
        return payloads.write(payload, known == null || known.payloadType() == Void.class ? null : known.payloadType());
    }

    /** Adds the note of an end to what a statement is about to write. */
    void note(StatementRows rows, Claim claim, @Nullable DurableEnd end) {
        if (claim.noted == null && rows.areTaken()) {
            claim.noted = listeners.notes().about(() -> claim.noteOf(listeners.notes(), end));
        }
        rows.add(claim.key(), claim.noted);
    }

    /** Counts the end of a run, and delivers it to listeners, once it is committed. Throws nothing. */
    void ended(Claim claim, @Nullable DurableEnd end) {
        DurableEnd told = claim.told(end);
        if (told != null && told == end) {
            tally.count(end.kind());
            if (end.reason() != null) {
                LOGGER.warn("The handler of the durable task " + claim + " returned giveUp, so this run is not "
                        + "retried; its row has the reason");
            }
        }
        listeners.notes().committed(claim.noted, () -> claim.noteOf(listeners.notes(), end));
        if (told != null) {
            listeners.queue(told);
        }
    }

    /** Notes that a run has ended whose end is never written: its row is found and released. Throws nothing. */
    void unwritten(Claim claim, Throwable why) {
        tally.failed.incrementAndGet();
        try {
            ThrownLog.error(
                    LOGGER,
                    "The durable task " + claim
                            + " has run, but its end could not be written, mostly for lack of memory: it "
                            + "will run again",
                    why);
        } catch (OutOfMemoryError ex) {
            // There is no memory for the text; it has been counted.
        }
    }

    /** Says that rows are due, as {@link SoonDueRows#due} does. */
    interface Announcer {
        void due(String name, List<Instant> times);
    }

    /** Counts what becomes of rows on this node. */
    static final class Tally {

        final AtomicLong claimed = new AtomicLong();
        final AtomicLong succeeded = new AtomicLong();
        final AtomicLong failed = new AtomicLong();
        final AtomicLong givenUp = new AtomicLong();
        final AtomicLong takenOver = new AtomicLong();
        final AtomicLong lost = new AtomicLong();
        final AtomicLong givenBack = new AtomicLong();
        final AtomicLong unreadable = new AtomicLong();

        private void count(DurableEnd.Kind kind) {
            switch (kind) {
                case DONE, AGAIN -> succeeded.incrementAndGet();
                case RETRIED -> failed.incrementAndGet();
                case GIVEN_UP -> {
                    failed.incrementAndGet();
                    givenUp.incrementAndGet();
                }
                // The node that frees the rows counts them.
                case CANCELLED, TAKEN_OVER -> {}
            }
        }

        DurableCounts read(int waiting, int running) {
            return new DurableCounts(
                    waiting,
                    running,
                    claimed.get(),
                    succeeded.get(),
                    failed.get(),
                    givenUp.get(),
                    takenOver.get(),
                    lost.get(),
                    givenBack.get(),
                    unreadable.get());
        }
    }
}
