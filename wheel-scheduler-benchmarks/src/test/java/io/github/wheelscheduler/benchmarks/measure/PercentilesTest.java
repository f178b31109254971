package io.github.wheelscheduler.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PercentilesTest {

    @Test
    void takesTheNearestRank() {
        Percentiles percentiles =
                new Percentiles(LongStream.rangeClosed(1, 100).map(i -> 101 - i).toArray());

        assertThat(percentiles.at(1)).isEqualTo(1);
        assertThat(percentiles.at(50)).isEqualTo(50);
        assertThat(percentiles.at(99)).isEqualTo(99);
        assertThat(percentiles.at(99.5)).isEqualTo(100);
        assertThat(percentiles.at(100)).isEqualTo(100);
        assertThat(percentiles.min()).isEqualTo(1);
        assertThat(percentiles.max()).isEqualTo(100);
    }

    @Test
    void singleSampleIsEveryPercentile() {
        Percentiles percentiles = new Percentiles(new long[] {7});

        assertThat(percentiles.at(0.1)).isEqualTo(7);
        assertThat(percentiles.at(100)).isEqualTo(7);
    }

    @Test
    void countsWhatIsNegative() {
        assertThat(new Percentiles(new long[] {0, -3, 5, -1, 0, 0}).negative()).isEqualTo(2);
        assertThat(new Percentiles(new long[] {-3, 5, -1}).negative()).isEqualTo(2);
        assertThat(new Percentiles(new long[] {1, 2}).negative()).isZero();
    }

    @Test
    void refusesWhatHasNoAnswer() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Percentiles(new long[0]));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Percentiles(new long[] {1}).at(0))
                .withMessageContaining("was 0.0");
        assertThatIllegalArgumentException().isThrownBy(() -> new Percentiles(new long[] {1}).at(101));
    }
}
