package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sets of workers with limits of their own on one wheel: what is full, paused or closed delays nobody else. */
class GroupsTest {

    private final VirtualTime time = new VirtualTime();
    private final WheelScheduledExecutor executor = time.executor;
    private final List<Gate> gates = new ArrayList<>();

    @AfterEach
    void close() {
        gates.forEach(Gate::open);
        time.close();
    }

    private WheelScheduledExecutor group(String name, int maxSize, int queueCapacity, OnFull onFull) {
        return executor.newGroup(name)
                .maxWorkers(maxSize)
                .queueCapacity(queueCapacity)
                .onFull(onFull)
                .build();
    }

    /** Lets tasks hold all workers of the group until the test ends or opens it. */
    private Gate fill(WheelScheduledExecutor group) {
        Gate gate = new Gate();
        gates.add(gate);
        for (int i = 0; i < group.maxWorkers(); i++) {
            group.execute(gate);
        }
        gate.awaitArrivals(group.maxWorkers());
        time.setBlocked(group, true);
        return gate;
    }

    private void open(Gate gate, WheelScheduledExecutor group) {
        gate.open();
        time.setBlocked(group, false);
    }

    @Test
    void fullGroupDelaysNoOther() {
        WheelScheduledExecutor full = group("full", 2, 0, OnFull.WAIT);
        WheelScheduledExecutor other = group("other", 2, 0, OnFull.WAIT);
        Gate gate = fill(full);
        AtomicInteger late = new AtomicInteger();
        for (int i = 0; i < 10_000; i++) {
            WheelTimer<?> ignored = full.schedule(late::incrementAndGet, 10, MILLISECONDS);
        }
        VirtualTime.Recorder beat = time.recorder();
        VirtualTime.Recorder beatOfOther = time.recorder();
        WheelTimer<?> one = executor.scheduleAtFixedRate(beat, 10, 10, MILLISECONDS);
        WheelTimer<?> two = other.scheduleAtFixedRate(beatOfOther, 10, 10, MILLISECONDS);
        time.pass(Duration.ofMillis(50));
        assertThat(beat.take()).containsExactly(10L, 20L, 30L, 40L, 50L);
        assertThat(beatOfOther.take()).containsExactly(10L, 20L, 30L, 40L, 50L);
        assertThat(late).hasValue(0);
        assertThat(full.pendingCount()).isEqualTo(10_000);
        assertThat(full.readyCount()).isEqualTo(10_000);
        open(gate, full);
        awaitThat(() -> late.get() == 10_000);
        assertThat(one.cancel(false)).isTrue();
        assertThat(two.cancel(false)).isTrue();
    }

    @Test
    void executorItselfMayBeFullToo() {
        try (VirtualTime small = new VirtualTime(builder -> builder.maxWorkers(1))) {
            Gate gate = new Gate();
            gates.add(gate);
            small.executor.execute(gate);
            gate.awaitArrivals(1);
            small.setBlocked(small.executor, true);
            AtomicInteger late = new AtomicInteger();
            for (int i = 0; i < 10_000; i++) {
                WheelTimer<?> ignored = small.executor.schedule(late::incrementAndGet, 10, MILLISECONDS);
            }
            VirtualTime.Recorder beat = small.recorder();
            WheelTimer<?> ignored = small.executor.group("beat").scheduleAtFixedRate(beat, 10, 10, MILLISECONDS);
            small.pass(Duration.ofMillis(30));
            assertThat(beat.take()).containsExactly(10L, 20L, 30L);
            assertThat(late).hasValue(0);
            gate.open();
            awaitThat(() -> late.get() == 10_000);
        }
    }

