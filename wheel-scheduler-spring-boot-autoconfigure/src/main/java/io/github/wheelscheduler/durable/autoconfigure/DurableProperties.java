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
 * @param table Name of the table, perhaps after that of its schema and a dot.
 * @param initializeSchema When to make the tables at the start, or to add to those of the layout before.
 * @param node Name of this process in the database, 1 to 50 characters, by which people know it. Host and a random part unless set.
 * @param maxConcurrent Maximum number of durable tasks that run at a time on this node.
 * @param claimAhead How long before it is due a task is claimed, 100 ms to 1 minute.
 * @param maxClaimed Maximum number of tasks that a node has claimed and not started, a bound of memory.
 * @param heartbeat How often a node says that it is alive, 100 ms to 1 minute.
 * @param deadAfter How long a node may say nothing before its tasks are taken over, at least four heartbeats.
 * @param closeLimit How long closing waits for tasks that run before it interrupts them.
 * @param forgetAfter How long no node may know a recurring task before its row is deleted.
 * @param maxDeaths After how many nodes that a one-time task has killed it is kept as failed. 0 for never.
 * @param keepFailed How long a one-time task is kept that has failed for good. For ever unless set.
 * @param nudge Whether nodes tell each other, over PostgreSQL, that something is due which they do not start themselves.
 * @param unknownHandlers What happens to a task that is scheduled for a handler which no node has, as far as that is known.
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
     * @param maxConcurrent How many of its runs may go on at a time on a node.
     * @param timeLimit After how long a run is interrupted.
     */
    public record OfHandler(
            @Nullable Integer maxConcurrent, @Nullable Duration timeLimit) {

        static final OfHandler NONE = new OfHandler(null, null);
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
    DurableSettings settings(boolean isEmbedded, String host) {
        boolean initializes = initializeSchema == Initialization.ALWAYS
                || (initializeSchema == Initialization.EMBEDDED && isEmbedded);
        try {
            return new DurableSettings(
                    table,
                    initializes,
                    node == null ? nodeOf(host) : node,
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

    /** Two processes of one machine are two nodes, and one that has been started again is another. */
    private static String nodeOf(String host) {
        String random = UUID.randomUUID().toString().replace("-", "").substring(0, RANDOM);
        return (host.length() > LONGEST_HOST ? host.substring(0, LONGEST_HOST) : host) + "-" + random;
    }
}
