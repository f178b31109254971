package io.github.wheelscheduler.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.TestNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sweep finds all timers that are over, wherever the wheel keeps them. */
class SweepTest {

    private static final int MANY = 10_000;

    private final TimingWheel wheel = new TimingWheel(0, 0);
    private final List<TestNode> nodes = new ArrayList<>();

    private void add(int count, long deadline) {
        for (int i = 0; i < count; i++) {
            TestNode node = new TestNode("timer " + nodes.size(), deadline);
            nodes.add(node);
            wheel.add(node);
        }
    }

    private void endAll() {
        nodes.forEach(TestNode::end);
    }

    private void sweepAll(int budget) {
        wheel.startSweep();
        for (int calls = 0; wheel.isSweeping(); calls++) {
            int unused = wheel.sweep(
                    budget, node -> assertThat(((TestNode) node).isOver()).isTrue());
            assertThat(unused > 0).isEqualTo(!wheel.isSweeping());
            assertThat(calls).isLessThan(10 * MANY);
            WheelInvariants.check(wheel);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, Integer.MAX_VALUE})
    void timersThatAreDueAndOverAreSweptOut(int budget) {
        add(MANY, -5);
        endAll();
        add(1, -5);
        sweepAll(budget);
        assertThat(wheel.size()).isOne();
    }

    @Test
    void finishedTimersAreSweptOutOfACascadingBucket() {
        add(MANY, 70_000);
        assertThat(wheel.advance(70_000, 10, node -> {})).isZero();
        endAll();
        sweepAll(100);
        assertThat(wheel.size()).isZero();
    }

    @Test
    void timersThatAreOverAreSweptOutOfALevelThatIsPrepared() {
        add(MANY, 1 << 18);
        assertThat(wheel.prepare((1 << 18) - 1, MANY / 2, node -> {})).isZero();
        endAll();
        sweepAll(100);
        assertThat(wheel.size()).isZero();
    }

    @Test
    void noTimerIsMissedWhileOthersOfItsListChange() {
        add(MANY, -5);
        List<TestNode> there = List.copyOf(nodes);
        wheel.startSweep();
        assertThat(wheel.sweep(64, node -> {})).isZero();
        // The sweep has come to the second chunk, which is worked off and used again at the end of the list.
        assertThat(wheel.advance(0, 128, node -> {})).isZero();
        add(2 * Chunk.SIZE, -5);
        there.forEach(TestNode::end);
        sweepAll(64);
        assertThat(there).noneMatch(TestNode::isLinked);
        assertThat(wheel.size()).isEqualTo(2 * Chunk.SIZE);
    }

    @Test
    void noTimerIsMissedThoughAWaitingListIsDropped() {
        List<Bucket> lists = List.of(wheel.newWaitingList(), wheel.newWaitingList(), wheel.newWaitingList());
        for (Bucket list : lists.subList(1, 3)) {
            TestNode node = new TestNode("timer " + nodes.size(), -5);
            nodes.add(node);
            wheel.addWaiting(node, list);
        }
        add(1, -5);
        endAll();
        wheel.startSweep();
        // The sweep has come to the list before the last one.
        while (nodes.get(0).isLinked()) {
            assertThat(wheel.sweep(1, node -> {})).isZero();
        }
        wheel.dropWaitingList(lists.get(0));
        sweepAll(1);
        assertThat(wheel.size()).isZero();
    }

    @Test
    void sweepThatIsThroughLeavesNoSparseWheel() {
        add(400 * MANY / 10, -5);
        for (int i = 0; i < nodes.size(); i++) {
            if (i % Chunk.SIZE != 0) {
                assertThat(wheel.remove(nodes.get(i))).isTrue();
            }
        }
        assertThat(wheel.isSparse()).isTrue();
        sweepAll(4_096);
        assertThat(wheel.isSparse()).isFalse();
    }

    @Test
    void chunksThatHaveBecomeSparseAreMergedInOrder() {
        add(4 * Chunk.SIZE, 500);
        // What is left of the first two and of the last two fits into one chunk; what is left of the middle ones does
        // not.
        int[] kept = {20, 40, 63, 1};
        List<String> names = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            if (i % Chunk.SIZE < kept[i / Chunk.SIZE]) {
                names.add(nodes.get(i).toString());
            } else {
                assertThat(wheel.remove(nodes.get(i))).isTrue();
            }
        }
        assertThat(wheel.chunks.inUse).isEqualTo(4);
        sweepAll(1);
        assertThat(wheel.chunks.inUse).isEqualTo(2);
        for (int i = 0; i < 3 * Chunk.SIZE; i++) {
            add(1, 500);
            names.add(nodes.get(nodes.size() - 1).toString());
        }
        WheelInvariants.check(wheel);
        List<String> expired = new ArrayList<>();
        assertThat(wheel.advance(500, 10_000, node -> expired.add(node.toString())))
                .isPositive();
        assertThat(expired).isEqualTo(names);
    }

    @Test
    void chunksWhoseRestDoesNotFitIntoOneAreLeftAsTheyAre() {
        add(2 * Chunk.SIZE, 500);
        for (int i = 0; i < nodes.size(); i++) {
            if (i % Chunk.SIZE < 24) {
                assertThat(wheel.remove(nodes.get(i))).isTrue();
            }
        }
        sweepAll(1_000);
        assertThat(wheel.chunks.inUse).isEqualTo(2);
        assertThat(wheel.size()).isEqualTo(80);
    }

    @Test
    void wheelIsSparseOnlyIfItHoldsMuchAndUsesLittleOfIt() {
        add(4_000 * Chunk.SIZE, 500);
        assertThat(wheel.isSparse()).isFalse();
        for (int i = 0; i < nodes.size(); i++) {
            if (i % Chunk.SIZE >= 16) {
                assertThat(wheel.remove(nodes.get(i))).isTrue();
            }
        }
        assertThat(wheel.isSparse()).isFalse();
        assertThat(wheel.remove(nodes.get(0))).isTrue();
        assertThat(wheel.isSparse()).isTrue();
    }

    @Test
    void bucketThatIsEmptyKeepsAChunkForTheNextTimer() {
        add(3 * Chunk.SIZE, 500);
        assertThat(wheel.chunks.inUse).isEqualTo(3);
        nodes.forEach(node -> assertThat(wheel.remove(node)).isTrue());
        assertThat(wheel.chunks.inUse).isOne();
        add(1, 500);
        assertThat(wheel.chunks.inUse).isOne();
    }

    @Test
    void takerThatFailsHasTheTimerAndTheSweepGoesOn() {
        add(MANY, 500);
        endAll();
        wheel.startSweep();
        List<TimerNode> taken = new ArrayList<>();
        int failures = 0;
        while (wheel.isSweeping()) {
            try {
                int ignored = wheel.sweep(1_000, node -> {
                    taken.add(node);
                    if (taken.size() % 7 == 0) {
                        throw new IllegalStateException("on purpose");
                    }
                });
            } catch (IllegalStateException ex) {
                failures++;
            }
            WheelInvariants.check(wheel);
        }
        assertThat(failures).isEqualTo(MANY / 7);
        assertThat(taken).doesNotHaveDuplicates().hasSize(MANY);
    }
}
