package io.github.wheelscheduler.internal.spring.observation;

import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.observation.WheelRunContext;
import io.github.wheelscheduler.spring.observation.WheelRunContext.Outcome;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The observation of a run in progress, which has no parent: a current observation or span of the thread is suspended
 * until the run has ended. By the thread of the run.
 */
public final class ObservedRun {

    private final ObservedRuns runs;
    private final WheelRunContext context;
    private final Observation observation;
    private Observation.@Nullable Scope setAside;
    private Observation.@Nullable Scope scope;

    /** The trace of the run around this one, if both have one. */
    private @Nullable String outerTrace;

    private boolean hasTrace;

    ObservedRun(ObservedRuns runs, ObservationRegistry registry, WheelRunContext context) {
        this.runs = runs;
        this.context = context;
        this.observation = runs.observation(registry, context);
        boolean isBegun = false;
        try {
            setAside = ObservedRuns.setAside(registry);
            isBegun = true;
            Observation ignored = observation.start();
            scope = observation.openScope();
            noteTrace();
        } catch (Throwable ex) {
            closeScopes();
            if (isBegun) {
                // Some handlers may have begun, and must not wait for the end for ever.
                stop();
            }
            throw ex;
        }
    }

    private void noteTrace() {
        RunOrigin span = runs.origin();
        if (span != null) {
            outerTrace = runs.exchangeTrace(span.traceId());
            hasTrace = true;
        }
    }

    /** Whether it has a span. */
    public boolean hasSpan() {
        return hasTrace;
    }

    /** Makes the observation current again, within the context of a decorator. */
    public void runInside(Runnable task) {
        Observation.Scope inner = null;
        try {
            inner = observation.openScope();
        } catch (Throwable ex) {
            runs.failed(ex);
        }
        try {
            task.run();
        } finally {
            close(inner);
        }
    }

    /** Ends it as the outcome says. Throws nothing. */
    public void end(@Nullable Throwable failure, Outcome outcome) {
        context.setOutcome(outcome);
        end(failure);
    }

    /** Ends it. Throws nothing. */
    public void end(@Nullable Throwable failure) {
        if (failure != null) {
            runs.error(observation, failure);
        }
        if (hasTrace) {
            String ignored = runs.exchangeTrace(outerTrace);
        }
        closeScopes();
        stop();
    }

    private void stop() {
        runs.stop(observation);
    }

    private void closeScopes() {
        close(scope);
        scope = null;
        close(setAside);
        setAside = null;
    }

    private void close(Observation.@Nullable Scope open) {
        runs.close(open);
    }
}
