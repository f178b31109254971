package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.durable.internal.TaskTable.Ending;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** One-time tasks, as users schedule, move and look at them: their rows, and a look for the ones that are due soon. Any thread. */
public class OneTimeTasks implements DurableTasks {

    private static final long PAUSE_NANOS = 50_000_000;
    private static final int TRIES = 3;

    protected final DurableNode node;
    protected final Database database;
    protected final Handlers handlers;
    protected final DatabaseClock clock;
    protected final DurableSettings settings;

    private final Payloads payloads;

    protected OneTimeTasks(DurableNode node) {
        this.node = node;
        this.database = node.database;
        this.handlers = node.context.handlers();
        this.clock = node.context.clock();
        this.settings = node.context.settings();
        this.payloads = node.context.payloads();
    }

    /** If something has been changed that is due then, sees to it that it starts in time; returns whether it has been. */
    private boolean announced(boolean isChanged, String handler, Instant at) {
        if (isChanged) {
            node.due(handler, List.of(at));
        }
        return isChanged;
    }

    @Override
    public boolean schedule(String handler, String id, @Nullable Object payload, Instant at) {
        Arguments.requireTask(handler, id);
        Arguments.requireTime(at);
        node.requireKnown(handler);
        byte[] data = write(handler, payload);
        Tables tables = database.tables();
        Run own = Run.currentOf(handler, id);
        // That of its own is due when this run has ended, which says so.
        return own != null
                ? own.scheduleNext(tables.ends(), data, at, OwnRetries.NONE)
                : announced(tables.tasks().insert(handler, id, data, at), handler, at);
    }

    private byte[] write(String handler, @Nullable Object payload) {
        Handler<?> known = handlers.find(handler);
        return payloads.write(payload, known == null || known.payloadType() == Void.class ? null : known.payloadType());
    }

    @Override
    public boolean schedule(String handler, String id, @Nullable Object payload, Duration delay) {
        Arguments.requireTask(handler, id);
        Arguments.requireDelay(delay);
        if (Run.currentOf(handler, id) != null) {
            return schedule(
                    handler, id, payload, database.tables().tasks().now().plus(delay));
        }
        node.requireKnown(handler);
        boolean inserted = database.tables().tasks().insertIn(handler, id, write(handler, payload), delay);
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
        Arguments.requireTask(handler, id);
        Arguments.requireTime(at);
        node.requireKnown(handler);
        byte[] data = write(handler, request.payload());
        OwnRetries retries = OwnRetries.of(request.retries());
        TaskTable tasks = database.tables().tasks();
        Replacement done = tasks.replace(handler, id, data, at, retries)
                ? Replacement.REPLACED
                : tasks.insert(handler, id, data, at, retries) ? Replacement.SCHEDULED : Replacement.RUNNING;
        boolean ignored = announced(done != Replacement.RUNNING, handler, at);
        return done;
    }

    @Override
    public int scheduleAll(String handler, List<DurableRequest> requests) {
        Arguments.requireHandler(handler);
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
            data[i] = write(handler, request.payload());
            times[i] = request.at();
            retries[i] = OwnRetries.of(request.retries());
        }
        if (count == 0) {
            return 0;
        }
        node.requireKnown(handler);
        Tables tables = database.tables();
        int inserted = 0;
        for (int i = 0; i < count; i++) {
            Run own = Run.currentOf(handler, ids[i]);
            inserted += own != null && own.scheduleNext(tables.ends(), data[i], times[i], retries[i]) ? 1 : 0;
        }
        // The row of the own run is there, and left out.
        inserted += tables.tasks().insertAll(handler, ids, data, times, retries);
        if (inserted > 0) {
            node.due(handler, List.of(times));
        }
        return inserted;
    }

    @Override
    public boolean cancel(String handler, String id) {
        Arguments.requireTask(handler, id);
        return cancelled(database.tables().tasks().delete(handler, id), handler, id);
    }

    /** If a task has been deleted, tells listeners so when that is committed; returns whether it has been. */
    private boolean cancelled(boolean isDeleted, String handler, String id) {
        EndListeners listeners = node.context.listeners();
        if (isDeleted && listeners.areThere()) {
            DurableEnd end = new DurableEnd(DurableEnd.Kind.CANCELLED, handler, id, 0, null, null, null);
            if (TransactionSynchronizationManager.isSynchronizationActive()
                    && TransactionSynchronizationManager.isActualTransactionActive()) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        if (status == STATUS_COMMITTED) {
                            listeners.tell(end);
                        }
                    }
                });
            } else {
                listeners.tell(end);
            }
        }
        return isDeleted;
    }

    @Override
    public Cancellation cancel(String handler, String id, Duration limit) {
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
        while (true) {
            Ending ending = tasks.ending(handler, id);
            if (ending == null || (isAsked && !ending.isAsked())) {
                // Another one of this id, perhaps.
                return Cancellation.ABSENT;
            }
            if (ending.state() != RowState.CLAIMED) {
                if (ending.isAsked()
                        ? tasks.deleteAsked(handler, id)
                        : cancelled(tasks.delete(handler, id), handler, id)) {
                    return isAsked && ending.hasRun() ? Cancellation.INTERRUPTED : Cancellation.CANCELLED;
                }
                continue;
            }
            if (!isAsked) {
                isAsked = tasks.askToEnd(handler, id);
                if (isAsked) {
                    node.tellToEnd();
                } else if (++tries < TRIES) {
                    // It has just gone, perhaps.
                    continue;
                }
            }
            if (clock.nanoTime() - endNanos >= 0 || Thread.currentThread().isInterrupted()) {
                Instant heardAt = ending.heardAt();
                return heardAt == null
                                || heardAt.isBefore(
                                        tasks.now().minus(settings.deadAfter().dividedBy(2)))
                        ? Cancellation.UNHEARD
                        : Cancellation.RUNNING;
            }
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
    }

    @Override
    public boolean reschedule(String handler, String id, Instant at) {
        Arguments.requireTask(handler, id);
        Arguments.requireTime(at);
        return announced(database.tables().tasks().move(handler, id, at), handler, at);
    }

    @Override
    public boolean retry(String handler, String id) {
        Arguments.requireTask(handler, id);
        Instant now = database.tables().tasks().now();
        return announced(database.tables().tasks().retry(handler, id), handler, now);
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
