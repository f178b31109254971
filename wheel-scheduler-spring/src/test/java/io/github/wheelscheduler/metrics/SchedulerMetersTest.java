package io.github.wheelscheduler.metrics;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.ExecutorServiceMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.TaskUtils;

/** What the meters of a scheduler show of what its tasks did. */
class SchedulerMetersTest {

    private static final String KINDS = "io.github.wheelscheduler.metrics.MeteredScheduler#kindsOfThreads";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(1);

    private static MeteredScheduler on(boolean virtualThreads) {
        return new MeteredScheduler(settings -> settings.setVirtualThreads(virtualThreads));
    }

    private static MeteredScheduler withOneWorker() {
        return new MeteredScheduler(settings -> settings.setPoolSize(1));
    }

    private static ScheduledFuture<?> inAnHour(MeteredScheduler metered, Runnable task) {
        return metered.scheduler.schedule(task, Instant.now().plus(HOUR));
    }

    @Test
    void pauseIsShownUntilItEnds() {
        try (MeteredScheduler metered = on(false)) {
            assertThat(metered.gauge(MeterNames.PAUSED)).isZero();
            metered.scheduler.stop();
            assertThat(metered.gauge(MeterNames.PAUSED)).isEqualTo(1);
            Instant pausedAt = metered.scheduler.getPausedAt();
            metered.scheduler.stop();
            assertThat(metered.scheduler.getPausedAt()).isNotNull().isEqualTo(pausedAt);
            metered.scheduler.start();
            assertThat(metered.gauge(MeterNames.PAUSED)).isZero();
            assertThat(metered.scheduler.getPausedAt()).isNull();
        }
    }

    // Two of one name

    private static MeteredScheduler in(MeterRegistry registry) {
        return new MeteredScheduler(settings -> {}, registry, WheelSchedulerMetrics.DEFAULT_MAX_TASKS);
    }

