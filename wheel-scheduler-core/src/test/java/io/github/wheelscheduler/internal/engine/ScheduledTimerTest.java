package io.github.wheelscheduler.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.testing.Scale;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One timer without an executor: what it answers, what it lets go, and whom it interrupts. */
class ScheduledTimerTest {

    private static final long NOW = 8_000;

    private final CountingOwner owner = new CountingOwner(NOW);

    private RunnableTimer runnable(Runnable task) {
        return new RunnableTimer(owner, task, NOW);
    }

    private <V> CallableTimer<V> result(V value) {
        return new CallableTimer<>(owner, () -> value, NOW);
    }

    @Test
    void resultStaysForEverybodyWhoAsks() throws Exception {
        CallableTimer<String> timer = result("result");
        assertThat(timer.claim(NOW)).isTrue();
        timer.run();
        assertThat(timer.get()).isEqualTo("result");
        assertThat(timer.get(0, TimeUnit.SECONDS)).isEqualTo("result");
        assertThat(timer.isDone()).isTrue();
        assertThat(timer.isCancelled()).isFalse();
        assertThat(timer.cancel(true)).isFalse();
    }

    @Test
    void resultThatIsNullOrLooksLikeATaskIsAResult() throws Exception {
        CallableTimer<Object> nothing = result(null);
        nothing.run();
        assertThat(nothing.get()).isNull();
        Runnable task = () -> {};
        CallableTimer<Object> aTask = result(task);
        aTask.run();
        assertThat(aTask.get()).isSameAs(task);
    }

    @Test
    void resultIsNeverShownAsTheTaskThatRuns() {
        List<Object> shown = new ArrayList<>();
        owner.whenEnding = timer -> {
            assertThat(timer.state()).isEqualTo(TimerWord.RUNNING);
            shown.add(RunObservation.taskOf(timer));
            assertThat(timer.toString()).contains("running").doesNotContain("secret");
        };
        CallableTimer<String> timer = result("secret");
        timer.run();
        RunnableTimer failing = runnable(() -> {
            throw new IllegalStateException("secret");
        });
        failing.run();
        assertThat(shown).containsExactly(timer, failing);
    }

    @Test
    void interruptHitsTheRunningThreadAlone() throws Exception {
        AtomicInteger interrupted = new AtomicInteger();
        for (int round = 0; round < Scale.of(1_000, 3_000, 100_000); round++) {
            RunnableTimer timer = runnable(() -> {});
            CyclicBarrier barrier = new CyclicBarrier(3);
            Thread runner = inTime(barrier, timer);
            Thread bystander = inTime(barrier, () -> {
                timer.run();
                // It may have been the one that ran it; then an interrupt has ended with the run.
                interrupted.addAndGet(Thread.interrupted() ? 1 : 0);
            });
            barrier.await();
            boolean ignored = timer.cancel(true);
            runner.join();
            bystander.join();
        }
        assertThat(interrupted).hasValue(0);
    }

    private static Thread inTime(CyclicBarrier barrier, Runnable action) {
        Thread thread = new Thread(() -> {
            try {
                barrier.await();
                action.run();
            } catch (InterruptedException | BrokenBarrierException ex) {
                throw new IllegalStateException(ex);
            }
        });
        thread.start();
        return thread;
    }

