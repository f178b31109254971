package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The deadlines of a fixed rate: initial delay, plus one period, plus two, however late or long a run was. */
abstract class FixedRateContract extends ContractFixture {

    FixedRateContract(Subject subject) {
        super(subject);
    }

    @Test
    void noRunComesBeforeItsPlaceInTheSequence() {
        ConcurrentLinkedQueue<Long> starts = new ConcurrentLinkedQueue<>();
        long before = System.nanoTime();

        ScheduledFuture<?> future =
                executor.scheduleAtFixedRate(() -> starts.add(System.nanoTime()), 7, 4, MILLISECONDS);

        eventually(() -> starts.size() >= 30);
        assertPending(future);
        long deadline = before + MILLISECONDS.toNanos(7);
        for (long start : starts) {
            assertThat(start - deadline).as("nanoseconds after the deadline").isNotNegative();
            deadline += MILLISECONDS.toNanos(4);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TimeUnit.class,
            names = {"MINUTES", "HOURS", "DAYS"})
    void theNextDeadlineIsExactlyOnePeriodAfterTheLastHoweverLongTheRunTook(TimeUnit unit) {
        HeldTask held = heldTask();
        long period = unit.toNanos(3);
        ScheduledFuture<?> future =
                executor.scheduleAtFixedRate(held::run, MILLISECONDS.toNanos(20), period, NANOSECONDS);
        Due first = Due.ofUnmoved(future);
        await(held.begun);
        awaitClock(System.nanoTime() + MILLISECONDS.toNanos(15));

        held.release();

        eventually(() -> future.getDelay(NANOSECONDS) > 0);
        Due.ofUnmoved(future).assertSameAs(first.plus(period));
    }

    @Test
    void firstDeadlineIsTheBaseThoughItsRunWasLate() {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        CountDownLatch ran = new CountDownLatch(1);
        long before = System.nanoTime();
        ScheduledFuture<?> future =
                single.scheduleAtFixedRate(ran::countDown, MILLISECONDS.toNanos(5), HOURS.toNanos(1), NANOSECONDS);
        long after = System.nanoTime();
        awaitClock(after + MILLISECONDS.toNanos(30));

        held.release();

        await(ran);
        eventually(() -> future.getDelay(NANOSECONDS) > 0);
        long next = MILLISECONDS.toNanos(5) + HOURS.toNanos(1);
        Due.of(future).assertBetween(before + next, after + next);
    }

    /**
     * After a run of four periods the series is looked at between two runs: if nothing was lost and nothing shifted,
     * the next deadline is as many periods after the first as there were runs.
     */
    @Test
    void runsMissedDuringALongOneAreMadeUpAndThePhaseIsKept() {
        long period = MILLISECONDS.toNanos(30);
        AtomicInteger runs = new AtomicInteger();
        HeldTask held = heldTask();
        long before = System.nanoTime();
        ScheduledFuture<?> future = executor.scheduleAtFixedRate(
                () -> {
                    if (runs.incrementAndGet() == 1) {
                        held.run();
                    }
                },
                0,
                period,
                NANOSECONDS);
        long after = System.nanoTime();
        await(held.begun);
        awaitClock(after + 4 * period);

        held.release();

        assertEachPeriodHadItsRun(future, runs, 5, period, before, after);
    }

    @Test
    void runsMissedForWantOfAWorkerAreMadeUpInPhase() {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        long period = MILLISECONDS.toNanos(30);
        AtomicInteger runs = new AtomicInteger();
        long before = System.nanoTime();
        ScheduledFuture<?> future = single.scheduleAtFixedRate(runs::incrementAndGet, 0, period, NANOSECONDS);
        long after = System.nanoTime();
        awaitClock(after + 4 * period);

        held.release();

        assertEachPeriodHadItsRun(future, runs, 5, period, before, after);
    }

    private static void assertEachPeriodHadItsRun(
            ScheduledFuture<?> future, AtomicInteger runs, int leastRuns, long period, long before, long after) {
        AtomicInteger ended = new AtomicInteger();
        Due[] due = {Due.of(future)};
        eventually(() -> {
            ended.set(runs.get());
            due[0] = Due.of(future);
            return ended.get() >= leastRuns
                    && due[0].remainingNanos() > 0
                    && due[0].uncertaintyNanos() < period / 4
                    && ended.get() == runs.get();
        });
        due[0].assertBetween(before + ended.get() * period, after + ended.get() * period);
    }

    @Test
    void madeUpRunsDoNotOverlapAndNoneIsEarly() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        ConcurrentLinkedQueue<Long> starts = new ConcurrentLinkedQueue<>();
        HeldTask held = heldTask();
        long before = System.nanoTime();
        ScheduledFuture<?> future = executor.scheduleAtFixedRate(
                () -> {
                    starts.add(System.nanoTime());
                    if (running.getAndIncrement() > 0) {
                        overlaps.incrementAndGet();
                    }
                    held.run();
                    running.decrementAndGet();
                },
                0,
                5,
                MILLISECONDS);
        await(held.begun);
        awaitClock(System.nanoTime() + MILLISECONDS.toNanos(20));

        held.release();

        eventually(() -> starts.size() >= 15);
        assertPending(future);
        assertThat(overlaps).hasValue(0);
        long deadline = before;
        for (long start : starts) {
            assertThat(start - deadline).as("nanoseconds after the deadline").isNotNegative();
            deadline += MILLISECONDS.toNanos(5);
        }
    }

    @Test
    void periodCountsFromTheInitialDelayAndNotFromTheCall() {
        CountDownLatch ran = new CountDownLatch(1);
        long before = System.nanoTime();
        ScheduledFuture<?> future = executor.scheduleAtFixedRate(
                ran::countDown, MICROSECONDS.toNanos(12_345), MINUTES.toNanos(2), NANOSECONDS);
        long after = System.nanoTime();

        await(ran);
        eventually(() -> future.getDelay(NANOSECONDS) > 0);

        long next = MICROSECONDS.toNanos(12_345) + MINUTES.toNanos(2);
        Due.of(future).assertBetween(before + next, after + next);
    }
}
