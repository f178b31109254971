package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.JitterKind;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.Overlap;
import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * The properties of the tasks of one id, for the metadata, and as the names that {@link NamedSettings} look for. A setting without a
 * property is as the code says. Each is read as the {@link io.github.wheelscheduler.spring.settings.TaskSettings setting} of its name.
 *
 * @param enabled Whether the tasks run at all.
 * @param cron Cron expression in place of their schedule, or - for none.
 * @param zone Time zone of the cron expression.
 * @param fixedRate Period in place of their schedule.
 * @param fixedDelay Delay between runs in place of their schedule.
 * @param initialDelay How long after they are scheduled their first run is due.
 * @param missedRuns What becomes of runs that are missed: catch-up, latest or skip.
 * @param jitter How much later than it is due each run starts at most.
 * @param jitterKind How the jitter is chosen: random, or fixed for each task and node.
 * @param gap What becomes of runs at times of day that do not exist: skip or shift.
 * @param overlap What becomes of runs at times of day that come twice: first, second or both.
 * @param timeLimit How long a run may take before its thread is interrupted.
 * @param pauseAfterFailures After how many failures in a row a task is paused. 0 for never.
 */
record TaskProperties(
        @Nullable Boolean enabled,
        @Nullable String cron,
        @Nullable ZoneId zone,
        @Nullable Duration fixedRate,
        @Nullable Duration fixedDelay,
        @Nullable Duration initialDelay,
        @Nullable MissedRuns missedRuns,
        @Nullable Duration jitter,
        @Nullable JitterKind jitterKind,
        @Nullable Gap gap,
        @Nullable Overlap overlap,
        @Nullable Duration timeLimit,
        @Nullable RestProperties backOff,
        @Nullable Integer pauseAfterFailures) {

    /**
     * For how long a task rests after failures.
     *
     * @param delay The rest after the first failure.
     * @param multiplier How much longer each rest is than the one before.
     * @param maxDelay The longest rest.
     */
    record RestProperties(
            @Nullable Duration delay,
            @Nullable Double multiplier,
            @Nullable Duration maxDelay) {}
}
