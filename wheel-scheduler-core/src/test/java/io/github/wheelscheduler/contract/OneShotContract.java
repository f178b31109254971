package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A task runs once, after its delay and never before, for any delay. */
abstract class OneShotContract extends ContractFixture {

    OneShotContract(Subject subject) {
        super(subject);
    }

    @Test
    void callableYieldsWhatItReturned() {
        Object value = new Object();

        assertThat(result(executor.schedule(() -> value, 1, MILLISECONDS))).isSameAs(value);
    }

    @ParameterizedTest
    @EnumSource(TimeUnit.class)
    void delayThatIsNotPositiveMeansAtOnce(TimeUnit unit) {
        for (long delay : new long[] {0, -1, -1_000_000, Long.MIN_VALUE / 2, Long.MIN_VALUE + 1, Long.MIN_VALUE}) {
            CountDownLatch ran = new CountDownLatch(1);

            ScheduledFuture<?> runnable = executor.schedule(ran::countDown, delay, unit);
            ScheduledFuture<String> callable = executor.schedule(() -> "called", delay, unit);

            assertThat(result(callable)).isEqualTo("called");
            assertThat((Object) result(runnable)).isNull();
            assertThat(ran.getCount()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 50, 999, 1_000, 1_001, 5_000, 16_384, 20_000, 33_333, 65_537, 100_000})
    void noTaskStartsBeforeItsDelayHasPassed(long delayMicros) {
        List<Long> before = new ArrayList<>();
        List<Future<Long>> started = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            before.add(System.nanoTime());
            started.add(executor.schedule(System::nanoTime, delayMicros, MICROSECONDS));
        }

        for (int i = 0; i < 10; i++) {
            assertThat(result(started.get(i)) - before.get(i))
                    .as("nanoseconds from the call to the run")
                    .isGreaterThanOrEqualTo(MICROSECONDS.toNanos(delayMicros));
        }
    }

