package io.github.wheelscheduler.metrics;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.engine.VirtualTime;
import io.github.wheelscheduler.spring.SchedulerOnGivenExecutor;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.LogCapture;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Meters tell how late runs are that were delayed on purpose, by known amounts in virtual time. */
class LatenessMetersVirtualTimeTest {

    private static final double TOLERANCE = 0.1;
    private static final Duration PERIOD = Duration.ofSeconds(100);

    private final MeterRegistry registry = new SimpleMeterRegistry();

    @RegisterExtension
    private final LogCapture log = LogCapture.ofPackage(WheelTaskScheduler.class);

    private WheelTaskScheduler metered(VirtualTime time) {
        // A timer that is far away, so that quiet time can be told from time that has not begun.
        WheelTimer<?> ignored = time.executor.schedule(() -> {}, 1, HOURS);
        WheelTaskScheduler scheduler = new SchedulerOnGivenExecutor(time.executor);
        new WheelSchedulerMetrics(scheduler, "virtual").bindTo(registry);
        return scheduler;
    }

    private Timer lateness(String stage) {
        return registry.get(MeterNames.LATENESS).tag("stage", stage).timer();
    }

    private Timer latenessOf(String task) {
        return registry.get(MeterNames.TASK_LATENESS).tag("task", task).timer();
    }

    private static void assertIsAbout(Timer timer, long expectedNanos) {
        assertIsAbout(timer.totalTime(NANOSECONDS), (double) expectedNanos);
        assertIsAbout(timer.max(NANOSECONDS), (double) expectedNanos);
    }

    private static void assertIsAbout(double actual, double expected) {
        assertThat(actual).isCloseTo(expected, within(TOLERANCE * expected));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 20, 500, 60_000})
    void anOversleptTickThreadShowsAsLatenessOfTheWheel(long lateMillis) {
        try (VirtualTime time = new VirtualTime()) {
            WheelTaskScheduler scheduler = metered(time);
            ScheduledFuture<?> series =
                    scheduler.getTaskRegistry().schedule("late", time.recorder(), TaskSchedule.fixedRate(PERIOD));
            time.awaitQuiet();
            Duration late = Duration.ofMillis(lateMillis);
            time.jump(PERIOD.plus(late));
            assertThat(lateness("wheel").count()).isEqualTo(2);
            assertIsAbout(lateness("wheel"), late.toNanos());
            assertIsAbout(latenessOf("late"), late.toNanos());
            assertThat(lateness("queue").totalTime(NANOSECONDS)).isLessThan(TOLERANCE * late.toNanos());
            double overslept =
                    registry.get(MeterNames.TICK_OVERSLEEP).functionTimer().totalTime(NANOSECONDS);
            assertIsAbout(overslept, (double) late.toNanos());
            assertThat(registry.get(MeterNames.TICK_OVERSLEEP_MAX).timeGauge().value(NANOSECONDS))
                    .isEqualTo(overslept);
            assertThat(series.cancel(false)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 20, 500, 60_000})
    void aBusyWorkerShowsAsLatenessOfTheQueue(long busyMillis) {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxWorkers(1))) {
            WheelTaskScheduler scheduler = metered(time);
            Duration busy = Duration.ofMillis(busyMillis);
            AtomicInteger runs = new AtomicInteger();
            Runnable busyOnItsSecondRun = () -> {
                if (runs.incrementAndGet() == 2) {
                    time.clock.advance(busy);
                }
            };
            ScheduledFuture<?> first =
                    scheduler.getTaskRegistry().schedule("busy", busyOnItsSecondRun, TaskSchedule.fixedRate(PERIOD));
            ScheduledFuture<?> second =
                    scheduler.getTaskRegistry().schedule("waits", time.recorder(), TaskSchedule.fixedRate(PERIOD));
            time.awaitQuiet();
            time.pass(PERIOD);
            assertThat(lateness("queue").count()).isEqualTo(4);
            assertIsAbout(lateness("queue"), busy.toNanos());
            assertIsAbout(latenessOf("waits"), busy.toNanos());
            assertThat(lateness("wheel").totalTime(NANOSECONDS)).isLessThan(TOLERANCE * busy.toNanos());
            assertThat(latenessOf("busy").totalTime(NANOSECONDS)).isLessThan(TOLERANCE * busy.toNanos());
            assertThat(first.cancel(false) && second.cancel(false)).isTrue();
        }
    }
}
