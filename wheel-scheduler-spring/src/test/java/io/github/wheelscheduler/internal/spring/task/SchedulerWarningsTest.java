package io.github.wheelscheduler.internal.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.internal.spring.run.LogTime;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.spring.watch.WarningLimits;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.TaskUtils;

/** What the scheduler says in the log about itself, and about whom. */
class SchedulerWarningsTest {

    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(10);

    /** Longer than a worker takes to start on a busy machine. */
    private static final Duration WAIT = Duration.ofSeconds(1);

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final TaskRegistry registry = scheduler.getTaskRegistry();
    private final LogCapture log = LogCapture.ofPackage(WheelTaskScheduler.class);
    private final LogCapture failureLog = LogCapture.ofPackage(TaskUtils.class);
    private final AtomicInteger runs = new AtomicInteger();

    @AfterEach
    void shutdown() {
        scheduler.shutdown();
        log.close();
        failureLog.close();
    }

    private void initialize(WarningLimits limits) {
        scheduler.setWarningLimits(limits);
        scheduler.setThreadNamePrefix("jobs-");
        scheduler.initialize();
    }

    private List<String> said(String part) {
        return log.said(part);
    }

    @Test
    void waitForAWorkerIsWarnedOfWithTheTaskAndTheNumbers() {
        Duration limit = Duration.ofMillis(500);
        initialize(new WarningLimits(LONG, limit, null, null));
        scheduler.setPoolSize(1);
        Gate gate = new Gate();
        scheduler.execute(gate);
        gate.awaitArrivals(1);
        ScheduledFuture<?> ignored = registry.schedule("late", runs::incrementAndGet, TaskSchedule.fixedDelay(LONG));
        awaitThat(() ->
                scheduler.getWheelScheduledExecutor().snapshot().oldestReady().compareTo(limit) > 0);
        gate.open();
        awaitThat(() -> !said("cannot keep up").isEmpty());
        assertThat(said("cannot keep up").get(0))
                .startsWith("Scheduler jobs-: The workers cannot keep up: late has waited ")
                .containsPattern("has waited [\\d.]+ m?s for one")
                .contains("of 1 workers are busy");
    }

    @Test
    void pauseIsNoReasonForAWarning() {
        initialize(new WarningLimits(LONG, WAIT, null, null));
        scheduler.stop();
        ScheduledFuture<?> ignored = registry.schedule("held", runs::incrementAndGet, TaskSchedule.fixedDelay(LONG));
        awaitThat(() ->
                scheduler.getWheelScheduledExecutor().snapshot().oldestReady().compareTo(WAIT.multipliedBy(2)) > 0);
        scheduler.start();
        awaitThat(() -> registry.get("held").runs() > 0);
        assertThat(said("cannot keep up")).isEmpty();
    }

    @Test
    void oversleepingIsWarnedOfOnceAMinuteAtMost() {
        AtomicLong clock = new AtomicLong();
        SchedulerWarnings warnings = new SchedulerWarnings(
                LogFactory.getLog(WheelTaskScheduler.class),
                () -> "Scheduler a: ",
                new LogTime(clock::get, summary -> {}, Thread::new));
        warnings.overslept(700_000_000, new Named("first", () -> {}));
        warnings.overslept(800_000_000, new Named("second", () -> {}));
        warnings.overslept(900_000_000, new Named("third", () -> {}));
        clock.addAndGet(Duration.ofSeconds(61).toNanos());
        warnings.overslept(600_000_000, new Named("fourth", () -> {}));
        assertThat(said("overslept")).hasSize(2);
        assertThat(said("overslept").get(0))
                .contains("overslept by 700 ms, for instance because")
                .endsWith("; first is late. Check garbage collection and the processor quota");
        assertThat(said("overslept").get(1)).contains("fourth").endsWith("(2 more like this since the last warning)");
    }

    @Test
    void beanIsNamedByItsNameAndDurationsAreInWords() {
        scheduler.setBeanName("taskScheduler");
        initialize(new WarningLimits(LONG, LONG, SHORT, null));
        Gate gate = new Gate();
        scheduler.execute(gate);
        awaitThat(() -> !said("has been running for").isEmpty());
        gate.open();
        assertThat(said("has been running for").get(0))
                .startsWith("Scheduler taskScheduler: A run of ")
                .containsPattern("has been running for [\\d.]+ m?s, longer than wheel.scheduler.warn.run of 10 ms; the "
                        + "stack shows where it waits, on thread jobs-");
    }

