package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Thousands of groups that do nothing cost nothing, and one whose threads are slow to come delays no other. */
class ManyGroupsTest {

    private static final int MANY = 5_000;
    private static final int DOING_NOTHING = Scale.of(2_500, MANY, MANY);
    private static final int BLOCK = 500;
    private static final int ROUNDS = 3;
    private static final int MANY_TIMERS = 200_000;

    /** What grows with the number of groups is far above both. */
    private static final int TIMES = 4;

    private static final long NOISE_NANOS = MILLISECONDS.toNanos(50);

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final List<Thread> ticks = new CopyOnWriteArrayList<>();
    private final Gate slow = new Gate();

    @AfterEach
    void open() {
        slow.open();
    }

    private WheelScheduledExecutor newExecutor() {
        return stops.use(WheelScheduledExecutor.builder()
                .tickThreadFactory(task -> {
                    Thread thread = new Thread(task);
                    ticks.add(thread);
                    return thread;
                })
                .build());
    }

    private static void run(ExecutorService executor) {
        CountDownLatch ran = new CountDownLatch(1);
        executor.execute(ran::countDown);
        awaitThat(() -> ran.getCount() == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void groupsThatDoNothingCostTheTickThreadNothing(boolean areShutDown) {
        WheelScheduledExecutor alone = newExecutor();
        run(alone);
        WheelScheduledExecutor crowded = newExecutor();
        run(crowded);
        assertThat(ticks).hasSize(2);
        for (int i = 0; i < DOING_NOTHING; i++) {
            WheelScheduledExecutor group = group(i, crowded);
            if (areShutDown) {
                WheelTimer<?> far = group.schedule(() -> {}, 1, HOURS);
                group.shutdown();
                assertThat(far.isDone()).isFalse();
            }
        }
        long costAlone = Long.MAX_VALUE;
        long allowed = 0;
        long costCrowded = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS && costCrowded >= allowed; i++) {
            costAlone = Math.min(costAlone, costOfTimers(alone, ticks.subList(0, 1)));
            allowed = TIMES * costAlone + NOISE_NANOS;
            costCrowded = Math.min(costCrowded, costOfTimers(crowded, ticks.subList(1, 2)));
        }
        assertThat(costCrowded).isLessThan(allowed);
    }

    /** Some of the groups have had something to do. */
    private static WheelScheduledExecutor group(int number, WheelScheduledExecutor executor) {
        WheelScheduledExecutor group = executor.group("group " + number);
        if (number % BLOCK == 0) {
            run(group);
        }
        return group;
    }

    /** Returns the processor time that the executor's tick thread takes for a thousand wake-ups, in nanoseconds. */
    private static long costOfTimers(WheelScheduledExecutor executor, List<Thread> own) {
        int count = 1_000;
        CountDownLatch ran = new CountDownLatch(count);
        long before = cpuNanos(own);
        for (int i = 0; i < count; i++) {
            WheelTimer<?> ignored = executor.schedule(ran::countDown, 500L * i, MICROSECONDS);
        }
        awaitThat(() -> ran.getCount() == 0);
        return cpuNanos(own) - before;
    }

    private static long cpuNanos(List<Thread> threads) {
        return threads.stream()
                .mapToLong(thread -> ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()))
                .sum();
    }

    @Test
    void costOfAGroupIsIndependentOfTheirNumber() {
        WheelScheduledExecutor warmUp = newExecutor();
        run(warmUp);
        long[] ignored = costsOfBlocks(warmUp, 4 * BLOCK, ticks.subList(0, 1));
        WheelScheduledExecutor executor = newExecutor();
        run(executor);
        long[] costs = costsOfBlocks(executor, MANY, ticks.subList(1, 2));
        assertThat(costs[1])
                .as("making and finding the last ones, against the first ones")
                .isLessThan(TIMES * costs[0] + NOISE_NANOS);
        assertThat(costs[2])
                .as("ending the first ones, while the others are there, against the last ones")
                .isLessThan(TIMES * costs[3] + NOISE_NANOS);
    }

    /**
     * Returns what a block costs in nanoseconds of processor time, the least of three: made first, made last, ended
     * first, and ended last.
     */
    private static long[] costsOfBlocks(WheelScheduledExecutor executor, int count, List<Thread> own) {
        int blocks = count / BLOCK;
        long[] made = new long[blocks];
        long[] ended = new long[blocks];
        List<WheelScheduledExecutor> groups = new ArrayList<>();
        List<Thread> threads = new ArrayList<>(own);
        threads.add(Thread.currentThread());
        for (int block = 0; block < blocks; block++) {
            long start = cpuNanos(threads);
            for (int i = 0; i < BLOCK; i++) {
                WheelScheduledExecutor group = executor.group("group " + groups.size());
                assertThat(executor.group("group " + groups.size())).isSameAs(group);
                groups.add(group);
            }
            made[block] = cpuNanos(threads) - start;
        }
        for (int block = 0; block < blocks; block++) {
            long start = cpuNanos(threads);
            List<WheelScheduledExecutor> few = groups.subList(block * BLOCK, (block + 1) * BLOCK);
            few.forEach(ExecutorService::shutdown);
            awaitThat(() -> few.stream().allMatch(ExecutorService::isTerminated));
            ended[block] = cpuNanos(threads) - start;
        }
        assertThat(executor.groups()).isEmpty();
        return new long[] {least(made, 0), least(made, blocks - 3), least(ended, 0), least(ended, blocks - 3)};
    }

