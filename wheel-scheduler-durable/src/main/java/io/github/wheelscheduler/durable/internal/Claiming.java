package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.durable.DurableEnd.Kind;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.ClaimTable.Candidates;
import io.github.wheelscheduler.durable.internal.ClaimTable.Due;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.TaskRow.Made;
import io.github.wheelscheduler.internal.LogLimit;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/**
 * Claims rows ahead of their time, which {@link FairStarts} start when they are due.
 *
 * <pre>
 *  look: how much is due of which handler --> plan: what will start here soon --> claim that
 *      --> in hand, and a turn on the wheel for each
 *  turn: a worker is free and something is due --> what is next by turns of handlers --> run
 * </pre>
 *
 * A claimed row waits without a thread, and needs no statement when it is due. One thread looks at a time.
 */
final class Claiming {

    static final int BATCH = 200;
    static final int PART_OF_TIME = 50;
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(1);
    private static final int LOOKS_PER_CLAIM_AHEAD = 5;
    private static final int LOOKS_AHEAD = 2;
    private static final int UNREADABLE_AT_A_LOOK = 3;
    static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;

    private final Context context;
    private final Tables tables;
    private final NodeLife life;
    private final ClaimedTasks claimedTasks;
    private final Runs runs;
    private final EndWriter endWriter;
    private final FairStarts turns;
    private final LogLimit held;

    /** When this node began, by the database's clock: what no node could read is tried once since then. */
    private final Instant startedAt;

    private final ReentrantLock looking = new ReentrantLock();

    // Who looks

    private final ScanStart scanStart = new ScanStart();

    /**
     * Up to which time the unreadable rows of a handler have been tried since the start; the end of time if all have.
     */
    private final Map<String, Instant> sweptTo = new HashMap<>();

    private int nextUnreadable;

    /** Claims to give back whose rows others had locked. */
    private final List<Claim> locked = new ArrayList<>();

    /**
     * The time and the duration of the last search for rows that are not in this node's memory; the search takes a
     * bounded share of the time.
     */
    private long unknownNanos;

    private long unknownTakenNanos;

    /** When a look has begun, or claimed something last; 0 while there is none. Read by any thread. */
    private volatile long lookStartNanos;

    private final AtomicBoolean isAllAsked = new AtomicBoolean();

    private volatile boolean hasAsked;

    /** In virtual time, what the next look need not count. Writers: who moves time, and who looks. */
    private final AtomicReference<IdleRows.@Nullable NextDue> nextDue = new AtomicReference<>();

    Claiming(Context context, Tables tables, NodeLife life, Runs runs, EndWriter endWriter, FairStarts turns) {
        this.context = context;
        this.tables = tables;
        this.life = life;
        this.claimedTasks = context.claimedTasks();
        this.runs = runs;
        this.endWriter = endWriter;
        this.turns = turns;
        this.held = new LogLimit(context.workers()::nanoTime);
        this.startedAt = context.clock().now();
    }

    /**
     * Returns how often a node looks: often enough to see each row about a second before it is due, and a pause soon.
     */
    static Duration lookEvery(DurableSettings settings) {
        Duration pause = settings.claimAhead().multipliedBy(LOOKS_AHEAD).dividedBy(LOOKS_PER_CLAIM_AHEAD);
        return pause.compareTo(LONGEST_LOOK) < 0 ? pause : LONGEST_LOOK;
    }

    // Looking

    /**
     * Gives back what another node may start sooner, and claims what this one can start; or gives all back that waits.
     */
    void look(BooleanSupplier mayClaim) {
        looking(() -> {
            if (!mayClaim.getAsBoolean()) {
                giveBack(claimedTasks.removeWaiting());
                return;
            }
            List<Claim> stuck = claimedTasks.removeStuck(
                    context.clock().now(), context.workers().nanoTime());
            if (!stuck.isEmpty()) {
                turns.isStuck = true;
            }
            giveBack(stuck);
            reportHolder();
            boolean more = turns.mayClaimMore();
            while (more) {
                more = claimSome() && turns.mayClaimMore() && mayClaim.getAsBoolean();
                lookStartNanos = nowNanos();
            }
        });
    }

    /** One at a time. */
    private void looking(Runnable step) {
        looking.lock();
        lookStartNanos = nowNanos();
        try {
            step.run();
        } finally {
            lookStartNanos = 0;
            looking.unlock();
        }
    }

    /** Never 0, which is the time of no look. */
    private long nowNanos() {
        return context.workers().nanoTime() | 1;
    }

    /** Whether a look has not come on for so long. Any thread. */
    boolean isLookingFor(Duration time) {
        long startNanos = lookStartNanos;
        return startNanos != 0 && context.workers().nanoTime() - startNanos > time.toNanos();
    }

