package io.github.wheelscheduler.metrics;

import static io.github.wheelscheduler.testing.Patience.PATIENCE;
import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.config.OneTimeTask;
import org.springframework.scheduling.support.TaskUtils;

/** Which tasks have meters of their own, what those show, and when they go. */
class TaskMetersTest {

    private static final String KINDS = "io.github.wheelscheduler.metrics.MeteredScheduler#kindsOfThreads";
    private static final int METERS_PER_TASK = 7;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final TaskSchedule HOURLY = TaskSchedule.fixedRate(HOUR);
    private static final TaskSchedule YEARLY = TaskSchedule.cron("0 0 0 1 1 *");

    // What they show

    @ParameterizedTest
    @MethodSource(KINDS)
    void taskShowsHowItsRunsWent(boolean virtualThreads) {
        try (MeteredScheduler metered = new MeteredScheduler(settings -> settings.setVirtualThreads(virtualThreads))) {
            AtomicInteger runs = new AtomicInteger();
            metered.scheduler.setErrorHandler(failure -> {});
            ScheduledFuture<?> series = metered.tasks.schedule("import", () -> failEveryThird(runs), YEARLY);
            for (int i = 1; i <= 6; i++) {
                metered.tasks.trigger("import");
                int expected = i;
                awaitThat(() -> metered.tasks.get("import").runs() == expected
                        && metered.tasks.get("import").state() == TaskInfo.State.PENDING);
            }
            Timer successes = metered.timer(MeterNames.TASK_RUN, "task", "import", "outcome", "SUCCESS");
            Timer errors = metered.timer(MeterNames.TASK_RUN, "task", "import", "outcome", "ERROR");
            // The meters come a moment after the registry.
            awaitThat(() -> successes.count() + errors.count() == 6);
            assertThat(successes.count()).isEqualTo(4);
            assertThat(errors.count()).isEqualTo(2);
            assertThat(metered.counter(MeterNames.FAILED)).isEqualTo(2);
            assertThat(series.cancel(false)).isTrue();
        }
    }

    private static void failEveryThird(AtomicInteger runs) {
        if (runs.incrementAndGet() % 3 == 0) {
            throw new IllegalStateException("on purpose");
        }
    }

