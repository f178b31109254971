package io.github.wheelscheduler.durable;

import java.time.Duration;
import java.util.Objects;

/**
 * How a node claims and keeps durable tasks.
 *
 * @param table the name of the table, perhaps after that of its schema and a dot
 * @param initializeSchema whether to make the table if it is not there
 * @param node the name of this process in the database, 1 to 50 characters; no other process has it
 * @param maxConcurrent how many tasks run at a time on this node, at least 1
 * @param claimAhead how long before it is due a row is claimed, 100 ms to 1 minute
 * @param maxClaimed how many rows may be claimed and not started, at least 1
 * @param heartbeat how often a node says that what it has claimed is alive, 100 ms to 1 minute
 * @param deadAfter after how long without that a row is dead, at least four heartbeats
 * @param closeLimit how long closing waits for runs that are going on
 * @param forgetAfter how long a recurring task may be overdue, because no node knows it any more, before its row is deleted; at least a minute
 */
public record DurableSettings(
        String table,
        boolean initializeSchema,
        String node,
        int maxConcurrent,
        Duration claimAhead,
        int maxClaimed,
        Duration heartbeat,
        Duration deadAfter,
        Duration closeLimit,
        Duration forgetAfter) {

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final int LONGEST_NODE = 50;
    private static final int LEAST_HEARTBEATS = 4;

    /** @throws IllegalArgumentException if a value does not fit */
    public DurableSettings {
        TaskTable.checkName(table);
        if (node.isEmpty() || node.length() > LONGEST_NODE) {
            throw new IllegalArgumentException("node must have 1 to 50 characters, was '" + node + "'");
        }
        requireAtLeastOne("maxConcurrent", maxConcurrent);
        requireAtLeastOne("maxClaimed", maxClaimed);
        requireBetween("claimAhead", claimAhead);
        requireBetween("heartbeat", heartbeat);
        if (deadAfter.compareTo(heartbeat.multipliedBy(LEAST_HEARTBEATS)) < 0) {
            throw new IllegalArgumentException("deadAfter must be at least four heartbeats, which are "
                    + heartbeat.multipliedBy(LEAST_HEARTBEATS) + ", was " + deadAfter);
        }
        if (Objects.requireNonNull(closeLimit, "closeLimit must not be null").isNegative()) {
            throw new IllegalArgumentException("closeLimit must not be negative, was " + closeLimit);
        }
        if (forgetAfter.compareTo(LONGEST) < 0) {
            throw new IllegalArgumentException("forgetAfter must be at least 1 minute, was " + forgetAfter);
        }
    }

    /** Returns those that nobody has to set: ten runs at a time, rows claimed a second ahead and dead after six. */
    public static DurableSettings ofNode(String node) {
        return new DurableSettings(
                TaskTable.DEFAULT_NAME,
                true,
                node,
                10,
                Duration.ofSeconds(1),
                2_000,
                Duration.ofMillis(1_500),
                Duration.ofSeconds(6),
                Duration.ofSeconds(20),
                Duration.ofDays(7));
    }

    private static void requireAtLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, was " + value);
        }
    }

    private static void requireBetween(String name, Duration value) {
        if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be 100 ms to 1 minute, was " + value);
        }
    }
}
