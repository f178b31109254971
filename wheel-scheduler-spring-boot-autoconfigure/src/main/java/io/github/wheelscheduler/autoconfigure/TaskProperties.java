package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.JitterKind;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.Overlap;
import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * The properties of the tasks of one id, for the metadata, and as the names that {@link NamedSettings} look for. A
 * setting without a property is as the code says. Each is read as the {@link
 * io.github.wheelscheduler.spring.settings.TaskSettings setting} of its name.
 *
 * @param enabled Whether the tasks run at all.
 * @param cron Cron expression in place of their schedule, or - for none.
 * @param zone Time zone of the cron expression.
 * @param fixedRate Period in place of their schedule.
 * @param fixedDelay Delay between runs in place of their schedule.
 * @param initialDelay Delay of the first run.
 * @param missedRuns Treatment of missed runs: catch-up, latest or skip.
 * @param jitter Maximum jitter that is added to the due time of each run.
 * @param jitterKind Kind of jitter: random, or fixed for each task and node.
 * @param startTolerance Maximum delay of runs so that they share a wake-up with others. As the scheduler unless set.
 * @param gap Treatment of runs at times of day that do not exist: skip or shift.
 * @param overlap Treatment of runs at times of day that occur twice: first, second or both.
 * @param timeLimit Maximum duration of a run before its thread is interrupted.
 * @param pauseAfterFailures Number of failures in a row after which a task is paused. 0 for never.
 * @param observe Whether runs are observed, in the place of wheel.scheduler.observe, which has to be set.
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
        @Nullable Duration startTolerance,
        @Nullable Gap gap,
        @Nullable Overlap overlap,
        @Nullable Duration timeLimit,
        @Nullable RestProperties backOff,
        @Nullable Integer pauseAfterFailures,
        @Nullable Boolean observe) {

    /**
     * The pauses of a task after failures.
     *
     * @param delay Pause after the first failure.
     * @param multiplier Factor by which each pause is longer than the one before.
     * @param maxDelay Maximum pause.
     */
    record RestProperties(
            @Nullable Duration delay,
            @Nullable Double multiplier,
            @Nullable Duration maxDelay) {}
}
