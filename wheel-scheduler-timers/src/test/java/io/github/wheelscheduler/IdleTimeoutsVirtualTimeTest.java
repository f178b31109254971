package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.idle.IdleTimeout;
import io.github.wheelscheduler.idle.IdleTimeoutCounts;
import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.internal.engine.VirtualTime;
import io.github.wheelscheduler.testing.Clocks;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Idle timeouts in virtual time. */
class IdleTimeoutsVirtualTimeTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Queue<String> handled = new ConcurrentLinkedQueue<>();
    private VirtualTime time = new VirtualTime();

    @AfterEach
    void stop() {
        time.close();
    }

    private IdleTimeouts<String> timeouts(Consumer<String> handler) {
        return IdleTimeouts.<String>builder(time.executor, handler).build();
    }

    private IdleTimeouts<String> timeouts() {
        return timeouts(this::note);
    }

    private void note(String key) {
        handled.add(time.millis() + " " + key);
    }

    @Test
    void keyThatIsNotTouchedExpiresOnce() {
        IdleTimeouts<String> timeouts = timeouts();
        IdleTimeout timeout = timeouts.register("a", SECOND);
        time.pass(Duration.ofMillis(999));
        assertThat(handled).isEmpty();
        assertThat(timeout.isOpen()).isTrue();
        time.pass(Duration.ofDays(1));
        assertThat(handled).containsExactly("1000 a");
        assertThat(timeout.isOpen()).isFalse();
        assertThat(timeout.touch()).isFalse();
        assertThat(timeout.pause()).isFalse();
        assertThat(timeout.resume()).isFalse();
        assertThat(timeout.close()).isFalse();
        assertThat(timeouts.counts()).isEqualTo(new IdleTimeoutCounts(1, 1, 0, 0, 0));
        assertThat(time.executor.pendingCount()).isZero();
    }

    @Test
    void textSaysDurationsInWords() {
        IdleTimeout timeout = timeouts().register("a", Duration.ofMinutes(90));
        assertThat(timeout.toString()).endsWith(", after 1 h 30 min, active]");
    }

    @Test
    void sleepingAgainAndLatenessAreCounted() {
        IdleTimeouts<String> timeouts = timeouts();
        IdleTimeout timeout = timeouts.register("a", SECOND);
        time.pass(Duration.ofMillis(600));
        assertThat(timeout.touch()).isTrue();
        assertThat(timeouts.moves()).isZero();
        time.pass(Duration.ofMillis(500));
        assertThat(timeouts.moves()).isOne();
        time.pass(SECOND);
        assertThat(timeouts.counts().expired()).isOne();
        assertThat(timeouts.moves()).isOne();
        time.executor.pause();
        IdleTimeout unmeasured = timeouts.register("b", SECOND);
        time.pass(Duration.ofSeconds(3));
        time.executor.resume();
        time.pass(Duration.ofMillis(1));
        assertThat(unmeasured.isOpen()).isFalse();
        assertThat(timeouts.lateness()).isZero();
        timeouts.measureLateness();
        time.executor.pause();
        IdleTimeout measured = timeouts.register("c", SECOND);
        time.pass(Duration.ofSeconds(3));
        time.executor.resume();
        time.pass(Duration.ofMillis(1));
        assertThat(measured.isOpen()).isFalse();
        assertThat(timeouts.lateness()).isBetween(Duration.ofMillis(1_999), Duration.ofMillis(2_010));
    }

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.testing.Clocks#awkwardOrigins")
    void touchBeginsAFullPeriodWhereverTheClockIs(long origin) {
        time.close();
        time = new VirtualTime(origin, builder -> builder);
        IdleTimeout timeout = timeouts().register("a", SECOND);
        for (int i = 0; i < 5; i++) {
            time.pass(Duration.ofMillis(700));
            assertThat(timeout.touch()).isTrue();
        }
        time.pass(Duration.ofMillis(999));
        assertThat(handled).isEmpty();
        time.pass(Duration.ofMillis(2));
        assertThat(handled).containsExactly("4500 a");
    }

    @Test
    void touchCostsOneRunPerPeriod() {
        IdleTimeout timeout = timeouts().register("a", SECOND);
        time.awaitQuiet();
        long posted = time.executor.snapshot().totals().scheduled();
        for (int i = 0; i < 10_000; i++) {
            time.clock.advance(Duration.ofMillis(1));
            assertThat(timeout.touch()).isTrue();
        }
        time.awaitQuiet();
        WheelSnapshot.Totals totals = time.executor.snapshot().totals();
        assertThat(totals.fired()).isBetween(1L, 11L);
        assertThat(totals.scheduled() - posted).isEqualTo(totals.fired());
        assertThat(handled).isEmpty();
    }

    @Test
    void pausedTimeoutHasAFullPeriodAfterwards() {
        IdleTimeout timeout = timeouts().register("a", SECOND);
        time.pass(Duration.ofMillis(900));
        assertThat(timeout.pause()).isTrue();
        assertThat(timeout.pause()).isFalse();
        time.pass(Duration.ofHours(1));
        assertThat(timeout.touch()).isTrue();
        assertThat(handled).isEmpty();
        assertThat(timeout.resume()).isTrue();
        assertThat(timeout.resume()).isFalse();
        time.pass(Duration.ofMillis(999));
        assertThat(handled).isEmpty();
        time.pass(Duration.ofMillis(2));
        assertThat(handled).containsExactly("3601900 a");
    }

    @Test
    void closedTimeoutDoesNotExpire() {
        IdleTimeouts<String> timeouts = timeouts();
        IdleTimeout timeout = timeouts.register("a", SECOND);
        IdleTimeout paused = timeouts.register("b", SECOND);
        assertThat(paused.pause()).isTrue();
        assertThat(timeout.close()).isTrue();
        assertThat(timeout.close()).isFalse();
        assertThat(timeout.touch()).isFalse();
        assertThat(paused.close()).isTrue();
        time.pass(Duration.ofSeconds(5));
        assertThat(handled).isEmpty();
        assertThat(timeouts.counts()).isEqualTo(new IdleTimeoutCounts(2, 0, 2, 0, 0));
        assertThat(time.executor.pendingCount()).isZero();
    }

    @Test
    void longestPeriodIsFarAway() {
        IdleTimeout timeout = timeouts().register("a", Duration.ofSeconds(Long.MAX_VALUE));
        time.pass(Duration.ofDays(10_000));
        assertThat(timeout.touch()).isTrue();
        assertThat(handled).isEmpty();
    }

    @Test
    void wrongArgumentsAreNamed() {
        IdleTimeouts<String> timeouts = timeouts();
        assertThatThrownBy(() -> timeouts.register(null, SECOND)).hasMessage("key must not be null");
        assertThatThrownBy(() -> timeouts.register("a", null)).hasMessage("idle must not be null");
        assertThatThrownBy(() -> timeouts.register("a", Duration.ZERO)).hasMessage("idle must be positive, was PT0S");
        assertThatThrownBy(() -> timeouts.register("a", SECOND.negated()))
                .hasMessage("idle must be positive, was PT-1S");
        assertThatThrownBy(() -> IdleTimeouts.builder(null, key -> {})).hasMessage("executor must not be null");
        assertThatThrownBy(() -> IdleTimeouts.builder(time.executor, null)).hasMessage("handler must not be null");
        assertThatThrownBy(() -> IdleTimeouts.builder(time.executor, key -> {}).maxSize(0))
                .hasMessage("maxSize must be at least 1, was 0");
        assertThat(timeouts.size()).isZero();
    }

    @Test
    void failingHandlerHarmsNoOtherAndLogsNoSecrets() {
        try (LogCapture log = LogCapture.of("io.github.wheelscheduler")) {
            IllegalStateException failure = new IllegalStateException("refused");
            IdleTimeouts<String> timeouts = timeouts(key -> {
                note(key);
                throw failure;
            });
            List<IdleTimeout> both = List.of(timeouts.register("secret", SECOND), timeouts.register("b", SECOND));
            time.pass(Duration.ofSeconds(2));
            assertThat(handled).hasSize(2);
            assertThat(timeouts.counts().failures()).isEqualTo(2);
            assertThat(log.hasError(failure)).isTrue();
            assertThat(log.messages()).hasSize(1).noneMatch(message -> message.contains("secret"));
            assertThat(both + timeouts.toString()).doesNotContain("secret").contains("expired");
        }
    }

    @Test
    void moreThanTheBoundAreRejectedWithTheNumbers() {
        IdleTimeouts<String> timeouts = IdleTimeouts.<String>builder(time.executor, this::note)
                .maxSize(1)
                .build();
        IdleTimeout first = timeouts.register("a", SECOND);
        assertThatThrownBy(() -> timeouts.register("b", SECOND))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("Rejected, because max-size is 1, and 1 timeouts are pending");
        assertThat(first.close()).isTrue();
        assertThat(timeouts.register("b", SECOND).isOpen()).isTrue();
        assertThat(timeouts.counts()).isEqualTo(new IdleTimeoutCounts(2, 0, 1, 1, 0));
    }

    @Test
    void rejectedTimeoutLeavesNothingBehind() {
        time.close();
        time = new VirtualTime(builder -> builder.maxPending(1).rejectionHandler((timer, reason) -> {}));
        IdleTimeouts<String> timeouts = timeouts();
        IdleTimeout first = timeouts.register("a", SECOND);
        assertThatThrownBy(() -> timeouts.register("secret", SECOND))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("max-pending is 1")
                .hasMessageNotContaining("secret");
        assertThat(timeouts.size()).isEqualTo(1);
        // It keeps its place among the pending timers while it comes up again and again.
        time.pass(Duration.ofMillis(500));
        assertThat(first.touch()).isTrue();
        time.pass(Duration.ofSeconds(2));
        assertThat(handled).containsExactly("1500 a");
        assertThat(timeouts.register("b", SECOND).isOpen()).isTrue();
    }

    @Test
    void executorThatHasBeenShutDownLetsNothingExpire() {
        IdleTimeouts<String> timeouts = timeouts();
        IdleTimeout timeout = timeouts.register("a", SECOND);
        time.executor.shutdown();
        assertThatThrownBy(() -> timeouts.register("b", SECOND)).isInstanceOf(RejectedExecutionException.class);
        awaitThat(time.executor::isTerminated);
        time.clock.advance(Duration.ofSeconds(5));
        assertThat(timeout.touch()).isTrue();
        timeouts.close();
        assertThat(timeout.touch()).isFalse();
        assertThat(timeouts.counts()).isEqualTo(new IdleTimeoutCounts(1, 0, 1, 1, 0));
    }

    @Test
    void closeAwaitsHandlersButNotItsCaller() throws Exception {
        Gate gate = new Gate();
        AtomicReference<IdleTimeouts<String>> self = new AtomicReference<>();
        IdleTimeouts<String> timeouts = timeouts(key -> {
            if (key.equals("closes")) {
                self.get().close();
            } else {
                gate.run();
            }
            note(key);
        });
        self.set(timeouts);
        IdleTimeout held = timeouts.register("held", SECOND);
        IdleTimeout closes = timeouts.register("closes", Duration.ofSeconds(2));
        IdleTimeout open = timeouts.register("open", Duration.ofSeconds(9));
        time.clock.advance(Duration.ofMillis(1_001));
        gate.awaitArrivals(1);
        time.clock.advance(Duration.ofSeconds(1));
        awaitThat(() -> handled.contains("2001 closes"));
        assertThat(open.touch() || held.isOpen() || closes.isOpen()).isFalse();
        Thread closer = new Thread(timeouts::close);
        closer.start();
        awaitThat(() -> closer.getState() == Thread.State.TIMED_WAITING);
        gate.open();
        closer.join(30_000);
        assertThat(handled).hasSize(2);
        assertThatThrownBy(() -> timeouts.register("late", SECOND))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("Rejected, because the idle timeouts have been closed");
        assertThat(timeouts.counts()).isEqualTo(new IdleTimeoutCounts(3, 2, 1, 1, 0));
    }

    @Test
    void handlerMayRegisterItsKeyAgain() {
        AtomicReference<IdleTimeouts<String>> self = new AtomicReference<>();
        AtomicInteger runs = new AtomicInteger();
        IdleTimeouts<String> timeouts = timeouts(key -> {
            note(key);
            if (runs.incrementAndGet() < 3) {
                assertThat(self.get().register(key, SECOND).isOpen()).isTrue();
            }
        });
        self.set(timeouts);
        assertThat(timeouts.register("a", SECOND).isOpen()).isTrue();
        time.pass(Duration.ofSeconds(10));
        assertThat(handled).containsExactly("1000 a", "2000 a", "3000 a");
    }

    @Test
    void randomOperationsEndAsInAListWithDeadlines() {
        Seed.play(random -> {
            for (int game = 0; game < Scale.of(10, 400); game++) {
                new Game(random.split()).play(20_000);
            }
        });
    }

    /** One set of timeouts and what is to become of them, in quarters of a millisecond since the start. */
    private static final class Game {

        private static final long QUARTER_NANOS = 250_000;
        private static final int MOST = 200;

        /** A timeout as the model knows it. */
        private static final class Expected {
            final IdleTimeout timeout;
            final long idle;
            long last;
            boolean isPaused;
            boolean isOver;

            Expected(IdleTimeout timeout, long idle, long last) {
                this.timeout = timeout;
                this.idle = idle;
                this.last = last;
            }
        }

        private final SplittableRandom random;
        private final VirtualTime time;
        private final IdleTimeouts<Integer> timeouts;
        private final List<Expected> all = new ArrayList<>();
        private final Queue<Integer> handled = new ConcurrentLinkedQueue<>();
        private long now;
        private long expired;
        private long closed;

        Game(SplittableRandom random) {
            this.random = random;
            long[] origins = Clocks.awkwardOrigins();
            this.time = new VirtualTime(origins[random.nextInt(origins.length)], builder -> builder);
            this.timeouts =
                    IdleTimeouts.<Integer>builder(time.executor, handled::add).build();
        }

        void play(int operations) {
            try (time) {
                for (int i = 0; i < operations; i++) {
                    step();
                }
                advance(4_000);
                check();
            }
        }

        private void step() {
            int dice = random.nextInt(1_000);
            if (all.isEmpty() || (dice < 50 && timeouts.size() < MOST)) {
                // Half a period is between two moments at which time stands still.
                long idle = random.nextInt(1, 60) * 4L - 2;
                IdleTimeout timeout = timeouts.register(all.size(), Duration.ofNanos(idle * QUARTER_NANOS));
                all.add(new Expected(timeout, idle, now));
            } else if (dice < 985) {
                act(all.get(Math.max(0, all.size() - 1 - random.nextInt(MOST))), dice % 10);
            } else {
                advance(random.nextInt(1, 30) * 4L);
            }
        }

        private void act(Expected expected, int dice) {
            boolean isOpen = !expected.isOver;
            if (dice < 5) {
                assertThat(expected.timeout.touch()).isEqualTo(isOpen);
                expected.last = now;
            } else if (dice < 7) {
                assertThat(expected.timeout.pause()).isEqualTo(isOpen && !expected.isPaused);
                expected.isPaused = true;
            } else if (dice < 9) {
                assertThat(expected.timeout.resume()).isEqualTo(isOpen && expected.isPaused);
                if (expected.isPaused) {
                    expected.last = now;
                }
                expected.isPaused = false;
            } else if (random.nextInt(10) == 0) {
                assertThat(expected.timeout.close()).isEqualTo(isOpen);
                closed += isOpen ? 1 : 0;
                expected.isOver = true;
            }
        }

        private void advance(long quarters) {
            now += quarters;
            time.jump(Duration.ofNanos(quarters * QUARTER_NANOS));
            for (Integer key = handled.poll(); key != null; key = handled.poll()) {
                Expected expected = all.get(key);
                assertThat(!expected.isOver && isDue(expected))
                        .as("%s at %s", key, now)
                        .isTrue();
                expected.isOver = true;
                expired++;
            }
            assertThat(all).noneMatch(expected -> !expected.isOver && isDue(expected));
        }

        private boolean isDue(Expected expected) {
            return !expected.isPaused && expected.last + expected.idle <= now;
        }

        private void check() {
            timeouts.close();
            long open = all.size() - expired - closed;
            assertThat(timeouts.counts()).isEqualTo(new IdleTimeoutCounts(all.size(), expired, closed + open, 0, 0));
            assertThat(time.executor.pendingCount()).isZero();
        }
    }
}
