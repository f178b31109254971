package io.github.wheelscheduler.autoconfigure;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler.TracingContext;

/**
 * Makes the span of a reactive run current again on the thread that the run ends on: Spring opens no scope there.
 * Nothing is written to the span.
 */
final class EndedSpans {

    private final Tracer tracer;

    EndedSpans(Tracer tracer) {
        this.tracer = tracer;
    }

    /** Runs something while the span of an observation is current, if it has one. */
    void runWithin(Observation.Context context, Runnable notes) {
        TracingContext tracing = context.get(TracingContext.class);
        Span span = tracing == null ? null : tracing.getSpan();
        if (span == null) {
            notes.run();
            return;
        }
        Tracer.SpanInScope scope = null;
        try {
            scope = tracer.withSpan(span);
        } catch (RuntimeException ex) {
            // The run has ended all the same.
        }
        try {
            notes.run();
        } finally {
            if (scope != null) {
                scope.close();
            }
        }
    }
}
