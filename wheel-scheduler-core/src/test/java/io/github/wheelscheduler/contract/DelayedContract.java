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
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code getDelay}, {@code compareTo} and {@code isPeriodic} of what the schedule methods return. */
abstract class DelayedContract extends ContractFixture {

    DelayedContract(Subject subject) {
        super(subject);
    }

    @ParameterizedTest
    @EnumSource(TimeUnit.class)
    void delayIsTheOneAskedForLessTheTimeSince(TimeUnit unit) {
        for (long delay : new long[] {1, 3, 1_000, 12_345}) {
            long before = System.nanoTime();
            ScheduledFuture<?> runnable = executor.schedule(DelayedContract::nothing, delay, unit);
            ScheduledFuture<?> callable = executor.schedule(() -> "value", delay, unit);
            long after = System.nanoTime();

            long nanos = unit.toNanos(delay);
            Due.of(runnable).assertBetween(before + nanos, after + nanos);
            Due.of(callable).assertBetween(before + nanos, after + nanos);
        }
    }

    @ParameterizedTest
    @EnumSource
    void firstDelayOfARepeatingTaskIsTheInitialOne(Repetition repetition) {
        long before = System.nanoTime();
        ScheduledFuture<?> future = repetition.start(executor, DelayedContract::nothing, 7, 3, MINUTES);
        long after = System.nanoTime();

        Due.of(future).assertBetween(before + MINUTES.toNanos(7), after + MINUTES.toNanos(7));
    }

    @ParameterizedTest
    @EnumSource(TimeUnit.class)
    void delayIsGivenInTheUnitAskedFor(TimeUnit unit) {
        ScheduledFuture<?> future = executor.schedule(DelayedContract::nothing, 40, DAYS);

        long most = future.getDelay(NANOSECONDS);
        long delay = future.getDelay(unit);
        long least = future.getDelay(NANOSECONDS);

        assertThat(delay).isBetween(unit.convert(least, NANOSECONDS), unit.convert(most, NANOSECONDS));
    }

    @Test
    void delayShrinksAsTimePasses() {
        ScheduledFuture<?> future = executor.schedule(DelayedContract::nothing, 1, HOURS);
        Due first = Due.of(future);
        long whenRead = System.nanoTime();

        awaitClock(whenRead + MILLISECONDS.toNanos(5));

        Due second = Due.of(future);
        assertThat(second.remainingNanos()).isLessThan(first.remainingNanos() - MILLISECONDS.toNanos(5));
        second.assertBetween(first.earliest(), first.latest());
    }

    @Test
    void delayOfZeroOrLessIsOverFromTheStart() {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);

