package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.ClaimTable.Freed;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.NodeTable.Has;
import io.github.wheelscheduler.durable.internal.NodeTable.NodeRow;
import io.github.wheelscheduler.durable.internal.journal.StatementRows;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The life of this node in the database: it says that it lives, finds out which others do not, and frees what they had.
 *
 * <p>{@link #beat} is called by one thread at a time. Any thread may ask for the incarnation, and whether heartbeats
 * are on time.
 */
final class NodeLife {

    private static final int FREED_IN_A_BATCH = 500;

    private final DurableSettings settings;
    private final Database.HeldConnection held;
    private final Supplier<Moment> clock;
    private final EndListeners listeners;
    private final BooleanSupplier claims;
    private final Supplier<Has> has;
    private final Watch watch;

    /** Writer: {@link #beat}, or {@link #join}. */
    private volatile long incarnation;

    /** Before the database was told last that this incarnation lives. Writers: as above. */
    private volatile Moment lastHeard;

    /** Writers: {@link #join}, and under the lock of the connection {@link #sayHas}. */
    private volatile Has said = new Has("", "");

    private volatile boolean hasLeft;

    private Moment lastOrphans;

    /** The duration of the last search for orphans: all of them take no more than a part of the time. */
    private long orphansNanos;

    /** The number of requests to end a task, at the last heartbeat. */
    private long asked;

    /** Whether the last heartbeat that has read the nodes has found no other. */
    private volatile boolean wasAlone;

    /**
     * Makes one that has not joined.
     *
     * @param claims whether the node claims; one that does not ends its runs, and none of them is to be thought to have
     *     killed it
     * @param has supplies the handlers and schedules of this node
     */
    NodeLife(
            DurableSettings settings,
            Database.HeldConnection held,
            Supplier<Moment> clock,
            EndListeners listeners,
            BooleanSupplier claims,
            Supplier<Has> has) {
        this.settings = settings;
        this.held = held;
        this.clock = clock;
        this.listeners = listeners;
        this.claims = claims;
        this.has = has;
        this.watch =
                new Watch(settings.deadAfter().toNanos(), settings.heartbeat().toNanos());
        this.lastHeard = clock.get();
        this.lastOrphans = lastHeard;
    }

    /**
     * The result of a heartbeat.
     *
     * @param wasDead whether others had declared this node dead
     * @param freed the number of released rows of dead nodes
     * @param isAsked whether this node has been asked since the last heartbeat to end something that it has
     * @param nodes the nodes that there were, dead ones among them; none if this one has left, or is alone
     */
    record Beat(boolean wasDead, int freed, boolean isAsked, List<NodeRow> nodes) {}

    long incarnation() {
        return incarnation;
    }

    /** Asks the tables something over the connection of this node. Any thread. */
    <T extends @Nullable Object> T ask(Function<Tables, T> question) {
        return held.use(question);
    }

    /** Adds this node, as one that lives, under a new number. */
    void join() {
        Moment before = clock.get();
        long next = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        Has joined = has.get();
        boolean ignored = held.use(tables -> tables.nodes().add(next, settings.node(), state(), joined));
        said = joined;
        incarnation = next;
        asked = 0;
        lastHeard = before;
    }

    /** Whether nobody has heard of this node for so long that it may have been found dead. */
    boolean isDoubtful() {
        return lastHeard.nanosUntil(clock.get()) > settings.deadAfter().toNanos() / 2;
    }

    /**
     * Says that this node lives, and frees what those had that do not, in so much time that the next beat is not late.
     *
     * @param isAlone whether the rows of nodes and tasks have just been read, and name no other node
     */
    Beat beat(boolean isAlone) {
        if (hasLeft) {
            return new Beat(false, 0, false, List.of());
        }
        Moment before = clock.get();
        long current = incarnation;
        boolean isAlive = tell(current);
        if (isAlive) {
            lastHeard = before;
            sayHas();
        } else {
            LOGGER.warn("The node " + settings.node()
                    + " missed its heartbeats, and other nodes have taken over its durable tasks; it "
                    + "continues as a new incarnation. "
                    + "Look for long pauses of the process, or raise wheel.scheduler.durable.dead-after");
            join();
        }
        if (isAlive && isAlone && wasAlone) {
            return new Beat(false, 0, false, List.of());
        }
        List<NodeRow> nodes = held.use(tables -> tables.nodes().list());
        wasAlone = nodes.stream().allMatch(node -> node.incarnation() == incarnation);
        return new Beat(!isAlive, takeOver(nodes, before), isAsked(nodes), nodes);
    }

    /**
     * The same without a statement, as the rows of nodes have just been read and name this one alone; false if another
     * may have been there, or there is something to say.
     */
    boolean beatUnheard() {
        if (hasLeft || !wasAlone || !has.get().equals(said)) {
            return false;
        }
        lastHeard = clock.get();
        return true;
    }

    /** Says what this node has, unless that has been said. Any thread. */
    void sayHas() {
        if (!hasLeft && !has.get().equals(said)) {
            boolean ignored = held.use(tables -> {
                Has current = has.get();
                boolean isSaid = tables.nodes().say(incarnation, current);
                said = current;
                return isSaid;
            });
        }
    }

    /** Returns the texts of the handlers of nodes, by incarnation. Any thread. */
    Map<Long, String> handlersOf(Collection<Long> incarnations) {
        return ask(tables -> tables.nodes().handlersOf(incarnations));
    }

    private boolean isAsked(List<NodeRow> nodes) {
        for (NodeRow node : nodes) {
            if (node.incarnation() == incarnation) {
                boolean isAnew = node.asked() != asked;
                asked = node.asked();
                return isAnew;
            }
        }
        return false;
    }

    private int takeOver(List<NodeRow> nodes, Moment start) {
        int freed = 0;
        for (NodeRow node : watch.dead(nodes, start.nanos())) {
            int some = node.incarnation() == incarnation || !hasTime(start) ? 0 : bury(node);
            freed += some == FREED_IN_A_BATCH
                    ? some + freeRest(node.incarnation(), node.state() == NodeTable.ALIVE, start)
                    : some;
        }
        if (watch.hasNewTwin(nodes, incarnation, settings.node())) {
            LOGGER.warn("Another process is a node of durable tasks with the name " + settings.node()
                    + ", too. Both work, as two nodes; give each a name of its own to tell them apart");
        }
        for (NodeRow node : nodes) {
            if (node.isDead() && hasTime(start)) {
                freed += freeRest(node.incarnation(), node.state() == NodeTable.DEAD, start);
            }
        }
        freed += freeOrphans(nodes, start);
        if (freed > 0) {
            boolean ignored = held.use(tables -> tables.nodes().askForFullLook(incarnation));
        }
        return freed;
    }

    private boolean hasTime(Moment start) {
        return start.nanosUntil(clock.get()) < settings.heartbeat().toNanos();
    }

    /**
     * Marks a node as dead and frees some of its rows, both or neither; if it has said something meanwhile, it is
     * alive.
     */
    private int bury(NodeRow seen) {
        return freed(tables -> {
            NodeRow node = tables.nodes().lock(seen.incarnation());
            if (node == null || node.isDead() || node.beat() != seen.beat()) {
                return Freed.NOTHING;
            }
            boolean ignored = tables.nodes().bury(node.incarnation());
            LOGGER.info(
                    "The node " + node.name() + " has missed its heartbeats; other nodes can claim its durable tasks");
            return freeSomeOf(tables, node.incarnation(), node.state() == NodeTable.ALIVE);
        });
    }

    /** Frees rows in a transaction that also notes them; returns how many. */
    private int freed(Function<Tables, Freed> work) {
        StatementRows rows = listeners.notes().rows();
        // A failure would give the kept connection back.
        Freed freed = held.use(tables -> rows.send(() -> tables.sql().inTransaction(() -> {
            Freed some = work.apply(tables);
            listeners.note(rows, some.rows());
            rows.insert(tables.sql(), some.rows());
            return some;
        })));
        listeners.tellFreed(rows, freed.rows());
        return freed.count();
    }

    private Freed freeSomeOf(Tables tables, long dead, boolean isSuspicious) {
        return tables.claims()
                .freeSomeOf(dead, isSuspicious, settings.maxDeaths(), FREED_IN_A_BATCH, listeners.areThere());
    }

    /** Frees what a dead node still has, and deletes its row when that is nothing. */
    private int freeRest(long dead, boolean isSuspicious, Moment start) {
        int freed = 0;
        int some;
        do {
            some = freed(tables -> freeSomeOf(tables, dead, isSuspicious));
            freed += some;
        } while (some == FREED_IN_A_BATCH && hasTime(start));
        // The statement that deletes it waits for rows that are locked, in MariaDB; this one does not.
        if (some == 0 && held.use(tables -> tables.claims().ownedBy(dead)).isEmpty()) {
            boolean ignored = held.use(tables -> tables.nodes().delete(dead));
        }
        return freed;
    }

    /** Frees, now and then, rows that name an absent node: it claimed them so late that it had been forgotten. */
    private int freeOrphans(List<NodeRow> nodes, Moment start) {
        if (lastOrphans.nanosUntil(start)
                < Math.max(
                        settings.deadAfter().toNanos(),
                        Math.min(Claiming.LONGEST_PAUSE_NANOS, Claiming.PART_OF_TIME * orphansNanos))) {
            return 0;
        }
        Map<Long, Integer> owners;
        try {
            owners = held.use(tables -> tables.claims().claimedByOwner());
        } finally {
            lastOrphans = clock.get();
            orphansNanos = start.nanosUntil(lastOrphans);
        }
        int freed = 0;
        for (long owner : owners.keySet()) {
            if (owner != incarnation
                    && nodes.stream().noneMatch(node -> node.incarnation() == owner)
                    && isUnknown(owner)) {
                freed += freeRest(owner, false, start);
            }
        }
        return freed;
    }

    /** It may have joined since the nodes were read. */
    private boolean isUnknown(long owner) {
        return held.use(tables -> tables.nodes().list()).stream().noneMatch(node -> node.incarnation() == owner);
    }

    /** Says whether this node claims without waiting for the next beat, which says it, too. */
    void tell() {
        boolean ignored = tell(incarnation);
    }

    private boolean tell(long current) {
        return held.use(tables -> tables.nodes().beat(current, state()));
    }

    private int state() {
        return claims.getAsBoolean() ? NodeTable.ALIVE : NodeTable.CLOSING;
    }

    /** Takes the node's row away for good, unless it still has rows of tasks: then it is found dead. */
    void leave() {
        hasLeft = true;
        boolean ignored = held.use(tables -> tables.nodes().delete(incarnation));
        held.close();
    }

    /**
     * Finds out which nodes are dead: those whose beat has not changed for long enough, by the monotonic clock of this
     * node, while the database answered it. Only time between two answers that are close together counts, so neither an
     * outage, nor a pause of this process, nor any clock makes a node dead. One thread.
     */
    static final class Watch {

        private final long deadAfterNanos;
        private final long longestGapNanos;

        private final Map<Long, Seen> seen = new HashMap<>();

        private boolean hasTwin;
        private boolean hasLooked;
        private long lastNanos;

        /** The observed state of a node. */
        private static final class Seen {
            private long beat;
            private long silentNanos;
            private boolean hasChanged;
        }

        /**
         * Makes one that has seen nothing.
         *
         * @param deadAfterNanos the time without a change of its beat after which a node is dead
         * @param heartbeatNanos the interval at which nodes change their beats, and this one reads them
         */
        Watch(long deadAfterNanos, long heartbeatNanos) {
            this.deadAfterNanos = deadAfterNanos;
            this.longestGapNanos = 2 * heartbeatNanos;
        }

        /** Takes in an answer of the database; returns the nodes that seem to be dead and are not marked so. */
        List<NodeRow> dead(List<NodeRow> nodes, long nowNanos) {
            long passed = hasLooked ? nowNanos - lastNanos : 0;
            long counted = passed <= longestGapNanos ? passed : 0;
            hasLooked = true;
            lastNanos = nowNanos;
            List<NodeRow> dead = new ArrayList<>();
            Set<Long> there = new HashSet<>();
            for (NodeRow node : nodes) {
                if (!node.isDead()) {
                    boolean ignored = there.add(node.incarnation());
                    Seen known = seen.get(node.incarnation());
                    if (known == null) {
                        known = new Seen();
                        known.beat = node.beat();
                        Seen unused = seen.put(node.incarnation(), known);
                    } else if (known.beat != node.beat()) {
                        known.beat = node.beat();
                        known.silentNanos = 0;
                        known.hasChanged = true;
                    } else {
                        known.silentNanos += counted;
                    }
                    if (known.silentNanos >= deadAfterNanos) {
                        dead.add(node);
                    }
                }
            }
            boolean unused = seen.keySet().retainAll(there);
            return dead;
        }

        /**
         * Whether another living node has the name of this one, and that is not logged yet. One counts that was seen to
         * beat.
         */
        boolean hasNewTwin(List<NodeRow> nodes, long incarnation, String name) {
            for (NodeRow node : nodes) {
                Seen known = seen.get(node.incarnation());
                if (node.incarnation() != incarnation
                        && node.name().equals(name)
                        && known != null
                        && known.hasChanged
                        && !hasTwin) {
                    hasTwin = true;
                    return true;
                }
            }
            return false;
        }
    }

    /**
     * A time on both clocks of this machine: the monotonic one stands still while some machines sleep, the other one is
     * set.
     */
    record Moment(long nanos, long wallMillis) {

        private static final long MILLI = 1_000_000;

        static Moment now(WheelScheduledExecutor executor) {
            return new Moment(executor.nanoTime(), executor.wallClockInstant().toEpochMilli());
        }

        /** Returns how long it was before the other, by the clock by which it was longer. */
        long nanosUntil(Moment later) {
            return Math.max(later.nanos - nanos, (later.wallMillis - wallMillis) * MILLI);
        }
    }
}
