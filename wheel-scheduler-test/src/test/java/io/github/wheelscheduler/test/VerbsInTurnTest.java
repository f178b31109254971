package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Time is moved by one thread at a time, and by one of the tests that share it. */
@ExtendWith(VirtualTimeExtension.class)
@SuppressWarnings("FutureReturnValueIgnored") // as users write it
class VerbsInTurnTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final long REFUSED_NANOS = 100_000;

    @Test
    void verbsOfManyThreadsAreRefusedAndNoRunIsLost(VirtualTime time) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        WheelTaskScheduler scheduler = time.newScheduler();
        CountDownLatch isRefused = new CountDownLatch(1);
        scheduler.scheduleAtFixedRate(
                () -> {
                    await(isRefused);
                    runs.incrementAndGet();
                },
                time.now().plusSeconds(1),
                Duration.ofSeconds(1));
        AtomicInteger hours = new AtomicInteger();
        ConcurrentLinkedQueue<Throwable> refusals = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(onItsOwnThread(() -> {
                while (hours.get() < 3) {
                    try {
                        time.advanceBy(HOUR);
                        hours.incrementAndGet();
                    } catch (IllegalStateException ex) {
                        refusals.add(ex);
                        isRefused.countDown();
                        // The thread that moves time needs a processor more than these do.
                        LockSupport.parkNanos(REFUSED_NANOS);
                    }
                }
            }));
        }
        for (CompletableFuture<Void> thread : threads) {
            assertThat(thread.get(120, TimeUnit.SECONDS)).isNull();
        }
        assertThat(time.now()).isEqualTo(VirtualTime.DEFAULT_START.plus(HOUR.multipliedBy(hours.get())));
        assertThat(runs).hasValue(3_600 * hours.get());
        assertThat(refusals)
                .isNotEmpty()
                .allSatisfy(refusal -> assertThat(refusal)
                        .hasMessageStartingWith(
                                "Time must be moved by one thread at a time, and by no task, but advanceBy(PT1H)"));
    }

    @Test
    void verbOfARunIsRefused(VirtualTime time) {
        List<Throwable> refusals = new ArrayList<>();
        time.newScheduler()
                .schedule(
                        () -> {
                            try {
                                time.advanceBy(HOUR);
                            } catch (IllegalStateException ex) {
                                refusals.add(ex);
                            }
                        },
                        time.now());
        time.runCurrent();
        assertThat(refusals).hasSize(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> time.advanceUntil(
                        () -> {
                            time.runCurrent();
                            return true;
                        },
                        HOUR));
        time.advanceUntil(() -> time.nextDue().isEmpty(), HOUR);
        time.advanceBy(HOUR);
    }

    @Test
    void verbOfARunIsRefusedBesideNoOther(VirtualTime time) throws Exception {
        Future<?> run = time.newScheduler().submit(() -> time.advanceBy(HOUR));
        assertThatThrownBy(() -> run.get(30, TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .rootCause()
                .hasMessageStartingWith("Time must be moved by no task, but advanceBy(PT1H) was called from a run");
        time.advanceBy(HOUR);
    }

    @Test
    void verbOfARunIsRefusedWhileATestBegins(VirtualTime time) throws Exception {
        // A part of this is how long a test that begins waits for the run of an earlier one.
        time.setPatience(Duration.ofMinutes(10));
        CountDownLatch isRunning = new CountDownLatch(1);
        CountDownLatch isAwaited = new CountDownLatch(1);
        Future<?> run = time.newScheduler().submit(() -> {
            isRunning.countDown();
            await(isAwaited);
            time.advanceBy(HOUR);
        });
        await(isRunning);
        Thread begin = new Thread(time::settle);
        begin.start();
        long startNanos = System.nanoTime();
        while (Stream.of(begin.getStackTrace())
                .noneMatch(frame -> frame.getClassName().equals(Stillness.class.getName()))) {
            assertThat(System.nanoTime() - startNanos).isLessThan(TimeUnit.SECONDS.toNanos(60));
            LockSupport.parkNanos(REFUSED_NANOS);
        }
        isAwaited.countDown();
        assertThatThrownBy(() -> run.get(60, TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .rootCause()
                .hasMessageStartingWith("Time must be moved by no task, but advanceBy(PT1H) was called from a run");
        begin.join(60_000);
        assertThat(begin.isAlive()).isFalse();
    }

    @Test
    void testThatMovesTimeKeepsOthersFromItUntilItsEnd(VirtualTime time) throws Exception {
        time.newScheduler();
        CountDownLatch hasMoved = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch hasEnded = new CountDownLatch(1);
        CompletableFuture<Void> first = onItsOwnThread(() -> {
            time.turn().begin(new Turn.Test("First.test()", Set.of()));
            time.advanceBy(HOUR);
            hasMoved.countDown();
            await(mayEnd);
            time.advanceBy(HOUR);
            time.turn().end();
            hasEnded.countDown();
        });
        time.turn().begin(new Turn.Test("Second.test()", Set.of()));
        await(hasMoved);
        assertThatIllegalStateException()
                .isThrownBy(() -> time.advanceBy(HOUR))
                .withMessageStartingWith(
                        "Tests that share a context must move its time one after the other, but Second.test()"
                                + " called advanceBy(PT1H) while First.test(), which has moved it or set its order,"
                                + " is going on");
        mayEnd.countDown();
        await(hasEnded);
        time.advanceBy(HOUR);
        time.turn().end();
        assertThat(first.get(30, TimeUnit.SECONDS)).isNull();
        assertThat(time.now()).isEqualTo(VirtualTime.DEFAULT_START.plus(HOUR.multipliedBy(3)));
    }

    @Test
    void testThatLooksKeepsNoOthersFromMovingTime(VirtualTime time) throws Exception {
        time.newScheduler();
        time.turn().begin(new Turn.Test("Looks.test()", Set.of()));
        assertThat(time.nextDue()).isEmpty();
        CompletableFuture<Void> other = onItsOwnThread(() -> {
            time.turn().begin(new Turn.Test("Moves.test()", Set.of()));
            time.advanceBy(HOUR);
            time.turn().end();
        });
        assertThat(other.get(60, TimeUnit.SECONDS)).isNull();
        time.setOrder(RunOrder.RANDOM);
        CompletableFuture<Void> late = onItsOwnThread(() -> {
            time.turn().begin(new Turn.Test("Late.test()", Set.of()));
            time.advanceBy(HOUR);
        });
        assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .rootCause()
                .hasMessageContaining("while Looks.test(), which has moved it or set its order, is going on");
        time.turn().end();
    }

    @Test
    void timePassesUntilNothingIsPendingWithinABound(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        AtomicInteger runs = new AtomicInteger();
        scheduler.schedule(
                () -> scheduler.schedule(runs::incrementAndGet, time.now().plus(HOUR)),
                time.now().plus(HOUR));
        time.advanceUntilIdle(Duration.ofDays(1));
        assertThat(runs).hasValue(1);
        assertThat(time.now()).isEqualTo(VirtualTime.DEFAULT_START.plus(HOUR.multipliedBy(2)));
        scheduler.scheduleAtFixedRate(runs::incrementAndGet, HOUR);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> time.advanceUntilIdle(Duration.ofHours(10)))
                .withMessageStartingWith(
                        "Nothing must be pending any more, and no task repeat, within 10 h of virtual time");
        assertThat(runs).hasValue(12);
    }

    /** The common pool of a machine with two cores has one thread on JDK 25. */
    private static CompletableFuture<Void> onItsOwnThread(Runnable work) {
        return CompletableFuture.runAsync(work, task -> new Thread(task).start());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }
}
