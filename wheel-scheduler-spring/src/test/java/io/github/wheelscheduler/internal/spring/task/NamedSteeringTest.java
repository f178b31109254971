package io.github.wheelscheduler.internal.spring.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.steering.SteeredBy;
import io.github.wheelscheduler.spring.steering.Steering;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class NamedSteeringTest {

    /** As a clock of a user's may. */
    @Test
    void stateThatCannotBeReadKeepsNobodyFromSteering() {
        NamedSteering steering = new NamedSteering();
        AtomicReference<Steering> told = new AtomicReference<>();
        steering.add(told::set);
        AtomicReference<String> result = new AtomicReference<>();

        SteeredBy.name("anna")
                .run(() -> result.set(steering.steer(
                        "pause",
                        new Steering.Target("task", null, "nightly", null, null),
                        () -> {
                            throw new IllegalStateException("on purpose");
                        },
                        () -> "paused",
                        answer -> "a reason",
                        steered -> told.set(steered.get()))));

        assertThat(result).hasValue("paused");
        assertThat(told.get().who()).isEqualTo("anna");
        assertThat(told.get().from()).isNull();
    }

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
