package io.github.wheelscheduler.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.wheelscheduler.testing.TestNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What expires when, at the borders of ticks, buckets, levels and clocks. */
class TimingWheelTest {

    private static final int TICK_OF_16 = 4;

    @ParameterizedTest
    @CsvSource({"160, 160", "159, 160", "161, 176", "1, 16", "0, 0", "16, 16"})
    void deadlineIsRoundedUpToATickAndNeverDown(long deadline, long expiresAt) {
        WheelFixture fixture = new WheelFixture(TICK_OF_16);
        fixture.add("timer", deadline);
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(expiresAt);
        if (expiresAt > 0) {
            assertThat(fixture.advanceTo(expiresAt - 1)).isEmpty();
        }
        assertThat(fixture.advanceTo(expiresAt)).containsExactly("timer");
        assertThat(fixture.wheel.size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, -16, -17, -1_000_000, -Long.MAX_VALUE / 2})
    void deadlineInThePastExpiresInTheNextAdvance(long deadline) {
        WheelFixture fixture = new WheelFixture(TICK_OF_16);
        fixture.add("late", deadline);
        assertThat(fixture.nanosToNextExpiry()).isZero();
        assertThat(fixture.advanceTo(0)).containsExactly("late");
    }

    @Test
    void pastDeadlineExpiresWithoutFurtherTime() {
        WheelFixture fixture = new WheelFixture(TICK_OF_16);
        assertThat(fixture.advanceTo(1_000_000)).isEmpty();
        fixture.add(1_000_000);
        fixture.add(999_999);
        fixture.add(1);
        assertThat(fixture.nanosToNextExpiry()).isZero();
        assertThat(fixture.advanceTo(1_000_000)).containsExactly("1000000", "999999", "1");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 62, 63, 64, 65, 127, 128, 4_095, 4_096, 4_097, 262_143, 262_144, 262_145})
    void timerAroundABorderOfALevelExpiresAtItsTick(long dueTick) {
        for (long start : new long[] {0, 1, 63, 64, 65, 4_095, 4_096, 262_143}) {
            WheelFixture fixture = new WheelFixture(0);
            assertThat(fixture.advanceTo(start)).isEmpty();
            fixture.add("timer", start + dueTick);
            assertThat(fixture.nanosToNextExpiry()).isEqualTo(dueTick);
            assertThat(fixture.advanceTo(start + dueTick - 1)).isEmpty();
            assertThat(fixture.nanosToNextExpiry()).isEqualTo(1);
            assertThat(fixture.advanceTo(start + dueTick)).containsExactly("timer");
        }
    }

    @Test
    void sameSlotOneTurnLaterIsNotTakenForNow() {
        WheelFixture fixture = new WheelFixture(0);
        assertThat(fixture.advanceTo(10)).isEmpty();
        fixture.add(10 + 64);
        fixture.add(10 + 64 * 64);
        fixture.add(10 + 64 * 64 * 64);
        assertThat(fixture.advanceTo(73)).isEmpty();
        assertThat(fixture.advanceTo(74)).containsExactly("74");
        assertThat(fixture.advanceTo(4_105)).isEmpty();
        assertThat(fixture.advanceTo(4_106)).containsExactly("4106");
        assertThat(fixture.advanceTo(262_153)).isEmpty();
        assertThat(fixture.advanceTo(262_154)).containsExactly("262154");
    }

    @Test
    void missedTicksLoseNothingAndKeepTheOrder() {
        WheelFixture fixture = new WheelFixture(TICK_OF_16);
        List<String> inOrder = new ArrayList<>();
        for (long deadline = 16; deadline < 100_000_000; deadline = deadline * 3 / 2 + 16) {
            inOrder.add(String.valueOf(deadline));
        }
        List<String> backwards = new ArrayList<>(inOrder);
        Collections.reverse(backwards);
        backwards.forEach(name -> fixture.add(Long.parseLong(name)));
        assertThat(fixture.advanceTo(TimeUnit.DAYS.toNanos(1))).isEqualTo(inOrder);
    }

    @Test
    void farTimerNeverHidesANearOne() {
        WheelFixture fixture = new WheelFixture(0);
        assertThat(fixture.advanceTo(60)).isEmpty();
        fixture.add("far", 60 + 64 * 64);
        fixture.add("wrapped", 60 + 63);
        fixture.add("near", 61);
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(1);
        assertThat(fixture.advanceTo(61)).containsExactly("near");
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(62);
        assertThat(fixture.advanceTo(123)).containsExactly("wrapped");
        assertThat(fixture.advanceTo(60 + 64 * 64)).containsExactly("far");
    }

    @Test
    void timersOfOneTickExpireInTheOrderOfAdding() {
        WheelFixture fixture = new WheelFixture(TICK_OF_16);
        fixture.add("a", 5_000);
        fixture.add("b", 4_999);
        fixture.add("c", 4_993);
        fixture.add("other tick", 4_992);
        assertThat(fixture.advanceTo(6_000)).containsExactly("other tick", "a", "b", "c");
    }

    @Test
    void timersOfOneTickKeepTheirOrderThroughCascades() {
        WheelFixture fixture = new WheelFixture(0);
        long due = 300_000;
        fixture.add("from afar", due);
        assertThat(fixture.advanceTo(due - 5_000)).isEmpty();
        fixture.add("nearer", due);
        assertThat(fixture.advanceTo(due - 70)).isEmpty();
        fixture.add("near", due);
        assertThat(fixture.advanceTo(due - 1)).isEmpty();
        fixture.add("last", due);
        assertThat(fixture.advanceTo(due)).containsExactly("from afar", "nearer", "near", "last");
    }

    @Test
    void timerAddedToAnExpiringBucketExpiresInTheAdvance() {
        WheelFixture fixture = new WheelFixture(0);
        fixture.add("a", 5);
        fixture.add("b", 5);
        int unused = fixture.advanceTo(5, 100, node -> {
            if (node.toString().equals("a")) {
                fixture.add("added meanwhile", 5);
            }
        });
        assertThat(unused).isPositive();
        assertThat(fixture.takeExpired()).containsExactly("a", "b", "added meanwhile");
    }

    @Test
    void timerAddedToAnExpiringBucketAwaitsTheBudget() {
        WheelFixture fixture = new WheelFixture(0);
        fixture.add("a", 5);
        fixture.add("b", 5);
        assertThat(fixture.advanceTo(9, 1)).isZero();
        fixture.add("c", 5);
        fixture.add("d", 7);
        assertThat(fixture.advanceTo(9)).containsExactly("a", "b", "c", "d");
    }

    @Test
    void timerAddedToTheBucketThatIsCascadingKeepsItsTurn() {
        WheelFixture fixture = new WheelFixture(0);
        fixture.add("a", 100);
        fixture.add("b", 101);
        fixture.add("c", 100);
        assertThat(fixture.advanceTo(110, 1)).isZero();
        fixture.add("d", 100);
        fixture.add("e", 101);
        assertThat(fixture.advanceTo(110)).containsExactly("a", "c", "d", "b", "e");
    }

    @Test
    void timerAddedAgainAtExpiryExpiresOncePerTime() {
        WheelFixture fixture = new WheelFixture(0);
        TestNode periodic = fixture.add("periodic", 10);
        int unused = fixture.advanceTo(35, 100, node -> {
            periodic.moveTo(periodic.deadlineNanos() + 10);
            fixture.wheel.add(periodic);
        });
        assertThat(unused).isPositive();
        assertThat(fixture.takeExpired()).hasSize(3);
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(5);
        assertThat(fixture.wheel.size()).isOne();
    }

    @Test
    void timerThatReaddsItselfStaysWithinTheBudget() {
        WheelFixture fixture = new WheelFixture(0);
        fixture.add("greedy", 1);
        assertThat(fixture.advanceTo(5, 1_000, fixture.wheel::add)).isZero();
        assertThat(fixture.takeExpired()).hasSize(1_000);
    }

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.testing.Clocks#awkwardOrigins")
    void nothingBreaksWhereTheClockWrapsOrChangesItsSign(long origin) {
        long[] deadlines = {0, 1, 15, 16, 17, 1_000, 1_024, 99_999, 1_000_000_000, 60_000_000_000L, Long.MAX_VALUE / 2};
        for (int tickShift : new int[] {0, TICK_OF_16, 14, 30}) {
            WheelFixture fixture = new WheelFixture(tickShift, origin);
            long tick = 1L << tickShift;
            for (long deadline : deadlines) {
                fixture.add(deadline);
            }
            long now = 0;
            List<String> expired = new ArrayList<>(fixture.advanceTo(0));
            while (fixture.wheel.size() > 0) {
                now += fixture.nanosToNextExpiry();
                assertThat(fixture.advanceTo(now - 1)).isEmpty();
                assertThat(fixture.nanosToNextExpiry()).isOne();
                List<String> together = fixture.advanceTo(now);
                assertThat(now - Long.parseLong(together.get(0))).isBetween(0L, tick - 1);
                expired.addAll(together);
            }
            assertThat(expired)
                    .isEqualTo(
                            Arrays.stream(deadlines).mapToObj(String::valueOf).toList());
            assertThat(fixture.nanosToNextExpiry()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.testing.Clocks#awkwardOrigins")
    void longestDelayIsKeptExactlyFromAnyOrigin(long origin) {
        long longest = Long.MAX_VALUE / 2;
        WheelFixture fixture = new WheelFixture(0, origin);
        assertThat(fixture.advanceTo(12_345)).isEmpty();
        fixture.add("zero", 12_345);
        fixture.add("one", 12_346);
        fixture.add("longest", 12_345 + longest);
        assertThat(fixture.advanceTo(12_345)).containsExactly("zero");
        assertThat(fixture.advanceTo(12_346)).containsExactly("one");
        assertThat(fixture.nanosToNextExpiry()).isEqualTo(longest - 1);
        assertThat(fixture.advanceTo(12_345 + longest - 1)).isEmpty();
        assertThat(fixture.advanceTo(12_345 + longest)).containsExactly("longest");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 5, 6, 7, 10, 14, 16, 20, 24, 30, 40})
    void everyTickWidthExpiresOnTheFirstTickNotBeforeTheDeadline(int tickShift) {
        long tick = 1L << tickShift;
        for (long ticks : new long[] {2, 63, 64, 65, 4_096, 100_000}) {
            for (long offset : new long[] {-1, 0, 1}) {
                WheelFixture fixture = new WheelFixture(tickShift, 7);
                long deadline = ticks * tick + offset;
                long due = tickShift == 0 ? deadline : (offset > 0 ? ticks + 1 : ticks) * tick;
                fixture.add("timer", deadline);
                assertThat(fixture.nanosToNextExpiry()).isEqualTo(due);
                assertThat(fixture.advanceTo(due - 1)).isEmpty();
                assertThat(fixture.advanceTo(due)).containsExactly("timer");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 41, 64, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void tickShiftOutOfRangeIsRefusedWithTheRuleAndTheValue(int tickShift) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TimingWheel(tickShift, 0))
                .withMessage("tickShift must be between 0 and 40, was " + tickShift);
    }

    @Test
    void clockThatStandsOrGoesBackHarmsNoTimer() {
        WheelFixture fixture = new WheelFixture(0);
        fixture.add("timer", 100);
        assertThat(fixture.advanceTo(90)).isEmpty();
        assertThat(fixture.advanceTo(20)).isEmpty();
        fixture.add("other", 95);
        assertThat(fixture.advanceTo(90)).isEmpty();
        assertThat(fixture.advanceTo(94)).isEmpty();
        assertThat(fixture.advanceTo(200)).containsExactly("other", "timer");
    }

    @Test
    void levelsAreCreatedWhenTheyAreFirstUsed() throws ReflectiveOperationException {
        WheelFixture fixture = new WheelFixture(0);
        assertThat(usedLevels(fixture.wheel)).isEmpty();
        fixture.add(3);
        assertThat(usedLevels(fixture.wheel)).containsExactly(0);
        fixture.add(64 * 64);
        assertThat(usedLevels(fixture.wheel)).containsExactly(0, 2);
        fixture.add(Long.MAX_VALUE / 2);
        assertThat(usedLevels(fixture.wheel)).containsExactly(0, 2, 10);
    }

    private static List<Integer> usedLevels(TimingWheel wheel) throws ReflectiveOperationException {
        var field = TimingWheel.class.getDeclaredField("levels");
        field.setAccessible(true);
        Object[] levels = (Object[]) field.get(wheel);
        List<Integer> used = new ArrayList<>();
        for (int index = 0; index < levels.length; index++) {
            if (levels[index] != null) {
                used.add(index);
            }
        }
        return used;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 8, 1_000})
    void numbersOfNodesAreSpreadOverAllValues(long distance) {
        WheelFixture fixture = new WheelFixture(0);
        Set<Long> highestBits = new HashSet<>();
        for (int i = 0; i < 4_096; i++) {
            TimerNode node = fixture.add(1_000_000 + i * distance);
            highestBits.add(node.spread() >>> -6);
        }
        assertThat(highestBits).hasSize(64);
    }
}
