package io.github.wheelscheduler.spring.watch;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The thresholds from which a scheduler on the wheel logs warnings. Each kind of warning is given once a minute at
 * most, with the number of warnings that were held back.
 *
 * @param oversleep maximum delay of the hand-over of a run by the tick thread; zero disables the warning
 * @param queueWait maximum time a due run may wait for a worker; zero disables the warning
 * @param run maximum duration of a run before the stack of its thread is logged; null or zero disables the warning
 * @param interrupt maximum duration of a run of a registered task before it is interrupted; null or zero never
 *     interrupts
 */
public record WarningLimits(
        Duration oversleep,
        Duration queueWait,
        @Nullable Duration run,
        @Nullable Duration interrupt) {

    private static final Duration DEFAULT_OVERSLEEP = Duration.ofMillis(500);
    private static final Duration DEFAULT_QUEUE_WAIT = Duration.ofSeconds(1);

    /**
     * Checks the limits.
     *
     * @throws IllegalArgumentException if one is negative, or a run would be interrupted before it is warned of
     */
    public WarningLimits {
        requireNotNegative("oversleep", oversleep);
        requireNotNegative("queueWait", queueWait);
        requireNotNegative("run", run);
        requireNotNegative("interrupt", interrupt);
        run = nullIfZero(run);
        interrupt = nullIfZero(interrupt);
        if (run != null && interrupt != null && interrupt.compareTo(run) < 0) {
            throw new IllegalArgumentException(
                    "interrupt must not be shorter than run, which is " + run + ", was " + interrupt);
        }
    }

    /** Returns the defaults: half a second, a second, and no limit for runs. */
    public static WarningLimits defaults() {
        return new WarningLimits(DEFAULT_OVERSLEEP, DEFAULT_QUEUE_WAIT, null, null);
    }

    private static @Nullable Duration nullIfZero(@Nullable Duration limit) {
        return limit == null || limit.isZero() ? null : limit;
    }

    private static void requireNotNegative(String what, @Nullable Duration value) {
        if (value != null && value.isNegative()) {
            throw new IllegalArgumentException(what + " must not be negative, was " + value);
        }
    }
}
