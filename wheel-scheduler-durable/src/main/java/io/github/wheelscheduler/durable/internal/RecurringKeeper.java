package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the rows of the recurring tasks of this node: makes them, also when they have gone, says that a node knows them, and forgets what none has known for long. One thread at
 * a time; any thread adds a task.
 */
final class RecurringKeeper {

    /** A row says so often in the time after which it is forgotten that a node knows it. */
    private static final int KNOWN_TIMES = 4;

    private final DurableSettings settings;
    private final DatabaseClock clock;
    private final Handlers handlers;
    private final Runnable claimSoon;

    /** Whose rows have been made, as far as this node knows. */
    private final Set<Handler<?>> planted = ConcurrentHashMap.newKeySet();

    private @Nullable Instant lastKnown;

    RecurringKeeper(DurableSettings settings, DatabaseClock clock, Handlers handlers, Runnable claimSoon) {
        this.settings = settings;
        this.clock = clock;
        this.handlers = handlers;
        this.claimSoon = claimSoon;
    }

    /** Adds a task, whose row is made soon; returns what ends it on this node. */
    Runnable repeat(String id, Recurrence recurrence, boolean skipsMissed, Runnable body) {
        Arguments.requireRecurringId(id);
        Objects.requireNonNull(recurrence, "recurrence must not be null");
        Objects.requireNonNull(body, "body must not be null");
        Handler<Void> handler = new Handler<>(
                Handler.RECURRING + id,
                Void.class,
                RetryPolicy.DEFAULT,
                Integer.MAX_VALUE,
                null,
                null,
                (payload, run) -> body.run(),
                recurrence,
                skipsMissed);
        handlers.add(handler);
        return () -> {
            handlers.remove(handler);
            boolean ignored = planted.remove(handler);
        };
    }

    /** Makes the rows that have not been made. While another node runs a task, its new schedule waits. */
    synchronized void plant(Tables tables) {
        boolean isPlanted = false;
        for (Handler<?> handler : handlers.recurring()) {
            if (!planted.contains(handler)) {
                isPlanted |= plantOrReport(tables, handler);
            }
        }
        if (isPlanted) {
            claimSoon.run();
        }
    }

    /** A schedule that fails keeps no other from being made. */
    private boolean plantOrReport(Tables tables, Handler<?> handler) {
        try {
            return plant(tables, handler);
        } catch (RuntimeException ex) {
            if (Availability.isOfDatabase(ex)) {
                throw ex;
            }
            LOGGER.error(
                    "The schedule of the durable task " + handler.id() + " has failed, so its row is not made", ex);
            boolean ignored = planted.add(handler);
            return false;
        }
    }

    private boolean plant(Tables tables, Handler<?> handler) {
        Recurrence recurrence = Objects.requireNonNull(handler.recurrence());
        Instant first = recurrence.first(clock.now());
        if (first != null
                && !tables.recurring().plant(handler.id(), recurrence.text(), Arguments.atMostLatest(first))) {
            return false;
        }
        tables.recurring().know(List.of(handler.id()), settings.forgetAfter().dividedBy(KNOWN_TIMES));
        return planted.add(handler) && first != null;
    }

    /** Makes rows, too; finds out which rows have gone, says which ones this node knows, and then forgets rows that no node knows. */
    synchronized void keep(Tables tables) {
        plant(tables);
        Set<String> there = tables.recurring().ids();
        boolean ignored = planted.removeIf(handler -> !there.contains(handler.id()));
        Instant now = clock.now();
        Duration within = settings.forgetAfter().dividedBy(KNOWN_TIMES);
        if (lastKnown == null || lastKnown.plus(within).isBefore(now)) {
            tables.recurring().know(handlers.recurringIds(), within);
            lastKnown = now;
        }
        int gone = tables.recurring().forget(settings.forgetAfter());
        if (gone > 0) {
            LOGGER.info(gone + " recurring durable tasks were known by no node for " + settings.forgetAfter()
                    + ", and are forgotten");
        }
    }
}
