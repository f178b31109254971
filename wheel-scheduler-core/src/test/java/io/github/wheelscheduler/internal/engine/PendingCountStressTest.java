package io.github.wheelscheduler.internal.engine;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The counts are exact, and nothing is left behind, after anything that happens to timers at the same time. */
class PendingCountStressTest {

    private static final int CALLERS = 3;
    private static final int MAX_PENDING = 300;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void countsAreExactOnceEverythingHasRunOrBeenCancelled(WorkerKind kind) {
        Seed.play(random -> {
            Stress stress = new Stress(kind, random);
            stress.play(Scale.of(15_000, 1_000_000));
            stress.cancelRepeating();
            stress.cancelFar();
            stress.awaitNothingPending();
            stress.executor.shutdown();
            stress.awaitTermination();
            stress.checkEveryTimerIsDone();
        });
    }

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void countsAreExactAfterStoppingInTheMiddle(WorkerKind kind) {
        Seed.play(random -> {
            for (int round = 0; round < Scale.of(10, 300); round++) {
                Stress stress = new Stress(kind, random.split());
                AtomicReference<List<Runnable>> neverRan = new AtomicReference<>(List.of());
                int stopAfter = random.nextInt(2_000);
                stress.play(800, () -> neverRan.set(stress.executor.shutdownNow()), stopAfter);
                stress.awaitTermination();
                stress.awaitNothingPending();
                stress.checkGivenBack(neverRan.get());
            }
        });
    }

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void countsAreExactAfterAShutdownInTheMiddle(WorkerKind kind) {
        Seed.play(random -> {
            for (int round = 0; round < Scale.of(10, 300); round++) {
                Stress stress = new Stress(kind, random.split());
                stress.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(random.nextBoolean());
                stress.play(800, stress.executor::shutdown, random.nextInt(2_000));
                stress.cancelFar();
                stress.awaitTermination();
                stress.awaitNothingPending();
                stress.checkEveryTimerIsDone();
            }
        });
    }

    /** Callers that do everything that one can do with timers, at the same time. */
    private static final class Stress {

        final WheelScheduledExecutor executor;
        private final SplittableRandom random;
        private final Queue<WheelTimer<?>> timers = new ConcurrentLinkedQueue<>();
        private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        private final AtomicInteger operations = new AtomicInteger();

        Stress(WorkerKind kind, SplittableRandom random) {
            this.random = random;
            this.executor = kind.applyTo(WheelScheduledExecutor.builder())
                    .maxPending(MAX_PENDING)
                    .maxCatchUp(2)
                    .build();
        }

        void play(int operationsPerCaller) {
            play(operationsPerCaller, () -> {}, -1);
        }

        /** Plays, and does something else in between, after that many operations of all callers. */
        void play(int operationsPerCaller, Runnable inBetween, int afterOperations) {
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                SplittableRandom own = random.split();
                callers.add(new Thread(() -> call(own, operationsPerCaller, inBetween, afterOperations)));
            }
            callers.forEach(Thread::start);
            callers.forEach(Stress::join);
            assertThat(failures).isEmpty();
        }

        private static void join(Thread thread) {
            try {
                thread.join();
            } catch (InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
        }

        private void call(SplittableRandom own, int count, Runnable inBetween, int afterOperations) {
            try {
                List<WheelTimer<?>> mine = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    if (operations.getAndIncrement() == afterOperations) {
                        inBetween.run();
                    }
                    operate(own, mine);
                }
                mine.stream().filter(WheelTimer::isPeriodic).forEach(timer -> timer.cancel(own.nextBoolean()));
            } catch (Throwable ex) {
                failures.add(ex);
            }
        }

        private void operate(SplittableRandom own, List<WheelTimer<?>> mine) {
            int dice = own.nextInt(20);
            try {
                if (dice < 10 || mine.isEmpty()) {
                    WheelTimer<?> timer = schedule(own);
                    timers.add(timer);
                    mine.add(timer);
                    if (dice == 0) {
                        timer.cancel(true);
                    }
                } else if (dice < 15) {
                    mine.get(own.nextInt(mine.size())).cancel(own.nextBoolean());
                } else if (dice < 18) {
                    boolean ignored = mine.get(own.nextInt(mine.size())).reschedule(own.nextInt(3_000), MICROSECONDS);
                } else {
                    WheelTimer<?> latest = mine.get(mine.size() - 1);
                    latest.cancel(false);
                    latest.cancel(true);
                }
            } catch (RejectedExecutionException ex) {
                // The bound, or the end. Room is made by what runs and by what is cancelled here.
                mine.forEach(timer -> timer.cancel(false));
                mine.clear();
            }
        }

