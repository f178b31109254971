package io.github.wheelscheduler.netty;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits for what happens soon, however busy the machine is. */
final class Patience {

    /** Longer than anything takes that works. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private Patience() {}

    /** Waits until the condition holds. */
    static void awaitThat(Callable<Boolean> condition) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(PATIENCE)
                .until(condition);
    }

    /** Waits until the latch is open. */
    static void awaitLatch(CountDownLatch latch) {
        try {
            if (!latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("the latch must open within " + PATIENCE + ", was at " + latch.getCount());
            }
        } catch (InterruptedException ex) {
            throw new AssertionError("nobody must interrupt a test", ex);
        }
    }

    /** Waits until so much time has gone by. */
    static void awaitTime(Duration time) {
        long fromNanos = System.nanoTime();
        awaitThat(() -> System.nanoTime() - fromNanos >= time.toNanos());
    }
}
