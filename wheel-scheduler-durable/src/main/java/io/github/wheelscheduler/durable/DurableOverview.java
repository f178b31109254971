package io.github.wheelscheduler.durable;

import java.time.Instant;
import java.util.List;

/**
 * What is in the database, as any node sees it.
 *
 * @param nodes the ones that are not known to be dead
 * @param overdue how many tasks could have been claimed a second ago and have not; up to {@link #MOST}
 * @param failed how many tasks have failed for good; up to {@link #MOST}
 * @param unreadable how many tasks no node could read so far; up to {@link #MOST}
 */
public record DurableOverview(List<NodeShare> nodes, int overdue, int failed, int unreadable) {

    /** Nothing is counted beyond that, since that would take ever longer. */
    public static final int MOST = 10_000;

    public DurableOverview {
        nodes = List.copyOf(nodes);
    }

    /**
     * What one node has claimed.
     *
     * @param node its name
     * @param claimed how many tasks wait there for their time, or run
     * @param lastHeartbeatAt when it said last that it lives, by the database's clock
     */
    public record NodeShare(String node, int claimed, Instant lastHeartbeatAt) {}
}
