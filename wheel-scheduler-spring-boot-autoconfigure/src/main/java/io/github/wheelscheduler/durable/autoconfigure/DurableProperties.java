package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableSettings.UnknownHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of durable tasks.
 *
 * @param enabled Whether durable tasks run on this node. Tasks that a node schedules run on others in any case.
 * @param table Name of the table, with the name of its schema and a dot before it if needed.
 * @param initializeSchema When to create the tables, or to upgrade those of the previous layout, at the start.
 * @param node Name of this process in the database, 1 to 50 characters. The host's name and a random part unless set.
 * @param maxConcurrent Maximum number of durable tasks that run at a time on this node.
 * @param claimAhead Time before its due time at which a task is claimed, 100 ms to 1 minute.
 * @param maxClaimed Maximum number of tasks that a node has claimed and not started, which bounds memory.
 * @param heartbeat Interval between heartbeats of a node, 100 ms to 1 minute.
 * @param deadAfter Time without a heartbeat after which the tasks of a node are taken over, at least four heartbeats.
 * @param closeLimit Maximum time that closing waits for running tasks before it interrupts them.
 * @param forgetAfter Time after which the row of a recurring task that no node knows is deleted.
 * @param maxDeaths Number of nodes that a one-time task may kill before it is kept as failed. 0 for no limit.
 * @param keepFailed Time for which a one-time task that has failed permanently is kept. For ever unless set.
 * @param nudge Whether nodes notify each other, over PostgreSQL, of due tasks that they do not start themselves.
 * @param unknownHandlers Treatment of a task that is scheduled for a handler that no node is known to have.
 * @param handlers Settings of single handlers by name, over those of their annotations.
 */
@ConfigurationProperties(prefix = DurableProperties.PREFIX, ignoreUnknownFields = false)
public record DurableProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("wheel_durable_task") String table,
        @DefaultValue("embedded") Initialization initializeSchema,
        @Nullable String node,
        @DefaultValue("10") int maxConcurrent,
        @DefaultValue("1s") Duration claimAhead,
        @DefaultValue("2000") int maxClaimed,
        @DefaultValue("1500ms") Duration heartbeat,
        @DefaultValue("6s") Duration deadAfter,
        @DefaultValue("20s") Duration closeLimit,
        @DefaultValue("7d") Duration forgetAfter,
        @DefaultValue("5") int maxDeaths,
        @Nullable Duration keepFailed,
        @DefaultValue("true") boolean nudge,
        @DefaultValue("warn") UnknownHandlers unknownHandlers,
        @DefaultValue Map<String, OfHandler> handlers) {

    /**
     * Settings of a handler.
     *
     * @param maxConcurrent Maximum number of its runs at a time on a node.
     * @param timeLimit Time after which a run is interrupted.
     * @param observe Whether its runs are observed, in place of wheel.scheduler.observe.
     */
    public record OfHandler(
            @Nullable Integer maxConcurrent,
            @Nullable Duration timeLimit,
            @Nullable Boolean observe) {

        static final OfHandler NONE = new OfHandler(null, null, null);
    }

    static final String PREFIX = "wheel.scheduler.durable";

    private static final int LONGEST_HOST = 36;
    private static final int RANDOM = 12;

    /** When the table is made. */
    public enum Initialization {
        ALWAYS,
        EMBEDDED,
        NEVER
    }

    /** @throws UnusableSettingException if a value does not fit */
    DurableSettings settings(boolean isEmbedded, String nodeName) {
        boolean initializes = initializeSchema == Initialization.ALWAYS
                || (initializeSchema == Initialization.EMBEDDED && isEmbedded);
        try {
            return new DurableSettings(
                    table,
                    initializes,
                    nodeName,
                    maxConcurrent,
                    claimAhead,
                    maxClaimed,
                    heartbeat,
                    deadAfter,
                    closeLimit,
                    forgetAfter,
                    maxDeaths,
                    keepFailed,
                    nudge,
                    unknownHandlers);
        } catch (UnusableSettingException ex) {
            throw ex.named(PREFIX + "." + DataObjectPropertyName.toDashedForm(ex.setting()));
        }
    }

    /**
     * Returns the name that is set, or another one with each call: two processes of one machine are two nodes, and one
     * that has been started again is another.
     */
    String nodeName(String host) {
        if (node != null) {
            return node;
        }
        String random = UUID.randomUUID().toString().replace("-", "").substring(0, RANDOM);
        return (host.length() > LONGEST_HOST ? host.substring(0, LONGEST_HOST) : host) + "-" + random;
    }
}
