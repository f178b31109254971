package io.github.wheelscheduler.durable;

import java.util.List;
import java.util.Map;

/** The tables over connections of one kind. Any thread, as far as the connections allow it. */
record Tables(Sql sql, TaskTable tasks, RecurringTable recurring, NodeTable nodes) {

    static Tables of(Sql sql) {
        return new Tables(sql, new TaskTable(sql), new RecurringTable(sql), new NodeTable(sql));
    }

    /** Returns who has claimed what, and how much waits for somebody. */
    DurableOverview overview() {
        Map<Long, Integer> claimed = tasks.claimedByOwner();
        List<DurableOverview.NodeShare> shares = nodes.list().stream()
                .filter(node -> !node.isDead())
                .map(node -> new DurableOverview.NodeShare(
                        node.name(), claimed.getOrDefault(node.incarnation(), 0), node.beatAt()))
                .toList();
        return new DurableOverview(
                shares, tasks.overdue(), tasks.inState(RowState.FAILED), tasks.inState(RowState.UNREADABLE));
    }
}
