package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.internal.spring.observation.AnnotatedRun;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import org.springframework.scheduling.support.ScheduledTaskObservationContext;
import org.springframework.util.ClassUtils;

/** Adds to Spring's observation of a run what the scheduler knows of it, and shows the observation to the scheduler. */
final class AnnotatedRuns implements ObservationHandler<ScheduledTaskObservationContext> {

    private final boolean hasTracing;

    AnnotatedRuns() {
        hasTracing = ClassUtils.isPresent(
                "io.micrometer.tracing.handler.TracingObservationHandler", AnnotatedRuns.class.getClassLoader());
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof ScheduledTaskObservationContext;
    }

    @Override
    public void onStart(ScheduledTaskObservationContext context) {
        AnnotatedRun.begun(context);
    }

    @Override
    public void onScopeOpened(ScheduledTaskObservationContext context) {
        AnnotatedRun.scopeOpened(context, hasTracing ? TracedFailures.traceOf(context) : null);
    }
}
