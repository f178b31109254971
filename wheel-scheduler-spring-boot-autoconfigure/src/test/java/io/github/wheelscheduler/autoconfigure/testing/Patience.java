package io.github.wheelscheduler.autoconfigure.testing;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.awaitility.core.ThrowingRunnable;

/** Waits for what happens soon, however busy the machine is. */
public final class Patience {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Patience() {}

    /** Waits until the assertion holds. */
    public static void awaitThat(ThrowingRunnable assertion) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(PATIENCE)
                .untilAsserted(assertion);
    }
}
