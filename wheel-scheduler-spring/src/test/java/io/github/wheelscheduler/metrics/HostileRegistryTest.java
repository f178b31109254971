package io.github.wheelscheduler.metrics;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.LogCapture;
import io.micrometer.core.instrument.AbstractTimer;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A registry that throws harms no task. */
class HostileRegistryTest {

    private static final TaskSchedule OFTEN = TaskSchedule.fixedRate(Duration.ofMillis(1));
    private static final TaskSchedule HOURLY = TaskSchedule.fixedRate(Duration.ofHours(1));

    @RegisterExtension
    private final LogCapture log = LogCapture.ofPackage(WheelTaskScheduler.class);

    private final AtomicInteger runs = new AtomicInteger();

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.metrics.MeteredScheduler#kindsOfThreads")
    void timerThatThrowsHarmsNoRunAndIsLoggedOnce(boolean virtualThreads) {
        try (MeteredScheduler metered = new MeteredScheduler(
                settings -> settings.setVirtualThreads(virtualThreads),
                new RegistryOfThrowingTimers(),
                WheelSchedulerMetrics.DEFAULT_MAX_TASKS)) {
            ScheduledFuture<?> series = metered.tasks.schedule("often", runs::incrementAndGet, OFTEN);
            metered.scheduler.execute(runs::incrementAndGet);
            awaitThat(() -> metered.tasks.get("often").runs() > 20);
            assertThat(metered.tasks.get("often").failures()).isZero();
            assertThat(metered.scheduler.getFailedRuns()).isZero();
            assertThat(metered.counter(MeterNames.FIRED)).isGreaterThan(20);
            assertThat(series.isDone()).isFalse();
            assertThat(log.said("listener failed"))
                    .hasSize(2)
                    .anyMatch(text -> text.startsWith("A lateness listener failed"))
                    .anyMatch(text -> text.startsWith("A task listener failed"));
        }
    }

    @Test
    void throwingTimerLeavesOtherMetersReadable() {
        int burst = 50_000;
        try (MeteredScheduler metered = new MeteredScheduler(
                settings -> {}, new RegistryOfThrowingTimers(), WheelSchedulerMetrics.DEFAULT_MAX_TASKS)) {
            for (int i = 0; i < burst; i++) {
                metered.scheduler.execute(() -> {});
            }
            awaitThat(() -> metered.counter(MeterNames.EXECUTOR_COMPLETED) == burst);
            assertThat(metered.gauge(MeterNames.PENDING)).isZero();
        }
    }

