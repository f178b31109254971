package io.github.wheelscheduler.internal.spring.observation;

import io.github.wheelscheduler.spring.observation.WheelRunContext;
import io.micrometer.observation.NullObservation;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The observation of a run in progress, which has no parent: an observation or a span that is current on the thread is
 * set aside until the run has ended. By the thread of the run.
 */
public final class ObservedRun {

    private final ObservedRuns runs;
    private final Observation observation;
    private Observation.@Nullable Scope setAside;
    private Observation.@Nullable Scope scope;

    ObservedRun(ObservedRuns runs, ObservationRegistry registry, WheelRunContext context) {
        this.runs = runs;
        this.observation = runs.observation(registry, context);
        boolean isBegun = false;
        try {
            setAside = new NullObservation(registry).start().openScope();
            isBegun = true;
            Observation ignored = observation.start();
            scope = observation.openScope();
        } catch (Throwable ex) {
            closeScopes();
            if (isBegun) {
                // Some handlers may have begun, and must not wait for the end for ever.
                stop();
            }
            throw ex;
        }
    }

    /** Makes the observation current once more, inside of what a decorator has made current. */
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

    /** Ends it. Throws nothing. */
    public void end(@Nullable Throwable failure) {
        try {
            if (failure != null) {
                Observation ignored = observation.error(failure);
            }
        } catch (Throwable ex) {
            runs.failed(ex);
        }
        closeScopes();
        stop();
    }

    private void stop() {
        try {
            observation.stop();
        } catch (Throwable ex) {
            runs.failed(ex);
        }
    }

    private void closeScopes() {
        close(scope);
        scope = null;
        close(setAside);
        setAside = null;
    }

    private void close(Observation.@Nullable Scope open) {
        try {
            if (open != null) {
                open.close();
            }
        } catch (Throwable ex) {
            runs.failed(ex);
        }
    }
}
