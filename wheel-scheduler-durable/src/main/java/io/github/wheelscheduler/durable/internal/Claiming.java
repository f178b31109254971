package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.DurableNode.Context;
import io.github.wheelscheduler.durable.internal.InHand.Claim;
import io.github.wheelscheduler.durable.internal.Runs.Outcome;
import io.github.wheelscheduler.durable.internal.TaskTable.Candidates;
import io.github.wheelscheduler.durable.internal.TaskTable.Due;
import io.github.wheelscheduler.durable.internal.TaskTable.RowKey;
import io.github.wheelscheduler.durable.internal.TaskTable.TaskRow;
import io.github.wheelscheduler.internal.LogLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/**
 * Claims rows ahead of their time and starts them when they are due.
 *
 * <pre>
 *  look: how much is due of which handler --> plan: what will start here soon --> claim that --> in hand, and a turn on the wheel for each
 *  turn: a worker is free and something is due --> what is next by turns of handlers --> run
 * </pre>
 *
 * A row in hand waits without a thread, and for no statement when its time comes. A turn is not for its row: it starts the row that is next then, so that a
 * backlog of one handler does not stand before the others. One thread looks at a time; any thread has a turn.
 */
final class Claiming {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private static final int BATCH = 200;
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(1);
    private static final int LOOKS_PER_CLAIM_AHEAD = 5;
    private static final int LOOKS_AHEAD = 2;
    private static final int UNREADABLE_AT_A_LOOK = 3;
    private static final long ASK_AGAIN_NANOS = 200_000_000;
    private static final int PART_OF_TIME = 50;
    private static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;

    private final Context context;
    private final Tables tables;
    private final NodeLife life;
    private final InHand inHand;
    private final Runs runs;
    private final Ends ends;
    private final Runnable claimSoon;
    private final LogLimit held;

    /** When this node began, by the database's clock: what no node could read is tried once since then. */
    private final Instant startedAt;

    private final ReentrantLock looking = new ReentrantLock();
    private final Set<Turn> turns = ConcurrentHashMap.newKeySet();

    // Who looks

    private final LowWater lowWater = new LowWater();

    /** Up to which time the unreadable rows of a handler have been tried since the start; the end of time if all have. */
    private final Map<String, Instant> sweptTo = new HashMap<>();

    private int nextUnreadable;

    /** When rows were last read that this node may know nothing of, and how long that took: no more than a part of the time. */
    private long unknownNanos;

    private long unknownTakenNanos;

    // Who looks writes it, who runs reads it

    /** Whether there was more than could be claimed. */
    private volatile boolean isBehind;

    /** When a look has begun, or claimed something last; 0 while there is none. */
    private volatile long lookStartNanos;

    /** Half of what was waiting after the last look that left something. */
    private volatile int runsLow;

    private final AtomicBoolean isAllAsked = new AtomicBoolean();

    private volatile boolean hasAsked;

    /** Whether something was given back and no worker has become free since then. */
    private volatile boolean isStuck;

    Claiming(Context context, Tables tables, NodeLife life, Runs runs, Ends ends, Runnable claimSoon) {
        this.context = context;
        this.tables = tables;
        this.life = life;
        this.inHand = context.inHand();
        this.runs = runs;
        this.ends = ends;
        this.claimSoon = claimSoon;
        this.held = new LogLimit(workers()::nanoTime);
        this.startedAt = context.clock().now();
    }

    private WheelScheduledExecutor workers() {
        return context.groups().workers();
    }

    /** Returns how often a node looks: often enough to see each row about a second before it is due, and a pause soon. */
    static Duration lookEvery(DurableSettings settings) {
        Duration pause = settings.claimAhead().multipliedBy(LOOKS_AHEAD).dividedBy(LOOKS_PER_CLAIM_AHEAD);
        return pause.compareTo(LONGEST_LOOK) < 0 ? pause : LONGEST_LOOK;
    }

    // Looking

    /** Gives back what another node may start sooner, and claims what this one can start; or gives all back that waits. */
    void look(BooleanSupplier mayClaim) {
        beginLook();
        try {
            if (!mayClaim.getAsBoolean()) {
                giveBack(inHand.removeWaiting());
                return;
            }
            List<Claim> stuck =
                    inHand.removeStuck(context.clock().now(), workers().nanoTime());
            if (!stuck.isEmpty()) {
                isStuck = true;
                giveBack(stuck);
            }
            reportHolder();
            boolean more = mayClaimMore();
            while (more) {
                more = claimSome() && mayClaimMore() && mayClaim.getAsBoolean();
                lookStartNanos = nowNanos();
            }
        } finally {
            endLook();
        }
    }

