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
 * @param now the time of that moment, by the clock of this node
 * @param steering whether the endpoint may be written to
 * @param node the name of this node
 * @param draining whether this node claims nothing more
 * @param clockError the time by which the database's clock may differ from this node's estimate of it
 * @param counts of this node, since its start
 * @param nodes the nodes that are not known to be dead
 * @param overdue the number of tasks that could have been claimed a second ago and have not; counted up to {@link
 *     DurableOverview#MOST}
 * @param failed the number of tasks that have failed permanently; counted likewise
 * @param unreadable the number of tasks that no node could read so far; counted likewise
 * @param recurring the first recurring tasks, by id: of methods, and made at run time
 * @param recurringAfter the cursor of the next page of them; null if these are all
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
