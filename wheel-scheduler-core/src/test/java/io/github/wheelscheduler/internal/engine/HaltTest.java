package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What an executor does while it is halted: due timers stay in the wheel, what has no time of its own runs. */
class HaltTest {

    private final List<Integer> order = Collections.synchronizedList(new ArrayList<>());

    @Test
    void dueTimersWaitAndRunInTheirOrderAfterwards() {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxWorkers(1))) {
            time.executor.halt();
            for (int i = 0; i < 20_000; i++) {
                int number = i;
                WheelTimer<?> ignored =
                        time.executor.schedule(() -> order.add(number), i % 2 == 0 ? 0 : i / 2, MILLISECONDS);
            }
            time.pass(Duration.ofSeconds(11));
            assertThat(order).isEmpty();
            assertThat(time.executor.pendingCount()).isEqualTo(20_000);
            assertThat(time.executor.isHalted()).isTrue();
            time.executor.proceed();
            time.awaitQuiet();
            assertThat(order).hasSize(20_000).doesNotHaveDuplicates();
            assertThat(order.stream().filter(number -> number % 2 == 1)).isSorted();
            assertThat(order.stream().filter(number -> number % 2 == 0)).isSorted();
            assertThat(time.executor.isHalted()).isFalse();
        }
    }

    @Test
    void executedAndSubmittedTasksRunAndOverflowNothing() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            time.executor.halt();
            WheelTimer<?> held = time.executor.schedule(() -> order.add(-1), 0, SECONDS);
            List<Future<?>> submitted = new ArrayList<>();
            for (int i = 0; i < 30_000; i++) {
                submitted.add(time.executor.submit(() -> order.add(1)));
            }
            for (Future<?> future : submitted) {
                assertThat(future.get(30, SECONDS)).isEqualTo(true);
            }
            assertThat(order).hasSize(30_000).doesNotContain(-1);
            assertThat(held.isDone()).isFalse();
            assertThat(time.executor.pendingCount()).isOne();
        }
    }

    @Test
    void tickThreadSleepsThoughManyHeldTimersAreDue() {
        try (VirtualTime time = new VirtualTime()) {
            IntStream.range(0, 200_000).forEach(i -> {
                WheelTimer<?> ignored = time.executor.schedule(() -> order.add(1), 9, SECONDS);
            });
            time.awaitQuiet();
            time.executor.halt();
            long before = time.executor.snapshot().tick().wakeUps();
            for (int i = 0; i < 20; i++) {
                time.jump(Duration.ofSeconds(1));
            }
            assertThat(time.executor.snapshot().tick().wakeUps() - before).isLessThan(20);
            assertThat(order).isEmpty();
            time.executor.proceed();
            time.awaitQuiet();
            assertThat(order).hasSize(200_000);
        }
    }

    @Test
    void timersThatAreHeldCanBeCancelledAndMoved() {
        try (VirtualTime time = new VirtualTime()) {
            time.executor.halt();
            WheelTimer<?> cancelled = time.executor.schedule(() -> order.add(0), 1, SECONDS);
            WheelTimer<?> moved = time.executor.schedule(() -> order.add(1), 1, SECONDS);
            time.jump(Duration.ofSeconds(2));
            assertThat(cancelled.cancel(false)).isTrue();
            assertThat(moved.reschedule(1, HOURS)).isTrue();
            time.executor.proceed();
            time.awaitQuiet();
            assertThat(order).isEmpty();
            time.pass(Duration.ofHours(1));
            assertThat(order).containsExactly(1);
        }
    }

    @Test
    void fixedRateKeepsItsPhaseAndMakesUpWhatItsLimitAllows() {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxCatchUp(3))) {
            VirtualTime.Recorder recorder = time.recorder();
            WheelTimer<?> ignored = time.executor.scheduleAtFixedRate(recorder, 10, 10, MILLISECONDS);
            time.pass(Duration.ofMillis(15));
            assertThat(recorder.take()).containsExactly(10L);
            time.executor.halt();
            time.pass(Duration.ofMillis(100));
            assertThat(recorder.take()).isEmpty();
            time.executor.proceed();
            time.awaitQuiet();
            assertThat(recorder.take()).hasSize(4).containsOnly(115L);
            time.pass(Duration.ofMillis(10));
            assertThat(recorder.take()).containsExactly(120L);
        }
    }

    @Test
    void shutdownDropsWhatIsHeldAndEnds() {
        try (VirtualTime time = new VirtualTime()) {
            time.executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(true);
            WheelTimer<?> once = time.executor.schedule(() -> order.add(0), 1, SECONDS);
            WheelTimer<?> rate = time.executor.scheduleAtFixedRate(() -> order.add(1), 1, 1, SECONDS);
            time.executor.halt();
            time.jump(Duration.ofSeconds(2));
            time.executor.shutdown();
            assertThat(once.isCancelled()).isTrue();
            assertThat(rate.isCancelled()).isTrue();
            time.awaitQuiet();
            awaitThat(time.executor::isTerminated);
            assertThat(order).isEmpty();
        }
    }

    @Test
    void pauseAndHaltAreTwoMattersAndBothHaveToEnd() {
        try (VirtualTime time = new VirtualTime()) {
            AtomicInteger runs = new AtomicInteger();
            time.executor.halt();
            time.executor.pause();
            WheelTimer<?> ignored = time.executor.schedule(runs::incrementAndGet, 1, SECONDS);
            Future<?> submitted = time.executor.submit(runs::incrementAndGet);
            time.jump(Duration.ofSeconds(2));
            assertThat(runs).hasValue(0);
            time.executor.resume();
            time.awaitQuiet();
            assertThat(runs).hasValue(1);
            assertThat(submitted.isDone()).isTrue();
            time.executor.pause();
            time.executor.proceed();
            time.awaitQuiet();
            assertThat(runs).hasValue(1);
            time.executor.resume();
            time.awaitQuiet();
            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void noHaltComesAfterAShutdown() {
        try (VirtualTime time = new VirtualTime()) {
            WheelTimer<?> once = time.executor.schedule(() -> order.add(0), 1, SECONDS);
            time.executor.shutdown();
            time.executor.halt();
            assertThat(time.executor.isHalted()).isFalse();
            time.pass(Duration.ofSeconds(1));
            assertThat(order).containsExactly(0);
            assertThat(once.isDone()).isTrue();
            awaitThat(time.executor::isTerminated);
        }
    }

    @Test
    void tasksSubmittedBeforeRunHoweverTheyWereHeldUp() throws Exception {
        try (WheelScheduledExecutor executor =
                WheelScheduledExecutor.builder().maxWorkers(1).build()) {
            Gate busy = new Gate();
            executor.execute(busy);
            busy.awaitArrivals(1);
            List<Future<?>> submitted = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                submitted.add(executor.submit(() -> {}));
            }
            executor.halt();
            busy.open();
            for (Future<?> future : submitted) {
                assertThat(future.get(30, SECONDS)).isNull();
            }
            executor.pause();
            Future<?> whilePaused = executor.submit(() -> {});
            executor.resume();
            assertThat(whilePaused.get(30, SECONDS)).isNull();
        }
    }

    @Test
    void noSubmissionIsHeldByAHaltMeanwhile() throws Exception {
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build()) {
            for (int round = 0; round < 300; round++) {
                CountDownLatch begun = new CountDownLatch(1);
                Thread halter = new Thread(() -> {
                    begun.countDown();
                    executor.halt();
                });
                halter.start();
                begun.await();
                List<Future<?>> submitted = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    submitted.add(executor.submit(() -> {}));
                }
                for (Future<?> future : submitted) {
                    assertThat(future.get(30, SECONDS)).isNull();
                }
                halter.join();
                executor.proceed();
            }
        }
    }

    @Test
    void openingWakesTheTickThreadWhereverItIs() throws Exception {
        long base = System.nanoTime() + HOURS.toNanos(300);
        TimeSource negative = new TimeSource() {
            @Override
            public long nanoTime() {
                return super.nanoTime() - base;
            }
        };
        try (WheelScheduledExecutor executor =
                WheelScheduledExecutor.builder().timeSource(negative).build()) {
            for (int round = 0; round < 2_000; round++) {
                executor.halt();
                CountDownLatch ran = new CountDownLatch(1);
                WheelTimer<?> ignored = executor.schedule(ran::countDown, 0, SECONDS);
                for (int i = 0; i < round % 200; i++) {
                    Thread.onSpinWait();
                }
                executor.proceed();
                assertThat(ran.await(30, SECONDS)).isTrue();
            }
        }
    }

    @Test
    void firstDeadlineIsKnown() {
        try (VirtualTime time = new VirtualTime()) {
            assertThat(time.executor.untilFirstDue()).isNull();
            WheelTimer<?> far = time.executor.schedule(() -> {}, 2, HOURS);
            WheelTimer<?> near = time.executor.schedule(() -> {}, 1, HOURS);
            assertThat(time.executor.untilFirstDue()).isEqualTo(Duration.ofHours(1));
            assertThat(near.cancel(false)).isTrue();
            assertThat(time.executor.untilFirstDue()).isEqualTo(Duration.ofHours(2));
            time.executor.halt();
            time.jump(Duration.ofHours(3));
            assertThat(time.executor.untilFirstDue()).isEqualTo(Duration.ZERO);
            assertThat(far.cancel(false)).isTrue();
            assertThat(time.executor.untilFirstDue()).isNull();
        }
    }
}
