package io.github.wheelscheduler.durable;

import com.github.kagkarlsson.scheduler.TaskRepository;
import com.github.kagkarlsson.scheduler.task.Execution;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.Claim.Moment;
import io.github.wheelscheduler.durable.Claim.RowKey;
import io.github.wheelscheduler.durable.Database.HeldConnection;
import io.github.wheelscheduler.durable.DurableCounts.Tally;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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
    private static final int BACKLOG_PER_WORKER = 4;
    private static final int LOOKS_BEFORE_FREED = 2;
    private static final int FREED_IN_A_BATCH = 50;
    private static final long ASK_AGAIN_NANOS = 200_000_000;

    private final DurableSettings settings;
    private final WheelScheduledExecutor workers;
    private final DatabaseClock clock;
    private final HeldConnection held;
    private final TaskTable table;
    private final TaskRepository repository;
    private final Handlers handlers;
    private final Availability availability;
    private final Tally tally;
    private final Runs runs;
    private final Map<RowKey, Claim> all = new ConcurrentHashMap<>();

    /** How often each row has been looked at that shows no life; only who frees them. */
    private Map<RowKey, Integer> suspects = Map.of();

    /** How much of what is overdue may wait here. */
    private final int mostOverdue;

    /** Whether the last batch was full of what was overdue. Writer: who claims, one at a time. */
    private volatile boolean isBehind;

    Claims(
            DurableSettings settings,
            WheelScheduledExecutor workers,
            DatabaseClock clock,
            HeldConnection held,
            TaskTable table,
            TaskRepository repository,
            Handlers handlers,
            Availability availability,
            Tally tally,
            Runs runs) {
        this.settings = settings;
        this.workers = workers;
        this.clock = clock;
        this.held = held;
        this.table = table;
        this.repository = repository;
        this.handlers = handlers;
        this.availability = availability;
        this.tally = tally;
        this.runs = runs;
        this.mostOverdue = Math.min(settings.maxClaimed(), BACKLOG_PER_WORKER * settings.maxConcurrent());
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
        int overdue = overdue(now);
        List<Execution> refused = new ArrayList<>();
        for (Execution row : rows) {
            boolean isOverdue = !row.getExecutionTime().isAfter(now);
            overdue += isOverdue ? 1 : 0;
            // What is too much for this node may be just right for another one.
            if ((isOverdue && overdue > mostOverdue) || !place(new Claim(this, row, before), now)) {
                refused.add(row);
            }
        }
        if (!refused.isEmpty()) {
            repository.unpickPickedBatch(refused);
        }
        boolean isFull = rows.size() == room;
        isBehind = !refused.isEmpty()
                || (isFull && !rows.get(rows.size() - 1).getExecutionTime().isAfter(now));
        return isFull && !isBehind;
    }

    private int overdue(Instant now) {
        int overdue = 0;
        for (Claim claim : all.values()) {
            overdue += claim.isWaiting() && !claim.dueAt().isAfter(now) ? 1 : 0;
        }
        return overdue;
    }

    private int room(Instant now) {
        int overdue = overdue(now);
        int left = settings.maxClaimed() - tally.waiting.get();
        return overdue >= mostOverdue ? 0 : Math.min(left, isBehind ? mostOverdue - overdue : BATCH);
    }

    /** Whether more should be claimed now that a run has begun: there is more that is overdue, and little of it is left here. */
    private boolean runsLow() {
        return isBehind && tally.waiting.get() <= mostOverdue / 2;
    }

    /** Lets a claim wait for its time; false, and it is forgotten, if the executor does not take it. */
    private boolean place(Claim claim, Instant now) {
        tally.claimed.incrementAndGet();
        int ignored = tally.waiting.incrementAndGet();
        Claim unused = all.put(claim.key(), claim);
        try {
            arm(claim, now);
            return true;
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("Not accepted: " + claim, ex);
            // Somebody else may have found it stranded.
            return !forgetWaiting(claim);
        }
    }

    /** Takes a claim away that has not started; false if it has, or somebody was faster. */
    private boolean forgetWaiting(Claim claim) {
        if (!claim.takeAway()) {
            return false;
        }
        int ignored = tally.waiting.decrementAndGet();
        forget(claim);
        return true;
    }

    private void arm(Claim claim, Instant now) {
        armIn(
                claim,
                claim.dueAt().isAfter(now)
                        ? Duration.between(now, claim.dueAt()).toNanos()
                        : 0);
    }

    private void armIn(Claim claim, long delayNanos) {
        claim.armed(workers.schedule(claim, delayNanos, TimeUnit.NANOSECONDS));
    }

    // Running

    /** Its time has come. Worker. If that fails before it has started, it is stranded, and the next heartbeat gives it back. */
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
            if (table.beat(List.of(claim.key()))[0]) {
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

    /**
     * Tells the database which rows are alive, takes leave of those that it gave to others, and gives back those that nothing is going to run. One thread at
     * a time.
     */
    void beat() {
        Moment before = Moment.now(workers);
        Instant now = clock.now().minus(settings.heartbeat());
        List<Claim> claims = new ArrayList<>();
        List<Execution> stranded = new ArrayList<>();
        for (Claim claim : all.values()) {
            if (claim.isStranded(now)) {
                if (forgetWaiting(claim)) {
                    stranded.add(claim.row());
                }
            } else if (claim.lastSeen().nanosUntil(before)
                    >= settings.heartbeat().toNanos() / 2) {
                claims.add(claim);
            }
        }
        claims.sort(Comparator.comparing(Claim::key));
        for (int from = 0; from < claims.size(); from += HEARTBEATS_IN_A_BATCH) {
            beat(claims.subList(from, Math.min(claims.size(), from + HEARTBEATS_IN_A_BATCH)));
        }
        if (!stranded.isEmpty()) {
            repository.unpickPickedBatch(stranded);
        }
    }

    private void beat(List<Claim> batch) {
        Moment before = Moment.now(workers);
        boolean[] ours =
                held.use(keeping -> keeping.beat(batch.stream().map(Claim::key).toList()));
        for (int i = 0; i < ours.length; i++) {
            if (ours[i]) {
                batch.get(i).seen(before);
            } else {
                lose(batch.get(i));
            }
        }
    }

    /**
     * Frees what other nodes have not been heard of for; returns how many rows. What this node has is alive, whatever it could say. A row is
     * looked at for two heartbeats before: while it was locked, its node could say nothing, and does so then. One thread at a time.
     */
    int freeDead() {
        List<RowKey> dead = new ArrayList<>();
        Duration suspicious = settings.deadAfter().minus(settings.heartbeat().multipliedBy(LOOKS_BEFORE_FREED));
        Map<RowKey, Integer> looks = new HashMap<>();
        for (RowKey row : held.use(keeping -> keeping.dead(suspicious))) {
            if (!all.containsKey(row)) {
                int look = suspects.getOrDefault(row, 0) + 1;
                if (look > LOOKS_BEFORE_FREED) {
                    dead.add(row);
                }
                Integer ignored = looks.put(row, look);
            }
        }
        suspects = looks;
        return free(dead);
    }

    /** Frees rows for as long as heartbeats can wait; the others are found again. */
    private int free(List<RowKey> dead) {
        long startNanos = workers.nanoTime();
        int freed = 0;
        for (int from = 0;
                from < dead.size()
                        && workers.nanoTime() - startNanos
                                < settings.heartbeat().toNanos();
                from += FREED_IN_A_BATCH) {
            List<RowKey> batch = dead.subList(from, Math.min(dead.size(), from + FREED_IN_A_BATCH));
            freed += held.use(keeping -> keeping.freeDead(batch, settings.deadAfter()));
        }
        return freed;
    }

    /** The row is not this node's any more. If its run has just ended, that is as it should be. */
    private void lose(Claim claim) {
        if (forgetWaiting(claim)) {
            tally.lost.incrementAndGet();
            LOGGER.warn(
                    "The durable task " + claim + " has been taken over by another node, as this one was not heard of");
        }
    }

    /** Gives back what has not started. */
    void releaseWaiting() {
        List<Execution> rows = new ArrayList<>();
        for (Claim claim : all.values()) {
            if (forgetWaiting(claim)) {
                rows.add(claim.row());
            }
        }
        if (!rows.isEmpty()) {
            repository.unpickPickedBatch(rows);
        }
    }
}
