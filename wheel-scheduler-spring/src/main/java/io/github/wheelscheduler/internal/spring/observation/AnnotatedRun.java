package io.github.wheelscheduler.internal.spring.observation;

import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A run of an annotated method, which Spring observes by itself: what the scheduler knows of it, and the observation,
 * which Spring ends before the scheduler handles a failure. By the thread of the run.
 */
public final class AnnotatedRun {

    private static final ThreadLocal<@Nullable AnnotatedRun> CURRENT = new ThreadLocal<>();

    private final ObservedRuns runs;
    private final ObservationRegistry registry;
    private final String id;
    private final String trigger;
    private final @Nullable Duration lateness;
    private final @Nullable RunOrigin origin;
    private final @Nullable AnnotatedRun outer;
    private Observation.@Nullable Scope setAside;

    /** Spring's, once its scope has been opened. */
    private @Nullable Observation observation;

    /** The trace of the run around this one, if both have one. */
    private @Nullable String outerTrace;

    private boolean hasTrace;

    AnnotatedRun(
            ObservedRuns runs,
            ObservationRegistry registry,
            String id,
            String trigger,
            @Nullable Duration lateness,
            @Nullable RunOrigin origin) {
        this.runs = runs;
        this.registry = registry;
        this.id = id;
        this.trigger = trigger;
        this.lateness = lateness;
        this.origin = origin;
        this.outer = CURRENT.get();
        setAside = ObservedRuns.setAside(registry);
        CURRENT.set(this);
    }

    /** Returns the span of the call that has asked for the run on this thread; null for none. */
    public static @Nullable RunOrigin originOfCurrent() {
        AnnotatedRun current = CURRENT.get();
        return current == null || current.observation != null ? null : current.origin;
    }

    /** Spring begins to observe a run. */
    public static void begun(Observation.Context context) {
        AnnotatedRun current = CURRENT.get();
        if (current != null && current.observation == null) {
            current.describe(context);
        }
    }

    /** Keys of high cardinality are in the span alone: the meter of Spring's observation stays as it is. */
    private void describe(Observation.Context context) {
        Observation.Context ignored = context.addHighCardinalityKeyValue(KeyValue.of("task.id", id));
        ignored = context.addHighCardinalityKeyValue(KeyValue.of("trigger", trigger));
        ignored = context.addHighCardinalityKeyValue(KeyValue.of("scheduler", runs.scheduler()));
        if (lateness != null) {
            ignored =
                    context.addHighCardinalityKeyValue(KeyValue.of("lateness.ms", String.valueOf(lateness.toMillis())));
        }
    }

    /**
     * The observation that Spring has begun is current.
     *
     * @param traceId of its span; null if it has none
     */
    public static void scopeOpened(Observation.Context context, @Nullable String traceId) {
        AnnotatedRun current = CURRENT.get();
        Observation opened =
                current == null || current.observation != null ? null : current.registry.getCurrentObservation();
        if (current != null && opened != null && opened.getContext() == context) {
            current.observation = opened;
            if (traceId != null) {
                current.outerTrace = current.runs.exchangeTrace(traceId);
                current.hasTrace = true;
            }
        }
    }

    /**
     * Calls something with the observation of the run on this thread as the current one, if Spring has observed it: it
     * has ended, and is not changed by that.
     */
    public static <T extends @Nullable Object> T inScope(Supplier<T> call) {
        AnnotatedRun current = CURRENT.get();
        Observation.Scope scope = current == null ? null : current.openAgain();
        try {
            return call.get();
        } finally {
            if (current != null) {
                current.runs.close(scope);
            }
        }
    }

    /** Runs something in the same way. */
    public static void runInScope(Runnable task) {
        Object ignored = inScope(() -> {
            task.run();
            return true;
        });
    }

    /** Takes notes in the same way, and ends it. */
    public void endAfter(Runnable notes) {
        try {
            runInScope(notes);
        } finally {
            end();
        }
    }

    private Observation.@Nullable Scope openAgain() {
        Observation ended = observation;
        try {
            return ended == null ? null : ended.openScope();
        } catch (Throwable ex) {
            runs.failed(ex);
            return null;
        }
    }

    /** The run is over: what was current before it is so again. */
    public void end() {
        if (hasTrace) {
            String ignored = runs.exchangeTrace(outerTrace);
        }
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
        }
        runs.close(setAside);
        setAside = null;
    }
}
