package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import io.github.wheelscheduler.testing.StopsAfterwards;
import io.github.wheelscheduler.testing.WorkerKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a caller submits for now runs in its order, whichever way each task takes: pauses and bursts change that all the
 * time.
 */
class CallerOrderStressTest {

    private static final int CALLERS = 2;
    private static final int BURST = 6_000;

    private static final long TICK_NANOS = 20_000;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final Queue<String> disorder = new ConcurrentLinkedQueue<>();
    private final AtomicInteger ran = new AtomicInteger();

    @ParameterizedTest
    @EnumSource
    void eachCallersTasksRunInOrder(WorkerKind kind) {
        // Starting a platform thread for each takes its time.
        int count = kind == WorkerKind.THREAD_PER_RUN
                ? Scale.of(4_000, 8_000, 500_000)
                : Scale.of(20_000, 60_000, 5_000_000);
        Seed.play(random -> {
            disorder.clear();
            ran.set(0);
            WheelScheduledExecutor executor = stops.use(
                    kind.applyTo(WheelScheduledExecutor.builder()).maxWorkers(1).build());
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                String name = "caller " + i;
                SplittableRandom own = random.split();
                callers.add(new Thread(() -> submit(executor, name, count, 0, own), name));
            }
            callers.forEach(Thread::start);
            while (callers.stream().anyMatch(Thread::isAlive)) {
                executor.pause();
                LockSupport.parkNanos(random.nextInt(300_000));
                executor.resume();
                LockSupport.parkNanos(random.nextInt(1_000_000));
            }
            awaitThat(() -> ran.get() == CALLERS * count);
            assertThat(disorder).isEmpty();
            awaitThat(() -> executor.pendingCount() == 0);
            // The next one that takes the long way ends it, if it has not ended.
            executor.execute(() -> {});
            awaitThat(() -> EngineOf.executor(executor).dispatcher().shortcut.isNoDetour());
        });
    }

    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void eachCallersTasksRunInOrderThoughTimersAreHeld(boolean executes, boolean inGroup) {
        playOneCaller(executes ? -1 : 0, inGroup, executor -> {
            executor.halt();
            LockSupport.parkNanos(100_000);
            executor.proceed();
        });
    }

    @Test
    void timersOfOneDelayRunInTheOrderOfTheirCaller() {
        playOneCaller(500_000, false, executor -> {});
    }

    /**
     * The tick thread reads the clock anew in the middle of a pass, for what is due now, and then has to look into the
     * wheel again.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void timersOfOneDelayRunInOrderAmongTasksThatAreDueNow(boolean inGroup) {
        TimeSource slow = new TimeSource() {
            private int readings;

            @Override
            public long nanoTime() {
                if (Thread.currentThread().getName().endsWith("tick") && ++readings % 8 == 0) {
                    LockSupport.parkNanos(100_000);
                }
                return super.nanoTime();
            }
        };
        int rounds = Scale.of(10, 20, 200);
        Seed.play(random -> {
            for (int i = 0; i < rounds; i++) {
                playMixed(WheelScheduledExecutor.builder().timeSource(slow), inGroup, random);
            }
        });
    }

    private void playMixed(WheelScheduledExecutorBuilder builder, boolean inGroup, SplittableRandom random) {
        int count = 40_000;
        ran.set(0);
        WheelScheduledExecutor root = stops.use(builder.maxWorkers(1).build());
        WheelScheduledExecutor executor = inGroup
                ? root.newGroup("group").maxWorkers(1).queueCapacity(2 * count).build()
                : root;
        Thread caller = new Thread(() -> submitMixed(executor, count, random.split()));
        caller.start();
        while (caller.isAlive()) {
            executor.pause();
            LockSupport.parkNanos(50_000);
            executor.resume();
            LockSupport.parkNanos(300_000);
        }
        awaitThat(() -> ran.get() == count);
        assertThat(disorder).isEmpty();
        root.shutdownNow();
    }

    /** Submits timers of one delay, and others without one among them. */
    private void submitMixed(WheelScheduledExecutor executor, int count, SplittableRandom random) {
        long[] startNanos = new long[count];
        long[] endNanos = new long[count];
        // Until the caller has come back, none of its other timers can be there.
        Arrays.fill(endNanos, Long.MAX_VALUE);
        AtomicInteger last = new AtomicInteger();
        int pause = 0;
        for (int i = 0; i < count; i++) {
            int number = i;
            startNanos[i] = System.nanoTime();
            WheelTimer<?> ignored = executor.schedule(
                    () -> {
                        long laterNanos = startNanos[last.getAndSet(number)];
                        if (laterNanos > endNanos[number] && laterNanos - endNanos[number] > TICK_NANOS) {
                            disorder.add(number + " after " + (laterNanos - endNanos[number]) + " ns");
                        }
                        ran.incrementAndGet();
                    },
                    200_000,
                    NANOSECONDS);
            endNanos[i] = System.nanoTime();
            if (i % 4 == 0) {
                executor.execute(() -> {});
            }
            if (pause-- == 0) {
                pause = random.nextInt(random.nextBoolean() ? BURST : 20);
                LockSupport.parkNanos(random.nextInt(200_000));
            }
        }
    }

    private void playOneCaller(long delayNanos, boolean inGroup, Consumer<WheelScheduledExecutor> meanwhile) {
        int count = Scale.of(40_000, 100_000, 5_000_000);
        Seed.play(random -> {
            disorder.clear();
            ran.set(0);
            WheelScheduledExecutor root =
                    stops.use(WheelScheduledExecutor.builder().maxWorkers(1).build());
            WheelScheduledExecutor executor = inGroup
                    ? root.newGroup("group").maxWorkers(1).queueCapacity(count).build()
                    : root;
            Thread caller = new Thread(() -> submit(executor, "caller", count, delayNanos, random.split()));
            caller.start();
            while (caller.isAlive()) {
                meanwhile.accept(executor);
                LockSupport.parkNanos(500_000);
            }
            awaitThat(() -> ran.get() == count);
            assertThat(disorder).isEmpty();
        });
    }

    /** Submits tasks without a time where the delay is negative. */
    private void submit(
            WheelScheduledExecutor executor, String name, int count, long delayNanos, SplittableRandom random) {
        AtomicInteger last = new AtomicInteger(-1);
        int pause = 0;
        for (int i = 0; i < count; i++) {
            int number = i;
            Runnable task = () -> {
                int before = last.getAndSet(number);
                if (before != number - 1) {
                    disorder.add(name + ": " + number + " after " + before);
                }
                ran.incrementAndGet();
            };
            if (delayNanos < 0) {
                executor.execute(task);
            } else {
                WheelTimer<?> ignored = executor.schedule(task, delayNanos, NANOSECONDS);
            }
            if (pause-- == 0) {
                pause = random.nextInt(random.nextBoolean() ? BURST : 20);
                LockSupport.parkNanos(random.nextInt(200_000));
            }
        }
    }
}
