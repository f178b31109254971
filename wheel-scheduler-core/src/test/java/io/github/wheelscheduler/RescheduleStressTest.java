package io.github.wheelscheduler;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A reschedule that says yes is kept, one that says no has changed nothing, just when the timer becomes due. */
class RescheduleStressTest {

    private static final int TIMERS = 20;
    private static final long LATER_MILLIS = 5;

    @Test
    void laterIsHonouredExactlyIfTheAnswerIsYes() {
        Seed.play(random -> {
            try (WheelScheduledExecutor executor =
                    WheelScheduledExecutor.builder().build()) {
                int honoured = 0;
                for (int round = 0; round < Scale.of(150, 10_000); round++) {
                    List<Moved> all = new ArrayList<>();
                    for (int i = 0; i < TIMERS; i++) {
                        all.add(new Moved(executor, random.nextInt(300)));
                    }
                    if (random.nextBoolean()) {
                        // Without a pause, a tick thread that is slow to wake up leaves them all armed.
                        LockSupport.parkNanos(MICROSECONDS.toNanos(random.nextInt(300)));
                    }
                    for (Moved moved : all) {
                        moved.moveLater();
                    }
                    for (Moved moved : all) {
                        honoured += moved.check() ? 1 : 0;
                    }
                }
                assertThat(honoured).as("both answers were given").isBetween(1, Scale.of(150, 10_000) * TIMERS - 1);
            }
        });
    }

    @Test
    void earlierIsHonouredWhateverTheTickThreadIsDoing() {
        Seed.play(random -> {
            try (WheelScheduledExecutor executor =
                    WheelScheduledExecutor.builder().build()) {
                for (int round = 0; round < Scale.of(3_000, 300_000); round++) {
                    WheelTimer<?> timer = executor.schedule(() -> {}, 1, HOURS);
                    if (random.nextBoolean()) {
                        // Sometimes there is traffic, so that the tick thread is about to park.
                        WheelTimer<?> unused = executor.schedule(() -> {}, random.nextInt(30), MICROSECONDS);
                    }
                    assertThat(timer.reschedule(random.nextInt(50), MICROSECONDS))
                            .isTrue();
                    assertThat(timer.get(20, TimeUnit.SECONDS)).isNull();
                }
            }
        });
    }

    /** A timer that is moved at about the time when it is due. */
    private static final class Moved {

        private final AtomicInteger runs = new AtomicInteger();
        private final WheelTimer<?> timer;
        private volatile long ranNanos;
        private long movedNanos;
        private boolean honoured;

        Moved(WheelScheduledExecutor executor, long delayMicros) {
            timer = executor.schedule(
                    () -> {
                        ranNanos = System.nanoTime();
                        runs.incrementAndGet();
                    },
                    delayMicros,
                    MICROSECONDS);
        }

        void moveLater() {
            movedNanos = System.nanoTime();
            honoured = timer.reschedule(LATER_MILLIS, MILLISECONDS);
        }

        boolean check() throws Exception {
            assertThat(timer.get(20, TimeUnit.SECONDS)).isNull();
            assertThat(runs).hasValue(1);
            if (honoured) {
                assertThat(ranNanos - movedNanos).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(LATER_MILLIS));
            }
            return honoured;
        }
    }
}
