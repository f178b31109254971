package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.durable.NodeTable.NodeRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds out which nodes are dead: those whose beat has not changed for long enough, by the monotonic clock of this node, while the database answered
 * it. Only time between two answers that are close together counts, so neither an outage, nor a pause of this process, nor any clock makes a
 * node dead. One thread.
 */
final class Watch {

    private final long deadAfterNanos;
    private final long longestGapNanos;

    private final Map<Long, Seen> seen = new HashMap<>();

    private boolean hasTwin;
    private boolean hasLooked;
    private long lastNanos;

    /** What is known of a node. */
    private static final class Seen {
        private long beat;
        private long silentNanos;
        private boolean hasChanged;
    }

    /**
     * Makes one that has seen nothing.
     *
     * @param deadAfterNanos how long a beat stays the same before its node is dead
     * @param heartbeatNanos how often nodes change theirs, and this one looks
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

    /** Whether another node has the name of this one and lives, and nobody has been told so. One counts that was seen to beat. */
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
