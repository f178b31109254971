package io.github.wheelscheduler.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.testing.TestNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each move of a timer when there is no memory for its new place: it stays in the old one. */
class TimingWheelWithoutMemoryTest {

    private static final int SMALL = 2;

    private boolean isFull;
    private final TimingWheel wheel = new TimingWheel(0, 0, SMALL, () -> {
        if (isFull) {
            throw new OutOfMemoryError("on purpose");
        }
    });
    private final List<String> expired = new ArrayList<>();

    private TestNode add(String name, long deadline) {
        TestNode node = new TestNode(name, deadline);
        wheel.add(node);
        return node;
    }

    private void advanceTo(long now) {
        assertThat(wheel.advance(now, 1_000, node -> expired.add(node.toString())))
                .isPositive();
        WheelInvariants.check(wheel);
    }

    private void failsWithoutMemory(Runnable move) {
        isFull = true;
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(move::run).isInstanceOf(OutOfMemoryError.class);
            WheelInvariants.check(wheel);
        }
        isFull = false;
    }

    @Test
    void timerThatCannotBeAddedIsInNoWheel() {
        TestNode node = new TestNode("timer", 100);
        failsWithoutMemory(() -> wheel.add(node));
        assertThat(node.isLinked()).isFalse();
        assertThat(wheel.size()).isZero();
    }

    @Test
    void timerThatCannotBeRepositionedIsFoundAtItsOldTime() {
        TestNode node = add("timer", 100);
        node.moveTo(5_000);
        failsWithoutMemory(() -> wheel.reposition(node));
        assertThat(node.isLinked()).isTrue();
        assertThat(wheel.nanosToNextExpiry(0)).isEqualTo(100);
        advanceTo(4_999);
        assertThat(expired).isEmpty();
        advanceTo(5_000);
        assertThat(expired).containsExactly("timer");
    }

    @Test
    void timerRepositionedOnceThereIsMemoryIsInTime() {
        TestNode node = add("timer", 5_000);
        node.moveTo(100);
        failsWithoutMemory(() -> wheel.reposition(node));
        wheel.reposition(node);
        assertThat(wheel.size()).isOne();
        advanceTo(100);
        assertThat(expired).containsExactly("timer");
    }

    @Test
    void timerThatWasAloneAndMovedOnIsInItsTurn() {
        TestNode node = add("moved on", 70);
        node.moveTo(90);
        failsWithoutMemory(() -> advanceTo(80));
        add("later", 91);
        advanceTo(90);
        assertThat(expired).containsExactly("moved on");
        advanceTo(91);
        assertThat(expired).containsExactly("moved on", "later");
    }

    @Test
    void timerOfManyThatWasMovedOnIsInItsTurn() {
        TestNode node = add("moved on", 5);
        add("other", 5);
        node.moveTo(7);
        failsWithoutMemory(() -> advanceTo(6));
        advanceTo(7);
        assertThat(expired).containsExactly("other", "moved on");
    }

    @Test
    void cascadeGoesOnWhereItWas() {
        for (int i = 0; i < 5; i++) {
            add(String.valueOf(i), 100 + i);
        }
        failsWithoutMemory(() -> advanceTo(104));
        assertThat(wheel.size()).isEqualTo(5);
        advanceTo(104);
        assertThat(expired).containsExactly("0", "1", "2", "3", "4");
    }

    @Test
    void preparationGoesOnWhereItWas() {
        for (int i = 0; i < 5; i++) {
            add(String.valueOf(i), 100 + i);
        }
        failsWithoutMemory(() -> {
            int ignored = wheel.prepare(63, 1_000, node -> {});
        });
        assertThat(wheel.prepare(63, 1_000, node -> {})).isEqualTo(995);
        WheelInvariants.check(wheel);
        advanceTo(104);
        assertThat(expired).containsExactly("0", "1", "2", "3", "4");
    }

    @Test
    void timerThatCannotMoveAheadStaysInThePinnedBucket() {
        for (int i = 0; i < 5; i++) {
            add(String.valueOf(i), 100 + i);
        }
        assertThat(wheel.prepare(63, 2, node -> {})).isZero();
        failsWithoutMemory(() -> {
            int ignored = wheel.prepare(63, 1_000, node -> {});
        });
        assertThat(wheel.size()).isEqualTo(5);
        advanceTo(104);
        assertThat(expired).containsExactly("0", "1", "2", "3", "4");
    }
}
