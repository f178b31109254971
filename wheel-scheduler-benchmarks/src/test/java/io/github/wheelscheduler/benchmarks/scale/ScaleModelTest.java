package io.github.wheelscheduler.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** The simulation against what can be worked out by hand. */
class ScaleModelTest {

    @Test
    void loneCallerTakesTheSumOfItsParts() {
        ScaleModel model = new ScaleModel(new Parts(45, 60, 1, 100, 100));
        assertThat(model.pairsPerSecond(1, 1)).isCloseTo(1e9 / 50, within(1e9 / 50 * 0.02));
    }

    @Test
    void callersThatShareNothingScaleWithTheirNumber() {
        ScaleModel model = new ScaleModel(new Parts(50, 0, 0.1, 100, 100));
        double alone = model.pairsPerSecond(1, 1);
        assertThat(model.pairsPerSecond(64, 1)).isCloseTo(64 * alone, within(alone));
    }

    @Test
    void callersAreBoundByWhatTheyShareAndWheelsMultiplyIt() {
        ScaleModel model = new ScaleModel(new Parts(50, 40, 1, 100, 100));
        double stripe = 1e9 / 40;
        assertThat(model.pairsPerSecond(64, 1)).isCloseTo(8 * stripe, within(8 * stripe * 0.02));
        assertThat(model.pairsPerSecond(256, 4)).isCloseTo(32 * stripe, within(32 * stripe * 0.04));
    }

    @Test
    void callersWithStripesOfTheirOwnDoNotMeet() {
        ScaleModel model = new ScaleModel(new Parts(50, 1_000, 0.1, 100, 100));
        double alone = model.pairsPerSecond(1, 1);
        assertThat(model.pairsPerSecond(8, 1)).isCloseTo(8 * alone, within(alone));
        assertThat(model.pairsPerSecond(9, 1)).isLessThan(8 * alone);
    }

    @Test
    void callersAreNoFasterThanTickThreadsTakeOut() {
        ScaleModel model = new ScaleModel(new Parts(50, 40, 20, 100, 100));
        assertThat(model.pairsPerSecond(64, 1)).isEqualTo(1e9 / 20);
        assertThat(model.pairsPerSecond(64, 2)).isEqualTo(2e9 / 20);
    }

    @Test
    void fewTimersAreNotLateAndManyByAnInterval() {
        ScaleModel model = new ScaleModel(new Parts(50, 40, 20, 200, 100));
        assertThat(model.p99LatenessNanos(100, 1)).isLessThan(1_000);
        // What becomes due while the tick thread is at work, a fifth of the time, does not wait for the next wake-up.
        double sleep = 0.8 * ScaleModel.INTERVAL_NANOS;
        assertThat(model.p99LatenessNanos(1_000_000, 1)).isCloseTo(sleep, within(0.05 * sleep));
    }

    @Test
    void tickThreadFallsBehindWhereItsTimeIsUsedUp() {
        ScaleModel model = new ScaleModel(new Parts(50, 40, 20, 200, 100));
        assertThat(model.keepsUp(4_000_000, 1)).isTrue();
        assertThat(model.keepsUp(6_000_000, 1)).isFalse();
        assertThat(model.keepsUp(6_000_000, 2)).isTrue();
        assertThat(model.p99LatenessNanos(4_800_000, 1)).isGreaterThan(model.p99LatenessNanos(4_800_000, 2));
    }

    @Test
    void pageShowsPartsAndTables() {
        assertThat(ScalePage.of(new Parts(50, 40, 20, 200, 100)))
                .contains("one after the other | 40 |", "| 64 | 50.0 |", "falls behind", "| 0.1 |");
    }
}
