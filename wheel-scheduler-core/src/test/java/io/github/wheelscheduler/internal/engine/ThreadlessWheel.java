package io.github.wheelscheduler.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.worker.HandWorked;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An executor whose threads never begin: a test makes its passes and runs its tasks. */
final class ThreadlessWheel implements AutoCloseable {

    static final long TICK_NANOS = 1_024;

    private static final int MAX_PASSES = 10_000;

    /** As the tick thread, which pauses then. */
    private static final int PASSES_IN_VAIN = 16;

    private final Time time = new Time();
    private final WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
            .timeSource(time)
            .tick(Duration.ofNanos(TICK_NANOS))
            .tickThreadFactory(Still::new)
            .threadFactory(Still::new)
            .build();
    private final Engine engine = EngineOf.executor(executor);
    private final HandWorked workers = new HandWorked(engine.workers);

    WheelScheduledExecutor executor() {
        return executor;
    }

    HandWorked workers() {
        return workers;
    }

    long nowTick() {
        return time.nowNanos / TICK_NANOS;
    }

    WheelTimer<?> schedule(Runnable task, long ticks) {
        return executor.schedule(task, ticks * TICK_NANOS, TimeUnit.NANOSECONDS);
    }

    /** Lets so many ticks pass, and makes so many passes at most. */
    void advanceWithPasses(long ticks, int most) {
        time.nowNanos += ticks * TICK_NANOS;
        makePasses(most);
    }

    /** Lets so many ticks pass at once, and does what is due. */
    void advance(long ticks) {
        time.nowNanos += ticks * TICK_NANOS;
        pass();
    }

    /** Makes passes as long as there is more to do now, or until some in a row do nothing. */
    void pass() {
        makePasses(MAX_PASSES);
    }

    private void makePasses(int most) {
        int inVain = 0;
        for (int left = most; left > 0 && inVain < PASSES_IN_VAIN && passOnce() == 0; left--) {
            assertThat(left > 1 || most < MAX_PASSES)
                    .as("a pause in " + MAX_PASSES + " passes")
                    .isTrue();
            inVain = engine.shared.loop.pass.wasProductive() ? 0 : inVain + 1;
        }
    }

    private long passOnce() {
        engine.shared.loop.dispatchers.beforePass();
        return engine.shared.loop.pass(time.nowNanos);
    }

    /** Returns the number of timers in the wheel, due ones included. */
    long wheelSize() {
        return engine.shared.loop.wheelSize;
    }

    /** Whether messages are left that the next pass of a later time takes. */
    boolean isAnyMessageLeft() {
        return !engine.inbox.isEmpty();
    }

    /** Runs at most so many of the executor's own runs, to their end. */
    void run(int most) {
        for (int left = most; left > 0; left--) {
            Runnable run = workers.take();
            if (run == null) {
                return;
            }
            workers.run(run);
        }
    }

    @Override
    public void close() {
        List<Runnable> ignored = executor.shutdownNow();
        assertThat(executor.isTerminated()).isTrue();
    }

    private static final class Time extends TimeSource {

        private long nowNanos;

        @Override
        public long nanoTime() {
            return nowNanos;
        }
    }

    /** A thread that never begins. */
    private static final class Still extends Thread {

        Still(Runnable code) {
            super(code);
        }

        @Override
        public void start() {}
    }
}
