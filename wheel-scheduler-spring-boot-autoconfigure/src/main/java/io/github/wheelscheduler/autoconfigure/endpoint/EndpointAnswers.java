package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.spring.task.UnknownTaskException;
import java.time.DateTimeException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Answers of endpoints over HTTP. A failure is answered with a status and the reason: 400 for a request that makes no
 * sense, 404 for an unknown task or scheduler, 409 for an action that the state does not allow.
 */
public final class EndpointAnswers {

    private static final int STATUS_CONFLICT = 409;

    /** So many characters of what was sent are repeated at most. */
    static final int LONGEST = 200;

    /** So many characters of an id are in a sentence at most. */
    static final int LONGEST_NAME = 80;

    private static final String CUT = "…";

    /**
     * Control characters, characters that change the direction of text, halves of characters, and ends of lines and
     * paragraphs.
     */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

    private EndpointAnswers() {}

    /**
     * Returns the segments of a path, all that a selector for the remaining ones takes. Boot puts members of the body
     * and parameters of the query over them before it calls an operation; those are texts and lists, and the path alone
     * is an array.
     *
     * @throws IllegalArgumentException if the segments are not those of the path
     */
    public static String[] path(Object segments) {
        if (segments instanceof String[] path) {
            return path;
        }
        throw new IllegalArgumentException(
                "segments must not be given as a parameter, as the path has them, were " + segments);
    }

    /**
     * Checks that what was sent beside the path is nothing, or the same as there.
     *
     * @throws IllegalArgumentException otherwise
     */
    public static void requireSame(String what, @Nullable String given, String inPath) {
        if (given != null && !given.equals(inPath)) {
            throw new IllegalArgumentException(what + " must be left out or be the same as in the path, was " + given);
        }
    }

    /**
     * Returns a number that a caller has written. Spring would refuse other texts, too, but without the reason.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static @Nullable Integer parse(String what, @Nullable String text, int min, int max) {
        try {
            return text == null ? null : Integer.valueOf(text);
        } catch (NumberFormatException ex) {
            throw new IllegalArgumentException(
                    what + " must be a number between " + min + " and " + max + ", was " + text, ex);
        }
    }

    /** Returns whether an endpoint that is read-only by default may be written to. */
    public static boolean isUnrestricted(ObjectProvider<EndpointAccessResolver> resolver, String endpoint) {
        EndpointAccessResolver found = resolver.getIfAvailable();
        return found != null && found.accessFor(EndpointId.of(endpoint), Access.READ_ONLY) == Access.UNRESTRICTED;
    }

    /** Returns the answer to an operation, also to one that fails. */
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

    /** Returns the answer to an operation over JMX, where what goes wrong is thrown. */
    public static <T> T orThrow(Supplier<T> operation) {
        try {
            return operation.get();
        } catch (RuntimeException ex) {
            String error = String.valueOf(ex.getMessage());
            String shown = printable(error);
            throw shown.equals(error) ? ex : new IllegalArgumentException(shown);
        }
    }

    private static WebEndpointResponse<OperationResponseBody> problem(
            int status, RuntimeException reason, @Nullable Integer knownTasks) {
        return new WebEndpointResponse<>(
                new ProblemDescriptor(printable(String.valueOf(reason.getMessage())), knownTasks), status);
    }

    /** Returns a text that is not too long to be repeated, and shows as what it is. */
    public static String printable(String text) {
        return shown(text.length() <= LONGEST ? text : text.substring(0, LONGEST - CUT.length()) + CUT);
    }

    /** Returns a text that shows as what it is, however long. */
    public static String shown(String text) {
        return UNPRINTABLE.matcher(text).replaceAll("?");
    }

    /** Returns the end of an id that is too long for a sentence: it tells the methods of a class apart. */
    public static String named(String id) {
        int begin = id.length() - LONGEST_NAME;
        return begin <= 0 ? id : CUT + id.substring(begin + CUT.length());
    }

    /** Returns the answer that something could not be done. */
    public static WebEndpointResponse<OperationResponseBody> problem(int status, String error) {
        return new WebEndpointResponse<>(new ProblemDescriptor(error, null), status);
    }
}
