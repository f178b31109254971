package io.github.wheelscheduler.spring.observation;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The span that was current when a run was requested. It holds names of the span, and nothing of the span itself, which
 * may be long over when the run begins.
 *
 * @param traceId the id of its trace, as hexadecimal text
 * @param spanId its id, as hexadecimal text
 * @param sampled whether the trace is sampled; null for not decided yet
 * @param isParent whether the run continues the trace; otherwise it begins one, with a link to the span
 * @param traceState the data that vendors keep in the trace, as a header has it; null for none
 */
public record RunOrigin(
        String traceId,
        String spanId,
        @Nullable Boolean sampled,
        boolean isParent,
        @Nullable String traceState) {

    public RunOrigin {
        Objects.requireNonNull(traceId, "traceId must not be null");
        Objects.requireNonNull(spanId, "spanId must not be null");
    }

    /** Names a span without a {@code tracestate}. */
    public RunOrigin(String traceId, String spanId, @Nullable Boolean sampled, boolean isParent) {
        this(traceId, spanId, sampled, isParent, null);
    }

    /** Returns the same span for a run that begins a trace of its own. */
    public RunOrigin asLink() {
        return isParent ? new RunOrigin(traceId, spanId, sampled, false) : this;
    }
}