    /** Gives back all that waits. */
    void giveBackWaiting() {
        look(() -> false);
    }

    /** Forgets what waits: it belongs to an incarnation that others have found dead. */
    void dropWaiting() {
        int dropped = claimedTasks.removeWaiting().size();
        long ignored = context.tally().lost.addAndGet(dropped);
    }

    /** Rows that others have locked are tried again with the next look, if they are still this node's. */
    private void giveBack(List<Claim> more) {
        if (more.isEmpty() && locked.isEmpty()) {
            return;
        }
        List<Claim> claims = new ArrayList<>(locked);
        boolean ignored = claims.addAll(more);
        locked.clear();
        Set<RowKey> keys =
                tables.claims().giveBack(claims.stream().map(Claim::key).toList());
        List<Claim> given =
                claims.stream().filter(claim -> keys.contains(claim.key())).toList();
        noteLocked(claims.stream().filter(claim -> !keys.contains(claim.key())).toList());
        long unused = context.tally().givenBack.addAndGet(given.size());
        tellOfEnded(given);
        Instant now = context.clock().now();
        Instant mark = now.minus(ScanStart.SLACK);
        if (given.stream().anyMatch(claim -> claim.dueAt().isBefore(mark))) {
            ignored = tables.nodes().askForFullLook(life.incarnation());
        }
        Instant nextLook = now.plus(lookEvery(context.settings()));
        if (given.stream().anyMatch(claim -> !claim.dueAt().isAfter(nextLook))) {
            context.notifications().tell(Notifications.LOOK, "");
        }
    }

    private void noteLocked(List<Claim> claims) {
        if (!claims.isEmpty()) {
            Set<RowKey> ours =
                    tables.ends().stillOurs(claims.stream().map(Claim::key).toList());
            claims.stream().filter(claim -> ours.contains(claim.key())).forEach(locked::add);
        }
    }

    /** One that is made at run time, and was ended after its claim, has ended now, without a run. */
    private void tellOfEnded(List<Claim> givenBack) {
        if (context.listeners().areThere()) {
            givenBack.stream()
                    .filter(claim ->
                            claim.row().made() != null && tables.claims().isEnded(claim.row()))
                    .forEach(claim -> context.listeners().tell(claim.ended(Kind.CANCELLED), claim));
        }
    }

    private void reportHolder() {
        String holder = claimedTasks.holder(context.workers().nanoTime());
        if (holder != null && held.tryPass() >= 0) {
            LOGGER.warn("All " + context.settings().maxConcurrent()
                    + " workers of durable tasks have been busy for longer than usual, most of them with '" + holder
                    + "': this node claims nothing until one is free. A timeLimit or maxConcurrent of that handler "
                    + "prevents it");
        }
    }

    /** Returns whether there is more to claim at once. */
    private boolean claimSome() {
        List<String> names = context.handlers().oneTimeNames().stream()
                .filter(name -> !endWriter.isClogged(name))
                .toList();
        Map<String, Candidates> counted = takeNextDue(names);
        Map<String, Candidates> due = counted == null ? countDue(names) : counted;
        context.availability().isThere();
        Map<String, Integer> counts = new HashMap<>();
        due.forEach((name, candidates) ->
                counts.merge(handlerOf(name), (int) Math.min(BATCH, candidates.count()), Integer::sum));
        Map<String, Integer> plan = ofKinds(
                claimedTasks.toClaim(
                        counts,
                        context.handlers().bounds(),
                        turns.room(),
                        context.workers().nanoTime()),
                due);
        List<TaskRow> rows = claim(plan, due);
        scanStart.move(names, due, rows, context.clock().now());
        turns.noteLook(counts.values().stream().mapToInt(Integer::intValue).sum() > rows.size());
        // What others have locked meanwhile is theirs; what there is beyond a batch is looked for at once.
        return !rows.isEmpty() && plan.values().stream().anyMatch(count -> count == BATCH);
    }

    /** Returns the handler of what a look calls so. */
    private static String handlerOf(String name) {
        return name.startsWith(Made.MARK) ? name.substring(Made.MARK.length()) : name;
    }

    /**
     * Returns how many rows to claim by name, from the numbers that the plan has for each handler. Its one-time tasks
     * and its recurring ones share by their numbers, so that neither kind waits for all of the other.
     */
    private static Map<String, Integer> ofKinds(Map<String, Integer> plan, Map<String, Candidates> due) {
        Map<String, Integer> both = new LinkedHashMap<>();
        plan.forEach((handler, limit) -> {
            Candidates once = due.get(handler);
            Candidates made = due.get(Made.MARK + handler);
            int ofMade = 0;
            if (once == null) {
                ofMade = limit;
            } else if (made != null) {
                long count = Math.min(BATCH, made.count());
                long share = limit * count;
                long all = once.count() + count;
                ofMade = (int) (made.earliest().isBefore(once.earliest()) ? (share + all - 1) / all : share / all);
            }
            Integer ignored = limit > ofMade ? both.put(handler, limit - ofMade) : null;
            ignored = ofMade > 0 ? both.put(Made.MARK + handler, ofMade) : null;
        });
        return both;
    }

