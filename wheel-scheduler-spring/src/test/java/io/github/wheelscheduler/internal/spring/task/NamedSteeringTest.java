package io.github.wheelscheduler.internal.spring.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.steering.SteeredBy;
import io.github.wheelscheduler.spring.steering.Steering;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class NamedSteeringTest {

    @Test
    void steeringThatCannotBeToldHasTakenPlace() {
        NamedSteering steering = new NamedSteering();
        steering.add(told -> {});
        AtomicReference<String> result = new AtomicReference<>();

        SteeredBy.name("anna")
                .run(() -> result.set(steering.steer(
                        "trigger",
                        new Steering.Target("task", null, "nightly", null, null),
                        () -> "PENDING",
                        () -> "triggered",
                        answer -> null,
                        told -> {
                            throw new OutOfMemoryError("on purpose");
                        })));

        assertThat(result).hasValue("triggered");
    }
}
