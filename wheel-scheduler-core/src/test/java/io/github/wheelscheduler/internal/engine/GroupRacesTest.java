package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups in real time: what waits, is held, is refused, ends or starts at the same moment as something else. */
class GroupRacesTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final WheelScheduledExecutor executor =
            stops.use(WheelScheduledExecutor.builder().build());

    private WheelScheduledExecutor group(int maxSize, int queueCapacity, OnFull onFull) {
        return executor.newGroup("group")
                .maxWorkers(maxSize)
                .queueCapacity(queueCapacity)
                .onFull(onFull)
                .build();
    }

    private static int slotsTaken(WheelScheduledExecutor group) {
        GroupSlots slots = EngineOf.executor(group).dispatcher().slots;
        return slots == null ? 0 : slots.taken();
    }

    private static Gate fill(WheelScheduledExecutor group) {
        Gate gate = new Gate();
        group.execute(gate);
        gate.awaitArrivals(1);
        return gate;
    }

    @Test
    void stoppedExecutorLeavesNothingReadyInItsGroups() {
        WheelScheduledExecutor group = group(1, 0, OnFull.WAIT);
        Gate gate = fill(group);
        for (int i = 0; i < 5; i++) {
            group.execute(() -> {});
            WheelTimer<?> ignored = group.schedule(() -> {}, 1, MILLISECONDS);
        }
        awaitThat(() -> group.readyCount() == 10);
        assertThat(executor.shutdownNow()).hasSize(10);
        assertThat(group.readyCount()).isZero();
        assertThat(group.snapshot().oldestReady()).isZero();
        assertThat(group).asString().contains("ready = 0");
        gate.open();
        awaitThat(group::isTerminated);
        assertThat(group.readyCount()).isZero();
    }

    /** What has its place since the call must not wait behind what waits for that place. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void submittedTasksDoNotBlockTimersThatWaitForASlot(boolean byPause) {
        WheelScheduledExecutor group = group(1, 0, OnFull.REJECT);
        if (byPause) {
            group.pause();
        } else {
            group.halt();
        }
        List<Future<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(group.schedule(() -> {}, 1 + i, MILLISECONDS));
        }
        awaitThat(() -> EngineOf.executor(group).dispatcher().isAnyWaiting());
        if (byPause) {
            group.resume();
        } else {
            group.proceed();
        }
        for (int i = 0; i < 1_000; i++) {
            Future<?> submitted = tryToSubmit(group);
            if (submitted != null) {
                waiting.add(submitted);
            }
        }
        awaitThat(() -> waiting.stream().allMatch(Future::isDone));
        awaitThat(() -> slotsTaken(group) == 0);
    }

    private static @Nullable Future<?> tryToSubmit(WheelScheduledExecutor group) {
        try {
            return group.submit(() -> {});
        } catch (RejectedExecutionException ex) {
            return null;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tasksSubmittedWhileTimersAreHeldAndTheGroupIsFullRunWhenASlotIsFree(boolean haltsExecutor) {
        WheelScheduledExecutor group = group(1, 0, OnFull.WAIT);
        Gate gate = fill(group);
        Future<?> before = group.submit(() -> {});
        WheelTimer<?> held = group.schedule(() -> {}, 0, MILLISECONDS);
        awaitThat(() -> group.readyCount() == 2);
        (haltsExecutor ? executor : group).halt();
        Future<?> after = group.submit(() -> {});
        // What is held waits for no worker.
        awaitThat(() -> EngineOf.executor(executor).inbox.isEmpty() && group.readyCount() == 2);
        gate.open();
        awaitThat(() -> before.isDone() && after.isDone());
        assertThat(held.isDone()).isFalse();
        (haltsExecutor ? executor : group).proceed();
        awaitThat(held::isDone);
    }

    @Test
    void haltThenShutdownTerminatesAlthoughSomethingWaited() {
        WheelScheduledExecutor group = group(1, 0, OnFull.WAIT);
        Gate gate = fill(group);
        Future<?> waiting = group.submit(() -> {});
        awaitThat(() -> group.readyCount() == 1);
        executor.halt();
        executor.shutdown();
        gate.open();
        awaitThat(executor::isTerminated);
        assertThat(waiting.isDone()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = "WAIT", mode = EnumSource.Mode.EXCLUDE)
    void groupRefusesAfterAPauseAsItDidBefore(OnFull onFull) {
        WheelScheduledExecutor group = group(1, 0, onFull);
        group.pause();
        List<Future<?>> timers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            timers.add(group.schedule(() -> {}, 1, MILLISECONDS));
        }
        awaitThat(() -> group.readyCount() >= 49);
        assertThat(group.snapshot().totals().refusedRuns()).isZero();
        group.resume();
        awaitThat(() -> timers.stream().allMatch(Future::isDone));
        Gate gate = fill(group);
        List<Future<?>> later = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            later.add(group.schedule(() -> {}, 1, MILLISECONDS));
        }
        awaitThat(() -> later.stream().allMatch(Future::isDone));
        assertThat(group.snapshot().totals().refusedRuns()).isEqualTo(20);
        assertThat(group.readyCount()).isZero();
        gate.open();
    }

    @Test
    void removingWhatWasSubmittedFreesItsPlace() {
        WheelScheduledExecutor group = group(1, 1, OnFull.REJECT);
        group.pause();
        Gate gate = new Gate();
        for (int i = 0; i < 100; i++) {
            Future<?> submitted = tryToSubmit(group);
            if (submitted != null && group.remove((Runnable) submitted)) {
                assertThat(submitted.cancel(false)).isTrue();
            }
        }
        gate.open();
        group.resume();
        awaitThat(() -> slotsTaken(group) == 0);
    }

    /** The end of a run is told when its place is free. */
    @Test
    void callerThatWaitsForEachIsNeverRejected() throws ExecutionException, InterruptedException {
        WheelScheduledExecutor group = group(1, 0, OnFull.REJECT);
        for (int i = 0; i < 20_000; i++) {
            int number = i;
            assertThat(group.submit(() -> number).get()).isEqualTo(i);
        }
        awaitThat(() -> slotsTaken(group) == 0);
        assertThat(group.snapshot().totals().refusedRuns()).isZero();
    }

    @Test
    void seriesAloneInItsGroupIsNotRefusedBecauseOfItself() {
        WheelScheduledExecutor group = group(1, 0, OnFull.REJECT);
        AtomicInteger runs = new AtomicInteger();
        WheelTimer<?> series = group.scheduleAtFixedRate(
                () -> {
                    if (runs.incrementAndGet() % 10 == 0) {
                        long endNanos = System.nanoTime() + MILLISECONDS.toNanos(5);
                        while (System.nanoTime() - endNanos < 0) {
                            Thread.onSpinWait();
                        }
                    }
                },
                1,
                1,
                MILLISECONDS);
        awaitThat(() -> runs.get() > 500);
        assertThat(series.cancel(false)).isTrue();
        assertThat(group.snapshot().totals().refusedRuns()).isZero();
    }

    /** No place is lost, and none is made, no matter what callers do with what they have submitted. */
    @ParameterizedTest
    @EnumSource
    void placesAreExactAfterAMixOfEverything(OnFull onFull) {
        WheelScheduledExecutor group = group(2, 1, onFull);
        List<Thread> callers = new ArrayList<>();
        for (int caller = 0; caller < 3; caller++) {
            Random random = new Random(caller);
            Thread thread = new Thread(() -> playWith(group, random));
            thread.start();
            callers.add(thread);
        }
        for (int i = 0; i < 50; i++) {
            group.pause();
            Thread.onSpinWait();
            group.resume();
        }
        for (Thread thread : callers) {
            awaitThat(() -> !thread.isAlive());
        }
        awaitThat(() -> group.pendingCount() == 0 && group.activeCount() == 0);
        awaitThat(() -> slotsTaken(group) == 0);
    }

    private static void playWith(WheelScheduledExecutor group, Random random) {
        for (int i = 0; i < 3_000; i++) {
            try {
                Future<?> future = random.nextBoolean()
                        ? group.submit(() -> {})
                        : group.schedule(() -> {}, random.nextInt(3), MILLISECONDS);
                switch (random.nextInt(5)) {
                    case 0 -> future.cancel(random.nextBoolean());
                    case 1 -> ((Runnable) future).run();
                    case 2 -> ((WheelTimer<?>) future).reschedule(random.nextInt(3), MILLISECONDS);
                    default -> Thread.onSpinWait();
                }
            } catch (RejectedExecutionException ex) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void groupsThatEndWhileOthersAreBusyEndAndAreForgotten() {
        AtomicInteger beats = new AtomicInteger();
        WheelTimer<?> beat = executor.scheduleAtFixedRate(beats::incrementAndGet, 0, 1, MILLISECONDS);
        for (int i = 0; i < 500; i++) {
            WheelScheduledExecutor group = executor.newGroup("short-lived")
                    .maxWorkers(1)
                    .queueCapacity(0)
                    .workerKeepAlive(Duration.ZERO)
                    .build();
            Future<?> run = group.submit(() -> {});
            WheelTimer<?> far = group.schedule(() -> {}, 1, HOURS);
            group.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            group.shutdown();
            awaitThat(group::isTerminated);
            assertThat(run.isDone()).isTrue();
            assertThat(far.isCancelled()).isTrue();
        }
        awaitThat(() -> executor.groups().isEmpty());
        assertThat(beat.cancel(false)).isTrue();
        assertThat(beats.get()).isPositive();
    }

    /** A cancelled timer of a group stays in the wheel, where it would keep the group until it was due. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endedGroupLeavesMemory(boolean isTimerLeft) throws Exception {
        assertThat(executor.submit(() -> 1).get(30, SECONDS)).isEqualTo(1);
        WeakReference<Object> ended = endedGroup(isTimerLeft);
        awaitThat(() -> {
            System.gc();
            return ended.get() == null;
        });
    }

    /** Returns what only the group refers to. */
    private WeakReference<Object> endedGroup(boolean leavesTimer) {
        ThreadFactory own = new ThreadFactory() {
            @Override
            public Thread newThread(Runnable task) {
                return new Thread(task);
            }
        };
        WheelScheduledExecutor group =
                executor.newGroup("short-lived").threadFactory(own).build();
        WheelTimer<?> far = group.schedule(() -> {}, leavesTimer ? 24 : 0, HOURS);
        awaitThat(() -> leavesTimer ? EngineOf.executor(executor).shared.loop.wheelSize > 0 : far.isDone());
        assertThat(far.cancel(false)).isEqualTo(leavesTimer);
        group.shutdown();
        awaitThat(group::isTerminated);
        return new WeakReference<>(own);
    }

    /** A cancel between the claim of a run and its failed hand-over must not cost the group the place of the call. */
    @Test
    void cancelDuringAHandOverCostsNoSlot() {
        int room = 300;
        AtomicReference<@Nullable WheelTimer<?>> submitted = new AtomicReference<>();
        AtomicBoolean mayCancel = new AtomicBoolean();
        AtomicBoolean hasEnded = new AtomicBoolean();
        WheelScheduledExecutor group = executor.newGroup("group")
                .maxWorkers(1)
                .queueCapacity(room)
                .onFull(OnFull.REJECT)
                .decorator(timer -> {
                    submitted.set(mayCancel.get() ? timer : null);
                    return timer;
                })
                .build();
        Thread cancelling = new Thread(() -> {
            while (!hasEnded.get()) {
                WheelTimer<?> timer = submitted.getAndSet(null);
                if (timer != null) {
                    boolean ignored = timer.cancel(false);
                }
            }
        });
        cancelling.start();
        for (int round = 0; round < Scale.of(150, 500, 5_000); round++) {
            Gate gate = fill(group);
            mayCancel.set(true);
            for (int i = 0; i < 2 * room; i++) {
                Future<?> ignored = tryToSubmit(group);
            }
            mayCancel.set(false);
            gate.open();
            awaitThat(() -> group.activeCount() == 0 && group.readyCount() == 0 && slotsTaken(group) == 0);
        }
        hasEnded.set(true);
        awaitThat(() -> !cancelling.isAlive());
    }

    @Test
    void failingFactoryNeitherSpinsNorDelaysOtherGroups() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        WheelScheduledExecutor failing = executor.newGroup("failing")
                .threadFactory(task -> {
                    int times = asked.incrementAndGet();
                    if (times <= 20) {
                        throw new IllegalStateException("on purpose");
                    }
                    return new Thread(task);
                })
                .build();
        Future<?> late = failing.submit(() -> {});
        WheelScheduledExecutor other = executor.group("other");
        assertThat(other.submit(() -> 1).get(30, SECONDS)).isEqualTo(1);
        awaitThat(late::isDone);
        assertThat(asked.get()).isBetween(21, 25);
    }

    @Test
    void policiesSetOnTheExecutorAreItsGroupsToo() {
        WheelScheduledExecutor group = executor.group("group");
        WheelTimer<?> delayed = group.schedule(() -> {}, 1, HOURS);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.shutdown();
        assertThat(delayed.isCancelled()).isTrue();
        awaitThat(executor::isTerminated);
    }

    @Test
    void taskThatFailsToSayWhetherItWaitsHarmsNobody() throws Exception {
        WheelScheduledExecutor group = group(1, 0, OnFull.REJECT);
        Gate gate = fill(group);
        WheelTimer<?> hostile = group.schedule(new Hostile(), 1, MILLISECONDS);
        assertThat(executor.schedule(() -> 1, 5, MILLISECONDS).get(30, SECONDS)).isEqualTo(1);
        gate.open();
        awaitThat(hostile::isDone);
    }

    /** As at the end of a run. */
    @Test
    void seriesWhosePacingFailsEndsWithItsRefusedRun() {
        WheelScheduledExecutor group = group(1, 0, OnFull.REJECT);
        Gate gate = fill(group);
        WheelTimer<?> series = group.scheduleAtFixedRate(new Unpaced(), 1, 1, MILLISECONDS);
        awaitThat(series::isDone);
        gate.open();
        group.shutdown();
        awaitThat(group::isTerminated);
    }

    private static final class Unpaced implements Runnable, ManagedTask, Pacing {

        @Override
        public void run() {}

        @Override
        public String taskName() {
            return "unpaced";
        }

        @Override
        public Pacing pacing() {
            return this;
        }

        @Override
        public long skipped(long missed, int maxCatchUp) {
            return 0;
        }

        @Override
        public long restNanos() {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public long drawPutOffNanos() {
            return 0;
        }

        @Override
        public long putOffNanos() {
            return 0;
        }
    }

    private static final class Hostile implements Runnable, ManagedTask {

        @Override
        public void run() {}

        @Override
        public boolean waitsWhenFull() {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public String taskName() {
            return "hostile";
        }
    }
}
