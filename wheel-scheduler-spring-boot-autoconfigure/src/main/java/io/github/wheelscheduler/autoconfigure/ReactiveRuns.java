package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.internal.spring.task.OpenRun;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import org.springframework.scheduling.support.ScheduledTaskObservationContext;

/**
 * Tells runs of reactive methods how they really ended. Spring begins its observation of a run on the thread of the run, which is how the two
 * find each other, and stops it when the publisher ends, on any thread.
 */
final class ReactiveRuns implements ObservationHandler<ScheduledTaskObservationContext> {

    ReactiveRuns() {}

    /** A method that returns nothing has ended when it returns. */
    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof ScheduledTaskObservationContext run
                && run.getMethod().getReturnType() != void.class;
    }

    @Override
    public void onStart(ScheduledTaskObservationContext context) {
        OpenRun run = OpenRun.keepCurrent();
        if (run != null) {
            context.put(OpenRun.class, run);
        }
    }

    @Override
    public void onStop(ScheduledTaskObservationContext context) {
        OpenRun run = context.get(OpenRun.class);
        if (run == null) {
            return;
        }
        Throwable failure = context.getError();
        if (failure != null || context.isComplete()) {
            run.ended(failure);
        } else {
            run.cancelled();
        }
    }
}
