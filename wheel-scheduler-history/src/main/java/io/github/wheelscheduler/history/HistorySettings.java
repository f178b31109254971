package io.github.wheelscheduler.history;

import io.github.wheelscheduler.UnusableSettingException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Settings of a history. Start from {@link #ofNode}.
 *
 * @param table the beginning of the names of its tables, perhaps after that of their schema and a dot
 * @param initializeSchema whether to make the tables if they are not there
 * @param node the name of this process in the rows, 1 to 50 characters
 * @param successesPerHour the number of rows that each node writes in an hour for successful runs of a task, at least 1
 * @param othersPerHour the same for its failures, and again for its runs that did not take place, at least 1
 * @param unlimited the ids of tasks, or handlers, of which every run has a row
 * @param buffer the maximum number of rows that wait for the database, 100 to 1,000,000
 * @param keepRows the time for which rows are kept, 1 hour to 3650 days
 * @param keepFailures the time for which stack traces and counts of failures are kept
 * @param keepHours the time for which totals by hour are kept
 * @param keepDays the time for which totals by day are kept
 * @param keepAudit the time for which entries of the audit are kept
 * @param messageLength the maximum number of characters that are kept of a failure's message, 0 to 200
 * @param traces whether stack traces are kept
 * @param closeLimit the maximum time that closing takes to write the buffer, at most 1 minute
 * @param queryTimeout the maximum time that the database may take to answer a query, 1 second to 1 hour
 */
public record HistorySettings(
        String table,
        boolean initializeSchema,
        String node,
        int successesPerHour,
        int othersPerHour,
        Set<String> unlimited,
        int buffer,
        Duration keepRows,
        Duration keepFailures,
        Duration keepHours,
        Duration keepDays,
        Duration keepAudit,
        int messageLength,
        boolean traces,
        Duration closeLimit,
        Duration queryTimeout) {

    /** The default beginning of the names of its tables. */
    public static final String DEFAULT_TABLE = "wheel_history";

    /** The default number of rows of a task in an hour, of each kind. */
    public static final int DEFAULT_ROWS_PER_HOUR = 120;

    /** The default number of rows that may wait. */
    public static final int DEFAULT_BUFFER = 10_000;

    /** The maximum number of characters that are kept of a message. */
    public static final int LONGEST_MESSAGE = 200;

    private static final Pattern TABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");
    private static final int LONGEST_TABLE = 40;
    private static final int LONGEST_NODE = 50;
    private static final int LEAST_BUFFER = 100;
    private static final int MOST_BUFFER = 1_000_000;
    private static final Duration SHORTEST_KEPT = Duration.ofHours(1);
    private static final Duration LONGEST_KEPT = Duration.ofDays(3_650);
    private static final Duration LONGEST_CLOSE = Duration.ofMinutes(1);
    private static final Duration SHORTEST_QUERY = Duration.ofSeconds(1);
    private static final Duration LONGEST_QUERY = Duration.ofHours(1);

    /** @throws UnusableSettingException if a value does not fit */
    public HistorySettings {
        require(
                table,
                name -> name.length() <= LONGEST_TABLE && TABLE.matcher(name).matches(),
                "table",
                "must be up to 40 letters, digits and _, perhaps after a schema and a dot",
                DEFAULT_TABLE);
        require(
                node,
                name -> !name.isEmpty() && name.length() <= LONGEST_NODE,
                "node",
                "must have 1 to 50 characters",
                "node-1");
        require(successesPerHour, rows -> rows >= 1, "successesPerHour", "must be at least 1", "120");
        require(othersPerHour, rows -> rows >= 1, "othersPerHour", "must be at least 1", "120");
        unlimited = Set.copyOf(unlimited);
        require(
                buffer,
                rows -> rows >= LEAST_BUFFER && rows <= MOST_BUFFER,
                "buffer",
                "must be 100 to 1000000",
                "10000");
        requireKept("keepRows", keepRows);
        requireKept("keepFailures", keepFailures);
        requireKept("keepHours", keepHours);
        requireKept("keepDays", keepDays);
        requireKept("keepAudit", keepAudit);
        require(
                messageLength,
                length -> length >= 0 && length <= LONGEST_MESSAGE,
                "messageLength",
                "must be 0 to 200",
                "200");
        require(
                closeLimit,
                limit -> !limit.isNegative() && limit.compareTo(LONGEST_CLOSE) <= 0,
                "closeLimit",
                "must be at most 1 minute, and not negative",
                "5s");
        require(
                queryTimeout,
                limit -> limit.compareTo(SHORTEST_QUERY) >= 0 && limit.compareTo(LONGEST_QUERY) <= 0,
                "queryTimeout",
                "must be 1 second to 1 hour",
                "10s");
    }

    /** Returns the default settings: 120 rows an hour of each kind for a task, 14 days of rows, 13 months of days. */
    public static HistorySettings ofNode(String node) {
        return new HistorySettings(
                DEFAULT_TABLE,
                true,
                node,
                DEFAULT_ROWS_PER_HOUR,
                DEFAULT_ROWS_PER_HOUR,
                Set.of(),
                DEFAULT_BUFFER,
                Duration.ofDays(14),
                Duration.ofDays(30),
                Duration.ofDays(30),
                Duration.ofDays(396),
                Duration.ofDays(396),
                LONGEST_MESSAGE,
                true,
                Duration.ofSeconds(5),
                Duration.ofSeconds(10));
    }

    private static void requireKept(String name, Duration value) {
        require(
                value,
                kept -> kept.compareTo(SHORTEST_KEPT) >= 0 && kept.compareTo(LONGEST_KEPT) <= 0,
                name,
                "must be 1 hour to 3650 days",
                "14d");
    }

    private static <T> void require(T value, Predicate<T> rule, String name, String text, String example) {
        UnusableSettingException.unless(rule.test(value), name, value, text, example);
    }
}
