package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.FailureKind;
import io.github.wheelscheduler.history.HourSum;
import io.github.wheelscheduler.history.HourTotal;
import io.github.wheelscheduler.history.TaskSummary;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The shorter answers of the endpoint. */
final class HistoryDescriptors {

    private HistoryDescriptors() {}

    /** Totals by hour or by day, in the order of their starts. */
    public record Totals(Instant from, Instant to, List<HourTotal> totals) implements OperationResponseBody {}

    /** The runs of each hour in which there were any, of all nodes together, in the order of the hours. */
    public record Sums(Instant from, Instant to, List<HourSum> hours) implements OperationResponseBody {}

    /** The kinds of failures of a task, or of all, the most frequent first. */
    public record Failures(Instant from, Instant to, List<FailureKind> failures) implements OperationResponseBody {}

    /** The stack trace of a kind of failures. */
    public record Trace(String task, String kind, @Nullable String trace) implements OperationResponseBody {}

    /** A task over restarts and all nodes. */
    public record Task(TaskSummary summary) implements OperationResponseBody {}

    /** A page of who steered, the newest first. */
    public record Audit(List<AuditEntry> entries, @Nullable String after) implements OperationResponseBody {}
}
