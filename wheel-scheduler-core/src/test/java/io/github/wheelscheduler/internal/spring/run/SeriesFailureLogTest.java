package io.github.wheelscheduler.internal.spring.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.TaskUtils;

/** What the log is told of a task that fails again and again. */
class SeriesFailureLogTest {

    private final LogCapture failureLog = LogCapture.ofPackage(TaskUtils.class);

    @AfterEach
    void close() {
        failureLog.close();
    }

    @Test
    void failuresInARowAreSummedUpOnceAMinuteAndWhenTheyEnd() {
        AtomicLong clock = new AtomicLong();
        SeriesFailureLog failures =
                new SeriesFailureLog("failing", new LogTime(clock::get, summary -> {}, Thread::new));
        failures.handleError(new IllegalStateException("first"));
        failures.handleError(new IllegalStateException("second"));
        clock.addAndGet(Duration.ofSeconds(61).toNanos());
        IllegalStateException third = new IllegalStateException("third");
        failures.handleError(third);
        failures.succeeded();
        failures.succeeded();
        failures.handleError(new IllegalStateException("again"));
        assertThat(failureLog.messages())
                .containsExactly(
                        "Unexpected error occurred in scheduled task failing; it goes on",
                        "Scheduled task failing has failed 3 times in a row; the last failure",
                        "Scheduled task failing has succeeded again, after 3 failures in a row",
                        "Unexpected error occurred in scheduled task failing; it goes on");
        assertThat(failureLog.hasError(third)).isTrue();
    }

    @Test
    void failureOfAnotherKindIsLoggedAtOnceAndManyKindsAreNot() {
        SeriesFailureLog failures = new SeriesFailureLog("failing", new LogTime(() -> 0, summary -> {}, Thread::new));
        List<RuntimeException> kinds = List.of(
                new IllegalStateException(),
                new IllegalArgumentException(),
                new UnsupportedOperationException(),
                new ArithmeticException(),
                new ClassCastException(),
                new IndexOutOfBoundsException());
        for (int i = 0; i < 3; i++) {
            kinds.forEach(failures::handleError);
        }
        assertThat(failureLog.messages()).hasSize(5);
        assertThat(kinds.stream().filter(failureLog::hasError)).hasSize(5);
        failures.succeeded();
        assertThat(failureLog.messages()).last().asString().contains("after 18 failures in a row");
    }
}
