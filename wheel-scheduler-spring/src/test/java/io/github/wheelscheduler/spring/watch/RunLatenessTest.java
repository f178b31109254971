package io.github.wheelscheduler.spring.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.github.wheelscheduler.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Percentiles are right to within a thirtieth, of what was noted in the last one to two minutes. */
class RunLatenessTest {

    private final AtomicLong clock = new AtomicLong(-5);
    private final RunLateness lateness = new RunLateness(clock::get);

    @Test
    void nothingNotedIsNotLate() {
        assertThat(lateness.percentile(0.99)).isEqualTo(new LatenessPercentile(Duration.ZERO, Duration.ZERO));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 7, 8, 9, 1_000, 123_456, 999_999_999, 86_400_000_000_000L, Long.MAX_VALUE})
    void oneValueIsEveryPercentile(long nanos) {
        long halfNanos = nanos / 2;
        lateness.starting(nanos, halfNanos, clock.get());
        for (double share : new double[] {0, 0.5, 1}) {
            LatenessPercentile percentile = lateness.percentile(share);
            assertThat((double) percentile.wheel().toNanos()).isCloseTo((double) nanos, nearly(nanos));
            assertThat((double) percentile.queue().toNanos()).isCloseTo((double) halfNanos, nearly(halfNanos));
        }
    }

    /** Within a thirtieth, or a nanosecond. */
    private static Offset<Double> nearly(long nanos) {
        return within(Math.max(1, nanos / 30.0));
    }

    @Test
    void percentilesAreThoseOfASortedList() {
        Seed.play(random -> {
            RunLateness some = new RunLateness(clock::get);
            long[] values = new long[1_000];
            for (int i = 0; i < values.length; i++) {
                values[i] = (long) Math.exp(random.nextDouble() * 30);
                some.starting(values[i], 0, clock.get());
            }
            Arrays.sort(values);
            for (double share : new double[] {0.01, 0.5, 0.9, 0.99, 1}) {
                long expected = values[(int) Math.ceil(share * values.length) - 1];
                assertThat((double) some.percentile(share).wheel().toNanos())
                        .isCloseTo((double) expected, nearly(expected));
            }
        });
    }

    @Test
    void threadsThatCountAtATimeLoseNothing() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            long nanos = i < 10 ? 1_000 : 1_000_000;
            Thread thread = new Thread(() -> {
                for (int run = 0; run < 10_000; run++) {
                    lateness.starting(nanos, 0, clock.get());
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        // Half of them exactly: with one lost on either side it would not be.
        assertThat(lateness.percentile(0.5).wheel()).isLessThan(Duration.ofNanos(2_000));
        assertThat(lateness.percentile(0.500_01).wheel()).isGreaterThan(Duration.ofNanos(900_000));
    }

    @Test
    void oldValuesAreForgotten() {
        lateness.starting(1_000_000, 0, clock.get());
        clock.addAndGet(Duration.ofSeconds(70).toNanos());
        assertThat(lateness.percentile(1).wheel()).isPositive();
        clock.addAndGet(Duration.ofSeconds(60).toNanos());
        assertThat(lateness.percentile(1).wheel()).isZero();
    }

    @Test
    void shareMustBeOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lateness.percentile(1.5))
                .withMessage("share of runs must be between 0 and 1, was 1.5");
    }
}