    @Test
    void tasksThatArePausedAtOnceAreThreeLinesAndASum() {
        initialize(WarningLimits.defaults());
        scheduler.setErrorHandler(failure -> {});
        int tasks = 500;
        for (int i = 0; i < tasks; i++) {
            ScheduledFuture<?> ignored = registry.schedule(
                    "failing-" + i,
                    () -> {
                        throw new IllegalStateException("meant");
                    },
                    TaskSchedule.fixedRate(LONG),
                    TaskSettings.builder().pauseAfterFailures(1).build());
        }
        awaitThat(() -> registry.pausedAfterFailures(tasks).size() == tasks);
        scheduler.shutdown();
        assertThat(said("has been paused after 1 failed runs in a row")).hasSize(3);
        // One a second after the fourth, and the rest when the scheduler ends.
        List<String> sums = said("Scheduler jobs-: Tasks have been paused ");
        assertThat(sums).hasSizeBetween(1, 2);
        assertThat(sums).allMatch(text -> text.contains("failing-"));
        assertThat(sums.stream()
                        .mapToInt(text -> Integer.parseInt(text.replaceAll("\\D*(\\d+) more times? .*", "$1")))
                        .sum())
                .isEqualTo(tasks - 3);
    }

    @Test
    void oversleepIsNoticedByTheFirstRunAfterIt() {
        initialize(new WarningLimits(SHORT, LONG, null, null));
        LogTime time = new LogTime(() -> 0, summary -> {}, Thread::new);
        SchedulerObservation observation = new SchedulerObservation(
                scheduler.getWheelScheduledExecutor(),
                time.threads(),
                new SchedulerWarnings(LogFactory.getLog(WheelTaskScheduler.class), () -> "Scheduler b: ", time),
                scheduler.getLateness(),
                new WarningLimits(SHORT, LONG, null, null),
                (waited, now) -> waited);
        observation.starting("a task", SHORT.toNanos() / 2, 0, 0);
        assertThat(said("overslept")).isEmpty();
        observation.starting("a task", SHORT.toNanos() + 1, 0, 0);
        assertThat(said("overslept")).hasSize(1);
        observation.watch.stop();
    }

    @Test
    void runLongerThanItsPeriodIsWarnedOf() {
        initialize(WarningLimits.defaults());
        ScheduledFuture<?> ignored = registry.schedule(
                "too slow",
                () -> LockSupport.parkNanos(Duration.ofMillis(30).toNanos()),
                TaskSchedule.fixedRate(SHORT));
        awaitThat(() -> !said("A run of too slow took").isEmpty());
        assertThat(said("A run of too slow took").get(0)).contains("its fixed-rate is 10 ms. Shorten");
        awaitThat(() -> registry.get("too slow").overruns() > 3);
        assertThat(said("A run of too slow took")).hasSize(1);
    }

    @Test
    void longRunIsWarnedOfOnceWithTheStackOfItsThread() {
        initialize(new WarningLimits(LONG, LONG, SHORT, null));
        Gate gate = new Gate();
        ScheduledFuture<?> ignored = registry.schedule("stuck", gate, TaskSchedule.fixedRate(LONG));
        awaitThat(() -> !said("A run of stuck has been running for").isEmpty());
        assertThat(said("A run of stuck").get(0))
                .contains("10 ms; the stack shows where it waits, on thread jobs-")
                .contains("\tat ")
                .contains(Gate.class.getName());
        gate.open();
        awaitThat(() -> scheduler.getActiveCount() == 0);
        assertThat(said("A run of stuck")).hasSize(1);
        assertThat(gate.interrupts()).isZero();
    }

    @Test
    void longRunOfACronTaskAndOfAOneTimeTaskAreNamedToo() {
        initialize(new WarningLimits(LONG, LONG, SHORT, null));
        Gate gate = new Gate();
        scheduler.execute(new Named("one-time", gate));
        awaitThat(() -> !said("has been running for").isEmpty());
        assertThat(said("has been running for").get(0)).contains("one-time");
        gate.open();
    }

    @Test
    void longRunIsInterruptedAndTheTaskGoesOn() {
        initialize(new WarningLimits(LONG, LONG, null, SHORT));
        Gate gate = new Gate();
        ScheduledFuture<?> ignored =
                scheduler.schedule(new Named("every second", gate), new CronTrigger("* * * * * *"));
        awaitThat(() -> gate.interrupts() > 0);
        awaitThat(() -> !said("A run of every second has been interrupted").isEmpty());
        assertThat(said("A run of every second has been interrupted").get(0))
                .as("where it was when it was interrupted")
                .contains(CountDownLatch.class.getName() + ".await");
        awaitThat(() -> gate.arrivals() > 1);
        assertThat(registry.get("every second").runs()).isPositive();
    }

