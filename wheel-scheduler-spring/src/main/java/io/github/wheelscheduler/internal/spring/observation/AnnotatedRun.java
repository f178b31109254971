package io.github.wheelscheduler.internal.spring.observation;

import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.TimeUnit;
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

    /** Negative if it is unknown. */
    private final long latenessNanos;

    private final @Nullable RunOrigin origin;
    private final @Nullable AnnotatedRun outer;
    private Observation.@Nullable Scope setAside;
    private Observation.@Nullable Scope again;

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
            long latenessNanos,
            @Nullable RunOrigin origin) {
        this.runs = runs;
        this.registry = registry;
        this.id = id;
        this.trigger = trigger;
        this.latenessNanos = latenessNanos;
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
        if (latenessNanos >= 0) {
            String millis = String.valueOf(TimeUnit.NANOSECONDS.toMillis(latenessNanos));
            ignored = context.addHighCardinalityKeyValue(KeyValue.of("lateness.ms", millis));
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

    /** Calls something in the scope of the run on this thread, as below. */
    public static <T extends @Nullable Object> T inScope(Supplier<T> call) {
        AnnotatedRun current = reopened();
        try {
            return call.get();
        } finally {
            if (current != null) {
                current.closeAgain();
            }
        }
    }

    /** Reopens the scope of the run on this thread, as below; null if there is none. Throws nothing. */
    public static @Nullable AnnotatedRun reopened() {
        try {
            AnnotatedRun current = CURRENT.get();
            if (current != null) {
                current.openAgain();
            }
            return current;
        } catch (OutOfMemoryError ex) {
            return null;
        }
    }

    /**
     * Makes the observation of the run the current one, if Spring has observed it: it has ended, and is not changed by
     * that. Throws nothing.
     */
    public void openAgain() {
        Observation ended = observation;
        try {
            again = ended == null ? null : ended.openScope();
        } catch (Throwable ex) {
            runs.failed(ex);
        }
    }

    /** Closes the scope that has been opened again. Throws nothing. */
    public void closeAgain() {
        runs.close(again);
        again = null;
    }

    /** The run is over: what was current before it is so again. Throws nothing. */
    public void end() {
        closeAgain();
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
