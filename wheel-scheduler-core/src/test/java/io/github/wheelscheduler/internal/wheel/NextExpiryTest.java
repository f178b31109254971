package io.github.wheelscheduler.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.TestNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long the wheel lets its owner sleep. */
class NextExpiryTest {

    @Test
    void emptyWheelNeedsNoWakeUp() {
        assertThat(new WheelFixture(14).nanosToNextExpiry()).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1_000, 1_000_000, 1_000_000_000, 3_600_000_000_000L, 31_536_000_000_000_000L})
    void loneTimerIsSleptForInOneGo(long delay) {
        WheelFixture fixture = new WheelFixture(14);
        fixture.add("lone", delay);
        long sleep = fixture.nanosToNextExpiry();
        assertThat(sleep).isBetween(delay, delay + (1 << 14) - 1);
        assertThat(fixture.advanceTo(sleep, 1)).isZero();
        assertThat(fixture.takeExpired()).containsExactly("lone");
    }

    @Test
    void sleepEndsOncePerTimerOfAFarBucket() {
        WheelFixture fixture = new WheelFixture(0);
        long[] deadlines = {1_000_003, 1_000_010, 1_000_500, 1_200_000};
        for (long deadline : deadlines) {
            fixture.add(deadline);
        }
        long now = 0;
        for (long deadline : deadlines) {
            now += fixture.nanosToNextExpiry();
            assertThat(now).isEqualTo(deadline);
            assertThat(fixture.advanceTo(now)).containsExactly(String.valueOf(deadline));
        }
    }

    @Test
    void nearestOfABucketCountsWhateverTheOrderOfAdding() {
        WheelFixture fixture = new WheelFixture(0);
        fixture.add(120);
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(120);
        fixture.add(70);
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(70);
        fixture.add(100);
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(70);
    }

    @Test
    void fullSecondIsNeverRoundedDownToASleepOfZero() {
        WheelFixture fixture = new WheelFixture(30);
        fixture.add("timer", (1L << 30) + 1);
        assertThat(fixture.advanceTo((2L << 30) - 1)).isEmpty();
        assertThat(fixture.nanosToNextExpiry()).isOne();
    }

    @Test
    void removalOfTheNearestWakesTooEarlyOnceAtMost() {
        WheelFixture fixture = new WheelFixture(0);
        TestNode nearest = fixture.add(70);
        fixture.add(100);
        fixture.add(110);
        assertThat(fixture.wheel.remove(nearest)).isTrue();
        assertThat(fixture.nanosToNextExpiry()).isBetween(64L, 100L);
        assertThat(fixture.advanceTo(70)).isEmpty();
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(30);
    }

    @Test
    void wakingTooEarlyInABucketOfManyDoesNotSpin() {
        WheelFixture fixture = new WheelFixture(0);
        fixture.add(4_096 + 1_000);
        fixture.add(4_096 + 2_000);
        int wakeUps = 0;
        for (long now = 0; fixture.wheel.size() > 0; now += Math.max(1, fixture.nanosToNextExpiry() / 2)) {
            int unused = fixture.advanceTo(now, 100);
            assertThat(unused).isPositive();
            if (fixture.wheel.size() > 0) {
                assertThat(fixture.nanosToNextExpiry()).isPositive();
            }
            assertThat(++wakeUps).isLessThan(100);
        }
        assertThat(fixture.takeExpired()).containsExactly("5096", "6096");
    }
}