    private void beginLook() {
        looking.lock();
        lookStartNanos = nowNanos();
    }

    private void endLook() {
        lookStartNanos = 0;
        looking.unlock();
    }

    /** Never 0, which is the time of no look. */
    private long nowNanos() {
        return workers().nanoTime() | 1;
    }

    /** Whether a look has not come on for so long. Any thread. */
    boolean isLookingFor(Duration time) {
        long startNanos = lookStartNanos;
        return startNanos != 0 && workers().nanoTime() - startNanos > time.toNanos();
    }

    /** Who has given something back waits for a worker. */
    private boolean mayClaimMore() {
        return !isStuck || inHand.running() < context.settings().maxConcurrent();
    }

    /** Gives back all that waits. */
    void giveBackWaiting() {
        look(() -> false);
    }

    /** Forgets what waits: it belongs to an incarnation that others have found dead. */
    void dropWaiting() {
        int dropped = inHand.removeWaiting().size();
        long ignored = context.tally().lost.addAndGet(dropped);
    }

    private void giveBack(List<Claim> claims) {
        if (!claims.isEmpty()) {
            int ignored =
                    tables.tasks().giveBack(claims.stream().map(Claim::key).toList());
            context.tally().givenBack.addAndGet(claims.size());
            Instant now = context.clock().now();
            Instant mark = now.minus(LowWater.SLACK);
            if (claims.stream().anyMatch(claim -> claim.dueAt().isBefore(mark))) {
                boolean unused = tables.nodes().askForFullLook(life.incarnation());
            }
            Instant nextLook = now.plus(lookEvery(context.settings()));
            if (claims.stream().anyMatch(claim -> !claim.dueAt().isAfter(nextLook))) {
                context.nudges().tell(Nudges.LOOK, "");
            }
        }
    }

    private void reportHolder() {
        String holder = inHand.holder(workers().nanoTime());
        if (holder != null && held.tryPass() >= 0) {
            LOGGER.warn("All " + context.settings().maxConcurrent()
                    + " workers of durable tasks have been busy for longer than usual, most of them with '" + holder
                    + "': this node claims nothing until one is free");
        }
    }

    /** Returns whether there is more to claim at once. */
    private boolean claimSome() {
        List<String> names = context.handlers().oneTimeNames().stream()
                .filter(name -> !ends.isClogged(name))
                .toList();
        Map<String, Candidates> due = countDue(names);
        context.availability().isThere();
        Map<String, Integer> counts = new HashMap<>();
        due.forEach((name, candidates) -> counts.put(name, (int) candidates.count()));
        Map<String, Integer> plan = inHand.toClaim(
                counts, context.handlers().bounds(), room(), workers().nanoTime());
        List<TaskRow> rows = claim(plan, due);
        lowWater.move(names, due, rows, context.clock().now());
        isBehind = counts.values().stream().mapToInt(Integer::intValue).sum() > rows.size();
        runsLow = inHand.waiting() / 2;
        // What others have locked meanwhile is theirs; what there is beyond a batch is looked for at once.
        return !rows.isEmpty() && plan.values().stream().anyMatch(count -> count == BATCH);
    }

    /** Lets the next look be at all that waits. Any thread. */
    void lookAtAll() {
        isAllAsked.set(true);
    }

    private Map<String, Candidates> countDue(List<String> names) {
        long startNanos = nowNanos();
        if (isAllAsked.getAndSet(false)) {
            lowWater.ask();
        }
        if (!lowWater.isFullDue(startNanos)) {
            Due due = countDue(names, lowWater.marks(), true);
            lowWater.hear(due.fullLooks());
            if (!lowWater.isFullDue(startNanos)) {
                return due.candidates();
            }
        }
        try {
            Due due = countDue(names, Map.of(), false);
            lowWater.looked(startNanos, nowNanos());
            return due.candidates();
        } catch (DataAccessException ex) {
            if (!Availability.isOfStatement(ex)) {
                throw ex;
            }
            lowWater.failed(startNanos, nowNanos());
            LOGGER.debug("The database has ended a look at all that waits, as it takes too long", ex);
            return countDue(names, lowWater.marks(), false).candidates();
        }
    }

    private Due countDue(List<String> names, Map<String, Instant> marks, boolean fullLooksToo) {
        return tables.tasks()
                .countDue(
                        names,
                        BATCH,
                        context.handlers().recurringIds(),
                        context.settings().claimAhead(),
                        marks,
                        fullLooksToo);
    }

