package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In which order tasks start where one worker makes the order visible. */
abstract class OrderContract extends ContractFixture {

    /** Coarser than any implementation looks at deadlines. */
    private static final long CLEARLY_LATER_NANOS = MILLISECONDS.toNanos(1);

    private final ConcurrentLinkedQueue<Integer> started = new ConcurrentLinkedQueue<>();

    OrderContract(Subject subject) {
        super(subject);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000, 700_000, 4_000_000, 30_000_000, 70_000_000})
    void tasksWithTheSameDelayStartInTheOrderOfSubmission(long delayNanos) {
        ScheduledExecutorService single = newSingleWorker();
        int count = 2_000;

        List<ScheduledFuture<?>> futures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            futures.add(schedule(single, i, delayNanos, NANOSECONDS));
        }

        futures.forEach(ContractFixture::result);
        assertThat(started).containsExactlyElementsOf(numbersBelow(count));
    }

    @Test
    void everyWayToStartAtOnceSharesOneOrder() {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        int count = 500;

        List<Runnable> ways = new ArrayList<>();
        for (int i = 0; i < count; i += 5) {
            int number = i;
            ways.add(() -> single.execute(() -> started.add(number)));
            ways.add(() -> ignored(single.submit(() -> started.add(number + 1))));
            ways.add(() -> ignored(schedule(single, number + 2, 0, NANOSECONDS)));
            ways.add(() -> ignored(schedule(single, number + 3, -1, TimeUnit.DAYS)));
            ways.add(() -> ignored(single.submit(() -> started.add(number + 4), "done")));
        }
        ways.forEach(Runnable::run);
        held.release();

        eventually(() -> started.size() == count);
        assertThat(started).containsExactlyElementsOf(numbersBelow(count));
    }

    @Test
    void tasksStartInTheOrderOfTheirDeadlines() {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        List<Submitted> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(submit(single, i, 100 - 20 * i));
        }

        eventually(() -> all.stream().allMatch(each -> each.future.getDelay(NANOSECONDS) < 0));
        held.release();

        all.forEach(each -> result(each.future));
        assertStartedByDeadline(all, "in order");
    }

    @Test
    void overdueTaskStartsBeforeOneThatIsSubmittedLater() {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        ScheduledFuture<?> overdue = schedule(single, 0, 5, MILLISECONDS);
        awaitClock(System.nanoTime() + MILLISECONDS.toNanos(30));
        ScheduledFuture<?> atOnce = schedule(single, 1, 0, MILLISECONDS);

        held.release();

        result(overdue);
        result(atOnce);
        assertThat(started).containsExactly(0, 1);
    }

    @Test
    void randomDeadlinesStartInOrderThoughSomeAreCancelled() {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Submitted> kept = new ArrayList<>();
        List<Submitted> others = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Submitted submitted = submit(single, i, 3L * random.nextInt(60));
            (random.nextBoolean() ? kept : others).add(submitted);
        }
        others.forEach(each -> assertThat(each.future.cancel(false)).isTrue());

        eventually(() -> kept.stream().allMatch(each -> each.future.getDelay(NANOSECONDS) < 0));
        held.release();

        kept.forEach(each -> result(each.future));
        assertStartedByDeadline(kept, "seed " + seed);
    }

    private Submitted submit(ScheduledExecutorService on, int number, long delayMillis) {
        ScheduledFuture<?> future = schedule(on, number, delayMillis, MILLISECONDS);
        return new Submitted(number, future, System.nanoTime());
    }

    /**
     * Asserts the order of all pairs of which it is certain. The caller may stall in the middle of submitting a task:
     * then one with a later deadline may be ready before.
     */
    private void assertStartedByDeadline(List<Submitted> bySubmission, String what) {
        List<Integer> order = List.copyOf(started);
        assertThat(order)
                .as(what)
                .containsExactlyInAnyOrderElementsOf(
                        bySubmission.stream().map(Submitted::number).toList());
        for (int i = 0; i < bySubmission.size(); i++) {
            Submitted one = bySubmission.get(i);
            for (Submitted later : bySubmission.subList(i + 1, bySubmission.size())) {
                if (one.future.compareTo(later.future) <= 0) {
                    assertThat(order).as(what).containsSubsequence(one.number, later.number);
                } else if (later.wasThereWellBefore(one)) {
                    assertThat(order).as(what).containsSubsequence(later.number, one.number);
                }
            }
        }
    }

    private record Submitted(int number, ScheduledFuture<?> future, long submittedBy) {

        /** Whether this is due clearly before the other, and was submitted before the other was due. */
        boolean wasThereWellBefore(Submitted other) {
            long othersDue = Due.of(other.future).earliest();
            return othersDue - Due.of(future).latest() > CLEARLY_LATER_NANOS && othersDue - submittedBy > 0;
        }
    }

    private ScheduledFuture<?> schedule(ScheduledExecutorService on, int number, long delay, TimeUnit unit) {
        return on.schedule(() -> started.add(number), delay, unit);
    }

    private static List<Integer> numbersBelow(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private static void ignored(Object future) {
        assertThat(future).isNotNull();
    }
}
