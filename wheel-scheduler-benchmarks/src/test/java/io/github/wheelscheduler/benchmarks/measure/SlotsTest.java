package io.github.wheelscheduler.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class SlotsTest {

    @Test
    void knowsWhatRanAndHowLate() {
        Slots slots = new Slots(3, null);
        slots.record(0, System.nanoTime() - 5_000);
        slots.record(2, System.nanoTime() + 1_000_000_000);

        long[] taken = slots.takenBetween(0, 3);

        assertThat(taken).hasSize(2);
        assertThat(taken[0]).isGreaterThanOrEqualTo(5_000);
        assertThat(taken[1]).isNegative();
        assertThat(slots.takenBetween(1, 2)).isEmpty();
    }

    @Test
    void timerThatIsLostIsNoticed() {
        Slots slots = new Slots(3, null);
        slots.record(1, System.nanoTime());

        assertThatIllegalStateException()
                .isThrownBy(() -> slots.awaitAll(System.nanoTime() - 1))
                .withMessage("every timer must run, 2 of 3 did not");
    }

    @Test
    void timerThatRanTwiceIsNoticed() {
        Slots slots = new Slots(1, null);
        slots.record(0, System.nanoTime());
        slots.checkOnce();
        slots.record(0, System.nanoTime());

        assertThatIllegalStateException()
                .isThrownBy(slots::checkOnce)
                .withMessage("a timer must run once, ran 2 times");
    }

    @Test
    void runsOnTheTimerThreadAreCounted() {
        Slots own = new Slots(2, Thread.currentThread());
        Slots other = new Slots(2, new Thread());
        own.record(0, System.nanoTime());
        other.record(0, System.nanoTime());

        assertThat(own.onTimerThread()).isEqualTo(1);
        assertThat(other.onTimerThread()).isZero();
    }

    @Test
    void waitingEndsWhenAllHaveRun() {
        Slots slots = new Slots(2, null);
        slots.record(0, System.nanoTime());
        slots.record(1, System.nanoTime());

        slots.awaitAll(System.nanoTime() - 1);

        assertThat(slots.takenBetween(0, 2)).hasSize(2);
    }
}