    @Test
    void executeAndSubmitWaitInTheOrderOfTheirCaller() {
        WheelScheduledExecutor group = group("group", 1, 2, OnFull.WAIT);
        Gate gate = fill(group);
        ConcurrentLinkedQueue<Integer> ran = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            group.execute(() -> ran.add(number));
        }
        time.awaitQuiet();
        assertThat(group.pendingCount()).isEqualTo(1_000);
        open(gate, group);
        awaitThat(() -> ran.size() == 1_000);
        assertThat(new ArrayList<>(ran)).isSorted();
    }

    @ParameterizedTest
    @EnumSource(names = "WAIT", mode = EnumSource.Mode.EXCLUDE)
    void submissionsToAFullGroupAreRejectedAtTheCall(OnFull onFull) {
        WheelScheduledExecutor group = group("reports", 2, 1, onFull);
        Gate gate = fill(group);
        Future<?> queued = group.submit(() -> {});
        assertThatThrownBy(() -> group.execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining(
                        "group reports is full: max-size is 2, queue-capacity is 1, and 3 places are taken");
        assertThatThrownBy(() -> group.submit(() -> 1)).isInstanceOf(RejectedExecutionException.class);
        assertThat(group.snapshot().totals().refusedRuns()).isEqualTo(2);
        assertThat(group.snapshot().totals().rejected()).isEqualTo(2);
        open(gate, group);
        awaitThat(queued::isDone);
        awaitThat(() -> {
            try {
                group.execute(() -> {});
                return true;
            } catch (RejectedExecutionException ex) {
                return false;
            }
        });
        time.awaitQuiet();
        assertThat(group.pendingCount()).isZero();
    }

    @Test
    void oneTimeTimersFailInAFullGroupThatRejects() {
        WheelScheduledExecutor group = group("reports", 1, 0, OnFull.REJECT);
        Gate gate = fill(group);
        AtomicInteger ran = new AtomicInteger();
        WheelTimer<?> refused = group.schedule(ran::incrementAndGet, 10, MILLISECONDS);
        WheelTimer<?> atOnce = group.schedule(() -> ran.incrementAndGet(), 0, MILLISECONDS);
        time.pass(Duration.ofMillis(20));
        awaitThat(refused::isDone);
        awaitThat(atOnce::isDone);
        for (WheelTimer<?> timer : List.of(refused, atOnce)) {
            assertThat(timer.isCancelled()).isFalse();
            assertThatThrownBy(timer::get)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("group reports is full");
        }
        assertThat(group.snapshot().totals().refusedRuns()).isEqualTo(2);
        open(gate, group);
        awaitThat(() -> group.activeCount() == 0);
        WheelTimer<?> taken = group.schedule(ran::incrementAndGet, 10, MILLISECONDS);
        time.pass(Duration.ofMillis(20));
        awaitThat(taken::isDone);
        assertThat(ran).hasValue(1);
        assertThat(group.pendingCount()).isZero();
    }

    @Test
    void oneTimeTimersAreCancelledInAFullGroupThatDrops() {
        WheelScheduledExecutor group = group("reports", 1, 0, OnFull.DROP);
        Gate ignored = fill(group);
        WheelTimer<?> dropped = group.schedule(() -> {}, 10, MILLISECONDS);
        time.pass(Duration.ofMillis(20));
        awaitThat(dropped::isDone);
        assertThat(dropped.isCancelled()).isTrue();
        assertThat(group.snapshot().totals().refusedRuns()).isEqualTo(1);
        assertThat(group.pendingCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = "WAIT", mode = EnumSource.Mode.EXCLUDE)
    void seriesLosesRunsInAFullGroupAndKeepsItsPhase(OnFull onFull) {
        WheelScheduledExecutor group = group("reports", 1, 0, onFull);
        Gate gate = fill(group);
        VirtualTime.Recorder rate = time.recorder();
        VirtualTime.Recorder delay = time.recorder();
        WheelTimer<?> one = group.scheduleAtFixedRate(rate, 10, 20, MILLISECONDS);
        WheelTimer<?> two = group.scheduleWithFixedDelay(delay, 20, 20, MILLISECONDS);
        time.pass(Duration.ofMillis(65));
        assertThat(rate.take()).isEmpty();
        assertThat(delay.take()).isEmpty();
        assertThat(group.snapshot().totals().refusedRuns()).isEqualTo(6);
        open(gate, group);
        awaitThat(() -> group.activeCount() == 0);
        time.pass(Duration.ofMillis(40));
        assertThat(rate.take()).containsExactly(70L, 90L);
        assertThat(delay.take()).hasSize(2);
        assertThat(one.isDone()).isFalse();
        assertThat(two.isDone()).isFalse();
        assertThat(group.pendingCount()).isEqualTo(2);
    }

    @Test
    void placeIsFreeAtTheRealEndOfARun() {
        WheelScheduledExecutor group = group("reports", 1, 0, OnFull.REJECT);
        Gate gate = new Gate();
        gates.add(gate);
        Future<?> running = group.submit(() -> {
            while (gate.arrivals() == 0) {
                Thread.onSpinWait();
            }
        });
        awaitThat(() -> group.activeCount() == 1);
        assertThat(running.cancel(false)).isTrue();
        assertThatThrownBy(() -> group.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        open(gate, group);
        gate.run();
        awaitThat(() -> group.activeCount() == 0);
        Future<?> next = group.submit(() -> {});
        awaitThat(next::isDone);
    }

    @Test
    void pauseOfTheExecutorAndOneOfTheGroupBothHaveToEnd() {
        WheelScheduledExecutor group = group("reports", 1, 1, OnFull.WAIT);
        group.pause();
        executor.pause();
        Future<?> run = group.submit(() -> {});
        executor.resume();
        time.awaitQuiet();
        assertThat(group.isPaused()).isTrue();
        assertThat(run.isDone()).isFalse();
        group.resume();
        awaitThat(run::isDone);
    }

    @Test
    void pauseCallsBackWhenTheLastRunOfAllGroupsHasEnded() {
        WheelScheduledExecutor one = group("one", 1, 1, OnFull.WAIT);
        WheelScheduledExecutor two = group("two", 1, 1, OnFull.WAIT);
        Gate first = fill(one);
        Gate second = fill(two);
        AtomicInteger quiet = new AtomicInteger();
        executor.pause(quiet::incrementAndGet);
        assertThat(quiet).hasValue(0);
        open(first, one);
        awaitThat(() -> one.activeCount() == 0);
        assertThat(quiet).hasValue(0);
        open(second, two);
        awaitThat(() -> quiet.get() == 1);
    }

    @Test
    void pausesOfGroupAndExecutorCallBackInAnyOrder() {
        WheelScheduledExecutor group = group("reports", 1, 1, OnFull.WAIT);
        for (boolean groupFirst : new boolean[] {true, false}) {
            Gate gate = fill(group);
            AtomicInteger quiet = new AtomicInteger();
            if (groupFirst) {
                group.pause(quiet::incrementAndGet);
            }
            executor.pause(quiet::incrementAndGet);
            if (!groupFirst) {
                group.pause(quiet::incrementAndGet);
            }
            assertThat(quiet).hasValue(0);
            open(gate, group);
            awaitThat(() -> quiet.get() == 2);
            executor.resume();
            group.resume();
            awaitThat(() -> EngineOf.executor(group).dispatcher().isDrained());
        }
    }

    @Test
    void groupCanBeShutDownAloneAndItsNameUsedAgain() {
        WheelScheduledExecutor group = group("reports", 1, 0, OnFull.WAIT);
        AtomicInteger ran = new AtomicInteger();
        WheelTimer<?> delayed = group.schedule(ran::incrementAndGet, 10, MILLISECONDS);
        WheelTimer<?> repeating = group.scheduleAtFixedRate(ran::incrementAndGet, 1, 1, HOURS);
        time.awaitQuiet();
        group.shutdown();
        assertThat(repeating.isCancelled()).isTrue();
        assertThatThrownBy(() -> group.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(group.isTerminated()).isFalse();
        time.pass(Duration.ofMillis(20));
        awaitThat(delayed::isDone);
        awaitThat(group::isTerminated);
        assertThat(ran).hasValue(1);
        Future<?> other = executor.submit(() -> {});
        awaitThat(other::isDone);
        WheelScheduledExecutor next = executor.group("reports");
        assertThat(next).isNotSameAs(group);
        Future<?> again = next.submit(() -> {});
        awaitThat(again::isDone);
        assertThat(executor.groups()).containsExactly(next);
    }

    @Test
    void shutdownNowOfAGroupReturnsItsTasksAlone() {
        WheelScheduledExecutor group = group("reports", 1, 1, OnFull.WAIT);
        WheelTimer<?> other = executor.schedule(() -> {}, 1, HOURS);
        Gate gate = fill(group);
        List<Runnable> expected = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            expected.add(group.schedule(() -> {}, 10 + i, MILLISECONDS));
        }
        time.pass(Duration.ofMillis(12));
        assertThat(group.shutdownNow()).containsExactlyElementsOf(expected);
        awaitThat(() -> gate.interrupts() == 1);
        awaitThat(group::isTerminated);
        assertThat(group.pendingCount()).isZero();
        assertThat(other.isDone()).isFalse();
        assertThat(executor.pendingCount()).isEqualTo(1);
    }

    @Test
    void shutdownOfTheExecutorShutsItsGroupsDown() {
        WheelScheduledExecutor group = group("reports", 1, 0, OnFull.WAIT);
        Gate gate = fill(group);
        WheelTimer<?> repeating = group.scheduleAtFixedRate(() -> {}, 1, 1, HOURS);
        WheelTimer<?> waits = group.schedule(() -> {}, 1, MILLISECONDS);
        time.pass(Duration.ofMillis(10));
        executor.shutdown();
        assertThat(group.isShutdown()).isTrue();
        assertThat(repeating.isCancelled()).isTrue();
        assertThat(executor.isTerminated()).isFalse();
        open(gate, group);
        awaitThat(executor::isTerminated);
        assertThat(waits.isDone()).isTrue();
        assertThat(waits.isCancelled()).isFalse();
        assertThat(group.isTerminated()).isTrue();
        assertThatThrownBy(() -> executor.newGroup("late").build()).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void groupThatStandsApartGoesOnUntilItHasNothingLeft() {
        WheelScheduledExecutor apart =
                executor.newGroup("apart").standsApart(true).build();
        VirtualTime.Recorder recorder = time.recorder();
        WheelTimer<?> renewal = apart.scheduleAtFixedRate(recorder, 10, 10, MILLISECONDS);
        executor.pause();
        executor.halt();
        time.pass(Duration.ofMillis(20));
        assertThat(recorder.take()).containsExactly(10L, 20L);
        executor.shutdown();
        time.pass(Duration.ofMillis(20));
        assertThat(recorder.take()).containsExactly(30L, 40L);
        assertThat(executor.isTerminated()).isFalse();
        assertThat(renewal.cancel(false)).isTrue();
        awaitThat(executor::isTerminated);
        awaitThat(apart::isTerminated);
        assertThatThrownBy(() -> apart.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void groupThatStandsApartIsToldOfAShutdownOnce() {
        WheelScheduledExecutor apart =
                executor.newGroup("apart").standsApart(true).build();
        WheelTimer<?> renewal = apart.scheduleAtFixedRate(() -> {}, 1, 1, HOURS);
        AtomicInteger told = new AtomicInteger();
        apart.setShutdownListener(() -> {
            told.incrementAndGet();
            assertThat(renewal.cancel(false)).isTrue();
            throw new IllegalStateException("on purpose");
        });
        executor.shutdown();
        awaitThat(executor::isTerminated);
        executor.shutdown();
        assertThat(told).hasValue(1);
    }

    @Test
    void boundOnPendingTimersIsOneForAll() {
        try (VirtualTime bounded = new VirtualTime(builder -> builder.maxPending(3))) {
            WheelScheduledExecutor group = bounded.executor.group("reports");
            WheelTimer<?> one = bounded.executor.schedule(() -> {}, 1, HOURS);
            WheelTimer<?> two = group.schedule(() -> {}, 1, HOURS);
            WheelTimer<?> three = group.schedule(() -> {}, 1, HOURS);
            assertThatThrownBy(() -> bounded.executor.schedule(() -> {}, 1, HOURS))
                    .hasMessageContaining("max-pending is 3, and 3 timers are pending");
            assertThatThrownBy(() -> group.schedule(() -> {}, 1, HOURS)).isInstanceOf(RejectedExecutionException.class);
            assertThat(bounded.executor.pendingCount()).isEqualTo(1);
            assertThat(group.pendingCount()).isEqualTo(2);
            assertThat(List.of(one.cancel(false), two.cancel(false), three.cancel(false)))
                    .containsOnly(true);
            assertThat(group.remainingPending()).isEqualTo(3);
        }
    }

    @Test
    void idleGroupsHaveNoThreadAndThereIsOneTickThread() {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        try (WheelScheduledExecutor real = WheelScheduledExecutor.builder()
                .threadFactory(task -> {
                    Thread thread = new Thread(task);
                    threads.add(thread);
                    return thread;
                })
                .tickThreadFactory(task -> {
                    Thread thread = new Thread(task, "tick");
                    threads.add(thread);
                    return thread;
                })
                .workerKeepAlive(Duration.ofMillis(1))
                .build()) {
            List<WheelTimer<?>> timers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                timers.add(real.group("group-" + i).schedule(() -> {}, 1, HOURS));
            }
            // The tick thread; the one that starts the first worker of a group comes with that, and is none of a
            // factory's.
            assertThat(threads).hasSize(1);
            Future<?> run = real.group("group-7").submit(() -> {});
            awaitThat(run::isDone);
            awaitThat(() -> threads.stream().filter(Thread::isAlive).count() == 1);
            assertThat(threads).hasSizeGreaterThan(1);
            assertThat(real.group("group-7").workerCount()).isZero();
            assertThat(real.groups()).hasSize(20);
            timers.forEach(timer -> assertThat(timer.cancel(false)).isTrue());
        }
        awaitThat(() -> threads.stream().noneMatch(Thread::isAlive));
    }

    @Test
    void eachRunHasAThreadOfItsOwnWhereThatIsAsked() {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        WheelScheduledExecutor group = executor.newGroup("light")
                .threadPerRun(Thread::new)
                .maxWorkers(2)
                .queueCapacity(3)
                .build();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger going = new AtomicInteger();
        List<Future<?>> runs = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            runs.add(group.submit(() -> {
                most.accumulateAndGet(going.incrementAndGet(), Math::max);
                threads.add(Thread.currentThread());
                going.decrementAndGet();
            }));
        }
        awaitThat(() -> runs.stream().allMatch(Future::isDone));
        assertThat(threads).hasSize(200);
        assertThat(most.get()).isBetween(1, 2);
    }

    @Test
    void raisingTheLimitLetsGoWhatWaits() {
        WheelScheduledExecutor group = group("reports", 1, 0, OnFull.WAIT);
        Gate gate = fill(group);
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 10; i++) {
            group.execute(ran::incrementAndGet);
        }
        time.awaitQuiet();
        assertThat(ran).hasValue(0);
        group.setMaxWorkers(2);
        awaitThat(() -> ran.get() == 10);
        assertThat(gate.arrivals()).isEqualTo(1);
    }

    @Test
    void settingsThatBelongToTheExecutorAreRefused() {
        assertThatThrownBy(() -> executor.newGroup("reports").tick(Duration.ofMillis(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("tick must be set on the executor, not on a group; was set on group reports");
        assertThatThrownBy(() -> executor.newGroup(" "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name must not be blank, was ' '");
        assertThatThrownBy(() -> executor.newGroup("reports").queueCapacity(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("queueCapacity must not be negative, was -1");
        assertThatThrownBy(() -> WheelScheduledExecutor.builder().onFull(OnFull.DROP))
                .isInstanceOf(IllegalStateException.class);
        WheelScheduledExecutor group = executor.group("reports");
        assertThatThrownBy(() -> group.group("inner")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> executor.newGroup("reports").build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The name of a group must be unique; there is already a group reports");
        assertThat(executor.group("reports")).isSameAs(group);
        assertThat(group.groupName()).isEqualTo("reports");
    }

    @Test
    void cancellingAMillionWaitingTimersLetsThemGo() throws Exception {
        WheelScheduledExecutor group = group("reports", 1, 0, OnFull.WAIT);
        Gate gate = fill(group);
        List<WheelTimer<?>> timers = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            timers.add(group.schedule(() -> {}, 10, MILLISECONDS));
        }
        time.pass(Duration.ofMillis(20));
        assertThat(group.readyCount()).isEqualTo(100_000);
        timers.forEach(timer -> assertThat(timer.cancel(false)).isTrue());
        time.pass(Duration.ofSeconds(5));
        assertThat(time.wheelSize()).isLessThan(10_000);
        assertThat(group.pendingCount()).isZero();
        open(gate, group);
        Future<Integer> next = group.submit(() -> 1);
        // What is due now may come with the next tick.
        time.pass(Duration.ofMillis(1));
        assertThat(next.get(60, SECONDS)).isEqualTo(1);
    }

    @Test
    void shutdownNowOfTheExecutorReturnsTasksOfGroups() {
        WheelScheduledExecutor group = group("reports", 1, 0, OnFull.WAIT);
        Gate gate = fill(group);
        WheelTimer<?> waits = group.schedule(() -> {}, 1, MILLISECONDS);
        WheelTimer<?> delayed = executor.schedule(() -> {}, 1, HOURS);
        time.pass(Duration.ofMillis(10));
        assertThat(executor.shutdownNow()).containsExactly(waits, delayed);
        awaitThat(() -> gate.interrupts() == 1);
        awaitThat(executor::isTerminated);
        awaitThat(group::isTerminated);
    }
}
