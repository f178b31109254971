package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.history.HistorySettings;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the history of runs.
 *
 * @param enabled Whether the history of runs is kept and can be read.
 * @param table Beginning of the names of its tables, perhaps after that of their schema and a dot.
 * @param initializeSchema When to make the tables at the start.
 * @param node Name of this process in the rows, 1 to 50 characters. That of durable tasks, or the host's, unless set.
 * @param successesPerHour Maximum number of rows of successful runs that each node writes for a task in an hour.
 * @param othersPerHour Maximum number of rows of failures that each node writes for a task in an hour, and the same of
 *     runs that did not take place.
 * @param unlimited Ids of tasks, names of handlers, or classes of one-time tasks whose runs all have rows.
 * @param buffer Maximum number of rows that wait for the database, 100 to 1000000. More are dropped and counted.
 * @param keepRows Time for which rows are kept, 1 hour to 3650 days.
 * @param keepFailures Time for which stack traces and counts of failures are kept.
 * @param keepHours Time for which totals by hour are kept.
 * @param keepDays Time for which totals by day are kept.
 * @param keepAudit Time for which entries of the audit are kept, which name who steered.
 * @param messageLength Maximum length of a failure's message in a row, 0 to 200.
 * @param traces Whether stack traces of failures are kept.
 * @param closeLimit Maximum time that closing waits for the last rows to be written.
 * @param queryTimeout Maximum time of each statement that answers a question, 1 second to 1 hour.
 */
@ConfigurationProperties(prefix = HistoryProperties.PREFIX, ignoreUnknownFields = false)
public record HistoryProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("wheel_history") String table,
        @DefaultValue("embedded") SchemaSetup initializeSchema,
        @Nullable String node,
        @DefaultValue("120") int successesPerHour,
        @DefaultValue("120") int othersPerHour,
        @DefaultValue Set<String> unlimited,
        @DefaultValue("10000") int buffer,
        @DefaultValue("14d") Duration keepRows,
        @DefaultValue("30d") Duration keepFailures,
        @DefaultValue("30d") Duration keepHours,
        @DefaultValue("396d") Duration keepDays,
        @DefaultValue("396d") Duration keepAudit,
        @DefaultValue("200") int messageLength,
        @DefaultValue("true") boolean traces,
        @DefaultValue("5s") Duration closeLimit,
        @DefaultValue("10s") Duration queryTimeout) {

    static final String PREFIX = "wheel.scheduler.history";

    private static final int LONGEST_NODE = 50;

    /** When the tables are made. */
    public enum SchemaSetup {
        ALWAYS,
        EMBEDDED,
        NEVER
    }

    /**
     * Returns what the engine takes.
     *
     * @param usualNode returns the name of this process; called where none is set
     * @throws UnusableSettingException if a value does not fit
     */
    HistorySettings settings(boolean isEmbedded, Supplier<String> usualNode) {
        boolean initializes =
                initializeSchema == SchemaSetup.ALWAYS || (initializeSchema == SchemaSetup.EMBEDDED && isEmbedded);
        try {
            return new HistorySettings(
                    table,
                    initializes,
                    node == null ? cut(usualNode.get()) : node,
                    successesPerHour,
                    othersPerHour,
                    unlimited,
                    buffer,
                    keepRows,
                    keepFailures,
                    keepHours,
                    keepDays,
                    keepAudit,
                    messageLength,
                    traces,
                    closeLimit,
                    queryTimeout);
        } catch (UnusableSettingException ex) {
            throw ex.named(PREFIX + "." + DataObjectPropertyName.toDashedForm(ex.setting()));
        }
    }

    private static String cut(String name) {
        return name.length() > LONGEST_NODE ? name.substring(0, LONGEST_NODE) : name;
    }
}
