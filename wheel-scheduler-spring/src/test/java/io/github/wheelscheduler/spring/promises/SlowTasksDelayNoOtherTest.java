package io.github.wheelscheduler.spring.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.testing.Timed;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** A heartbeat beside tasks that sleep. */
@Timed
class SlowTasksDelayNoOtherTest {

    private static final int SLOW_TASKS = 100;
    private static final Duration SLOW = Duration.ofSeconds(1);
    private static final Duration BEAT = Duration.ofMillis(10);
    private static final Duration ENOUGH = Duration.ofMillis(1_500);
    private static final int ROUNDS = 10;

    /**
     * A beat that waits for a slow task to end comes later than this; a machine that is busy with others stalls for
     * less.
     */
    private static final long ALLOWED_MILLIS = 700;

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.spring.promises.Schedulers#available")
    void heartbeatKeepsItsRhythmBesideAHundredSlowTasks(Schedulers kind) throws Exception {
        // The scheduler is new each time, so its pool has to grow. Other processes can only make a round worse.
        long best = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS && best >= ALLOWED_MILLIS; round++) {
            WheelTaskScheduler scheduler = kind.start("slow-");
            try {
                best = Math.min(best, worstGapMillis(scheduler));
            } finally {
                scheduler.shutdown();
            }
        }
        System.out.printf("Worst gap of a 10 ms heartbeat beside 100 slow tasks, %s: %d ms%n", kind, best);
        assertThat(best).isLessThan(ALLOWED_MILLIS);
    }

    @Test
    void heartbeatStopsForSecondsOnBootsDefaultScheduler() throws Exception {
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.initialize();
        try {
            long gap = worstGapMillis(scheduler);
            System.out.printf(
                    "Worst gap of a 10 ms heartbeat beside 100 slow tasks, Boot's default: over %d ms%n", gap);
            assertThat(gap).isGreaterThan(1_000);
        } finally {
            scheduler.shutdown();
        }
    }

    /** Returns the longest time between two beats, or between the last beat and the end, until it is clear enough. */
    private static long worstGapMillis(ThreadPoolTaskScheduler scheduler) throws InterruptedException {
        AtomicLong last = new AtomicLong(System.nanoTime());
        AtomicLong worst = new AtomicLong();
        CountDownLatch beating = new CountDownLatch(10);
        ScheduledFuture<?> heartbeat = scheduler.scheduleAtFixedRate(
                () -> {
                    long now = System.nanoTime();
                    worst.accumulateAndGet(now - last.getAndSet(now), Math::max);
                    beating.countDown();
                },
                BEAT);
        assertThat(beating.await(30, TimeUnit.SECONDS)).isTrue();

        worst.set(0);
        CountDownLatch slept = new CountDownLatch(SLOW_TASKS);
        Instant start = Instant.now().plusMillis(50);
        for (int i = 0; i < SLOW_TASKS; i++) {
            ScheduledFuture<?> ignored = scheduler.schedule(() -> sleep(slept), start);
        }
        boolean ignored = slept.await(ENOUGH.toMillis(), TimeUnit.MILLISECONDS);
        worst.accumulateAndGet(System.nanoTime() - last.get(), Math::max);
        assertThat(heartbeat.isDone()).isFalse();
        return TimeUnit.NANOSECONDS.toMillis(worst.get());
    }

    private static void sleep(CountDownLatch slept) {
        try {
            Thread.sleep(SLOW.toMillis());
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        slept.countDown();
    }

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.spring.promises.Schedulers#available")
    void fixedDelayTasksRunSideBySide(Schedulers kind) throws Exception {
        WheelTaskScheduler scheduler = kind.start("delay-");
        try {
            int alone = 0;
            int fewest = 0;
            // A stall of the machine may fall into one of the two measurements only, so there are several tries.
            for (int round = 0; round < ROUNDS && (alone == 0 || fewest < alone * 8 / 10); round++) {
                alone = runsOf(scheduler, 1)[0];
                fewest = IntStream.of(runsOf(scheduler, 20)).min().orElseThrow();
            }
            assertThat(alone).isPositive();
            System.out.printf(
                    "Runs of a fixed-delay task that sleeps 100 ms in 1.5 s, %s: alone %d, fewest of 20 beside each "
                            + "other %d%n",
                    kind, alone, fewest);
            assertThat(fewest).isGreaterThanOrEqualTo(alone * 8 / 10);
        } finally {
            scheduler.shutdown();
        }
    }

    private static int[] runsOf(WheelTaskScheduler scheduler, int tasks) throws InterruptedException {
        AtomicInteger[] runs =
                IntStream.range(0, tasks).mapToObj(i -> new AtomicInteger()).toArray(AtomicInteger[]::new);
        var futures = IntStream.range(0, tasks)
                .mapToObj(i -> scheduler.scheduleWithFixedDelay(
                        () -> {
                            try {
                                Thread.sleep(100);
                            } catch (InterruptedException ex) {
                                Thread.currentThread().interrupt();
                            }
                            runs[i].incrementAndGet();
                        },
                        Duration.ofMillis(1)))
                .toList();
        CountDownLatch over = new CountDownLatch(1);
        ScheduledFuture<?> end =
                scheduler.schedule(over::countDown, Instant.now().plus(ENOUGH));
        assertThat(over.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(futures).allMatch(future -> future.cancel(true));
        assertThat(end.isCancelled()).isFalse();
        return IntStream.range(0, tasks).map(i -> runs[i].get()).toArray();
    }
}
