package io.github.wheelscheduler.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.TestNode;
import org.junit.jupiter.api.Test;

/** A timer that was moved to a later deadline takes its place among the others when the wheel has fallen behind. */
class LazyMoveOrderTest {

    private final WheelFixture fixture = new WheelFixture(0);

    @Test
    void movedTimerThatWasAloneInItsBucketDoesNotOvertake() {
        TestNode moved = fixture.add("moved to 9", 5);
        fixture.add("due at 7", 7);
        fixture.moveLazily(moved, 9);
        assertThat(fixture.advanceTo(10)).containsExactly("due at 7", "moved to 9");
    }

    @Test
    void movedTimerInAFullBucketDoesNotOvertake() {
        TestNode moved = fixture.add("moved to 9", 5);
        fixture.add("due at 5", 5);
        fixture.add("due at 7", 7);
        fixture.moveLazily(moved, 9);
        assertThat(fixture.advanceTo(10)).containsExactly("due at 5", "due at 7", "moved to 9");
    }

    @Test
    void movedTimerThatWasDueAlreadyDoesNotOvertake() {
        assertThat(fixture.advanceTo(5)).isEmpty();
        TestNode moved = fixture.add("moved to 9", 5);
        fixture.add("due at 7", 7);
        fixture.moveLazily(moved, 9);
        assertThat(fixture.advanceTo(10)).containsExactly("due at 7", "moved to 9");
    }
}
