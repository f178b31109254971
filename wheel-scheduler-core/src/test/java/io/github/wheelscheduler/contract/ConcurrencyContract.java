package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Scale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Many threads at once: nothing is lost or run twice, and what one side wrote the other side sees. */
abstract class ConcurrencyContract extends ContractFixture {

    private static final int THREADS = 6;

    ConcurrencyContract(Subject subject) {
        super(subject);
    }

    @Test
    void manyThreadsScheduleAndNothingIsLostOrRunTwice() {
        int each = 2_000;
        long seed = System.nanoTime();
        AtomicIntegerArray runs = new AtomicIntegerArray(THREADS * each);
        ConcurrentLinkedQueue<Future<?>> futures = new ConcurrentLinkedQueue<>();

        together(THREADS, thread -> {
            Random random = new Random(seed + thread);
            for (int i = 0; i < each; i++) {
                int number = thread * each + i;
                Runnable task = () -> runs.incrementAndGet(number);
                futures.add(
                        random.nextInt(4) == 0
                                ? executor.submit(task)
                                : executor.schedule(task, random.nextInt(30_000_000), NANOSECONDS));
            }
        });

        futures.forEach(ContractFixture::result);
        for (int i = 0; i < runs.length(); i++) {
            assertThat(runs.get(i)).as("runs of task %d, seed %d", i, seed).isEqualTo(1);
        }
    }

    @Test
    void futuresAgreeWithRunsUnderConcurrentCancels() {
        int each = 1_500;
        long seed = System.nanoTime();
        AtomicIntegerArray runs = new AtomicIntegerArray(THREADS * each);
        ConcurrentLinkedQueue<ScheduledFuture<Integer>> all = new ConcurrentLinkedQueue<>();
        AtomicInteger wins = new AtomicInteger();

        together(THREADS, thread -> {
            Random random = new Random(seed + thread);
            List<ScheduledFuture<Integer>> own = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                int number = thread * each + i;
                own.add(executor.schedule(() -> runs.incrementAndGet(number), random.nextInt(3_000_000), NANOSECONDS));
                if (random.nextBoolean() && own.get(random.nextInt(own.size())).cancel(false)) {
                    wins.incrementAndGet();
                }
            }
            all.addAll(own);
        });

