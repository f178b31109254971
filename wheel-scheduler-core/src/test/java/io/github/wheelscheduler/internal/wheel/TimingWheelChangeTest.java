package io.github.wheelscheduler.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.TestNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Timers that are removed or moved while the wheel holds them. */
class TimingWheelChangeTest {

    private final WheelFixture fixture = new WheelFixture(0);

    @Test
    void removedTimerNeverExpires() {
        TestNode first = fixture.add("first", 100);
        TestNode middle = fixture.add("middle", 100);
        fixture.add("kept", 100);
        TestNode last = fixture.add("last", 100);
        for (TestNode node : List.of(middle, first, last)) {
            assertThat(fixture.wheel.remove(node)).isTrue();
            assertThat(node.isLinked()).isFalse();
            WheelInvariants.check(fixture.wheel);
        }
        assertThat(fixture.wheel.size()).isOne();
        assertThat(fixture.advanceTo(1_000)).containsExactly("kept");
    }

    @Test
    void removingTwiceOrAfterExpiryDoesNothing() {
        TestNode removed = fixture.add("removed", 5);
        TestNode expired = fixture.add("expired", 5);
        assertThat(fixture.wheel.remove(removed)).isTrue();
        assertThat(fixture.wheel.remove(removed)).isFalse();
        assertThat(fixture.advanceTo(5)).containsExactly("expired");
        assertThat(fixture.wheel.remove(expired)).isFalse();
        assertThat(fixture.wheel.size()).isZero();
    }

    @Test
    void removingTheLastTimerLeavesAnIdleWheel() {
        TestNode lone = fixture.add("lone", 5_000);
        assertThat(fixture.wheel.remove(lone)).isTrue();
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(Long.MAX_VALUE);
        assertThat(fixture.advanceTo(10_000, 1)).isOne();
    }

    @Test
    void bucketThatWasEmptiedForgetsItsEarliestTick() {
        TestNode early = fixture.add("early", 64);
        assertThat(fixture.wheel.remove(early)).isTrue();
        fixture.add("late", 127);
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(127);
    }

    @Test
    void removedTimerCanBeAddedAgain() {
        TestNode node = fixture.add("timer", 50);
        assertThat(fixture.wheel.remove(node)).isTrue();
        fixture.moveLazily(node, 70);
        fixture.wheel.add(node);
        assertThat(node.isLinked()).isTrue();
        assertThat(fixture.advanceTo(69)).isEmpty();
        assertThat(fixture.advanceTo(70)).containsExactly("timer");
        assertThat(node.isLinked()).isFalse();
    }

    @Test
    void timerIsLinkedExactlyWhileTheWheelHoldsIt() {
        TestNode node = new TestNode("timer", 5);
        assertThat(node.isLinked()).isFalse();
        fixture.wheel.add(node);
        assertThat(node.isLinked()).isTrue();
        int unused = fixture.advanceTo(
                5, 10, expired -> assertThat(expired.isLinked()).isFalse());
        assertThat(unused).isEqualTo(9);
        assertThat(node.isLinked()).isFalse();
    }

    @Test
    void laterDeadlineIsNoticedWhenTheOldOneComes() {
        TestNode node = fixture.add("timer", 10);
        fixture.moveLazily(node, 5_000);
        assertThat(fixture.advanceTo(10)).isEmpty();
        assertThat(node.isLinked()).isTrue();
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(4_990);
        assertThat(fixture.advanceTo(4_999)).isEmpty();
        assertThat(fixture.advanceTo(5_000)).containsExactly("timer");
    }

    @Test
    void laterDeadlineIsNoticedInABucketOfMany() {
        fixture.add("before", 10);
        TestNode node = fixture.add("moved", 10);
        fixture.add("after", 10);
        fixture.moveLazily(node, 12);
        assertThat(fixture.advanceTo(11)).containsExactly("before", "after");
        assertThat(fixture.advanceTo(12)).containsExactly("moved");
    }

    @Test
    void laterDeadlineIsNoticedAmongThoseThatAreDueAlready() {
        assertThat(fixture.advanceTo(20)).isEmpty();
        TestNode node = fixture.add("moved", 20);
        fixture.moveLazily(node, 30);
        assertThat(fixture.advanceTo(20)).isEmpty();
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(10);
        assertThat(fixture.advanceTo(30)).containsExactly("moved");
    }

    @Test
    void laterDeadlineIsNoticedInACascade() {
        TestNode node = fixture.add("moved", 100);
        fixture.add("stays", 110);
        fixture.moveLazily(node, 10_000);
        assertThat(fixture.advanceTo(100)).isEmpty();
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(10);
        assertThat(fixture.advanceTo(110)).containsExactly("stays");
        assertThat(fixture.advanceTo(10_000)).containsExactly("moved");
    }

