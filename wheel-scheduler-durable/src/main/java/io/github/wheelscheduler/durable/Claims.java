package io.github.wheelscheduler.durable;

import com.github.kagkarlsson.scheduler.TaskRepository;
import com.github.kagkarlsson.scheduler.task.Execution;
import io.github.wheelscheduler.WheelScheduledExecutor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The rows that this node has claimed, and those it claims next. What is claimed ahead of its time waits on the wheel, without a thread, and no row waits
 * for a statement when its time comes. What is overdue already is claimed in small batches, so that other nodes get their share.
 */
final class Claims {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private static final int BATCH = 200;
    private static final int HEARTBEATS_IN_A_BATCH = 500;
    private static final int LEAST_BACKLOG = 100;
    private static final int BACKLOG_PER_WORKER = 4;
    private static final long ASK_AGAIN_NANOS = 200_000_000;

    private final DurableSettings settings;
    private final WheelScheduledExecutor workers;
    private final DatabaseClock clock;
    private final TaskTable table;
    private final TaskRepository repository;
    private final Handlers handlers;
    private final Availability availability;
    private final Tally tally;
    private final Runs runs;
    private final Map<RowKey, Claim> all = new ConcurrentHashMap<>();

    /** How much of what is overdue may wait here. */
    private final int mostOverdue;

    /** Whether the last batch was full of what was overdue. Writer: who claims, one at a time. */
    private volatile boolean isBehind;

    Claims(
            DurableSettings settings,
            WheelScheduledExecutor workers,
            DatabaseClock clock,
            TaskTable table,
            TaskRepository repository,
            Handlers handlers,
            Availability availability,
            Tally tally,
            Runs runs) {
        this.settings = settings;
        this.workers = workers;
        this.clock = clock;
        this.table = table;
        this.repository = repository;
        this.handlers = handlers;
        this.availability = availability;
        this.tally = tally;
        this.runs = runs;
        this.mostOverdue =
                Math.min(settings.maxClaimed(), Math.max(LEAST_BACKLOG, BACKLOG_PER_WORKER * settings.maxConcurrent()));
    }

    // Claiming: one thread at a time

    /** Claims what is due soon, as far as there is room; returns whether there is more that could be claimed at once. */
    boolean claimSome() {
        if (handlers.names().isEmpty()) {
            return false;
        }
        int room = room(clock.now());
        if (room <= 0) {
            return false;
        }
        Moment before = Moment.now(workers);
        List<Execution> rows = repository.lockAndGetDue(clock.now(), room);
        availability.isThere();
        Instant now = clock.now();
        for (Execution row : rows) {
            place(new Claim(this, row, before), now);
        }
        boolean isFull = rows.size() == room;
        isBehind = isFull && !rows.get(rows.size() - 1).getExecutionTime().isAfter(now);
        return isFull && !isBehind;
    }

    private int room(Instant now) {
        int overdue = 0;
        for (Claim claim : all.values()) {
            overdue += claim.isWaiting() && !claim.dueAt().isAfter(now) ? 1 : 0;
        }
        if (overdue >= mostOverdue) {
            return 0;
        }
        return isBehind ? mostOverdue - overdue : Math.min(BATCH, settings.maxClaimed() - tally.waiting.get());
    }

    /** Whether more should be claimed now that a run has begun: there is more that is overdue, and little of it is left here. */
    private boolean runsLow() {
        return isBehind && tally.waiting.get() <= mostOverdue / 2;
    }

    private void place(Claim claim, Instant now) {
        tally.claimed.incrementAndGet();
        int ignored = tally.waiting.incrementAndGet();
        Claim unused = all.put(claim.key(), claim);
        try {
            arm(claim, now);
        } catch (RejectedExecutionException ex) {
            // Closing: it is given back with the others.
            LOGGER.debug("Not accepted any more: " + claim);
        }
    }

    private void arm(Claim claim, Instant now) {
        armIn(claim, Math.max(0, Duration.between(now, claim.dueAt()).toNanos()));
    }

    private void armIn(Claim claim, long delayNanos) {
        claim.armed(workers.schedule(claim, delayNanos, TimeUnit.NANOSECONDS));
    }

    // Running

    /** Its time has come. Worker. */
    void due(Claim claim) {
        Instant now = clock.now();
        if (now.isBefore(claim.dueAt())) {
            // The database's clock was asked meanwhile.
            arm(claim, now);
            return;
        }
        if (isDoubtful(claim) && !isStillOurs(claim)) {
            return;
        }
        if (!claim.start()) {
            return;
        }
        int ignored = tally.waiting.decrementAndGet();
        if (runsLow()) {
            runs.claimSoon();
        }
        runs.run(claim, now);
    }

    /** Whether the row may be somebody else's by now, as nobody knows to have told the database for long. */
    private boolean isDoubtful(Claim claim) {
        return claim.lastSeen().nanosUntil(Moment.now(workers))
                > settings.deadAfter().toNanos() / 2;
    }

    private boolean isStillOurs(Claim claim) {
        try {
            Moment before = Moment.now(workers);
            if (table.beat(List.of(claim.key()), clock.now())[0]) {
                claim.seen(before);
                return true;
            }
            lose(claim);
        } catch (RuntimeException ex) {
            availability.isAway(ex);
            armIn(claim, ASK_AGAIN_NANOS);
        }
        return false;
    }

    /** Forgets a row of which the database has been told how it ended. */
    void forget(Claim claim) {
        boolean ignored = all.remove(claim.key(), claim);
    }

    // Keeping

    /** Tells the database which rows are alive, and takes leave of those that it gave to others. One thread at a time. */
    void beat() {
        Moment before = Moment.now(workers);
        List<Claim> claims = new ArrayList<>();
        for (Claim claim : all.values()) {
            if (claim.lastSeen().nanosUntil(before) >= settings.heartbeat().toNanos() / 2) {
                claims.add(claim);
            }
        }
        for (int from = 0; from < claims.size(); from += HEARTBEATS_IN_A_BATCH) {
            List<Claim> batch = claims.subList(from, Math.min(claims.size(), from + HEARTBEATS_IN_A_BATCH));
            boolean[] ours = table.beat(batch.stream().map(Claim::key).toList(), clock.now());
            for (int i = 0; i < ours.length; i++) {
                if (ours[i]) {
                    batch.get(i).seen(before);
                } else {
                    lose(batch.get(i));
                }
            }
        }
    }

    /** The row is not this node's any more. If its run has just ended, that is as it should be. */
    private void lose(Claim claim) {
        if (claim.takeAway()) {
            int ignored = tally.waiting.decrementAndGet();
            tally.lost.incrementAndGet();
            LOGGER.warn(
                    "The durable task " + claim + " has been taken over by another node, as this one was not heard of");
            forget(claim);
        }
    }

    /** Gives back what has not started. */
    void releaseWaiting() {
        List<Execution> rows = new ArrayList<>();
        for (Claim claim : all.values()) {
            if (claim.takeAway()) {
                int ignored = tally.waiting.decrementAndGet();
                forget(claim);
                rows.add(claim.row());
            }
        }
        if (!rows.isEmpty()) {
            repository.unpickPickedBatch(rows);
        }
    }
}
