package io.github.wheelscheduler.internal.spring.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The context of a call that schedules durable tasks: a message to the nodes that run them. One thread. */
final class SchedulingContext extends SenderContext<Map<String, String>> {

    /** The name of its observation. */
    static final String NAME = "wheel.scheduler.schedule";

    SchedulingContext(String handler, int tasks) {
        super((headers, name, value) -> Objects.requireNonNull(headers).put(name, value), Kind.PRODUCER);
        setCarrier(new HashMap<>());
        setContextualName("schedule " + handler);
        Observation.Context ignored = addLowCardinalityKeyValue(KeyValue.of("task", handler));
        ignored = addHighCardinalityKeyValue(KeyValue.of("tasks", String.valueOf(tasks)));
    }

    @Nullable
    String traceState() {
        Map<String, String> headers = getCarrier();
        return headers == null ? null : headers.get("tracestate");
    }
}
