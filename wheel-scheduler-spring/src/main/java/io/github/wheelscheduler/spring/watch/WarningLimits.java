package io.github.wheelscheduler.spring.watch;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * From when on a scheduler on the wheel says in the log that something is wrong. Each kind of warning is given once a
 * minute at most, with the number of warnings that were held back.
 *
 * @param oversleep how much later than its deadline the tick thread may hand a run over; zero for as late as it likes
 * @param queueWait how long a due run may wait for a worker; zero for as long as it likes
 * @param run how long a run may take before the stack of its thread is logged; null or zero for as long as it likes
 * @param interrupt how long a run of a registered task may take before it is interrupted; null or zero for as long as it likes
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
