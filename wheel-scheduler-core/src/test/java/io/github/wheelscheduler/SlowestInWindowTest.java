package io.github.wheelscheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The largest value is remembered for a minute at least and two at most, on any clock. */
class SlowestInWindowTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SlowestInWindow slowest = new SlowestInWindow();

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE - 30_000_000_000L})
    void largestOfTheLastMinutesIsRemembered(long origin) {
        assertThat(slowest.max(origin)).isZero();
        slowest.note(5, origin);
        slowest.note(9, origin + 10 * SECOND);
        slowest.note(7, origin + 20 * SECOND);
        assertThat(slowest.max(origin + 59 * SECOND)).isEqualTo(9);
        assertThat(slowest.max(origin + 61 * SECOND)).isEqualTo(9);
        slowest.note(3, origin + 70 * SECOND);
        assertThat(slowest.max(origin + 70 * SECOND)).isEqualTo(9);
        assertThat(slowest.max(origin + 119 * SECOND)).isEqualTo(9);
        assertThat(slowest.max(origin + 121 * SECOND)).isEqualTo(3);
        assertThat(slowest.max(origin + 181 * SECOND)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void valueAfterALongSilenceIsTheOnlyOne(long origin) {
        slowest.note(5, origin);
        slowest.note(2, origin + 500 * SECOND);
        assertThat(slowest.max(origin + 500 * SECOND)).isEqualTo(2);
    }
}
