package io.github.wheelscheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.internal.engine.VirtualTime;
import io.github.wheelscheduler.keyed.DueEntry;
import io.github.wheelscheduler.keyed.KeyedTimerCounts;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.testing.Clocks;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random operations on keyed timers, on a whole executor in virtual time, and on a map with deadlines end in the same.
 */
class KeyedTimersModelTest {

    private static final int OPERATIONS_PER_GAME = 50_000;

    @Test
    void manyRandomOperationsEndAsInAMapWithDeadlines() {
        Seed.play(random -> {
            for (int game = 0; game < Scale.of(8, 20, 500); game++) {
                new Game(random.split()).play(OPERATIONS_PER_GAME);
            }
        });
    }

    /** A key as the model knows it. Deadlines are in quarters of a millisecond since the start. */
    private record Pending(long value, long deadline) {}

    /** A call of the handler, and when it was. */
    private record Handled(int key, long value, long at) {}

    /** One map of timers from its start until it is closed. */
    private static final class Game {

        private static final int KEYS = 300;
        private static final long QUARTER_NANOS = 250_000;

        private final SplittableRandom random;
        private final VirtualTime time;
        private final KeyedTimers<Integer, Long> timers;
        private final long maxSize;
        private final Map<Integer, Pending> model = new HashMap<>();
        private final Queue<Handled> handled = new ConcurrentLinkedQueue<>();

        /** In quarters of a millisecond: what is due at a whole one comes in the middle between two of these. */
        private long now = 2;

        private long values;
        private long set;
        private long fired;
        private long removed;
        private long replaced;
        private long drained;
        private long rejected;

        Game(SplittableRandom random) {
            this.random = random;
            long[] origins = Clocks.awkwardOrigins();
            this.time = new VirtualTime(origins[random.nextInt(origins.length)], builder -> builder);
            this.maxSize = random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(1, KEYS);
            boolean isBatch = random.nextBoolean();
            int maxBatch = random.nextInt(1, 40);
            this.timers = (isBatch
                            ? KeyedTimers.<Integer, Long>batchBuilder(
                                    time.executor, maxBatch, batch -> batch.forEach(this::handle))
                            : KeyedTimers.<Integer, Long>builder(time.executor, this::handle))
                    .maxSize(maxSize)
                    .build();
        }

        private void handle(DueEntry<Integer, Long> entry) {
            handle(entry.key(), entry.value());
        }

        private void handle(int key, long value) {
            handled.add(new Handled(key, value, now));
        }

        void play(int operations) {
            try (time) {
                time.executor.execute(() -> {});
                time.jump(Duration.ofNanos(now * QUARTER_NANOS));
                for (int i = 0; i < operations; i++) {
                    step();
                }
                finish();
            }
        }

        private void step() {
            int key = random.nextInt(KEYS);
            int dice = random.nextInt(1_000);
            if (dice < 400) {
                set(key, nextDelay());
            } else if (dice < 500) {
                setIfAbsent(key, nextDelay());
            } else if (dice < 680) {
                // An entry that is moved to now goes by way of the wheel, and comes with the next tick.
                move(key, nextLaterDelay());
            } else if (dice < 860) {
                remove(key);
            } else if (dice < 991) {
                look(key);
            } else if (dice < 999) {
                advance(random.nextInt(1, 80) * 4L);
            } else {
                drain();
            }
        }

        /** So that it comes due in the middle between two moments at which time stands still; now and then at once. */
        private long nextDelay() {
            return random.nextInt(200) == 0 ? 0 : nextLaterDelay();
        }

        private long nextLaterDelay() {
            return random.nextInt(1, 1 + random.nextInt(1, 60)) * 4L - 2;
        }

        private static Duration durationOf(long quarters) {
            return Duration.ofNanos(quarters * QUARTER_NANOS);
        }