    private int room() {
        return context.settings().maxClaimed() - inHand.waiting() - ends.untold();
    }

    /** What is due before the earliest that has been counted is claimed, or of others. */
    private List<TaskRow> claim(Map<String, Integer> plan, Map<String, Candidates> due) {
        Map<String, Integer> limits = new HashMap<>(plan);
        List<String> recurring = new ArrayList<>();
        Map<String, Instant> earliest = new HashMap<>();
        plan.keySet()
                .forEach(name -> earliest.merge(
                        LowWater.nameOf(name),
                        Objects.requireNonNull(due.get(name)).earliest(),
                        LowWater::earlier));
        limits.keySet()
                .removeIf(name -> name.startsWith(Handler.RECURRING)
                        && recurring.add(name.substring(Handler.RECURRING.length())));
        long owner = life.incarnation();
        List<TaskRow> rows = tables.tasks()
                .claim(owner, context.settings().claimAhead(), limits, recurring, earliest, !inHand.hasSuspect());
        place(rows, owner);
        return rows;
    }

    private void place(List<TaskRow> rows, long owner) {
        List<Claim> refused = new ArrayList<>();
        for (TaskRow row : rows) {
            Claim claim = new Claim(row, owner);
            context.tally().claimed.incrementAndGet();
            if ((row.isSuspect() && inHand.hasSuspect()) || !place(claim)) {
                refused.add(claim);
            }
        }
        giveBack(refused);
    }

    /** Lets a claim wait for its time; false, and it is forgotten, if the executor does not take it. */
    private boolean place(Claim claim) {
        Handler<?> handler = context.handlers().find(claim.handlerName());
        inHand.add(claim, handler == null ? 1 : handler.mostRunning());
        try {
            arm(claim.dueAt());
            return true;
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("Not accepted: " + claim, ex);
            // Another turn may have started it.
            return !inHand.remove(claim);
        }
    }

    /** Tries some of the rows that no node could read, those of one handler at a time: all of them once since the start, and those whose pause is over. */
    void claimUnreadable(BooleanSupplier mayClaim) {
        beginLook();
        try {
            List<String> names = context.handlers().oneTimeNames();
            int limit = Math.min(UNREADABLE_AT_A_LOOK, room());
            if (names.isEmpty() || limit <= 0 || !mayClaim.getAsBoolean() || !mayClaimMore()) {
                return;
            }
            String name = names.get(Math.floorMod(nextUnreadable++, names.size()));
            long owner = life.incarnation();
            Instant swept = sweptTo.getOrDefault(name, Instant.EPOCH);
            List<TaskRow> rows = swept.equals(Instant.MAX)
                    ? tables.tasks().claimUnreadable(owner, name, limit)
                    : tables.tasks().claimUnreadable(owner, name, swept, startedAt, limit);
            if (!swept.equals(Instant.MAX)) {
                Instant ignored = sweptTo.put(
                        name,
                        rows.isEmpty() ? Instant.MAX : rows.get(rows.size() - 1).dueAt());
            }
            Instant now = context.clock().now();
            place(rows.stream().map(row -> row.dueBy(now)).toList(), owner);
        } finally {
            endLook();
        }
    }

    /** Ends what this node has been asked to end: what waits does not start, and what runs is interrupted. */
    void endAsked() {
        hasAsked = true;
        boolean isInHand = true;
        Instant now = context.clock().now();
        for (RowKey row : tables.tasks().askedOf(life.incarnation())) {
            Claim claim = inHand.find(row);
            if (claim == null) {
                // It may have been claimed just now, or is found and given back.
                isInHand = false;
            } else if (inHand.remove(claim)) {
                boolean ignored = tables.tasks().end(row, now, null);
            } else if (!claim.isAskedToEnd) {
                runs.interrupt(claim);
            }
        }
        hasAsked = !isInHand;
    }

    /** Whether something may still have to be ended that was asked for. */
    boolean hasAsked() {
        return hasAsked;
    }

