package io.github.wheelscheduler.worker;

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
    void eachRunHasAPlaceOfItsOwn() {
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
            inFlight.forEach(run -> assertThat(seen.add(run)).isTrue());
            assertThat(seen).isEqualTo(expected);
            assertThat(inFlight.count()).isEqualTo(expected.size());
            assertThat(inFlight.activeCount()).isZero();
            expected.forEach(inFlight::remove);
            assertThat(inFlight.count()).isZero();
        });
    }

    private List<ExecutorRun> addAndRemove(SplittableRandom random) {
        List<ExecutorRun> own = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            if (random.nextInt(300) >= own.size()) {
                ExecutorRun run = new ExecutorRun(workers);
                inFlight.prepare(run);
                assertThat(inFlight.tryCount(Integer.MAX_VALUE)).isTrue();
                inFlight.show(run);
                own.add(run);
            } else {
                ExecutorRun run = own.remove(random.nextInt(own.size()));
                inFlight.enter();
                inFlight.leave(run);
            }
        }
        return own;
    }

    @Test
    void returnedRunsComeBackInTheirOrder() {
        List<ExecutorRun> runs = new ArrayList<>();
        assertThat(inFlight.hasReturned()).isFalse();
        for (int i = 0; i < 5; i++) {
            ExecutorRun run = new ExecutorRun(workers);
            runs.add(run);
            inFlight.sendBack(run);
        }
        assertThat(inFlight.hasReturned()).isTrue();
        assertThat(inFlight.returnedCount()).isEqualTo(5);
        assertThat(inFlight.takeBack(runs.get(2))).isTrue();
        assertThat(inFlight.returnedCount()).isEqualTo(4);
        List<ExecutorRun> fetched = new ArrayList<>();
        for (ExecutorRun run = inFlight.takeReturned(); run != null; run = run.neighbour) {
            fetched.add(run);
        }
        assertThat(fetched).isEqualTo(runs);
        assertThat(inFlight.sendAgain(runs.get(2))).isFalse();
        assertThat(inFlight.sendAgain(runs.get(3))).isTrue();
        assertThat(inFlight.returnedCount()).isEqualTo(3);
    }

    @Test
    void placeThatHasBeenLeftIsUsedAgainSoMemoryDoesNotGrow() {
        List<ExecutorRun> runs = shown(64);
        assertThat(runs).extracting(run -> run.place).doesNotHaveDuplicates().allMatch(place -> place < 64);
        for (int round = 0; round < 3; round++) {
            runs.forEach(inFlight::remove);
            inFlight.forEach(run -> fail("must have been removed: " + run));
            runs = shown(64);
            assertThat(runs)
                    .extracting(run -> run.place)
                    .doesNotHaveDuplicates()
                    .allMatch(place -> place < 64);
        }
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
        List<ExecutorRun> seen = new ArrayList<>();
        inFlight.forEach(seen::add);
        assertThat(seen).hasSize(2).contains(runs.get(0));
    }

    private List<ExecutorRun> shown(int number) {
        List<ExecutorRun> runs = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            ExecutorRun run = new ExecutorRun(workers);
            inFlight.prepare(run);
            assertThat(inFlight.tryCount(Integer.MAX_VALUE)).isTrue();
            inFlight.show(run);
            runs.add(run);
        }
        return runs;
    }
}