        int cancelled = 0;
        for (ScheduledFuture<Integer> future : all) {
            awaitDone(future);
            if (future.isCancelled()) {
                cancelled++;
            } else {
                assertThat(result(future)).as("runs, seed %d", seed).isEqualTo(1);
            }
        }
        assertThat(cancelled).as("cancelled futures, seed %d", seed).isEqualTo(wins.get());
        for (int i = 0; i < runs.length(); i++) {
            assertThat(runs.get(i)).as("runs of task %d, seed %d", i, seed).isLessThan(2);
        }
    }

    /** Each round catches the executor on its way to sleep until the far deadline, or just asleep. */
    @Test
    void earlierDeadlineWakesWhatSleepsUntilALaterOne() {
        race(400, round -> {
            ScheduledFuture<String> far = executor.schedule(() -> "far", 1 + round % 3, HOURS);

            Future<Integer> near = executor.schedule(() -> round, round % 8 * 100L, MICROSECONDS);

            assertThat(result(near)).isEqualTo(round);
            assertThat(round % 4 == 0 || far.cancel(false)).isTrue();
        });
    }

    @Test
    void cancellingFromManyThreadsEmptiesTheExecutor() {
        ConcurrentLinkedQueue<Boolean> answers = new ConcurrentLinkedQueue<>();

        together(THREADS, thread -> {
            for (int i = 0; i < 1_000; i++) {
                answers.add(executor.schedule(() -> "never", 1 + i % 50, HOURS).cancel(false));
            }
        });

        assertThat(answers).hasSize(THREADS * 1_000).containsOnly(true);
        assertThat(executor.shutdownNow()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void seriesStartedByManyThreadsAllGoOn(Repetition repetition) {
        ConcurrentLinkedQueue<CountDownLatch> latches = new ConcurrentLinkedQueue<>();

        together(THREADS, thread -> {
            for (int i = 0; i < 20; i++) {
                CountDownLatch runs = new CountDownLatch(4);
                latches.add(runs);
                assertPending(repetition.start(executor, runs::countDown, i, 3, MILLISECONDS));
            }
        });

        assertThat(latches).hasSize(THREADS * 20);
        latches.forEach(ContractFixture::await);
    }

    static IntStream rounds() {
        return IntStream.range(0, Scale.of(6, 20, 20));
    }

    @ParameterizedTest
    @MethodSource("rounds")
    void tasksOfAShutdownRaceEndOrNeverRun(int unused) throws InterruptedException {
        Submissions submissions = new Submissions(executor);

        together(3, thread -> {
            if (thread == 0) {
                submissions.awaitSome();
                executor.shutdown();
            } else {
                submissions.handInUntilRefused();
            }
        });

        assertTerminates(executor);
        for (Submission each : submissions.accepted) {
            assertThat(each.future.isDone()).isTrue();
            assertThat(each.runs.get()).isEqualTo(each.future.isCancelled() ? 0 : 1);
        }
        assertThat(submissions.refusedRuns).hasValue(0);
    }

    @ParameterizedTest
    @MethodSource("rounds")
    void tasksOfAShutdownNowRaceRunOrAreReturned(int unused) throws InterruptedException {
        Submissions submissions = new Submissions(executor);
        Set<Object> never = Collections.newSetFromMap(new IdentityHashMap<>());

        together(3, thread -> {
            if (thread == 0) {
                submissions.awaitSome();
                never.addAll(executor.shutdownNow());
            } else {
                submissions.handInUntilRefused();
            }
        });

        assertTerminates(executor);
        for (Submission each : submissions.accepted) {
            boolean ran = each.runs.get() == 1 && each.future.isDone() && !each.future.isCancelled();
            boolean cancelled = each.runs.get() == 0 && each.future.isCancelled();
            boolean handedBack = each.runs.get() == 0 && never.contains(each.future);
            assertThat(List.of(ran, cancelled, handedBack))
                    .as("ran, cancelled, handed back")
                    .containsOnlyOnce(true);
        }
        assertThat(submissions.refusedRuns).hasValue(0);
    }

    /** Plain memory: the task sees what the caller wrote before it, and the caller what the task wrote. */
    @ParameterizedTest
    @EnumSource
    void callerAndTaskSeeWhatTheOtherWroteBefore(OneShot way) {
        race(way == OneShot.SCHEDULED_SOON ? 20 : 2_000, round -> {
            int[] shared = new int[64];
            int expected = round + 1;
            Arrays.fill(shared, expected);

            Future<Boolean> seen = way.start(executor, () -> {
                boolean all = Arrays.stream(shared).allMatch(each -> each == expected);
                Arrays.fill(shared, -expected);
                return all;
            });

            assertThat(result(seen)).isTrue();
            assertThat(shared).containsOnly(-expected);
        });
    }

    @Test
    void taskSeesWhatAnEarlierOneWroteWhoseResultWasAwaited() {
        int[] plain = new int[1];

        race(
                1_000,
                round -> assertThat(result(executor.submit(() -> ++plain[0]))).isEqualTo(round + 1));
    }

    @Test
    void tasksThatHandInTasksFromManyWorkersLoseNone() {
        AtomicInteger runs = new AtomicInteger();
        int expected = (1 << 12) - 1;
        CountDownLatch all = new CountDownLatch(expected);

        executor.execute(new Tree(executor, 11, runs, all));

        await(all);
        assertThat(runs).hasValue(expected);
    }

    /** Hands in two more of its kind, by different ways, until the depth is reached. */
    private record Tree(ScheduledExecutorService on, int depth, AtomicInteger runs, CountDownLatch all)
            implements Runnable {

        @Override
        public void run() {
            runs.incrementAndGet();
            if (depth > 0) {
                Tree next = new Tree(on, depth - 1, runs, all);
                on.execute(next);
                assertThat((Object) on.schedule(next, depth * 10L, MICROSECONDS))
                        .isNotNull();
            }
            all.countDown();
        }
    }

    private record Submission(ScheduledFuture<?> future, AtomicInteger runs) {}

    /** Zero and short delays handed in by several threads until the executor refuses. */
    private static final class Submissions {

        final ConcurrentLinkedQueue<Submission> accepted = new ConcurrentLinkedQueue<>();
        final AtomicInteger refusedRuns = new AtomicInteger();
        private final ScheduledExecutorService on;
        private final CountDownLatch some = new CountDownLatch(100);

        Submissions(ScheduledExecutorService on) {
            this.on = on;
        }

        void awaitSome() {
            await(some);
        }

        void handInUntilRefused() {
            long begun = System.nanoTime();
            for (int i = 0; System.nanoTime() - begun < PATIENCE.toNanos(); i++) {
                AtomicInteger runs = new AtomicInteger();
                try {
                    accepted.add(new Submission(on.schedule(runs::incrementAndGet, i % 3, MILLISECONDS), runs));
                } catch (RejectedExecutionException e) {
                    refusedRuns.addAndGet(runs.get());
                    return;
                }
                some.countDown();
            }
            throw new AssertionError("never refused");
        }
    }
}
