package io.github.wheelscheduler.netty;

import static io.github.wheelscheduler.netty.Patience.awaitLatch;
import static io.github.wheelscheduler.netty.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.wheelscheduler.testing.Scale;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The promises that any {@link Timer} keeps to its users. */
abstract class TimerContract {

    static final TimerTask NOTHING = timeout -> {};

    private final List<Timer> timers = new ArrayList<>();

    /**
     * Creates a timer.
     *
     * @param maxPending how many timeouts may be pending; 0 for no bound
     */
    abstract Timer create(long maxPending);

    /** Returns how many timeouts are pending. */
    abstract long pending(Timer timer);

    @AfterEach
    void stopTimers() {
        timers.forEach(Timer::stop);
    }

    final Timer newTimer() {
        return newTimer(0);
    }

    final Timer newTimer(long maxPending) {
        Timer timer = create(maxPending);
        timers.add(timer);
        return timer;
    }

    // Arguments

    @Test
    void takesNoNull() {
        Timer timer = newTimer();
        assertThatNullPointerException().isThrownBy(() -> timer.newTimeout(null, 1, MILLISECONDS));
        assertThatNullPointerException().isThrownBy(() -> timer.newTimeout(NOTHING, 1, null));
        assertThat(pending(timer)).isZero();
    }

    // Expiry

    @Test
    void runsATaskOnceWithItsTimeout() {
        Timer timer = newTimer();
        Counter task = new Counter();
        Timeout timeout = timer.newTimeout(task, 5, MILLISECONDS);
        task.awaitRun();
        Counter later = new Counter();
        timer.newTimeout(later, 20, MILLISECONDS);
        later.awaitRun();
        assertThat(task.runs).hasValue(1);
        assertThat(task.last.get()).isSameAs(timeout);
        assertThat(task.cancellations).hasValue(0);
    }

