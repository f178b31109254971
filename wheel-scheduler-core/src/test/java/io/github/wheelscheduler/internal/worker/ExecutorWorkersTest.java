package io.github.wheelscheduler.internal.worker;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs that are handed to a thread of their own, or to a given executor: at once, in order, once, also where some fail.
 */
class ExecutorWorkersTest {

    private final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);
    private final Recorder recorder = new Recorder();
    private final AtomicInteger ran = new AtomicInteger();
    private final List<Workers> opened = new ArrayList<>();

    @AfterEach
    void stop() {
        recorder.failing = null;
        opened.forEach(workers -> {
            assertThat(workers.stopNow()).isNotNull();
            awaitThat(workers::hasEnded);
        });
        log.close();
    }

    static ExecutorWorkers workers(Workers.Listener listener, Executor target) {
        return new ExecutorWorkers(
                target, ExecutorWorkersTest::daemon, Integer.MAX_VALUE, System::nanoTime, listener, null);
    }

    private ExecutorWorkers start(ExecutorWorkers workers) {
        opened.add(workers);
        workers.start();
        return workers;
    }

    private ExecutorWorkers withThreads(ThreadFactory threads, int maxSize) {
        return start(new ExecutorWorkers(
                new ThreadPerRun(threads), ExecutorWorkersTest::daemon, maxSize, System::nanoTime, recorder, null));
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }

    @Test
    void runThatCannotBeShownIsNotCountedAndGoesTheLongWay() throws Exception {
        ExecutorWorkers workers = withThreads(ExecutorWorkersTest::daemon, 1);
        Field inFlight = ExecutorWorkers.class.getDeclaredField("inFlight");
        Field isSweeping = InFlight.class.getDeclaredField("isSweeping");
        inFlight.setAccessible(true);
        isSweeping.setAccessible(true);
        Object list = inFlight.get(workers);
        Object before = isSweeping.get(list);
        // Stands for any error at that place.
        isSweeping.set(list, null);
        try {
            assertThat(workers.handOverNow(ran::incrementAndGet, 0)).isTrue();
        } finally {
            isSweeping.set(list, before);
        }
        workers.signal();
        awaitThat(() -> ran.get() == 1 && workers.isDrained());
        assertThat(workers.handOverNow(ran::incrementAndGet, 0)).isTrue();
        awaitThat(() -> ran.get() == 2 && workers.isDrained());
    }

    @Test
    void threadOfARunThatIsDueNowIsStartedByItsCaller() {
        Queue<Thread> askers = new ConcurrentLinkedQueue<>();
        ExecutorWorkers workers = withThreads(
                run -> {
                    askers.add(Thread.currentThread());
                    return daemon(run);
                },
                Integer.MAX_VALUE);
        for (int i = 0; i < 10; i++) {
            assertThat(workers.handOverNow(ran::incrementAndGet, 0)).isTrue();
            workers.signal();
        }
        awaitThat(() -> ran.get() == 10 && workers.isDrained() && workers.activeCount() == 0);
        assertThat(askers).hasSize(10).containsOnly(Thread.currentThread());
    }

    /** How a thread factory fails. */
    enum Failure {
        THROWS,
        RETURNS_NULL,
        RETURNS_A_STARTED_THREAD;

        Thread fail() {
            return switch (this) {
                case THROWS -> throw new OutOfMemoryError("on purpose");
                case RETURNS_NULL -> cast(null);
                case RETURNS_A_STARTED_THREAD -> {
                    Thread thread = daemon(() -> {});
                    thread.start();
                    yield thread;
                }
            };
        }

        @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
        private static <T> T cast(@Nullable T value) {
            return value;
        }
    }

    @ParameterizedTest
    @EnumSource
    void threadThatItsCallerCannotStartIsStartedByTheFeeder(Failure failure) {
        AtomicInteger asked = new AtomicInteger();
        ExecutorWorkers workers =
                withThreads(run -> asked.getAndIncrement() < 2 ? failure.fail() : daemon(run), Integer.MAX_VALUE);
        assertThat(workers.handOverNow(ran::incrementAndGet, 0)).isTrue();
        workers.signal();
        awaitThat(() -> ran.get() == 1 && workers.isDrained());
        assertThat(workers.refusedHandOvers()).isEqualTo(2);
        assertThat(workers.activeCount()).isZero();
        assertThat(log.messages()).hasSize(1);
    }

    @Test
    void runsOfACallerStartInOrderByCallerAndFeeder() {
        Queue<String> started = new ConcurrentLinkedQueue<>();
        Queue<Thread> askers = new ConcurrentLinkedQueue<>();
        ExecutorWorkers workers = withThreads(
                run -> {
                    started.add(run.toString());
                    askers.add(Thread.currentThread());
                    return daemon(run);
                },
                3);
        int runs = Scale.of(5_000, 200_000);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            Named run = new Named(Integer.toString(i), ran);
            expected.add(run.name());
            while (!workers.handOverNow(run, 0)) {
                Thread.onSpinWait();
            }
            workers.signal();
            if (i % 10 == 0) {
                LockSupport.parkNanos(50_000);
            }
        }
        awaitThat(() -> ran.get() == runs && workers.isDrained());
        assertThat(started).containsExactlyElementsOf(expected);
        // The caller and the feeder; on a busy machine one of them may start them all.
        assertThat(askers.stream().distinct()).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void noMoreThreadsAreStartedThanAllowed() {
        ExecutorWorkers workers = withThreads(ExecutorWorkersTest::daemon, 2);
        Gate gate = new Gate();
        for (int i = 0; i < 5; i++) {
            assertThat(workers.handOverNow(gate, 0)).isTrue();
            workers.signal();
        }
        gate.awaitArrivals(2);
        assertThat(workers.readyCount()).isEqualTo(3);
        assertThat(workers.activeCount()).isEqualTo(2);
        gate.open();
        gate.awaitArrivals(5);
        awaitThat(workers::isDrained);
    }

    @Test
    void pausedOrStoppedWorkersTakeNothingFromACaller() {
        ExecutorWorkers workers = withThreads(ExecutorWorkersTest::daemon, 2);
        workers.pause();
        assertThat(workers.handOverNow(ran::incrementAndGet, 0)).isFalse();
        workers.resume();
        workers.stop();
        assertThat(workers.handOverNow(ran::incrementAndGet, 0)).isFalse();
        assertThat(workers.isDrained()).isTrue();
    }

    @Test
    void runThatIsStartedWhileTheWorkersAreStoppedIsNotLost() throws Exception {
        for (int round = 0; round < Scale.of(150, 500, 20_000); round++) {
            ExecutorWorkers workers = new ExecutorWorkers(
                    new ThreadPerRun(ExecutorWorkersTest::daemon),
                    ExecutorWorkersTest::daemon,
                    4,
                    System::nanoTime,
                    new Recorder(),
                    null);
            workers.start();
            AtomicInteger accepted = new AtomicInteger();
            AtomicInteger done = new AtomicInteger();
            Thread caller = new Thread(() -> {
                while (workers.handOverNow(done::incrementAndGet, 0)) {
                    workers.signal();
                    accepted.incrementAndGet();
                }
            });
            caller.start();
            awaitThat(() -> accepted.get() > 0);
            LockSupport.parkNanos(round % 50 * 1_000L);
            int returned = 0;
            for (List<Runnable> some = workers.stopNow(); !some.isEmpty(); some = workers.stopNow()) {
                returned += some.size();
            }
            caller.join();
            awaitThat(workers::hasEnded);
            // What a caller has put into the queue after it was emptied is for the caller to withdraw.
            long left = workers.readyCount();
            long neverRan = returned + left;
            awaitThat(() -> done.get() + neverRan == accepted.get());
        }
    }

    @Test
    void runsThatAPauseHasSentBackGoFirstAndInTheirOrder() {
        Queue<Runnable> taken = new ConcurrentLinkedQueue<>();
        List<String> order = new CopyOnWriteArrayList<>();
        ExecutorWorkers workers = start(workers(recorder, taken::add));
        for (int i = 0; i < 6; i++) {
            if (i == 3) {
                awaitThat(() -> taken.size() == 3);
                workers.pause();
                runAll(taken);
                assertThat(workers.readyCount()).isEqualTo(3);
                assertThat(workers.oldestReadyNanos(100)).isEqualTo(100);
            }
            String name = Integer.toString(i);
            workers.handOver(() -> order.add(name), i);
            workers.signal();
        }
        assertThat(order).isEmpty();
        assertThat(workers.readyCount()).isEqualTo(6);
        List<Runnable> waiting = new ArrayList<>();
        workers.forEachReady(waiting::add);
        assertThat(waiting).hasSize(6);
        assertThat(workers.isDrained()).isFalse();
        workers.resume();
        awaitThat(() -> taken.size() == 6);
        runAll(taken);
        assertThat(order).containsExactly("0", "1", "2", "3", "4", "5");
        assertThat(workers.readyCount()).isZero();
        awaitThat(workers::isDrained);
    }

    /** Where runs go. */
    enum Target {
        THREAD_PER_RUN,
        GIVEN_EXECUTOR;

        Executor create() {
            Executor threads = new ThreadPerRun(ExecutorWorkersTest::daemon);
            // Its runs are on their way for a while, so that pauses catch many.
            Executor slow = run -> threads.execute(() -> {
                LockSupport.parkNanos(100_000);
                run.run();
            });
            return this == THREAD_PER_RUN ? threads : slow;
        }
    }

    @ParameterizedTest
    @EnumSource
    void pausesLoseNoRunAndWorkersEndAfterwards(Target target) {
        Seed.play(random -> {
            for (int round = 0; round < Scale.of(8, 20, 2_000); round++) {
                int maxSize = random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(1, 16);
                ExecutorWorkers workers = start(new ExecutorWorkers(
                        target.create(), ExecutorWorkersTest::daemon, maxSize, System::nanoTime, recorder, null));
                ran.set(0);
                int runs = random.nextInt(50, 300);
                SplittableRandom pauses = random.split();
                Thread pauser = daemon(() -> {
                    for (int i = 0; i < 20; i++) {
                        workers.pause();
                        LockSupport.parkNanos(pauses.nextInt(100_000));
                        workers.resume();
                        LockSupport.parkNanos(pauses.nextInt(100_000));
                    }
                });
                pauser.start();
                for (int i = 0; i < runs; i++) {
                    if (!workers.handOverNow(ran::incrementAndGet, 0)) {
                        workers.handOver(ran::incrementAndGet, 0);
                    }
                    workers.signal();
                }
                pauser.join();
                while (!workers.isReadyEmpty()) {
                    Thread.onSpinWait();
                }
                // The last runs are on their way, and nothing but them wakes the feeder.
                workers.pause();
                LockSupport.parkNanos(1_000_000);
                workers.resume();
                awaitThat(() -> ran.get() == runs && workers.isDrained() && workers.activeCount() == 0);
                assertThat(workers.readyCount()).isZero();
                workers.stop();
                awaitThat(workers::hasEnded);
                opened.clear();
            }
        });
    }

    private static void runAll(Queue<Runnable> taken) {
        for (Runnable run = taken.poll(); run != null; run = taken.poll()) {
            run.run();
        }
    }

    /** What a listener may fail in; most likely there is no memory left. */
    enum Step {
        IS_OVER,
        STARTING,
        WENT_IDLE
    }

    @ParameterizedTest
    @EnumSource
    void failureOnTheWayOfARunLosesAndLeavesNothing(Step step) {
        recorder.failing = step;
        ExecutorWorkers workers = start(workers(recorder, ExecutorWorkersTest::runElsewhere));
        for (int i = 0; i < 20; i++) {
            workers.handOver(ran::incrementAndGet, 0);
            workers.signal();
        }
        awaitThat(() -> recorder.failures.get() > 3);
        recorder.failing = null;
        awaitThat(() -> ran.get() == 20 && workers.isDrained() && workers.activeCount() == 0);
        workers.stop();
        awaitThat(() -> workers.hasEnded() && recorder.ended.get() > 0);
    }

    @Test
    void endIsToldAgainIfThatFails() {
        recorder.failuresOfEnded.set(3);
        ExecutorWorkers workers = start(workers(recorder, ExecutorWorkersTest::runElsewhere));
        workers.handOver(ran::incrementAndGet, 0);
        workers.signal();
        awaitThat(() -> ran.get() == 1 && workers.isDrained() && workers.activeCount() == 0);
        workers.stop();
        awaitThat(() -> recorder.ended.get() > 0);
        assertThat(recorder.failuresOfEnded.get()).isZero();
    }

    private static void runElsewhere(Runnable run) {
        Thread thread = daemon(run);
        thread.setUncaughtExceptionHandler((failed, ex) -> {});
        thread.start();
    }

    private record Named(String name, AtomicInteger ran) implements Runnable {

        @Override
        public void run() {
            ran.incrementAndGet();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** Fails where it is told to. */
    static final class Recorder implements Workers.Listener {

        private volatile @Nullable Step failing;

        private final AtomicInteger failures = new AtomicInteger();
        private final AtomicInteger failuresOfEnded = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();

        private void failIn(Step step) {
            if (failing == step) {
                failures.incrementAndGet();
                throw new OutOfMemoryError("on purpose");
            }
        }

        @Override
        public void wentIdle() {
            failIn(Step.WENT_IDLE);
        }

        @Override
        public void ended() {
            if (failuresOfEnded.get() > 0) {
                failuresOfEnded.decrementAndGet();
                throw new OutOfMemoryError("on purpose");
            }
            ended.incrementAndGet();
        }

        @Override
        public boolean touch(Runnable run) {
            return false;
        }

        @Override
        public boolean isOver(Runnable run) {
            failIn(Step.IS_OVER);
            return false;
        }

        @Override
        public long starting(Runnable run, long expiredNanos) {
            failIn(Step.STARTING);
            return 0;
        }
    }
}
