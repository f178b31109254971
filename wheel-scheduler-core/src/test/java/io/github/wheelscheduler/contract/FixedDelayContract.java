package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The deadlines of a fixed delay: the real end of a run plus the delay, and nothing is ever made up. */
abstract class FixedDelayContract extends ContractFixture {

    FixedDelayContract(Subject subject) {
        super(subject);
    }

    @Test
    void delayPassesFromTheEndOfARunToTheNextStart() {
        ConcurrentLinkedQueue<long[]> runs = new ConcurrentLinkedQueue<>();

        ScheduledFuture<?> future = executor.scheduleWithFixedDelay(
                () -> {
                    long start = System.nanoTime();
                    LockSupport.parkNanos(MILLISECONDS.toNanos(6));
                    runs.add(new long[] {start, System.nanoTime()});
                },
                0,
                5,
                MILLISECONDS);

        eventually(() -> runs.size() >= 15);
        assertPending(future);
        List<long[]> seen = new ArrayList<>(runs);
        for (int i = 1; i < seen.size(); i++) {
            assertThat(seen.get(i)[0] - seen.get(i - 1)[1])
                    .as("nanoseconds from the end of run %d to the next start", i - 1)
                    .isGreaterThanOrEqualTo(MILLISECONDS.toNanos(5));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TimeUnit.class,
            names = {"MINUTES", "HOURS", "DAYS"})
    void theNextDeadlineIsTheEndOfTheRunPlusTheDelay(TimeUnit unit) {
        AtomicLong end = new AtomicLong();
        HeldTask held = heldTask();
        ScheduledFuture<?> future = executor.scheduleWithFixedDelay(
                () -> {
                    held.run();
                    end.set(System.nanoTime());
                },
                0,
                3,
                unit);
        await(held.begun);
        awaitClock(System.nanoTime() + MILLISECONDS.toNanos(15));
        held.release();

        eventually(() -> future.getDelay(NANOSECONDS) > 0);

        long armed = System.nanoTime();
        Due.of(future).assertBetween(end.get() + unit.toNanos(3), armed + unit.toNanos(3));
    }

    @Test
    void runThatStartedLateShiftsTheNextOne() {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        AtomicLong end = new AtomicLong();
        ScheduledFuture<?> future =
                single.scheduleWithFixedDelay(() -> end.set(System.nanoTime()), 0, HOURS.toNanos(1), NANOSECONDS);
        awaitClock(System.nanoTime() + MILLISECONDS.toNanos(30));

        held.release();

        eventually(() -> future.getDelay(NANOSECONDS) > 0);
        Due.of(future).assertBetween(end.get() + HOURS.toNanos(1), System.nanoTime() + HOURS.toNanos(1));
    }
}
