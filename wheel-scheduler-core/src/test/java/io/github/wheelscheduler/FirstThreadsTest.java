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
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Threads are made when they are needed: the tick thread with the first task, the others with the first run, also when
 * that fails.
 */
class FirstThreadsTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);
    private final List<Thread> made = new CopyOnWriteArrayList<>();
    private final AtomicInteger ran = new AtomicInteger();
    private final Gate slow = new Gate();

    @AfterEach
    void end() {
        slow.open();
        log.close();
    }

    private Thread make(Runnable task) {
        Thread thread = new Thread(task);
        made.add(thread);
        return thread;
    }

    private WheelScheduledExecutor use(WheelScheduledExecutorBuilder builder) {
        return stops.use(builder.build());
    }

    // What comes when

    /** So that the first run is not late for want of one. A machine that is busy may be late with that now and then. */
    @Test
    void firstWorkerIsMadeBeforeTheFirstTimerIsDue() {
        awaitThat(this::isFirstWorkerMadeAhead);
    }

    private boolean isFirstWorkerMadeAhead() throws Exception {
        List<Long> askedNanos = new CopyOnWriteArrayList<>();
        WheelScheduledExecutor executor = use(
                WheelScheduledExecutor.builder().tickThreadFactory(Thread::new).threadFactory(task -> {
                    askedNanos.add(System.nanoTime());
                    return new Thread(task);
                }));
        long dueNanos = System.nanoTime() + MILLISECONDS.toNanos(5);
        assertThat(executor.schedule(() -> "ran", 5, MILLISECONDS).get(30, SECONDS))
                .isEqualTo("ran");
        return askedNanos.get(0) - dueNanos < 0;
    }

    @Test
    void shutdownWithAFarTaskMakesNoThread() throws Exception {
        WheelScheduledExecutor executor = use(WheelScheduledExecutor.builder().threadFactory(this::make));
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        WheelTimer<?> far = executor.schedule(() -> {}, 1, HOURS);
        executor.pause();
        executor.resume();
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(far.isCancelled()).isTrue();
        assertThat(made).hasSize(1);
        awaitThat(() -> !made.get(0).isAlive());
    }

    // What fails

    private Thread makeSlowly(Runnable task) {
        slow.run();
        return make(task);
    }

    @Test
    void callerInASlowFactoryHoldsUpNoOther() throws Exception {
        WheelScheduledExecutor executor = use(
                WheelScheduledExecutor.builder().tickThreadFactory(Thread::new).threadFactory(this::makeSlowly));
        List<Throwable> told = new CopyOnWriteArrayList<>();
        Thread caller = new Thread(() -> {
            try {
                executor.execute(ran::incrementAndGet);
            } catch (RejectedExecutionException ex) {
                told.add(ex);
            }
        });
        caller.start();
        slow.awaitArrivals(1);
        Future<?> other = executor.submit(ran::incrementAndGet);
        WheelTimer<?> far = executor.schedule(ran::incrementAndGet, 1, HOURS);
        assertThat(other.isDone()).isFalse();
        assertThat(executor.shutdownNow()).hasSize(2).contains(far);
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        slow.open();
        caller.join();
        assertThat(told).hasSize(1);
        assertThat(made).singleElement().extracting(Thread::getState).isEqualTo(Thread.State.NEW);
        assertThat(ran).hasValue(0);
    }

    @Test
    void callersAtOnceMakeOneFirstWorkerAndEachIsServed() throws Exception {
        WheelScheduledExecutor executor = use(WheelScheduledExecutor.builder()
                .tickThreadFactory(Thread::new)
                .threadFactory(this::makeSlowly)
                .maxWorkers(1));
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread caller = new Thread(() -> executor.execute(ran::incrementAndGet));
            callers.add(caller);
            caller.start();
        }
        slow.awaitArrivals(1);
        awaitThat(() -> executor.readyCount() == 3);
        assertThat(slow.arrivals()).isEqualTo(1);
        slow.open();
        awaitThat(() -> ran.get() == 4);
        assertThat(made).hasSize(1);
        for (Thread caller : callers) {
            caller.join();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void starterThatCannotBeStartedIsTriedAgainAndLosesNothing(boolean isOfGroup) throws Exception {
        WheelScheduledExecutor executor = use(WheelScheduledExecutor.builder()
                .tickThreadFactory(LonelyThread::new)
                .threadFactory(this::make));
        WheelScheduledExecutor used = isOfGroup ? executor.group("group") : executor;
        LonelyThread.isFailing = true;
        try {
            List<Future<?>> timers = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                timers.add(used.schedule(() -> ran.incrementAndGet() > 0, 1 + i * 100_000L, NANOSECONDS));
            }
            if (isOfGroup) {
                awaitThat(() -> used.readyCount() > 0 && !log.messages().isEmpty());
                assertThat(made).isEmpty();
                // What is the executor's own goes on.
                assertThat(executor.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
            }
            LonelyThread.isFailing = false;
            for (Future<?> timer : timers) {
                assertThat(timer.get(30, SECONDS)).isEqualTo(true);
            }
        } finally {
            LonelyThread.isFailing = false;
        }
        assertThat(ran).hasValue(100);
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void executorWhoseStarterCannotBeStartedIsShutDownAllTheSame(boolean isAskedToWait) throws Exception {
        WheelScheduledExecutor executor = use(WheelScheduledExecutor.builder()
                .tickThreadFactory(LonelyThread::new)
                .threadFactory(this::make));
        LonelyThread.isFailing = true;
        try {
            WheelTimer<?> timer = executor.schedule(ran::incrementAndGet, 1, MILLISECONDS);
            awaitThat(() -> !log.messages().isEmpty());
            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .contains("thread that starts workers could not be started");
            if (isAskedToWait) {
                executor.shutdown();
                assertThat(executor.isTerminated()).isFalse();
                LonelyThread.isFailing = false;
            } else {
                assertThat(executor.shutdownNow()).containsExactly(timer);
            }
            assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        } finally {
            LonelyThread.isFailing = false;
        }
        assertThat(ran).hasValue(isAskedToWait ? 1 : 0);
    }

    /** No thread that is like this one can be made while it is failing, as when there is no memory for one. */
    private static final class LonelyThread extends Thread {

        static volatile boolean isFailing;

        LonelyThread(Runnable task) {
            super(task);
        }

        @Override
        public ClassLoader getContextClassLoader() {
            if (isFailing && currentThread() == this) {
                throw new OutOfMemoryError("on purpose: unable to create native thread");
            }
            return super.getContextClassLoader();
        }
    }

    // Races

    @Test
    void executorsThatAreStoppedAtOnceLeaveNoThread() {
        String name = "first-threads-of-" + System.identityHashCode(this);
        Seed.play(random -> {
            for (int round = 0; round < Scale.of(1_000, 20_000, 100_000); round++) {
                stopAtOnce(random, name);
            }
        });
        awaitThat(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith(name)));
    }

    private void stopAtOnce(SplittableRandom random, String name) throws InterruptedException {
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .threadFactory(task -> new Thread(task, name))
                .build();
        WheelScheduledExecutor used = random.nextInt(4) == 0 ? executor.group("group") : executor;
        AtomicInteger started = new AtomicInteger();
        int timers = 1 + random.nextInt(2);
        for (int i = 0; i < timers; i++) {
            int delay = random.nextInt(4);
            WheelTimer<?> ignored = used.schedule(
                    started::incrementAndGet,
                    delay == 0 ? HOURS.toNanos(1) : delay == 1 ? 0 : random.nextInt(200_000),
                    NANOSECONDS);
        }
        long untilNanos = System.nanoTime() + (random.nextBoolean() ? 0 : random.nextInt(500_000));
        while (System.nanoTime() - untilNanos < 0) {
            Thread.onSpinWait();
        }
        int stopped;
        if (random.nextBoolean()) {
            executor.shutdown();
            stopped = executor.shutdownNow().size();
        } else {
            stopped = executor.shutdownNow().size();
        }
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(started.get() + stopped).isEqualTo(timers);
    }

    @Test
    void eachTaskRunsHoweverTheFirstWorkerComesAndFails() {
        Seed.play(random -> {
            for (int round = 0; round < Scale.of(150, 3_000, 20_000); round++) {
                beginTogether(random.split());
            }
        });
    }

    /** Callers and timers meet where no worker is there yet, and threads fail to be made now and then. */
    private void beginTogether(SplittableRandom random) throws InterruptedException {
        AtomicInteger failures = new AtomicInteger(random.nextInt(4));
        AtomicInteger started = new AtomicInteger();
        AtomicInteger accepted = new AtomicInteger();
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .tickThreadFactory(Thread::new)
                .maxWorkers(1 + random.nextInt(3))
                .threadFactory(task -> {
                    if (failures.getAndDecrement() > 0) {
                        throw new OutOfMemoryError("on purpose");
                    }
                    return new Thread(task);
                })
                .build();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            SplittableRandom own = random.split();
            Thread caller = new Thread(() -> {
                for (int call = 0; call < 3; call++) {
                    try {
                        WheelTimer<?> ignored =
                                executor.schedule(started::incrementAndGet, own.nextInt(2) * 20_000L, NANOSECONDS);
                        accepted.incrementAndGet();
                    } catch (OutOfMemoryError ex) {
                        // It has not been accepted.
                    }
                }
            });
            callers.add(caller);
            caller.start();
        }
        for (Thread caller : callers) {
            caller.join();
        }
        awaitThat(() -> started.get() == accepted.get());
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(started).hasValue(accepted.get());
    }
}
