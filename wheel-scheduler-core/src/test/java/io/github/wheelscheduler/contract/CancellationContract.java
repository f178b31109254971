package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cancelling a task that runs once: before, during and after the run, twice, and from inside. */
abstract class CancellationContract extends ContractFixture {

    CancellationContract(Subject subject) {
        super(subject);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTaskCancelledBeforeItsRunNeverRuns(boolean mayInterrupt) throws InterruptedException {
        for (long delayMillis : new long[] {40, 60, HOURS.toMillis(1)}) {
            CountDownLatch ran = new CountDownLatch(1);
            long before = System.nanoTime();
            ScheduledFuture<?> future = executor.schedule(ran::countDown, delayMillis, MILLISECONDS);

            boolean cancelled = future.cancel(mayInterrupt);

            // A machine that stalls for the whole delay lets the task run first.
            boolean wasInTime = System.nanoTime() - before < MILLISECONDS.toNanos(delayMillis);
            assertThat(cancelled || !wasInTime).isTrue();
            if (wasInTime) {
                assertCancelled(future);
                assertThat(result(executor.schedule(() -> "later", 65, MILLISECONDS)))
                        .isEqualTo("later");
                assertStaysUntouched(ran);
            }
        }
    }

    @Test
    void taskCancelledWhileItWaitsForAWorkerNeverRuns() throws InterruptedException {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        CountDownLatch ran = new CountDownLatch(1);
        List<Future<?>> waiting = List.of(
                single.submit(ran::countDown),
                single.schedule(ran::countDown, 0, MILLISECONDS),
                single.schedule(ran::countDown, 1, MICROSECONDS));
        awaitClock(System.nanoTime() + MILLISECONDS.toNanos(10));

        waiting.forEach(each -> assertThat(each.cancel(true)).isTrue());
        held.release();

        waiting.forEach(ContractFixture::assertCancelled);
        assertThat(result(single.submit(() -> "next"))).isEqualTo("next");
        assertStaysUntouched(ran);
        assertThat(held.wasInterrupted()).as("the running task").isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancellingTwiceTellsThatTheSecondDidNothing(boolean mayInterrupt) {
        ScheduledFuture<String> future = executor.schedule(() -> "never", 1, HOURS);

        assertThat(future.cancel(mayInterrupt)).isTrue();
        assertThat(future.cancel(mayInterrupt)).isFalse();
        assertThat(future.cancel(!mayInterrupt)).isFalse();

        assertCancelled(future);
    }

    @Test
    void oneOfTwoSimultaneousCancelsWins() {
        int rounds = 5_000;
        List<ScheduledFuture<String>> futures = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            futures.add(executor.schedule(() -> "never", 1, HOURS));
        }
        AtomicIntegerArray told = new AtomicIntegerArray(rounds);
        AtomicInteger arrivals = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();

        together(2, number -> {
            race(rounds, round -> {
                arrivals.incrementAndGet();
                for (int spins = 0; arrivals.get() < 2 * (round + 1) && !over.get(); spins++) {
                    if (spins > 1_000) {
                        LockSupport.parkNanos(1);
                    }
                }
                if (arrivals.get() >= 2 * (round + 1) && futures.get(round).cancel(number == round % 2)) {
                    told.incrementAndGet(round);
                }
            });
            over.set(true);
        });

        // Where time ran out, one of the two may have begun rounds alone; those before were run by both.
        int alone = (int) futures.stream().filter(each -> !each.isCancelled()).count();
        assertThat(alone).as("rounds that were not run").isLessThan(rounds);
        for (int i = 0; i < rounds - alone; i++) {
            assertThat(told.get(i)).as("told to have cancelled, round %d", i).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void cancelWithoutInterruptLetsTheRunEnd(OneShot way) throws InterruptedException {
        HeldTask held = heldTask();
        Future<String> future = way.start(executor, held::call);
        await(held.begun);

        assertThat(future.cancel(false)).isTrue();

        assertCancelled(future);
        assertStaysUntouched(held.ended);
        held.release();
        await(held.ended);
        assertThat(held.wasInterrupted()).isFalse();
        assertThat(result(executor.schedule(() -> "later", 5, MILLISECONDS))).isEqualTo("later");
        assertCancelled(future);
    }

    @Test
    void taskMayCancelItselfWithoutInterrupt() {
        CompletableFuture<Future<?>> self = new CompletableFuture<>();
        CompletableFuture<String> seen = new CompletableFuture<>();
        Future<?> future = executor.submit(() -> {
            boolean cancelled = self.join().cancel(false);
            seen.complete(cancelled + " " + Thread.currentThread().isInterrupted());
        });
        self.complete(future);

        assertThat(result(seen)).isEqualTo("true false");
        awaitCancelled(future);
    }

    @Test
    void cancelWakesWhoWaitsForTheRunningTask() throws Exception {
        HeldTask held = heldTask();
        Future<String> future = executor.submit(held::call);
        await(held.begun);
        Caller<String> waiter = Caller.call(future::get).awaitBlocked();

        assertThat(future.cancel(false)).isTrue();

        assertThat(waiter.failure()).isInstanceOf(CancellationException.class);
    }

    @Test
    void neighboursWithTheSameDelayRunAllTheSame() {
        List<ScheduledFuture<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            int number = i;
            futures.add(executor.schedule(() -> number, 40, MILLISECONDS));
        }

        for (int i = 0; i < futures.size(); i += 3) {
            futures.get(i).cancel(false);
        }

        for (int i = 0; i < futures.size(); i++) {
            if (futures.get(i).isCancelled()) {
                assertThat(i % 3).isZero();
            } else {
                assertThat(result(futures.get(i))).isEqualTo(i);
            }
        }
    }

    @Test
    void uncancellableTaskHasRun() {
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger scheduled = new AtomicInteger();
        AtomicInteger cancelled = new AtomicInteger();
        race(3_000, round -> {
            ScheduledFuture<Integer> future = executor.schedule(runs::incrementAndGet, round % 100, MICROSECONDS);
            scheduled.incrementAndGet();
            if (round % 7 == 0) {
                LockSupport.parkNanos(MICROSECONDS.toNanos(20));
            }
            if (future.cancel(false)) {
                assertCancelled(future);
                cancelled.incrementAndGet();
            } else {
                assertThat(result(future)).isPositive();
            }
        });

        assertThat(result(executor.schedule(() -> "later", 20, MILLISECONDS))).isEqualTo("later");
        assertThat(runs.get())
                .as("runs of %s tasks, %s cancelled", scheduled, cancelled)
                .isBetween(scheduled.get() - cancelled.get(), scheduled.get());
    }

    @Test
    void runByHandDoesNothingOnceCancelled() throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        ScheduledFuture<?> future = executor.schedule(ran::countDown, 1, HOURS);
        assertThat(future.cancel(false)).isTrue();

        ((RunnableFuture<?>) future).run();

        assertStaysUntouched(ran);
        assertCancelled(future);
    }

    /** The future is still held here; the task must not be, however far its deadline was. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEndedFutureLetsGoOfItsTask(boolean cancel) {
        byte[] heavy = new byte[1];
        WeakReference<byte[]> reference = new WeakReference<>(heavy);
        ScheduledFuture<Integer> future = scheduleWith(heavy, cancel ? HOURS.toMillis(1) : 1);
        heavy = new byte[0];

        if (cancel) {
            assertThat(future.cancel(false)).isTrue();
        } else {
            assertThat(result(future)).isEqualTo(1);
        }

        eventually(() -> {
            System.gc();
            return reference.get() == null;
        });
        assertThat(future.isDone()).isTrue();
        assertThat(heavy).isEmpty();
    }

    private ScheduledFuture<Integer> scheduleWith(byte[] heavy, long delayMillis) {
        return executor.schedule(() -> heavy.length, delayMillis, MILLISECONDS);
    }
}