    private static long least(long[] costs, int from) {
        return Arrays.stream(costs, from, from + 3).min().orElseThrow();
    }

    @Test
    void endOfAGroupLooksAtNoTimerOfOthers() {
        WheelScheduledExecutor executor = newExecutor();
        run(executor);
        List<Thread> threads = List.of(ticks.get(0), Thread.currentThread());
        long costEmpty = costOfEnds(executor, threads);
        for (int i = 0; i < MANY_TIMERS; i++) {
            WheelTimer<?> ignored = executor.schedule(() -> {}, 1, HOURS);
        }
        WheelTimer<?> last = executor.schedule(() -> {}, 1, MILLISECONDS);
        awaitThat(last::isDone);
        assertThat(costOfEnds(executor, threads)).isLessThan(TIMES * costEmpty + NOISE_NANOS);
    }

    private static long costOfEnds(WheelScheduledExecutor executor, List<Thread> threads) {
        long start = cpuNanos(threads);
        for (int i = 0; i < BLOCK; i++) {
            WheelScheduledExecutor group = executor.group("group");
            group.shutdown();
            awaitThat(group::isTerminated);
        }
        return cpuNanos(threads) - start;
    }

    private ThreadFactory slowFactory() {
        return task -> {
            slow.run();
            return new Thread(task);
        };
    }

    @Test
    void slowThreadFactoryOfAGroupHoldsUpItsOwnRunsOnly() {
        WheelScheduledExecutor executor = newExecutor();
        WheelScheduledExecutor slowOne =
                executor.newGroup("slow").threadFactory(slowFactory()).build();
        WheelScheduledExecutor slowToo =
                executor.newGroup("slow, too").threadFactory(slowFactory()).build();
        CountDownLatch late = new CountDownLatch(2);
        slowOne.execute(late::countDown);
        slowToo.execute(late::countDown);
        slow.awaitArrivals(2);
        for (int i = 0; i < 10; i++) {
            WheelScheduledExecutor group = executor.group("group " + i);
            run(group);
            CountDownLatch ran = new CountDownLatch(1);
            WheelTimer<?> ignored = group.schedule(ran::countDown, 1, MILLISECONDS);
            awaitThat(() -> ran.getCount() == 0);
        }
        assertThat(late.getCount()).isEqualTo(2);
        slow.open();
        awaitThat(() -> late.getCount() == 0);
        run(executor.newGroup("after").build());
    }

    @Test
    void threadFactoryThatHangsKeepsNoShutdownNowFromItsEnd() throws InterruptedException {
        WheelScheduledExecutor executor = newExecutor();
        WheelScheduledExecutor slowOne =
                executor.newGroup("slow").threadFactory(slowFactory()).build();
        slowOne.execute(() -> {});
        slow.awaitArrivals(1);
        WheelScheduledExecutor other = executor.group("other");
        WheelTimer<?> ignored = other.schedule(() -> {}, 1, HOURS);
        assertThat(executor.shutdownNow()).hasSize(2);
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(slowOne.isTerminated()).isTrue();
        slow.open();
        awaitThat(() -> ticks.stream().noneMatch(Thread::isAlive));
    }

    @Test
    void hangingThreadFactoryDelaysNoShutdownNowOfItsGroup() throws InterruptedException {
        WheelScheduledExecutor executor = newExecutor();
        WheelScheduledExecutor slowOne =
                executor.newGroup("slow").threadFactory(slowFactory()).build();
        slowOne.execute(() -> {});
        slow.awaitArrivals(1);
        assertThat(slowOne.shutdownNow()).hasSize(1);
        assertThat(slowOne.awaitTermination(30, SECONDS)).isTrue();
        run(executor.group("other"));
    }

    @Test
    void oneThreadStartsTheFirstWorkersOfAllGroups() {
        WheelScheduledExecutor executor = newExecutor();
        List<Thread> askers = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 50; i++) {
            run(executor.newGroup("group " + i)
                    .maxWorkers(1)
                    .threadFactory(task -> {
                        askers.add(Thread.currentThread());
                        return new Thread(task);
                    })
                    .build());
        }
        assertThat(ticks).hasSize(1);
        assertThat(askers).hasSizeGreaterThanOrEqualTo(50);
        // A machine that is busy may bring in the deputy now and then.
        assertThat(new HashSet<>(askers)).hasSizeLessThan(25);
    }
}
