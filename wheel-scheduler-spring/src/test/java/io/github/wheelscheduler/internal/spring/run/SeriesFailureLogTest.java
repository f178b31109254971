package io.github.wheelscheduler.internal.spring.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.scheduling.support.TaskUtils;

/** What the log is told of a task that fails again and again. */
class SeriesFailureLogTest {

    @RegisterExtension
    private final LogCapture failureLog = LogCapture.ofPackage(TaskUtils.class);

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
                        "Unexpected error occurred in scheduled task failing; it continues",
                        "Scheduled task failing has failed 3 times in a row; the last failure",
                        "Scheduled task failing has succeeded again, after 3 failures in a row",
                        "Unexpected error occurred in scheduled task failing; it continues");
        assertThat(failureLog.hasError(third)).isTrue();
    }

    @Test
    void failureOfAnotherKindIsLoggedUpToALimit() {
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

    /** A log may wait for another thread, which may sum up in virtual time, or end a run of the task. */
    @Test
    void logIsCalledUnderNoLock() {
        AtomicReference<@Nullable Runnable> sumUp = new AtomicReference<>();
        SeriesFailureLog failures = new SeriesFailureLog("failing", new LogTime(() -> 0, sumUp::set, Thread::new));
        AtomicInteger calls = new AtomicInteger();
        Handler waiting = handler(() -> {
            Runnable summary = sumUp.get();
            CompletableFuture<Void> other = new CompletableFuture<>();
            new Thread(() -> {
                        if (summary != null && calls.incrementAndGet() == 1) {
                            summary.run();
                        }
                        failures.handleError(new IllegalStateException("meanwhile"));
                        other.complete(null);
                    })
                    .start();
            assertThat(other).succeedsWithin(Duration.ofSeconds(10));
        });
        Logger logger = Logger.getLogger(TaskUtils.class.getPackageName());
        logger.addHandler(waiting);
        try {
            failures.handleError(new IllegalStateException("first"));
            failures.handleError(new IllegalArgumentException("second"));
            failures.succeeded();
        } finally {
            logger.removeHandler(waiting);
        }
        assertThat(calls).hasPositiveValue();
        assertThat(failureLog.messages())
                .anyMatch(line -> line.endsWith(" times in a row"))
                .anyMatch(line -> line.contains("has succeeded again"));
    }

    private static Handler handler(Runnable onPublish) {
        AtomicBoolean isInside = new AtomicBoolean();
        return new Handler() {
            @Override
            public void publish(LogRecord logged) {
                if (isInside.compareAndSet(false, true)) {
                    try {
                        onPublish.run();
                    } finally {
                        isInside.set(false);
                    }
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
