package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import io.github.wheelscheduler.testing.StopsAfterwards;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stop takes effect at once, no matter what the tick thread does, and each task has one end. */
class LateStartsTest {

    private static final int ROUNDS = Scale.of(50, 200, 2_000);
    private static final int TASKS = 200;
    private static final long TASK_NANOS = 200_000;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private volatile Gate clockStands = new Gate();
    private final Gate slow = new Gate();

    private final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);

    @AfterEach
    void open() {
        clockStands.open();
        slow.open();
        log.close();
    }

    /** Who runs the tasks: the executor itself, or a group of it. */
    enum Place {
        EXECUTOR,
        GROUP;

        WheelScheduledExecutor of(WheelScheduledExecutor executor, int maxWorkers) {
            return this == EXECUTOR
                    ? executor
                    : executor.newGroup("group").maxWorkers(maxWorkers).build();
        }
    }

    private record Used(WheelScheduledExecutor executor, WheelScheduledExecutor tasks) {}

    private Used use(WorkerKind kind, Place place, int maxWorkers) {
        WheelScheduledExecutor executor = stops.use(kind.applyTo(WheelScheduledExecutor.builder())
                .maxWorkers(maxWorkers)
                .build());
        return new Used(executor, place.of(executor, maxWorkers));
    }

    // The number of runs

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void stoppedWorkerBeginsTheRunAtMostThatItHasTaken(WorkerKind kind) throws Exception {
        for (Place place : Place.values()) {
            for (int round = 0; round < ROUNDS; round++) {
                Used used = use(kind, place, 1);
                AtomicInteger late = new AtomicInteger();
                for (int i = 0; i < TASKS; i++) {
                    used.tasks.execute(() -> {
                        if (used.executor.isShutdown()) {
                            late.incrementAndGet();
                        }
                        spin(TASK_NANOS);
                    });
                }
                LockSupport.parkNanos(MILLISECONDS.toNanos(5));
                assertThat(used.executor.shutdownNow()).isNotNull();
                assertThat(used.executor.awaitTermination(30, SECONDS)).isTrue();
                assertThat(late.get()).as("%s, round %s", place, round).isLessThanOrEqualTo(1);
            }
        }
    }

    private static void spin(long nanos) {
        long untilNanos = System.nanoTime() + nanos;
        while (System.nanoTime() - untilNanos < 0) {
            Thread.onSpinWait();
        }
    }

    // While the tick thread stands

    /** The tick thread reads the wall clock for the instant, and stands there. */
    private Used useWithATickThreadThatStands(WorkerKind kind, Place place) {
        Gate stands = new Gate();
        clockStands = stands;
        AtomicReference<Thread> tick = new AtomicReference<>();
        InstantSource clock = () -> {
            if (Thread.currentThread() == tick.get()) {
                stands.run();
            }
            return Instant.now();
        };
        WheelScheduledExecutor executor = stops.use(kind.applyTo(WheelScheduledExecutor.builder())
                .maxWorkers(1)
                .wallClock(clock)
                .tickThreadFactory(task -> {
                    Thread thread = new Thread(task, "stands");
                    tick.set(thread);
                    return thread;
                })
                .build());
        return new Used(executor, place.of(executor, 1));
    }

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void standingTickThreadHoldsUpNoInterrupt(WorkerKind kind) throws Exception {
        for (Place place : Place.values()) {
            Used used = useWithATickThreadThatStands(kind, place);
            Gate running = new Gate();
            AtomicInteger ran = new AtomicInteger();
            used.tasks.execute(running);
            running.awaitArrivals(1);
            WheelTimer<?> waiting = used.tasks.schedule(ran::incrementAndGet, 0, NANOSECONDS);
            awaitThat(() -> used.tasks.readyCount() == 1);
            int stoodBefore = clockStands.arrivals();
            WheelTimer<?> instant =
                    used.tasks.scheduleAt(ran::incrementAndGet, Instant.now().plus(Duration.ofHours(1)));
            used.executor.checkWallClock();
            clockStands.awaitArrivals(stoodBefore + 1);
            CompletableFuture<List<Runnable>> stopped = CompletableFuture.supplyAsync(used.executor::shutdownNow);
            awaitThat(() -> running.interrupts() == 1);
            assertThat(used.executor.isShutdown()).isTrue();
            assertThat(stopped).isNotDone();
            assertThat(ran).hasValue(0);
            clockStands.open();
            assertThat(stopped.get(30, SECONDS)).containsExactly(waiting, instant);
            assertThat(used.executor.awaitTermination(30, SECONDS)).isTrue();
            assertThat(ran).hasValue(0);
            assertThat(running.interrupts()).isEqualTo(1);
        }
    }

    /** The worker has taken the run, and starts another worker first. */
    @Test
    void runTakenBeforeTheStopBeginsInterrupted() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
                .tickThreadFactory(Thread::new)
                .threadFactory(task -> {
                    if (asked.incrementAndGet() == 2) {
                        slow.run();
                        // The interrupt was for the run.
                        Thread.currentThread().interrupt();
                    }
                    return new Thread(task);
                })
                .build());
        Future<Boolean> taken = executor.submit(() -> Thread.currentThread().isInterrupted());
        slow.awaitArrivals(1);
        assertThat(executor.shutdownNow()).isEmpty();
        assertThat(taken.get(30, SECONDS)).isTrue();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    /** A task that cleans up after its interrupt is not interrupted again. */
    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void runIsInterruptedOnceByAStop(WorkerKind kind) throws Exception {
        for (Place place : Place.values()) {
            Used used = useWithATickThreadThatStands(kind, place);
            CountDownLatch cleansUp = new CountDownLatch(1);
            Gate running = new Gate();
            Future<Boolean> task = used.tasks.submit(() -> {
                running.run();
                cleansUp.await();
                return Thread.currentThread().isInterrupted();
            });
            running.awaitArrivals(1);
            WheelTimer<?> instant =
                    used.tasks.scheduleAt(() -> {}, Instant.now().plus(Duration.ofHours(1)));
            clockStands.awaitArrivals(1);
            CompletableFuture<List<Runnable>> stopped = CompletableFuture.supplyAsync(used.executor::shutdownNow);
            awaitThat(() -> running.interrupts() == 1);
            clockStands.open();
            assertThat(stopped.get(30, SECONDS)).containsExactly(instant);
            cleansUp.countDown();
            assertThat(task.get(30, SECONDS)).isFalse();
        }
    }

    @Test
    void secondStopInterruptsOnceMore() {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().build());
        AtomicInteger interrupts = new AtomicInteger();
        executor.execute(() -> {
            while (interrupts.get() < 2) {
                if (Thread.interrupted()) {
                    interrupts.incrementAndGet();
                }
            }
        });
        awaitThat(() -> executor.activeCount() == 1);
        assertThat(executor.shutdownNow()).isEmpty();
        awaitThat(() -> interrupts.get() == 1);
        assertThat(executor.shutdownNow()).isEmpty();
        awaitThat(() -> interrupts.get() == 2);
    }

    // Each task has one end

    private static final class Ends {
        private final List<WheelTimer<?>> once = new CopyOnWriteArrayList<>();
        private final List<WheelTimer<?>> repeating = new CopyOnWriteArrayList<>();
        private final Set<Object> begun = ConcurrentHashMap.newKeySet();
        private final AtomicInteger runs = new AtomicInteger();
    }

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void eachTaskRunsOrIsReturnedOrIsCancelled(WorkerKind kind) {
        Seed.play(random -> {
            for (int round = 0; round < Scale.of(150, 1_000, 20_000); round++) {
                playStop(kind, random, round);
            }
        });
    }

    private void playStop(WorkerKind kind, SplittableRandom random, int round) throws Exception {
        Place place = Place.values()[random.nextInt(2)];
        Used used = use(kind, place, 1 + random.nextInt(3));
        // A group can be stopped alone, too.
        WheelScheduledExecutor stopped = random.nextBoolean() ? used.executor : used.tasks;
        Ends ends = new Ends();
        AtomicBoolean goesOn = new AtomicBoolean(true);
        Thread caller = caller(used.tasks, ends, random.split(), goesOn);
        caller.start();
        long untilNanos = System.nanoTime() + random.nextInt(1_000_000);
        while (System.nanoTime() - untilNanos < 0) {
            Thread.onSpinWait();
        }
        List<Runnable> returned;
        if (random.nextInt(4) == 0) {
            // From a task, which may come too late itself.
            CompletableFuture<List<Runnable>> list = new CompletableFuture<>();
            used.tasks.execute(() -> list.complete(stopped.shutdownNow()));
            returned = list.get(30, SECONDS);
        } else {
            returned = stopped.shutdownNow();
        }
        goesOn.set(false);
        caller.join();
        assertThat(stopped.awaitTermination(30, SECONDS)).isTrue();
        int runs = ends.runs.get();
        Set<Runnable> back = new HashSet<>(returned);
        assertThat(back).hasSameSizeAs(returned);
        for (WheelTimer<?> timer : ends.once) {
            int count = (back.contains(timer) ? 1 : 0)
                    + (timer.isCancelled() ? 1 : 0)
                    + (timer.isDone() && !timer.isCancelled() ? 1 : 0);
            assertThat(count).as("%s, round %s: %s", place, round, timer).isEqualTo(1);
            assertThat(ends.begun.contains(timer)).isEqualTo(timer.isDone() && !timer.isCancelled());
        }
        for (WheelTimer<?> timer : ends.repeating) {
            assertThat(back.contains(timer))
                    .as("%s, round %s: %s", place, round, timer)
                    .isNotEqualTo(timer.isCancelled());
        }
        assertThat(stopped.pendingCount()).isZero();
        assertThat(ends.runs).hasValue(runs);
        assertThat(used.executor.shutdownNow()).isEmpty();
    }

    private static Thread caller(
            WheelScheduledExecutor tasks, Ends ends, SplittableRandom random, AtomicBoolean goesOn) {
        return new Thread(() -> {
            while (goesOn.get()) {
                try {
                    long delay = random.nextInt(4) == 0 ? HOURS.toNanos(1) : random.nextInt(3) * 50_000L;
                    switch (random.nextInt(4)) {
                        case 0 ->
                            ends.repeating.add(tasks.scheduleAtFixedRate(
                                    ends.runs::incrementAndGet, delay, 1 + random.nextInt(100_000), NANOSECONDS));
                        case 1 ->
                            ends.repeating.add(tasks.scheduleWithFixedDelay(
                                    ends.runs::incrementAndGet, delay, 1 + random.nextInt(100_000), NANOSECONDS));
                        default -> {
                            AtomicReference<WheelTimer<?>> self = new AtomicReference<>();
                            CountDownLatch known = new CountDownLatch(1);
                            WheelTimer<?> timer = tasks.schedule(
                                    () -> {
                                        awaitUninterrupted(known);
                                        ends.begun.add(self.get());
                                        ends.runs.incrementAndGet();
                                    },
                                    delay,
                                    NANOSECONDS);
                            ends.once.add(timer);
                            self.set(timer);
                            known.countDown();
                        }
                    }
                } catch (RejectedExecutionException ex) {
                    return;
                }
                LockSupport.parkNanos(random.nextInt(20_000));
            }
        });
    }

    /** A task that is rejected at the last moment is never named. */
    private static void awaitUninterrupted(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException ex) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // Where a stop comes from

    /** Code of the user's from which an executor is stopped. */
    enum Origin {
        TASK,
        HOOK_BEFORE_A_RUN,
        HOOK_AFTER_A_RUN,
        REJECTION_HANDLER,
        DECORATOR,
        OBSERVER,
        STOP_LISTENER,
        QUIET_CALLBACK,
        WORKER_FACTORY,
        RUN_FACTORY,
        TICK_FACTORY;

        private void stopFrom(UnaryOperator<WheelScheduledExecutorBuilder> options, StopsAfterwards stops) {
            AtomicReference<WheelScheduledExecutor> executor = new AtomicReference<>();
            AtomicInteger stopped = new AtomicInteger();
            Runnable stop = () -> {
                executor.get().shutdownNow();
                stopped.incrementAndGet();
            };
            executor.set(stops.use(options.apply(builder(stop)).build()));
            try {
                stopBy(executor.get(), stop);
            } catch (RejectedExecutionException ex) {
                // The stop came first.
            }
            awaitThat(() -> stopped.get() > 0 && executor.get().isTerminated());
        }

        private WheelScheduledExecutorBuilder builder(Runnable stop) {
            WheelScheduledExecutorBuilder builder = WheelScheduledExecutor.builder();
            ThreadFactory stopping = task -> {
                stop.run();
                return new Thread(task);
            };
            return switch (this) {
                case HOOK_BEFORE_A_RUN ->
                    builder.runHooks(new RunHooks() {
                        @Override
                        public void beforeRun(Thread thread, Runnable run) {
                            stop.run();
                        }
                    });
                case HOOK_AFTER_A_RUN ->
                    builder.runHooks(new RunHooks() {
                        @Override
                        public void afterRun(Runnable run, Throwable failure) {
                            stop.run();
                        }
                    });
                case REJECTION_HANDLER -> builder.maxPending(1).rejectionHandler((timer, reason) -> stop.run());
                case DECORATOR ->
                    builder.decorator(timer -> {
                        stop.run();
                        return timer;
                    });
                case WORKER_FACTORY -> builder.tickThreadFactory(Thread::new).threadFactory(stopping);
                case RUN_FACTORY -> builder.tickThreadFactory(Thread::new).threadPerRun(stopping);
                case TICK_FACTORY -> builder.threadFactory(Thread::new).tickThreadFactory(stopping);
                default -> builder;
            };
        }

        private void stopBy(WheelScheduledExecutor executor, Runnable stop) {
            switch (this) {
                case TASK -> executor.execute(stop);
                case STOP_LISTENER -> {
                    executor.setStopListener(stop);
                    assertThat(executor.shutdownNow()).isEmpty();
                }
                case QUIET_CALLBACK -> {
                    executor.execute(() -> {});
                    executor.pause(stop);
                }
                case OBSERVER -> {
                    executor.setRunObserver((task, wheelNanos, queueNanos, nowNanos) -> stop.run());
                    executor.execute(() -> {});
                }
                default -> {
                    WheelTimer<?> far = executor.schedule(() -> {}, 1, HOURS);
                    assertThat(far.isPeriodic()).isFalse();
                    executor.execute(() -> {});
                    executor.execute(() -> {});
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void stopFromUserCodeEnds(Origin origin) {
        origin.stopFrom(UnaryOperator.identity(), stops);
        if (origin != Origin.WORKER_FACTORY && origin != Origin.RUN_FACTORY) {
            origin.stopFrom(WorkerKind.THREAD_PER_RUN::applyTo, stops);
            origin.stopFrom(builder -> builder.executor(Runnable::run), stops);
        }
    }

    /** A thread of the user's may do anything when it is interrupted. */
    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void threadIsInterruptedUnderNoLock(WorkerKind kind) throws Exception {
        AtomicReference<WheelScheduledExecutor> executor = new AtomicReference<>();
        AtomicInteger calls = new AtomicInteger();
        ThreadFactory threads = task -> new Thread(task) {
            @Override
            public void interrupt() {
                // Another thread, so that a lock that this one has would be in its way.
                CompletableFuture.runAsync(() -> executor.get().resume())
                        .orTimeout(10, SECONDS)
                        .join();
                calls.incrementAndGet();
                super.interrupt();
                throw new IllegalStateException("on purpose");
            }
        };
        WheelScheduledExecutorBuilder builder = WheelScheduledExecutor.builder().tickThreadFactory(threads);
        executor.set(stops.use(
                switch (kind) {
                    case ELASTIC -> builder.threadFactory(threads).build();
                    case THREAD_PER_RUN -> builder.threadPerRun(threads).build();
                    default -> builder.executor(Runnable::run).build();
                }));
        Gate one = new Gate();
        executor.get().execute(one);
        one.awaitArrivals(1);
        assertThat(executor.get().shutdownNow()).isEmpty();
        awaitThat(() -> one.interrupts() == 1 && executor.get().isTerminated());
        assertThat(calls).hasPositiveValue();
        assertThat(log.messages()).anyMatch(text -> text.startsWith("The interrupt of a worker threw an exception; "));
    }
}
