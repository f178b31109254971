package io.github.wheelscheduler.durable;

import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.dao.DataAccessException;

/** Registers the recurring tasks of this node, and has keepers make their rows, again and again until the database takes them. Any thread. */
final class RecurringRegistrar {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private static final long PLANT_AGAIN_MILLIS = 1_000;

    private final NodeGroups groups;
    private final Database database;
    private final DatabaseClock clock;
    private final Handlers handlers;
    private final Availability availability;
    private final NodeState state;
    private final NodeLoops loops;

    RecurringRegistrar(
            NodeGroups groups,
            Database database,
            DatabaseClock clock,
            Handlers handlers,
            Availability availability,
            NodeState state,
            NodeLoops loops) {
        this.groups = groups;
        this.database = database;
        this.clock = clock;
        this.handlers = handlers;
        this.availability = availability;
        this.state = state;
        this.loops = loops;
    }

    /** Registers a task, whose row is made when the database answers; returns what ends it on this node. */
    Runnable repeat(String id, Recurrence recurrence, boolean skipsMissed, Runnable body) {
        Arguments.requireRecurringId(id);
        Handler<Void> handler = Handler.ofRecurring(
                id,
                Objects.requireNonNull(recurrence, "recurrence must not be null"),
                skipsMissed,
                Objects.requireNonNull(body, "body must not be null"));
        handlers.add(handler);
        // In this order: whoever connects says so before it looks for handlers, so at least one of both plants it.
        if (state.isConnected()) {
            plantSoon(handler, 0);
        }
        return () -> handlers.remove(handler);
    }

    /** Makes the rows of all that have been registered until now. */
    void plantAll() {
        handlers.recurring().forEach(handler -> plantSoon(handler, 0));
    }

    private void plantSoon(Handler<?> handler, long delayMillis) {
        try {
            Object ignored = groups.keepers().schedule(() -> plant(handler), delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("Closed before the row of " + handler.name() + " was made");
        }
    }

    /** Makes the row of a recurring task, or gives it another schedule. While another node runs it, that waits. */
    private void plant(Handler<?> handler) {
        Recurrence recurrence = handler.recurrence();
        if (recurrence == null || state.isClosed() || !handlers.has(handler)) {
            return;
        }
        boolean isPlanted = false;
        try {
            Instant first = recurrence.first(clock.now());
            isPlanted = first == null || database.recurring().plant(handler.name(), recurrence.text(), first);
            loops.claimSoon();
        } catch (DataAccessException ex) {
            availability.isAway(ex);
        } finally {
            if (!isPlanted) {
                plantSoon(handler, PLANT_AGAIN_MILLIS);
            }
        }
    }
}
