package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.testing.Scale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A second thread that calls run() while a worker ends a run must not make the next run get lost. */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class TwoRunnersLincheckIT {

    @Test
    void seriesGoesOnWhoeverCallsRun() {
        new ModelCheckingOptions()
                .iterations(Scale.of(8, 20))
                .invocationsPerIteration(Scale.of(1_000, 2_000))
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .check(Moves.class);
    }

    public static class Moves {

        private static final long NOW = 1_000;

        private final PeriodicTimer timer = new PeriodicTimer(new CountingOwner(NOW), () -> {}, NOW, 10);

        /** What tick thread and worker do. */
        @Operation
        public void claimAndRun() {
            if (timer.claim(NOW)) {
                timer.run();
            }
        }

        /** What anybody may do who holds the future. */
        @Operation
        public void runAgain() {
            timer.run();
        }

        /** Begins to wait, and gives up. */
        @Operation
        public void waitForNoTime() throws InterruptedException, ExecutionException {
            try {
                Object ignored = timer.get(0, TimeUnit.NANOSECONDS);
            } catch (TimeoutException ex) {
                // A series has no result.
            }
        }

        @Validate
        public void noTimerIsLeftReady() {
            if (timer.isOnItsThread() || timer.isStillInRun()) {
                throw new AssertionError("the claim of a run outlived it");
            }
            if (timer.state() == TimerWord.READY) {
                throw new AssertionError("handed over, run() was called and has returned, and nobody ran it");
            }
        }
    }
}