    @Test
    void postponedTimerCostsOneLookPerOldDeadline() {
        TestNode node = fixture.add("timeout", 1_000);
        for (long time = 0; time < 1_000; time++) {
            fixture.moveLazily(node, time + 1_000);
        }
        assertThat(fixture.advanceTo(1_000, 10)).isEqualTo(9);
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(999);
    }

    @Test
    void earlierDeadlineCountsFromTheRepositionOn() {
        TestNode node = fixture.add("timer", 1_000_000);
        fixture.add("between", 500);
        fixture.reposition(node, 77);
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(77);
        assertThat(fixture.advanceTo(76)).isEmpty();
        assertThat(fixture.advanceTo(77)).containsExactly("timer");
        assertThat(fixture.wheel.size()).isOne();
    }

    @Test
    void repositionPutsATimerBehindTheOthersOfItsNewTick() {
        TestNode node = fixture.add("moved", 1_000);
        fixture.add("a", 300);
        fixture.reposition(node, 300);
        fixture.add("b", 300);
        assertThat(fixture.advanceTo(300)).containsExactly("a", "moved", "b");
    }

    @Test
    void repositionAddsATimerThatIsNotInTheWheel() {
        TestNode node = new TestNode("timer", 9);
        fixture.wheel.reposition(node);
        assertThat(fixture.wheel.size()).isOne();
        assertThat(fixture.advanceTo(9)).containsExactly("timer");
    }

    @Test
    void repositionIntoThePastExpiresAtOnce() {
        assertThat(fixture.advanceTo(1_000)).isEmpty();
        TestNode node = fixture.add("timer", 9_000);
        fixture.reposition(node, 3);
        assertThat(fixture.nanosToNextExpiry()).isZero();
        assertThat(fixture.advanceTo(1_000)).containsExactly("timer");
    }

    @Test
    void removeIfFiltersAllLevelsAndLeavesTheRest() {
        assertThat(fixture.advanceTo(7)).isEmpty();
        List<Long> deadlines = List.of(0L, 7L, 8L, 20L, 63L, 64L, 100L, 5_000L, 300_000L, Long.MAX_VALUE / 2);
        deadlines.forEach(deadline -> fixture.add("keep " + deadline, deadline));
        deadlines.forEach(deadline -> fixture.add("drop " + deadline, deadline));
        List<String> removed = new ArrayList<>();
        long count = fixture.wheel.removeIf(node -> node.toString().startsWith("drop"), node -> {
            assertThat(node.isLinked()).isFalse();
            removed.add(node.toString());
        });
        assertThat(count).isEqualTo(deadlines.size());
        assertThat(removed)
                .containsExactlyInAnyOrderElementsOf(
                        deadlines.stream().map(deadline -> "drop " + deadline).toList());
        WheelInvariants.check(fixture.wheel);
        assertThat(fixture.wheel.size()).isEqualTo(deadlines.size());
        assertThat(fixture.advanceTo(Long.MAX_VALUE / 2))
                .isEqualTo(
                        deadlines.stream().map(deadline -> "keep " + deadline).toList());
    }

    @Test
    void removalOfACascadingBucketsRestEndsTheCascade() {
        List<TestNode> nodes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            nodes.add(fixture.add("timer " + i, 100 + i));
        }
        fixture.add("next bucket", 200);
        assertThat(fixture.advanceTo(100, 2)).isZero();
        nodes.forEach(node -> assertThat(fixture.wheel.remove(node)).isTrue());
        WheelInvariants.check(fixture.wheel);
        assertThat(fixture.advanceTo(100)).isEmpty();
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(100);
        assertThat(fixture.advanceTo(200)).containsExactly("next bucket");
    }

    @Test
    void removeIfTakesTimersOutOfBucketsOfMany() {
        for (int i = 0; i < 1_000; i++) {
            fixture.add("timer " + i, 5_000 + i % 2);
        }
        assertThat(fixture.wheel.removeIf(node -> node.toString().endsWith("7"), node -> {}))
                .isEqualTo(100);
        WheelInvariants.check(fixture.wheel);
        assertThat(fixture.wheel.removeIf(node -> true, node -> {})).isEqualTo(900);
        WheelInvariants.check(fixture.wheel);
        assertThat(fixture.wheel.size()).isZero();
    }

    @Test
    void removeIfTakesTimersThatHaveBeenPreparedToo() {
        for (int i = 0; i < 2_000; i++) {
            fixture.add("timer " + i, 1 << 18);
        }
        assertThat(fixture.wheel.prepare((1 << 18) - 1, 1_000, node -> {})).isZero();
        assertThat(fixture.wheel.removeIf(node -> true, node -> {})).isEqualTo(2_000);
        WheelInvariants.check(fixture.wheel);
        assertThat(fixture.wheel.size()).isZero();
    }
}
