package io.github.wheelscheduler.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.Trigger;

/** Steering while runs are due, while others steer, where nothing more is accepted, and beside odd decorators. */
class TaskSteeringRacesTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration OFTEN = Duration.ofMillis(5);
    private static final String ID = "task";

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final TaskRegistry registry = scheduler.getTaskRegistry();
    private final AtomicInteger runs = new AtomicInteger();
    private final ExecutorService others = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        scheduler.shutdown();
        others.shutdownNow();
    }

    private ScheduledFuture<?> schedule(Runnable task, TaskSchedule schedule) {
        return registry.schedule(ID, task, schedule);
    }

    private static TaskSchedule inAnHour() {
        return TaskSchedule.once(Instant.now().plus(HOUR));
    }

    /** Says that instant, or none, once the gate is open. */
    private static Trigger slow(Gate asked, @Nullable Instant answer) {
        return context -> {
            asked.run();
            return answer;
        };
    }

    /** Such a task has no timer that the shutdown would cancel. */
    @Test
    void futureOfATaskThatIsEnabledDuringAShutdownEnds() {
        scheduler.initialize();
        Trigger closing = context -> {
            scheduler.shutdown();
            return Instant.now();
        };
        ScheduledFuture<?> future = registry.schedule(
                ID,
                runs::incrementAndGet,
                TaskSchedule.trigger(closing),
                TaskSettings.builder().enabled(false).build());
        assertThatExceptionOfType(TaskRejectedException.class).isThrownBy(() -> registry.resume(ID));
        assertThat(future.isDone()).isTrue();
    }

    @Test
    void schedulerIsPausedIfItSaysSo() throws Exception {
        scheduler.initialize();
        CyclicBarrier together = new CyclicBarrier(2);
        int rounds = Scale.of(2_000, 20_000, 200_000);
        Future<?> other = others.submit(() -> {
            for (int i = 0; i < rounds; i++) {
                together.await();
                scheduler.stop();
                together.await();
            }
            return true;
        });
        for (int i = 0; i < rounds; i++) {
            together.await();
            scheduler.start();
            together.await();
            assertThat(scheduler.isRunning())
                    .isEqualTo(!scheduler.getWheelScheduledExecutor().isPaused());
            assertThat(scheduler.getPausedAt() == null).isEqualTo(scheduler.isRunning());
        }
        other.get();
        scheduler.start();
    }

    // Around the due time

    @Test
    void onlyRunTakesPlaceThoughAReTimingFailsMeanwhile() {
        scheduler.initialize();
        ScheduledFuture<?> future = schedule(runs::incrementAndGet, inAnHour());
        Gate asked = new Gate();
        Future<?> retiming = others.submit(() -> registry.retime(ID, TaskSchedule.trigger(slow(asked, null))));
        asked.awaitArrivals(1);
        // Not before: the task of a run that is over cannot be re-timed.
        registry.trigger(ID);
        awaitThat(() -> runs.get() == 1);
        asked.open();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(retiming::get)
                .withCauseInstanceOf(IllegalArgumentException.class);
        awaitThat(future::isDone);
        assertThat(runs).hasValue(1);
    }

    @Test
    void futureEndsWithTheRunDespiteACloseReTiming() throws Exception {
        scheduler.initialize();
        int early = 0;
        for (int i = 0; i < Scale.of(200, 600, 6_000); i++) {
            String id = ID + i;
            int before = runs.get();
            Instant due = Instant.now().plusNanos(400_000);
            ScheduledFuture<?> future = registry.schedule(id, runs::incrementAndGet, TaskSchedule.once(due));
            Future<Integer> waiter = others.submit(() -> {
                Object ignored = future.get();
                return runs.get();
            });
            Instant close = due.plusNanos((i % 40) * 5_000L);
            while (Instant.now().isBefore(close)) {
                Thread.onSpinWait();
            }
            try {
                registry.retime(id, inAnHour());
            } catch (IllegalStateException ex) {
                assertThat(ex).hasMessageContaining("must not have ended");
            }
            boolean cancelled = future.cancel(false);
            try {
                early += waiter.get(30, TimeUnit.SECONDS) == before ? 1 : 0;
            } catch (ExecutionException ex) {
                assertThat(cancelled).isTrue();
            }
        }
        assertThat(early).as("futures that ended before a run").isZero();
    }

    @Test
    void scheduleThatIsInPlaceGoesOnWhileATriggerIsAsked() throws Exception {
        scheduler.initialize();
        ScheduledFuture<?> future = schedule(runs::incrementAndGet, TaskSchedule.fixedRate(OFTEN));
        Gate asked = new Gate();
        Future<?> retiming = others.submit(() -> registry.retime(
                ID, TaskSchedule.trigger(slow(asked, Instant.now().plus(HOUR)))));
        asked.awaitArrivals(1);
        int before = runs.get();
        awaitThat(() -> runs.get() > before + 5);
        assertThat(registry.get(ID).schedule()).isEqualTo(TaskSchedule.fixedRate(OFTEN));
        asked.open();
        Object ignored = retiming.get(30, TimeUnit.SECONDS);
        assertThat(future.isDone()).isFalse();
    }

    @Test
    void failedReTimingBesideAnotherLeavesTheTaskAlive() throws Exception {
        scheduler.initialize();
        ScheduledFuture<?> future = schedule(runs::incrementAndGet, TaskSchedule.fixedRate(HOUR));
        Gate asked = new Gate();
        Future<?> first = others.submit(() -> registry.retime(
                ID, TaskSchedule.trigger(slow(asked, Instant.now().plusMillis(20)))));
        asked.awaitArrivals(1);
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> registry.retime(ID, TaskSchedule.trigger(context -> null)));
        asked.open();
        Object ignored = first.get(30, TimeUnit.SECONDS);
        awaitThat(() -> runs.get() > 1);
        assertThat(future.isCancelled()).isFalse();
    }

    @Test
    void taskGoesOnHoweverManyReTimeItAtTheBound() throws Exception {
        scheduler.setMaxPending(2);
        scheduler.initialize();
        ScheduledFuture<?> future = schedule(runs::incrementAndGet, TaskSchedule.fixedRate(Duration.ofMillis(1)));
        CyclicBarrier together = new CyclicBarrier(2);
        for (int round = 0; round < Scale.of(150, 500, 5_000); round++) {
            Future<?> other = others.submit(() -> retimeTogether(together));
            retimeTogether(together);
            Object ignored = other.get(30, TimeUnit.SECONDS);
            int before = runs.get();
            awaitThat(() -> runs.get() > before);
        }
        assertThat(future.isDone()).isFalse();
    }

    private void retimeTogether(CyclicBarrier together) {
        try {
            together.await();
            registry.retime(ID, TaskSchedule.fixedRate(Duration.ofMillis(1)));
        } catch (TaskRejectedException ex) {
            // The other one has the permit.
        } catch (Exception ex) {
            throw new AssertionError(ex);
        }
    }

    // A run that is due while another goes on

    private Gate startOfLongRun() {
        Gate gate = new Gate();
        ScheduledFuture<?> ignored = schedule(gate, TaskSchedule.fixedRate(HOUR));
        gate.awaitArrivals(1);
        registry.retime(ID, TaskSchedule.once(Instant.now()));
        // It is due, and waits for the end of the run.
        awaitThat(() -> scheduler.getActiveCount() == 1
                && scheduler.getWheelScheduledExecutor().pendingCount() == 0);
        return gate;
    }

    @Test
    void owedRunIsReplacedWhenTheTaskIsReTimed() {
        scheduler.initialize();
        Gate gate = startOfLongRun();
        registry.retime(ID, inAnHour());
        gate.open();
        awaitThat(() -> registry.get(ID).runs() == 1 && scheduler.getActiveCount() == 0);
        assertThat(gate.arrivals()).isOne();
        assertThat(registry.get(ID).state()).isEqualTo(TaskInfo.State.PENDING);
    }

    @Test
    void runThatWaitsForAnotherNeedsNoPermit() {
        scheduler.setMaxPending(2);
        scheduler.initialize();
        Gate gate = startOfLongRun();
        ScheduledFuture<?> one = scheduler.schedule(() -> {}, Instant.now().plus(HOUR));
        ScheduledFuture<?> two = scheduler.schedule(() -> {}, Instant.now().plus(HOUR));
        gate.open();
        awaitThat(() -> gate.arrivals() == 2 && registry.get(ID).state() == TaskInfo.State.OVER);
        assertThat(one.isDone() || two.isDone()).isFalse();
    }

    @Test
    void owedRunTakesPlaceBeforeAShutdownEnds() throws Exception {
        scheduler.setWaitForTasksToCompleteOnShutdown(true);
        scheduler.setAwaitTerminationSeconds(30);
        scheduler.initialize();
        Gate gate = startOfLongRun();
        Future<?> closing = others.submit(scheduler::shutdown);
        awaitThat(() -> scheduler.getScheduledExecutor().isShutdown());
        gate.open();
        Object ignored = closing.get(30, TimeUnit.SECONDS);
        assertThat(gate.arrivals()).isEqualTo(2);
    }

    @Test
    void runThatWaitsForAnotherTakesPlaceOnceDespiteAResume() {
        scheduler.initialize();
        Gate gate = startOfLongRun();
        registry.resume(ID);
        gate.open();
        awaitThat(() -> gate.arrivals() == 2 && registry.get(ID).state() == TaskInfo.State.OVER);
        assertThat(registry.get(ID).runs()).isEqualTo(2);
    }

    // Where a handler swallows what is rejected

    @Test
    void rejectedSteeringThrowsAndChangesNothing() {
        scheduler.setMaxPending(1);
        scheduler.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        scheduler.initialize();
        ScheduledFuture<?> future = schedule(runs::incrementAndGet, TaskSchedule.fixedRate(OFTEN));
        assertThatExceptionOfType(TaskRejectedException.class)
                .isThrownBy(() -> registry.retime(ID, TaskSchedule.fixedRate(HOUR)));
        int before = runs.get();
        awaitThat(() -> runs.get() > before + 3);
        for (int i = 0; i < 2; i++) {
            awaitThat(this::triggerIsRejected);
        }
        assertThat(future.isDone()).isFalse();
    }

    /** False while a run is going on. */
    private boolean triggerIsRejected() {
        try {
            registry.trigger(ID);
            return false;
        } catch (TaskRejectedException ex) {
            return true;
        } catch (IllegalStateException ex) {
            assertThat(ex).hasMessageContaining("must not be running");
            return false;
        }
    }

    @Test
    void namedOneTimeTaskThatIsDroppedIsNotListedForEver() {
        scheduler.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        scheduler.initialize();
        scheduler.shutdown();
        ScheduledFuture<?> dropped = schedule(runs::incrementAndGet, inAnHour());
        assertThat(dropped.isCancelled()).isTrue();
        scheduler.initialize();
        ScheduledFuture<?> again = schedule(runs::incrementAndGet, TaskSchedule.once(Instant.now()));
        awaitThat(() -> again.isDone() && runs.get() == 1);
    }

    // Decorators

    @Test
    void decoratorThatThrowsAfterAFailureEndsNoSeries() {
        scheduler.setTaskDecorator(task -> () -> {
            task.run();
            throw new IllegalStateException("clean-up fails");
        });
        scheduler.setErrorHandler(failure -> {});
        scheduler.initialize();
        ScheduledFuture<?> future = schedule(
                () -> {
                    runs.incrementAndGet();
                    throw new IllegalArgumentException("task fails");
                },
                TaskSchedule.fixedRate(OFTEN));
        awaitThat(() -> runs.get() > 3);
        assertThat(future.isDone()).isFalse();
    }

    @Test
    void decoratorThatNeverRunsTheTaskEndsItCancelled() {
        scheduler.setTaskDecorator(task -> () -> {});
        scheduler.initialize();
        AtomicInteger told = new AtomicInteger();
        registry.addListener(new TaskListener() {
            @Override
            public void ran(String id, RunOutcome outcome, boolean overran) {
                told.incrementAndGet();
            }
        });
        ScheduledFuture<?> future = schedule(runs::incrementAndGet, TaskSchedule.fixedRate(OFTEN));
        awaitThat(future::isCancelled);
        assertThat(told).hasValue(0);
        assertThat(runs).hasValue(0);
    }

    @Test
    void decoratorThatRunsTheTaskTwiceNeverLetsItOverlap() {
        scheduler.setTaskDecorator(task -> () -> {
            others.execute(task);
            task.run();
            task.run();
        });
        scheduler.initialize();
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ScheduledFuture<?> future = schedule(
                () -> {
                    most.accumulateAndGet(now.incrementAndGet(), Math::max);
                    runs.incrementAndGet();
                    now.decrementAndGet();
                },
                TaskSchedule.fixedRate(Duration.ofMillis(1)));
        awaitThat(() -> registry.get(ID).runs() > 50);
        assertThat(future.cancel(false)).isTrue();
        awaitThat(() -> scheduler.getActiveCount() == 0);
        assertThat(most).hasValue(1);
    }

    @Test
    void decoratorThatSwallowsHidesNoFailureFromTheFuture() {
        scheduler.setTaskDecorator(task -> () -> {
            try {
                task.run();
            } catch (IllegalStateException ex) {
                assertThat(ex).hasMessage("on purpose");
            }
        });
        scheduler.setErrorHandler(failure -> {
            throw (IllegalStateException) failure;
        });
        scheduler.initialize();
        ScheduledFuture<?> future = schedule(
                () -> {
                    throw new IllegalStateException("on purpose");
                },
                TaskSchedule.once(Instant.now()));
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> future.get(30, TimeUnit.SECONDS))
                .withCauseInstanceOf(IllegalStateException.class);
    }
}
