package io.github.wheelscheduler.internal.worker;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Gate;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Threads come when they are needed, up to a limit, no matter what fails, and end when they are idle or too many. */
class PoolSizeTest extends ElasticPoolFixture {

    // Who comes

    @Test
    void oneWorkerComesForTheFirstRunOfACallerAndWaits() {
        ElasticPool workers = create(this::worker, 2, LONG, null);
        workers.setMaxSize(3);
        workers.startIfShort(false);
        workers.signal();
        workers.pause();
        workers.resume();
        assertThat(threads).isEmpty();
        workers.startIfShort(true);
        assertThat(askers).containsExactly(Thread.currentThread());
        assertThat(workers.threadCount()).isEqualTo(1);
        awaitIdle(workers);
        assertThat(workers.activeCount()).isZero();
        assertThat(workers.maxSize()).isEqualTo(3);
        assertThat(workers.coreSize()).isEqualTo(2);
        assertThat(workers.isDrained()).isTrue();
        assertThat(workers.refusedHandOvers()).isZero();
        workers.startIfShort(true);
        assertThat(threads).hasSize(1);
        assertThat(starter.thread).isNull();
        workers.setMaxSize(1);
        assertThat(workers.coreSize()).isEqualTo(1);
    }

    @Test
    void starterStartsTheFirstWorkerOfATimer() {
        ElasticPool workers = create(this::worker, 4, SHORT, null);
        assertThat(workers.isFirstLacking()).isTrue();
        run(workers);
        assertThat(workers.isFirstLacking()).isFalse();
        assertThat(askers.get(0)).isNotSameAs(Thread.currentThread());
        assertThat(askers.get(0).getName()).isEqualTo(Thread.currentThread().getName() + "-starter");
        awaitThat(() -> workers.threadCount() == 2);
        awaitIdle(workers);
        run(workers);
        assertThat(threads).hasSize(2);
    }

    @Test
    void starterStartsTheFirstWorkerAheadOfARun() {
        ElasticPool workers = create(this::worker, 4, LONG, null);
        workers.startAhead();
        // The count grows before the factory is asked.
        awaitThat(() -> threads.size() == 1 && workers.threadCount() == 1);
        awaitIdle(workers);
        workers.startAhead();
        assertThat(threads).hasSize(1);
        assertThat(ran).hasValue(0);
        run(workers);
    }

    @Test
    void endOfAPauseBringsTheFirstWorker() {
        ElasticPool workers = create(this::worker, 4, LONG, null);
        workers.pause();
        assertThat(workers.isFirstLacking()).isFalse();
        handOver(workers, ran::incrementAndGet);
        assertThat(starter.isThreadLacking()).isFalse();
        assertThat(threads).isEmpty();
        workers.resume();
        awaitThat(() -> ran.get() == 1);
    }

    @Test
    void lastFreeWorkerStartsAnotherBeforeItRuns() {
        ElasticPool workers = start(3, LONG);
        gate(workers).awaitArrivals(1);
        assertThat(workers.threadCount()).isEqualTo(2);
        assertThat(workers.activeCount()).isEqualTo(1);
        assertThat(workers.isActive()).isTrue();
        assertThat(workers.isDrained()).isFalse();
        gate(workers).awaitArrivals(1);
        assertThat(workers.threadCount()).isEqualTo(3);
        gate(workers).awaitArrivals(1);
        assertThat(threads).hasSize(3);
        assertThat(workers.activeCount()).isEqualTo(3);
    }

    @Test
    void workerThatIsNotTheLastFreeOneStartsNone() {
        ElasticPool workers = start(6, LONG);
        growTo(2, workers);
        assertThat(threads).hasSize(3);
        gate(workers).awaitArrivals(1);
        assertThat(threads).hasSize(3);
    }

    @Test
    void twoAreStartedAtATimeIfMoreRunsWait() {
        Gate beforeOthers = newGate();
        ElasticPool workers = start(task -> worker(threads.isEmpty() ? task : after(beforeOthers, task)), 8, LONG);
        List<Gate> all = List.of(newGate(), newGate(), newGate());
        all.forEach(gate -> workers.handOver(gate, 0));
        workers.signalHandOver(false);
        all.get(0).awaitArrivals(1);
        assertThat(threads).hasSize(3);
        beforeOthers.open();
        all.forEach(gate -> gate.awaitArrivals(1));
    }

    private static Runnable after(Runnable first, Runnable then) {
        return () -> {
            first.run();
            then.run();
        };
    }

