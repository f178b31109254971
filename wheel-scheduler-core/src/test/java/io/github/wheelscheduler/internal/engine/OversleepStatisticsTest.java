package io.github.wheelscheduler.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The longest oversleep is remembered for a minute at least and two at most, on any clock. */
class OversleepStatisticsTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final OversleepStatistics oversleeps = new OversleepStatistics();

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE - 30_000_000_000L})
    void longestOfTheLastMinutesIsRemembered(long origin) {
        assertThat(oversleeps.longestNanos(origin)).isZero();
        oversleeps.note(5, origin);
        oversleeps.note(9, origin + 10 * SECOND);
        oversleeps.note(7, origin + 20 * SECOND);
        assertThat(oversleeps.longestNanos(origin + 59 * SECOND)).isEqualTo(9);
        assertThat(oversleeps.longestNanos(origin + 61 * SECOND)).isEqualTo(9);
        oversleeps.note(3, origin + 70 * SECOND);
        assertThat(oversleeps.longestNanos(origin + 70 * SECOND)).isEqualTo(9);
        assertThat(oversleeps.longestNanos(origin + 119 * SECOND)).isEqualTo(9);
        assertThat(oversleeps.longestNanos(origin + 121 * SECOND)).isEqualTo(3);
        assertThat(oversleeps.longestNanos(origin + 181 * SECOND)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void oversleepAfterALongTimeWithoutOneIsTheOnlyOne(long origin) {
        oversleeps.note(5, origin);
        oversleeps.note(2, origin + 500 * SECOND);
        assertThat(oversleeps.longestNanos(origin + 500 * SECOND)).isEqualTo(2);
    }
}
