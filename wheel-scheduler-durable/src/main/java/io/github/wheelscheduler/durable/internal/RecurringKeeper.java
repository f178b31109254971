package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;
import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the rows of the recurring tasks of this node: makes them, also when they have gone, says that a node knows
 * them, and forgets what none has known for long. One thread at a time; any thread adds a task.
 */
final class RecurringKeeper {

    /** A row says so often in the time after which it is forgotten that a node knows it. */
    private static final int KNOWN_TIMES = 4;

    /** A row is deleted once this many rounds in a row have found it unknown to all nodes for long. */
    private static final int PATIENT_KEEPS = 3;

    private final DurableSettings settings;
    private final DatabaseClock clock;
    private final Handlers handlers;
    private final Runnable claimSoon;

    /** The schedules that this node declares, by id: other nodes hear of them before their rows are made. */
    private final Map<String, String> schedules = new ConcurrentSkipListMap<>();

    /** The ids of tasks that this node does not run, and knows. */
    private final Set<String> alsoKnown = ConcurrentHashMap.newKeySet();

    /** The ids that recurring tasks have which are made at run time, and of which the log has said so. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    /** Whether one of these has come. */
    private volatile boolean isMoreKnown;

    private @Nullable Instant lastKnown;

    /** The number of rounds that have found a row unknown to all nodes, by id; the lock of this guards it. */
    private final Map<String, Integer> unknown = new HashMap<>();

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
                (payload, run) -> {
                    body.run();
                    return DurableOutcome.done();
                },
                recurrence,
                skipsMissed);
        handlers.add(handler);
        return () -> {
            if (handlers.remove(handler)) {
                boolean ignored = handlers.planted.remove(handler);
                String unused = schedules.remove(id);
            }
        };
    }

    /** Lets a row be kept of a task that this node does not run. */
    void know(String id) {
        Arguments.requireRecurringId(id);
        boolean ignored = alsoKnown.add(id);
        isMoreKnown = true;
    }

    /** Returns the ids of the tasks that this node declares or knows. Any thread. */
    List<String> knownIds() {
        List<String> ids = new ArrayList<>(handlers.recurringIds());
        boolean ignored = ids.addAll(alsoKnown);
        return ids;
    }

    /** Whether this node declares a task of that id, or knows it. Any thread. */
    boolean has(String id) {
        return handlers.find(Handler.RECURRING + id) != null || alsoKnown.contains(id);
    }

    /** Finds out whether recurring tasks have been made at run time, as long as this node does not know it. */
    void learn(Tables tables) {
        if (!handlers.areMade && tables.made().areThere()) {
            handlers.areMade = true;
        }
    }

    /** Returns the schedules that this node declares, by id. Any thread. */
    Map<String, String> schedules() {
        return schedules;
    }

    /**
     * Makes the rows that have not been made.
     *
     * @param say tells other nodes of the schedules of this one
     */
    synchronized void plant(Tables tables, Runnable say) {
        List<Handler<?>> missing = handlers.recurring().stream()
                .filter(handler -> !handlers.planted.contains(handler) && orReport(handler, () -> declare(handler)))
                .toList();
        if (missing.isEmpty()) {
            return;
        }
        say.run();
        boolean isPlanted = false;
        for (Handler<?> handler : missing) {
            isPlanted |= orReport(handler, () -> plant(tables, handler));
        }
        if (isPlanted) {
            claimSoon.run();
        }
    }

    private boolean declare(Handler<?> handler) {
        String ignored = schedules.put(handler.id(), textOf(handler));
        // It may have been ended meanwhile.
        return handlers.find(handler.name()) == handler || schedules.remove(handler.id()) == null;
    }

    private static String textOf(Handler<?> handler) {
        return Objects.requireNonNull(handler.recurrence()).text();
    }

    /** A schedule that fails keeps no other from being made. */
    private boolean orReport(Handler<?> handler, BooleanSupplier step) {
        try {
            return step.getAsBoolean();
        } catch (Throwable ex) {
            if (ex instanceof OutOfMemoryError || DatabaseErrors.isOfDatabase(ex)) {
                throw ex;
            }
            ThrownLog.error(
                    LOGGER,
                    "The first run of the durable task " + handler.id()
                            + " could not be computed, so the task never runs. Fix its Recurrence, and start the "
                            + "node again",
                    ex);
            boolean ignored = planted(handler);
            return false;
        }
    }

    /** Notes that its row has been made; false if it has been ended meanwhile. */
    private boolean planted(Handler<?> handler) {
        boolean ignored = handlers.planted.add(handler);
        return handlers.find(handler.name()) == handler || !handlers.planted.remove(handler);
    }

    private boolean plant(Tables tables, Handler<?> handler) {
        if (tables.made().isThere(handler.id())) {
            if (refused.add(handler.id())) {
                LOGGER.error("The durable task " + handler.id() + " does not run on this node, as a recurring task that"
                        + " was made at run time has its id: give one of them another");
            }
            return false;
        }
        boolean wasRefused = refused.remove(handler.id());
        if (wasRefused) {
            LOGGER.info("The durable task " + handler.id()
                    + " runs on this node again, as the task made at run time that had its id is gone");
        }
        Recurrence recurrence = Objects.requireNonNull(handler.recurrence());
        Instant now = clock.now();
        Instant first = recurrence.first(now);
        if (!tables.declared()
                .plant(
                        handler.id(),
                        schedules.getOrDefault(handler.id(), textOf(handler)),
                        first == null ? null : Arguments.inCalendar(first),
                        now)) {
            return false;
        }
        tables.declared().know(List.of(handler.id()), settings.forgetAfter().dividedBy(KNOWN_TIMES));
        return planted(handler) && first != null;
    }

    /**
     * Makes rows, too; finds out which rows have gone, says which ones this node knows, and then forgets rows that no
     * node knows.
     */
    synchronized void keep(Tables tables, Runnable say) {
        plant(tables, say);
        Map<String, String> there = tables.declared().schedules();
        Set<String> made = handlers.areMade ? tables.made().among(handlers.recurringIds()) : Set.of();
        boolean ignored = handlers.planted.removeIf(
                handler -> made.contains(handler.id()) || isLost(tables, handler.id(), there.get(handler.id())));
        if (handlers.areMade) {
            tables.made().revive(clock.now());
        }
        sayKnown(tables);
        forget(tables);
    }

    /** The first node that wakes after a time in which none ran leaves others the time to say what they know. */
    private void forget(Tables tables) {
        List<String> found = tables.declared().unknown(settings.forgetAfter());
        boolean unused = unknown.keySet().retainAll(found);
        if (found.isEmpty()) {
            return;
        }
        if (found.stream().anyMatch(this::has)) {
            // The clock of this node may have stood still meanwhile.
            tables.declared().know(knownIds(), settings.forgetAfter().dividedBy(KNOWN_TIMES));
        }
        List<String> ids = found.stream()
                .filter(id -> !has(id) && (clock.isVirtual() || unknown.merge(id, 1, Integer::sum) >= PATIENT_KEEPS))
                .toList();
        int gone = tables.declared().forget(ids, settings.forgetAfter());
        if (gone > 0) {
            LOGGER.info(gone + " recurring durable tasks were declared by no node for "
                    + exactly(settings.forgetAfter())
                    + " (wheel.scheduler.durable.forget-after), so their rows are deleted");
        }
    }

    /** Says which rows this node knows, unless it has said so not long ago. */
    synchronized void sayKnown(Tables tables) {
        if (isToSayKnown()) {
            isMoreKnown = false;
            lastKnown = null;
            Instant now = clock.now();
            tables.declared().know(knownIds(), settings.forgetAfter().dividedBy(KNOWN_TIMES));
            lastKnown = now;
        }
    }

    /** Whether it has not said which rows it knows, or not for long. */
    synchronized boolean isToSayKnown() {
        return isMoreKnown
                || lastKnown == null
                || lastKnown.plus(settings.forgetAfter().dividedBy(KNOWN_TIMES)).isBefore(clock.now());
    }

    /** Whether a row is gone, or has a schedule that no node declares any more while this one declares another. */
    private boolean isLost(Tables tables, String id, @Nullable String schedule) {
        String declared = schedules.get(id);
        return schedule == null
                || (declared != null
                        && !declared.equals(schedule)
                        && !tables.nodes().declares(id, schedule));
    }
}
