package io.github.wheelscheduler.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.support.TaskUtils;

/** Triggering, pausing, resuming and re-timing a task. */
class TaskSteeringTest extends RegistryFixture {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration OFTEN = Duration.ofMillis(2);
    private static final String ID = "task";

    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger runningNow = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();

    private void run() {
        if (runningNow.incrementAndGet() > 1) {
            overlaps.incrementAndGet();
        }
        runs.incrementAndGet();
        runningNow.decrementAndGet();
    }

    private ScheduledFuture<?> schedule(TaskSchedule schedule) {
        return registry.schedule(ID, this::run, schedule);
    }

    private TaskInfo task() {
        return registry.get(ID);
    }

    @Test
    void triggeredTaskRunsNowAndKeepsItsPhase() {
        ScheduledFuture<?> future = schedule(TaskSchedule.cron("0 0 0 1 1 *"));
        Instant next = task().next();
        registry.trigger(ID);
        awaitThat(() -> task().runs() == 1);
        assertThat(task().last()).matches(RunOutcome::triggered);
        assertThat(task().next()).isBetween(next.minusSeconds(1), next.plusSeconds(1));
        assertThat(future.isDone()).isFalse();
    }

    @Test
    void runningTaskCannotBeTriggered() {
        Gate gate = new Gate();
        ScheduledFuture<?> ignored = registry.schedule(ID, gate, TaskSchedule.fixedDelay(OFTEN));
        gate.awaitArrivals(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> registry.trigger(ID))
                .withMessage("The task must not be running when it is triggered: task");
        gate.open();
    }

    @Test
    void runThatIsDueDuringATriggeredRunIsSkipped() {
        Gate gate = new Gate();
        ScheduledFuture<?> ignored =
                registry.schedule(ID, gate, TaskSchedule.once(Instant.now().plus(HOUR)));
        registry.pause(ID);
        registry.retime(ID, TaskSchedule.fixedRate(OFTEN));
        registry.trigger(ID);
        gate.awaitArrivals(1);
        registry.resume(ID);
        awaitThat(() -> registry.skips(SkipReason.RUNNING) >= 2);
        assertThat(gate.arrivals()).isEqualTo(1);
        gate.open();
        awaitThat(() -> gate.arrivals() > 1);
    }

    @Test
    void pausedTaskRunsWheneverItIsTriggered() {
        ScheduledFuture<?> ignored = schedule(TaskSchedule.once(Instant.now().plus(HOUR)));
        registry.pause(ID);
        registry.retime(ID, TaskSchedule.fixedRate(Duration.ofNanos(1_000)));
        for (int i = 1; i <= Scale.of(500, 2_000, 20_000); i++) {
            awaitThat(this::tryTrigger);
            int expected = i;
            awaitThat(() -> runs.get() == expected);
            assertThat(task().runs()).isLessThanOrEqualTo(expected);
        }
        assertThat(registry.skips(SkipReason.PAUSED)).isPositive();
        assertThat(registry.skips(SkipReason.RUNNING)).isZero();
    }

    /** False while the run before has not quite ended. */
    private boolean tryTrigger() {
        try {
            registry.trigger(ID);
            return true;
        } catch (IllegalStateException ex) {
            assertThat(ex)
                    .hasMessageMatching("The task must not be (running when it is triggered|triggered again before "
                            + "its triggered run has ended): task");
            return false;
        }
    }

    @Test
    void failingTaskThatBecomesASeriesGoesOnLikeOne() {
        ScheduledFuture<?> future = registry.schedule(
                ID,
                () -> {
                    runs.incrementAndGet();
                    throw new IllegalStateException("fails");
                },
                TaskSchedule.once(Instant.now().plus(HOUR)));
        try (LogCapture log = LogCapture.ofPackage(TaskUtils.class)) {
            registry.retime(ID, TaskSchedule.fixedRate(OFTEN));
            awaitThat(() -> runs.get() >= 3);
            assertThat(log.messages())
                    .containsExactly("Unexpected error occurred in scheduled task task; it continues");
            assertThat(future.isDone()).isFalse();
        }
    }

