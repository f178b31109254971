package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;

/** How long a soak takes, all kinds of workers together: {@code -Dwheel.soak.seconds}. */
final class SoakLength {

    private static final int IN_EVERY_BUILD = 30;
    private static final int SECONDS = Integer.getInteger("wheel.soak.seconds", IN_EVERY_BUILD);

    private SoakLength() {}

    /** Returns the share of one kind of workers. */
    static Duration perKind() {
        return Duration.ofSeconds(Math.max(1, SECONDS / WorkerKind.values().length));
    }

    static boolean isLong() {
        return SECONDS > IN_EVERY_BUILD;
    }
}
