package io.github.wheelscheduler.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler.TracingContext;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The end of a reactive run is noted in any case. */
class EndedSpansTest {

    @Test
    void tracerThatThrowsKeepsNoRunOpen() {
        Tracer broken = (Tracer) Proxy.newProxyInstance(
                Tracer.class.getClassLoader(), new Class<?>[] {Tracer.class}, (proxy, method, arguments) -> {
                    throw new IllegalStateException("on purpose");
                });
        TracingContext tracing = new TracingContext();
        tracing.setSpan(Span.NOOP);
        Observation.Context context = new Observation.Context().put(TracingContext.class, tracing);
        AtomicInteger notes = new AtomicInteger();
        new EndedSpans(broken).runWithin(context, notes::incrementAndGet);
        assertThat(notes).hasValue(1);
    }
}
