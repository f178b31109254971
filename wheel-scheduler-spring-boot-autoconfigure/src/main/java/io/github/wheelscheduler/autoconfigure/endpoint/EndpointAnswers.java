package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.spring.task.UnknownTaskException;
import java.time.DateTimeException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Answers of endpoints over HTTP. What goes wrong is answered with a status and the reason: 400 for a request that makes no sense,
 * 404 for what does not exist, 409 for what the state of something does not allow.
 */
public final class EndpointAnswers {

    private static final int STATUS_CONFLICT = 409;

    private EndpointAnswers() {}

    /**
     * Returns a number that somebody has written; Spring would refuse what is none, too, but would not say why.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static @Nullable Integer parse(String what, @Nullable String text, int max) {
        try {
            return text == null ? null : Integer.valueOf(text);
        } catch (NumberFormatException ex) {
            throw new IllegalArgumentException(what + " must be a number between 0 and " + max + ", was " + text, ex);
        }
    }

    /** Returns the answer to an operation, whatever becomes of it. */
    public static WebEndpointResponse<OperationResponseBody> answer(Supplier<OperationResponseBody> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (UnknownNameException ex) {
            return problem(WebEndpointResponse.STATUS_NOT_FOUND, ex, ex.knownTasks());
        } catch (UnknownTaskException ex) {
            // it has gone since it was found
            return problem(WebEndpointResponse.STATUS_NOT_FOUND, ex, ex.knownTasks());
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException ex) {
            return problem(WebEndpointResponse.STATUS_BAD_REQUEST, ex, null);
        } catch (IllegalStateException | RejectedExecutionException ex) {
            return problem(STATUS_CONFLICT, ex, null);
        }
    }

    private static WebEndpointResponse<OperationResponseBody> problem(
            int status, RuntimeException reason, @Nullable Integer knownTasks) {
        return new WebEndpointResponse<>(
                new ProblemDescriptor(String.valueOf(reason.getMessage()), knownTasks), status);
    }

    /** Returns the answer that something could not be done. */
    public static WebEndpointResponse<OperationResponseBody> problem(int status, String error) {
        return new WebEndpointResponse<>(new ProblemDescriptor(error, null), status);
    }
}
