package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.durable.internal.TaskTable.CancelProgress;
import io.github.wheelscheduler.durable.internal.row.OwnRetries;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.durable.internal.trace.Headers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * One-time tasks, as users schedule, move and look at them: their rows, and a look for the ones that are due soon. Any
 * thread.
 */
public class OneTimeTasks implements DurableTasks {

    private static final long PAUSE_NANOS = 50_000_000;
    private static final int TRIES = 3;

    protected final DurableNode node;
    protected final Database database;
    protected final Handlers handlers;
    protected final DatabaseClock clock;
    protected final DurableSettings settings;

    protected OneTimeTasks(DurableNode node) {
        this.node = node;
        this.database = node.database;
        this.handlers = node.context.handlers();
        this.clock = node.context.clock();
        this.settings = node.context.settings();
    }

    private @Nullable Headers dueAt(@Nullable Headers headers, Instant at) {
        return headers == null ? null : headers.dueIn(Duration.between(node.now(), at));
    }

    /**
     * If something has been changed that is due then, sees to it that it starts in time; returns whether it has been.
     */
    private boolean announced(boolean isChanged, String handler, Instant at) {
        if (isChanged) {
            node.due(handler, List.of(at));
        }
        return isChanged;
    }

    @Override
    public boolean schedule(String handler, String id, @Nullable Object payload, Instant at) {
        Arguments.requireNewTask(handler, id);
        Arguments.requireTime(at);
        node.requireKnown(handler);
        byte[] data = node.context.write(handler, payload);
        Tables tables = database.tables();
        Run own = Run.currentOf(handler, id);
        boolean isScheduled = database.traces.scheduling(
                handler,
                1,
                headers -> own != null
                        ? own.scheduleNext(tables.ends(), data, at, OwnRetries.NONE, headers)
                        : tables.tasks().insert(handler, id, data, at, OwnRetries.NONE, dueAt(headers, at)));
        // That of its own is due when this run has ended, which says so.
        return own != null ? isScheduled : announced(isScheduled, handler, at);
    }

    @Override
    public boolean schedule(String handler, String id, @Nullable Object payload, Duration delay) {
        Arguments.requireNewTask(handler, id);
        Arguments.requireDelay(delay);
        if (Run.currentOf(handler, id) != null) {
            return schedule(
                    handler, id, payload, database.tables().tasks().now().plus(delay));
        }
        node.requireKnown(handler);
        byte[] data = node.context.write(handler, payload);
        TaskTable tasks = database.tables().tasks();
        boolean inserted = database.traces.scheduling(
                handler,
                1,
                headers -> tasks.insertIn(handler, id, data, delay, headers == null ? null : headers.dueIn(delay)));
        return announced(inserted, handler, node.now().plus(delay));
    }

    @Override
    public Replacement replace(String handler, String id, @Nullable Object payload, Instant at) {
        return replace(handler, new DurableRequest(id, payload, at));
    }

    @Override
    public Replacement replace(String handler, DurableRequest request) {
        String id = request.id();
        Instant at = request.at();
        Arguments.requireNewTask(handler, id);
        Arguments.requireTime(at);
        node.requireKnown(handler);
        byte[] data = node.context.write(handler, request.payload());
        OwnRetries retries = OwnRetries.of(request.retries());
        TaskTable tasks = database.tables().tasks();
        Replacement done = database.traces.scheduling(handler, 1, headers -> {
            Headers due = dueAt(headers, at);
            int tries = 0;
            do {
                if (tasks.replace(handler, id, data, at, retries, due)) {
                    return Replacement.REPLACED;
                }
                if (tasks.insert(handler, id, data, at, retries, due)) {
                    return Replacement.SCHEDULED;
                }
                // Perhaps it has only just come.
            } while (++tries < TRIES && !tasks.isClaimed(handler, id));
            return Replacement.RUNNING;
        });
        boolean ignored = announced(done != Replacement.RUNNING, handler, at);
        return done;
    }

    @Override
    public int scheduleAll(String handler, List<DurableRequest> requests) {
        Arguments.requireNewHandler(handler);
        List<DurableRequest> sorted = new ArrayList<>(requests);
        sorted.sort(Comparator.comparing(DurableRequest::id));
        int count = sorted.size();
        String[] ids = new String[count];
        byte[][] data = new byte[count][];
        Instant[] times = new Instant[count];
        OwnRetries[] retries = new OwnRetries[count];
        for (int i = 0; i < count; i++) {
            DurableRequest request = sorted.get(i);
            Arguments.requireName("id", request.id());
            Arguments.requireTime(request.at());
            ids[i] = request.id();
            data[i] = node.context.write(handler, request.payload());
            times[i] = request.at();
            retries[i] = OwnRetries.of(request.retries());
        }
        if (count == 0) {
            return 0;
        }
        node.requireKnown(handler);
        Tables tables = database.tables();
        int inserted = database.traces.scheduling(handler, count, headers -> {
            @Nullable Headers[] due = new @Nullable Headers[count];
            int next = 0;
            for (int i = 0; i < count; i++) {
                due[i] = dueAt(headers, times[i]);
                Run own = Run.currentOf(handler, ids[i]);
                next += own != null && own.scheduleNext(tables.ends(), data[i], times[i], retries[i], due[i]) ? 1 : 0;
            }
            // The row of the own run is there, and left out.
            return next + tables.tasks().insertAll(handler, ids, data, times, retries, due);
        });
        if (inserted > 0) {
            node.due(handler, List.of(times));
        }
        return inserted;
    }

