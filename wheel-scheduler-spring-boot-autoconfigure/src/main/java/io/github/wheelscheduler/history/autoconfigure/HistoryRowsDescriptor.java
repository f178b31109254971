package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.TraceUrl;
import io.github.wheelscheduler.history.HistoryCounts;
import io.github.wheelscheduler.history.HistoryPage;
import io.github.wheelscheduler.history.HistoryRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A page of the history, the newest row first.
 *
 * @param node the name of this node
 * @param counts the numbers of rows that this node has written and dropped
 * @param after the cursor of the next page; null if there is none
 * @param read the number of rows that were read for the page
 * @param readTo the time of the last row that was read, if the search ended because it had read the maximum number of
 *     rows; else null
 */
public record HistoryRowsDescriptor(
        Instant now,
        String node,
        HistoryCounts counts,
        List<Row> rows,
        @Nullable String after,
        int read,
        @Nullable Instant readTo)
        implements OperationResponseBody {

    static HistoryRowsDescriptor of(
            HistoryPage page, String node, HistoryCounts counts, @Nullable String traceUrl, Instant now) {
        return new HistoryRowsDescriptor(
                now,
                node,
                counts,
                page.rows().stream().map(row -> Row.of(row, traceUrl)).toList(),
                page.next(),
                page.read(),
                page.readTo());
    }

    /**
     * A run, or runs that did not take place.
     *
     * @param at the time when it ended, or did not start
     * @param task the id of the task, or the handler
     * @param id of a one-time task of the handler; null for others
     * @param due its due time; null if that is unknown
     * @param start the time when it started; null if it did not
     * @param duration the duration of the run; null if there was no run
     * @param runs the number of runs that it stands for
     * @param by the caller that triggered it; null if it was not triggered, or if that is unknown
     * @param detail the reason why it did not run; null for others
     * @param exception the name of the class of the exception; null if it threw nothing
     * @param message of the exception; null if it threw nothing
     * @param kind by which the stack trace is found; null if none is kept
     * @param traceUrl the address of its trace; null unless {@code wheel.scheduler.trace-url} says it
     */
    public record Row(
            Instant at,
            String task,
            @Nullable String id,
            String scheduler,
            String node,
            @Nullable Instant due,
            @Nullable Instant start,
            @Nullable Duration duration,
            String outcome,
            long runs,
            int attempt,
            String cause,
            @Nullable String by,
            @Nullable String detail,
            @Nullable String exception,
            @Nullable String message,
            @Nullable String kind,
            @Nullable String traceId,
            @Nullable String traceUrl) {

        private static Row of(HistoryRow row, @Nullable String template) {
            HistoryRow.Failure failure = row.failure();
            return new Row(
                    row.at(),
                    row.task(),
                    row.instance(),
                    row.scheduler(),
                    row.node(),
                    row.due(),
                    row.started(),
                    row.length(),
                    row.outcome().name(),
                    row.runs(),
                    row.attempt(),
                    row.cause().name(),
                    row.by(),
                    row.detail(),
                    failure == null ? null : failure.type(),
                    failure == null ? null : failure.message(),
                    failure == null ? null : failure.kind(),
                    row.traceId(),
                    TraceUrl.of(template, row.traceId()));
        }
    }
}
