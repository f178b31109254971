package io.github.wheelscheduler.spring;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.SkipReason;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.support.TaskUtils;

/** What runs out of memory around a run fails no run and ends no series: it is done without, or tried again. */
class ShortMemoryTest {

    private static final Duration OFTEN = Duration.ofMillis(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final LogCapture log = LogCapture.ofPackage(WheelTaskScheduler.class);
    private final LogCapture springsLog = LogCapture.ofPackage(TaskUtils.class);
    private final AtomicInteger runs = new AtomicInteger();

    /** How many of the things that a test lets fail are still to fail. */
    private final AtomicInteger toFail = new AtomicInteger();

    private final AtomicInteger failed = new AtomicInteger();

    private final FailingLog failingLog = new FailingLog();
    private Logger failingLogger = Logger.getAnonymousLogger();

    @BeforeEach
    void limit() {
        scheduler.setMaxPending(1);
    }

    @AfterEach
    void shutdown() {
        toFail.set(0);
        failingLogger.removeHandler(failingLog);
        scheduler.shutdown();
        log.close();
        springsLog.close();
    }

    private void mayFail() {
        if (toFail.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            failed.incrementAndGet();
            throw new OutOfMemoryError("on purpose");
        }
    }

    private void awaitMoreRuns() {
        int soFar = runs.get();
        awaitThat(() -> runs.get() >= soFar + 3);
    }

    private ScheduledFuture<?> triggered() {
        ScheduledFuture<?> series = scheduler.schedule(runs::incrementAndGet, context -> {
            mayFail();
            return Instant.now();
        });
        assertThat((Object) series).isNotNull();
        return series;
    }

    private boolean isIdle() {
        return scheduler.getActiveCount() == 0
                && scheduler.getWheelScheduledExecutor().pendingCount() == 0;
    }

    @Test
    void seriesGoesOnThoughItsTriggerRanOutOfMemory() {
        AtomicReference<Throwable> handled = new AtomicReference<>();
        scheduler.setErrorHandler(handled::set);
        scheduler.initialize();
        ScheduledFuture<?> series = triggered();
        toFail.set(5);
        awaitThat(() -> failed.get() == 5);
        awaitMoreRuns();
        assertThat(series.isDone()).isFalse();
        assertThat(handled.get()).isNull();
        assertThat(log.messages())
                .hasSize(1)
                .first()
                .asString()
                .startsWith("Out of memory while scheduling the next run");
    }

    @Test
    void seriesGoesOnThoughItsNextRunCouldNotBeArmed() throws Exception {
        scheduler.setTaskDecorator(task -> {
            mayFail();
            return task;
        });
        scheduler.initialize();
        ScheduledFuture<?> series = triggered();
        toFail.set(10);
        awaitThat(() -> failed.get() == 10);
        awaitMoreRuns();
        assertThat(scheduler.getWheelScheduledExecutor().remainingPending()).isZero();
        assertThat(series.cancel(false)).isTrue();
        awaitThat(this::isIdle);
        assertThat(scheduler.getWheelScheduledExecutor().remainingPending()).isOne();
        assertThat(scheduler.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
    }

    @Test
    void seriesCancelledWithoutMemoryGivesItsPlaceBack() throws Exception {
        scheduler.setTaskDecorator(task -> {
            mayFail();
            return task;
        });
        scheduler.initialize();
        for (int round = 0; round < 50; round++) {
            ScheduledFuture<?> series = triggered();
            int failedBefore = failed.get();
            toFail.set(Integer.MAX_VALUE);
            awaitThat(() -> failed.get() > failedBefore);
            assertThat(series.cancel(round % 2 == 0)).isTrue();
            awaitThat(this::isIdle);
            toFail.set(0);
            assertThat(scheduler.getWheelScheduledExecutor().remainingPending()).isOne();
            assertThat(series.isCancelled()).isTrue();
        }
        assertThat(scheduler.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shutdownEndsASeriesThatFindsNoMemory(boolean continues) {
        scheduler.setContinueExistingPeriodicTasksAfterShutdownPolicy(continues);
        scheduler.initialize();
        ScheduledFuture<?> series = triggered();
        toFail.set(Integer.MAX_VALUE);
        awaitThat(() -> failed.get() > 0);
        scheduler.shutdown();
        awaitThat(() -> scheduler.getWheelScheduledExecutor().isTerminated());
        assertThat(series.isCancelled()).isTrue();
    }

    @Test
    void runTakesPlaceThoughTheClockRanOutOfMemory() {
        scheduler.setClock(new FailingClock());
        scheduler.initialize();
        ScheduledFuture<?> series = triggered();
        for (int i = 0; i < 5; i++) {
            toFail.set(i);
            awaitThat(() -> toFail.get() == 0);
            awaitMoreRuns();
        }
        assertThat(series.isDone()).isFalse();
    }

    @Test
    void rateGoesOnThoughTheClockSaysNothingAnyMore() {
        scheduler.setClock(new FailingClock());
        scheduler.initialize();
        ScheduledFuture<?> series = scheduler.scheduleAtFixedRate(runs::incrementAndGet, OFTEN);
        awaitMoreRuns();
        toFail.set(Integer.MAX_VALUE);
        awaitMoreRuns();
        assertThat(series.isDone()).isFalse();
    }

    @Test
    void seriesGoesOnThoughItsFailureCouldNotBeLogged() {
        scheduler.initialize();
        String name = TaskUtils.LOG_AND_SUPPRESS_ERROR_HANDLER.getClass().getName();
        letLogFail(name);
        toFail.set(5);
        ScheduledFuture<?> series = scheduler.scheduleAtFixedRate(this::fail, OFTEN);
        awaitThat(() -> failed.get() == 5);
        awaitMoreRuns();
        assertThat(series.isDone()).isFalse();
        assertThat(springsLog.messages()).singleElement().asString().contains("has failed 3 times in a row");
    }

    @Test
    void seriesGoesOnThoughItsErrorHandlerRanOutOfMemory() {
        scheduler.setErrorHandler(failure -> mayFail());
        scheduler.initialize();
        ScheduledFuture<?> series = scheduler.scheduleWithFixedDelay(this::fail, OFTEN);
        toFail.set(5);
        awaitThat(() -> failed.get() == 5);
        awaitMoreRuns();
        assertThat(series.isDone()).isFalse();
        assertThat(scheduler.getFailedRuns()).isGreaterThanOrEqualTo(8);
    }

    private void fail() {
        runs.incrementAndGet();
        throw new IllegalStateException("on purpose");
    }

    @Test
    void seriesGoesOnThoughNoteOfItsRunsCouldNotBeTaken() {
        scheduler.initialize();
        scheduler.getTaskRegistry().addListener(new TaskListener() {
            @Override
            public void ran(String id, RunOutcome outcome, boolean overran) {
                throw new OutOfMemoryError("on purpose");
            }
        });
        // Of the overruns, the listener, and all else that there is to say.
        letLogFail(WheelTaskScheduler.class.getPackageName());
        toFail.set(Integer.MAX_VALUE);
        ScheduledFuture<?> series = scheduler.scheduleAtFixedRate(this::overrun, OFTEN);
        awaitMoreRuns();
        assertThat(series.isDone()).isFalse();
        assertThat(failed.get()).isPositive();
        String id = scheduler.getTaskRegistry().ids().get(0);
        awaitThat(() -> scheduler.getTaskRegistry().get(id).overruns() > 0);
    }

    private void overrun() {
        long startNanos = System.nanoTime();
        while (System.nanoTime() - startNanos < 2_000_000) {
            Thread.onSpinWait();
        }
        runs.incrementAndGet();
    }

    @Test
    void heldTaskStaysHeldIfResumingFails() {
        TaskRegistry registry = scheduler.getTaskRegistry();
        scheduler.setMaxPending(10);
        scheduler.setClock(new FailingClock());
        scheduler.initialize();
        ScheduledFuture<?> future = registry.schedule(
                "held", runs::incrementAndGet, TaskSchedule.once(Instant.now().plus(HOUR)));
        registry.pause("held");
        registry.retime("held", TaskSchedule.once(Instant.now()));
        awaitThat(() -> registry.skips(SkipReason.PAUSED) == 1);
        toFail.set(1);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> registry.resume("held"));
        assertThat(registry.get("held").state()).isEqualTo(TaskInfo.State.PAUSED);
        assertThat(future.isDone()).isFalse();
        registry.resume("held");
        awaitThat(() -> runs.get() == 1 && future.isDone());
    }

    /** Fails when the test says so. */
    private final class FailingClock extends Clock {

        @Override
        public Instant instant() {
            mayFail();
            return Instant.now();
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }
    }

    private void letLogFail(String name) {
        failingLogger = Logger.getLogger(name);
        failingLogger.addHandler(failingLog);
    }

    /** A log that fails when the test says so. */
    private final class FailingLog extends Handler {

        @Override
        public void publish(LogRecord ignored) {
            mayFail();
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
