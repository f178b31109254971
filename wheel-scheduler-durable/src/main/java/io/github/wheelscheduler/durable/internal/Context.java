package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableCounts;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** What a node has from the beginning. Its parts may be used by any thread. */
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

    WheelScheduledExecutor workers() {
        return groups.workers();
    }

    WheelScheduledExecutor jobs() {
        return groups.jobs();
    }

    /** Says that a run has ended, and that its row will never be told so: it is found and given back. Throws nothing. */
    void unwritten(Claim claim, Throwable why) {
        tally.failed.incrementAndGet();
        try {
            ThrownLog.error(
                    LOGGER,
                    "The durable task " + claim + " has run, but its end could not be written: it will run again",
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
