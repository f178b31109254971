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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Observes runs of durable tasks, and knows the spans that are current as tasks are scheduled. Any thread. */
public final class DurableTraces {

    /** More recurring tasks that fail at once are not looked at one by one. */
    private static final int MOST_FAILURES = 1_000;

    private volatile @Nullable Observing observing;

    private volatile boolean keepsCauses;

    /** The trace ids of the last runs here of recurring tasks that fail. */
    private final Map<Recurring, String> failures = new ConcurrentHashMap<>();

    /** A recurring task, which was made at run time or not. */
    private record Recurring(boolean isMade, String id) {}

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

    /** Lets statements select whether runs have been asked for, also where rows keep no spans. */
    public void keepCauses() {
        keepsCauses = true;
    }

    /** Returns what statements select of the origin of a row. */
    public RowOrigin.Columns columns() {
        return isKept() ? RowOrigin.Columns.ALL : keepsCauses ? RowOrigin.Columns.CAUSE : RowOrigin.Columns.NONE;
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
        String traceparent = Traceparent.of(span);
        return traceparent == null ? null : new Headers(traceparent, kept, runs.childWithin());
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
            return current.runs.beginAnnotated(() -> id, false, TimeUnit.NANOSECONDS.convert(lateness), null);
        }
        return current.runs.beginAnnotated(() -> id, true, 0, Traceparent.read(row.traceparent(), null));
    }

    /** Handles the failure of a run under the observation of Spring's that has ended, if there is one. */
    public <T extends @Nullable Object> T handling(Supplier<T> call) {
        return observing == null ? call.get() : AnnotatedRun.inScope(call);
    }

    /** The run on the calling thread is that of a recurring task, and has failed. Throws nothing of an observation. */
    public void recurringFailed(boolean isMade, String id) {
        Observing current = observing;
        RunOrigin span = current == null ? null : current.runs.origin();
        Recurring task = new Recurring(isMade, id);
        String ignored = span == null || (failures.size() >= MOST_FAILURES && !failures.containsKey(task))
                ? failures.remove(task)
                : failures.put(task, span.traceId());
    }

    /** A run of a recurring task has not failed. */
    public void recurringSucceeded(boolean isMade, String id) {
        if (!failures.isEmpty()) {
            String ignored = failures.remove(new Recurring(isMade, id));
        }
    }

    /**
     * Returns the trace id of the last run of a recurring task if it has failed on this node; null if it is not known.
     */
    public @Nullable String traceOfFailure(boolean isMade, String id) {
        return failures.get(new Recurring(isMade, id));
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
