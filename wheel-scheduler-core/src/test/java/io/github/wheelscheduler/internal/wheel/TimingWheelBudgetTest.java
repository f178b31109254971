package io.github.wheelscheduler.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.TestNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work per call is bounded, what is left is said, and interruptions change nothing. */
class TimingWheelBudgetTest {

    private static final int MANY = 1_000_000;

    @Test
    void emptyWheelUsesNothingOfTheBudget() {
        WheelFixture fixture = new WheelFixture(0);
        assertThat(fixture.advanceTo(1_000_000, 7)).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void withoutABudgetNothingHappens(int budget) {
        WheelFixture fixture = new WheelFixture(0);
        fixture.add(5);
        assertThat(fixture.advanceTo(10, budget)).isEqualTo(budget);
        assertThat(fixture.takeExpired()).isEmpty();
        assertThat(fixture.advanceTo(10)).containsExactly("5");
    }

    @Test
    void everyTimerThatIsTouchedCostsOne() {
        WheelFixture fixture = new WheelFixture(0);
        IntStream.rangeClosed(1, 10).forEach(fixture::add);
        assertThat(fixture.advanceTo(10, 100)).isEqualTo(90);
        assertThat(fixture.takeExpired()).hasSize(10);
    }

    @Test
    void usedUpBudgetIsSaidAndTheRestNeedsNoLaterTime() {
        WheelFixture fixture = new WheelFixture(0);
        IntStream.rangeClosed(1, 10).forEach(fixture::add);
        assertThat(fixture.advanceTo(10, 4)).isZero();
        assertThat(fixture.takeExpired()).containsExactly("1", "2", "3", "4");
        assertThat(fixture.nanosToNextExpiry()).isZero();
        assertThat(fixture.advanceTo(10, 4)).isZero();
        assertThat(fixture.advanceTo(10, 4)).isEqualTo(2);
        assertThat(fixture.takeExpired()).containsExactly("5", "6", "7", "8", "9", "10");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1024})
    void millionTimersOfOneTickExpireInOrderBatchByBatch(int budget) {
        WheelFixture fixture = new WheelFixture(0);
        TimingWheel wheel = fixture.wheel;
        int count = budget == 1 ? MANY / 10 : MANY;
        long due = 1_000_000_000;
        for (int i = 0; i < count; i++) {
            wheel.add(new Numbered(i, due));
        }
        int[] next = {0};
        int calls = 0;
        int unused;
        do {
            int before = next[0];
            unused = wheel.advance(
                    due, budget, node -> assertThat(((Numbered) node).number).isEqualTo(next[0]++));
            assertThat(next[0] - before).isBetween(0, budget);
            calls++;
        } while (unused == 0);
        assertThat(next[0]).isEqualTo(count);
        assertThat(calls).isLessThanOrEqualTo(2 * count / budget + 2);
        assertThat(wheel.size()).isZero();
    }

    @Test
    void farTimersCostNothingBeforeTheirBucketsTurn() {
        TimingWheel wheel = new TimingWheel(0, 0);
        long due = 1L << 40;
        for (int i = 0; i < MANY; i++) {
            wheel.add(new Numbered(i, due));
        }
        long bucketWidth = 1L << 36;
        assertThat(wheel.nanosToNextExpiry(0)).isEqualTo(due);
        assertThat(wheel.nanosToNextPreparation(0)).isBetween(due - bucketWidth, due);
        assertThat(wheel.advance(due - bucketWidth - 1, 10, node -> {})).isEqualTo(10);
        assertThat(wheel.prepare(due - bucketWidth - 1, 10, node -> {})).isEqualTo(10);
    }

