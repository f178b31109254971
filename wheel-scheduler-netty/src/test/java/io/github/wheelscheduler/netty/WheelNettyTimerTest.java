package io.github.wheelscheduler.netty;

import static io.github.wheelscheduler.netty.Patience.awaitThat;
import static io.github.wheelscheduler.netty.TimerContract.NOTHING;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Promises of our timer besides the contract. */
class WheelNettyTimerTest {

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();
    private final WheelNettyTimer timer =
            WheelNettyTimer.builder(executor).name("requests").build();

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    // Building

    @Test
    void builderNamesTheRuleAndTheValue() {
        WheelNettyTimerBuilder builder = WheelNettyTimer.builder(executor);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxPendingTimeouts(0))
                .withMessage("maxPendingTimeouts must be positive, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxPendingTimeouts(-1))
                .withMessage("maxPendingTimeouts must be positive, was -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxConcurrent(0))
                .withMessage("maxConcurrent must be positive, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.name(" "))
                .withMessage("name must not be blank, was ' '");
        assertThatNullPointerException().isThrownBy(() -> builder.name(null)).withMessage("name must not be null");
        assertThatNullPointerException()
                .isThrownBy(() -> builder.taskExecutor(null))
                .withMessage("taskExecutor must not be null");
        assertThatNullPointerException()
                .isThrownBy(() -> WheelNettyTimer.builder(null))
                .withMessage("executor must not be null");
    }

    @Test
    void executorHasSeveralTimersByNameAndOneOfAName() {
        assertThat(executor.groups())
                .extracting(WheelScheduledExecutor::groupName)
                .containsExactly("requests");
        WheelNettyTimer one = WheelNettyTimer.builder(executor).build();
        WheelNettyTimer other = WheelNettyTimer.builder(executor).build();
        assertThat(one.name()).startsWith("netty-timer-").isNotEqualTo(other.name());
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> WheelNettyTimer.builder(executor).name("requests").build())
                .withMessageContaining("requests");
        assertThat(timer.stop()).isEmpty();
        assertThatCode(() -> WheelNettyTimer.builder(executor).name("requests").build())
                .doesNotThrowAnyException();
    }

    @Test
    void groupCannotHaveATimer() {
        WheelScheduledExecutor group = executor.group("reports");
        assertThatIllegalStateException()
                .isThrownBy(() -> WheelNettyTimer.builder(group).build())
                .withMessageStartingWith("A group must not have groups");
    }

    // What it counts

    @Test
    void expiredAndFailedTasksAndLatenessAreCounted() {
        Counter first = new Counter();
        timer.newTimeout(first, 1, MILLISECONDS);
        first.awaitRun();
        assertThat(timer.expiredTimeouts()).isOne();
        assertThat(timer.lateness()).isZero();
        timer.measureLateness();
        executor.pause();
        Timeout cancelled = timer.newTimeout(NOTHING, 1, MILLISECONDS);
        assertThat(cancelled.cancel()).isTrue();
        Timeout failing = timer.newTimeout(
                timeout -> {
                    throw new IllegalStateException("on purpose");
                },
                1,
                MILLISECONDS);
        long start = System.nanoTime();
        awaitThat(() -> System.nanoTime() - start > 21_000_000);
        executor.resume();
        awaitThat(failing::isExpired);
        awaitThat(() -> timer.failedTasks() == 1);
        assertThat(timer.expiredTimeouts()).isEqualTo(2);
        assertThat(timer.lateness()).isGreaterThanOrEqualTo(Duration.ofMillis(20));
        assertThat(timer.pendingTimeouts()).isZero();
    }

    // The executor

    @Test
    void tasksRunOnThreadsOfTheTimersGroup() {
        Counter task = new Counter();
        timer.newTimeout(task, 1, MILLISECONDS);
        task.awaitRun();
        assertThat(task.thread.get().getName()).startsWith("wheel-scheduler-requests-");
    }

    @Test
    void stopLeavesTheExecutorAndItsOtherTimersRunning() throws Exception {
        WheelNettyTimer other = WheelNettyTimer.builder(executor).build();
        Counter task = new Counter();
        other.newTimeout(task, 20, MILLISECONDS);
        Counter used = new Counter();
        timer.newTimeout(used, 0, MILLISECONDS);
        used.awaitRun();
        timer.newTimeout(NOTHING, 1, HOURS);
        assertThat(timer.stop()).hasSize(1);
        task.awaitRun();
        assertThat(executor.schedule(() -> "still there", 1, MILLISECONDS).get(30, SECONDS))
                .isEqualTo("still there");
        assertThat(executor.isShutdown()).isFalse();
        assertThat(executor.groups())
                .extracting(WheelScheduledExecutor::groupName)
                .containsExactly(other.name());
    }

    @Test
    void shutDownTimerTakesNothingAndReturnsPending() {
        Timeout left = timer.newTimeout(NOTHING, 1, HOURS);
        List<Runnable> neverRan = executor.shutdownNow();
        assertThat(neverRan).hasSize(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> timer.newTimeout(NOTHING, 1, HOURS))
                .withMessage("Timeout rejected, because the executor of requests has been shut down");
        assertThat(timer.pendingTimeouts()).isEqualTo(1);
        assertThat(timer.stop()).containsExactly(left);
        assertThat(timer.pendingTimeouts()).isZero();
        assertThatIllegalStateException()
                .isThrownBy(() -> timer.newTimeout(NOTHING, 1, HOURS))
                .withMessage("Timeout rejected, because requests has been stopped");
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> WheelNettyTimer.builder(executor).build());
    }

