package io.github.wheelscheduler.testing;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for what happens soon, however busy the machine is. */
public final class Patience {

    /** Longer than anything takes that works. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    private Patience() {}

    /** Waits until the condition holds. */
    public static void awaitThat(Callable<Boolean> condition) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(PATIENCE)
                .until(condition);
    }
}
