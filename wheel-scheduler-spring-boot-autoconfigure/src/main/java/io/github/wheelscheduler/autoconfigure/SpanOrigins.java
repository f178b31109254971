package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.observation.WheelRunContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import io.micrometer.tracing.CurrentTraceContext;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.scheduling.support.ScheduledTaskObservationContext;
import org.springframework.util.function.SingletonSupplier;

/**
 * Says which span is current on the calling thread. Inside of a run it is never a parent: a task that schedules itself
 * would make an endless trace. Tracer and registry are looked up at the first call: they may need the whole
 * application.
 */
final class SpanOrigins implements Supplier<@Nullable RunOrigin> {

    private final ObjectProvider<Tracer> tracer;
    private final Supplier<ObservationRegistry> registry;

    /** Null until the first call. Several threads may set it, to the same object. */
    private volatile @Nullable CurrentTraceContext current;

    SpanOrigins(ObjectProvider<Tracer> tracer, ObjectProvider<ObservationRegistry> registry) {
        this.tracer = tracer;
        this.registry = SingletonSupplier.of(() -> registry.getIfUnique(() -> ObservationRegistry.NOOP));
    }

    @Override
    public @Nullable RunOrigin get() {
        CurrentTraceContext known = current;
        TraceContext span = (known == null ? find() : known).context();
        return span == null || span == TraceContext.NOOP
                ? null
                : new RunOrigin(span.traceId(), span.spanId(), span.sampled(), !isInRun());
    }

    private CurrentTraceContext find() {
        CurrentTraceContext found = tracer.getIfUnique(() -> Tracer.NOOP).currentTraceContext();
        current = found;
        return found;
    }

    /** Whether an observation that is current, or one around it, is that of a run. */
    private boolean isInRun() {
        ObservationView observation = registry.get().getCurrentObservation();
        while (observation != null) {
            Observation.ContextView context = observation.getContextView();
            if (context instanceof WheelRunContext || context instanceof ScheduledTaskObservationContext) {
                return true;
            }
            observation = context.getParentObservation();
        }
        return false;
    }
}
