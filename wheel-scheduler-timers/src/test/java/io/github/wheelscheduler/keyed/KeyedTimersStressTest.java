package io.github.wheelscheduler.keyed;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import io.github.wheelscheduler.testing.StopsAfterwards;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Eight threads do everything to a hundred keys, on real time: afterwards each entry has ended once, and no handlers of
 * a key overlapped.
 */
class KeyedTimersStressTest {

    private static final int THREADS = 8;
    private static final int KEYS = 100;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void outcomesOfOneByOneAddUpToTheEntries(WorkerKind kind) {
        Seed.play(random -> new Stress(kind, false, random).play(Scale.of(100_000, 10_000_000), false));
    }

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void outcomesOfBatchesAddUpToTheEntries(WorkerKind kind) {
        Seed.play(random -> new Stress(kind, true, random).play(Scale.of(100_000, 10_000_000), false));
    }

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void outcomesAddUpWhenAllIsClosedInTheMiddle(WorkerKind kind) {
        Seed.play(random -> {
            for (int round = 0; round < Scale.of(10, 300); round++) {
                new Stress(kind, random.nextBoolean(), random.split()).play(4_000, true);
            }
        });
    }

    private final class Stress {

        private final SplittableRandom random;
        private final WheelScheduledExecutor executor;
        private final KeyedTimers<Integer, Integer> timers;
        private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        private final AtomicIntegerArray inHandler = new AtomicIntegerArray(KEYS);
        private final AtomicLong handled = new AtomicLong();
        private final AtomicInteger values = new AtomicInteger();

        /** By value, which no two entries share: how often it has been handled, or handed out by a verb. */
        private final AtomicIntegerArray ends;

        private final AtomicLong set = new AtomicLong();
        private final AtomicLong removed = new AtomicLong();
        private final AtomicLong replaced = new AtomicLong();
        private final AtomicLong drained = new AtomicLong();
        private volatile boolean closed;

        Stress(WorkerKind kind, boolean isBatch, SplittableRandom random) {
            this.random = random;
            this.executor =
                    stops.use(kind.applyTo(WheelScheduledExecutor.builder()).build());
            this.timers = (isBatch
                            ? KeyedTimers.<Integer, Integer>batchBuilder(
                                    executor, 7, batch -> batch.forEach(entry -> handle(entry.key(), entry.value())))
                            : KeyedTimers.<Integer, Integer>builder(executor, this::handle))
                    .maxSize(random.nextBoolean() ? 90 : Long.MAX_VALUE)
                    .build();
            this.ends = new AtomicIntegerArray(Scale.of(100_000, 8_000_000));
        }

        /** Now and then it sets its own key again. */
        private void handle(int key, int value) {
            if (inHandler.incrementAndGet(key) != 1) {
                failures.add(new AssertionError("handlers of a key must not overlap, two did for " + key));
            }
            if (closed) {
                failures.add(new AssertionError("after the end of close no handler may run"));
            }
            ended(value);
            handled.incrementAndGet();
            if ((value & 15) == 0) {
                set(key, 1);
            }
            for (int i = 0; i < 20; i++) {
                Thread.onSpinWait();
            }
            inHandler.decrementAndGet(key);
        }

        private void ended(@Nullable Integer value) {
            if (value != null && ends.incrementAndGet(value) != 1) {
                failures.add(new AssertionError("must end once: " + value));
            }
        }

        void play(int operations, boolean closesInTheMiddle) throws InterruptedException {
            AtomicInteger left = new AtomicInteger(operations);
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom own = random.split();
                callers.add(new Thread(() -> call(own, left)));
            }
            callers.forEach(Thread::start);
            if (closesInTheMiddle) {
                awaitThat(() -> left.get() < operations / 2);
                close();
            }
            for (Thread caller : callers) {
                caller.join();
            }
            if (!closesInTheMiddle) {
                awaitThat(() -> timers.size() == 0);
                close();
            }
            check();
        }

        private void close() {
            timers.close();
            closed = true;
        }

        private void call(SplittableRandom own, AtomicInteger left) {
            try {
                while (left.decrementAndGet() >= 0) {
                    operate(own, own.nextInt(KEYS));
                }
            } catch (Throwable ex) {
                failures.add(ex);
            }
        }

        private void operate(SplittableRandom own, int key) {
            int dice = own.nextInt(1_000);
            int delayMicros = own.nextInt(4) == 0 ? 0 : own.nextInt(2_000);
            if (dice < 400) {
                set(key, delayMicros);
            } else if (dice < 500) {
                setIfAbsent(key, delayMicros);
            } else if (dice < 700) {
                move(key, delayMicros);
            } else if (dice < 900) {
                Integer value = timers.remove(key);
                removed.addAndGet(value == null ? 0 : 1);
                ended(value);
            } else if (dice < 999) {
                Duration remaining = timers.remaining(key);
                assertThat(remaining == null || !remaining.isNegative()).isTrue();
            } else {
                drained.addAndGet(timers.drain((drainedKey, value) -> ended(value)));
            }
        }

        private void set(int key, int delayMicros) {
            try {
                Integer value = timers.set(key, values.getAndIncrement(), micros(delayMicros));
                set.incrementAndGet();
                replaced.addAndGet(value == null ? 0 : 1);
                ended(value);
            } catch (RejectedExecutionException ex) {
                // Full, or closed.
            }
        }

        private void setIfAbsent(int key, int delayMicros) {
            try {
                boolean isSet = timers.setIfAbsent(key, values.getAndIncrement(), micros(delayMicros));
                set.addAndGet(isSet ? 1 : 0);
            } catch (RejectedExecutionException ex) {
                // Full, or closed.
            }
        }

        private void move(int key, int delayMicros) {
            try {
                boolean ignored = timers.move(key, micros(delayMicros));
            } catch (RejectedExecutionException ex) {
                // Closed.
            }
        }

        private static Duration micros(int micros) {
            return Duration.ofNanos(micros * 1_000L);
        }

        private void check() {
            KeyedTimerCounts counts = timers.counts();
            assertThat(failures).isEmpty();
            assertThat(counts.failures()).isZero();
            assertThat(counts.set()).isEqualTo(set.get());
            assertThat(counts.fired()).isEqualTo(handled.get());
            assertThat(counts.removed()).isEqualTo(removed.get());
            assertThat(counts.replaced()).isEqualTo(replaced.get());
            assertThat(counts.drained()).isEqualTo(drained.get());
            assertThat(counts.set())
                    .isEqualTo(
                            counts.fired() + counts.removed() + counts.replaced() + counts.drained() + counts.closed());
            assertThat(timers.size()).isZero();
            awaitThat(() -> executor.pendingCount() == 0);
        }
    }
}
