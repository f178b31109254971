package io.github.wheelscheduler.internal.worker;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.RunHooks;
import io.github.wheelscheduler.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Runs are run once, in their order, seen while they go on, held back and returned; a worker that fails goes on. */
class ElasticPoolTest extends ElasticPoolFixture {

    // How runs run

    @Test
    void interruptDoesNotReachTheNextRun() {
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
        ElasticPool workers = start(3, LONG);
        Gate one = gate(workers);
        one.awaitArrivals(1);
        Gate other = gate(workers);
        other.awaitArrivals(1);
        workers.interruptActive();
        awaitThat(() -> one.interrupts() == 1 && other.interrupts() == 1);
        awaitIdle(workers);
        workers.interruptActive();
        assertThat(threads).noneMatch(Thread::isInterrupted);
        run(workers);
    }

    @Test
    void observedRunIsShownWithItsThreadAndStart() {
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
    void endOfARunIsToldOnceAlsoIfEarly() {
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
    void workerOfAPoolThatKeepsSomeDoesNotLeaveEarly() {
        ElasticPool workers = start(1, LONG);
        List<Boolean> answers = new CopyOnWriteArrayList<>();
        handOver(workers, () -> answers.add(workers.leaveEarly()));
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
        ElasticPool workers = create(this::worker, 1, LONG, hooks);
        workers.startIfShort(true);
        run(workers);
        awaitIdle(workers);
        assertThat(told).containsExactly("before", "after");
    }

    @Test
    void runsThatFollowAreTouchedAhead() {
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

    @Test
    void waitingRunsAreCountedAndShown() {
        ElasticPool workers = start(1, LONG);
        assertThat(workers.isReadyEmpty()).isTrue();
        int room = workers.room();
        assertThat(workers.hasRoom()).isTrue();
        gate(workers).awaitArrivals(1);
        List<Runnable> waiting = List.of(ran::incrementAndGet, ran::incrementAndGet);
        assertThat(workers.handOverNow(waiting.get(0), 100)).isTrue();
        workers.handOver(waiting.get(1), 200);
        List<Runnable> seen = new ArrayList<>();
        workers.forEachReady(seen::add);
        assertThat(seen).containsExactlyElementsOf(waiting);
        assertThat(workers.isReadyEmpty()).isFalse();
        assertThat(workers.oldestReadyNanos(150)).isEqualTo(50);
        assertThat(workers.room()).isEqualTo(room - 2);
    }

    @Test
    void roomFollowsTheFreePartOfTheRing() {
        ElasticPool workers = create(this::worker, 1, LONG, null);
        int half = workers.room() / 2;
        for (int i = 0; i < half; i++) {
            assertThat(workers.hasRoom()).isTrue();
            workers.handOver(ran::incrementAndGet, 0);
        }
        assertThat(workers.hasRoom()).isTrue();
        workers.handOver(ran::incrementAndGet, 0);
        assertThat(workers.hasRoom()).isFalse();
        for (int i = 1; i < half; i++) {
            assertThat(workers.room()).isPositive();
            workers.handOver(ran::incrementAndGet, 0);
        }
        assertThat(workers.room()).isZero();
    }

    // Pauses

    @Test
    void pauseHoldsRunsAndTellsWhenTheLastHasEnded() {
        ElasticPool workers = start(1, LONG);
        Gate gate = gate(workers);
        gate.awaitArrivals(1);
        workers.handOver(ran::incrementAndGet, 0);
        AtomicInteger quiet = new AtomicInteger();
        assertThat(workers.isPaused()).isFalse();
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
    void callbackOfALaterPauseLeavesTheOneBeforeInPlace() {
        ElasticPool workers = start(1, LONG);
        Gate gate = gate(workers);
        gate.awaitArrivals(1);
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        workers.pause();
        workers.callWhenQuiet(first::incrementAndGet);
        workers.pause();
        workers.callWhenQuiet(second::incrementAndGet);
        gate.open();
        awaitThat(() -> second.get() == 1);
        assertThat(first).hasValue(1);
    }

    @Test
    void quietMomentBetweenTwoRunsIsTold() {
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
    void workerThatFailsBetweenRunsGoesOn() {
        ElasticPool workers = start(1, LONG);
        listener.failuresWhenIdle.set(3);
        for (int i = 0; i < 5; i++) {
            run(workers);
            awaitIdle(workers);
        }
        assertThat(workers.threadCount()).isEqualTo(1);
        assertThat(threads).hasSize(1);
        assertThat(log.said("A worker failed outside of a task; it continues")).hasSize(3);
    }

    @Test
    void throwingRunIsLoggedAndAThrowingHookHarmsNone() {
        List<@Nullable Throwable> told = new CopyOnWriteArrayList<>();
        RunHooks hooks = new RunHooks() {
            @Override
            public void beforeRun(Thread thread, Runnable run) {
                throw new IllegalStateException("before");
            }

            @Override
            public void afterRun(Runnable run, @Nullable Throwable failure) {
                told.add(failure);
                throw new IllegalStateException("after");
            }
        };
        ElasticPool workers = create(this::worker, 1, LONG, hooks);
        workers.startIfShort(true);
        AssertionError failure = new AssertionError("on purpose");
        handOver(workers, () -> {
            throw failure;
        });
        run(workers);
        awaitIdle(workers);
        assertThat(told).containsExactly(failure, null);
        assertThat(log.said("An exception escaped from a run, ")).hasSize(1);
        assertThat(log.said("The hook before a run failed")).hasSize(2);
        assertThat(log.said("The hook after a run failed; the run's result is unchanged"))
                .hasSize(2);
        assertThat(threads).hasSize(1);
    }

    @Test
    void endIsToldUntilTheListenerHasHeardIt() {
        ElasticPool workers = start(2, LONG);
        listener.failuresWhenEnded.set(3);
        workers.stop();
        awaitThat(() -> listener.ended.get() == 1);
        assertThat(workers.hasEnded()).isTrue();
    }

    // The end

    @Test
    void unstartedRunsAreReturnedInOrderAndStartNoMore() {
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

    /** What it may be about to take would be in nobody's hands. */
    @Test
    void workerThatIsTakingIsWaitedForBeforeRunsAreReturned() throws Exception {
        ElasticPool workers = start(1, LONG);
        Gate taking = newGate();
        listener.whenTouched = taking;
        List<Runnable> runs = List.of(ran::incrementAndGet, ran::incrementAndGet);
        runs.forEach(run -> workers.handOver(run, 0));
        workers.signalHandOver(false);
        taking.awaitArrivals(1);
        List<Runnable> returned = new CopyOnWriteArrayList<>();
        Thread stopper = daemon(() -> returned.addAll(workers.stopNow()));
        stopper.start();
        awaitThat(() -> LockSupport.getBlocker(stopper) == workers);
        assertThat(returned).isEmpty();
        taking.open();
        stopper.join();
        assertThat(returned).containsExactlyElementsOf(runs);
        assertThat(ran).hasValue(0);
    }
}
