package io.github.wheelscheduler.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.github.wheelscheduler.testing.Seed;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Percentiles are right to within a tenth, of what was noted in the last one to two minutes. */
class LatenessDistributionTest {

    private final AtomicLong clock = new AtomicLong(-5);
    private final LatenessDistribution distribution = new LatenessDistribution();

    @Test
    void nothingNotedIsNotLate() {
        assertThat(distribution.percentile(0.99, clock.get())).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 7, 8, 9, 1_000, 123_456, 999_999_999, 86_400_000_000_000L, Long.MAX_VALUE})
    void oneValueIsEveryPercentile(long nanos) {
        distribution.record(nanos, clock.get());
        for (double share : new double[] {0, 0.5, 1}) {
            assertThat((double) distribution.percentile(share, clock.get()).toNanos())
                    .isCloseTo((double) nanos, withinPercentage(10));
        }
    }

    @Test
    void percentilesAreThoseOfASortedList() {
        Seed.play(random -> {
            LatenessDistribution some = new LatenessDistribution();
            long[] values = new long[1_000];
            for (int i = 0; i < values.length; i++) {
                values[i] = (long) Math.exp(random.nextDouble() * 30);
                some.record(values[i], clock.get());
            }
            Arrays.sort(values);
            for (double share : new double[] {0.01, 0.5, 0.9, 0.99, 1}) {
                long expected = values[(int) Math.ceil(share * values.length) - 1];
                assertThat((double) some.percentile(share, clock.get()).toNanos())
                        .isCloseTo((double) expected, withinPercentage(10));
            }
        });
    }

    @Test
    void oldValuesAreForgotten() {
        distribution.record(1_000_000, clock.get());
        clock.addAndGet(Duration.ofSeconds(70).toNanos());
        assertThat(distribution.percentile(1, clock.get())).isPositive();
        clock.addAndGet(Duration.ofSeconds(60).toNanos());
        assertThat(distribution.percentile(1, clock.get())).isZero();
    }

    @Test
    void shareMustBeOne() {
        RunLateness lateness = new RunLateness(clock::get);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lateness.percentile(1.5))
                .withMessage("share must be between 0 and 1, was 1.5");
    }
}
