package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whom {@code cancel(true)} interrupts: the run of its own task, and nothing that the same thread does later. */
abstract class InterruptContract extends ContractFixture {

    InterruptContract(Subject subject) {
        super(subject);
    }

    @ParameterizedTest
    @EnumSource
    void cancelWithInterruptInterruptsTheRun(OneShot way) {
        HeldTask held = heldTask();
        Future<String> future = way.start(executor, held::call);
        await(held.begun);

        assertThat(future.cancel(true)).isTrue();

        assertCancelled(future);
        await(held.ended);
        assertThat(held.wasInterrupted()).isTrue();
        assertThat(result(executor.schedule(() -> "later", 5, MILLISECONDS))).isEqualTo("later");
        assertCancelled(future);
    }

    @Test
    void runThatFailsAfterItsCancellationStaysCancelled() {
        HeldTask held = heldTask();
        CountDownLatch thrown = new CountDownLatch(1);
        Future<?> future = executor.submit(() -> {
            held.run();
            thrown.countDown();
            throw new IllegalStateException("on purpose");
        });
        await(held.begun);

        assertThat(future.cancel(true)).isTrue();

        await(thrown);
        assertThat(result(executor.schedule(() -> "later", 5, MILLISECONDS))).isEqualTo("later");
        assertCancelled(future);
    }

    @Test
    void cancelInterruptsNoOtherRunThanItsOwn() throws InterruptedException {
        HeldTask bystander = hold(executor);
        HeldTask target = heldTask();
        Future<?> running = executor.submit(target::run);
        Future<?> waiting = executor.schedule(target::run, 1, HOURS);
        Future<String> ended = executor.submit(() -> "value");
        await(target.begun);
        awaitDone(ended);

        assertThat(running.cancel(true)).isTrue();
        assertThat(waiting.cancel(true)).isTrue();
        assertThat(ended.cancel(true)).isFalse();

        await(target.ended);
        assertThat(target.wasInterrupted()).isTrue();
        assertStaysUntouched(bystander.ended);
        assertThat(bystander.wasInterrupted()).isFalse();
    }

    /** The worker that ran the ended task is the one that runs the next: it must not be hit in its place. */
    @Test
    void cancellingAnEndedTaskLeavesTheNextOnItsWorkerAlone() throws InterruptedException {
        ScheduledExecutorService single = newSingleWorker();
        Future<String> ended = single.submit(() -> "value");
        awaitDone(ended);
        HeldTask next = hold(single);

        assertThat(ended.cancel(true)).isFalse();

        assertStaysUntouched(next.ended);
        assertThat(next.wasInterrupted()).isFalse();
    }

    @Test
    void interruptThatTheTaskDidNotHeedIsNotSeenByTheNext() {
        ScheduledExecutorService single = newSingleWorker();
        for (int round = 0; round < 20; round++) {
            HeldTask held = heldTask();
            CountDownLatch interruptedAgain = new CountDownLatch(1);
            Future<?> first = single.submit(() -> {
                held.run();
                Thread.currentThread().interrupt();
                interruptedAgain.countDown();
            });
            await(held.begun);

            assertThat(first.cancel(true)).isTrue();

            await(interruptedAgain);
            assertThat(result(single.submit(() -> Thread.currentThread().isInterrupted())))
                    .isFalse();
        }
    }

    /** The next task looks for a while, since an interrupt that comes late may hit it in the middle. */
    @Test
    void interruptThatArrivesAsTheRunEndsIsNotSeenByTheNext() {
        ScheduledExecutorService single = newSingleWorker();
        race(4_000, round -> {
            AtomicBoolean begun = new AtomicBoolean();
            Future<?> first = single.submit(() -> begun.set(true));
            Future<Boolean> second = single.submit(() -> {
                boolean interrupted = false;
                for (int look = 0; look < 500 && !interrupted; look++) {
                    interrupted = Thread.currentThread().isInterrupted();
                }
                return interrupted;
            });
            while (!begun.get() && !Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
            for (int spin = 0; spin < round % 64; spin++) {
                Thread.onSpinWait();
            }

            boolean cancelled = first.cancel(true);

            assertThat(result(second))
                    .as("round %d, cancelled %s", round, cancelled)
                    .isFalse();
        });
    }

    @Test
    void taskMayCancelItselfWithInterrupt() {
        ScheduledExecutorService single = newSingleWorker();
        CompletableFuture<Future<?>> self = new CompletableFuture<>();
        CompletableFuture<String> seen = new CompletableFuture<>();
        Future<?> future = single.schedule(
                () -> {
                    boolean cancelled = self.join().cancel(true);
                    seen.complete(cancelled + " " + Thread.currentThread().isInterrupted());
                },
                1,
                MILLISECONDS);
        self.complete(future);

        assertThat(result(seen)).isEqualTo("true true");
        awaitCancelled(future);
        assertThat(result(single.submit(() -> Thread.currentThread().isInterrupted())))
                .isFalse();
    }
}
