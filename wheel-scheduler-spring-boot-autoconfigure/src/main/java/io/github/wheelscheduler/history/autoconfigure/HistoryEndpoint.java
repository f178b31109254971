package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers;
import io.github.wheelscheduler.autoconfigure.endpoint.UnknownNameException;
import io.github.wheelscheduler.history.AuditPage;
import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.RunHistoryReader;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The endpoint {@code wheelhistory}. It shows the runs of all nodes, and who steered; it changes nothing. */
@Endpoint(id = HistoryEndpoint.ID, defaultAccess = Access.READ_ONLY)
public final class HistoryEndpoint {

    static final String ID = "wheelhistory";

    private static final Duration A_DAY = Duration.ofDays(1);
    private static final Duration A_MONTH = Duration.ofDays(30);
    private static final HistoryRequest FIRST =
            new HistoryRequest(null, null, null, null, null, null, null, null, null, null, null, null);

    private final HistoryEngine history;
    private final RunHistoryReader reader;
    private final Supplier<Instant> clock;
    private final @Nullable String traceUrl;

    /**
     * Makes one.
     *
     * @param traceUrl where a trace is, with {@code {traceId}} in place of its id; null for unknown
     */
    HistoryEndpoint(
            HistoryEngine history, RunHistoryReader reader, Supplier<Instant> clock, @Nullable String traceUrl) {
        this.history = history;
        this.reader = reader;
        this.clock = clock;
        this.traceUrl = traceUrl;
    }

    /** Returns the newest rows. */
    @ReadOperation
    public HistoryRowsDescriptor history() {
        return rows(FIRST);
    }

    /**
     * Returns a page of rows.
     *
     * @throws IllegalArgumentException if the request makes no sense
     */
    HistoryRowsDescriptor rows(HistoryRequest request) {
        return HistoryRowsDescriptor.of(
                reader.page(request.toQuery()), history.settings().node(), history.counts(), traceUrl, clock.get());
    }

    /**
     * Returns something else of the history.
     *
     * @param segments the path: {@code hours}, {@code sums}, {@code days}, {@code task}, {@code failures},
     *     {@code trace} or {@code audit}
     * @throws UnknownNameException if there is no such thing
     * @throws IllegalArgumentException if the request makes no sense
     */
    OperationResponseBody some(Object segments, HistoryRequest request) {
        String kind = String.join("/", EndpointAnswers.path(segments));
        Instant now = clock.get();
        Instant to = request.end(now);
        return switch (kind) {
            case "hours" -> {
                Instant from = request.begin(A_DAY, now);
                yield new HistoryDescriptors.Totals(from, to, reader.hours(request.taskOrNull(), from, to));
            }
            case "sums" -> {
                Instant from = request.begin(A_DAY, now);
                yield new HistoryDescriptors.Sums(from, to, reader.sums(request.taskOrNull(), from, to));
            }
            case "days" -> {
                Instant from = request.begin(A_MONTH, now);
                yield new HistoryDescriptors.Totals(from, to, reader.days(request.taskOrNull(), from, to));
            }
            case "task" -> new HistoryDescriptors.Task(reader.summary(request.requireTask()));
            case "failures" -> {
                Instant from = request.begin(A_MONTH, now);
                yield new HistoryDescriptors.Failures(from, to, reader.failures(request.taskOrNull(), from, to));
            }
            case "trace" ->
                new HistoryDescriptors.Trace(
                        request.requireTask(),
                        request.requireKind(),
                        reader.trace(request.requireTask(), request.requireKind()));
            case "audit" -> {
                AuditPage page = reader.audit(request.toAuditQuery());
                yield new HistoryDescriptors.Audit(page.entries(), page.next());
            }
            default ->
                throw UnknownNameException.of(
                        "path must be hours, sums, days, task, failures, trace or audit, was " + kind);
        };
    }
}