        assertThat(single.schedule(DelayedContract::nothing, 0, SECONDS).getDelay(NANOSECONDS))
                .isNotPositive();
        assertThat(single.schedule(DelayedContract::nothing, -5, SECONDS).getDelay(NANOSECONDS))
                .isNotPositive();
        assertThat(single.schedule(DelayedContract::nothing, Long.MIN_VALUE, DAYS)
                        .getDelay(NANOSECONDS))
                .isNotPositive();
        held.release();
    }

    @Test
    void delayOfAWaitingTaskShrinksBelowZero() {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        ScheduledFuture<?> overdue = single.schedule(DelayedContract::nothing, 5, MILLISECONDS);

        eventually(() -> overdue.getDelay(MILLISECONDS) < -10);

        assertPending(overdue);
        held.release();
    }

    @Test
    void delayIsOverWhileTheTaskRunsAndAfterwards() {
        for (int i = 0; i < 50; i++) {
            CompletableFuture<Delayed> self = new CompletableFuture<>();
            ScheduledFuture<Long> future =
                    executor.schedule(() -> self.join().getDelay(NANOSECONDS), 500 + i, MICROSECONDS);
            self.complete(future);

            assertThat(result(future)).as("delay during the run").isNotPositive();
            assertThat(future.getDelay(NANOSECONDS)).as("delay after the run").isNotPositive();
        }
    }

    @Test
    void onlyRepeatingTasksArePeriodic() {
        assertThat(isPeriodic(executor.schedule(DelayedContract::nothing, 1, HOURS)))
                .isFalse();
        assertThat(isPeriodic(executor.schedule(() -> "value", 0, HOURS))).isFalse();
        assertThat(isPeriodic(executor.scheduleAtFixedRate(DelayedContract::nothing, 1, 1, HOURS)))
                .isTrue();
        assertThat(isPeriodic(executor.scheduleWithFixedDelay(DelayedContract::nothing, 1, 1, HOURS)))
                .isTrue();
        assertThat(isPeriodic(executor.scheduleAtFixedRate(DelayedContract::nothing, 0, Long.MAX_VALUE, DAYS)))
                .isTrue();
        assertThat(isPeriodic(executor.scheduleWithFixedDelay(DelayedContract::nothing, 0, Long.MAX_VALUE, DAYS)))
                .isTrue();
    }

    @Test
    void earlierDeadlineComparesAsLess() {
        List<ScheduledFuture<?>> ascending = List.of(
                executor.schedule(DelayedContract::nothing, -1, HOURS),
                executor.schedule(DelayedContract::nothing, 1, MINUTES),
                executor.schedule(() -> "value", 2, MINUTES),
                executor.scheduleAtFixedRate(DelayedContract::nothing, 3, 1, MINUTES),
                executor.scheduleWithFixedDelay(DelayedContract::nothing, 4, 1, MINUTES),
                executor.schedule(DelayedContract::nothing, 1, HOURS),
                executor.schedule(DelayedContract::nothing, 36_500, DAYS));

        for (int i = 0; i < ascending.size(); i++) {
            for (int j = 0; j < ascending.size(); j++) {
                assertThat(Integer.signum(ascending.get(i).compareTo(ascending.get(j))))
                        .as("number %d compared to number %d", i, j)
                        .isEqualTo(Integer.compare(i, j));
            }
        }
    }

    @Test
    void longestDelayComparesAsGreaterThanAnyShorterOne() {
        ScheduledFuture<?> minute = executor.schedule(DelayedContract::nothing, 1, MINUTES);
        ScheduledFuture<?> century = executor.schedule(DelayedContract::nothing, 36_500, DAYS);
        ScheduledFuture<?> longest = executor.schedule(DelayedContract::nothing, Long.MAX_VALUE, DAYS);

        for (ScheduledFuture<?> shorter : List.of(minute, century)) {
            assertThat(longest.compareTo(shorter)).isPositive();
            assertThat(shorter.compareTo(longest)).isNegative();
        }
    }

    @Test
    void firstOfEqualDelaysDoesNotCompareAsGreater() {
        for (int i = 0; i < 1_000; i++) {
            ScheduledFuture<?> first = executor.schedule(DelayedContract::nothing, 1, HOURS);
            ScheduledFuture<?> second = executor.schedule(DelayedContract::nothing, 1, HOURS);

            assertThat(first.compareTo(second)).isNotPositive();
            assertThat(second.compareTo(first)).isNotNegative();
        }
    }

    @Test
    void sortingOrdersFuturesByTheirDelay() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<ScheduledFuture<?>> futures = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            futures.add(executor.schedule(DelayedContract::nothing, 1 + i, MINUTES));
        }
        List<ScheduledFuture<?>> sorted = new ArrayList<>(futures);
        Collections.shuffle(sorted, random);

        Collections.sort(sorted);

        assertThat(List.<Object>copyOf(sorted)).as("seed %d", seed).isEqualTo(futures);
    }

    @Test
    void comparesWithAnyOtherKindOfDelayed() {
        ScheduledFuture<?> minute = executor.schedule(DelayedContract::nothing, 1, MINUTES);

        assertThat(minute.compareTo(new Foreign(SECONDS.toNanos(1)))).isPositive();
        assertThat(minute.compareTo(new Foreign(-1))).isPositive();
        assertThat(minute.compareTo(new Foreign(MINUTES.toNanos(2)))).isNegative();
        assertThat(minute.compareTo(new Foreign(DAYS.toNanos(36_500)))).isNegative();
    }

    @Test
    void comparesWithFuturesOfAnotherExecutor() {
        ScheduledFuture<?> minute = executor.schedule(DelayedContract::nothing, 1, MINUTES);
        ScheduledFuture<?> hour = newExecutor().schedule(DelayedContract::nothing, 1, HOURS);

        assertThat(minute.compareTo(hour)).isNegative();
        assertThat(hour.compareTo(minute)).isPositive();
    }

    private static void nothing() {}

    private static boolean isPeriodic(ScheduledFuture<?> future) {
        assertThat((Object) future).isInstanceOf(RunnableScheduledFuture.class);
        return ((RunnableScheduledFuture<?>) future).isPeriodic();
    }

    /** A delay that no executor made and that never passes. */
    private record Foreign(long nanos) implements Delayed {

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(nanos, NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(nanos, other.getDelay(NANOSECONDS));
        }
    }
}