    /** Lets a look at some time count nothing, as it is known what there is; null for nothing is known. */
    void expect(IdleRows.@Nullable NextDue next) {
        nextDue.set(next);
    }

    /** Returns it at its time, once; null otherwise. */
    private @Nullable Map<String, Candidates> takeNextDue(List<String> names) {
        IdleRows.NextDue next = nextDue.getAndSet(null);
        return next != null
                        && next.at().equals(context.clock().now())
                        && names.containsAll(next.due().keySet())
                ? next.due()
                : null;
    }

    /** Lets the next look be at all that waits. Any thread. */
    void lookAtAll() {
        isAllAsked.set(true);
    }

    private Map<String, Candidates> countDue(List<String> names) {
        long startNanos = nowNanos();
        if (isAllAsked.getAndSet(false)) {
            scanStart.ask();
        }
        if (!scanStart.isFullDue(startNanos)) {
            Due due = countDue(names, scanStart.marks(), true);
            scanStart.hear(due.fullLooks());
            if (!scanStart.isFullDue(startNanos)) {
                return withMade(due, names, scanStart.marks());
            }
        }
        try {
            Map<String, Candidates> due = withMade(countDue(names, Map.of(), false), names, Map.of());
            scanStart.looked(startNanos, nowNanos());
            return due;
        } catch (DataAccessException ex) {
            if (!DatabaseErrors.isOfStatement(ex)) {
                throw ex;
            }
            scanStart.failed(startNanos, nowNanos());
            LOGGER.debug(
                    "The database ended a full poll that took too long; this node polls from its low-water "
                            + "mark instead",
                    ex);
            return withMade(countDue(names, scanStart.marks(), false), names, scanStart.marks());
        }
    }

    private Map<String, Candidates> withMade(Due due, List<String> names, Map<String, Instant> marks) {
        if (!context.handlers().areMade) {
            return due.candidates();
        }
        Map<String, Candidates> all = new LinkedHashMap<>(due.candidates());
        all.putAll(tables.claims().countDueMade(names, context.settings().claimAhead(), marks));
        return all;
    }

    private Due countDue(List<String> names, Map<String, Instant> marks, boolean fullLooksToo) {
        return tables.claims()
                .countDue(
                        names,
                        BATCH,
                        context.handlers().plantedIds(),
                        context.settings().claimAhead(),
                        marks,
                        fullLooksToo);
    }

    /** Rows that are due before the earliest counted one are claimed, or belong to others. */
    private List<TaskRow> claim(Map<String, Integer> plan, Map<String, Candidates> due) {
        Map<String, Integer> limits = new HashMap<>(plan);
        List<String> recurring = new ArrayList<>();
        Map<String, Instant> earliest = new HashMap<>();
        plan.keySet()
                .forEach(name -> earliest.merge(
                        ScanStart.nameOf(name),
                        Objects.requireNonNull(due.get(name)).earliest(),
                        ScanStart::earlier));
        limits.keySet()
                .removeIf(name -> name.startsWith(Handler.RECURRING)
                        && recurring.add(name.substring(Handler.RECURRING.length())));
        Map<String, Integer> made = new HashMap<>();
        limits.entrySet()
                .removeIf(limit -> limit.getKey().startsWith(Made.MARK)
                        && made.put(handlerOf(limit.getKey()), limit.getValue()) == null);
        long owner = life.incarnation();
        Duration ahead = context.settings().claimAhead();
        List<TaskRow> rows =
                tables.claims().claim(owner, ahead, limits, recurring, earliest, !claimedTasks.hasSuspect());
        place(rows, owner);
        if (made.isEmpty()) {
            return rows;
        }
        List<TaskRow> madeRows = tables.claims().claimMade(owner, ahead, made, earliest, !claimedTasks.hasSuspect());
        place(madeRows, owner);
        return Stream.concat(rows.stream(), madeRows.stream()).toList();
    }

    private void place(List<TaskRow> rows, long owner) {
        List<Claim> refused = new ArrayList<>();
        for (TaskRow row : rows) {
            Claim claim = new Claim(row, owner);
            context.tally().claimed.incrementAndGet();
            if ((row.isSuspect() && claimedTasks.hasSuspect()) || !place(claim)) {
                refused.add(claim);
            }
        }
        giveBack(refused);
    }

