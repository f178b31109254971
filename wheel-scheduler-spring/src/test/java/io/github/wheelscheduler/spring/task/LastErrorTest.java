package io.github.wheelscheduler.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.internal.spring.run.KeptTraces;
import io.github.wheelscheduler.internal.spring.run.RunHistory;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.run.RunOutcome;
import java.io.PrintWriter;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The newest failure of a task is kept with its stack trace and trace id. */
@SuppressWarnings("FutureReturnValueIgnored") // the shutdown ends all tasks
class LastErrorTest {

    private static final String ID = "task";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final TaskRegistry registry = scheduler.getTaskRegistry();
    private final RunHistory history = new RunHistory();
    private final KeptTraces kept = new KeptTraces();

    @AfterEach
    void shutdown() {
        scheduler.shutdown();
    }

    private static RunOutcome.LastError lastOf(RunHistory history) {
        return Objects.requireNonNull(history.lastError());
    }

    private void fail(long atNanos, Throwable failure) {
        history.failed(atNanos, failure, null, kept);
    }

    @Test
    void failureIsKeptWithItsTraceAfterASuccess() {
        AtomicInteger runs = new AtomicInteger();
        scheduler.initialize();
        registry.schedule(
                ID,
                () -> {
                    if (runs.getAndIncrement() == 0) {
                        throw new IllegalStateException("outer", new IllegalArgumentException("inner"));
                    }
                },
                TaskSchedule.fixedRate(HOUR));
        awaitThat(() -> registry.get(ID).failures() == 1);
        registry.trigger(ID);
        awaitThat(() -> registry.get(ID).runs() == 2);
        RunOutcome.LastError error = registry.lastError(ID).orElseThrow();
        assertThat(error.type()).isEqualTo(IllegalStateException.class.getName());
        assertThat(error.message()).isEqualTo("outer");
        assertThat(error.trace())
                .startsWith("java.lang.IllegalStateException: outer")
                .contains("\tat " + LastErrorTest.class.getName())
                .contains("Caused by: java.lang.IllegalArgumentException: inner");
        assertThat(error.traceId()).isNull();
        assertThat(error.at()).isBetween(Instant.now().minusSeconds(120), Instant.now());
    }

    @Test
    void taskThatHasNotFailedHasNone() {
        scheduler.initialize();
        registry.schedule(ID, () -> {}, TaskSchedule.fixedRate(HOUR));
        awaitThat(() -> registry.get(ID).runs() == 1);
        assertThat(registry.lastError(ID)).isEmpty();
        assertThatExceptionOfType(UnknownTaskException.class).isThrownBy(() -> registry.lastError("other"));
    }

    @Test
    void traceIdIsAskedForOnTheThreadThatHasFailed() {
        scheduler.initialize();
        scheduler.setTraceIds(failure ->
                failure.getMessage() + " on " + Thread.currentThread().getName());
        registry.schedule(
                ID,
                () -> {
                    throw new IllegalStateException(Thread.currentThread().getName());
                },
                TaskSchedule.fixedRate(HOUR));
        awaitThat(() -> registry.get(ID).failures() == 1);
        RunOutcome.LastError error = registry.lastError(ID).orElseThrow();
        assertThat(error.traceId()).isEqualTo(error.message() + " on " + error.message());
        RunOutcome last = registry.get(ID).recent().get(0);
        assertThat(last.failure())
                .isEqualTo(new RunOutcome.Failure(
                        IllegalStateException.class.getName(), error.message(), error.traceId()));
    }

    @Test
    void firstOfFailuresWithinATenthOfASecondIsKept() {
        AtomicInteger asked = new AtomicInteger();
        for (int i = 0; i < 1_000; i++) {
            history.failed(
                    SECOND + i * 1_000_000L,
                    new IllegalStateException("at " + i),
                    failure -> {
                        asked.incrementAndGet();
                        return null;
                    },
                    kept);
        }
        assertThat(asked).hasValue(10);
        assertThat(lastOf(history).message()).isEqualTo("at 900");
        // A clock that is set back.
        fail(0, new IllegalStateException("before"));
        assertThat(lastOf(history).message()).isEqualTo("before");
    }

    @Test
    void traceIsBoundedHoweverLongTheMessage() {
        fail(SECOND, new IllegalStateException("x".repeat(1_000_000)));
        assertThat(lastOf(history).trace()).hasSize(16_384).startsWith("java.lang.IllegalStateException: xxx");
        assertThat(lastOf(history).message()).hasSizeLessThan(600);
    }

    @Test
    void failureWhoseOwnMethodsFailIsKeptAsFarAsItGoes() {
        fail(SECOND, new IllegalStateException("hostile") {
            @Override
            public void printStackTrace(PrintWriter writer) {
                writer.print("begun");
                throw new IllegalArgumentException("on purpose");
            }
        });
        assertThat(lastOf(history).trace()).isEqualTo("begun");
        history.failed(
                2 * SECOND,
                new IllegalStateException("later"),
                failure -> {
                    throw new IllegalStateException("no id");
                },
                kept);
        assertThat(lastOf(history).message()).isEqualTo("hostile");
    }

    @Test
    void tracesOfAThousandFailingTasksAreKept() {
        scheduler.initialize();
        int tasks = 1_100;
        for (int i = 0; i < tasks; i++) {
            registry.schedule(
                    "task " + i,
                    () -> {
                        throw new IllegalStateException("outage");
                    },
                    TaskSchedule.fixedRate(HOUR));
        }
        awaitThat(() ->
                registry.find(TaskQuery.ALL.in(TaskQuery.Condition.FAILING).part(0, 1))
                                .total()
                        == tasks);
        List<RunOutcome.LastError> errors = registry.ids().stream()
                .map(id -> registry.lastError(id).orElseThrow())
                .toList();
        assertThat(errors).allMatch(error -> error.message().equals("outage"));
        List<RunOutcome.LastError> traced =
                errors.stream().filter(error -> !error.trace().isEmpty()).toList();
        assertThat(traced).hasSizeBetween(990, 1_010);
    }

    @Test
    void taskWhoseTraceIsForgottenKeepsThatOfItsNextFailure() {
        fail(SECOND, new IllegalStateException("first"));
        for (int i = 0; i < 1_000; i++) {
            new RunHistory().failed(SECOND, new IllegalStateException("other"), null, kept);
        }
        assertThat(lastOf(history).trace()).isEmpty();
        assertThat(lastOf(history).message()).isEqualTo("first");
        fail(2 * SECOND, new IllegalStateException("second"));
        assertThat(lastOf(history).trace()).contains("second");
    }

    @Test
    void throwableIsNotKept() {
        WeakReference<Throwable> thrown = thrown();
        awaitThat(() -> {
            System.gc();
            return thrown.get() == null;
        });
        assertThat(lastOf(history).message()).isEqualTo("short-lived");
    }

    private WeakReference<Throwable> thrown() {
        Throwable failure = new IllegalStateException("short-lived");
        fail(SECOND, failure);
        return new WeakReference<>(failure);
    }
}