    @Test
    void longRunIsInterruptedOnceThoughItTakesItsTimeToEnd() {
        Duration limit = Duration.ofMillis(20);
        initialize(new WarningLimits(LONG, LONG, null, limit));
        AtomicInteger interrupts = new AtomicInteger();
        Runnable slowToEnd = () -> {
            long endNanos = System.nanoTime() + limit.multipliedBy(20).toNanos();
            while (System.nanoTime() - endNanos < 0) {
                LockSupport.parkNanos(limit.toNanos());
                interrupts.addAndGet(Thread.interrupted() ? 1 : 0);
            }
        };
        ScheduledFuture<?> ignored = registry.schedule("slow to end", slowToEnd, TaskSchedule.fixedRate(LONG));
        awaitThat(() -> registry.get("slow to end").runs() == 1);
        assertThat(interrupts).hasValue(1);
    }

    @Test
    void longRunThatHasBeenTriggeredIsInterruptedToo() {
        initialize(new WarningLimits(LONG, LONG, null, SHORT));
        Gate gate = new Gate();
        ScheduledFuture<?> ignored = scheduler.schedule(new Named("asked for", gate), new CronTrigger("0 0 0 1 1 *"));
        registry.trigger("asked for");
        awaitThat(() -> gate.interrupts() > 0);
        awaitThat(() -> !said("A run of asked for has been interrupted").isEmpty());
    }

    @Test
    void watchSleepsForGoodWhileNothingRuns() {
        initialize(new WarningLimits(LONG, LONG, SHORT, null));
        scheduler.execute(runs::incrementAndGet);
        awaitThat(() -> Thread.getAllStackTraces().keySet().stream()
                .anyMatch(
                        thread -> thread.getName().equals("jobs-watch") && thread.getState() == Thread.State.WAITING));
        scheduler.shutdown();
        awaitThat(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("jobs-watch")));
    }

    @Test
    void firstFailureIsLoggedWholeAndOthersAreCounted() {
        initialize(WarningLimits.defaults());
        ScheduledFuture<?> ignored = registry.schedule(
                "failing",
                () -> {
                    throw new IllegalStateException("number " + runs.incrementAndGet());
                },
                TaskSchedule.fixedRate(Duration.ofMillis(1)));
        awaitThat(() -> registry.get("failing").failuresInARow() > 20);
        assertThat(failureLog.messages())
                .containsExactly("Unexpected error occurred in scheduled task failing; it continues");
    }

    @Test
    void limitsMustMakeSense() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new WarningLimits(Duration.ofMillis(-1), LONG, null, null))
                .withMessage("oversleep must not be negative, was PT-0.001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new WarningLimits(LONG, LONG, LONG, SHORT))
                .withMessage("interrupt must not be shorter than run, which is PT1H, was PT0.01S");
    }

    @Test
    void hugeLimitsAreCutAndZeroMeansNever() {
        Duration huge = Duration.ofDays(999_999);
        initialize(new WarningLimits(huge, huge, huge, huge));
        ScheduledFuture<?> ignored = registry.schedule("fast", runs::incrementAndGet, TaskSchedule.fixedDelay(SHORT));
        awaitThat(() -> runs.get() > 1);
        WarningLimits never = new WarningLimits(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
        assertThat(SchedulerObservation.nanosOrNever(never.oversleep())).isEqualTo(Long.MAX_VALUE);
        assertThat(SchedulerObservation.nanosOrNever(never.queueWait())).isEqualTo(Long.MAX_VALUE);
        assertThat(never.run()).isNull();
        assertThat(never.interrupt()).isNull();
        assertThat(said("")).isEmpty();
    }

    @Test
    void runThatHasBeenCancelledIsStillWatchedByName() {
        initialize(new WarningLimits(LONG, LONG, Duration.ofMillis(200), null));
        Gate gate = new Gate();
        ScheduledFuture<?> future = registry.schedule("cancelled in its run", gate, TaskSchedule.fixedRate(LONG));
        gate.awaitArrivals(1);
        assertThat(future.cancel(false)).isTrue();
        awaitThat(() -> !said("A run of cancelled in its run").isEmpty());
        gate.open();
    }

    private record Named(String taskName, Runnable target) implements Runnable, NamedTask {

        @Override
        public void run() {
            target.run();
        }
    }
}
