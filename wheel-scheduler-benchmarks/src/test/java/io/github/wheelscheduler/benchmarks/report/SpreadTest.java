package io.github.wheelscheduler.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {

    @Test
    void medianIsTheMiddleOne() {
        assertThat(Spread.of(List.of(9.0, 1.0, 5.0))).isEqualTo(new Spread(1, 1, 5, 9, 9));
    }

    @Test
    void orTheMeanOfTheTwoMiddleOnes() {
        assertThat(Spread.of(List.of(9.0, 1.0, 5.0, 6.0))).isEqualTo(new Spread(1, 1, 5.5, 9, 9));
    }

    @Test
    void middleHalfIsBetweenTheQuartiles() {
        assertThat(Spread.of(List.of(1.0, 2.0, 3.0, 4.0, 5.0))).isEqualTo(new Spread(1, 2, 3, 4, 5));
    }

    @Test
    void resultOfNothingIsNone() {
        assertThatIllegalArgumentException().isThrownBy(() -> Spread.of(List.of()));
    }

    @Test
    void numbersHaveAboutThreeDigits() {
        assertThat(Numbers.format(1234567.8)).isEqualTo("1 234 568");
        assertThat(Numbers.format(123.4)).isEqualTo("123");
        assertThat(Numbers.format(12.34)).isEqualTo("12.3");
        assertThat(Numbers.format(1.234)).isEqualTo("1.23");
        assertThat(Numbers.format(0.1234)).isEqualTo("0.123");
        assertThat(Numbers.format(0)).isEqualTo("0");
        assertThat(Numbers.format(-12.34)).isEqualTo("-12.3");
    }
}
