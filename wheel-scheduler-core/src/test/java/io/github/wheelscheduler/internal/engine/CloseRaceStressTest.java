package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** However an executor is closed in the middle of everything, each timer ends or is returned, and the executor ends. */
class CloseRaceStressTest {

    private static final int CALLERS = 3;
    private static final int MAX_PENDING = 2_000;

    /** Who runs the runs. */
    enum Runners {
        WORKERS,
        THREAD_PER_RUN,
        POOL,
        CALLER;

        WheelScheduledExecutorBuilder applyTo(WheelScheduledExecutorBuilder builder) {
            return switch (this) {
                case WORKERS -> WorkerKind.ELASTIC.applyTo(builder);
                case THREAD_PER_RUN -> WorkerKind.THREAD_PER_RUN.applyTo(builder);
                case POOL -> WorkerKind.GIVEN_EXECUTOR.applyTo(builder);
                case CALLER -> builder.executor(Runnable::run);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLeftBehindByAClose(Runners runners) {
        Seed.play(random -> {
            long endNanos = System.nanoTime()
                    + Duration.ofMillis(Scale.of(1_000, 30_000)).toNanos();
            do {
                Round round = new Round(runners, random.split());
                round.play();
                round.check();
            } while (System.nanoTime() - endNanos < 0);
        });
    }

    /** The life of an executor. */
    private static final class Round {

        private final SplittableRandom random;
        private final WheelScheduledExecutor executor;
        private final boolean stops;
        private final Set<Runnable> returned = new HashSet<>();
        private final Queue<WheelTimer<?>> timers = new ConcurrentLinkedQueue<>();
        private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        private final AtomicInteger early = new AtomicInteger();
        private final AtomicInteger twice = new AtomicInteger();
        private final AtomicInteger overlapping = new AtomicInteger();

        Round(Runners runners, SplittableRandom random) {
            this.random = random;
            this.stops = random.nextBoolean();
            WheelScheduledExecutorBuilder builder = runners.applyTo(WheelScheduledExecutor.builder())
                    .maxPending(MAX_PENDING)
                    .maxWorkers(1 + random.nextInt(8))
                    .workerKeepAlive(Duration.ofNanos(random.nextInt(2_000_000)));
            if (random.nextBoolean()) {
                builder.decorator(timer -> () -> timer.run());
            }
            this.executor = builder.build();
            executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(random.nextBoolean());
            executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(random.nextBoolean());
        }

        void play() throws InterruptedException {
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                SplittableRandom own = random.split();
                callers.add(new Thread(() -> call(own)));
            }
            callers.forEach(Thread::start);
            LockSupport.parkNanos(random.nextInt(6_000_000));
            close();
            for (Thread caller : callers) {
                caller.join();
            }
            boolean interrupts = random.nextBoolean();
            timers.stream().filter(WheelTimer::isPeriodic).forEach(timer -> timer.cancel(interrupts));
        }

        private void close() {
            if (stops && random.nextInt(4) == 0) {
                executor.shutdown();
            }
            if (stops) {
                returned.addAll(executor.shutdownNow());
            } else {
                executor.shutdown();
            }
        }

        void check() throws InterruptedException {
            assertThat(failures).isEmpty();
            assertThat(executor.awaitTermination(30, SECONDS))
                    .as("terminated: %s", executor)
                    .isTrue();
            awaitThat(() -> executor.pendingCount() == 0 && executor.activeCount() == 0);
            assertThat(EngineOf.executor(executor).pending.inUse())
                    .as("permits in use")
                    .isZero();
            assertThat(lost())
                    .as("neither done nor returned, stopped: %s", stops)
                    .isEmpty();
            assertThat(early).as("early runs").hasValue(0);
            assertThat(twice).as("runs too many").hasValue(0);
            assertThat(overlapping).as("overlapping runs").hasValue(0);
        }

        private Collection<WheelTimer<?>> lost() {
            return timers.stream()
                    .filter(timer -> !timer.isDone() && !returned.contains(timer))
                    .toList();
        }

        private void call(SplittableRandom own) {
            try {
                List<WheelTimer<?>> mine = new ArrayList<>();
                while (!executor.isShutdown()) {
                    try {
                        operate(own, mine);
                    } catch (RejectedExecutionException ex) {
                        // The bound, or the end.
                        mine.stream().filter(WheelTimer::isPeriodic).forEach(timer -> timer.cancel(false));
                        LockSupport.parkNanos(50_000);
                    }
                }
            } catch (Throwable ex) {
                failures.add(ex);
            }
        }

        private void operate(SplittableRandom own, List<WheelTimer<?>> mine) {
            int dice = own.nextInt(20);
            if (dice < 10 || mine.isEmpty()) {
                WheelTimer<?> timer = schedule(own);
                timers.add(timer);
                mine.add(timer);
            } else if (dice < 13) {
                mine.get(own.nextInt(mine.size())).cancel(own.nextBoolean());
            } else if (dice < 15) {
                boolean ignored = mine.get(own.nextInt(mine.size())).reschedule(own.nextInt(300_000), NANOSECONDS);
            } else if (dice < 17) {
                executor.pause();
            } else if (dice < 19) {
                executor.resume();
            } else {
                executor.setMaxWorkers(1 + own.nextInt(8));
            }
            if (own.nextInt(3) == 0) {
                LockSupport.parkNanos(own.nextInt(20_000));
            }
        }

        private WheelTimer<?> schedule(SplittableRandom own) {
            long delay = own.nextInt(300_000);
            return switch (own.nextInt(8)) {
                case 0 -> executor.scheduleAtFixedRate(alone(), delay, 1_000 + own.nextInt(300_000), NANOSECONDS);
                case 1 -> executor.scheduleWithFixedDelay(alone(), delay, 1_000 + own.nextInt(300_000), NANOSECONDS);
                case 2 -> executor.scheduleAt(alone(), Instant.now().plusNanos(delay));
                case 3 -> executor.schedule(() -> armAnother(delay), delay, NANOSECONDS);
                default -> scheduleOnce(delay);
            };
        }

        private WheelTimer<?> scheduleOnce(long delay) {
            AtomicBoolean started = new AtomicBoolean();
            return executor.schedule(
                    () -> {
                        if (started.getAndSet(true)) {
                            twice.incrementAndGet();
                        }
                    },
                    delay,
                    NANOSECONDS);
        }

        /** Is not rescheduled, as the callers do not know it, so it can tell whether it is early. */
        private void armAnother(long delay) {
            long dueNanos = System.nanoTime() + delay;
            try {
                timers.add(executor.schedule(
                        () -> {
                            if (System.nanoTime() - dueNanos < 0) {
                                early.incrementAndGet();
                            }
                        },
                        delay,
                        NANOSECONDS));
            } catch (RejectedExecutionException ex) {
                // The bound, or the end.
            }
        }

        /** Notices when a run overlaps another. */
        private Runnable alone() {
            AtomicBoolean running = new AtomicBoolean();
            return () -> {
                if (running.getAndSet(true)) {
                    overlapping.incrementAndGet();
                }
                running.set(false);
            };
        }
    }
}