    @Test
    void failureOfATriggeredRunIsCountedAndHandledOnce() {
        AtomicInteger handled = new AtomicInteger();
        scheduler.setErrorHandler(failure -> {
            handled.incrementAndGet();
            throw new IllegalArgumentException("handler fails", failure);
        });
        ScheduledFuture<?> ignored = registry.schedule(
                ID,
                () -> {
                    throw new IllegalStateException("fails");
                },
                TaskSchedule.cron("0 0 0 1 1 *"));
        registry.trigger(ID);
        awaitThat(() -> task().failures() == 1 && scheduler.getActiveCount() == 0);
        assertThat(handled).hasValue(1);
        assertThat(scheduler.getFailedRuns()).isEqualTo(1);
    }

    @Test
    void heldTaskIsCancelledAndLoggedAtShutdown() {
        ScheduledFuture<?> future = registry.schedule(
                ID, new Gate(), TaskSchedule.once(Instant.now().plus(HOUR)));
        registry.pause(ID);
        registry.retime(ID, TaskSchedule.once(Instant.now()));
        awaitThat(() -> registry.skips(SkipReason.PAUSED) == 1);
        try (LogCapture log = LogCapture.ofPackage(WheelTaskScheduler.class)) {
            scheduler.shutdown();
            assertThat(log.messages()).anyMatch(text -> text.contains("before 1 one-time tasks ran"));
        }
        assertThat(future.isCancelled()).isTrue();
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> future.get(1, TimeUnit.MINUTES));
    }

    @Test
    void cancelledTaskRunsNoMoreThoughItIsReTimedOrResumed() throws Exception {
        for (int round = 0; round < Scale.of(150, 500, 5_000); round++) {
            String id = ID + round;
            boolean isHeld = round % 2 == 0;
            ScheduledFuture<?> future = registry.schedule(
                    id, this::run, TaskSchedule.once(Instant.now().plus(HOUR)));
            registry.pause(id);
            if (isHeld) {
                registry.retime(id, TaskSchedule.once(Instant.now()));
                int skips = round / 2 + 1;
                awaitThat(() -> registry.skips(SkipReason.PAUSED) == skips);
            }
            Thread other = new Thread(() -> steerLate(id, isHeld));
            other.start();
            boolean won = future.cancel(false);
            other.join();
            if (won) {
                // A run that has begun before goes on.
                awaitThat(() -> scheduler.getActiveCount() == 0);
                int before = runs.get();
                assertThat(future.isDone()).isTrue();
                assertThat(scheduler.getWheelScheduledExecutor().pendingCount()).isZero();
                assertThat(runs.get()).isEqualTo(before);
            }
        }
    }

    private void steerLate(String id, boolean isHeld) {
        try {
            if (isHeld) {
                registry.resume(id);
            } else {
                registry.retime(id, TaskSchedule.fixedRate(HOUR));
            }
        } catch (IllegalStateException | UnknownTaskException ex) {
            // It has been cancelled before.
        }
    }

    @Test
    void taskThatIsReTimedAsSoonAsItIsKnownHasOneTimer() {
        registry.addListener(new TaskListener() {
            @Override
            public void added(String id) {
                registry.retime(id, TaskSchedule.fixedRate(OFTEN));
            }
        });
        ScheduledFuture<?> future = schedule(TaskSchedule.fixedRate(HOUR));
        awaitThat(() -> runs.get() > 2);
        assertThat(future.cancel(false)).isTrue();
        awaitThat(() -> scheduler.getActiveCount() == 0);
        assertThat(scheduler.getWheelScheduledExecutor().pendingCount()).isZero();
    }

    @Test
    void runThatWasAskedForBeforeTakesNotThatOfAOneTimeTask() throws Exception {
        ScheduledFuture<?> future = schedule(TaskSchedule.cron("0 0 0 1 1 *"));
        scheduler.stop();
        registry.trigger(ID);
        registry.retime(ID, TaskSchedule.once(Instant.now().plusSeconds(1)));
        scheduler.start();
        awaitThat(() -> runs.get() == 1);
        assertThat(future.get(1, TimeUnit.MINUTES)).isNull();
        assertThat(runs).hasValue(2);
    }

    @Test
    void cancelReachesRunsThatWereAskedFor() {
        Gate gate = new Gate();
        ScheduledFuture<?> future = registry.schedule(ID, gate, TaskSchedule.cron("0 0 0 1 1 *"));
        registry.trigger(ID);
        gate.awaitArrivals(1);
        assertThat(future.cancel(true)).isTrue();
        awaitThat(() -> gate.interrupts() == 1);
        ScheduledFuture<?> other = schedule(TaskSchedule.cron("0 0 0 1 1 *"));
        scheduler.stop();
        registry.trigger(ID);
        assertThat(other.cancel(true)).isTrue();
        scheduler.start();
        awaitThat(() -> scheduler.getWheelScheduledExecutor().pendingCount() == 0 && scheduler.getActiveCount() == 0);
        assertThat(runs).hasValue(0);
    }

    @Test
    void triggeringFromManyThreadsNeverOverlaps() throws Exception {
        ScheduledFuture<?> ignored = schedule(TaskSchedule.fixedRate(Duration.ofMillis(1)));
        ExecutorService callers = Executors.newFixedThreadPool(4);
        List<Future<?>> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            calls.add(callers.submit(() -> triggerOften(500)));
        }
        for (Future<?> call : calls) {
            call.get();
        }
        callers.shutdown();
        awaitThat(() -> runs.get() > 0);
        assertThat(overlaps).hasValue(0);
    }

    private void triggerOften(int times) {
        for (int i = 0; i < times; i++) {
            boolean ignored = tryTrigger();
        }
    }

    @Test
    void pausedTaskDoesNotRunAndGoesOnWhenItIsResumed() {
        ScheduledFuture<?> future = schedule(TaskSchedule.fixedRate(OFTEN));
        awaitThat(() -> runs.get() > 2);
        registry.pause(ID);
        awaitThat(() -> task().state() == TaskInfo.State.PAUSED);
        int before = runs.get();
        long skipped = task().skips();
        awaitThat(() -> task().skips() > skipped + 5);
        assertThat(runs).hasValue(before);
        assertThat(registry.skips(SkipReason.PAUSED)).isEqualTo(task().skips());
        registry.resume(ID);
        awaitThat(() -> runs.get() > before + 2);
        assertThat(future.isDone()).isFalse();
    }

    @Test
    void pausedTaskCanBeTriggeredAndStaysPaused() {
        ScheduledFuture<?> ignored = schedule(TaskSchedule.fixedRate(HOUR));
        awaitThat(() -> task().runs() == 1);
        registry.pause(ID);
        registry.trigger(ID);
        awaitThat(() -> task().runs() == 2);
        awaitThat(() -> task().state() == TaskInfo.State.PAUSED);
    }

    @Test
    void oneTimeTaskThatIsDueWhilePausedRunsWhenItIsResumed() throws Exception {
        ScheduledFuture<?> future = schedule(TaskSchedule.once(Instant.now().plusMillis(200)));
        registry.pause(ID);
        awaitThat(() -> task().skips() == 1);
        assertThat(future.isDone()).isFalse();
        assertThat(task().state()).isEqualTo(TaskInfo.State.PAUSED);
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(1, TimeUnit.MILLISECONDS));
        registry.resume(ID);
        assertThat(future.get()).isNull();
        assertThat(runs).hasValue(1);
        assertThat(future.isDone()).isTrue();
        assertThat(future.isCancelled()).isFalse();
    }

    @Test
    void oneTimeTaskThatIsHeldCanBeCancelled() {
        ScheduledFuture<?> future = schedule(TaskSchedule.once(Instant.now().plusMillis(100)));
        registry.pause(ID);
        awaitThat(() -> task().skips() == 1);
        assertThat(future.cancel(false)).isTrue();
        assertThat(future.isCancelled()).isTrue();
        assertThatExceptionOfType(CancellationException.class).isThrownBy(future::get);
        assertThat(registry.ids()).isEmpty();
    }

    @Test
    void pausedOneTimeTaskRunsOnceWhenItIsTriggered() throws Exception {
        ScheduledFuture<?> future = schedule(TaskSchedule.once(Instant.now().plus(HOUR)));
        registry.pause(ID);
        registry.trigger(ID);
        assertThat(future.get()).isNull();
        assertThat(runs).hasValue(1);
        assertThat(task().state()).isEqualTo(TaskInfo.State.OVER);
        assertThatIllegalStateException().isThrownBy(() -> registry.resume(ID));
    }

    @Test
    void heldOneTimeTaskRunsOnceUnderConcurrentResumes() throws Exception {
        for (int round = 0; round < Scale.of(100, 200, 2_000); round++) {
            int before = runs.get();
            String id = ID + round;
            Instant at = Instant.now().plusMillis(1);
            ScheduledFuture<?> future = registry.schedule(id, this::run, TaskSchedule.once(at));
            Thread steering = new Thread(() -> steerUntilOver(id));
            steering.start();
            steerUntilOver(id);
            steering.join();
            assertThat(future.get()).isNull();
            assertThat(runs.get()).isEqualTo(before + 1);
        }
    }

    /** Leaves the task triggered or resumed. */
    private void steerUntilOver(String id) {
        try {
            while (!registry.get(id).state().equals(TaskInfo.State.OVER)) {
                registry.pause(id);
                registry.resume(id);
                registry.trigger(id);
            }
        } catch (IllegalStateException ex) {
            assertThat(ex).hasMessageContaining(id);
        }
    }

    @Test
    void triggeredOneTimeTaskRunsNowInsteadOfLater() throws Exception {
        ScheduledFuture<?> future = schedule(TaskSchedule.once(Instant.now().plus(HOUR)));
        registry.trigger(ID);
        assertThat(future.get()).isNull();
        assertThat(runs).hasValue(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> registry.trigger(ID))
                .withMessage("The task must not have ended: task");
    }

    @Test
    void retimingToAnotherKindKeepsIdAndFuture() {
        ScheduledFuture<?> future = schedule(TaskSchedule.cron("0 0 0 1 1 *"));
        registry.retime(ID, TaskSchedule.fixedRate(OFTEN));
        awaitThat(() -> runs.get() > 3);
        assertThat(task().schedule()).isEqualTo(TaskSchedule.fixedRate(OFTEN));
        registry.retime(ID, TaskSchedule.fixedDelay(HOUR));
        awaitThat(() -> task().state() == TaskInfo.State.PENDING);
        assertThat(task().next())
                .isBetween(
                        Instant.now().plus(HOUR).minusSeconds(60), Instant.now().plus(HOUR));
        assertThat(future.isDone()).isFalse();
        assertThat(future.getDelay(TimeUnit.MINUTES)).isBetween(58L, 60L);
        assertThat(registry.ids()).containsExactly(ID);
        assertThat(future.cancel(false)).isTrue();
        assertThat(scheduler.getWheelScheduledExecutor().pendingCount()).isZero();
    }

    @Test
    void badScheduleChangesNothing() {
        ScheduledFuture<?> future = schedule(TaskSchedule.fixedRate(HOUR));
        TaskSchedule before = task().schedule();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.retime(ID, TaskSchedule.fixedRate(Duration.ZERO)))
                .withMessage("period must be positive, was PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.retime(ID, TaskSchedule.cron("every day")))
                .withMessageContaining("every day");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.retime(ID, TaskSchedule.trigger(context -> null)))
                .withMessageStartingWith("schedule must have a time in the future");
        assertThat(task().schedule()).isEqualTo(before);
        assertThat(future.isDone()).isFalse();
    }

    @Test
    void runThatGoesOnIsLeftAloneByARetiming() {
        Gate gate = new Gate();
        ScheduledFuture<?> ignored = registry.schedule(ID, gate, TaskSchedule.fixedDelay(OFTEN));
        gate.awaitArrivals(1);
        registry.retime(ID, TaskSchedule.fixedRate(OFTEN));
        awaitThat(() -> task().skips() > 2);
        assertThat(gate.arrivals()).isEqualTo(1);
        assertThat(gate.interrupts()).isZero();
        gate.open();
        awaitThat(() -> gate.arrivals() > 3);
        assertThat(task().failures()).isZero();
    }

    @Test
    void taskThatIsOverCannotBeSteered() {
        ScheduledFuture<?> future = schedule(TaskSchedule.once(Instant.now()));
        awaitThat(future::isDone);
        assertThatIllegalStateException().isThrownBy(() -> registry.pause(ID));
        assertThatIllegalStateException().isThrownBy(() -> registry.resume(ID));
        assertThatIllegalStateException().isThrownBy(() -> registry.retime(ID, TaskSchedule.fixedRate(HOUR)));
        assertThatExceptionOfType(UnknownTaskException.class).isThrownBy(() -> registry.pause("other"));
    }

    @Test
    void getEndsWhenARetimedSeriesIsCancelled() {
        ScheduledFuture<?> future = schedule(TaskSchedule.fixedRate(HOUR));
        Thread waiter = new Thread(() -> {
            try {
                Object ignored = future.get();
            } catch (Exception ex) {
                runs.addAndGet(ex instanceof CancellationException ? 1_000 : 0);
            }
        });
        waiter.start();
        awaitThat(() -> waiter.getState() == Thread.State.TIMED_WAITING);
        registry.retime(ID, TaskSchedule.fixedDelay(HOUR));
        registry.retime(ID, TaskSchedule.cron("0 0 0 1 1 *"));
        assertThat(future.cancel(false)).isTrue();
        awaitThat(() -> !waiter.isAlive());
        assertThat(runs.get()).isGreaterThanOrEqualTo(1_000);
    }

    @Test
    void fixedRateThatIsTooSlowOverruns() {
        AtomicInteger slow = new AtomicInteger();
        Runnable task = () -> {
            long endNanos = System.nanoTime() + Duration.ofMillis(20).toNanos();
            while (System.nanoTime() - endNanos < 0) {
                Thread.onSpinWait();
            }
            slow.incrementAndGet();
        };
        ScheduledFuture<?> ignored = registry.schedule(ID, task, TaskSchedule.fixedRate(Duration.ofMillis(5)));
        awaitThat(() -> task().overruns() >= 2);
        assertThat(task().overruns()).isLessThanOrEqualTo(task().runs());
    }

    @Test
    void cancelInterruptsARunThoughTheTaskHasBeenReTimed() {
        Gate gate = new Gate();
        ScheduledFuture<?> future = registry.schedule(ID, gate, TaskSchedule.fixedDelay(OFTEN));
        gate.awaitArrivals(1);
        registry.retime(ID, TaskSchedule.fixedRate(HOUR));
        assertThat(future.cancel(true)).isTrue();
        awaitThat(() -> gate.interrupts() == 1);
        assertThat(future.isCancelled()).isTrue();
    }

    @Test
    void taskTriggeredTwiceBeforeAWorkerIsFreeRunsOnce() {
        scheduler.setPoolSize(1);
        Gate busy = new Gate();
        scheduler.execute(busy);
        busy.awaitArrivals(1);
        ScheduledFuture<?> ignored = schedule(TaskSchedule.fixedRate(HOUR));
        registry.pause(ID);
        registry.trigger(ID);
        assertThatIllegalStateException()
                .isThrownBy(() -> registry.trigger(ID))
                .withMessage("The task must not be triggered again before its triggered run has ended: task");
        busy.open();
        awaitThat(() -> task().runs() == 1);
        awaitThat(this::tryTrigger);
        awaitThat(() -> task().runs() == 2);
    }

    @Test
    void triggerThatIsRejectedCanBeTriedAgain() {
        scheduler.shutdown();
        scheduler.setMaxPending(2);
        scheduler.initialize();
        ScheduledFuture<?> ignored = schedule(TaskSchedule.cron("0 0 0 1 1 *"));
        ScheduledFuture<?> other = scheduler.schedule(() -> {}, Instant.now().plus(HOUR));
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(TaskRejectedException.class).isThrownBy(() -> registry.trigger(ID));
        }
        assertThat(other.cancel(false)).isTrue();
        registry.trigger(ID);
        awaitThat(() -> task().runs() == 1);
    }

    @Test
    void taskThatReTimesItselfToOnceInItsRunRunsOnceMore() {
        for (int round = 0; round < Scale.of(50, 200, 2_000); round++) {
            String id = ID + round;
            AtomicInteger ran = new AtomicInteger();
            boolean atOnce = round % 2 == 0;
            ScheduledFuture<?> future = registry.schedule(
                    id,
                    () -> {
                        if (ran.incrementAndGet() == 1) {
                            Instant now = Instant.now();
                            registry.retime(id, TaskSchedule.once(atOnce ? now : now.plusMillis(1)));
                            // The run that is due now must wait for the end of this one.
                            LockSupport.parkNanos(atOnce ? 3_000_000 : 0);
                        }
                    },
                    TaskSchedule.fixedRate(OFTEN));
            awaitThat(() -> ran.get() == 2 && future.isDone());
            assertThat(future.isCancelled()).isFalse();
            assertThat(registry.get(id).state()).isEqualTo(TaskInfo.State.OVER);
            assertThat(ran).hasValue(2);
        }
        assertThat(overlaps).hasValue(0);
    }

    @Test
    void cancelInterruptsAnOwedRun() {
        WheelScheduledExecutor executor = scheduler.getWheelScheduledExecutor();
        Gate gate = new Gate();
        ScheduledFuture<?> future = registry.schedule(
                ID,
                () -> {
                    if (runs.incrementAndGet() == 1) {
                        registry.retime(ID, TaskSchedule.once(Instant.now()));
                        awaitThat(() -> executor.snapshot().totals().fired() == 2 && executor.activeCount() == 1);
                    } else {
                        gate.run();
                    }
                },
                TaskSchedule.fixedRate(HOUR));
        gate.awaitArrivals(1);
        assertThat(future.cancel(true)).isTrue();
        awaitThat(() -> gate.interrupts() == 1);
    }

    @Test
    void onlyRunOfATaskTakesPlaceAtItsNewTimeAlone() {
        for (int round = 0; round < Scale.of(15, 60, 60); round++) {
            String id = ID + round;
            AtomicInteger ran = new AtomicInteger();
            ScheduledFuture<?> future =
                    registry.schedule(id, ran::incrementAndGet, TaskSchedule.fixedRate(Duration.ofNanos(100_000)));
            awaitThat(() -> ran.get() > 0);
            Instant at = Instant.now().plusMillis(30);
            registry.retime(id, TaskSchedule.once(at));
            int before = ran.get();
            boolean inTime = Instant.now().isBefore(at);
            awaitThat(future::isDone);
            // A run of the old series may have been going on. A test that is held up for too long has seen nothing.
            assertThat(ran.get() - before).isBetween(inTime ? 1 : 0, 2);
        }
    }

    @Test
    void steeredTaskRunsInTheContextOfItsScheduling() throws Exception {
        ThreadLocal<String> user = new ThreadLocal<>();
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        scheduler.setTaskDecorator(task -> {
            String captured = user.get();
            return () -> {
                user.set(captured);
                try {
                    task.run();
                } finally {
                    user.remove();
                }
            };
        });
        user.set("owner");
        Runnable noted = () -> seen.add(user.get());
        ScheduledFuture<?> series = registry.schedule("series", noted, TaskSchedule.fixedRate(HOUR));
        ScheduledFuture<?> calendar = registry.schedule("calendar", noted, TaskSchedule.cron("0 0 0 1 1 *"));
        ScheduledFuture<?> once =
                registry.schedule("once", noted, TaskSchedule.once(Instant.now().plus(HOUR)));
        awaitThat(() -> seen.size() == 1);
        user.set("operator");
        registry.trigger("calendar");
        awaitThat(() -> seen.size() == 2);
        registry.retime("series", TaskSchedule.cron("* * * * * *"));
        registry.retime("calendar", TaskSchedule.fixedDelay(OFTEN));
        registry.pause("once");
        registry.retime("once", TaskSchedule.once(Instant.now()));
        awaitThat(() -> registry.skips(SkipReason.PAUSED) == 1);
        registry.resume("once");
        awaitThat(() -> once.isDone()
                && registry.get("series").runs() >= 3
                && registry.get("calendar").runs() > 5);
        assertThat(series.isDone()).isFalse();
        assertThat(calendar.isDone()).isFalse();
        assertThat(List.copyOf(seen)).containsOnly("owner");
    }

    @Test
    void decoratorThatThrowsInARunIsAFailureOfThatRun() {
        AtomicInteger handled = new AtomicInteger();
        scheduler.setErrorHandler(failure -> handled.incrementAndGet());
        scheduler.setTaskDecorator(task -> () -> {
            throw new IllegalStateException("on purpose");
        });
        ScheduledFuture<?> future = schedule(TaskSchedule.fixedRate(OFTEN));
        awaitThat(() -> handled.get() > 3);
        assertThat(future.isDone()).isFalse();
        assertThat(task().failures()).isGreaterThan(2);
        assertThat(runs).hasValue(0);
    }

    @Test
    void triggerIsAskedWithoutALockThatRunsOrOthersNeed() throws Exception {
        ScheduledFuture<?> ignored = schedule(TaskSchedule.fixedRate(OFTEN));
        Gate asking = new Gate();
        Thread operator = new Thread(() -> registry.retime(ID, TaskSchedule.trigger(context -> {
            asking.run();
            return Instant.now().plus(HOUR);
        })));
        operator.start();
        asking.awaitArrivals(1);
        registry.pause(ID);
        registry.resume(ID);
        assertThat(task().state()).isNotEqualTo(TaskInfo.State.OVER);
        asking.open();
        operator.join();
        assertThat(task().schedule().kind()).isEqualTo("trigger");
    }
}
