package io.github.wheelscheduler.idle;

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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads touch, pause, resume and close timeouts at about the time when they expire. */
class IdleTimeoutsStressTest {

    private static final int TIMEOUTS = 50;
    private static final long IDLE_NANOS = 200_000;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void timelyTouchGivesAFullPeriodAndALateOneNothing(WorkerKind kind) {
        Seed.play(random -> {
            for (int round = 0; round < Scale.of(40, 3_000); round++) {
                new Round(kind, random.split()).play();
            }
        });
    }

    private final class Round {

        private final WheelScheduledExecutor executor;
        private final SplittableRandom random;
        private final IdleTimeouts<Touched> timeouts;
        private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        private final AtomicLong closed = new AtomicLong();

        Round(WorkerKind kind, SplittableRandom random) {
            this.executor =
                    stops.use(kind.applyTo(WheelScheduledExecutor.builder()).build());
            this.random = random;
            this.timeouts = IdleTimeouts.<Touched>builder(
                            executor, touched -> touched.expired(executor.nanoTime(), failures))
                    .build();
        }

        void play() throws InterruptedException {
            List<Thread> callers = new ArrayList<>();
            List<Touched> all = new ArrayList<>();
            for (int i = 0; i < TIMEOUTS; i++) {
                Touched touched = new Touched();
                touched.lastNanos.set(executor.nanoTime());
                touched.timeout = timeouts.register(touched, Duration.ofNanos(IDLE_NANOS));
                all.add(touched);
            }
            for (int i = 0; i < 3; i++) {
                SplittableRandom own = random.split();
                callers.add(new Thread(() -> call(own, all)));
            }
            callers.forEach(Thread::start);
            for (Thread caller : callers) {
                caller.join();
            }
            // A pause may have been the last of all.
            all.forEach(touched -> touched.timeout.resume());
            awaitThat(() -> timeouts.size() == 0);
            assertThat(failures).isEmpty();
            assertThat(all).noneMatch(touched -> touched.timeout.touch());
            assertThat(timeouts.counts())
                    .isEqualTo(new IdleTimeoutCounts(TIMEOUTS, TIMEOUTS - closed.get(), closed.get(), 0, 0));
            awaitThat(() -> executor.pendingCount() == 0);
            assertThat(all).allMatch(touched -> touched.expiries.get() <= 1);
            executor.shutdown();
        }

        private void call(SplittableRandom own, List<Touched> all) {
            try {
                for (int i = 0; i < 3_000; i++) {
                    operate(own.nextInt(100), all.get(own.nextInt(TIMEOUTS)));
                }
            } catch (Throwable ex) {
                failures.add(ex);
            }
        }

        private void operate(int dice, Touched touched) {
            if (dice < 80) {
                touched.touch(executor);
            } else if (dice < 85) {
                boolean ignored = touched.timeout.pause();
            } else if (dice < 99) {
                touched.resume(executor);
            } else {
                closed.addAndGet(touched.timeout.close() ? 1 : 0);
            }
        }
    }

    /** A key, its timeout, and when it was last known to be touched in time. */
    private static final class Touched {

        private final AtomicLong lastNanos = new AtomicLong();
        private final AtomicInteger expiries = new AtomicInteger();
        private volatile IdleTimeout timeout;

        void touch(WheelScheduledExecutor executor) {
            long beforeNanos = executor.nanoTime();
            if (timeout.touch()) {
                touchedAt(beforeNanos);
            }
        }

        void resume(WheelScheduledExecutor executor) {
            long beforeNanos = executor.nanoTime();
            if (timeout.resume()) {
                touchedAt(beforeNanos);
            }
        }

        private void touchedAt(long nanos) {
            lastNanos.accumulateAndGet(nanos, (one, other) -> other - one > 0 ? other : one);
        }

        void expired(long nowNanos, Queue<Throwable> failures) {
            expiries.incrementAndGet();
            if (nowNanos - lastNanos.get() < IDLE_NANOS) {
                failures.add(new AssertionError("must have a full period, had " + (nowNanos - lastNanos.get())));
            }
        }
    }
}
