package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.durable.internal.TaskTable;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a node for claiming and keeping durable tasks.
 *
 * @param table the name of the table, perhaps after that of its schema and a dot
 * @param initializeSchema whether to make the tables if they are not there, and to add to those of the layout before
 * @param node the name of this process in the database, 1 to 50 characters; another process that has it, too, is
 *     another node
 * @param maxConcurrent the maximum number of concurrent runs on this node, at least 1
 * @param claimAhead the time before its due time from which a row is claimed, 100 ms to 1 minute
 * @param maxClaimed the maximum number of rows that are claimed and not started, at least 1
 * @param heartbeat the interval of the heartbeats by which a node shows that it is alive, 100 ms to 1 minute
 * @param deadAfter the time without a heartbeat after which a node is dead and its rows are released, at least four
 *     heartbeats and at most 1 day
 * @param closeLimit the maximum time that closing waits for active runs, at most 1 day
 * @param forgetAfter the time after which the row of a recurring task that no node knows is deleted, 1 minute to 3650
 *     days
 * @param maxDeaths the number of nodes that a one-time task kills before it is kept as failed; 0 for never
 * @param keepFailed the time for which a permanently failed one-time task is kept, 1 minute to 3650 days; null for ever
 * @param nudge whether nodes notify each other, over PostgreSQL, of due tasks that they do not start themselves
 * @param unknownHandlers the treatment of a task that is scheduled for a handler which no node has
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
        Duration forgetAfter,
        int maxDeaths,
        @Nullable Duration keepFailed,
        boolean nudge,
        UnknownHandlers unknownHandlers) {

    /** The treatment of a task for a handler that no node has, as far as the rows of nodes say. */
    public enum UnknownHandlers {
        /** It is scheduled, and the log says so, once for a handler. */
        WARN,
        /** Scheduling it fails, and leaves the caller's transaction as it is. */
        FAIL
    }

    /** The default number of deaths after which a task is kept as failed. */
    public static final int DEFAULT_MAX_DEATHS = 5;

    private static final Pattern TABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");
    private static final int LONGEST_TABLE = 40;
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final Duration LONGEST_DEAD = Duration.ofDays(1);
    private static final Duration LONGEST_CLOSE = Duration.ofDays(1);
    private static final Duration LONGEST_FORGET = Duration.ofDays(3_650);
    private static final int LONGEST_NODE = 50;
    private static final int LEAST_HEARTBEATS = 4;

    /** @throws UnusableSettingException if a value does not fit */
    public DurableSettings {
        UnusableSettingException.unless(
                table.length() <= LONGEST_TABLE && TABLE.matcher(table).matches(),
                "table",
                "'" + table + "'",
                "must be up to 40 letters, digits and _, perhaps after a schema and a dot",
                TaskTable.DEFAULT_NAME);
        UnusableSettingException.unless(
                !node.isEmpty() && node.length() <= LONGEST_NODE,
                "node",
                "'" + node + "'",
                "must have 1 to 50 characters",
                "node-1");
        requireAtLeastOne("maxConcurrent", maxConcurrent);
        requireAtLeastOne("maxClaimed", maxClaimed);
        requireBetween("claimAhead", claimAhead);
        requireBetween("heartbeat", heartbeat);
        Duration leastDeadAfter = heartbeat.multipliedBy(LEAST_HEARTBEATS);
        UnusableSettingException.unless(
                deadAfter.compareTo(leastDeadAfter) >= 0,
                "deadAfter",
                deadAfter,
                "must be at least four heartbeats, which are " + leastDeadAfter,
                leastDeadAfter.toString());
        requireAtMost("deadAfter", deadAfter, LONGEST_DEAD, "1 day");
        Objects.requireNonNull(closeLimit, "closeLimit must not be null");
        UnusableSettingException.unless(
                !closeLimit.isNegative(), "closeLimit", closeLimit, "must not be negative", "20s");
        requireAtMost("closeLimit", closeLimit, LONGEST_CLOSE, "1 day");
        requireKept("forgetAfter", forgetAfter);
        UnusableSettingException.unless(maxDeaths >= 0, "maxDeaths", maxDeaths, "must be at least 0", "5");
        if (keepFailed != null) {
            requireKept("keepFailed", keepFailed);
        }
        Objects.requireNonNull(unknownHandlers, "unknownHandlers must not be null");
    }

    /** Returns the default settings: ten runs at a time, rows claimed a second ahead and dead after six. */
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
                Duration.ofDays(7),
                DEFAULT_MAX_DEATHS,
                null,
                true,
                UnknownHandlers.WARN);
    }

    private static void requireKept(String name, Duration value) {
        UnusableSettingException.unless(value.compareTo(LONGEST) >= 0, name, value, "must be at least 1 minute", "7d");
        requireAtMost(name, value, LONGEST_FORGET, "3650 days");
    }

    private static void requireAtLeastOne(String name, int value) {
        UnusableSettingException.unless(value >= 1, name, value, "must be at least 1", "10");
    }

    private static void requireBetween(String name, Duration value) {
        UnusableSettingException.unless(
                value.compareTo(SHORTEST) >= 0 && value.compareTo(LONGEST) <= 0,
                name,
                value,
                "must be 100 ms to 1 minute",
                "1s");
    }

    private static void requireAtMost(String name, Duration value, Duration longest, String text) {
        UnusableSettingException.unless(
                value.compareTo(longest) <= 0, name, value, "must be at most " + text, longest.toString());
    }
}
