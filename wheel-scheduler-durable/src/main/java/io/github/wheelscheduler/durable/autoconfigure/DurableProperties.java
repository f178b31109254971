package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableSettings;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of durable tasks.
 *
 * @param enabled whether durable tasks run on this node
 * @param table the name of their table
 * @param initializeSchema whether to make the table at the start: always, never, or if the database is embedded
 * @param node the name of this process in the database; a random one by default
 * @param maxConcurrent how many durable tasks run at a time on this node
 * @param claimAhead how long before it is due a task is claimed, 100 ms to 1 minute
 * @param maxClaimed how many tasks a node claims before it has started them
 * @param heartbeat how often a node says that it is alive, 100 ms to 1 minute
 * @param deadAfter after how long without that the tasks of a node are taken over, at least four heartbeats
 * @param closeLimit how long closing waits for tasks that run
 * @param forgetAfter how long a recurring task may be overdue before its row is deleted
 */
@ConfigurationProperties("wheel.scheduler.durable")
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
        @DefaultValue("7d") Duration forgetAfter) {

    private static final int LONGEST_HOST = 36;
    private static final int RANDOM = 12;

    /** When the table is made. */
    public enum Initialization {
        ALWAYS,
        EMBEDDED,
        NEVER
    }

    /** @throws IllegalArgumentException if a value does not fit */
    DurableSettings settings(boolean isEmbedded, String host) {
        boolean initializes = initializeSchema == Initialization.ALWAYS
                || (initializeSchema == Initialization.EMBEDDED && isEmbedded);
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
                forgetAfter);
    }

    /** Two processes of one machine are two nodes, and one that has been started again is another. */
    private static String nodeOf(String host) {
        String random = UUID.randomUUID().toString().replace("-", "").substring(0, RANDOM);
        return (host.length() > LONGEST_HOST ? host.substring(0, LONGEST_HOST) : host) + "-" + random;
    }
}
