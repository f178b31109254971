package io.github.wheelscheduler.internal.worker;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.testing.Gate;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * A thread that cannot be started is started later, by a thread that comes by or by the starter, and of one that was
 * not nothing stays.
 */
class PoolSizeStartFailureTest extends ElasticPoolFixture {

    @Test
    void failureToMakeTheFirstThreadIsThrownEachTime() {
        ElasticPool workers = create(task -> null, 2, LONG, null);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> workers.startIfShort(true))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessage("The thread factory must return a thread, returned null");
            assertThat(workers.threadCount()).isZero();
        }
        workers.startIfShort(false);
        assertThat(starter.isThreadLacking()).isFalse();
        assertThat(log.messages()).isEmpty();
    }

    @Test
    void firstWorkerOfATimerIsTriedAgainAndLoggedOnce() {
        startsFail = true;
        ElasticPool workers = create(this::worker, 2, LONG, null);
        handOver(workers, ran::incrementAndGet);
        awaitThat(() -> failedStarts.get() > 3);
        assertThat(askers).doesNotContain(Thread.currentThread());
        // A caller is told all the same, as no worker is there.
        awaitThat(() -> isToldToACaller(workers));
        startsFail = false;
        awaitThat(() -> ran.get() == 1);
        assertThat(log.messages()).singleElement().asString().contains("No worker could be started");
    }

    /** False, too, if the starter is trying just then: the caller relies on it. */
    private static boolean isToldToACaller(ElasticPool workers) {
        try {
            workers.startIfShort(true);
            return false;
        } catch (OutOfMemoryError ex) {
            return ex.getMessage().equals("on purpose");
        }
    }

    @Test
    void failedFirstWorkerLosesNoOtherRun() {
        Gate making = newGate();
        AtomicBoolean failing = new AtomicBoolean(true);
        ElasticPool workers = create(
                task -> {
                    if (failing.get()) {
                        making.run();
                        throw new OutOfMemoryError("on purpose");
                    }
                    return worker(task);
                },
                1,
                LONG,
                null);
        Thread first = daemon(() -> {
            try {
                workers.startIfShort(true);
            } catch (OutOfMemoryError ex) {
                ran.addAndGet(10);
            }
        });
        first.start();
        making.awaitArrivals(1);
        workers.startIfShort(true);
        handOver(workers, ran::incrementAndGet);
        assertThat(starter.isThreadLacking()).isFalse();
        failing.set(false);
        making.open();
        // The first caller's failure, and the run.
        awaitThat(() -> ran.get() == 11);
    }

    @Test
    void unstartableWorkerIsStartedLaterAndLoggedOnce() {
        ElasticPool workers = start(3, LONG);
        failToStartAFurtherOne(workers);
        startsFail = false;
        awaitThat(() -> workers.threadCount() == 2);
        awaitIdleBeside(1, workers);
        failToStartAFurtherOne(workers);
        Gate waiting = gate(workers);
        // One that is about to be tried counts.
        awaitThat(() -> workers.threadCount() == 2);
        assertThat(waiting.arrivals()).isZero();
        startsFail = false;
        waiting.awaitArrivals(1);
        assertThat(log.messages())
                .hasSize(2)
                .allSatisfy(message -> assertThat(message).contains("Another worker could not be started"));
    }

    /** Has the last one that is free run a task, so that it tries to start another. */
    private void failToStartAFurtherOne(ElasticPool workers) {
        int before = failedStarts.get();
        startsFail = true;
        gate(workers).awaitArrivals(1);
        awaitThat(() -> failedStarts.get() > before + 3);
    }

    private static void awaitIdleBeside(int active, ElasticPool workers) {
        awaitThat(() -> workers.awakeCount() == active);
    }

    @Test
    void askedThreadStartsAWorkerAfterAFailure() {
        keepStarterOut();
        ElasticPool workers = start(2, LONG);
        startsFail = true;
        gate(workers).awaitArrivals(1);
        Gate waiting = gate(workers);
        startsFail = false;
        assertThat(threads).hasSize(1);
        workers.startIfShort(false);
        waiting.awaitArrivals(1);
        assertThat(askers.get(askers.size() - 1)).isSameAs(Thread.currentThread());
    }

    @Test
    void workerStartsOneBetweenTwoRunsIfThatHasFailedBefore() {
        keepStarterOut();
        ElasticPool workers = start(2, LONG);
        startsFail = true;
        Gate first = gate(workers);
        first.awaitArrivals(1);
        Gate second = newGate();
        handOver(workers, () -> startsFail = false);
        handOver(workers, second);
        handOver(workers, ran::incrementAndGet);
        first.open();
        awaitThat(() -> ran.get() == 1);
        assertThat(second.arrivals()).isEqualTo(1);
    }

    @Test
    void starterAloneTriesAgainOnDemand() {
        startsFail = true;
        ElasticPool workers = startOnDemand(1, LONG, false);
        handOver(workers, ran::incrementAndGet);
        awaitThat(() -> failedStarts.get() > 3);
        workers.startIfShort(true);
        assertThat(askers).doesNotContain(Thread.currentThread());
        startsFail = false;
        awaitThat(() -> ran.get() == 1);
        assertThat(log.messages()).hasSize(1);
    }

    /**
     * A thread that has just started a worker does not take that for a success of the one that the new worker tried to
     * start since.
     */
    @Test
    void startThatFailsJustAfterOneThatDidNotIsTriedAgain() {
        ElasticPool[] workers = new ElasticPool[1];
        Gate second = newGate();
        workers[0] = start(
                task -> {
                    Thread plain = worker(task);
                    if (threads.size() != 2) {
                        return plain;
                    }
                    return new Thread(task) {
                        @Override
                        public synchronized void start() {
                            setDaemon(true);
                            super.start();
                            startsFail = true;
                            handOver(workers[0], second);
                            second.awaitArrivals(1);
                        }
                    };
                },
                3,
                LONG);
        startsFail = true;
        gate(workers[0]).awaitArrivals(1);
        startsFail = false;
        second.awaitArrivals(1);
        Gate third = gate(workers[0]);
        awaitThat(() -> failedStarts.get() > 3);
        startsFail = false;
        third.awaitArrivals(1);
    }

    @Test
    void unstartableWorkerLeavesNothing() {
        AtomicBoolean failing = new AtomicBoolean();
        List<WeakReference<Runnable>> failed = new CopyOnWriteArrayList<>();
        ElasticPool workers = start(
                task -> {
                    if (!failing.get()) {
                        return worker(task);
                    }
                    Thread started = daemon(() -> {});
                    started.start();
                    failed.add(new WeakReference<>(task));
                    return started;
                },
                3,
                LONG);
        failing.set(true);
        gate(workers).awaitArrivals(1);
        awaitThat(() -> failed.size() >= 3);
        failing.set(false);
        awaitThat(() -> workers.threadCount() == 2);
        awaitCollected(failed);
    }

    /** A thread factory may hang: nobody waits for it. */
    @Test
    void stopIsTheEndAlthoughAThreadIsBeingMade() {
        Gate making = newGate();
        ElasticPool workers = startOnDemand(
                task -> {
                    making.run();
                    throw new OutOfMemoryError("on purpose");
                },
                2,
                LONG,
                false);
        handOver(workers, ran::incrementAndGet);
        making.awaitArrivals(1);
        assertThat(workers.stopNow()).hasSize(1);
        assertThat(workers.hasEnded()).isTrue();
        making.open();
        awaitThat(() -> listener.ended.get() == 1);
        assertThat(workers.hasEnded()).isTrue();
    }
}