    @Test
    void startedWorkerTakesNothingDuringAFollowUp() {
        ElasticPool workers = start(8, LONG);
        awaitThat(() -> isParked(threads.get(0)));
        workers.setFollowedUp(true);
        List<Gate> all = List.of(newGate(), newGate(), newGate());
        all.forEach(gate -> workers.handOver(gate, 0));
        workers.signalHandOver(false);
        all.get(0).awaitArrivals(1);
        assertThat(threads).hasSize(2);
        awaitThat(() -> isParked(threads.get(1)));
        assertThat(all.get(1).arrivals()).isZero();
        workers.signal();
        all.get(1).awaitArrivals(1);
    }

    private static boolean isParked(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void noMoreRunAtATimeThanTheLimitAllows() {
        ElasticPool workers = start(2, LONG);
        List<Gate> all = List.of(gate(workers), gate(workers), gate(workers));
        awaitThat(() -> workers.activeCount() == 2);
        assertThat(workers.readyCount()).isEqualTo(1);
        assertThat(threads).hasSize(2);
        assertThat(all.get(2).arrivals()).isZero();
        all.get(0).open();
        all.get(2).awaitArrivals(1);
        assertThat(threads).hasSize(2);
    }

    @Test
    void burstWakesAndStartsAsManyAsItNeeds() {
        ElasticPool workers = start(16, LONG);
        for (int burst = 0; burst < 2; burst++) {
            List<Gate> all = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                Gate gate = newGate();
                all.add(gate);
                workers.handOver(gate, 0);
            }
            workers.signalHandOver(false);
            all.forEach(gate -> gate.awaitArrivals(1));
            assertThat(workers.awakeCount()).isEqualTo(16);
            all.forEach(Gate::open);
            awaitIdle(workers);
        }
        assertThat(threads).hasSize(16);
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
        int madeSoFar = threads.size();
        for (int i = 0; i < 20; i++) {
            run(workers);
        }
        awaitThat(() -> workers.threadCount() == 2);
        assertThat(threads.size() - madeSoFar).isLessThanOrEqualTo(20);
        assertThat(listener.ended).hasValue(0);
    }

    @Test
    void spareWorkersSleepAndSurviveAnInterrupt() {
        ElasticPool workers = start(6, SHORT);
        run(workers);
        awaitThat(() -> workers.threadCount() == 2);
        awaitIdle(workers);
        // Without a limit of time: nothing wakes up for nothing.
        awaitThat(() -> threads.stream().allMatch(PoolSizeTest::isAsleepOrOver));
        assertThat(starter.thread).isNull();
        for (Thread thread : threads) {
            thread.interrupt();
            awaitThat(() -> !thread.isInterrupted() && isAsleepOrOver(thread));
        }
        assertThat(workers.threadCount()).isEqualTo(2);
        assertThat(threads).filteredOn(Thread::isAlive).hasSize(2);
        run(workers);
    }

    private static boolean isAsleepOrOver(Thread thread) {
        return thread.getState() == Thread.State.WAITING || !thread.isAlive();
    }

    @Test
    void noneEndsBeforeItHasBeenIdleForThatLong() {
        // The clock passes its end meanwhile.
        AtomicLong now = new AtomicLong(Long.MAX_VALUE - SHORT / 2);
        AtomicInteger readings = new AtomicInteger();
        clock = () -> {
            readings.incrementAndGet();
            return now.get();
        };
        ElasticPool workers = start(4, SHORT);
        growTo(4, workers);
        int seen = readings.get();
        awaitThat(() -> readings.get() > seen + 20);
        now.addAndGet(SHORT - 1);
        int seenLater = readings.get();
        awaitThat(() -> readings.get() > seenLater + 20);
        assertThat(workers.threadCount()).isEqualTo(4);
        now.incrementAndGet();
        awaitThat(() -> workers.threadCount() == 2);
    }