    @Override
    public boolean cancel(String handler, String id) {
        return node.steering().ofTask("cancel", handler, id, () -> {
            Arguments.requireTask(handler, id);
            return cancelled(database.tables().tasks().delete(handler, id), handler, id);
        });
    }

    /** If a task has been deleted, tells listeners so when that is committed; returns whether it has been. */
    private boolean cancelled(boolean isDeleted, String handler, String id) {
        if (isDeleted) {
            node.context.listeners().tellCancelled(handler, id);
        }
        return isDeleted;
    }

    @Override
    public Cancellation cancel(String handler, String id, Duration limit) {
        return node.steering().cancel(handler, id, () -> cancelWithin(handler, id, limit));
    }

    private Cancellation cancelWithin(String handler, String id, Duration limit) {
        Arguments.requireTask(handler, id);
        Arguments.requireWait(limit);
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "cancel with a limit must be called within no transaction, as another node answers");
        }
        TaskTable tasks = database.tables().tasks();
        long endNanos = clock.nanoTime() + limit.toNanos();
        boolean isAsked = false;
        int tries = 0;
        long waitedNanos = 0;
        while (true) {
            CancelProgress progress = tasks.cancelProgress(handler, id);
            if (progress == null || (isAsked && !progress.isAsked())) {
                // Another one of this id, perhaps.
                return Cancellation.ABSENT;
            }
            if (progress.state() != RowState.CLAIMED) {
                if (tasks.deleteUnlocked(handler, id, progress.isAsked())) {
                    boolean ignored = progress.isAsked() || cancelled(true, handler, id);
                    return isAsked && progress.hasRun() ? Cancellation.INTERRUPTED : Cancellation.CANCELLED;
                }
                if (++tries < TRIES) {
                    // It has just been claimed, perhaps.
                    continue;
                }
            } else if (!isAsked) {
                isAsked = tasks.askToEnd(handler, id);
                if (isAsked) {
                    node.tellToEnd();
                } else if (++tries < TRIES) {
                    // It has just gone, perhaps.
                    continue;
                }
            }
            // Virtual time may stand still meanwhile.
            if (clock.nanoTime() - endNanos >= 0
                    || (clock.isVirtual() && waitedNanos >= limit.toNanos())
                    || Thread.currentThread().isInterrupted()) {
                if (progress.state() != RowState.CLAIMED) {
                    return Cancellation.RUNNING;
                }
                Instant heardAt = progress.heardAt();
                return heardAt == null
                                || heardAt.isBefore(
                                        tasks.now().minus(settings.deadAfter().dividedBy(2)))
                        ? Cancellation.UNHEARD
                        : Cancellation.RUNNING;
            }
            node.context.groups().executor().timeSource().pass(this, PAUSE_NANOS);
            waitedNanos += PAUSE_NANOS;
        }
    }

    @Override
    public boolean reschedule(String handler, String id, Instant at) {
        return node.steering().ofTask("reschedule", handler, id, () -> {
            Arguments.requireTask(handler, id);
            Arguments.requireTime(at);
            return announced(database.tables().tasks().move(handler, id, at), handler, at);
        });
    }

    @Override
    public boolean retry(String handler, String id) {
        return node.steering().ofTask("retry", handler, id, () -> {
            Arguments.requireTask(handler, id);
            Instant now = database.tables().tasks().now();
            return announced(database.tables().tasks().retry(handler, id), handler, now);
        });
    }

    @Override
    public Optional<DurableTask> find(String handler, String id) {
        Arguments.requireTask(handler, id);
        return database.tables().tasks().find(handler, id);
    }

    @Override
    public List<DurableTask> list(
            String handler, DurableTask.@Nullable State state, @Nullable String afterId, int limit) {
        Arguments.requireHandler(handler);
        if (afterId != null && !afterId.isEmpty()) {
            Arguments.requireName("afterId", afterId);
        }
        Arguments.requireLimit(limit);
        return database.tables().tasks().list(handler, state, afterId, limit);
    }
}