    @Test
    void schedulerThatGoesLeavesTheMetersOfAnEarlierOne() {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (LogCapture log = LogCapture.of("io.github.wheelscheduler");
                MeteredScheduler first = in(registry);
                MeteredScheduler second = in(registry)) {
            assertThat(log.said("A meter is registered already")).hasSize(1);
            int meters = registry.getMeters().size();
            second.metrics.close();
            assertThat(registry.getMeters()).hasSize(meters);
            first.scheduler.execute(() -> {});
            awaitThat(() -> first.counter(MeterNames.EXECUTOR_COMPLETED) == 1);
            first.metrics.close();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    /** A gauge of a scheduler that has gone would show a value that means nothing. */
    @Test
    void schedulerThatGoesTakesWhatIsReadFromItAlone() {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (LogCapture log = LogCapture.of("io.github.wheelscheduler");
                MeteredScheduler first = in(registry);
                MeteredScheduler second = in(registry)) {
            assertThat(log.said("A meter is registered already")).hasSize(1);
            first.metrics.close();
            assertThat(registry.getMeters())
                    .extracting(meter -> meter.getId().getName())
                    .containsOnly(MeterNames.LATENESS);
            Timer lateness = second.timer(MeterNames.LATENESS, MeterNames.TAG_STAGE, "queue");
            second.scheduler.execute(() -> {});
            awaitThat(() -> lateness.count() == 1);
            second.metrics.close();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    // The workers

    @ParameterizedTest
    @MethodSource(KINDS)
    void workersShowWhatTheyDo(boolean virtualThreads) {
        try (MeteredScheduler metered = on(virtualThreads)) {
            Gate gate = new Gate();
            metered.scheduler.execute(gate);
            metered.scheduler.execute(gate);
            gate.awaitArrivals(2);
            assertThat(metered.gauge(MeterNames.EXECUTOR_ACTIVE)).isEqualTo(2);
            assertThat(metered.gauge(MeterNames.EXECUTOR_POOL_SIZE)).isGreaterThanOrEqualTo(2);
            assertThat(metered.counter(MeterNames.EXECUTOR_COMPLETED)).isZero();
            gate.open();
            awaitThat(() -> metered.gauge(MeterNames.EXECUTOR_ACTIVE) == 0);
            assertThat(metered.counter(MeterNames.EXECUTOR_COMPLETED)).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void limitOfWorkersCanBeSeen(boolean virtualThreads) {
        try (MeteredScheduler metered = on(virtualThreads)) {
            assertThat(metered.gauge(MeterNames.EXECUTOR_POOL_MAX)).isEqualTo(virtualThreads ? Integer.MAX_VALUE : 256);
            assertThat(metered.gauge(MeterNames.EXECUTOR_POOL_CORE)).isEqualTo(virtualThreads ? 0 : 2);
            metered.scheduler.setPoolSize(1);
            assertThat(metered.gauge(MeterNames.EXECUTOR_POOL_MAX)).isEqualTo(1);
            assertThat(metered.gauge(MeterNames.EXECUTOR_POOL_CORE)).isEqualTo(virtualThreads ? 0 : 1);
        }
    }

    @Test
    void workersHaveTheMetersThatMicrometerGivesExecutors() {
        MeterRegistry expected = new SimpleMeterRegistry();
        ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);
        new ExecutorServiceMetrics(pool, MeteredScheduler.NAME, Tags.empty()).bindTo(expected);
        try (MeteredScheduler metered = new MeteredScheduler(settings -> settings.setMaxPending(10))) {
            assertThat(kindsOf(metered.registry)).containsExactlyInAnyOrderElementsOf(kindsOf(expected));
        } finally {
            pool.shutdown();
        }
    }

    private record Kind(String name, Meter.Type type, String unit, Set<Tag> tags) {}

    private static Set<Kind> kindsOf(MeterRegistry registry) {
        return registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().startsWith("executor."))
                .map(id -> new Kind(id.getName(), id.getType(), id.getBaseUnit(), Set.copyOf(id.getTags())))
                .collect(Collectors.toSet());
    }

    @Test
    void nothingRemainsWithoutABound() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            assertThat(metered.registry
                            .find(MeterNames.EXECUTOR_QUEUE_REMAINING)
                            .meters())
                    .isEmpty();
        }
    }

    @Test
    void boundShowsHowMuchIsLeftWhileASeriesRuns() {
        try (MeteredScheduler metered = new MeteredScheduler(settings -> settings.setMaxPending(3))) {
            ScheduledFuture<?> pending = inAnHour(metered, () -> {});
            Gate gate = new Gate();
            ScheduledFuture<?> running = metered.scheduler.scheduleWithFixedDelay(gate, HOUR);
            gate.awaitArrivals(1);
            assertThat(metered.gauge(MeterNames.EXECUTOR_QUEUED)).isEqualTo(1);
            assertThat(metered.gauge(MeterNames.EXECUTOR_QUEUE_REMAINING)).isEqualTo(1);
            gate.open();
            awaitThat(() -> metered.gauge(MeterNames.EXECUTOR_QUEUED) == 2);
            assertThat(pending.cancel(false) && running.cancel(false)).isTrue();
            assertThat(metered.gauge(MeterNames.EXECUTOR_QUEUE_REMAINING)).isEqualTo(3);
        }
    }

    // The way of a timer

    @ParameterizedTest
    @MethodSource(KINDS)
    void taskIsCountedOnEveryStepOfItsWay(boolean virtualThreads) {
        try (MeteredScheduler metered = on(virtualThreads)) {
            AtomicInteger runs = new AtomicInteger();
            ScheduledFuture<?> first = inAnHour(metered, runs::incrementAndGet);
            ScheduledFuture<?> second = inAnHour(metered, runs::incrementAndGet);
            assertThat(metered.counter(MeterNames.SCHEDULED)).isEqualTo(2);
            assertThat(metered.gauge(MeterNames.PENDING)).isEqualTo(2);
            assertThat(metered.gauge(MeterNames.EXECUTOR_QUEUED)).isEqualTo(2);
            assertThat(second.cancel(false)).isTrue();
            assertThat(metered.counter(MeterNames.CANCELLED)).isEqualTo(1);
            assertThat(metered.gauge(MeterNames.PENDING)).isEqualTo(1);
            assertThat(((WheelTimer<?>) first).reschedule(0, NANOSECONDS)).isTrue();
            awaitThat(() -> runs.get() == 1 && metered.gauge(MeterNames.EXECUTOR_ACTIVE) == 0);
            assertThat(metered.counter(MeterNames.FIRED)).isEqualTo(1);
            assertThat(metered.counter(MeterNames.EXECUTOR_COMPLETED)).isEqualTo(1);
            assertThat(metered.gauge(MeterNames.PENDING)).isZero();
            assertThat(metered.gauge(MeterNames.INBOX)).isZero();
        }
    }

    @Test
    void dueTasksThatWaitForAWorkerShowWithTheirAge() {
        try (MeteredScheduler metered = withOneWorker()) {
            Gate gate = new Gate();
            metered.scheduler.execute(gate);
            gate.awaitArrivals(1);
            assertThat(metered.gauge(MeterNames.READY)).isZero();
            assertThat(metered.seconds(MeterNames.READY_AGE)).isZero();
            metered.scheduler.execute(() -> {});
            metered.scheduler.execute(() -> {});
            awaitThat(() -> metered.gauge(MeterNames.READY) == 2);
            awaitThat(() -> metered.seconds(MeterNames.READY_AGE) > 0.05);
            gate.open();
            awaitThat(() -> metered.gauge(MeterNames.READY) == 0);
            assertThat(metered.seconds(MeterNames.READY_AGE)).isZero();
        }
    }

    @Test
    void taskThatIsNotAcceptedIsCounted() {
        try (MeteredScheduler metered = new MeteredScheduler(settings -> settings.setMaxPending(1))) {
            ScheduledFuture<?> ignored = inAnHour(metered, () -> {});
            assertThatExceptionOfType(TaskRejectedException.class).isThrownBy(() -> inAnHour(metered, () -> {}));
            assertThat(metered.counter(MeterNames.REJECTED)).isEqualTo(1);
            assertThat(metered.counter(MeterNames.SCHEDULED)).isEqualTo(1);
            assertThat(metered.gauge(MeterNames.EXECUTOR_QUEUE_REMAINING)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void runThatFailsIsCountedWhateverItsKind(boolean virtualThreads) {
        try (MeteredScheduler metered = on(virtualThreads);
                LogCapture log = LogCapture.ofPackage(TaskUtils.class)) {
            Runnable failing = () -> {
                throw new IllegalStateException("on purpose");
            };
            Future<?> submitted = metered.scheduler.submit(failing);
            awaitThat(submitted::isDone);
            metered.scheduler.setErrorHandler(failure -> {});
            ScheduledFuture<?> series = metered.scheduler.scheduleWithFixedDelay(failing, HOUR);
            awaitThat(() -> metered.counter(MeterNames.FAILED) == 2);
            assertThat(log.messages()).hasSize(1);
            assertThat(series.cancel(false)).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void latenessIsRecordedOncePerRunInBothStages(boolean virtualThreads) {
        try (MeteredScheduler metered = on(virtualThreads)) {
            AtomicInteger runs = new AtomicInteger();
            for (int i = 0; i < 10; i++) {
                metered.scheduler.execute(runs::incrementAndGet);
            }
            awaitThat(() -> runs.get() == 10);
            assertThat(metered.timer(MeterNames.LATENESS, "stage", "wheel").count())
                    .isEqualTo(10);
            assertThat(metered.timer(MeterNames.LATENESS, "stage", "queue").count())
                    .isEqualTo(10);
        }
    }

    // Runs that did not take place

    @Test
    void runsOfAPausedTaskAreSkipped() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            ScheduledFuture<?> ignored = metered.tasks.schedule("paused", () -> {}, TaskSchedule.fixedRate(SHORT));
            metered.tasks.pause("paused");
            awaitThat(() -> metered.counter(MeterNames.SKIPPED, "reason", "paused") > 2);
            assertThat(metered.counter(MeterNames.SKIPPED, "reason", "running")).isZero();
        }
    }

    @Test
    void runsThatComeDuringSomebodysOwnRunAreSkipped() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            Gate gate = new Gate();
            ScheduledFuture<?> series = metered.tasks.schedule("busy", gate, TaskSchedule.cron("0 0 0 1 1 *"));
            metered.tasks.trigger("busy");
            gate.awaitArrivals(1);
            metered.tasks.retime("busy", TaskSchedule.fixedRate(SHORT));
            awaitThat(() -> metered.counter(MeterNames.SKIPPED, "reason", "running") > 2);
            gate.open();
            assertThat(series.cancel(false)).isTrue();
        }
    }

    @Test
    void runsOfAFixedRateThatAreNotMadeUpAreSkipped() {
        try (MeteredScheduler metered = new MeteredScheduler(settings -> settings.setMaxCatchUp(0))) {
            Gate gate = new Gate();
            ScheduledFuture<?> series = metered.scheduler.scheduleAtFixedRate(gate, SHORT);
            gate.awaitArrivals(1);
            long skippedBefore = metered.counter(MeterNames.SKIPPED, "reason", "missed");
            Instant later = Instant.now().plus(SHORT.multipliedBy(5));
            awaitThat(() -> Instant.now().isAfter(later));
            gate.open();
            gate.awaitArrivals(2);
            assertThat(metered.counter(MeterNames.SKIPPED, "reason", "missed")).isGreaterThan(skippedBefore);
            assertThat(series.cancel(false)).isTrue();
        }
    }

    @Test
    void instantsThatACronMissesAreSkipped() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            Gate gate = new Gate();
            ScheduledFuture<?> series = metered.scheduler.schedule(gate, new CronTrigger("* * * * * *"));
            gate.awaitArrivals(1);
            Instant later = Instant.now().plusMillis(2_100);
            awaitThat(() -> Instant.now().isAfter(later));
            gate.open();
            awaitThat(() -> metered.counter(MeterNames.SKIPPED, "reason", "missed") > 0);
            assertThat(series.cancel(false)).isTrue();
        }
    }

    // The tick thread

    @Test
    void tickThreadCountsItsSleepsAndHowMuchLongerTheyWere() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            assertThat(metered.counter(MeterNames.WAKEUPS)).isZero();
            ScheduledFuture<?> ignored = metered.scheduler.scheduleAtFixedRate(() -> {}, SHORT);
            awaitThat(() -> metered.counter(MeterNames.WAKEUPS) > 10);
            awaitThat(() -> metered.registry
                            .get(MeterNames.TICK_OVERSLEEP)
                            .functionTimer()
                            .count()
                    > 0);
            double total = metered.registry
                    .get(MeterNames.TICK_OVERSLEEP)
                    .functionTimer()
                    .totalTime(NANOSECONDS);
            assertThat(total).isPositive();
            assertThat(metered.seconds(MeterNames.TICK_OVERSLEEP_MAX)).isPositive();
        }
    }

    // Binding

    @Test
    void metersOfSeveralSchedulersAreToldApartByTheirNames() {
        try (MeteredScheduler one = new MeteredScheduler();
                MeteredScheduler other = new MeteredScheduler()) {
            WheelSchedulerMetrics second = new WheelSchedulerMetrics(other.scheduler, "other");
            second.bindTo(one.registry);
            ScheduledFuture<?> ignored = inAnHour(other, () -> {});
            assertThat(one.gauge(MeterNames.PENDING)).isZero();
            assertThat(one.registry
                            .get(MeterNames.PENDING)
                            .tag("name", "other")
                            .gauge()
                            .value())
                    .isEqualTo(1);
            second.close();
            assertThat(one.registry.find(MeterNames.PENDING).meters()).hasSize(1);
        }
    }

    @Test
    void bindingTwiceToOneRegistryRecordsARunOnce() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            metered.metrics.bindTo(metered.registry);
            AtomicInteger runs = new AtomicInteger();
            metered.scheduler.execute(runs::incrementAndGet);
            awaitThat(() -> runs.get() == 1);
            assertThat(metered.timer(MeterNames.LATENESS, "stage", "wheel").count())
                    .isEqualTo(1);
        }
    }

    @Test
    void everyRegistryHasAllMeters() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            MeterRegistry second = new SimpleMeterRegistry();
            metered.metrics.bindTo(second);
            ScheduledFuture<?> ignored = metered.tasks.schedule("named", () -> {}, TaskSchedule.fixedRate(HOUR));
            assertThat(second.getMeters())
                    .extracting(Meter::getId)
                    .containsExactlyInAnyOrderElementsOf(metered.registry.getMeters().stream()
                            .map(Meter::getId)
                            .toList());
        }
    }

    @Test
    void closingRemovesEverythingAndTheSchedulerGoesOn() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            ScheduledFuture<?> ignored = metered.tasks.schedule("before", () -> {}, TaskSchedule.fixedRate(HOUR));
            metered.metrics.close();
            AtomicInteger runs = new AtomicInteger();
            ScheduledFuture<?> unused =
                    metered.tasks.schedule("after", runs::incrementAndGet, TaskSchedule.fixedRate(HOUR));
            awaitThat(() -> runs.get() == 1);
            assertThat(metered.registry.getMeters()).isEmpty();
        }
    }

    @Test
    void metersLiveAsLongAsTheSchedulerWithoutTheirBinder() {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (MeteredScheduler metered = new MeteredScheduler()) {
            new WheelSchedulerMetrics(metered.scheduler, "dropped").bindTo(registry);
            System.gc();
            assertThat(registry.get(MeterNames.PENDING).gauge().value()).isZero();
            assertThat(registry.get(MeterNames.TASKS)
                            .tag("metered", "true")
                            .gauge()
                            .value())
                    .isZero();
            metered.scheduler.execute(() -> {});
            awaitThat(() -> registry.get(MeterNames.EXECUTOR_COMPLETED)
                            .functionCounter()
                            .count()
                    == 1);
        }
    }

    @Test
    void schedulerThatIsStartedAgainGoesOnInItsMeters() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            AtomicInteger runs = new AtomicInteger();
            metered.scheduler.execute(runs::incrementAndGet);
            awaitThat(() -> metered.counter(MeterNames.EXECUTOR_COMPLETED) == 1);
            metered.scheduler.shutdown();
            assertThat(metered.counter(MeterNames.FIRED)).isEqualTo(1);
            metered.scheduler.initialize();
            assertThat(metered.counter(MeterNames.FIRED)).isZero();
            metered.scheduler.execute(runs::incrementAndGet);
            awaitThat(() -> metered.counter(MeterNames.EXECUTOR_COMPLETED) == 1);
            assertThat(metered.timer(MeterNames.LATENESS, "stage", "queue").count())
                    .isEqualTo(2);
        }
    }

    @Test
    void schedulerThatIsNotStartedHasNothingToShow() {
        MeterRegistry registry = new SimpleMeterRegistry();
        WheelSchedulerMetrics metrics = new WheelSchedulerMetrics(new WheelTaskScheduler(), "cold");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> metrics.bindTo(registry))
                .withMessageContaining("must be initialized");
        assertThat(registry.getMeters()).isEmpty();
    }
}