    @Test
    void timeOfARunIsThatOfTheTask() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            Gate gate = new Gate();
            ScheduledFuture<?> series = metered.tasks.schedule("slow", gate, HOURLY);
            gate.awaitArrivals(1);
            Instant later = Instant.now().plusMillis(20);
            awaitThat(() -> Instant.now().isAfter(later));
            gate.open();
            Timer successes = metered.timer(MeterNames.TASK_RUN, "task", "slow", "outcome", "SUCCESS");
            awaitThat(() -> successes.count() == 1);
            RunOutcome outcome = metered.tasks.get("slow").last();
            assertThat(outcome).isNotNull();
            assertThat(successes.totalTime(MILLISECONDS))
                    .isEqualTo(outcome.duration().toNanos() / 1e6)
                    .isGreaterThanOrEqualTo(20);
            assertThat(series.cancel(false)).isTrue();
        }
    }

    @Test
    void taskThatBecomesASeriesGetsMeters() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            ScheduledFuture<?> once = metered.tasks.schedule(
                    "becomes", () -> {}, TaskSchedule.once(Instant.now().plusSeconds(3_600)));
            assertThat(metered.meteredTasks()).isEmpty();
            metered.tasks.retime("becomes", YEARLY);
            assertThat(metered.meteredTasks()).containsExactly("becomes");
            metered.tasks.trigger("becomes");
            Timer runs = metered.timer(MeterNames.TASK_RUN, "task", "becomes", "outcome", "SUCCESS");
            awaitThat(() -> runs.count() == 1);
            metered.tasks.retime("becomes", TaskSchedule.once(Instant.now()));
            awaitThat(once::isDone);
            ScheduledFuture<?> again = metered.tasks.schedule("becomes", () -> {}, YEARLY);
            assertThat(metered.timer(MeterNames.TASK_RUN, "task", "becomes", "outcome", "SUCCESS")
                            .count())
                    .isZero();
            assertThat(again.isDone()).isFalse();
        }
    }

    @Test
    void oneTimeTaskHasNoAgeThatARuleWouldFireForForEver() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            AtomicInteger runs = new AtomicInteger();
            Runnable annotated = new OneTimeTask(runs::incrementAndGet, Duration.ZERO).getRunnable();
            ScheduledFuture<?> once =
                    metered.scheduler.schedule(annotated, Instant.now().plusSeconds(3_600));
            String id = metered.meteredTasks().get(0);
            assertThat(metered.seconds(MeterNames.TASK_SUCCESS_AGE, "task", id)).isNaN();
            metered.tasks.retime(id, YEARLY);
            assertThat(metered.seconds(MeterNames.TASK_SUCCESS_AGE, "task", id)).isNotNegative();
            metered.tasks.retime(id, TaskSchedule.once(Instant.now().plusSeconds(3_600)));
            assertThat(metered.seconds(MeterNames.TASK_SUCCESS_AGE, "task", id)).isNaN();
            assertThat(once.isDone()).isFalse();
        }
    }

    @Test
    void lastSuccessIsATimeAndBeforeTheFirstOneNone() {
        try (MeteredScheduler metered = new MeteredScheduler();
                LogCapture log = LogCapture.ofPackage(TaskUtils.class)) {
            AtomicInteger runs = new AtomicInteger();
            Runnable failsFirst = () -> {
                if (runs.incrementAndGet() == 1) {
                    throw new IllegalStateException("on purpose");
                }
            };
            ScheduledFuture<?> series = metered.tasks.schedule("report", failsFirst, YEARLY);
            assertThat(metered.seconds(MeterNames.TASK_LAST_SUCCESS, "task", "report"))
                    .isNaN();
            // A rule on this fires also for a task that has never succeeded.
            awaitThat(() -> metered.seconds(MeterNames.TASK_SUCCESS_AGE, "task", "report") > 0.02);
            metered.tasks.trigger("report");
            awaitThat(() -> metered.timer(MeterNames.TASK_RUN, "task", "report", "outcome", "ERROR")
                            .count()
                    == 1);
            assertThat(metered.seconds(MeterNames.TASK_LAST_SUCCESS, "task", "report"))
                    .isNaN();
            awaitThat(() -> metered.tasks.get("report").state() == TaskInfo.State.PENDING);
            double before = System.currentTimeMillis() / 1e3;
            metered.tasks.trigger("report");
            awaitThat(() -> metered.timer(MeterNames.TASK_RUN, "task", "report", "outcome", "SUCCESS")
                            .count()
                    == 1);
            assertThat(metered.seconds(MeterNames.TASK_LAST_SUCCESS, "task", "report"))
                    .isBetween(before - 0.01, System.currentTimeMillis() / 1e3 + 0.01);
            assertThat(log.messages()).hasSize(1);
            assertThat(series.cancel(false)).isTrue();
        }
    }

    @Test
    void taskThatIsKnownBeforeItsMetersShowsItsLastSuccess() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            ScheduledFuture<?> series = metered.tasks.schedule("early", () -> {}, HOURLY);
            awaitThat(() -> metered.tasks.get("early").lastSuccess() != null);
            MeterRegistry late = new SimpleMeterRegistry();
            metered.metrics.bindTo(late);
            double lastSuccess = late.get(MeterNames.TASK_LAST_SUCCESS)
                    .tag("task", "early")
                    .timeGauge()
                    .value();
            Instant expected = metered.tasks.get("early").lastSuccess();
            assertThat(expected).isNotNull();
            assertThat(lastSuccess).isEqualTo(expected.toEpochMilli() / 1e3);
            assertThat(series.cancel(false)).isTrue();
        }
    }

    @Test
    void runThatOutlastsItsPeriodIsAnOverrun() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            Gate gate = new Gate();
            ScheduledFuture<?> series =
                    metered.tasks.schedule("long", gate, TaskSchedule.fixedRate(Duration.ofMillis(1)));
            gate.awaitArrivals(1);
            Instant later = Instant.now().plusMillis(5);
            awaitThat(() -> Instant.now().isAfter(later));
            gate.open();
            awaitThat(() -> metered.registry
                            .get(MeterNames.TASK_OVERRUNS)
                            .tag("task", "long")
                            .counter()
                            .count()
                    >= 1);
            assertThat(series.cancel(false)).isTrue();
        }
    }

    @Test
    void runThatSomebodyAskedForIsNeverLate() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            ScheduledFuture<?> series = metered.tasks.schedule("asked", () -> {}, YEARLY);
            metered.tasks.trigger("asked");
            awaitThat(() -> metered.timer(MeterNames.TASK_RUN, "task", "asked", "outcome", "SUCCESS")
                            .count()
                    == 1);
            assertThat(metered.timer(MeterNames.TASK_LATENESS, "task", "asked").count())
                    .isZero();
            metered.tasks.retime("asked", TaskSchedule.fixedRate(Duration.ofMillis(1)));
            awaitThat(() ->
                    metered.timer(MeterNames.TASK_LATENESS, "task", "asked").count() > 0);
            assertThat(series.cancel(false)).isTrue();
        }
    }

    // Which tasks have them

    @Test
    void tasksThatNobodyNamedAreOnlyCounted() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            ScheduledFuture<?> nameless = metered.scheduler.scheduleAtFixedRate(() -> {}, HOUR);
            ScheduledFuture<?> once = metered.tasks.schedule(
                    "once", () -> {}, TaskSchedule.once(Instant.now().plus(HOUR)));
            ScheduledFuture<?> named = metered.tasks.schedule("named", () -> {}, HOURLY);
            assertThat(metered.meteredTasks()).containsExactly("named");
            assertThat(metered.gauge(MeterNames.TASKS, "metered", "true")).isEqualTo(1);
            assertThat(metered.gauge(MeterNames.TASKS, "metered", "false")).isEqualTo(2);
            assertThat(nameless.cancel(false) && once.cancel(false) && named.cancel(false))
                    .isTrue();
        }
    }

    private record Named(String taskName) implements Runnable, NamedTask {

        @Override
        public void run() {}
    }

    @Test
    void repeatingNamedTasksHaveMeters() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            ScheduledFuture<?> poll = metered.scheduler.scheduleAtFixedRate(new Named("poll"), HOUR);
            ScheduledFuture<?> second = metered.scheduler.scheduleWithFixedDelay(new Named("poll"), HOUR);
            ScheduledFuture<?> once =
                    metered.scheduler.schedule(new Named("once"), Instant.now().plus(HOUR));
            assertThat(metered.meteredTasks()).containsExactlyInAnyOrder("poll", "poll~2");
            assertThat(poll.cancel(false) && second.cancel(false) && once.cancel(false))
                    .isTrue();
            assertThat(metered.meteredTasks()).isEmpty();
        }
    }

    @Test
    void scheduledMethodsHaveThem() {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(Application.class, Methods.class)) {
            WheelTaskScheduler scheduler = context.getBean(WheelTaskScheduler.class);
            new WheelSchedulerMetrics(scheduler, "taskScheduler").bindTo(registry);
            String method = Methods.class.getName() + ".beat";
            Timer successes = registry.get(MeterNames.TASK_RUN)
                    .tags("task", method, "outcome", "SUCCESS", "name", "taskScheduler")
                    .timer();
            awaitThat(() -> successes.count() > 1);
            assertThat(registry.get(MeterNames.TASK_LAST_SUCCESS)
                            .tag("task", Methods.class.getName() + ".once")
                            .timeGauge())
                    .isNotNull();
        }
        assertThat(MeteredScheduler.metersOfTasksIn(registry)).isEmpty();
    }

    @Test
    void overdueTasksAreCountedUnlessNothingIsToRun() {
        try (MeteredScheduler metered = new MeteredScheduler(settings -> settings.setPoolSize(1))) {
            metered.tasks.setOverdueGrace(0, Duration.ZERO);
            Gate gate = new Gate();
            metered.scheduler.execute(gate);
            gate.awaitArrivals(1);
            assertThat(metered.gauge(MeterNames.TASKS_OVERDUE)).isZero();
            ScheduledFuture<?> named = metered.tasks.schedule("late", () -> {}, HOURLY);
            ScheduledFuture<?> nameless = metered.scheduler.scheduleAtFixedRate(() -> {}, HOUR);
            awaitThat(() -> metered.gauge(MeterNames.TASKS_OVERDUE) == 2);
            metered.scheduler.setMode(SchedulerMode.HALTED);
            assertThat(metered.gauge(MeterNames.TASKS_OVERDUE)).isZero();
            metered.scheduler.setMode(SchedulerMode.RUN);
            assertThat(metered.gauge(MeterNames.TASKS_OVERDUE)).isEqualTo(2);
            metered.scheduler.stop();
            assertThat(metered.gauge(MeterNames.TASKS_OVERDUE)).isZero();
            metered.scheduler.start();
            gate.open();
            awaitThat(() -> metered.gauge(MeterNames.TASKS_OVERDUE) == 0);
            assertThat(named.cancel(false) && nameless.cancel(false)).isTrue();
        }
    }

    // When they go

    @Test
    void metersGoWithTheirTask() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            ScheduledFuture<?> first = metered.tasks.schedule("first", () -> {}, HOURLY);
            ScheduledFuture<?> second = metered.tasks.schedule("second", () -> {}, HOURLY);
            assertThat(metered.metersOfTasks()).hasSize(2 * METERS_PER_TASK);
            assertThat(first.cancel(false)).isTrue();
            assertThat(metered.meteredTasks()).containsExactly("second");
            assertThat(metered.metersOfTasks()).hasSize(METERS_PER_TASK);
            ScheduledFuture<?> again = metered.tasks.schedule("first", () -> {}, HOURLY);
            assertThat(metered.meteredTasks()).containsExactlyInAnyOrder("first", "second");
            assertThat(second.cancel(false) && again.cancel(false)).isTrue();
            assertThat(metered.metersOfTasks()).isEmpty();
        }
    }

    @Test
    void metersOfTasksGoWhenTheSchedulerIsShutDown() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            ScheduledFuture<?> ignored = metered.tasks.schedule("first", () -> {}, HOURLY);
            metered.scheduler.shutdown();
            assertThat(metered.metersOfTasks()).isEmpty();
            assertThat(metered.gauge(MeterNames.TASKS, "metered", "true")).isZero();
        }
    }

    @Test
    void runThatEndsAfterItsTaskHasGoneBringsNoMeterBack() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            Gate gate = new Gate();
            ScheduledFuture<?> task = metered.tasks.schedule("leaving", gate, HOURLY);
            gate.awaitArrivals(1);
            assertThat(task.cancel(false)).isTrue();
            gate.open();
            awaitThat(() -> metered.gauge(MeterNames.EXECUTOR_ACTIVE) == 0);
            assertThat(metered.metersOfTasks()).isEmpty();
        }
    }

    @Test
    void metersThatTasksShareGoWithTheLastOfThem() {
        MeterRegistry registry = new SimpleMeterRegistry();
        registry.config().meterFilter(MeterFilter.ignoreTags("task"));
        try (LogCapture log = LogCapture.of("io.github.wheelscheduler");
                MeteredScheduler metered = new MeteredScheduler(settings -> {}, registry, 10)) {
            ScheduledFuture<?> first = metered.tasks.schedule("a", () -> {}, YEARLY);
            ScheduledFuture<?> second = metered.tasks.schedule("b", () -> {}, YEARLY);
            ScheduledFuture<?> third = metered.tasks.schedule("c", () -> {}, YEARLY);
            assertThat(log.said("A meter is registered already")).hasSize(1);
            assertThat(first.cancel(false)).isTrue();
            Timer runs = metered.timer(MeterNames.TASK_RUN, "outcome", "SUCCESS");
            metered.tasks.trigger("b");
            metered.tasks.trigger("c");
            awaitThat(() -> runs.count() == 2);
            assertThat(registry.find(MeterNames.TASK_SUCCESS_AGE).meters()).isEmpty();
            assertThat(second.cancel(false)).isTrue();
            assertThat(registry.find(MeterNames.TASK_RUN).timers()).contains(runs);
            assertThat(third.cancel(false)).isTrue();
            assertThat(registry.find(MeterNames.TASK_RUN).timers()).isEmpty();
        }
    }

    /** The registry calls its listeners under its lock, and another thread is about to register meters. */
    @Test
    void listenerOfTheRegistryMaySchedule() throws InterruptedException {
        MeteredScheduler metered = new MeteredScheduler();
        Thread first = new Thread(() -> {
            ScheduledFuture<?> ignored = metered.tasks.schedule("first", () -> {}, YEARLY);
        });
        metered.registry.config().onMeterAdded(meter -> {
            if (meter.getId().getName().equals("own")) {
                first.start();
                awaitThat(() -> first.getState() == Thread.State.BLOCKED);
                ScheduledFuture<?> ignored = metered.tasks.schedule("second", () -> {}, YEARLY);
            }
        });
        Thread registering = new Thread(() -> metered.registry.counter("own"));
        first.setDaemon(true);
        registering.setDaemon(true);
        registering.start();
        registering.join(PATIENCE.toMillis());
        first.join(PATIENCE.toMillis());
        // Not closed before that: it would wait for them, too.
        assertThat(registering.isAlive() || first.isAlive()).isFalse();
        assertThat(metered.meteredTasks()).containsExactlyInAnyOrder("first", "second");
        metered.close();
    }

    // How many there are

    @Test
    void tenThousandTasksHaveABoundedNumberOfMeters() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            int others = metered.registry.getMeters().size();
            for (int i = 0; i < 10_000; i++) {
                ScheduledFuture<?> ignored = metered.tasks.schedule("task-" + i, () -> {}, YEARLY);
            }
            assertThat(metered.registry.getMeters()).hasSize(others + 100 * METERS_PER_TASK);
            assertThat(metered.gauge(MeterNames.TASKS, "metered", "true")).isEqualTo(100);
            assertThat(metered.gauge(MeterNames.TASKS, "metered", "false")).isEqualTo(9_900);
        }
    }

    @Test
    void placeOfATaskThatGoesIsGivenToTheFirstThatWaits() {
        try (MeteredScheduler metered = new MeteredScheduler(2)) {
            List<ScheduledFuture<?>> futures = new ArrayList<>();
            for (String name : List.of("a", "b", "c", "d", "e")) {
                futures.add(metered.tasks.schedule(name, () -> {}, YEARLY));
            }
            assertThat(metered.meteredTasks()).containsExactlyInAnyOrder("a", "b");
            assertThat(futures.get(2).cancel(false)).isTrue();
            assertThat(futures.get(0).cancel(false)).isTrue();
            assertThat(metered.meteredTasks()).containsExactlyInAnyOrder("b", "d");
            assertThat(metered.gauge(MeterNames.TASKS, "metered", "false")).isEqualTo(1);
        }
    }

    @Test
    void tasksWithEverNewNamesDoNotFillTheRegistry() {
        try (MeteredScheduler metered = new MeteredScheduler(2)) {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                ScheduledFuture<?> future = metered.tasks.schedule("tenant-" + i, () -> {}, YEARLY);
                names.addAll(metered.meteredTasks());
                assertThat(future.cancel(false)).isTrue();
            }
            assertThat(names).hasSize(20).doesNotHaveDuplicates();
            ScheduledFuture<?> known = metered.tasks.schedule("tenant-7", () -> {}, YEARLY);
            assertThat(metered.meteredTasks()).containsExactly("tenant-7");
            assertThat(known.cancel(false)).isTrue();
        }
    }

    @Test
    void usedUpNamesAreLoggedOnceAndKnownNamesGetMeters() {
        try (MeteredScheduler metered = new MeteredScheduler(1);
                LogCapture log = LogCapture.of("io.github.wheelscheduler")) {
            for (int i = 0; i < 10; i++) {
                ScheduledFuture<?> future = metered.tasks.schedule("tenant-" + i, () -> {}, YEARLY);
                assertThat(future.cancel(false)).isTrue();
            }
            assertThat(log.said("get no meters")).isEmpty();
            ScheduledFuture<?> first = metered.tasks.schedule("tenant-1", () -> {}, YEARLY);
            ScheduledFuture<?> second = metered.tasks.schedule("tenant-2", () -> {}, YEARLY);
            for (int i = 0; i < 5; i++) {
                ScheduledFuture<?> ignored = metered.tasks.schedule("new-" + i, () -> {}, YEARLY);
            }
            assertThat(log.said("get no meters"))
                    .singleElement()
                    .asString()
                    .contains("wheel.scheduler.metrics.max-tasks", "endpoint wheelscheduler", "metered=false");
            assertThat(metered.gauge(MeterNames.TASKS, "metered", "false")).isEqualTo(6);
            assertThat(metered.meteredTasks()).containsExactly("tenant-1");
            assertThat(first.cancel(false)).isTrue();
            assertThat(metered.meteredTasks()).containsExactly("tenant-2");
            assertThat(second.isDone()).isFalse();
        }
    }

    @Test
    void shutDownSchedulerMetersNoTask() {
        try (MeteredScheduler metered = new MeteredScheduler(1);
                LogCapture log = LogCapture.of("io.github.wheelscheduler")) {
            for (int i = 0; i < 20; i++) {
                ScheduledFuture<?> ignored = metered.tasks.schedule("task-" + i, () -> {}, YEARLY);
            }
            Set<String> added = ConcurrentHashMap.newKeySet();
            metered.registry.config().onMeterAdded(meter -> added.add(String.valueOf(meter.getId())));
            metered.scheduler.shutdown();
            assertThat(log.said("get no meters")).isEmpty();
            assertThat(added).isEmpty();
            assertThat(metered.metersOfTasks()).isEmpty();
        }
    }

    @Test
    void meteredNameThatComesAndGoesSkipsNamesWithoutMeters() {
        try (MeteredScheduler metered = new MeteredScheduler(1)) {
            for (int i = 0; i < 10; i++) {
                ScheduledFuture<?> future = metered.tasks.schedule("tenant-" + i, () -> {}, YEARLY);
                assertThat(future.cancel(false)).isTrue();
            }
            ScheduledFuture<?> metric = metered.tasks.schedule("tenant-0", () -> {}, YEARLY);
            for (int i = 0; i < 20_000; i++) {
                ScheduledFuture<?> ignored = metered.tasks.schedule("new-" + i, () -> {}, YEARLY);
            }
            long startNanos = System.nanoTime();
            for (int i = 0; i < 5_000; i++) {
                assertThat(metric.cancel(false)).isTrue();
                metric = metered.tasks.schedule("tenant-0", () -> {}, YEARLY);
            }
            Duration each = Duration.ofNanos((System.nanoTime() - startNanos) / 5_000);
            assertThat(each).isLessThan(Duration.ofMillis(1));
            assertThat(metered.meteredTasks()).containsExactly("tenant-0");
        }
    }

    @Test
    void taskThatIsNotIncludedUsesNoName() {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.initialize();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new WheelSchedulerMetrics(scheduler, "some", 1, id -> !id.startsWith("tenant-")).bindTo(registry);
        try (LogCapture log = LogCapture.of("io.github.wheelscheduler")) {
            for (int i = 0; i < 20; i++) {
                ScheduledFuture<?> ignored = scheduler.getTaskRegistry().schedule("tenant-" + i, () -> {}, YEARLY);
            }
            ScheduledFuture<?> ignored = scheduler.getTaskRegistry().schedule("import", () -> {}, YEARLY);
            assertThat(MeteredScheduler.metersOfTasksIn(registry)).hasSize(METERS_PER_TASK);
            assertThat(log.said("get no meters")).isEmpty();
        } finally {
            scheduler.shutdown();
        }
    }

    @Test
    void completableTaskThatFailsCountsAsFailed() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            CompletableFuture<Void> runnable = metered.scheduler.submitCompletable((Runnable) TaskMetersTest::fail);
            CompletableFuture<String> callable = metered.scheduler.submitCompletable(() -> {
                fail();
                return "";
            });
            assertThatThrownBy(runnable::join).hasCauseInstanceOf(IllegalStateException.class);
            assertThatThrownBy(callable::join).hasCauseInstanceOf(IllegalStateException.class);
            assertThat(metered.counter(MeterNames.FAILED)).isEqualTo(2);
        }
    }

    private static void fail() {
        throw new IllegalStateException("on purpose");
    }

    @Test
    void limitOfZeroLeavesTheSums() {
        try (MeteredScheduler metered = new MeteredScheduler(0)) {
            ScheduledFuture<?> ignored = metered.tasks.schedule("first", () -> {}, HOURLY);
            assertThat(metered.metersOfTasks()).isEmpty();
            assertThat(metered.gauge(MeterNames.TASKS, "metered", "false")).isEqualTo(1);
            awaitThat(() -> metered.counter(MeterNames.FIRED) == 1);
        }
    }

    @Test
    void negativeLimitIsRefused() {
        try (MeteredScheduler metered = new MeteredScheduler()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new WheelSchedulerMetrics(metered.scheduler, "name", -1))
                    .withMessage("maxTasks must not be negative, was -1");
        }
    }

    @Test
    void metersFollowTasksThatComeAndGoOnManyThreads() throws Exception {
        try (MeteredScheduler metered = new MeteredScheduler(3)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Thread thread = new Thread(() -> comeAndGo(metered), "caller-" + i);
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            List<String> left = metered.tasks.ids();
            assertThat(left).containsAll(metered.meteredTasks());
            assertThat(metered.metersOfTasks()).hasSize(Math.min(3, left.size()) * METERS_PER_TASK);
        }
    }

    /** All threads use the same six names, so they are in each other's way, and some tasks wait for a place. */
    private static void comeAndGo(MeteredScheduler metered) {
        for (int i = 0; i < 2_000; i++) {
            try {
                ScheduledFuture<?> future = metered.tasks.schedule("shared-" + i % 6, () -> {}, YEARLY);
                boolean ignored = i < 1_996 && future.cancel(false);
            } catch (IllegalArgumentException ex) {
                // Another thread has a task of that name.
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Application {

        @Bean
        WheelTaskScheduler taskScheduler() {
            return new WheelTaskScheduler();
        }
    }

    static class Methods {

        @Scheduled(fixedRate = 5)
        void beat() {}

        @Scheduled(initialDelay = 3_600_000)
        void once() {}
    }
}
