package io.github.wheelscheduler.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** The simulation against what can be worked out by hand. */
class ScaleModelTest {

    @Test
    void loneCallerTakesTheSumOfItsParts() {
        ScaleModel model = new ScaleModel(new Parts(45, 60, 100, 100));
        assertThat(model.pairsPerSecond(1, 1)).isCloseTo(1e9 / 50, within(1e9 / 50 * 0.02));
    }

    @Test
    void callersThatShareNothingScaleWithTheirNumber() {
        ScaleModel model = new ScaleModel(new Parts(50, 0, 100, 100));
        double alone = model.pairsPerSecond(1, 1);
        assertThat(model.pairsPerSecond(64, 1)).isCloseTo(64 * alone, within(alone));
    }

    @Test
    void manyCallersAreBoundByWhatTheyShareAndWheelsMultiplyIt() {
        ScaleModel model = new ScaleModel(new Parts(50, 40, 100, 100));
        assertThat(model.pairsPerSecond(64, 1)).isCloseTo(1e9 / 40, within(1e9 / 40 * 0.01));
        assertThat(model.pairsPerSecond(64, 4)).isCloseTo(4e9 / 40, within(4e9 / 40 * 0.02));
    }

    @Test
    void fewTimersAreNotLateAndManyByAnInterval() {
        ScaleModel model = new ScaleModel(new Parts(50, 40, 200, 100));
        assertThat(model.p99LatenessNanos(100, 1)).isLessThan(1_000);
        assertThat(model.p99LatenessNanos(1_000_000, 1))
                .isBetween(0.9 * ScaleModel.INTERVAL_NANOS, 1.3 * ScaleModel.INTERVAL_NANOS);
    }

    @Test
    void tickThreadFallsBehindWhereItsTimeIsUsedUp() {
        ScaleModel model = new ScaleModel(new Parts(50, 40, 200, 100));
        assertThat(model.keepsUp(4_000_000, 1)).isTrue();
        assertThat(model.keepsUp(6_000_000, 1)).isFalse();
        assertThat(model.keepsUp(6_000_000, 2)).isTrue();
        assertThat(model.p99LatenessNanos(4_800_000, 1)).isGreaterThan(model.p99LatenessNanos(4_800_000, 2));
    }

    @Test
    void pageShowsPartsAndTables() {
        assertThat(ScalePage.of(new Parts(50, 40, 200, 100)))
                .contains("one after the other | 40 |", "| 64 | 25.0 |", "falls behind", "| 0.1 |");
    }
}