    @Test
    void neverRunsATaskEarly() {
        Timer timer = newTimer();
        AtomicLong slackNanos = new AtomicLong(Long.MAX_VALUE);
        int count = 50;
        CountDownLatch ran = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            long dueNanos = System.nanoTime() + MILLISECONDS.toNanos(i);
            timer.newTimeout(
                    timeout -> {
                        slackNanos.accumulateAndGet(System.nanoTime() - dueNanos, Math::min);
                        ran.countDown();
                    },
                    i,
                    MILLISECONDS);
        }
        awaitLatch(ran);
        assertThat(slackNanos).hasNonNegativeValue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, -1_000, Long.MIN_VALUE})
    void runsAtOnceWhatHasNoDelay(long delay) {
        Timer timer = newTimer();
        for (TimeUnit unit : TimeUnit.values()) {
            Counter task = new Counter();
            timer.newTimeout(task, delay, unit);
            task.awaitRun();
        }
    }

    @Test
    void keepsWhatIsDueInAgesPending() {
        Timer timer = newTimer();
        Counter far = new Counter();
        List<Timeout> timeouts = List.of(
                timer.newTimeout(far, Long.MAX_VALUE, DAYS),
                timer.newTimeout(far, Long.MAX_VALUE, NANOSECONDS),
                timer.newTimeout(far, Long.MAX_VALUE - 1, NANOSECONDS),
                timer.newTimeout(far, Long.MAX_VALUE / 2, NANOSECONDS),
                timer.newTimeout(far, 36_500, DAYS));
        Counter near = new Counter();
        timer.newTimeout(near, 20, MILLISECONDS);
        near.awaitRun();
        assertThat(far.runs).hasValue(0);
        assertThat(timer.stop()).containsExactlyInAnyOrderElementsOf(timeouts);
    }

    @Test
    void timeoutKnowsItsTimerAndTask() {
        Timer timer = newTimer();
        Timeout timeout = timer.newTimeout(NOTHING, 1, HOURS);
        assertThat(timeout.timer()).isSameAs(timer);
        assertThat(timeout.task()).isSameAs(NOTHING);
        assertThat(timeout.cancel()).isTrue();
        assertThat(timeout.task()).isSameAs(NOTHING);
    }

    @Test
    void timeoutHasExpiredFromTheBeginningOfItsRun() {
        Timer timer = newTimer();
        Gate gate = new Gate();
        Timeout timeout = timer.newTimeout(gate, 1, MILLISECONDS);
        gate.awaitArrival();
        assertThat(timeout.isExpired()).isTrue();
        assertThat(timeout.isCancelled()).isFalse();
        assertThat(timeout.cancel()).isFalse();
        gate.open();
        assertThat(timeout.isExpired()).isTrue();
        assertThat(timeout.cancel()).isFalse();
        assertThat(timeout.isCancelled()).isFalse();
    }

    @Test
    void taskMayAskForATimeout() {
        Timer timer = newTimer();
        Counter second = new Counter();
        timer.newTimeout(first -> timer.newTimeout(second, 1, MILLISECONDS), 1, MILLISECONDS);
        second.awaitRun();
    }

    @Test
    void failingTaskHarmsNoOther() {
        Timer timer = newTimer();
        timer.newTimeout(
                timeout -> {
                    throw new Exception("of a task, expected in this test");
                },
                0,
                MILLISECONDS);
        timer.newTimeout(
                timeout -> {
                    throw new AssertionError("of a task, expected in this test");
                },
                0,
                MILLISECONDS);
        Counter next = new Counter();
        Timeout timeout = timer.newTimeout(next, 10, MILLISECONDS);
        next.awaitRun();
        assertThat(timeout.isExpired()).isTrue();
        // A failing task may run later than the others, where tasks run side by side.
        awaitThat(() -> pending(timer) == 0);
    }

    // Cancelling

    @Test
    void cancelledTaskNeverRuns() {
        Timer timer = newTimer();
        Counter task = new Counter();
        Timeout timeout = timer.newTimeout(task, 30, MILLISECONDS);
        assertThat(timeout.isCancelled()).isFalse();
        assertThat(timeout.isExpired()).isFalse();
        assertThat(timeout.cancel()).isTrue();
        assertThat(timeout.isCancelled()).isTrue();
        assertThat(timeout.isExpired()).isFalse();
        assertThat(timeout.cancel()).isFalse();
        Counter later = new Counter();
        timer.newTimeout(later, 60, MILLISECONDS);
        later.awaitRun();
        assertThat(task.runs).hasValue(0);
    }

    @Test
    void taskCannotCancelItself() {
        Timer timer = newTimer();
        AtomicReference<String> seen = new AtomicReference<>();
        timer.newTimeout(
                timeout -> seen.set(timeout.cancel() + " " + timeout.isCancelled() + " " + timeout.isExpired()),
                1,
                MILLISECONDS);
        awaitThat(() -> seen.get() != null);
        assertThat(seen).hasValue("false false true");
    }

    @Test
    void taskIsNotifiedOnceOfItsCancellation() {
        Timer timer = newTimer();
        Counter task = new Counter();
        Timeout timeout = timer.newTimeout(task, 1, HOURS);
        assertThat(timeout.cancel()).isTrue();
        assertThat(timeout.cancel()).isFalse();
        task.awaitCancellation();
        assertThat(task.last.get()).isSameAs(timeout);
        assertThat(task.thread.get()).isNotSameAs(Thread.currentThread());
        Set<Timeout> ignored = timer.stop();
        assertThat(task.cancellations).hasValue(1);
        assertThat(task.runs).hasValue(0);
    }

    @Test
    void taskThatFailsWhenItIsToldHarmsNothing() {
        Timer timer = newTimer();
        TimerTask failing = new TimerTask() {
            @Override
            public void run(Timeout timeout) {}

            @Override
            public void cancelled(Timeout timeout) {
                throw new IllegalStateException("of a cancelled task, expected in this test");
            }
        };
        assertThat(timer.newTimeout(failing, 1, HOURS).cancel()).isTrue();
        Counter next = new Counter();
        assertThat(timer.newTimeout(next, 1, HOURS).cancel()).isTrue();
        next.awaitCancellation();
        Counter last = new Counter();
        timer.newTimeout(last, 1, MILLISECONDS);
        last.awaitRun();
    }

    @Test
    void eitherATimeoutExpiresOrItIsCancelled() throws Exception {
        Timer timer = newTimer();
        int count = Scale.of(2_000, 100_000);
        List<Counter> tasks = new ArrayList<>();
        List<Timeout> timeouts = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger cancelled = new AtomicInteger();
        Thread canceller = new Thread(() -> {
            for (int i = 0; i < count; i++) {
                while (timeouts.size() <= i) {
                    Thread.onSpinWait();
                }
                // Half of them about when they are due.
                if (i % 2 == 0 ? timeouts.get(i).cancel() : timeouts.get(i / 2).cancel()) {
                    cancelled.incrementAndGet();
                }
            }
        });
        canceller.start();
        for (int i = 0; i < count; i++) {
            Counter task = new Counter();
            tasks.add(task);
            timeouts.add(timer.newTimeout(task, i % 3, MILLISECONDS));
        }
        canceller.join();
        awaitThat(() -> pending(timer) == 0);
        awaitThat(() -> sum(tasks, false) + sum(tasks, true) == count);
        assertThat(sum(tasks, true)).isEqualTo(cancelled.get());
        assertThat(tasks).allMatch(task -> task.runs.get() + task.cancellations.get() == 1);
        assertThat(timeouts).allMatch(timeout -> timeout.isExpired() != timeout.isCancelled());
    }

    private static int sum(List<Counter> tasks, boolean cancellations) {
        return tasks.stream()
                .mapToInt(task -> (cancellations ? task.cancellations : task.runs).get())
                .sum();
    }

    // Counting, and the bound

    @Test
    void countsWhatIsPending() {
        Timer timer = newTimer();
        assertThat(pending(timer)).isZero();
        Timeout timeout = timer.newTimeout(NOTHING, 1, HOURS);
        timer.newTimeout(NOTHING, 1, HOURS);
        assertThat(pending(timer)).isEqualTo(2);
        timeout.cancel();
        awaitThat(() -> pending(timer) == 1);
        timer.newTimeout(NOTHING, 0, HOURS);
        awaitThat(() -> pending(timer) == 1);
    }

    @Test
    void takesAsManyAsItMayAndNoMore() {
        Timer timer = newTimer(3);
        Timeout first = timer.newTimeout(NOTHING, 1, HOURS);
        Gate gate = new Gate();
        timer.newTimeout(gate, 1, MILLISECONDS);
        gate.awaitArrival();
        timer.newTimeout(NOTHING, 1, HOURS);
        timer.newTimeout(NOTHING, 1, HOURS);
        for (int i = 0; i < 5; i++) {
            assertThatExceptionOfType(RejectedExecutionException.class)
                    .isThrownBy(() -> timer.newTimeout(NOTHING, 1, HOURS))
                    .withMessageContaining("3");
        }
        gate.open();
        assertThat(pending(timer)).isEqualTo(3);
        assertThat(first.cancel()).isTrue();
        awaitThat(() -> pending(timer) == 2);
        assertThatCode(() -> timer.newTimeout(NOTHING, 1, HOURS)).doesNotThrowAnyException();
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> timer.newTimeout(NOTHING, 1, HOURS));
        assertThat(timer.stop()).hasSize(3);
    }

    // Stopping

    @Test
    void stopReturnsAndCancelsWhatWasNotProcessed() {
        Timer timer = newTimer();
        Counter expired = new Counter();
        timer.newTimeout(expired, 1, MILLISECONDS);
        expired.awaitRun();
        Counter cancelled = new Counter();
        assertThat(timer.newTimeout(cancelled, 1, HOURS).cancel()).isTrue();
        Counter task = new Counter();
        Set<Timeout> left = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            left.add(timer.newTimeout(task, 1 + i, HOURS));
        }
        assertThat(timer.stop()).containsExactlyInAnyOrderElementsOf(left);
        assertThat(left).allMatch(Timeout::isCancelled).noneMatch(Timeout::isExpired);
        assertThat(left).noneMatch(Timeout::cancel);
        assertThat(cancelled.cancellations).hasValue(1);
        assertThat(task.runs).hasValue(0);
        // Who has stopped it has them all.
        assertThat(task.cancellations).hasValue(0);
    }

    @Test
    void stopOfAnUnusedTimerReturnsNothing() {
        assertThat(newTimer().stop()).isEmpty();
    }

    @Test
    void secondStopReturnsNothing() {
        Timer timer = newTimer();
        timer.newTimeout(NOTHING, 1, HOURS);
        assertThat(timer.stop()).hasSize(1);
        assertThat(timer.stop()).isEmpty();
    }

    @Test
    void stopsAtOnceReturnEachTimeoutOnce() throws Exception {
        for (int round = 0; round < 20; round++) {
            Timer timer = newTimer();
            Set<Timeout> left = new HashSet<>();
            for (int i = 0; i < 50; i++) {
                left.add(timer.newTimeout(NOTHING, 1, HOURS));
            }
            List<Timeout> returned = Collections.synchronizedList(new ArrayList<>());
            CyclicBarrier together = new CyclicBarrier(3);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Thread thread = new Thread(() -> {
                    try {
                        together.await();
                    } catch (Exception ex) {
                        throw new IllegalStateException(ex);
                    }
                    returned.addAll(timer.stop());
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(returned).containsExactlyInAnyOrderElementsOf(left);
        }
    }

    @Test
    void stoppedTimerTakesNothing() {
        Timer timer = newTimer();
        timer.newTimeout(NOTHING, 1, HOURS);
        timer.stop();
        assertThatIllegalStateException().isThrownBy(() -> timer.newTimeout(NOTHING, 1, HOURS));
        assertThatIllegalStateException().isThrownBy(() -> timer.newTimeout(NOTHING, 0, HOURS));
    }

    @Test
    void timerThatWasStoppedBeforeItWasUsedTakesNothing() {
        Timer timer = newTimer();
        timer.stop();
        assertThatIllegalStateException().isThrownBy(() -> timer.newTimeout(NOTHING, 1, HOURS));
    }

    @Test
    void taskCannotStopItsTimer() {
        Timer timer = newTimer();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        timer.newTimeout(
                timeout -> {
                    try {
                        timer.stop();
                    } catch (Throwable ex) {
                        thrown.set(ex);
                    }
                },
                1,
                MILLISECONDS);
        awaitThat(() -> thrown.get() != null);
        assertThat(thrown.get()).isInstanceOf(IllegalStateException.class);
        Counter next = new Counter();
        timer.newTimeout(next, 1, MILLISECONDS);
        next.awaitRun();
    }

    @Test
    void taskThatIsToldOfItsCancellationCannotStopTheTimer() {
        Timer timer = newTimer();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        TimerTask stopping = new TimerTask() {
            @Override
            public void run(Timeout timeout) {}

            @Override
            public void cancelled(Timeout timeout) {
                try {
                    timer.stop();
                } catch (Throwable ex) {
                    thrown.set(ex);
                }
            }
        };
        assertThat(timer.newTimeout(stopping, 1, HOURS).cancel()).isTrue();
        awaitThat(() -> thrown.get() != null);
        assertThat(thrown.get()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void stopInterruptsWhatRunsAndWaitsForIt() {
        Timer timer = newTimer();
        AtomicInteger interrupts = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        Timeout running = timer.newTimeout(
                timeout -> {
                    begun.countDown();
                    // It takes the second interrupt.
                    while (interrupts.get() < 2) {
                        try {
                            Thread.sleep(Patience.PATIENCE.toMillis());
                        } catch (InterruptedException ex) {
                            interrupts.incrementAndGet();
                        }
                    }
                    ended.incrementAndGet();
                },
                1,
                MILLISECONDS);
        Counter task = new Counter();
        Timeout next = timer.newTimeout(task, 1, HOURS);
        awaitLatch(begun);
        assertThat(timer.stop()).containsExactly(next);
        assertThat(ended).hasValue(1);
        assertThat(running.isExpired()).isTrue();
        assertThat(running.isCancelled()).isFalse();
        assertThat(task.runs).hasValue(0);
    }

    @Test
    void stopByAnInterruptedThreadKeepsTheInterrupt() {
        Timer timer = newTimer();
        Gate gate = new Gate();
        timer.newTimeout(gate, 1, MILLISECONDS);
        gate.awaitArrival();
        Timeout left = timer.newTimeout(NOTHING, 1, HOURS);
        Thread.currentThread().interrupt();
        Set<Timeout> returned = timer.stop();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(returned).containsExactly(left);
        assertThat(gate.interrupts()).isEqualTo(1);
    }

    @Test
    void timeoutDueAtAStopRunsOrIsReturned() {
        for (int round = 0; round < 20; round++) {
            Timer timer = newTimer();
            List<Counter> tasks = new ArrayList<>();
            List<Timeout> timeouts = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Counter task = new Counter();
                tasks.add(task);
                timeouts.add(timer.newTimeout(task, 20L * i, MICROSECONDS));
            }
            tasks.get(round * 10).awaitRun();
            Set<Timeout> returned = timer.stop();
            for (int i = 0; i < tasks.size(); i++) {
                Timeout timeout = timeouts.get(i);
                assertThat(tasks.get(i).runs).hasValue(returned.contains(timeout) ? 0 : 1);
                assertThat(timeout.isCancelled()).isEqualTo(returned.contains(timeout));
                assertThat(timeout.isExpired()).isNotEqualTo(returned.contains(timeout));
            }
        }
    }
}
