package io.github.wheelscheduler.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One-time tasks, as users schedule, move and look at them: their rows, and a look for those that are due soon. Any thread. */
final class OneTimeTasks implements DurableTasks {

    private final Database database;
    private final Payloads payloads;
    private final DatabaseClock clock;
    private final Duration claimAhead;
    private final Runnable claimSoonAfterCommit;

    OneTimeTasks(
            Database database,
            Payloads payloads,
            DatabaseClock clock,
            Duration claimAhead,
            Runnable claimSoonAfterCommit) {
        this.database = database;
        this.payloads = payloads;
        this.clock = clock;
        this.claimAhead = claimAhead;
        this.claimSoonAfterCommit = claimSoonAfterCommit;
    }

    @Override
    public boolean schedule(String handler, String id, @Nullable Object payload, Instant at) {
        Arguments.requireHandler(handler);
        Arguments.requireName("id", id);
        Arguments.requireTime(at);
        boolean inserted = database.table().insert(handler, id, payloads.write(payload), at);
        if (inserted) {
            claimSoonIfDueBy(at);
        }
        return inserted;
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
        Instant earliest = Instant.MAX;
        for (int i = 0; i < count; i++) {
            DurableRequest request = sorted.get(i);
            Arguments.requireName("id", request.id());
            Arguments.requireTime(request.at());
            ids[i] = request.id();
            data[i] = payloads.write(request.payload());
            times[i] = request.at();
            earliest = request.at().isBefore(earliest) ? request.at() : earliest;
        }
        int inserted = count == 0 ? 0 : database.table().insertAll(handler, ids, data, times);
        if (inserted > 0) {
            claimSoonIfDueBy(earliest);
        }
        return inserted;
    }

    @Override
    public boolean cancel(String handler, String id) {
        Arguments.requireHandler(handler);
        Arguments.requireName("id", id);
        return database.table().delete(handler, id);
    }

    @Override
    public boolean reschedule(String handler, String id, Instant at) {
        Arguments.requireHandler(handler);
        Arguments.requireName("id", id);
        Arguments.requireTime(at);
        boolean moved = database.table().move(handler, id, at);
        if (moved) {
            claimSoonIfDueBy(at);
        }
        return moved;
    }

    @Override
    public boolean retry(String handler, String id) {
        Arguments.requireHandler(handler);
        Arguments.requireName("id", id);
        Instant now = database.table().now();
        boolean isTried = database.table().retry(handler, id, now);
        if (isTried) {
            claimSoonIfDueBy(now);
        }
        return isTried;
    }

    @Override
    public Optional<DurableTask> find(String handler, String id) {
        Arguments.requireHandler(handler);
        Arguments.requireName("id", id);
        return database.table().find(handler, id);
    }

    @Override
    public List<DurableTask> list(
            String handler, DurableTask.@Nullable State state, @Nullable String afterId, int limit) {
        Arguments.requireHandler(handler);
        if (afterId != null && !afterId.isEmpty()) {
            Arguments.requireName("afterId", afterId);
        }
        Arguments.requireLimit(limit);
        return database.table().list(handler, state, afterId, limit);
    }

    /** Others see a row only when it is committed. */
    private void claimSoonIfDueBy(Instant at) {
        if (!at.isAfter(clock.now().plus(claimAhead))) {
            claimSoonAfterCommit.run();
        }
    }
}
