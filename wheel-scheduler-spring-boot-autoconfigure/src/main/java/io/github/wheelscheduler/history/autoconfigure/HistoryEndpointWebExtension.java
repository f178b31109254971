package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers;
import io.github.wheelscheduler.autoconfigure.endpoint.ProblemDescriptor;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistoryUnavailableException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;

/** The endpoint of the history over HTTP. A failure is answered as {@link EndpointAnswers} says. */
@EndpointWebExtension(endpoint = HistoryEndpoint.class)
@RegisterReflectionForBinding({
    HistoryRowsDescriptor.class,
    HistoryDescriptors.Totals.class,
    HistoryDescriptors.Sums.class,
    HistoryDescriptors.Failures.class,
    HistoryDescriptors.Trace.class,
    HistoryDescriptors.Task.class,
    HistoryDescriptors.Audit.class,
    ProblemDescriptor.class
})
public final class HistoryEndpointWebExtension {

    private final HistoryEndpoint endpoint;

    HistoryEndpointWebExtension(HistoryEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Answers with a page of the rows that are asked for, the newest first. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> history(
            @Nullable String from,
            @Nullable String to,
            @Nullable String task,
            @Nullable String id,
            @Nullable String outcome,
            @Nullable String cause,
            @Nullable String node,
            @Nullable String text,
            @Nullable String after,
            @Nullable String limit) {
        return answer(() -> endpoint.rows(new HistoryRequest(
                from,
                to,
                task,
                id,
                outcome,
                cause,
                node,
                text,
                null,
                null,
                after,
                EndpointAnswers.parse("limit", limit, 1, HistoryQuery.MOST_ROWS))));
    }

    /** Answers with totals, a task, its failures, a stack trace, or who steered. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> some(
            @Selector(match = Match.ALL_REMAINING) Object segments,
            @Nullable String from,
            @Nullable String to,
            @Nullable String task,
            @Nullable String who,
            @Nullable String kind,
            @Nullable String after,
            @Nullable String limit) {
        return answer(() -> endpoint.some(
                segments,
                new HistoryRequest(
                        from,
                        to,
                        task,
                        null,
                        null,
                        null,
                        null,
                        null,
                        who,
                        kind,
                        after,
                        EndpointAnswers.parse("limit", limit, 1, HistoryQuery.MOST_ROWS))));
    }

    /** Hides the text of the database, which has statements in it. */
    private static WebEndpointResponse<OperationResponseBody> answer(Supplier<OperationResponseBody> operation) {
        OperationResponseBody answer;
        try {
            answer = operation.get();
        } catch (QueryTimeoutException ex) {
            return EndpointAnswers.problem(
                    WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(ex.getMessage()));
        } catch (DataAccessException ex) {
            return EndpointAnswers.problem(
                    WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
                    "the database must answer, but did not: " + ex.getClass().getSimpleName());
        } catch (HistoryUnavailableException ex) {
            return EndpointAnswers.problem(
                    WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(ex.getMessage()));
        } catch (RuntimeException ex) {
            return EndpointAnswers.answer(() -> {
                throw ex;
            });
        }
        return new WebEndpointResponse<>(answer);
    }
}
