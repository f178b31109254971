package io.github.wheelscheduler.internal.worker;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a given executor is offered, and what becomes of runs that it refuses, drops, or is too slow for. */
class ExecutorFeederTest {

    private final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);
    private final RecordingListener listener = new RecordingListener();
    private final AtomicInteger ran = new AtomicInteger();
    private final List<Gate> gates = new ArrayList<>();
    private final List<Thread> feeders = new CopyOnWriteArrayList<>();
    private final Target target = new Target();
    private @Nullable ExecutorWorkers opened;

    /** An executor whose threads are the test: what it has taken runs when the test says so. */
    private static final class Target extends AbstractExecutorService {
        private final Queue<Runnable> taken = new ConcurrentLinkedQueue<>();
        private final AtomicInteger refused = new AtomicInteger();
        private volatile int room = Integer.MAX_VALUE;
        private volatile boolean shutdown;
        private volatile boolean terminated;
        private volatile boolean cannotTell;
        private final CountDownLatch isTerminatedAsked = new CountDownLatch(1);

        @Override
        public void execute(Runnable command) {
            if (shutdown || taken.size() >= room) {
                refused.incrementAndGet();
                throw new RejectedExecutionException("on purpose");
            }
            taken.add(command);
        }

        private void runNext() {
            Runnable next = taken.poll();
            assertThat(next).isNotNull();
            next.run();
        }

        @Override
        public void shutdown() {
            shutdown = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutdown();
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            if (cannotTell) {
                throw new UnsupportedOperationException("on purpose");
            }
            return shutdown;
        }

        @Override
        public boolean isTerminated() {
            if (cannotTell) {
                isTerminatedAsked.countDown();
                throw new UnsupportedOperationException("on purpose");
            }
            return terminated;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return terminated;
        }
    }

    @AfterEach
    void stop() {
        gates.forEach(Gate::open);
        ExecutorWorkers workers = opened;
        if (workers != null) {
            assertThat(workers.stopNow()).isNotNull();
            awaitThat(workers::hasEnded);
        }
        log.close();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }

    private Thread feeder(Runnable task) {
        Thread thread = daemon(task);
        feeders.add(thread);
        return thread;
    }

    private ExecutorWorkers start(Executor executor, int maxSize) {
        ExecutorWorkers workers =
                new ExecutorWorkers(executor, this::feeder, maxSize, System::nanoTime, listener, null);
        opened = workers;
        workers.start();
        return workers;
    }

    private ExecutorWorkers startWithThreads(ThreadFactory threads) {
        ExecutorWorkers workers = new ExecutorWorkers(
                new ThreadPerRun(threads), this::feeder, Integer.MAX_VALUE, System::nanoTime, listener, null);
        opened = workers;
        workers.start();
        return workers;
    }

    private Gate newGate() {
        Gate gate = new Gate();
        gates.add(gate);
        return gate;
    }

    private static void handOver(ExecutorWorkers workers, Runnable run) {
        workers.handOver(run, 0);
        workers.signal();
    }

    /** Waits until it sleeps without a limit of time: nothing wakes up for nothing. */
    private void awaitFeederAtRest() {
        awaitThat(() -> feeders.get(0).getState() == Thread.State.WAITING);
    }

    // The limit

    @Test
    void targetHasNoMoreRunsThanTheLimitAllowsInTheirOrder() {
        ExecutorWorkers workers = start(target, 2);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            handOver(workers, () -> order.add(number));
        }
        awaitThat(() -> target.taken.size() == 2 && workers.readyCount() == 3);
        awaitFeederAtRest();
        assertThat(target.taken).hasSize(2);
        List<Runnable> notStarted = new ArrayList<>();
        workers.forEachReady(notStarted::add);
        assertThat(notStarted).hasSize(5).doesNotHaveDuplicates();
        target.runNext();
        awaitThat(() -> target.taken.size() == 2 && workers.readyCount() == 2);
        workers.setMaxSize(3);
        awaitThat(() -> target.taken.size() == 3 && workers.readyCount() == 1);
        assertThat(workers.maxSize()).isEqualTo(3);
        assertThat(workers.coreSize()).isZero();
        target.runNext();
        awaitThat(() -> target.taken.size() == 3);
        while (!target.taken.isEmpty()) {
            target.runNext();
        }
        assertThat(order).containsExactly(0, 1, 2, 3, 4);
        awaitThat(workers::isDrained);
    }

    @Test
    void runThatAPauseHasCaughtAtTheLimitIsHandedOverAgain() {
        ExecutorWorkers workers = start(target, 2);
        handOver(workers, ran::incrementAndGet);
        handOver(workers, ran::incrementAndGet);
        awaitThat(() -> target.taken.size() == 2);
        workers.pause();
        target.runNext();
        target.runNext();
        assertThat(ran).hasValue(0);
        workers.resume();
        awaitThat(() -> target.taken.size() == 2);
        target.runNext();
        target.runNext();
        assertThat(ran).hasValue(2);
    }

    // Refusals

    @Test
    void refusedRunIsOfferedAgainAndNoneOvertakesIt() {
        ExecutorWorkers workers = start(target, 10);
        target.room = 1;
        List<Integer> order = new ArrayList<>();
        long startNanos = System.nanoTime();
        for (int i = 0; i < 3; i++) {
            int number = i;
            handOver(workers, () -> order.add(number));
        }
        awaitThat(() -> target.refused.get() > 5);
        // A pause of a millisecond at least lies between two of them.
        int refused = target.refused.get();
        assertThat(refused - 1L).isLessThanOrEqualTo(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos) + 1);
        assertThat(target.taken).hasSize(1);
        assertThat(workers.refusedHandOvers()).isPositive();
        for (int i = 0; i < 3; i++) {
            awaitThat(() -> !target.taken.isEmpty());
            target.runNext();
        }
        assertThat(order).containsExactly(0, 1, 2);
        awaitThat(workers::isDrained);
        assertThat(listener.abandoned).isEmpty();
        assertThat(log.messages()).singleElement().asString().contains("rejected a due run");
    }

    @Test
    void callerThatCannotStartAThreadSaysSo() {
        AtomicInteger asked = new AtomicInteger();
        ExecutorWorkers workers = startWithThreads(task -> {
            if (asked.getAndIncrement() == 0) {
                throw new OutOfMemoryError("on purpose");
            }
            return daemon(task);
        });
        assertThat(workers.handOverNow(ran::incrementAndGet, 0)).isTrue();
        workers.signal();
        awaitThat(() -> ran.get() == 1);
        assertThat(workers.refusedHandOvers()).isEqualTo(1);
        assertThat(log.messages()).singleElement().asString().contains("rejected a due run");
    }

    @Test
    void executorWithAFailingIsShutdownIsLikeAnyOther() {
        target.cannotTell = true;
        ExecutorWorkers workers = start(target, 10);
        target.room = 0;
        handOver(workers, ran::incrementAndGet);
        awaitThat(() -> target.refused.get() > 1);
        target.room = 1;
        awaitThat(() -> !target.taken.isEmpty());
        awaitThat(() -> target.isTerminatedAsked.getCount() == 0);
        target.runNext();
        assertThat(ran).hasValue(1);
        assertThat(listener.abandoned).isEmpty();
        assertThat(log.messages()).noneMatch(line -> line.contains("Handing due runs to the executor failed"));
    }

    // Executors that were shut down first

    @Test
    void runsOfAShutDownExecutorAreAbandoned() {
        ExecutorWorkers workers = start(target, 10);
        Runnable dropped = ran::incrementAndGet;
        Runnable refused = ran::incrementAndGet;
        handOver(workers, dropped);
        awaitThat(() -> target.taken.size() == 1);
        target.shutdown();
        handOver(workers, refused);
        awaitThat(() -> listener.abandoned.size() == 1);
        assertThat(listener.abandoned).containsExactly(refused);
        assertThat(workers.isDrained()).isFalse();
        target.terminated = true;
        awaitThat(() -> listener.abandoned.size() == 2 && workers.isDrained());
        assertThat(listener.abandoned).containsExactly(refused, dropped);
        target.runNext();
        assertThat(ran).hasValue(0);
        assertThat(workers.activeCount()).isZero();
        workers.stop();
        awaitThat(() -> listener.ended.get() == 1);
        assertThat(log.messages())
                .hasSize(2)
                .allSatisfy(message -> assertThat(message).contains("so due runs are cancelled: 1"));
    }

    @Test
    void feederFindsDroppedRunsAtShutdown() {
        ExecutorWorkers workers = start(target, 10);
        handOver(workers, ran::incrementAndGet);
        awaitThat(() -> target.taken.size() == 1);
        // As long as nobody stops anything, there is nothing to watch.
        awaitFeederAtRest();
        target.shutdown();
        target.terminated = true;
        assertThat(listener.abandoned).isEmpty();
        listener.shutdown = true;
        workers.signal();
        awaitThat(() -> listener.abandoned.size() == 1 && workers.isDrained());
    }

    // Runs

    @Test
    void runThatIsOverIsNotOffered() {
        ExecutorWorkers workers = start(target, 1);
        Runnable cancelled = ran::incrementAndGet;
        listener.over.add(cancelled);
        handOver(workers, cancelled);
        awaitThat(workers::isDrained);
        handOver(workers, ran::incrementAndGet);
        awaitThat(() -> target.taken.size() == 1);
        target.runNext();
        assertThat(ran).hasValue(1);
    }

    @Test
    void runThatGoesOnIsCountedShownAndCanBeInterrupted() {
        listener.now.set(42);
        ExecutorWorkers workers = start(task -> daemon(task).start(), 10);
        Gate gate = newGate();
        handOver(workers, gate);
        gate.awaitArrivals(1);
        assertThat(workers.threadCount()).isEqualTo(1);
        assertThat(workers.isActive()).isTrue();
        List<String> seen = new ArrayList<>();
        workers.forEachRunning((run, thread, since) -> seen.add((run == gate) + " " + thread.isAlive() + " " + since));
        assertThat(seen).containsExactly("true true 42");
        AtomicInteger quiet = new AtomicInteger();
        workers.callWhenQuiet(quiet::incrementAndGet);
        assertThat(quiet).hasValue(0);
        workers.interruptActive();
        awaitThat(() -> quiet.get() == 1);
        assertThat(gate.interrupts()).isEqualTo(1);
        assertThat(workers.isActive()).isFalse();
        listener.now.set(0);
        Gate unobserved = newGate();
        handOver(workers, unobserved);
        unobserved.awaitArrivals(1);
        workers.forEachRunning((run, thread, since) -> seen.add("another"));
        assertThat(seen).hasSize(1);
    }

    @Test
    void interruptThatWasMeantForARunIsGoneWithIt() {
        ExecutorWorkers workers = start(target, 10);
        List<Boolean> interrupted = new ArrayList<>();
        handOver(workers, () -> {
            workers.interruptActive();
            interrupted.add(Thread.currentThread().isInterrupted());
        });
        awaitThat(() -> !target.taken.isEmpty());
        target.runNext();
        interrupted.add(Thread.interrupted());
        assertThat(interrupted).containsExactly(true, false);
    }

    @Test
    void executorThatRunsInItsCallerLeavesNothingBehind() {
        ExecutorWorkers workers = start(Runnable::run, 10);
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        handOver(workers, () -> Thread.currentThread().interrupt());
        handOver(workers, () -> interrupted.add(Thread.interrupted()));
        awaitThat(() -> interrupted.size() == 1 && workers.isDrained());
        assertThat(interrupted).containsExactly(false);
    }

    @Test
    void threadHasTheMakersLoaderUnlessItsFactorySetsOne() throws Exception {
        ClassLoader own = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader callers = new URLClassLoader(new URL[0], own);
                URLClassLoader factorys = new URLClassLoader(new URL[0], own)) {
            List<Thread> made = new CopyOnWriteArrayList<>();
            ExecutorWorkers workers = startWithThreads(task -> {
                Thread thread = daemon(task);
                if (made.size() == 2) {
                    thread.setContextClassLoader(factorys);
                }
                made.add(thread);
                return thread;
            });
            List<ClassLoader> seen = new CopyOnWriteArrayList<>();
            Runnable look = () -> seen.add(Thread.currentThread().getContextClassLoader());
            for (int i = 0; i < 3; i++) {
                Thread.currentThread().setContextClassLoader(i == 0 ? own : callers);
                assertThat(workers.handOverNow(look, 0)).isTrue();
                workers.signal();
                int expected = i + 1;
                awaitThat(() -> seen.size() == expected && workers.isDrained());
            }
            assertThat(seen).containsExactly(own, own, factorys);
        } finally {
            Thread.currentThread().setContextClassLoader(own);
        }
    }

    @Test
    void failuresInARowAreLoggedOnceAndLoseNoTakenRun() {
        ExecutorWorkers workers = start(target, 10);
        for (int streak = 1; streak <= 2; streak++) {
            listener.failuresWhenAskedIfOver.set(3);
            handOver(workers, ran::incrementAndGet);
            int expected = streak;
            awaitThat(() -> target.taken.size() == expected);
            awaitFeederAtRest();
        }
        target.runNext();
        target.runNext();
        assertThat(ran).hasValue(2);
        assertThat(log.messages())
                .hasSize(2)
                .allSatisfy(message -> assertThat(message).contains("Handing due runs to the executor failed"));
    }

    @Test
    void feederTellsThatThereIsNothingToDo() {
        ExecutorWorkers workers = start(target, 10);
        awaitThat(() -> listener.idle.get() > 0);
        awaitFeederAtRest();
        assertThat(workers.isDrained()).isTrue();
    }

    // The end

    @Test
    void workersEndWhenTheLastRunHasEnded() {
        ExecutorWorkers workers = start(task -> daemon(task).start(), 10);
        Gate gate = newGate();
        handOver(workers, gate);
        gate.awaitArrivals(1);
        workers.stop();
        awaitThat(() -> !feeders.get(0).isAlive());
        assertThat(workers.hasEnded()).isFalse();
        assertThat(listener.ended).hasValue(0);
        gate.open();
        awaitThat(() -> listener.ended.get() == 1);
        assertThat(workers.hasEnded()).isTrue();
    }

    @Test
    void workersEndWhenTheExecutorHasLetTheFeederGo() {
        Gate blocking = newGate();
        ExecutorWorkers workers = start(task -> blocking.run(), 10);
        handOver(workers, ran::incrementAndGet);
        blocking.awaitArrivals(1);
        workers.stop();
        assertThat(workers.hasEnded()).isFalse();
        assertThat(listener.ended).hasValue(0);
        blocking.open();
        awaitThat(() -> listener.ended.get() == 1);
        assertThat(workers.hasEnded()).isTrue();
    }

    @Test
    void executorThatBlocksIsInterruptedAndItsRunReturned() {
        Gate blocking = newGate();
        ExecutorWorkers workers = start(task -> blocking.run(), 10);
        Runnable first = ran::incrementAndGet;
        Runnable second = ran::incrementAndGet;
        handOver(workers, first);
        handOver(workers, second);
        blocking.awaitArrivals(1);
        assertThat(workers.stopNow()).containsExactly(first);
        assertThat(workers.stopNow()).containsExactly(second);
        workers.interruptFeeder();
        awaitThat(workers::hasEnded);
        assertThat(blocking.interrupts()).isEqualTo(1);
    }

    @Test
    void stopOnTheFeedersThreadDoesNotInterruptIt() {
        ExecutorWorkers workers = start(Runnable::run, 10);
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        Runnable waiting = ran::incrementAndGet;
        handOver(workers, () -> {
            workers.handOver(waiting, 0);
            List<Runnable> returned = workers.stopNow();
            workers.interruptFeeder();
            interrupted.add(Thread.interrupted());
            interrupted.add(returned.contains(waiting));
        });
        awaitThat(() -> interrupted.size() == 2 && workers.hasEnded());
        assertThat(interrupted).containsExactly(false, true);
    }

    /** It is in the hands of the thread that stopped the workers, and not in those of the caller, too. */
    @Test
    void unstartableRunIsReturnedOnceDuringAStop() {
        List<Runnable> returned = new ArrayList<>();
        ExecutorWorkers[] workers = new ExecutorWorkers[1];
        workers[0] = startWithThreads(task -> {
            returned.addAll(workers[0].stopNow());
            throw new OutOfMemoryError("on purpose");
        });
        Runnable run = ran::incrementAndGet;
        assertThat(workers[0].handOverNow(run, 0)).isTrue();
        assertThat(returned).containsExactly(run);
        assertThat(workers[0].readyCount()).isZero();
        assertThat(workers[0].isDrained()).isTrue();
    }
}
