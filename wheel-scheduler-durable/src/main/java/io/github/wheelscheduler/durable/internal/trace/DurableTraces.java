package io.github.wheelscheduler.durable.internal.trace;

import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.internal.spring.observation.AnnotatedRun;
import io.github.wheelscheduler.internal.spring.observation.ObservedRun;
import io.github.wheelscheduler.internal.spring.observation.ObservedRuns;
import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.observation.WheelRunContext.Attempt;
import io.github.wheelscheduler.spring.observation.WheelRunContext.Trigger;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Observes runs of durable tasks, and knows the spans that are current as tasks are scheduled. Any thread. */
public final class DurableTraces {

    private volatile @Nullable Observing observing;

    /**
     * The observation of runs.
     *
     * @param ofHandlers whether runs of single handlers are, in place of what holds for all
     */
    private record Observing(ObservedRuns runs, Map<String, Boolean> ofHandlers) {

        boolean includes(String handler) {
            return ofHandlers.getOrDefault(handler, runs.includes(true));
        }
    }

    /** Observes from now on; null for not at all. */
    public void observe(@Nullable WheelRunObservation how, Map<String, Boolean> ofHandlers) {
        observing = how == null
                ? null
                : new Observing(new ObservedRuns(how, () -> DurableEngine.GROUP), Map.copyOf(ofHandlers));
    }

    /** Whether rows keep spans. */
    public boolean isKept() {
        Observing current = observing;
        return current != null && current.runs.hasOrigins();
    }

    /**
     * Calls what schedules tasks of a handler, within a span of its own if one is current.
     *
     * @param call is given what the rows keep of the span; null for nothing
     */
    public <T extends @Nullable Object> T scheduling(String handler, int tasks, Function<@Nullable Headers, T> call) {
        Observing current = observing;
        if (current == null || !current.includes(handler) || current.runs.origin() == null) {
            return call.apply(null);
        }
        return current.runs.scheduling(handler, tasks, traceState -> call.apply(current(current.runs, traceState)));
    }

    private static @Nullable Headers current(ObservedRuns runs, @Nullable String traceState) {
        RunOrigin span = runs.origin();
        if (span == null) {
            return null;
        }
        String kept = !span.isParent() ? null : traceState == null ? "" : traceState;
        return new Headers(Traceparent.of(span), kept, runs.childWithin());
    }

    /** Returns the header {@code traceparent} of the span that is current; null for none. */
    public @Nullable String current() {
        Observing current = observing;
        RunOrigin span = current == null ? null : current.runs.origin();
        return span == null ? null : Traceparent.of(span);
    }

    /** Begins a run of a method that Spring observes; null if nothing is observed. Throws nothing. */
    public @Nullable AnnotatedRun beginAnnotated(String id, Duration lateness, @Nullable RowOrigin row) {
        Observing current = observing;
        if (current == null) {
            return null;
        }
        if (row == null || !row.isByHand()) {
            return current.runs.beginAnnotated(id, false, notNegative(lateness), null);
        }
        return current.runs.beginAnnotated(id, true, null, Traceparent.read(row.traceparent(), null));
    }

    /** Handles the failure of a run under the observation of Spring's that has ended, if there is one. */
    public <T extends @Nullable Object> T handling(Supplier<T> call) {
        return observing == null ? call.get() : AnnotatedRun.inScope(call);
    }

    private static Duration notNegative(Duration lateness) {
        return lateness.isNegative() ? Duration.ZERO : lateness;
    }

    /**
     * Begins the observation of a run; null if it is not observed. Throws nothing.
     *
     * @param row null if its row says nothing
     */
    public @Nullable ObservedRun begin(
            String handler, String id, int attempt, Duration lateness, String node, @Nullable RowOrigin row) {
        Observing current = observing;
        if (current == null || !current.includes(handler)) {
            return null;
        }
        RunOrigin failed = row == null ? null : Traceparent.read(row.failedTraceparent(), null);
        RunOrigin origin = row == null
                ? null
                : Traceparent.read(row.traceparent(), attempt > 1 || row.isByHand() ? null : row.traceState());
        boolean isByHand = row != null && row.isByHand();
        Trigger trigger = attempt > 1 ? Trigger.RETRY : isByHand ? Trigger.BY_HAND : Trigger.SCHEDULE;
        return current.runs.begin(
                id, handler, trigger, notNegative(lateness), origin, new Attempt(attempt, node, failed));
    }
}