        private WheelTimer<?> schedule(SplittableRandom own) {
            long delay = own.nextInt(8) == 0 ? 3_600_000_000L : own.nextInt(2_000);
            return switch (own.nextInt(8)) {
                case 0 -> executor.schedule(() -> "result", delay, MICROSECONDS);
                case 1 ->
                    executor.schedule(
                            () -> {
                                throw new IllegalStateException("on purpose");
                            },
                            delay,
                            MICROSECONDS);
                case 2 -> executor.scheduleAtFixedRate(() -> {}, delay, 1 + own.nextInt(300), MICROSECONDS);
                case 3 -> executor.scheduleWithFixedDelay(() -> {}, delay, 1 + own.nextInt(300), MICROSECONDS);
                case 4 -> failingRepeater(delay);
                case 5 -> selfCancelling(delay);
                case 6 -> new Series().arm(own.nextInt(4));
                default -> executor.schedule(() -> {}, delay, MICROSECONDS);
            };
        }

        private WheelTimer<?> failingRepeater(long delay) {
            int[] runs = {0};
            return executor.scheduleAtFixedRate(
                    () -> {
                        if (++runs[0] == 3) {
                            throw new IllegalStateException("on purpose");
                        }
                    },
                    delay,
                    50,
                    MICROSECONDS);
        }

        private WheelTimer<?> selfCancelling(long delay) {
            AtomicReference<WheelTimer<?>> self = new AtomicReference<>();
            WheelTimer<?> timer = executor.scheduleWithFixedDelay(
                    () -> {
                        WheelTimer<?> known = self.get();
                        if (known != null) {
                            known.cancel(true);
                        }
                    },
                    delay,
                    50,
                    MICROSECONDS);
            self.set(timer);
            return timer;
        }

        void cancelRepeating() {
            timers.stream().filter(WheelTimer::isPeriodic).forEach(timer -> timer.cancel(false));
        }

        /** Nobody waits an hour. */
        void cancelFar() {
            timers.stream()
                    .filter(timer -> timer.getDelay(TimeUnit.MINUTES) > 10)
                    .forEach(timer -> timer.cancel(false));
        }

        void awaitNothingPending() {
            Engine engine = EngineOf.executor(executor);
            await().pollInterval(Duration.ofMillis(1)).atMost(PATIENCE).untilAsserted(() -> {
                assertThat(executor.pendingCount()).as("pending").isZero();
                assertThat(engine.pending.inUse()).as("permits in use").isZero();
                assertThat(executor.activeCount()).as("active").isZero();
            });
        }

        void awaitTermination() {
            await().pollInterval(Duration.ofMillis(1)).atMost(PATIENCE).until(executor::isTerminated);
        }

        void checkEveryTimerIsDone() {
            assertThat(timers).allMatch(WheelTimer::isDone);
        }

        /** What was not given back has run or been cancelled; what was given back can still be cancelled, once. */
        void checkGivenBack(List<Runnable> neverRan) {
            assertThat(neverRan).doesNotHaveDuplicates();
            for (WheelTimer<?> timer : timers) {
                assertThat(timer.isDone() || neverRan.contains(timer))
                        .as("%s", timer)
                        .isTrue();
            }
            for (Runnable run : neverRan) {
                WheelTimer<?> timer = (WheelTimer<?>) run;
                if (!timer.isDone()) {
                    assertThat(timer.cancel(false)).isTrue();
                }
            }
            awaitNothingPending();
        }

        /** A few runs, each of which arms the next. */
        private final class Series {

            private final AtomicReference<WheelTimer<?>> current = new AtomicReference<>();

            WheelTimer<?> arm(int more) {
                WheelTimer<?> first = executor.scheduleAt(() -> run(more), Instant.now());
                current.compareAndSet(null, first);
                return first;
            }

            private void run(int more) {
                WheelTimer<?> running = current.get();
                if (more > 0 && running != null) {
                    WheelTimer<?> next = executor.scheduleNext(running, () -> run(more - 1), Instant.now());
                    current.set(next);
                    timers.add(next);
                }
            }
        }
    }
}
