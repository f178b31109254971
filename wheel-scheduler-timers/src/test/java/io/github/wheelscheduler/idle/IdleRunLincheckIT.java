package io.github.wheelscheduler.idle;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.timers.TimerSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All interleavings of what can be done with a timeout, on the production classes, while time goes on. */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class IdleRunLincheckIT {

    @Test
    void verbsUnderTheModelChecker() {
        new ModelCheckingOptions()
                .iterations(Scale.of(6, 200))
                .invocationsPerIteration(Scale.of(200, 10_000))
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(2)
                .check(Verbs.class);
    }

    @Test
    void verbsUnderStress() {
        new StressOptions()
                .iterations(Scale.of(5, 200))
                .invocationsPerIteration(Scale.of(500, 10_000))
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(2)
                .check(Verbs.class);
    }

    /** Time goes on in steps of a quarter of the idle period. */
    @Param(name = "steps", gen = IntGen.class, conf = "1:5")
    public static class Verbs {

        private static final long IDLE_NANOS = 4_000;
        private static final long STEP_NANOS = IDLE_NANOS / 4;

        private final AtomicLong clock = new AtomicLong();
        private final AtomicInteger handled = new AtomicInteger();
        private final IdleTimeouts<String> timeouts = new IdleTimeouts<>(
                "test", new Source(), Long.MAX_VALUE, Long.MAX_VALUE, key -> handled.incrementAndGet());
        private final IdleRun<String> run = new IdleRun<>(timeouts, new Source(), "key", IDLE_NANOS);

        @Operation
        public boolean touch() {
            return run.touch();
        }

        @Operation
        public boolean pause() {
            return run.pause();
        }

        @Operation
        public boolean resume() {
            return run.resume();
        }

        @Operation
        public boolean close() {
            return run.close();
        }

        @Operation
        public boolean isOpen() {
            return run.isOpen();
        }

        @Operation(nonParallelGroup = "time")
        public void advance(@Param(name = "steps") int steps) {
            clock.addAndGet(steps * STEP_NANOS);
        }

        /** The timer comes up. Answers whether that was the end. */
        @Operation(nonParallelGroup = "time")
        public boolean comeUp() {
            int before = handled.get();
            run.run();
            return handled.get() > before;
        }

        @Validate
        public void accountedOnce() {
            IdleTimeoutCounts counts = timeouts.counts();
            if (counts.expired() != handled.get()
                    || counts.expired() + counts.closed() != (run.isOpen() ? 0 : 1)
                    || run.restNanos() > IDLE_NANOS) {
                throw new AssertionError("must end once: " + counts);
            }
        }

        private final class Source implements TimerSource {
            @Override
            public long nanoTime() {
                return clock.get();
            }

            @Override
            public WheelTimer<?> schedule(Runnable task, long delayNanos) {
                throw new UnsupportedOperationException();
            }

            @Override
            public WheelTimer<?> repeat(Runnable task, long delayNanos) {
                throw new UnsupportedOperationException();
            }
        }
    }
}
