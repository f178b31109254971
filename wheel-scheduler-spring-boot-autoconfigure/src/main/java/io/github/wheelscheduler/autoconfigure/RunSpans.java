package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.internal.spring.observation.AnnotatedRun;
import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.observation.WheelRunContext;
import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.ScheduledTaskObservationContext;

/**
 * Makes the spans of runs, in place of the usual handler, as that knows no links. A link has to be there before the
 * span starts, or samplers do not see it.
 */
final class RunSpans implements TracingObservationHandler<Observation.Context> {

    private final Tracer tracer;
    private final @Nullable Propagator propagator;

    RunSpans(Tracer tracer, @Nullable Propagator propagator) {
        this.tracer = tracer;
        this.propagator = propagator;
    }

    @Override
    public Tracer getTracer() {
        return tracer;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof WheelRunContext
                || (context instanceof ScheduledTaskObservationContext
                        && Asked.of(context).origin() != null);
    }

    /**
     * The span of the call that has asked for a run that Spring observes. It is looked for once, on the thread of the
     * run, and kept: each event asks anew which handler it is for, also on other threads.
     */
    private record Asked(@Nullable RunOrigin origin) {

        static Asked of(Observation.Context context) {
            return context.computeIfAbsent(Asked.class, key -> new Asked(AnnotatedRun.originOfCurrent()));
        }
    }

    @Override
    public void onStart(Observation.Context context) {
        getTracingContext(context).setSpan(builder(context).start());
    }

    private Span.Builder builder(Observation.Context context) {
        if (!(context instanceof WheelRunContext run)) {
            return root(Asked.of(context).origin());
        }
        RunOrigin origin = run.getOrigin();
        WheelRunContext.Attempt attempt = run.getAttempt();
        RunOrigin failed = attempt == null ? null : attempt.failed();
        Span.Builder builder = origin != null && origin.isParent() ? child(origin) : root(origin, failed);
        for (RunOrigin further : run.getFurtherOrigins()) {
            builder = builder.addLink(new Link(named(further)));
        }
        return attempt == null ? builder : builder.kind(Span.Kind.CONSUMER);
    }

    private Span.Builder root(@Nullable RunOrigin... linked) {
        Span.Builder builder = tracer.spanBuilder().setNoParent();
        for (RunOrigin span : linked) {
            if (span != null) {
                builder = builder.addLink(new Link(named(span)));
            }
        }
        return builder;
    }

    private TraceContext named(RunOrigin span) {
        return tracer.traceContextBuilder()
                .traceId(span.traceId())
                .spanId(span.spanId())
                .sampled(span.sampled())
                .build();
    }

    /** A parent that may have ended is a remote one, which only a propagator creates. */
    private Span.Builder child(RunOrigin origin) {
        Span.Builder local = tracer.spanBuilder();
        TraceContext parent = named(origin);
        Map<String, String> headers = new HashMap<>();
        if (propagator != null) {
            propagator.inject(parent, headers, (carrier, name, value) -> headers.put(name, value));
        }
        if (origin.traceState() != null && !headers.isEmpty()) {
            headers.put("tracestate", origin.traceState());
        }
        return propagator == null || headers.isEmpty()
                ? local.setParent(parent)
                : propagator.extract(headers, (from, name) -> from.get(name));
    }

    @Override
    public void onStop(Observation.Context context) {
        Span span = getRequiredSpan(context);
        span.name(getSpanName(context));
        tagSpan(context, span);
        endSpan(context, span);
    }
}