    @Test
    void waitingTooLongSaysForWhat() {
        RunnableTimer timer = runnable(() -> {});
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> timer.get(1, TimeUnit.MILLISECONDS))
                .withMessageContaining("1 MILLISECONDS")
                .withMessageContaining("WheelTimer@");
    }

    @Test
    void claimNeedsADeadlineThatHasCome() {
        RunnableTimer timer = runnable(() -> {});
        assertThat(timer.claim(NOW - 1)).isFalse();
        assertThat(timer.claim(NOW)).isTrue();
        assertThat(timer.claim(NOW)).isFalse();
    }

    @Test
    void claimThatIsTakenBackCanBeClaimedAgain() {
        RunnableTimer timer = runnable(() -> {});
        assertThat(timer.claim(NOW)).isTrue();
        timer.unclaim();
        assertThat(timer.reschedule(NOW + 800, TimeUnit.NANOSECONDS)).isTrue();
        assertThat(timer.claim(NOW)).isFalse();
        assertThat(timer.claim(NOW + 800)).isTrue();
        assertThat(timer.reschedule(1, TimeUnit.HOURS)).isFalse();
    }

    @Test
    void twoThreadsThatRunItRunItOnce() throws Exception {
        for (int round = 0; round < 500; round++) {
            AtomicInteger runs = new AtomicInteger();
            RunnableTimer timer = runnable(runs::incrementAndGet);
            CyclicBarrier barrier = new CyclicBarrier(2);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Thread thread = new Thread(() -> {
                    try {
                        int ignored = barrier.await();
                    } catch (Exception ex) {
                        throw new IllegalStateException(ex);
                    }
                    timer.run();
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join(20_000);
            }
            assertThat(runs).hasValue(1);
        }
        assertThat(owner.started).hasValue(500);
        assertThat(owner.ending).hasValue(500);
    }

    /** When a thread begins to wait for the result. */
    enum Waiter {
        NONE,
        BEFORE_THE_RUN,
        IN_THE_RUN
    }

    private static void beginToWaitFor(ScheduledTimer<?> timer) {
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> timer.get(0, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void interruptReachesTheRunAndDoesNotOutliveIt(Waiter waiter) throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        AtomicReference<String> outcome = new AtomicReference<>("not interrupted");
        RunnableTimer timer = runnable(() -> {
            running.countDown();
            try {
                never.await();
            } catch (InterruptedException ex) {
                outcome.set("interrupted");
                // As careful tasks do; it must not reach the next task of the worker all the same.
                Thread.currentThread().interrupt();
            }
        });
        AtomicReference<Boolean> leaked = new AtomicReference<>();
        Thread worker = new Thread(() -> {
            timer.run();
            leaked.set(Thread.interrupted());
        });
        if (waiter == Waiter.BEFORE_THE_RUN) {
            beginToWaitFor(timer);
        }
        worker.start();
        running.await();
        if (waiter == Waiter.IN_THE_RUN) {
            beginToWaitFor(timer);
        }
        assertThat(timer.cancel(true)).isTrue();
        worker.join(20_000);
        assertThat(outcome).hasValue("interrupted");
        assertThat(leaked).hasValue(false);
        assertThat(owner.cancelledRunning).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource
    void seriesGoesOnThoughAThreadWaitsForIt(Waiter waiter) {
        AtomicReference<PeriodicTimer> self = new AtomicReference<>();
        AtomicInteger runs = new AtomicInteger();
        PeriodicTimer timer = new PeriodicTimer(
                owner,
                () -> {
                    runs.incrementAndGet();
                    if (waiter == Waiter.IN_THE_RUN) {
                        beginToWaitFor(self.get());
                    }
                    // The claim of the run that is going on keeps others out.
                    self.get().run();
                },
                NOW,
                0x1_0000);
        self.set(timer);
        if (waiter == Waiter.BEFORE_THE_RUN) {
            beginToWaitFor(timer);
        }
        for (int run = 1; run <= 3; run++) {
            assertThat(timer.claim(Long.MAX_VALUE / 2)).isTrue();
            timer.run();
            assertThat(runs).hasValue(run);
            assertThat(timer.isOnItsThread()).isFalse();
        }
        assertThat(timer.cancel(false)).isTrue();
        assertThatExceptionOfType(CancellationException.class).isThrownBy(timer::get);
    }

    @Test
    void threadThatBeginsToWaitAtAnyMomentIsReleased() throws Exception {
        for (int round = 0; round < Scale.of(1_000, 3_000, 100_000); round++) {
            CallableTimer<String> timer = result("result");
            CyclicBarrier barrier = new CyclicBarrier(2);
            AtomicReference<String> seen = new AtomicReference<>();
            Thread waiter = inTime(barrier, () -> {
                try {
                    seen.set(timer.get());
                } catch (InterruptedException | ExecutionException ex) {
                    throw new IllegalStateException(ex);
                }
            });
            barrier.await();
            timer.run();
            waiter.join(20_000);
            assertThat(seen).hasValue("result");
            assertThat(timer.isOnItsThread()).isFalse();
        }
    }

    @Test
    void cancelWithinTheRunEndsTheSeriesWithoutAnInterrupt() {
        AtomicReference<PeriodicTimer> self = new AtomicReference<>();
        AtomicInteger runs = new AtomicInteger();
        PeriodicTimer timer = new PeriodicTimer(
                owner,
                () -> {
                    runs.incrementAndGet();
                    assertThat(self.get().cancel(true)).isTrue();
                },
                NOW,
                100);
        self.set(timer);
        assertThat(timer.claim(NOW)).isTrue();
        timer.run();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        timer.run();
        assertThat(runs).hasValue(1);
        assertThat(timer.isCancelled()).isTrue();
        assertThat(timer.claim(Long.MAX_VALUE / 2)).isFalse();
    }

    @Test
    void returnedTimerIsStillCancellableAndNotCounted() {
        RunnableTimer timer = runnable(() -> {});
        assertThat(timer.claim(NOW)).isTrue();
        assertThat(timer.giveBack()).isTrue();
        assertThat(timer.giveBack()).isFalse();
        assertThat(timer.isDone()).isFalse();
        assertThat(timer.reschedule(1, TimeUnit.NANOSECONDS)).isFalse();
        assertThat(timer.cancel(false)).isTrue();
        assertThat(owner.cancelledReturned).hasValue(1);
        assertThat(owner.started).hasValue(0);
    }

    @Test
    void repeatingTimerCannotBeRunBeforeItIsDue() {
        AtomicInteger runs = new AtomicInteger();
        PeriodicTimer timer = new PeriodicTimer(owner, runs::incrementAndGet, NOW, 100);
        timer.run();
        assertThat(runs).hasValue(0);
        assertThat(timer.claim(NOW)).isTrue();
        timer.run();
        assertThat(runs).hasValue(1);
    }

    @Test
    void deadlineIsKeptToEightNanosecondsAndNeverEarly() {
        for (long deadline = NOW - 20; deadline < NOW + 20; deadline++) {
            assertThat(new RunnableTimer(owner, () -> {}, deadline).getDelay(TimeUnit.NANOSECONDS))
                    .isBetween(deadline - NOW, deadline - NOW + 7);
            assertThat(new PeriodicTimer(owner, () -> {}, deadline, 5).exactDueNanos())
                    .isEqualTo(deadline);
        }
    }

    @Test
    void textSaysKindSituationAndTask() {
        Runnable task = new Report("from a secret");
        RunnableTimer timer = new RunnableTimer(owner, task, NOW + 1_000_000_000);
        assertThat(timer.toString()).startsWith("WheelTimer@").endsWith("[once, due in 1 s, task = report]");
        assertThat(timer.claim(NOW + 1_000_000_000)).isTrue();
        assertThat(timer.toString()).contains("[once, due for ");
        timer.run();
        assertThat(timer.toString()).endsWith("[once, failed: java.lang.IllegalStateException: on purpose]");
        PeriodicTimer rate = new PeriodicTimer(owner, task, NOW + 8_000, 5_000_000_000L);
        assertThat(rate.toString()).endsWith("[every 5 s, due in 0.008 ms, task = report]");
        PeriodicTimer delay = new PeriodicTimer(owner, task, NOW, -5_000_000_000L);
        assertThat(delay.toString()).contains("[with delay 5 s, ");
        assertThat(delay.cancel(false)).isTrue();
        assertThat(delay.toString()).endsWith("[with delay 5 s, cancelled]");
        RunnableTimer returned = runnable(task);
        assertThat(returned.giveBack()).isTrue();
        assertThat(returned.toString()).endsWith("[once, not scheduled, task = report]");
    }

    @Test
    void taskWithoutANameIsCalledAfterItsClass() {
        record Sync(String url, String apiKey) implements Runnable {
            @Override
            public void run() {}
        }
        assertThat(runnable(new Sync("https://example.com", "secret")).toString())
                .contains("task = " + Sync.class.getName())
                .doesNotContain("secret");
        assertThat(runnable(() -> {}).toString()).contains("task = " + ScheduledTimerTest.class.getName() + ".lambda]");
        NamedTask broken = () -> {
            throw new IllegalStateException("on purpose");
        };
        assertThat(NamedTask.of(broken)).isEqualTo(ScheduledTimerTest.class.getName() + ".lambda");
    }

    private record Report(String secret) implements Runnable, NamedTask {

        @Override
        public void run() {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public String taskName() {
            return "report";
        }
    }
}
