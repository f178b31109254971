package io.github.wheelscheduler.durable;

import java.time.Instant;
import java.util.List;

/**
 * The contents of the database, as any node sees them.
 *
 * @param nodes the ones that are not known to be dead
 * @param overdue the number of tasks that could have been claimed a second ago and have not; up to {@link #MOST}
 * @param failed the number of tasks that have failed permanently; up to {@link #MOST}
 * @param unreadable the number of tasks that no node could read so far; up to {@link #MOST}
 * @param unknownHandlers the handlers for which tasks wait though no node has them, up to {@link #MOST_NAMES}; none
 *     while no node is known to live, or one does not say what it has
 */
public record DurableOverview(
        List<NodeShare> nodes, int overdue, int failed, int unreadable, List<String> unknownHandlers) {

    /** Nothing is counted beyond that, since that would take ever longer. */
    public static final int MOST = 10_000;

    /** So many handlers are named. */
    public static final int MOST_NAMES = 100;

    public DurableOverview {
        nodes = List.copyOf(nodes);
        unknownHandlers = List.copyOf(unknownHandlers);
    }

    /**
     * The claimed tasks of one node.
     *
     * @param node its name
     * @param claimed the number of tasks that wait there for their time, or run
     * @param lastHeartbeatAt the time of its last heartbeat, by the database's clock
     */
    public record NodeShare(String node, int claimed, Instant lastHeartbeatAt) {}
}