    /** Lets a claim wait for its time; false, and it is forgotten, if the executor does not take it. */
    private boolean place(Claim claim) {
        Handler<?> handler = context.handlers().find(claim.handlerName());
        claimedTasks.add(claim, handler == null ? 1 : handler.mostRunning());
        try {
            turns.arm(claim.dueAt());
            return true;
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("The executor rejected the start of a claimed task, which is released: " + claim, ex);
            // Another turn may have started it.
            return !claimedTasks.remove(claim);
        }
    }

    /**
     * Tries some of the rows that no node could read, those of one handler at a time: all of them once since the start,
     * and those whose pause is over. In virtual time it tries the rows of all handlers, as an idle node counts a job
     * that finds nothing as failed.
     */
    void claimUnreadable(BooleanSupplier mayClaim) {
        looking(() -> {
            List<String> names = kindsOfHandlers();
            int handlers = context.clock().isVirtual() ? names.size() : Math.min(1, names.size());
            while (handlers > 0 && turns.room() > 0 && mayClaim.getAsBoolean() && turns.mayClaimMore()) {
                // Before the statement: one that fails each time must not keep others from their turn.
                String name = names.get(Math.floorMod(nextUnreadable++, names.size()));
                boolean isLeft = claimUnreadable(name, Math.min(UNREADABLE_AT_A_LOOK, turns.room()));
                if (isLeft && context.clock().isVirtual()) {
                    nextUnreadable--;
                } else {
                    handlers--;
                }
            }
        });
    }

    /** Returns whether there may be more. */
    private boolean claimUnreadable(String name, int limit) {
        long owner = life.incarnation();
        Instant swept = sweptTo.getOrDefault(name, Instant.EPOCH);
        boolean isSwept = swept.equals(Instant.MAX);
        List<TaskRow> rows = isSwept
                ? tables.claims().claimUnreadable(owner, name, limit)
                : tables.claims().claimUnreadable(owner, name, swept, startedAt, limit);
        if (!isSwept) {
            Instant ignored = sweptTo.put(
                    name,
                    rows.isEmpty() ? Instant.MAX : rows.get(rows.size() - 1).dueAt());
        }
        Instant now = context.clock().now();
        place(rows.stream().map(row -> row.dueBy(now)).toList(), owner);
        return !rows.isEmpty() || !isSwept;
    }

    /** Returns what a look calls one-time tasks of each handler, and recurring ones that are made for it. */
    private List<String> kindsOfHandlers() {
        List<String> names = new ArrayList<>(context.handlers().oneTimeNames());
        if (context.handlers().areMade) {
            names.addAll(names.stream().map(Made.MARK::concat).toList());
        }
        return names;
    }

    /** Whether all rows that no node could read have been tried once since the start. */
    boolean isSwept() {
        looking.lock();
        try {
            return kindsOfHandlers().stream().allMatch(name -> Instant.MAX.equals(sweptTo.get(name)));
        } finally {
            looking.unlock();
        }
    }

    /** Ends what this node has been asked to end: what waits does not start, and what runs is interrupted. */
    void endAsked() {
        hasAsked = true;
        boolean isInHand = true;
        Instant now = context.clock().now();
        for (RowKey row : tables.claims().askedOf(life.incarnation())) {
            Claim claim = claimedTasks.find(row);
            if (claim == null) {
                // It may have been claimed just now, or is found and given back.
                isInHand = false;
            } else if (claimedTasks.remove(claim)) {
                if (tables.ends().end(row, now, null)) {
                    context.listeners().tell(claim.ended(Kind.CANCELLED), claim);
                }
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

    /**
     * Releases rows of this node that are not in its memory: a claim whose answer was lost, or an end that could not be
     * written.
     */
    void giveBackUnknown() {
        if (nowNanos() - unknownNanos < Math.min(LONGEST_PAUSE_NANOS, PART_OF_TIME * unknownTakenNanos)) {
            return;
        }
        // While nobody claims: what is claimed by then and not in hand is not going to be.
        looking(() -> {
            claimedTasks.keepOnly(context.handlers().names());
            giveBack(List.of());
            Set<RowKey> known = locked.stream().map(Claim::key).collect(Collectors.toSet());
            long startNanos = nowNanos();
            List<RowKey> unknown = claimedTasks.missing(tables.claims().ownedBy(life.incarnation())).stream()
                    .filter(row -> !known.contains(row))
                    .toList();
            unknownNanos = nowNanos();
            unknownTakenNanos = unknownNanos - startNanos;
            int freed = tables.claims().giveBack(unknown).size();
            if (freed > 0) {
                boolean ignored = tables.nodes().askForFullLook(life.incarnation());
                context.notifications().tell(Notifications.LOOK, Notifications.OLD);
                LOGGER.info(freed + " durable tasks were claimed by a statement whose answer this node did not get; "
                        + "they are released");
            }
        });
    }
}
