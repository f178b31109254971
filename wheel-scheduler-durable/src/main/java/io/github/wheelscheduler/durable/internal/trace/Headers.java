package io.github.wheelscheduler.durable.internal.trace;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The part of the current span that a row keeps as it is written.
 *
 * @param traceparent names the span
 * @param traceState null where no run may continue the trace; empty if vendors keep nothing in it
 * @param childWithin a run that is due within this time continues the trace
 */
public record Headers(String traceparent, @Nullable String traceState, Duration childWithin) {

    /** Returns what a row keeps that is due after so long. */
    public Headers dueIn(Duration delay) {
        return traceState == null || delay.compareTo(childWithin) <= 0
                ? this
                : new Headers(traceparent, null, childWithin);
    }
}
