package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.internal.worker.ElasticPool.ThreadPolicy;
import io.github.wheelscheduler.testing.Scale;
import java.util.concurrent.TimeUnit;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * However callers and the tick thread meet where the first worker cannot be started, no run that was accepted is left
 * to itself.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class FirstWorkerLincheckIT {

    @Test
    void runThatWaitsIsKnownToTheStarter() {
        new ModelCheckingOptions()
                .iterations(Scale.of(8, 20))
                .invocationsPerIteration(Scale.of(1_000, 2_000))
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .check(Steps.class);
    }

    public static class Steps {

        private final OutOfMemoryError noThread = new OutOfMemoryError("on purpose");
        private final Starter starter = new Starter(() -> {}, () -> {});
        private final ElasticPool pool = new ElasticPool(
                ThreadPolicy.KEEP_SOME, this::make, starter, 1, 1, () -> 0, new RecordingListener(), null);

        private Thread make(Runnable task) {
            throw noThread;
        }

        /** What a caller of execute does; one that comes while another one starts the first worker relies on that. */
        @Operation
        public void execute() {
            try {
                pool.startIfShort(true);
            } catch (OutOfMemoryError ex) {
                return;
            }
            boolean ignored = pool.handOverNow(() -> {}, 0);
            pool.signal();
        }

        @Operation(nonParallelGroup = "tick thread")
        public void handOver() {
            pool.handOver(() -> {}, 0);
            pool.signalHandOver(false);
        }

        @Validate
        public void noRunIsLeftToItself() {
            if (!pool.isReadyEmpty() && !starter.isThreadLacking()) {
                throw new AssertionError("a run waits, no worker is there, and the starter knows of nothing");
            }
        }
    }
}