    @Test
    void unitOfTheDelayIsHeeded() {
        long before = System.nanoTime();
        Future<Long> nanos = executor.schedule(System::nanoTime, 20_000_000, NANOSECONDS);
        Future<Long> millis = executor.schedule(System::nanoTime, 20, MILLISECONDS);
        ScheduledFuture<String> minute = executor.schedule(() -> "a minute", 1, MINUTES);
        ScheduledFuture<String> hour = executor.schedule(() -> "an hour", 1, HOURS);
        ScheduledFuture<String> day = executor.schedule(() -> "a day", 1, DAYS);

        assertThat(result(nanos) - before).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(20));
        assertThat(result(millis) - before).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(20));
        assertPending(minute);
        assertPending(hour);
        assertPending(day);
    }

    /** Many deadlines close together are run by threads that are awake already, which shows rounding down best. */
    @Test
    void tasksOfRandomDelaysRunOnceAndNeverEarly() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int count = 3_000;
        AtomicIntegerArray runs = new AtomicIntegerArray(count);
        long[] earliest = new long[count];
        List<Future<Long>> starts = new ArrayList<>();

        for (int i = 0; i < count; i++) {
            int number = i;
            long delay = random.nextInt(80_000_000);
            earliest[i] = System.nanoTime() + delay;
            starts.add(executor.schedule(
                    () -> {
                        long now = System.nanoTime();
                        runs.incrementAndGet(number);
                        return now;
                    },
                    delay,
                    NANOSECONDS));
        }

        for (int i = 0; i < count; i++) {
            assertThat(result(starts.get(i)) - earliest[i])
                    .as("lateness of task %d, seed %d", i, seed)
                    .isNotNegative();
        }
        assertEachRanOnce(runs);
    }

    @ParameterizedTest
    @EnumSource(TimeUnit.class)
    void longestDelayNeverEndsAndDisturbsNoShortOne(TimeUnit unit) throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        ScheduledFuture<?> farFirst = executor.schedule(ran::countDown, Long.MAX_VALUE, unit);
        ScheduledFuture<String> near = executor.schedule(() -> "near", 10, MILLISECONDS);
        ScheduledFuture<String> farLast = executor.schedule(
                () -> {
                    ran.countDown();
                    return "far";
                },
                Long.MAX_VALUE,
                unit);
        ScheduledFuture<String> nearest = executor.schedule(() -> "nearest", 0, unit);

        assertThat(result(nearest)).isEqualTo("nearest");
        assertThat(result(near)).isEqualTo("near");
        assertStaysUntouched(ran);
        for (ScheduledFuture<?> far : List.of(farFirst, farLast)) {
            assertPending(far);
            assertThat(far.getDelay(DAYS)).isGreaterThan(100 * 365);
            assertThat(far.cancel(false)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                Long.MAX_VALUE - 1,
                Long.MAX_VALUE / 2 + 2,
                Long.MAX_VALUE / 2 + 1,
                Long.MAX_VALUE / 2,
                Long.MAX_VALUE / 2 - 1,
                Long.MAX_VALUE / 4
            })
    void aDelayNearTheLimitOfTheClockIsFarAway(long delayNanos) throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);

        ScheduledFuture<?> far = executor.schedule(ran::countDown, delayNanos, NANOSECONDS);

        assertThat(result(executor.schedule(() -> "near", 5, MILLISECONDS))).isEqualTo("near");
        assertStaysUntouched(ran);
        assertPending(far);
        assertThat(far.getDelay(DAYS)).isGreaterThan(70 * 365);
    }

    @Test
    void longestDelayComesAfterTasksThatAreOverdue() throws InterruptedException {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        ScheduledFuture<String> overdue = single.schedule(() -> "overdue", 1, MILLISECONDS);
        awaitClock(System.nanoTime() + MILLISECONDS.toNanos(20));
        CountDownLatch ran = new CountDownLatch(1);
        ScheduledFuture<?> far = single.schedule(ran::countDown, Long.MAX_VALUE, NANOSECONDS);

        held.release();

        assertThat(result(overdue)).isEqualTo("overdue");
        assertStaysUntouched(ran);
        assertPending(far);
    }

    @Test
    void taskMaySchedule() {
        CompletableFuture<ScheduledFuture<String>> inner = new CompletableFuture<>();

        ScheduledFuture<?> outer = executor.schedule(
                () -> inner.complete(executor.schedule(() -> "from inside", 1, MILLISECONDS)), 1, MILLISECONDS);

        result(outer);
        assertThat(result(result(inner))).isEqualTo("from inside");
    }

    @Test
    void tasksThatScheduleTheNextOneFormAChain() {
        ScheduledExecutorService single = newSingleWorker();
        AtomicInteger links = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        Runnable link = new Runnable() {
            @Override
            public void run() {
                if (links.incrementAndGet() == 200) {
                    end.countDown();
                } else {
                    var unused = single.schedule(this, 50, MICROSECONDS);
                }
            }
        };

        single.execute(link);

        await(end);
        assertThat(links).hasValue(200);
    }

    @Test
    void tasksThatAreDueTogetherRunSideBySide() {
        CyclicBarrier allRun = new CyclicBarrier(8);
        List<Future<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            futures.add(executor.schedule(() -> allRun.await(PATIENCE.toSeconds(), SECONDS), 5, MILLISECONDS));
        }

        assertThat(futures.stream().map(ContractFixture::result)).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void slowTasksDelayNoOtherWhileAWorkerIsFree() {
        for (int i = 0; i < 7; i++) {
            hold(executor);
        }

        for (int i = 0; i < 20; i++) {
            assertThat(result(executor.schedule(() -> "on time", 1, MILLISECONDS)))
                    .isEqualTo("on time");
        }
    }

    private static void assertEachRanOnce(AtomicIntegerArray runs) {
        for (int i = 0; i < runs.length(); i++) {
            assertThat(runs.get(i)).as("runs of task %d", i).isEqualTo(1);
        }
    }
}
