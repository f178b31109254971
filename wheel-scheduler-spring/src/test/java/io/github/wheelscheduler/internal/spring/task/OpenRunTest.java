package io.github.wheelscheduler.internal.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.settings.BackOff;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Gate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.config.FixedRateTask;

/** A run that is kept open is noted once, when it has returned and has been said to have ended. */
@SuppressWarnings("FutureReturnValueIgnored") // the shutdown ends all tasks
class OpenRunTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration OFTEN = Duration.ofMillis(1);
    private static final int ROUNDS = 500;

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final TaskRegistry registry = scheduler.getTaskRegistry();
    private final List<@Nullable OpenRun> kept = new CopyOnWriteArrayList<>();
    private final ExecutorService others = Executors.newFixedThreadPool(2);

    @AfterEach
    void shutdown() throws InterruptedException {
        scheduler.shutdown();
        others.shutdownNow();
        assertThat(others.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }

    /** As Spring's registrar schedules an annotated method. */
    private ScheduledFuture<?> start(Duration period, Runnable method) {
        scheduler.initialize();
        return scheduler.scheduleAtFixedRate(
                new FixedRateTask(method, period, Duration.ZERO).getRunnable(), Instant.now(), period);
    }

    private TaskInfo task() {
        return registry.list(0, 1).get(0);
    }

    private void awaitReturned(int runs) {
        awaitThat(() -> kept.size() == runs && task().next() != null);
    }

    private OpenRun kept(int run) {
        return Objects.requireNonNull(kept.get(run));
    }

    private void keep() {
        kept.add(OpenRun.keepCurrent());
    }

    @Test
    void runThatIsNotKeptIsOverWhenItReturns() {
        start(HOUR, () -> {});
        awaitThat(() -> task().runs() == 1);
        assertThat(task().last()).extracting(RunOutcome::isSuccess).isEqualTo(true);
    }

    @Test
    void onlyTheFirstOneKeepsARunAndOnlyOnItsThread() {
        start(HOUR, () -> {
            keep();
            keep();
        });
        awaitReturned(2);
        assertThat(kept.get(0)).isNotNull();
        assertThat(kept.get(1)).isNull();
        assertThat(OpenRun.keepCurrent()).isNull();
    }

    @Test
    void runsOfOtherTasksCannotBeKept() {
        scheduler.initialize();
        registry.schedule("named", this::keep, TaskSchedule.fixedRate(OFTEN));
        awaitThat(() -> task().runs() > 0);
        assertThat(kept.get(0)).isNull();
    }

    @Test
    void onlyTheFirstEndCounts() {
        start(HOUR, this::keep);
        awaitReturned(1);
        kept(0).ended(new IllegalStateException("first"));
        kept(0).ended(null);
        kept(0).cancelled();
        assertThat(task().runs()).isEqualTo(1);
        assertThat(task().failures()).isEqualTo(1);
        assertThat(scheduler.getFailedRuns()).isEqualTo(1);
    }

    @Test
    void subscriptionEndedBeforeTheReturnIsNotedThen() {
        start(HOUR, () -> {
            keep();
            kept(0).ended(new IllegalStateException("before"));
            assertThat(task().runs()).isZero();
        });
        awaitReturned(1);
        assertThat(task().runs()).isEqualTo(1);
        assertThat(Objects.requireNonNull(task().last()).failure())
                .isEqualTo(new RunOutcome.Failure(IllegalStateException.class.getName(), "before", null));
    }

    @Test
    void runThatThrowsIsOverAtOnce() {
        start(HOUR, () -> {
            keep();
            throw new IllegalStateException("thrown");
        });
        awaitReturned(1);
        kept(0).ended(null);
        assertThat(task().runs()).isEqualTo(1);
        assertThat(task().failures()).isEqualTo(1);
        assertThat(task().runningSince()).isNull();
        assertThat(scheduler.getFailedRuns()).isEqualTo(1);
    }

    @Test
    void decoratedRunGoesOn() {
        scheduler.setTaskDecorator(task -> () -> task.run());
        start(HOUR, this::keep);
        awaitReturned(1);
        assertThat(task().state()).isEqualTo(TaskInfo.State.RUNNING);
        assertThat(task().runs()).isZero();
        kept(0).ended(null);
        assertThat(task().runs()).isEqualTo(1);
    }

    @Test
    void cancelledSubscriptionIsNotNoted() {
        start(HOUR, this::keep);
        awaitReturned(1);
        kept(0).cancelled();
        assertThat(task().runs()).isZero();
        assertThat(task().runningSince()).isNull();
    }

    @Test
    void runWhoseEndIsLostIsForgotten() {
        AtomicInteger runs = new AtomicInteger();
        start(HOUR, () -> {
            OpenRun forgotten = OpenRun.keepCurrent();
            runs.addAndGet(forgotten == null ? 0 : 1);
        });
        awaitThat(() -> runs.get() == 1 && task().next() != null);
        awaitThat(() -> {
            System.gc();
            return task().runningSince() == null;
        });
        assertThat(task().state()).isEqualTo(TaskInfo.State.PENDING);
        assertThat(task().runs()).isZero();
    }

    @Test
    void restAfterAFailureFollowsTheNextRun() {
        TaskSettings settings = TaskSettings.builder().backOff(BackOff.of(HOUR)).build();
        scheduler.getTaskCatalog().set(OpenRunTest.class.getName() + ".lambda", settings);
        start(OFTEN, this::keep);
        awaitThat(() -> kept.size() > 2);
        assertThat(task().settings().backOff()).isEqualTo(settings.backOff());
        kept(0).ended(new IllegalStateException());
        awaitThat(() -> {
            Instant next = task().next();
            return next != null && next.isAfter(Instant.now().plus(HOUR.dividedBy(2)));
        });
    }

    @Test
    void cancelledTaskIsNotPausedByALaterFailure() {
        TaskSettings settings = TaskSettings.builder().pauseAfterFailures(1).build();
        scheduler.getTaskCatalog().set(OpenRunTest.class.getName() + ".lambda", settings);
        List<String> told = new CopyOnWriteArrayList<>();
        registry.addListener(new TaskListener() {
            @Override
            public void pausedAfterFailures(String id, long failures) {
                told.add("paused");
            }

            @Override
            public void ran(String id, RunOutcome outcome, boolean overran) {
                told.add(outcome.isSuccess() ? "success" : "failure");
            }
        });
        ScheduledFuture<?> future = start(HOUR, this::keep);
        awaitReturned(1);
        assertThat(task().settings().backOff()).isEqualTo(settings.backOff());
        assertThat(future.cancel(false)).isTrue();
        kept(0).ended(new IllegalStateException());
        assertThat(told).containsExactly("failure");
    }

    @Test
    void eachRunIsNotedOnceHoweverItsEndMeetsItsReturn() {
        AtomicInteger runs = new AtomicInteger();
        start(OFTEN, () -> {
            OpenRun run = Objects.requireNonNull(OpenRun.keepCurrent());
            RuntimeException failure = runs.incrementAndGet() % 2 == 0 ? new IllegalStateException() : null;
            others.execute(() -> run.ended(failure));
            others.execute(() -> run.ended(failure));
        });
        awaitThat(() -> runs.get() > ROUNDS);
        registry.pause(task().id());
        awaitThat(
                () -> scheduler.getActiveCount() == 0 && task().runningSince() == null && task().runs() == runs.get());
        assertThat(task().failures()).isEqualTo(runs.get() / 2);
        assertThat(scheduler.getFailedRuns()).isEqualTo(runs.get() / 2);
    }

    // Interrupts

    /** Keeps the run, and has what it goes on with heed that it is cancelled. */
    private void keepToCancel(AtomicInteger cancels) {
        OpenRun run = Objects.requireNonNull(OpenRun.keepCurrent());
        run.cancelBy(cancels::incrementAndGet);
        assertThat(OpenRun.takeCanceller()).isNotNull();
        assertThat(OpenRun.takeCanceller()).isNull();
        kept.add(run);
    }

    private void assertNothingToInterrupt(String reason) {
        assertThatIllegalStateException()
                .isThrownBy(() -> registry.interrupt(task().id()))
                .withMessageStartingWith(reason);
    }

    @Test
    void interruptCancelsEachRunThatHasReturned() {
        AtomicInteger cancels = new AtomicInteger();
        start(HOUR, () -> keepToCancel(cancels));
        awaitReturned(1);
        registry.trigger(task().id());
        awaitReturned(2);
        awaitThat(() -> scheduler.getActiveCount() == 0);
        assertThat(registry.interrupt(task().id())).isEqualTo(2);
        assertThat(cancels).hasValue(2);
        kept(0).ended(null);
        kept(1).ended(new IllegalStateException());
        assertThat(task().runs()).isZero();
        assertThat(task().runningSince()).isNull();
        assertThat(scheduler.getFailedRuns()).isZero();
        assertNothingToInterrupt("The task must be running to be interrupted");
    }

    @Test
    void runThatCannotBeCancelledGoesOn() {
        AtomicInteger cancels = new AtomicInteger();
        start(HOUR, () -> {
            keep();
            // Nothing takes it.
            kept(0).cancelBy(cancels::incrementAndGet);
        });
        awaitReturned(1);
        awaitThat(() -> scheduler.getActiveCount() == 0);
        assertNothingToInterrupt("The run cannot be interrupted, as its method has returned");
        assertThat(cancels).hasValue(0);
        kept(0).ended(null);
        assertThat(task().runs()).isEqualTo(1);
    }

    @Test
    void interruptBeforeItsCancellerIsKnownCancelsARun() {
        AtomicInteger cancels = new AtomicInteger();
        Gate before = new Gate();
        start(HOUR, () -> {
            before.run();
            keepToCancel(cancels);
        });
        before.awaitArrivals(1);
        assertThat(registry.interrupt(task().id())).isEqualTo(1);
        awaitReturned(1);
        awaitThat(() -> scheduler.getActiveCount() == 0);
        assertThat(before.interrupts()).isEqualTo(1);
        assertThat(cancels).hasValue(1);
        assertThat(task().runningSince()).isNull();
        assertThat(task().runs()).isZero();
    }

    @Test
    void interruptWakesTheThreadOfARunAndCancelsIt() {
        AtomicInteger cancels = new AtomicInteger();
        Gate gate = new Gate();
        start(HOUR, () -> {
            keepToCancel(cancels);
            gate.run();
        });
        gate.awaitArrivals(1);
        assertThat(registry.interrupt(task().id())).isEqualTo(1);
        awaitThat(() -> scheduler.getActiveCount() == 0);
        assertThat(gate.interrupts()).isEqualTo(1);
        assertThat(cancels).hasValue(1);
        assertThat(task().runs()).isZero();
        assertThat(task().runningSince()).isNull();
        assertNothingToInterrupt("The task must be running to be interrupted");
    }

    @Test
    void runThatHasEndedIsNotCancelled() {
        AtomicInteger cancels = new AtomicInteger();
        start(HOUR, () -> keepToCancel(cancels));
        awaitReturned(1);
        kept(0).ended(null);
        awaitThat(() -> scheduler.getActiveCount() == 0);
        assertNothingToInterrupt("The task must be running to be interrupted");
        assertThat(cancels).hasValue(0);
        assertThat(task().runs()).isEqualTo(1);
    }

    @Test
    void eachRunIsEitherNotedOrCancelled() {
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger cancels = new AtomicInteger();
        AtomicInteger strays = new AtomicInteger();
        scheduler.setPoolSize(2);
        start(OFTEN, () -> {
            OpenRun run = Objects.requireNonNull(OpenRun.keepCurrent());
            run.cancelBy(cancels::incrementAndGet);
            assertThat(OpenRun.takeCanceller()).isNotNull();
            others.execute(() -> run.ended(null));
            runs.incrementAndGet();
        });
        registry.schedule(
                "other", () -> strays.addAndGet(Thread.interrupted() ? 1 : 0), TaskSchedule.fixedDelay(OFTEN));
        String id = OpenRunTest.class.getName() + ".lambda";
        while (runs.get() <= ROUNDS || cancels.get() <= ROUNDS / 10) {
            try {
                int ignored = registry.interrupt(id);
            } catch (IllegalStateException ex) {
                // Between two runs.
            }
        }
        registry.pause(id);
        awaitThat(() ->
                registry.get(id).runningSince() == null && registry.get(id).runs() + cancels.get() == runs.get());
        assertThat(strays).hasValue(0);
        assertThat(registry.get(id).failures()).isZero();
    }
}
