package io.github.wheelscheduler.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Durations as people write them. */
class DurationWordsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PT0S            | 0 ms        | 0 ms
            PT0.000000001S  | 0.000001 ms | 0 ms
            PT0.000021451S  | 0.021451 ms | 0.021 ms
            PT0.0021499S    | 2.1499 ms   | 2.1 ms
            PT0.2509S       | 250.9 ms    | 250 ms
            PT1S            | 1 s         | 1 s
            PT1.59S         | 1.59 s      | 1.5 s
            PT41.9S         | 41.9 s      | 41 s
            PT1M            | 1 min       | 1 min
            PT1M0.5S        | 1 min 0.5 s | 1 min
            PT5M3S          | 5 min 3 s   | 5 min 3 s
            PT1H5M3S        | 1 h 5 min 3 s | 1 h 5 min
            PT50H5M         | 50 h 5 min  | 2 d 2 h
            -PT2S           | -2 s        | -2 s
            """)
    void durationIsSaidExactlyAndAbout(Duration duration, String exactly, String about) {
        assertThat(DurationWords.exactly(duration)).isEqualTo(exactly);
        assertThat(DurationWords.about(duration)).isEqualTo(about);
    }
}
