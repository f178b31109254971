package io.github.wheelscheduler.worker;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads come when they are needed, up to a limit, run what is handed over, and end when they are idle. The test plays the tick thread. */
class ElasticPoolTest {

    private static final long LONG = TimeUnit.HOURS.toNanos(1);
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(1);

    private final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);
    private final Listener listener = new Listener();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicBoolean starterEnded = new AtomicBoolean();
    private final Starter starter = new Starter(ElasticPoolTest::daemon, () -> starterEnded.set(true));
    private final AtomicInteger ran = new AtomicInteger();
    private final List<Gate> gates = new ArrayList<>();
    private @Nullable ElasticPool pool;

    /** Is told what workers do, and fails if it is to. */
    private static final class Listener implements Workers.Listener {
        private final AtomicInteger idle = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();
        private final AtomicInteger left = new AtomicInteger();
        private final AtomicInteger failuresWhenIdle = new AtomicInteger();
        private final AtomicInteger failuresWhenEnded = new AtomicInteger();
        private final AtomicLong now = new AtomicLong();
        private final List<Runnable> touched = new CopyOnWriteArrayList<>();

        @Override
        public void wentIdle() {
            idle.incrementAndGet();
            if (failuresWhenIdle.getAndUpdate(failures -> Math.max(0, failures - 1)) > 0) {
                throw new IllegalStateException("on purpose");
            }
        }

        @Override
        public void ended() {
            if (failuresWhenEnded.getAndUpdate(failures -> Math.max(0, failures - 1)) > 0) {
                throw new IllegalStateException("on purpose");
            }
            ended.incrementAndGet();
        }

        @Override
        public boolean touch(Runnable run) {
            return touched.add(run);
        }

        @Override
        public boolean isOver(Runnable run) {
            return false;
        }

        @Override
        public long starting(Runnable run, long expiredNanos) {
            return now.get();
        }

        @Override
        public void left() {
            left.incrementAndGet();
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }

    private Thread counted(Runnable task) {
        made.incrementAndGet();
        return daemon(task);
    }

    private ElasticPool start(int maxSize, long keepAliveNanos) {
        return start(this::counted, maxSize, keepAliveNanos);
    }

    private ElasticPool start(ThreadFactory threads, int maxSize, long keepAliveNanos) {
        ElasticPool started =
                ElasticPool.of(threads, starter, maxSize, keepAliveNanos, System::nanoTime, listener, null);
        pool = started;
        started.start();
        return started;
    }

    private ElasticPool startOnDemand(int maxSize, long keepAliveNanos, boolean oneRunEach) {
        ElasticPool started = ElasticPool.onDemand(
                this::counted, starter, maxSize, keepAliveNanos, System::nanoTime, listener, null, oneRunEach);
        pool = started;
        started.start();
        return started;
    }

    @AfterEach
    void stop() {
        gates.forEach(Gate::open);
        ElasticPool started = pool;
        if (started != null) {
            assertThat(started.stopNow()).isNotNull();
            awaitThat(started::hasEnded);
        }
        starter.stop();
        awaitThat(starter::hasEnded);
        log.close();
    }

    private Gate gate(ElasticPool workers) {
        Gate gate = new Gate();
        gates.add(gate);
        workers.handOver(gate, 0);
        workers.signalHandOver(false);
        return gate;
    }

    private void run(ElasticPool workers) {
        int before = ran.get();
        workers.handOver(ran::incrementAndGet, 0);
        workers.signalHandOver(false);
        awaitThat(() -> ran.get() == before + 1);
    }

    private static void awaitIdle(ElasticPool workers) {
        awaitThat(() -> workers.awakeCount() == 0 && !workers.isActive());
    }

    // Who comes

    @Test
    void oneWorkerComesAtTheStartAndWaits() {
        ElasticPool workers = start(3, LONG);
        assertThat(workers.threadCount()).isEqualTo(1);
        awaitIdle(workers);
        assertThat(workers.activeCount()).isZero();
        assertThat(workers.maxSize()).isEqualTo(3);
        assertThat(workers.coreSize()).isEqualTo(2);
        assertThat(workers.isDrained()).isTrue();
        assertThat(workers.refusedHandOvers()).isZero();
        workers.start();
        assertThat(made).hasValue(1);
        workers.setMaxSize(1);
        assertThat(workers.coreSize()).isEqualTo(1);
    }

    @Test
    void theLastOneThatIsFreeStartsAnotherBeforeItRuns() {
        ElasticPool workers = start(3, LONG);
        gate(workers).awaitArrivals(1);
        assertThat(workers.threadCount()).isEqualTo(2);
        assertThat(workers.activeCount()).isEqualTo(1);
        assertThat(workers.isActive()).isTrue();
        assertThat(workers.isDrained()).isFalse();
        gate(workers).awaitArrivals(1);
        assertThat(workers.threadCount()).isEqualTo(3);
        gate(workers).awaitArrivals(1);
        assertThat(made).hasValue(3);
        assertThat(workers.activeCount()).isEqualTo(3);
    }

    @Test
    void noMoreRunAtATimeThanTheLimitAllows() {
        ElasticPool workers = start(2, LONG);
        List<Gate> all = List.of(gate(workers), gate(workers), gate(workers));
        awaitThat(() -> workers.activeCount() == 2);
        assertThat(workers.readyCount()).isEqualTo(1);
        assertThat(made).hasValue(2);
        assertThat(all.get(2).arrivals()).isZero();
        all.get(0).open();
        all.get(2).awaitArrivals(1);
        assertThat(made).hasValue(2);
    }

    @Test
    void aBurstWakesAndStartsAsManyAsItNeeds() {
        ElasticPool workers = start(16, LONG);
        List<Gate> all = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Gate gate = new Gate();
            gates.add(gate);
            all.add(gate);
            workers.handOver(gate, 0);
        }
        workers.signalHandOver(false);
        all.forEach(gate -> gate.awaitArrivals(1));
        all.forEach(Gate::open);
        awaitIdle(workers);

        List<Gate> again = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Gate gate = new Gate();
            gates.add(gate);
            again.add(gate);
            workers.handOver(gate, 0);
        }
        workers.signalHandOver(false);
        again.forEach(gate -> gate.awaitArrivals(1));
        assertThat(made).hasValue(16);
        assertThat(workers.awakeCount()).isEqualTo(16);
    }

    @Test
    void aThreadThatCannotBeMadeAtTheStartIsTold() {
        assertThatThrownBy(() -> start(task -> null, 2, LONG))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("The thread factory must return a thread, returned null");
        assertThat(pool).isNotNull();
        assertThat(pool.threadCount()).isZero();
    }

    @Test
    void aFurtherOneThatCannotBeStartedIsStartedLaterAndThatIsLoggedOnce() {
        AtomicBoolean failing = new AtomicBoolean();
        AtomicInteger refused = new AtomicInteger();
        ElasticPool workers = start(
                task -> {
                    if (failing.get()) {
                        refused.incrementAndGet();
                        throw new OutOfMemoryError("on purpose");
                    }
                    return counted(task);
                },
                3,
                LONG);
        failing.set(true);
        gate(workers).awaitArrivals(1);
        Gate waiting = gate(workers);
        awaitThat(() -> refused.get() > 3);
        // One that is about to be tried counts.
        awaitThat(() -> workers.threadCount() == 1);
        assertThat(waiting.arrivals()).isZero();
        failing.set(false);
        waiting.awaitArrivals(1);
        assertThat(log.messages()).singleElement().asString().contains("further worker could not be started");
    }

    // Who stays and who ends

    @Test
    void twoStayWhenTheyAreIdleAndTheOthersEnd() {
        ElasticPool workers = start(6, SHORT);
        List<Gate> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            all.add(gate(workers));
        }
        all.forEach(gate -> gate.awaitArrivals(1));
        all.forEach(Gate::open);
        awaitThat(() -> workers.threadCount() == 2);
        awaitIdle(workers);
        int madeSoFar = made.get();
        for (int i = 0; i < 20; i++) {
            run(workers);
        }
        awaitThat(() -> workers.threadCount() == 2);
        assertThat(made.get() - madeSoFar).isLessThanOrEqualTo(20);
        assertThat(listener.ended).hasValue(0);
    }

    @Test
    void noneEndsBeforeItHasBeenIdleForThatLong() {
        ElasticPool workers = start(4, LONG);
        List<Gate> all = List.of(gate(workers), gate(workers), gate(workers), gate(workers));
        all.forEach(gate -> gate.awaitArrivals(1));
        all.forEach(Gate::open);
        awaitIdle(workers);
        run(workers);
        assertThat(workers.threadCount()).isEqualTo(4);
    }

    @Test
    void aLowerLimitEndsWhoIsTooManyAndAHigherOneLetsWhatWaitsRun() {
        ElasticPool workers = start(4, LONG);
        List<Gate> all = List.of(gate(workers), gate(workers), gate(workers), gate(workers));
        all.forEach(gate -> gate.awaitArrivals(1));
        workers.setMaxSize(1);
        assertThat(workers.maxSize()).isEqualTo(1);
        assertThat(workers.activeCount()).isEqualTo(4);
        assertThat(all).allSatisfy(gate -> assertThat(gate.interrupts()).isZero());
        all.subList(0, 3).forEach(Gate::open);
        awaitThat(() -> workers.threadCount() == 1);
        Gate waiting = gate(workers);
        assertThat(waiting.arrivals()).isZero();
        workers.setMaxSize(2);
        waiting.awaitArrivals(1);
    }

    @Test
    void aLowerLimitEndsIdleOnes() {
        ElasticPool workers = start(4, LONG);
        List<Gate> all = List.of(gate(workers), gate(workers), gate(workers), gate(workers));
        all.forEach(gate -> gate.awaitArrivals(1));
        all.forEach(Gate::open);
        awaitIdle(workers);
        workers.setMaxSize(2);
        awaitThat(() -> workers.threadCount() == 2);
        run(workers);
    }

    @Test
    void onDemandNobodyIsThereBeforeTheFirstRunAndAfterTheLast() {
        ElasticPool workers = startOnDemand(2, SHORT, false);
        assertThat(workers.threadCount()).isZero();
        assertThat(workers.coreSize()).isZero();
        run(workers);
        awaitThat(() -> workers.threadCount() == 0);
        run(workers);
        awaitThat(() -> workers.threadCount() == 0);
        List<Gate> all = List.of(gate(workers), gate(workers), gate(workers));
        awaitThat(() -> workers.activeCount() == 2);
        all.get(0).open();
        all.get(1).open();
        all.get(2).awaitArrivals(1);
    }

    @Test
    void aHigherLimitOnDemandLetsWhatWaitsRun() {
        ElasticPool workers = startOnDemand(1, LONG, false);
        gate(workers).awaitArrivals(1);
        Gate waiting = gate(workers);
        workers.setMaxSize(2);
        waiting.awaitArrivals(1);
    }

    @Test
    void oneRunEachMeansAThreadOfItsOwn() {
        ElasticPool workers = startOnDemand(2, SHORT, true);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 5; i++) {
            workers.handOver(() -> threads.add(Thread.currentThread()), 0);
            workers.signalHandOver(false);
        }
        awaitThat(() -> threads.size() == 5);
        awaitThat(() -> workers.threadCount() == 0);
    }

    // How runs run

    @Test
    void anInterruptDoesNotReachTheNextRun() {
        ElasticPool workers = start(1, LONG);
        AtomicBoolean seen = new AtomicBoolean();
        workers.handOver(() -> Thread.currentThread().interrupt(), 0);
        workers.handOver(() -> seen.set(Thread.interrupted()), 0);
        workers.signalHandOver(false);
        run(workers);
        assertThat(seen).isFalse();
    }

    @Test
    void onlyWhoIsInARunIsInterrupted() {
        Set<Thread> all = ConcurrentHashMap.newKeySet();
        ElasticPool workers = start(
                task -> {
                    Thread thread = counted(task);
                    all.add(thread);
                    return thread;
                },
                3,
                LONG);
        Gate one = gate(workers);
        one.awaitArrivals(1);
        Gate other = gate(workers);
        other.awaitArrivals(1);
        workers.interruptActive();
        awaitThat(() -> one.interrupts() == 1 && other.interrupts() == 1);
        awaitIdle(workers);
        workers.interruptActive();
        assertThat(all).noneMatch(Thread::isInterrupted);
        run(workers);
    }

    @Test
    void whatGoesOnIsShownWithItsThreadAndItsStartIfAnybodyWantsToKnow() {
        listener.now.set(42);
        ElasticPool workers = start(2, LONG);
        Gate gate = gate(workers);
        gate.awaitArrivals(1);
        List<String> seen = new ArrayList<>();
        workers.forEachRunning((run, thread, since) -> seen.add((run == gate) + " " + thread.isAlive() + " " + since));
        assertThat(seen).containsExactly("true true 42");
        gate.open();
        awaitIdle(workers);
        workers.forEachRunning((run, thread, since) -> seen.add("another"));
        listener.now.set(0);
        gate(workers).awaitArrivals(1);
        workers.forEachRunning((run, thread, since) -> seen.add("another"));
        assertThat(seen).hasSize(1);
        assertThat(workers.activeCount()).isEqualTo(1);
    }

    @Test
    void theEndOfARunIsToldOnceHoweverEarly() {
        ElasticPool workers = startOnDemand(1, LONG, false);
        List<Boolean> answers = new CopyOnWriteArrayList<>();
        workers.handOver(
                () -> {
                    answers.add(workers.leaveEarly());
                    answers.add(workers.leaveEarly());
                },
                0);
        workers.signalHandOver(false);
        awaitThat(() -> answers.size() == 2);
        awaitIdle(workers);
        assertThat(answers).containsExactly(true, false);
        assertThat(listener.left).hasValue(0);
        run(workers);
        awaitIdle(workers);
        assertThat(listener.left).hasValue(1);
        assertThat(workers.leaveEarly()).isFalse();
    }

    @Test
    void withoutADemandNobodyLeavesEarly() {
        ElasticPool workers = start(1, LONG);
        List<Boolean> answers = new CopyOnWriteArrayList<>();
        workers.handOver(() -> answers.add(workers.leaveEarly()), 0);
        workers.signalHandOver(false);
        awaitThat(() -> listener.left.get() == 1);
        assertThat(answers).containsExactly(false);
    }

    @Test
    void hooksAreToldBeforeAndAfterEachRun() {
        List<String> told = new CopyOnWriteArrayList<>();
        RunHooks hooks = new RunHooks() {
            @Override
            public void beforeRun(Thread thread, Runnable run) {
                told.add("before");
            }

            @Override
            public void afterRun(Runnable run, @Nullable Throwable failure) {
                told.add("after");
            }
        };
        ElasticPool workers = ElasticPool.of(this::counted, starter, 1, LONG, System::nanoTime, listener, hooks);
        pool = workers;
        workers.start();
        run(workers);
        awaitIdle(workers);
        assertThat(told).containsExactly("before", "after");
    }

    @Test
    void whatFollowsIsTouchedAhead() {
        ElasticPool workers = start(1, LONG);
        Gate gate = gate(workers);
        gate.awaitArrivals(1);
        for (int i = 0; i < 5; i++) {
            workers.handOver(ran::incrementAndGet, 0);
        }
        gate.open();
        awaitThat(() -> ran.get() == 5);
        assertThat(listener.touched).isNotEmpty();
    }

    // Pauses

    @Test
    void aPauseHoldsBackWhatWaitsAndSaysWhenTheLastRunHasEnded() {
        ElasticPool workers = start(1, LONG);
        Gate gate = gate(workers);
        gate.awaitArrivals(1);
        workers.handOver(ran::incrementAndGet, 0);
        AtomicInteger quiet = new AtomicInteger();
        workers.pause();
        workers.callWhenQuiet(quiet::incrementAndGet);
        assertThat(quiet).hasValue(0);
        assertThat(workers.handOverNow(ran::incrementAndGet, 0)).isFalse();
        gate.open();
        awaitThat(() -> quiet.get() == 1);
        awaitIdle(workers);
        assertThat(ran).hasValue(0);
        assertThat(workers.hasWork()).isFalse();
        assertThat(workers.isPaused()).isTrue();
        workers.callWhenQuiet(quiet::incrementAndGet);
        assertThat(quiet).hasValue(2);
        workers.resume();
        awaitThat(() -> ran.get() == 1);
        assertThat(quiet).hasValue(2);
    }

    @Test
    void aQuietMomentBetweenTwoRunsIsTold() {
        ElasticPool workers = start(1, LONG);
        Gate gate = gate(workers);
        gate.awaitArrivals(1);
        AtomicInteger quiet = new AtomicInteger();
        AtomicInteger quietBefore = new AtomicInteger(-1);
        workers.callWhenQuiet(quiet::incrementAndGet);
        workers.handOver(() -> quietBefore.set(quiet.get()), 0);
        gate.open();
        awaitThat(() -> quietBefore.get() >= 0);
        assertThat(quietBefore).hasValue(1);
    }

    // What goes wrong

    @Test
    void aWorkerThatFailsBetweenRunsGoesOn() {
        ElasticPool workers = start(1, LONG);
        listener.failuresWhenIdle.set(3);
        for (int i = 0; i < 5; i++) {
            run(workers);
            awaitIdle(workers);
        }
        assertThat(workers.threadCount()).isEqualTo(1);
        assertThat(made).hasValue(1);
        assertThat(log.said("A worker failed and goes on")).hasSize(3);
    }

    @Test
    void theEndIsToldUntilItHasBeenHeard() {
        ElasticPool workers = start(2, LONG);
        listener.failuresWhenEnded.set(3);
        workers.stop();
        awaitThat(() -> listener.ended.get() == 1);
        assertThat(workers.hasEnded()).isTrue();
    }

    // The end

    @Test
    void whatHasNotStartedIsReturnedInItsOrderAndNothingStartsAnyMore() {
        ElasticPool workers = start(1, LONG);
        Gate gate = gate(workers);
        gate.awaitArrivals(1);
        Runnable first = ran::incrementAndGet;
        Runnable second = ran::incrementAndGet;
        workers.handOver(first, 0);
        workers.handOver(second, 0);
        assertThat(workers.stopNow()).containsExactly(first, second);
        assertThat(workers.hasEnded()).isFalse();
        assertThat(listener.ended).hasValue(0);
        assertThat(workers.hasWork()).isFalse();
        gate.open();
        awaitThat(() -> listener.ended.get() == 1);
        assertThat(workers.hasEnded()).isTrue();
        assertThat(ran).hasValue(0);
        assertThat(workers.threadCount()).isZero();
    }

    @Test
    void afterAStopNoThreadIsStarted() {
        ElasticPool workers = start(4, LONG);
        awaitIdle(workers);
        workers.stop();
        awaitThat(() -> listener.ended.get() == 1);
        workers.start();
        workers.startIfShort();
        workers.setMaxSize(8);
        assertThat(made).hasValue(1);
        assertThat(workers.threadCount()).isZero();
    }
}