    @Test
    void tellsATaskOfItsCancellationAlsoAfterShutdown() {
        Counter task = new Counter();
        Timeout timeout = timer.newTimeout(task, 1, HOURS);
        List<Runnable> ignored = executor.shutdownNow();
        assertThat(timeout.cancel()).isTrue();
        assertThat(task.cancellations).hasValue(1);
        assertThat(timer.stop()).isEmpty();
    }

    @Test
    void stopOfTheExecutorTellsThoseThatWaitForAWorker() {
        executor.pause();
        Counter first = new Counter();
        assertThat(timer.newTimeout(first, 1, HOURS).cancel()).isTrue();
        Counter second = new Counter();
        Timeout left = timer.newTimeout(second, 1, HOURS);
        assertThat(first.cancellations).hasValue(0);
        List<Runnable> ignored = executor.shutdownNow();
        assertThat(first.cancellations).hasValue(1);
        assertThat(left.cancel()).isTrue();
        assertThat(second.cancellations).hasValue(1);
        assertThat(timer.stop()).isEmpty();
        assertThat(first.cancellations).hasValue(1);
        assertThat(second.cancellations).hasValue(1);
    }

    /** A worker, the stop or the cancelling thread calls each cancelled task once. */
    @Test
    void noCancellationIsLostWhileTheExecutorStops() throws Exception {
        for (int round = 0; round < 50; round++) {
            WheelScheduledExecutor own = WheelScheduledExecutor.builder().build();
            WheelNettyTimer onIt = WheelNettyTimer.builder(own).build();
            List<Counter> tasks = new ArrayList<>();
            List<Timeout> timeouts = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Counter task = new Counter();
                tasks.add(task);
                timeouts.add(onIt.newTimeout(task, 1, HOURS));
            }
            Thread canceller = new Thread(() -> timeouts.forEach(Timeout::cancel));
            canceller.start();
            while (!timeouts.get(round).isCancelled()) {
                Thread.onSpinWait();
            }
            List<Runnable> ignored = own.shutdownNow();
            canceller.join();
            // A worker may still be in the last one.
            assertThat(own.awaitTermination(30, SECONDS)).isTrue();
            assertThat(tasks).allSatisfy(task -> assertThat(task.cancellations).hasValue(1));
        }
    }

    @Test
    void fullExecutorRejectsATimeoutWithTheNumbers() {
        AtomicInteger handled = new AtomicInteger();
        WheelScheduledExecutor small = WheelScheduledExecutor.builder()
                .maxPending(2)
                .rejectionHandler((rejected, reason) -> handled.incrementAndGet())
                .build();
        WheelNettyTimer bounded = WheelNettyTimer.builder(small).build();
        try {
            Counter task = new Counter();
            Timeout first = bounded.newTimeout(task, 1, HOURS);
            bounded.newTimeout(NOTHING, 1, HOURS);
            assertThatExceptionOfType(RejectedExecutionException.class)
                    .isThrownBy(() -> bounded.newTimeout(NOTHING, 1, HOURS))
                    .withMessageContaining("max-pending is 2, and 2 timers are pending");
            assertThat(bounded.pendingTimeouts()).isEqualTo(2);
            assertThat(first.cancel()).isTrue();
            task.awaitCancellation();
            assertThatCode(() -> bounded.newTimeout(NOTHING, 1, HOURS)).doesNotThrowAnyException();
            assertThat(bounded.stop()).hasSize(2);
            // It is the caller who is told, and not the executor's handler.
            assertThat(handled).hasValue(0);
        } finally {
            List<Runnable> ignored = small.shutdownNow();
        }
    }

    @Test
    void boundOfTheTimerNamesTheNumbers() {
        WheelNettyTimer bounded =
                WheelNettyTimer.builder(executor).maxPendingTimeouts(1).build();
        bounded.newTimeout(NOTHING, 1, HOURS);
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> bounded.newTimeout(NOTHING, 1, HOURS))
                .withMessage("Timeout rejected, because max-pending-timeouts is 1, and 1 are pending");
    }

    @Test
    void pendingTimeoutsStayBelowTheBoundUnderChurn() {
        int bound = 100;
        WheelNettyTimer bounded =
                WheelNettyTimer.builder(executor).maxPendingTimeouts(bound).build();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread caller = new Thread(() -> {
                for (int round = 0; round < 6_000; round++) {
                    fill(bounded).forEach(Timeout::cancel);
                }
            });
            caller.start();
            callers.add(caller);
        }
        long most = 0;
        while (callers.stream().anyMatch(Thread::isAlive)) {
            most = Math.max(most, bounded.pendingTimeouts());
        }
        assertThat(most).isBetween(1L, (long) bound);
        assertThat(bounded.pendingTimeouts()).isZero();
    }

    private static List<Timeout> fill(WheelNettyTimer bounded) {
        List<Timeout> timeouts = new ArrayList<>();
        try {
            while (true) {
                timeouts.add(bounded.newTimeout(NOTHING, 1, HOURS));
            }
        } catch (RejectedExecutionException ex) {
            return timeouts;
        }
    }

    @Test
    void pauseOfTheExecutorDelaysAndLosesNothing() {
        Counter before = new Counter();
        timer.newTimeout(before, 0, MILLISECONDS);
        before.awaitRun();
        executor.pause();
        Counter task = new Counter();
        timer.newTimeout(task, 1, MILLISECONDS);
        Patience.awaitTime(Duration.ofMillis(20));
        assertThat(task.runs).hasValue(0);
        executor.resume();
        task.awaitRun();
    }

    @Test
    void stopReturnsWhatWaitsInAPause() {
        executor.pause();
        Timeout due = timer.newTimeout(NOTHING, 0, MILLISECONDS);
        Timeout cancelled = timer.newTimeout(new Counter(), 0, MILLISECONDS);
        assertThat(cancelled.cancel()).isTrue();
        assertThat(timer.stop()).containsExactly(due);
        assertThat(((Counter) cancelled.task()).cancellations).hasValue(1);
    }

    // Side by side

    @Test
    void runsTasksSideBySideIfAskedTo() {
        WheelNettyTimer wide =
                WheelNettyTimer.builder(executor).maxConcurrent(3).build();
        CyclicBarrier together = new CyclicBarrier(3);
        AtomicInteger met = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            wide.newTimeout(
                    timeout -> {
                        together.await();
                        met.incrementAndGet();
                    },
                    1,
                    MILLISECONDS);
        }
        awaitThat(() -> met.get() == 3);
    }

    @Test
    void runsNoMoreSideBySideThanAskedTo() {
        WheelNettyTimer wide =
                WheelNettyTimer.builder(executor).maxConcurrent(2).build();
        List<Gate> gates = List.of(new Gate(), new Gate());
        gates.forEach(gate -> wide.newTimeout(gate, 0, MILLISECONDS));
        gates.forEach(Gate::awaitArrival);
        Counter third = new Counter();
        Timeout timeout = wide.newTimeout(third, 0, MILLISECONDS);
        Patience.awaitTime(Duration.ofMillis(20));
        assertThat(third.runs).hasValue(0);
        assertThat(timeout.isExpired()).isFalse();
        gates.get(0).open();
        third.awaitRun();
        gates.get(1).open();
    }

    // Memory and secrets

    @Test
    void cancelledTimeoutIsLetGo() {
        List<WeakReference<TimerTask>> tasks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            TimerTask task = new Counter();
            tasks.add(new WeakReference<>(task));
            timer.newTimeout(task, 1, HOURS).cancel();
        }
        awaitLetGo(tasks);
        assertThat(timer.pendingTimeouts()).isZero();
    }

    @Test
    void expiredTimeoutIsLetGo() {
        List<WeakReference<TimerTask>> tasks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            TimerTask task = new Counter();
            tasks.add(new WeakReference<>(task));
            timer.newTimeout(task, 0, HOURS);
        }
        awaitLetGo(tasks);
    }

    @Test
    void timeoutThatIsKeptKeepsNoOther() {
        Timeout kept = timer.newTimeout(NOTHING, 1, HOURS);
        List<WeakReference<TimerTask>> tasks = new ArrayList<>();
        List<Timeout> others = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            TimerTask task = new Counter();
            tasks.add(new WeakReference<>(task));
            others.add(timer.newTimeout(task, 1, HOURS));
        }
        others.forEach(Timeout::cancel);
        others.clear();
        awaitLetGo(tasks);
        assertThat(kept.isCancelled()).isFalse();
    }

    @SuppressWarnings("System.gc")
    private static void awaitLetGo(List<WeakReference<TimerTask>> tasks) {
        awaitThat(() -> {
            System.gc();
            return tasks.stream().allMatch(task -> task.get() == null);
        });
    }

    @Test
    void noTextHoldsATask() throws Exception {
        try (LogCapture log = new LogCapture()) {
            TimerTask secret = new TimerTask() {
                @Override
                public void run(Timeout timeout) {
                    throw new IllegalStateException("of a task");
                }

                @Override
                public void cancelled(Timeout timeout) {
                    throw new IllegalStateException("of a cancelled task");
                }

                @Override
                public String toString() {
                    return "secret";
                }
            };
            Timeout pending = timer.newTimeout(secret, 1, HOURS);
            assertThat(pending.toString()).startsWith("Timeout[requests, pending, due in 59 min 59 s");
            Timeout cancelled = timer.newTimeout(secret, 1, HOURS);
            assertThat(cancelled.cancel()).isTrue();
            assertThat(cancelled).hasToString("Timeout[requests, cancelled]");
            Timeout expired = timer.newTimeout(secret, 0, HOURS);
            awaitThat(expired::isExpired);
            assertThat(expired).hasToString("Timeout[requests, expired]");
            assertThat(timer).hasToString("WheelNettyTimer[requests, running, pending = 1]");
            Set<Timeout> left = timer.stop();
            assertThat(left.toString()).isEqualTo("[Timeout[requests, cancelled]]");
            assertThat(timer).hasToString("WheelNettyTimer[requests, stopped, pending = 0]");
            assertThat(log.all()).contains("A task of requests failed").doesNotContain("secret");
        }
    }

    @Test
    void failuresAreLoggedOnceAMinuteAtMost() {
        try (LogCapture log = new LogCapture()) {
            AtomicInteger failed = new AtomicInteger();
            for (int i = 0; i < 50; i++) {
                timer.newTimeout(
                        timeout -> {
                            failed.incrementAndGet();
                            throw new IllegalStateException("of a task");
                        },
                        0,
                        HOURS);
            }
            awaitThat(() -> failed.get() == 50);
            awaitThat(() -> !log.said("A task of requests failed").isEmpty());
            assertThat(log.said("A task of requests failed")).hasSize(1);
        }
    }

    // Others that come into it

    @Test
    void taskThatLeavesAnInterruptInterruptsNoOther() {
        timer.newTimeout(timeout -> Thread.currentThread().interrupt(), 0, HOURS);
        AtomicReference<Boolean> isInterrupted = new AtomicReference<>();
        timer.newTimeout(timeout -> isInterrupted.set(Thread.currentThread().isInterrupted()), 1, MILLISECONDS);
        awaitThat(() -> isInterrupted.get() != null);
        assertThat(isInterrupted).hasValue(false);
    }

    @Test
    void taskMayStopAnotherTimer() {
        WheelNettyTimer other = WheelNettyTimer.builder(executor).build();
        Timeout left = other.newTimeout(NOTHING, 1, HOURS);
        AtomicReference<Set<Timeout>> returned = new AtomicReference<>();
        timer.newTimeout(timeout -> returned.set(other.stop()), 0, HOURS);
        awaitThat(() -> returned.get() != null);
        assertThat(returned.get()).containsExactly(left);
    }

    @Test
    void executorsDecoratorAndRejectionHandlerHaveNoSay() {
        WheelScheduledExecutor strange = WheelScheduledExecutor.builder()
                .decorator(scheduled -> () -> {})
                .rejectionHandler((rejected, reason) -> {})
                .build();
        try {
            WheelNettyTimer onIt = WheelNettyTimer.builder(strange).build();
            Counter task = new Counter();
            onIt.newTimeout(task, 0, HOURS);
            task.awaitRun();
            List<Runnable> ignored = strange.shutdownNow();
            assertThatIllegalStateException().isThrownBy(() -> onIt.newTimeout(task, 0, HOURS));
        } finally {
            List<Runnable> ignored = strange.shutdownNow();
        }
    }

    @Test
    void noTimeoutIsLostWhereTheExecutorRefusesEverything() {
        WheelScheduledExecutor refusing = WheelScheduledExecutor.builder()
                .executor(task -> {
                    throw new RejectedExecutionException("refused, expected in this test");
                })
                .build();
        try {
            WheelNettyTimer onIt = WheelNettyTimer.builder(refusing).build();
            AtomicInteger runs = new AtomicInteger();
            for (int i = 0; i < 500; i++) {
                onIt.newTimeout(timeout -> runs.incrementAndGet(), i % 3, MILLISECONDS);
            }
            awaitThat(() -> runs.get() == 500);
        } finally {
            List<Runnable> ignored = refusing.shutdownNow();
        }
    }
}
