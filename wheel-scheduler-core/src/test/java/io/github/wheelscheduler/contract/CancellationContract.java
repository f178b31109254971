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
        CountDownLatch ran = new CountDownLatch(1);
        ScheduledFuture<?> soon = executor.schedule(ran::countDown, 40, MILLISECONDS);
        ScheduledFuture<?> far = executor.schedule(ran::countDown, 1, HOURS);

        assertThat(soon.cancel(mayInterrupt)).isTrue();
        assertThat(far.cancel(mayInterrupt)).isTrue();

        assertCancelled(soon);
        assertCancelled(far);
        assertThat(result(executor.schedule(() -> "later", 50, MILLISECONDS))).isEqualTo("later");
        assertStaysUntouched(ran);
    }

    @Test
    void aTaskCancelledWhileItWaitsForAWorkerNeverRuns() throws InterruptedException {
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
    void ofTwoThatCancelAtOnceExactlyOneIsTold() {
        int rounds = 5_000;
        List<ScheduledFuture<String>> futures = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            futures.add(executor.schedule(() -> "never", 1, HOURS));
        }
        AtomicIntegerArray told = new AtomicIntegerArray(rounds);
        AtomicInteger arrivals = new AtomicInteger();

        together(2, number -> {
            for (int i = 0; i < rounds; i++) {
                arrivals.incrementAndGet();
                for (int spins = 0; arrivals.get() < 2 * (i + 1); spins++) {
                    if (spins > 1_000) {
                        LockSupport.parkNanos(1);
                    }
                }
                if (futures.get(i).cancel(number == i % 2)) {
                    told.incrementAndGet(i);
                }
            }
        });

        for (int i = 0; i < rounds; i++) {
            assertThat(told.get(i)).as("told to have cancelled, round %d", i).isEqualTo(1);
            assertThat(futures.get(i).isCancelled()).isTrue();
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
    void aTaskMayCancelItselfWithoutInterrupt() {
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
    void whatCouldNotBeCancelledHasRun() {
        int count = 3_000;
        AtomicInteger runs = new AtomicInteger();
        int cancelled = 0;
        for (int i = 0; i < count; i++) {
            ScheduledFuture<Integer> future = executor.schedule(runs::incrementAndGet, i % 100, MICROSECONDS);
            if (i % 7 == 0) {
                LockSupport.parkNanos(MICROSECONDS.toNanos(20));
            }
            if (future.cancel(false)) {
                assertCancelled(future);
                cancelled++;
            } else {
                assertThat(result(future)).isPositive();
            }
        }

        result(executor.schedule(() -> "later", 20, MILLISECONDS));
        assertThat(runs.get())
                .as("runs of %d tasks, %d cancelled", count, cancelled)
                .isBetween(count - cancelled, count);
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