        private void set(int key, long delay) {
            long value = values++;
            Pending before = model.get(key);
            if (before == null && model.size() >= maxSize) {
                expectRejection(() -> timers.set(key, value, durationOf(delay)));
                return;
            }
            @Nullable Long answer = timers.set(key, value, durationOf(delay));
            assertThat(answer).isEqualTo(before == null ? null : before.value());
            set++;
            replaced += before == null ? 0 : 1;
            model.put(key, new Pending(value, now + delay));
            settle(delay);
        }

        private void setIfAbsent(int key, long delay) {
            long value = values++;
            boolean isAbsent = !model.containsKey(key);
            if (isAbsent && model.size() >= maxSize) {
                expectRejection(() -> timers.setIfAbsent(key, value, durationOf(delay)));
                return;
            }
            assertThat(timers.setIfAbsent(key, value, durationOf(delay))).isEqualTo(isAbsent);
            if (isAbsent) {
                set++;
                model.put(key, new Pending(value, now + delay));
                settle(delay);
            }
        }

        private void expectRejection(Runnable operation) {
            try {
                operation.run();
            } catch (RejectedExecutionException ex) {
                rejected++;
                return;
            }
            throw new AssertionError("must be rejected with " + model.size() + " of " + maxSize);
        }

        private void move(int key, long delay) {
            Pending before = model.get(key);
            assertThat(timers.move(key, durationOf(delay))).isEqualTo(before != null);
            if (before != null) {
                model.put(key, new Pending(before.value(), now + delay));
            }
        }

        private void remove(int key) {
            Pending before = model.remove(key);
            assertThat(timers.remove(key)).isEqualTo(before == null ? null : before.value());
            removed += before == null ? 0 : 1;
        }

        private void look(int key) {
            Pending pending = model.get(key);
            assertThat(timers.isPending(key)).isEqualTo(pending != null);
            Duration remaining = timers.remaining(key);
            if (pending == null) {
                assertThat(remaining).isNull();
            } else {
                Duration expected = durationOf(pending.deadline() - now);
                assertThat(remaining).isBetween(expected, expected.plusNanos(8));
            }
            assertThat(timers.size()).isEqualTo(model.size());
        }

        private void drain() {
            Map<Integer, Long> taken = new HashMap<>();
            long answer = timers.drain(
                    (key, value) -> assertThat(taken.put(key, value)).isNull());
            assertThat(answer).isEqualTo(model.size());
            model.forEach((key, pending) -> assertThat(taken).containsEntry(key, pending.value()));
            drained += answer;
            model.clear();
        }

        /** An entry that is due at once comes at once, on another thread. */
        private void settle(long delay) {
            if (delay == 0) {
                time.awaitQuiet();
                compareHandled();
            }
        }

        private void advance(long quarters) {
            now += quarters;
            time.jump(durationOf(quarters));
            compareHandled();
        }

        private void compareHandled() {
            Map<Integer, Pending> due = new HashMap<>();
            model.forEach((key, pending) -> {
                if (pending.deadline() <= now) {
                    due.put(key, pending);
                }
            });
            for (Handled call = handled.poll(); call != null; call = handled.poll()) {
                Pending expected = due.remove(call.key());
                assertThat(expected).as("%s at %s", call, now).isNotNull();
                assertThat(call.value()).isEqualTo(expected.value());
                assertThat(call.at()).isGreaterThanOrEqualTo(expected.deadline());
                model.remove(call.key());
                fired++;
            }
            assertThat(due).as("must be handled at %s", now).isEmpty();
        }

        private void finish() {
            advance(4_000);
            assertThat(model).isEmpty();
            set(1, 400);
            timers.close();
            KeyedTimerCounts counts = timers.counts();
            assertThat(counts)
                    .isEqualTo(new KeyedTimerCounts(set, fired, removed, replaced, drained, 1, 0, rejected, 0));
            assertThat(counts.pending()).isZero();
            assertThat(time.executor.pendingCount()).isZero();
        }
    }
}
