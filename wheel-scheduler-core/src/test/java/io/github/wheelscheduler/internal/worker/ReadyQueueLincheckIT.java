package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.testing.Scale;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread adds and others take: it looks like a plain queue, no matter what they do at once. */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class ReadyQueueLincheckIT {

    @Test
    void looksLikeAPlainQueue() {
        new ModelCheckingOptions()
                .iterations(Scale.of(5, 100))
                .invocationsPerIteration(Scale.of(750, 5_000))
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(2)
                .sequentialSpecification(PlainQueue.class)
                .check(SmallRing.class);
    }

    /** A ring of two cells, so that it is often full. */
    @Param(name = "number", gen = IntGen.class, conf = "1:9")
    public static class SmallRing {

        private final ReadyQueue queue = new ReadyQueue(2);

        @Operation(nonParallelGroup = "producer")
        public void add(@Param(name = "number") int number) {
            queue.add(new Numbered(number), 100 + number);
        }

        @Operation
        public @Nullable Integer poll() {
            ReadyQueue.Taken taken = new ReadyQueue.Taken();
            Numbered run = (@Nullable Numbered) queue.poll(taken);
            if (run == null) {
                return null;
            }
            // With the time of another run the result is none that the plain queue could give.
            return taken.expiredNanos == 100 + run.number() ? run.number() : -1;
        }
    }

    /** What it is compared with. */
    public static class PlainQueue {

        private final Queue<Integer> queue = new ArrayDeque<>();

        public void add(int number) {
            queue.add(number);
        }

        public @Nullable Integer poll() {
            return queue.poll();
        }
    }

    private record Numbered(int number) implements Runnable {
        @Override
        public void run() {}
    }
}
