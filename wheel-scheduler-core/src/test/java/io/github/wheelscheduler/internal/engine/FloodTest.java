package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.internal.engine.ThreadlessWheel.TICK_NANOS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.CallerStripe;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Callers schedule more than the tick thread can hand over, or the workers can run: then their messages wait, and the
 * backlog of due timers, in which a heartbeat has its turn, stays short.
 */
class FloodTest {

    /** Fewer calls in total than those from which on callers are delayed. */
    private static final int ROUNDS = 60;

    /** The number of timers that are scheduled in a round, as many ticks ahead as a round takes. */
    private static final int CALLS = 2_048;

    private static final long ROUND_TICKS = 100;

    private final AtomicInteger ran = new AtomicInteger();

    /** When the latest beat came. */
    private long latestTick;

    private long longestGapTicks;

    /** The largest number of timers in the wheel. */
    private long largestBacklog;

    @Test
    void passesThatCannotKeepUpDelayMessages() throws InterruptedException {
        try (ThreadlessWheel wheel = new ThreadlessWheel()) {
            flood(wheel, 1, Integer.MAX_VALUE);
            assertThat(longestGapTicks).isLessThanOrEqualTo(10 * ROUND_TICKS);
            assertThat(largestBacklog).isLessThanOrEqualTo(10 * CALLS);
        }
    }

    @Test
    void shortRunsThatCannotKeepUpDelayMessages() throws InterruptedException {
        try (ThreadlessWheel wheel = new ThreadlessWheel()) {
            flood(wheel, 1_000, CALLS / 2);
            assertThat(longestGapTicks).isLessThanOrEqualTo(10 * ROUND_TICKS);
            assertThat(largestBacklog).isLessThanOrEqualTo(10 * CALLS);
        }
    }

    @Test
    void longRunsThatCannotKeepUpDelayNoMessage() throws InterruptedException {
        try (ThreadlessWheel wheel = new ThreadlessWheel()) {
            for (int round = 0; round < ROUNDS; round++) {
                call(wheel, CALLS / 4);
                wheel.advanceWithPasses(50 * ROUND_TICKS, 1);
                wheel.run(1);
            }
            assertThat(wheel.isAnyMessageLeft()).isFalse();
        }
    }

    /** Plays rounds beside a heartbeat of a beat a round, until all timers have run. */
    private void flood(ThreadlessWheel wheel, int passesOfARound, int runsOfARound) throws InterruptedException {
        latestTick = wheel.nowTick();
        Runnable beat = () -> {
            longestGapTicks = Math.max(longestGapTicks, wheel.nowTick() - latestTick);
            latestTick = wheel.nowTick();
        };
        long periodNanos = ROUND_TICKS * TICK_NANOS;
        WheelTimer<?> heart = wheel.executor().scheduleAtFixedRate(beat, periodNanos, periodNanos, NANOSECONDS);
        for (int round = 0; round < ROUNDS; round++) {
            call(wheel, CALLS);
            wheel.advanceWithPasses(ROUND_TICKS, passesOfARound);
            wheel.run(runsOfARound);
            largestBacklog = Math.max(largestBacklog, wheel.wheelSize());
        }
        beat.run();
        assertThat(heart.cancel(false)).isTrue();
        while (ran.get() < ROUNDS * CALLS) {
            wheel.advance(ROUND_TICKS);
            wheel.run(CALLS);
        }
    }

    /** Schedules by a thread that shares no stripe of the inbox with the worker, which is the calling thread. */
    private void call(ThreadlessWheel wheel, int calls) throws InterruptedException {
        Thread caller;
        do {
            caller = new Thread(() -> {
                for (int i = 0; i < calls; i++) {
                    WheelTimer<?> ignored = wheel.schedule(ran::incrementAndGet, ROUND_TICKS);
                }
            });
        } while ((caller.getId() - Thread.currentThread().getId()) % CallerStripe.COUNT == 0);
        caller.start();
        caller.join();
    }
}
