package io.github.wheelscheduler.autoconfigure;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.handler.TracingObservationHandler.TracingContext;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.ScheduledTaskObservationContext;

/** Notes the trace ids of runs that fail, as Spring observes them. */
final class TracedFailures implements ObservationHandler<ScheduledTaskObservationContext> {

    TracedFailures() {}

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof ScheduledTaskObservationContext;
    }

    @Override
    public void onError(ScheduledTaskObservationContext context) {
        Throwable failure = context.getError();
        String traceId = traceOf(context);
        if (failure != null && traceId != null) {
            TraceIds.seen(failure, traceId);
        }
    }

    /** Returns the id of the trace of an observation; null if it has no span. */
    static @Nullable String traceOf(Observation.Context context) {
        TracingContext tracing = context.get(TracingContext.class);
        Span span = tracing == null ? null : tracing.getSpan();
        return span == null ? null : span.context().traceId();
    }
}
