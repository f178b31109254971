package io.github.wheelscheduler.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A target that has refused a run is not offered more than it takes, and yet what it takes. */
class ExecutorCapacityTest {

    private final ExecutorCapacity capacity = new ExecutorCapacity();

    private void fillTo(int runs) {
        for (int atTarget = 0; atTarget < runs; atTarget++) {
            assertThat(capacity.isFull(atTarget)).isFalse();
            capacity.accepted(atTarget);
        }
    }

    @Test
    void targetIsFullWithAsManyRunsAsItHadWhenItRefusedOne() {
        fillTo(16);
        assertThat(capacity.refused(16)).isEqualTo(1_000_000);
        assertThat(capacity.isFull(16)).isTrue();
        assertThat(capacity.batch(16)).isEqualTo(2);
        capacity.waited(true);
        assertThat(capacity.isFull(14)).isFalse();
        assertThat(capacity.isFull(15)).isFalse();
        assertThat(capacity.isFull(16)).isTrue();
    }

    @Test
    void refusalOfATargetThatHasHadMoreRunsTeachesNothing() {
        fillTo(16);
        long ignored = capacity.refused(3);
        assertThat(capacity.isFull(15)).isFalse();
        assertThat(capacity.isFull(16)).isTrue();
    }

    @Test
    void targetIsOfferedMoreWhenNothingHasEndedForAWhile() {
        fillTo(4);
        long ignored = capacity.refused(4);
        capacity.waited(false);
        assertThat(capacity.isFull(4)).isFalse();
        capacity.accepted(4);
        assertThat(capacity.isFull(100)).isFalse();
    }

    @Test
    void targetIsOfferedMoreAfterManyRuns() {
        fillTo(4);
        long ignored = capacity.refused(4);
        for (int i = 0; i < 252; i++) {
            assertThat(capacity.isFull(4)).isTrue();
            capacity.accepted(3);
        }
        assertThat(capacity.isFull(4)).isFalse();
    }

    @Test
    void pausesGrowWithRefusalsAndShrinkWithTakenRuns() {
        for (int pause = 1_000_000; pause < 100_000_000; pause *= 2) {
            assertThat(capacity.refused(0)).isEqualTo(pause);
        }
        assertThat(capacity.refused(0)).isEqualTo(100_000_000);
        assertThat(capacity.refused(0)).isEqualTo(100_000_000);
        capacity.accepted(0);
        assertThat(capacity.pauseNanos).isEqualTo(50_000_000);
    }

    @Test
    void targetWithNoRunsOfOursIsNeverFull() {
        long ignored = capacity.refused(0);
        assertThat(capacity.isFull(0)).isFalse();
    }
}