    @Test
    void taskWhoseMetersAreRefusedRunsAndLeavesNoHalfOfThem() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            metered.registry.config().meterFilter(refusing(MeterNames.TASK_OVERRUNS, "cursed"));
            ScheduledFuture<?> cursed = metered.tasks.schedule("cursed", runs::incrementAndGet, HOURLY);
            ScheduledFuture<?> blessed = metered.tasks.schedule("blessed", runs::incrementAndGet, HOURLY);
            awaitThat(() -> runs.get() == 2);
            assertThat(metered.meteredTasks()).containsExactly("blessed");
            assertThat(metered.gauge(MeterNames.TASKS, "metered", "false")).isEqualTo(1);
            assertThat(cursed.cancel(false) && blessed.cancel(false)).isTrue();
            assertThat(metered.metersOfTasks()).isEmpty();
        }
    }

    @Test
    void taskWhoseMetersAreRefusedLeavesItsPlaceToOthers() {
        try (MeteredScheduler metered = new MeteredScheduler(1)) {
            metered.registry.config().meterFilter(refusing(MeterNames.TASK_OVERRUNS, "cursed"));
            ScheduledFuture<?> first = metered.tasks.schedule("first", runs::incrementAndGet, HOURLY);
            ScheduledFuture<?> cursed = metered.tasks.schedule("cursed", runs::incrementAndGet, HOURLY);
            ScheduledFuture<?> blessed = metered.tasks.schedule("blessed", runs::incrementAndGet, HOURLY);
            assertThat(metered.meteredTasks()).containsExactly("first");
            assertThat(first.cancel(false)).isTrue();
            assertThat(metered.meteredTasks()).containsExactly("blessed");
            assertThat(log.said("A task listener failed")).hasSize(1);
            assertThat(cursed.cancel(false) && blessed.cancel(false)).isTrue();
            assertThat(metered.metersOfTasks()).isEmpty();
        }
    }

    @Test
    void registryThatThrowsOnTheWayHasNoMeters() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            MeterRegistry hostile = new SimpleMeterRegistry();
            hostile.config().meterFilter(refusing(MeterNames.LATENESS, null));
            WheelSchedulerMetrics metrics = new WheelSchedulerMetrics(metered.scheduler, "hostile");
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> metrics.bindTo(hostile));
            assertThat(hostile.getMeters()).isEmpty();
            ScheduledFuture<?> ignored = metered.tasks.schedule("after", runs::incrementAndGet, HOURLY);
            awaitThat(() -> runs.get() == 1);
            assertThat(hostile.getMeters()).isEmpty();
            metrics.close();
        }
    }

    @Test
    void listenerOfRemovalsThatThrowsKeepsNoMeter() {
        MeterRegistry hostile = new SimpleMeterRegistry();
        try (MeteredScheduler metered = new MeteredScheduler()) {
            WheelSchedulerMetrics both = new WheelSchedulerMetrics(metered.scheduler, "both");
            both.bindTo(hostile);
            both.bindTo(metered.registry);
            ScheduledFuture<?> series = metered.tasks.schedule("hourly", runs::incrementAndGet, HOURLY);
            for (MeterRegistry registry : List.of(hostile, metered.registry)) {
                registry.config().onMeterRemoved(meter -> {
                    throw new IllegalStateException("on purpose");
                });
            }
            assertThat(series.cancel(false)).isTrue();
            assertThat(MeteredScheduler.metersOfTasksIn(hostile)).isEmpty();
            assertThat(metered.metersOfTasks()).isEmpty();
            assertThatIllegalStateException().isThrownBy(both::close).withMessage("on purpose");
            assertThat(hostile.getMeters()).isEmpty();
            assertThat(metered.registry
                            .find(MeterNames.PENDING)
                            .tag("name", "both")
                            .meter())
                    .isNull();
        }
    }

    @Test
    void listenerThatThrowsKeepsNoNewsFromTheMeters() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            metered.tasks.addListener(new Throwing());
            WheelSchedulerMetrics later = new WheelSchedulerMetrics(metered.scheduler, "later");
            later.bindTo(metered.registry);
            ScheduledFuture<?> series = metered.tasks.schedule("often", runs::incrementAndGet, OFTEN);
            Timer successes = metered.registry
                    .get(MeterNames.TASK_RUN)
                    .tags("name", "later", "task", "often", "outcome", "SUCCESS")
                    .timer();
            awaitThat(() -> successes.count() > 5);
            assertThat(series.cancel(false)).isTrue();
            assertThat(metered.metersOfTasks()).isEmpty();
        }
    }

    private static MeterFilter refusing(String meter, @Nullable String task) {
        return new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                if (id.getName().equals(meter) && (task == null || task.equals(id.getTag("task")))) {
                    throw new IllegalStateException("refused on purpose");
                }
                return id;
            }
        };
    }

    private static final class Throwing implements TaskListener {

        @Override
        public void added(String id) {
            throw new IllegalStateException("on purpose, when told of " + id);
        }

        @Override
        public void removed(String id) {
            throw new IllegalStateException("on purpose, when told of " + id);
        }

        @Override
        public void ran(String id, RunOutcome outcome, boolean overran) {
            throw new IllegalStateException("on purpose, when told of " + id);
        }
    }

    private static final class RegistryOfThrowingTimers extends SimpleMeterRegistry {

        @Override
        protected Timer newTimer(Meter.Id id, DistributionStatisticConfig config, PauseDetector pauses) {
            return new ThrowingTimer(id, clock, config, pauses);
        }
    }

    private static final class ThrowingTimer extends AbstractTimer {

        ThrowingTimer(Meter.Id id, Clock clock, DistributionStatisticConfig config, PauseDetector pauses) {
            super(id, clock, config, pauses, TimeUnit.SECONDS, false);
        }

        @Override
        protected void recordNonNegative(long amount, TimeUnit unit) {
            throw new IllegalStateException("on purpose, when a value is recorded");
        }

        @Override
        public long count() {
            return 0;
        }

        @Override
        public double totalTime(TimeUnit unit) {
            return 0;
        }

        @Override
        public double max(TimeUnit unit) {
            return 0;
        }
    }
}
