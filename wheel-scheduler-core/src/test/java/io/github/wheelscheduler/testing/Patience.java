package io.github.wheelscheduler.testing;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for what happens soon, however busy the machine is. */
public final class Patience {

    /** Longer than anything takes that works. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration SOON = Duration.ofNanos(200_000);

    private Patience() {}

    /** Waits until the condition holds. */
    public static void awaitThat(Callable<Boolean> condition) {
        // Most conditions hold soon, and each wait of Awaitility costs a thread.
        if (!holdsWithin(SOON, condition)) {
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(PATIENCE)
                    .until(condition);
        }
    }

    /**
     * Returns whether the condition holds now or soon; asks all the time, and leaves the processor to others between.
     */
    @SuppressWarnings("ThreadPriorityCheck") // the thread that is waited for may need this processor
    public static boolean holdsWithin(Duration time, Callable<Boolean> condition) {
        long begun = System.nanoTime();
        while (!holds(condition)) {
            if (System.nanoTime() - begun >= time.toNanos()) {
                return false;
            }
            Thread.yield();
        }
        return true;
    }

    private static boolean holds(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (Exception ex) {
            throw new AssertionError("a condition must not throw", ex);
        }
    }
}