    @Test
    void largeBucketIsCascadedAheadAndDelaysNoTimer() {
        TimingWheel wheel = new TimingWheel(0, 0);
        long start = 1L << 18;
        int count = 100_000;
        for (int i = 0; i < count; i++) {
            wheel.add(new Numbered(i, start + i % 4_096));
        }
        assertThat(wheel.nanosToNextPreparation(0)).isOne();
        while (wheel.prepare(start - 1, 1_000, node -> {}) == 0) {
            assertThat(wheel.size()).isEqualTo(count);
        }
        int[] expired = {0};
        int due = 0;
        for (int tick = 0; tick < 4_096; tick++) {
            due += count / 4_096 + (tick < count % 4_096 ? 1 : 0);
            int unused = wheel.advance(start + tick, 1_000, node -> expired[0]++);
            assertThat(unused).isPositive();
            assertThat(expired[0]).as("expired in one call by tick " + tick).isEqualTo(due);
            int ignored = wheel.prepare(start + tick, 100, node -> {});
        }
        assertThat(wheel.size()).isZero();
    }

    @Test
    void preparationWaitsForDueTimers() {
        TimingWheel wheel = new TimingWheel(0, 0);
        long start = 1L << 18;
        for (int i = 0; i < 2_000; i++) {
            wheel.add(new Numbered(i, start));
        }
        wheel.add(new Numbered(2_000, -1));
        long now = start - 1;
        assertThat(wheel.prepare(now, 10, node -> {})).isEqualTo(10);
        assertThat(wheel.nanosToNextPreparation(now)).isEqualTo(Long.MAX_VALUE);
        assertThat(wheel.advance(now, 10, node -> {})).isEqualTo(9);
        assertThat(wheel.nanosToNextPreparation(now)).isZero();
        assertThat(wheel.prepare(now, 10, node -> {})).isZero();
    }

    @Test
    void nothingIsToBePreparedWhileABucketCascades() {
        TimingWheel wheel = new TimingWheel(0, 0);
        for (int i = 0; i < 2_000; i++) {
            wheel.add(new Numbered(i, 1L << 18));
            wheel.add(new Numbered(i, 2L << 18));
        }
        long now = (2L << 18) - 1;
        assertThat(wheel.nanosToNextPreparation(now)).isZero();
        assertThat(wheel.advance(now, 10, node -> {})).isZero();
        assertThat(wheel.prepare(now, 10, node -> {})).isEqualTo(10);
        assertThat(wheel.nanosToNextPreparation(now)).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 64})
    void interruptedCascadesKeepDueOrderAndFifo(int budget) {
        WheelFixture fixture = new WheelFixture(0);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            for (long due : new long[] {5_000, 4_999, 5_001, 4_999 + 64, 9_000}) {
                fixture.add(due + "-" + i, due);
            }
        }
        for (long due : new long[] {4_999, 5_000, 5_001, 4_999 + 64, 9_000}) {
            IntStream.range(0, 20).forEach(i -> expected.add(due + "-" + i));
        }
        int calls = 0;
        for (long time : new long[] {4_095, 4_096, 4_999, 5_000, 10_000}) {
            while (fixture.advanceTo(time, budget) == 0) {
                assertThat(++calls).isLessThan(5 * expected.size());
            }
        }
        assertThat(fixture.takeExpired()).isEqualTo(expected);
    }

    @Test
    void timersAddedBetweenTwoBatchesOfATickExpireAfterThem() {
        WheelFixture fixture = new WheelFixture(0);
        IntStream.range(0, 6).forEach(i -> fixture.add("old " + i, 100));
        fixture.add("later", 101);
        for (int i = 0; i < 3; i++) {
            assertThat(fixture.advanceTo(200, 3)).isZero();
            fixture.add("new " + i, 100);
        }
        assertThat(fixture.advanceTo(200))
                .containsExactly(
                        "old 0", "old 1", "old 2", "old 3", "old 4", "old 5", "new 0", "new 1", "new 2", "later");
    }

    private static final class Numbered extends TestNode {

        final int number;

        Numbered(int number, long deadlineNanos) {
            super("numbered", deadlineNanos);
            this.number = number;
        }
    }
}
