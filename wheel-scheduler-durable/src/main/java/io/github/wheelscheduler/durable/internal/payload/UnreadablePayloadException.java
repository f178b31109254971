package io.github.wheelscheduler.durable.internal.payload;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;

/** A row's payload is not what the handler of this node expects. */
public final class UnreadablePayloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Jackson quotes a payload in quotes or parentheses, or by the text of the user's own class. */
    private static final Pattern WITHOUT_VALUES = Pattern.compile("^((?:`[^`]*`|[^`\"'(\\d:,])*)");

    public UnreadablePayloadException(String message) {
        super(message);
    }

    /** Returns where a payload cannot be read, and why, without anything that may be a value of it. */
    static String reasonOf(JacksonException ex) {
        StringBuilder path = new StringBuilder("$");
        for (JacksonException.Reference step : ex.getPath()) {
            String property = step.getPropertyName();
            StringBuilder ignored = property == null
                    ? path.append('[').append(step.getIndex()).append(']')
                    : path.append('.').append(property);
        }
        // What a limit of Jackson's refuses has none.
        TokenStreamLocation location = ex.getLocation();
        return "at " + path + (location == null ? "" : " (" + location.offsetDescription() + ")") + ", " + why(ex);
    }

    private static String why(JacksonException ex) {
        Throwable cause = ex.getCause();
        String text = ex.getClass().getSimpleName();
        boolean isJacksons = ex instanceof MismatchedInputException
                || ex instanceof InvalidDefinitionException
                || ex instanceof StreamReadException;
        boolean isOfUsers =
                cause != null && !(cause instanceof JacksonException) && !(ex instanceof InvalidFormatException);
        if (!isJacksons || isOfUsers) {
            // The text may be that of a user's class.
            return cause == null
                    ? text
                    : text + " because of " + cause.getClass().getName();
        }
        Matcher matcher = WITHOUT_VALUES.matcher(String.valueOf(ex.getOriginalMessage()));
        String reason = matcher.find() ? matcher.group(1).strip() : "";
        Class<?> target = ex instanceof MismatchedInputException mismatch ? mismatch.getTargetType() : null;
        return text
                + (reason.isEmpty() ? "" : ": " + reason)
                + (target == null || reason.contains("`") ? "" : ", for `" + target.getTypeName() + "`");
    }
}
