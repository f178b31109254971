package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The executor of a node, and its groups there. Any thread.
 *
 * @param workers runs tasks
 * @param ownsWorkers whether the group of workers is this node's own, and not one that the application has set up
 * @param jobs talks with the database, and is not held up by pause or halt
 * @param heart says that the node lives, on a thread that waits for nothing else
 */
record NodeGroups(
        WheelScheduledExecutor executor,
        WheelScheduledExecutor workers,
        boolean ownsWorkers,
        WheelScheduledExecutor jobs,
        WheelScheduledExecutor heart) {

    private static final int MOST_KEEPERS = 4;

    /** @throws IllegalStateException if there is a group of workers that has been shut down */
    static NodeGroups of(WheelScheduledExecutor executor, DurableSettings settings) {
        WheelScheduledExecutor given = givenWorkers(executor);
        WheelScheduledExecutor workers = given != null
                ? given
                : executor.newGroup(DurableEngine.GROUP)
                        .maxWorkers(settings.maxConcurrent())
                        .onFull(OnFull.WAIT)
                        .build();
        return new NodeGroups(
                executor,
                workers,
                given == null,
                apart(executor, "-keeper", MOST_KEEPERS),
                apart(executor, "-heart", 1));
    }

    /** Makes the group in which listeners receive ends. */
    static WheelScheduledExecutor forListeners(WheelScheduledExecutor executor) {
        return apart(executor, "-listener", 1);
    }

    private static WheelScheduledExecutor apart(WheelScheduledExecutor executor, String name, int most) {
        return executor.newGroup(DurableEngine.GROUP + name)
                .maxWorkers(most)
                .onFull(OnFull.WAIT)
                .standsApart(true)
                .startTolerance(Duration.ZERO)
                .build();
    }

    private static @Nullable WheelScheduledExecutor givenWorkers(WheelScheduledExecutor executor) {
        for (WheelScheduledExecutor group : executor.groups()) {
            if (DurableEngine.GROUP.equals(group.groupName())) {
                if (group.isShutdown()) {
                    throw new IllegalStateException("The group " + DurableEngine.GROUP
                            + " of the executor must not be shut down; another node of this executor may be "
                            + "closing: wait until it has closed");
                }
                return group;
            }
        }
        return null;
    }

    /** Whether what is due may run: neither the executor nor the group of workers is paused, halted or shut down. */
    boolean mayRunTasks() {
        return !executor.isPaused()
                && !executor.isHalted()
                && !workers.isPaused()
                && !workers.isHalted()
                && !executor.isShutdown()
                && !workers.isShutdown();
    }
}
