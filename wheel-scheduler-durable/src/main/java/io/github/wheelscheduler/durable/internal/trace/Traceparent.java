package io.github.wheelscheduler.durable.internal.trace;

import io.github.wheelscheduler.spring.observation.RunOrigin;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names of spans as the header {@code traceparent} of W3C has them. */
public final class Traceparent {

    private static final Pattern TEXT =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2}).*");
    private static final String ZEROS = "0".repeat(32);
    private static final int SPAN_ID = 16;

    private Traceparent() {}

    /**
     * Returns the header for a span, whose trace may have an id of 64 bits; null if its ids are too long for a header,
     * as a custom tracer may have them.
     */
    static @Nullable String of(RunOrigin span) {
        String trace = span.traceId();
        if (trace.length() > ZEROS.length() || span.spanId().length() != SPAN_ID) {
            return null;
        }
        return "00-" + ZEROS.substring(Math.min(ZEROS.length(), trace.length())) + trace + "-" + span.spanId()
                + (Boolean.TRUE.equals(span.sampled()) ? "-01" : "-00");
    }

    /** Returns the id of the trace that a header names; null if it names none. */
    public static @Nullable String traceIdOf(@Nullable String text) {
        RunOrigin span = read(text, null);
        return span == null ? null : span.traceId();
    }

    /**
     * Returns the span that a header names; null if it names none, as another program may have written it.
     *
     * @param traceState of a span whose trace the run continues; null for a link
     */
    static @Nullable RunOrigin read(@Nullable String text, @Nullable String traceState) {
        // Most rows have none.
        Matcher matcher = text == null ? null : TEXT.matcher(text);
        if (matcher == null || !matcher.matches()) {
            return null;
        }
        boolean isSampled = (Character.digit(matcher.group(3).charAt(1), 16) & 1) == 1;
        return new RunOrigin(
                matcher.group(1),
                matcher.group(2),
                isSampled,
                traceState != null,
                traceState == null || traceState.isEmpty() ? null : traceState);
    }
}
