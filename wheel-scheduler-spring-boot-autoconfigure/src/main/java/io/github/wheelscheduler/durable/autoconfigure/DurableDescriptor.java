package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableCounts;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableOverview;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Durable tasks at one moment.
 *
 * @param now when that was, by the clock of this node
 * @param steering whether the endpoint may be written to
 * @param node the name of this node
 * @param draining whether this node claims nothing more
 * @param clockError by how much the database's clock may differ from what this node takes it for
 * @param counts of this node, since its start
 * @param nodes the nodes that are not known to be dead
 * @param overdue how many tasks could have been claimed a second ago and have not; counted up to {@link
 *     DurableOverview#MOST}
 * @param failed how many tasks have failed for good; counted likewise
 * @param unreadable how many tasks no node could read so far; counted likewise
 * @param recurring the first recurring tasks, by id: of methods, and made at run time
 * @param recurringAfter what to ask for to get more of them; null if these are all
 */
public record DurableDescriptor(
        Instant now,
        boolean steering,
        String node,
        boolean draining,
        Duration clockError,
        DurableCounts counts,
        List<DurableOverview.NodeShare> nodes,
        int overdue,
        int failed,
        int unreadable,
        List<RecurringTaskDescriptor> recurring,
        @Nullable String recurringAfter)
        implements OperationResponseBody {

    static DurableDescriptor of(DurableEngine engine, boolean steering, DurableRecurringDescriptor recurring) {
        DurableOverview overview = engine.overview();
        return new DurableDescriptor(
                Instant.now(),
                steering,
                engine.settings().node(),
                engine.isDraining(),
                engine.clockError(),
                engine.counts(),
                overview.nodes(),
                overview.overdue(),
                overview.failed(),
                overview.unreadable(),
                recurring.recurring(),
                recurring.after());
    }
}