    @Test
    void lowerLimitEndsWorkersAndAHigherOneStartsRuns() {
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
    void workerThatIsTooManyTakesNothingMore() {
        ElasticPool workers = start(2, LONG);
        List<Gate> all = List.of(gate(workers), gate(workers));
        all.forEach(gate -> gate.awaitArrivals(1));
        Gate waiting = gate(workers);
        workers.setMaxSize(1);
        all.get(0).open();
        awaitThat(() -> threads.stream().filter(Thread::isAlive).count() == 1);
        assertThat(waiting.arrivals()).isZero();
        assertThat(workers.activeCount()).isEqualTo(1);
        all.get(1).open();
        waiting.awaitArrivals(1);
    }

    @Test
    void lowerLimitEndsIdleOnes() {
        ElasticPool workers = start(4, LONG);
        growTo(4, workers);
        workers.setMaxSize(2);
        awaitThat(() -> workers.threadCount() == 2);
        run(workers);
    }

    @Test
    void poolOnDemandHasNoWorkerBeforeAndAfterRuns() {
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

    /** It is not asleep any more, so nobody wakes it, and it has not ended yet, so nobody starts another. */
    @Test
    void runThatComesWhileTheLastOneIsAboutToEndHasANewOne() {
        ElasticPool workers = startOnDemand(1, SHORT, false);
        AtomicLong now = new AtomicLong();
        AtomicBoolean isToEnd = new AtomicBoolean();
        AtomicBoolean isSignalled = new AtomicBoolean();
        List<Thread> runners = new CopyOnWriteArrayList<>();
        clock = () -> {
            if (isToEnd.compareAndSet(true, false)) {
                handOver(workers, () -> runners.add(Thread.currentThread()));
                isSignalled.set(true);
                return now.addAndGet(SHORT);
            }
            return now.get();
        };
        run(workers);
        awaitThat(() -> threads.get(0).getState() == Thread.State.TIMED_WAITING);
        isToEnd.set(true);
        awaitThat(isSignalled::get);
        awaitThat(() -> !runners.isEmpty());
        assertThat(threads).hasSize(2);
        assertThat(runners).containsExactly(threads.get(1));
    }

    @Test
    void higherLimitOnDemandLetsWaitingRunsStart() {
        ElasticPool workers = startOnDemand(1, LONG, false);
        gate(workers).awaitArrivals(1);
        Gate waiting = gate(workers);
        workers.setMaxSize(2);
        waiting.awaitArrivals(1);
    }

    @Test
    void oneRunEachMeansAThreadOfItsOwn() {
        ElasticPool workers = startOnDemand(2, SHORT, true);
        Set<Thread> runners = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 5; i++) {
            handOver(workers, () -> runners.add(Thread.currentThread()));
        }
        awaitThat(() -> runners.size() == 5);
        awaitThat(() -> workers.threadCount() == 0);
    }

    @Test
    void leavingWorkerStartsTheNextWithinTheLimit() {
        ElasticPool workers = startOnDemand(1, LONG, true);
        Gate first = gate(workers);
        first.awaitArrivals(1);
        handOver(workers, ran::incrementAndGet);
        first.open();
        awaitThat(() -> ran.get() == 1 && workers.threadCount() == 0);
        assertThat(threads).hasSize(2);
        assertThat(askers.get(1)).isSameAs(threads.get(0));
    }

    @Test
    void endedThreadsLeaveNothing() {
        List<WeakReference<Runnable>> made = new CopyOnWriteArrayList<>();
        ElasticPool workers = startOnDemand(
                task -> {
                    made.add(new WeakReference<>(task));
                    return daemon(task);
                },
                2,
                SHORT,
                true);
        run(workers);
        run(workers);
        awaitThat(() -> workers.threadCount() == 0);
        awaitCollected(made);
        assertThat(made).hasSizeGreaterThan(1);
    }

    @Test
    void starterKeepsNothingOfAnEndedPool() {
        awaitCollected(List.of(startAndStop()));
    }

    private WeakReference<@Nullable ElasticPool> startAndStop() {
        ElasticPool workers = create(PoolSizeTest::daemon, 1, LONG, null);
        run(workers);
        workers.stop();
        awaitThat(workers::hasEnded);
        forget();
        return new WeakReference<>(workers);
    }

    @Test
    void noThreadIsStartedAfterAStop() {
        ElasticPool workers = start(4, LONG);
        awaitIdle(workers);
        workers.stop();
        awaitThat(() -> listener.ended.get() == 1);
        workers.startIfShort(true);
        workers.startAhead();
        workers.setMaxSize(8);
        assertThat(threads).hasSize(1);
        assertThat(workers.threadCount()).isZero();
    }

    /** A worker that is in its only run takes no other, so others must not wait for it. */
    @Test
    void runsThatHaveAThreadEachWaitForNoFollowUp() {
        ElasticPool pool = startOnDemand(8, LONG, true);
        pool.setFollowedUp(true);
        Gate gate = newGate();
        for (int i = 0; i < 3; i++) {
            pool.handOver(gate, 0);
        }
        pool.signalHandOver(false);
        gate.awaitArrivals(3);
        pool.handOver(gate, 0);
        pool.signalHandOver(true);
        gate.awaitArrivals(4);
    }
}
