package io.github.wheelscheduler.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is in flight is seen until it is removed, and counted exactly, however many threads add and remove. */
class InFlightTest {

    private static final int THREADS = 4;
    private static final int STEPS = Scale.of(50_000, 2_000_000);

    private final ExecutorWorkers workers =
            ExecutorWorkersTest.workers(new ExecutorWorkersTest.Recorder(), Runnable::run);
    private final InFlight inFlight = new InFlight();

    @Test
    void runsAreSeenAndCountedUntilTheyAreOver() {
        Seed.play(random -> {
            List<CompletableFuture<List<ExecutorRun>>> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom own = random.split();
                CompletableFuture<List<ExecutorRun>> left = new CompletableFuture<>();
                threads.add(left);
                new Thread(() -> {
                            try {
                                left.complete(addAndRemove(own));
                            } catch (Throwable ex) {
                                left.completeExceptionally(ex);
                            }
                        })
                        .start();
            }
            Set<ExecutorRun> expected = Collections.newSetFromMap(new IdentityHashMap<>());
            for (CompletableFuture<List<ExecutorRun>> thread : threads) {
                expected.addAll(thread.get(30, TimeUnit.SECONDS));
            }
            Set<ExecutorRun> seen = Collections.newSetFromMap(new IdentityHashMap<>());
            inFlight.forEach(run -> {
                if (!run.isOver()) {
                    assertThat(seen.add(run)).isTrue();
                }
            });
            assertThat(seen).isEqualTo(expected);
            assertThat(inFlight.count()).isEqualTo(expected.size());
            assertThat(inFlight.activeCount()).isZero();
            expected.forEach(this::takeBackAndRemove);
            assertThat(inFlight.count()).isZero();
            inFlight.forEach(run -> fail("must have been removed: " + run));
        });
    }

    private List<ExecutorRun> addAndRemove(SplittableRandom random) {
        List<ExecutorRun> own = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            if (random.nextInt(300) >= own.size()) {
                own.add(shown());
            } else {
                ExecutorRun run = own.remove(random.nextInt(own.size()));
                inFlight.enter();
                assertThat(run.start(Thread.currentThread())).isTrue();
                run.finish(Thread.currentThread());
                inFlight.leave(run, true);
            }
        }
        return own;
    }

    @Test
    void returnedRunsComeBackInTheirOrder() {
        List<ExecutorRun> runs = shown(5);
        assertThat(inFlight.linkReturned()).isNull();
        inFlight.sendBack(runs.get(3));
        runs.forEach(run -> {
            if (run != runs.get(3)) {
                inFlight.sendBack(run);
            }
        });
        assertThat(inFlight.returnedCount()).isEqualTo(5);
        assertThat(inFlight.takeBack(runs.get(2))).isTrue();
        assertThat(inFlight.returnedCount()).isEqualTo(4);
        List<ExecutorRun> fetched = new ArrayList<>();
        for (ExecutorRun run = inFlight.linkReturned(); run != null; run = run.nextReturned) {
            fetched.add(run);
        }
        assertThat(fetched).containsExactly(runs.get(0), runs.get(1), runs.get(3), runs.get(4));
        assertThat(inFlight.sendAgain(runs.get(2))).isFalse();
        assertThat(inFlight.sendAgain(runs.get(3))).isTrue();
        assertThat(inFlight.returnedCount()).isEqualTo(3);
    }

    @Test
    void finishedRunIsRemovedWhenLaterOnesAreShown() {
        ExecutorRun longest = shown();
        for (int i = 0; i < 10_000; i++) {
            List<ExecutorRun> runs = shown(10);
            runs.forEach(this::takeBackAndRemove);
            int[] length = {0};
            boolean[] isLongestThere = {false};
            inFlight.forEach(run -> {
                length[0]++;
                isLongestThere[0] |= run == longest;
            });
            assertThat(length[0]).isLessThan(40);
            assertThat(isLongestThere[0]).isTrue();
        }
        takeBackAndRemove(longest);
        inFlight.forEach(run -> fail("must have been removed: " + run));
    }

    @Test
    void runThatIsOverKeepsNothingOfItsTask() {
        ExecutorRun longest = shown();
        ExecutorRun run = shown();
        run.fill(() -> {}, 0);
        takeBackAndRemove(run);
        assertThat(run.task).isSameAs(ExecutorRun.NOTHING);
        assertThat(longest.isOver()).isFalse();
    }

    @Test
    void runThatAPauseHasSentBackIsSentAgainBeforeItStarts() {
        Thread thread = Thread.currentThread();
        ExecutorRun run = shown();
        assertThat(inFlight.sendAgain(run)).isFalse();
        assertThat(run.isReturned()).isFalse();
        inFlight.sendBack(run);
        assertThat(run.isReturned()).isTrue();
        assertThat(run.isWaiting()).isFalse();
        inFlight.sendBack(run);
        assertThat(inFlight.returnedCount()).isOne();
        assertThat(run.start(thread)).isFalse();
        assertThat(inFlight.sendAgain(run)).isTrue();
        assertThat(run.start(thread)).isTrue();
        assertThat(inFlight.takeBack(run)).isFalse();
        inFlight.sendBack(run);
        assertThat(inFlight.returnedCount()).isZero();
        run.finish(thread);
    }

    @Test
    void runThatIsTakenBackStartsNoMore() {
        ExecutorRun run = shown();
        assertThat(inFlight.takeBack(run)).isTrue();
        assertThat(run.isOver()).isTrue();
        assertThat(inFlight.takeBack(run)).isFalse();
        assertThat(run.start(Thread.currentThread())).isFalse();
        assertThat(inFlight.sendAgain(run)).isFalse();
    }

    @Test
    void noMoreIsTakenBackThanWasAskedFor() {
        List<ExecutorRun> runs = shown(5);
        assertThat(runs.get(0).start(Thread.currentThread())).isTrue();
        assertThat(inFlight.takeBackUpTo(3)).hasSize(3);
        assertThat(inFlight.count()).isEqualTo(2);
        List<Runnable> left = new ArrayList<>();
        inFlight.forEachNotStarted(left::add);
        assertThat(left).hasSize(1);
        assertThat(runs.get(0).isOver()).isFalse();
    }

    private ExecutorRun shown() {
        ExecutorRun run = new ExecutorRun(workers);
        run.fill(() -> {}, 0);
        assertThat(inFlight.tryCount(Integer.MAX_VALUE)).isTrue();
        inFlight.show(run);
        return run;
    }

    private List<ExecutorRun> shown(int number) {
        List<ExecutorRun> runs = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            runs.add(shown());
        }
        return runs;
    }

    private void takeBackAndRemove(ExecutorRun run) {
        assertThat(inFlight.takeBack(run)).isTrue();
        inFlight.remove(run);
    }
}
