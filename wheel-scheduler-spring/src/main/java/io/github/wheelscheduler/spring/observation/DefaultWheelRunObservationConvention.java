package io.github.wheelscheduler.spring.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The default name and keys. Keys of low cardinality become tags of a meter: {@code scheduler}, {@code task}
 * (its name, or {@code none}; of a durable task, its handler), {@code trigger}, {@code outcome} ({@code SUCCESS},
 * {@code ERROR}, {@code UNKNOWN}) and {@code exception} (a simple class name, or {@code none}). Keys of high
 * cardinality are in the span alone: {@code task.id} and, where it is known, {@code lateness.ms}; of a durable task,
 * {@code attempt} and {@code node}.
 */
public class DefaultWheelRunObservationConvention implements WheelRunObservationConvention {

    private static final String NONE = "none";
    private static final int MOST_KEYS = 4;

    @Override
    public String getName() {
        return NAME;
    }

    @Override
    public String getContextualName(WheelRunContext context) {
        String name = context.getTaskName();
        return "run " + (name == null ? "task" : name);
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(WheelRunContext context) {
        String name = context.getTaskName();
        String failure = context.getFailureName();
        return KeyValues.of(
                KeyValue.of("scheduler", context.getScheduler()),
                KeyValue.of("task", name == null ? NONE : name),
                KeyValue.of("trigger", context.getTrigger().name()),
                KeyValue.of("outcome", context.getOutcome().name()),
                KeyValue.of("exception", failure == null || failure.isEmpty() ? NONE : failure));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(WheelRunContext context) {
        List<KeyValue> keys = new ArrayList<>(MOST_KEYS);
        boolean ignored = keys.add(KeyValue.of("task.id", context.getTaskId()));
        Duration lateness = context.getLateness();
        if (lateness != null) {
            ignored = keys.add(KeyValue.of("lateness.ms", String.valueOf(lateness.toMillis())));
        }
        WheelRunContext.Attempt attempt = context.getAttempt();
        if (attempt != null) {
            ignored = keys.add(KeyValue.of("attempt", String.valueOf(attempt.number())));
            ignored = keys.add(KeyValue.of("node", attempt.node()));
        }
        return KeyValues.of(keys);
    }
}
