package io.github.wheelscheduler.autoconfigure;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.handler.TracingObservationHandler.TracingContext;
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
        TracingContext tracing = context.get(TracingContext.class);
        Span span = tracing == null ? null : tracing.getSpan();
        if (failure != null && span != null) {
            TraceIds.seen(failure, span.context().traceId());
        }
    }
}