    /** Gives back rows that this node has and knows nothing of: a claim whose answer was lost, or an end that could not be told. */
    void giveBackUnknown() {
        if (nowNanos() - unknownNanos < Math.min(LONGEST_PAUSE_NANOS, PART_OF_TIME * unknownTakenNanos)) {
            return;
        }
        // While nobody claims: what is claimed by then and not in hand is not going to be.
        beginLook();
        try {
            inHand.keepOnly(context.handlers().names());
            long startNanos = nowNanos();
            List<RowKey> unknown = inHand.missing(tables.tasks().ownedBy(life.incarnation()));
            unknownNanos = nowNanos();
            unknownTakenNanos = unknownNanos - startNanos;
            if (!unknown.isEmpty()) {
                int freed = tables.tasks().giveBack(unknown);
                boolean ignored = tables.nodes().askForFullLook(life.incarnation());
                context.nudges().tell(Nudges.LOOK, Nudges.OLD);
                LOGGER.info(freed + " durable tasks that this node had claimed without knowing can be claimed again");
            }
        } finally {
            endLook();
        }
    }

    /**
     * From when on looks read what waits. While a transaction elsewhere stays open, no database tidies up what has been claimed since then, and a look at all that waits reads
     * it. If that takes long, looks begin a second before now, or at what they have left, and one at all follows as often as takes one part of time in fifty, once a second at
     * least, or when a node asks for it. One thread at a time.
     */
    static final class LowWater {

        /** What is scheduled for now, and committed at once, is in time. */
        static final Duration SLACK = Duration.ofSeconds(1);

        private static final long CHEAP_NANOS = 5_000_000;
        private static final long LONGEST_NANOS = 1_000_000_000;
        private static final long LONGEST_ASKED_NANOS = 200_000_000;
        private static final int LONGER_AFTER_FAILURE = 10;

        private final Map<String, Instant> marks = new HashMap<>();

        private boolean isAsked;
        private boolean hasFailed;
        private long fullLooks;
        private long lookedNanos;
        private long takenNanos;
        private long takenBeforeNanos;

        /** Returns from when on looks read, by name in the rows. */
        Map<String, Instant> marks() {
            return marks;
        }

        /** One that took long may have waited for a processor. */
        boolean isFullDue(long nowNanos) {
            long taken = Math.min(takenNanos, takenBeforeNanos);
            long longest = (isAsked ? LONGEST_ASKED_NANOS : LONGEST_NANOS) * (hasFailed ? LONGER_AFTER_FAILURE : 1);
            return taken < CHEAP_NANOS || nowNanos - lookedNanos >= Math.min(longest, PART_OF_TIME * taken);
        }

        /** Takes in how many looks at all that waits nodes have asked for; if these are others than before, the next one is soon. */
        void hear(long asked) {
            isAsked |= asked != fullLooks;
            fullLooks = asked;
        }

        /** Lets the next look at all that waits be soon. */
        void ask() {
            isAsked = true;
        }

        /** A look at all that waits has been taken. */
        void looked(long startNanos, long endNanos) {
            lookedNanos = endNanos;
            takenBeforeNanos = takenNanos;
            takenNanos = endNanos - startNanos;
            isAsked = false;
            hasFailed = false;
        }

        /** The same for one that the database has refused: it takes its part of the time, and no more. */
        void failed(long startNanos, long endNanos) {
            looked(startNanos, endNanos);
            takenBeforeNanos = takenNanos;
            hasFailed = true;
        }

        /** Lets the next look begin at the earliest that has been left, and a second ago at the latest. */
        void move(List<String> names, Map<String, Candidates> due, List<TaskRow> claimed, Instant now) {
            Instant latest = now.minus(SLACK);
            names.forEach(name -> marks.put(name, latest));
            Instant ignored = marks.put(Handler.RECURRING, latest);
            Map<String, Instant> last = new HashMap<>();
            Map<String, Integer> counts = new HashMap<>();
            for (TaskRow row : claimed) {
                // They are in the order in which they are due.
                ignored = last.put(row.key().handlerName(), row.dueAt());
                Integer unused = counts.merge(row.key().handlerName(), 1, Integer::sum);
            }
            due.forEach((name, candidates) -> {
                int count = counts.getOrDefault(name, 0);
                if (count < candidates.count() || count == BATCH) {
                    Instant unused = marks.merge(
                            nameOf(name), last.getOrDefault(name, candidates.earliest()), LowWater::earlier);
                }
            });
        }

        /** Returns the name in the rows of a handler. */
        static String nameOf(String handler) {
            return handler.startsWith(Handler.RECURRING) ? Handler.RECURRING : handler;
        }

        static Instant earlier(Instant one, Instant other) {
            return one.isBefore(other) ? one : other;
        }
    }

    // Turns

    /** On the wheel until something is due; then it starts what is next. Worker. */
    private final class Turn implements Runnable, ManagedTask {

        private volatile @Nullable WheelTimer<?> timer;

        @Override
        public void run() {
            boolean ignored = turns.remove(this);
            haveTurn();
        }

        /** Whether it is over, and has started nothing. */
        boolean isLost() {
            WheelTimer<?> armed = timer;
            return armed != null && armed.isDone();
        }

        /** The rejection handler has no say: a row is given back. */
        @Override
        public boolean isSteered() {
            return true;
        }

        /** A row is not lost because others fill the group. */
        @Override
        public boolean waitsWhenFull() {
            return true;
        }

        @Override
        public String taskName() {
            return DurableEngine.GROUP;
        }
    }

    private void arm(Instant at) {
        Instant now = context.clock().now();
        armIn(at.isAfter(now) ? Duration.between(now, at).toNanos() : 0);
    }

    private void armIn(long delayNanos) {
        Turn turn = new Turn();
        boolean ignored = turns.add(turn);
        try {
            turn.timer = workers().schedule(turn, delayNanos, TimeUnit.NANOSECONDS);
        } catch (Throwable ex) {
            ignored = turns.remove(turn);
            throw ex;
        }
    }

    /** Sees to it that there is a turn for each row that could start: some may have been lost, or have come too early as the database's clock was asked meanwhile. */
    void mendTurns() {
        boolean ignored = turns.removeIf(Turn::isLost);
        InHand.Startable startable = inHand.startable();
        try {
            for (int missing = startable.count() - turns.size(); missing > 0; missing--) {
                arm(startable.earliest());
            }
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("Not accepted now; the next heartbeat tries again", ex);
        }
    }

    private void haveTurn() {
        if (isBehind && inHand.waiting() <= runsLow) {
            claimSoon.run();
        }
        Instant now = context.clock().now();
        Claim claim = inHand.start(now, workers().nanoTime());
        if (claim == null) {
            mendTurns();
            return;
        }
        if (!mayStart(claim)) {
            return;
        }
        Outcome outcome = null;
        try {
            outcome = runs.run(claim, now);
            if (outcome.end() != null) {
                // Before its worker counts as free: closing waits for it then.
                ends.add(outcome.end());
            }
        } finally {
            if (outcome == null) {
                // Nobody knows how it has ended, so it is given back when that is found out.
                inHand.forget(claim);
            }
            ended(claim, outcome != null && outcome.hasRun());
        }
        ends.send();
        ends.awaitTurn();
        if (isBehind && inHand.waiting() <= runsLow && room() > 0) {
            // The room that ends took may be free again.
            claimSoon.run();
        }
    }

    /** Whether a claim is still this node's, as far as can be known. If not, it does not run any more: it waits again, or is forgotten. */
    private boolean mayStart(Claim claim) {
        boolean isAnswered = false;
        boolean isOurs = false;
        try {
            isOurs = isOurs(claim);
            isAnswered = true;
        } catch (RuntimeException ex) {
            context.availability().isAway(ex);
        } finally {
            if (!isOurs) {
                startNot(claim, isAnswered);
            }
        }
        return isOurs;
    }

    private void startNot(Claim claim, boolean isLost) {
        if (isLost) {
            inHand.forget(claim);
            ended(claim, false);
            context.tally().lost.incrementAndGet();
            LOGGER.warn(
                    "The durable task " + claim + " has been taken over by another node, as this one was not heard of");
            return;
        }
        // Nothing of it follows: another worker may start it at once.
        inHand.putBack(claim);
        try {
            armIn(ASK_AGAIN_NANOS);
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("Not accepted now; the next heartbeat tries again", ex);
        }
    }

    private boolean isOurs(Claim claim) {
        return claim.owner() == life.incarnation()
                && (!life.isDoubtful() || tables.tasks().isOurs(claim.owner(), claim.key()))
                && (!claim.row().isSuspect() || tables.tasks().mark(claim.key()))
                && hasPayload(claim);
    }

    private boolean hasPayload(Claim claim) {
        if (claim.payload == null) {
            claim.payload = tables.tasks().payload(claim.key());
        }
        return claim.payload != null;
    }

    private void ended(Claim claim, boolean counts) {
        boolean letsOthersStart = inHand.ended(claim, workers().nanoTime(), counts);
        if (letsOthersStart) {
            mendTurns();
        }
        boolean wasStuck = isStuck;
        isStuck = false;
        if (wasStuck || (isBehind && inHand.waiting() <= runsLow)) {
            claimSoon.run();
        }
    }
}
