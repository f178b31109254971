package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.settings.BackOff;
import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.JitterKind;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.Overlap;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.settings.UnusableSettingException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the tasks of one id. What is not set is as the code says.
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

    private static final Pattern PLAIN = Pattern.compile("[a-z][a-z0-9-]*");

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
            @Nullable Duration maxDelay) {

        BackOff toBackOff(String property) {
            UnusablePropertyException.unless(
                    delay != null, property + ".delay", null, "must be set where anything of the back-off is", "10s");
            Duration first = Objects.requireNonNull(delay);
            BackOff usual = BackOff.of(first);
            return new BackOff(
                    first,
                    multiplier == null ? usual.multiplier() : multiplier,
                    maxDelay == null ? usual.maxDelay() : maxDelay);
        }
    }

    /** Returns the settings; an exception names the property. */
    TaskSettings toSettings(String id) {
        String prefix =
                WheelSchedulerProperties.PREFIX + ".tasks" + (PLAIN.matcher(id).matches() ? "." + id : "[" + id + "]");
        try {
            return TaskSettings.builder()
                    .enabled(enabled)
                    .cron(cron == null ? null : cron.trim())
                    .zone(zone)
                    .fixedRate(fixedRate)
                    .fixedDelay(fixedDelay)
                    .initialDelay(initialDelay)
                    .missedRuns(missedRuns)
                    .jitter(jitter)
                    .jitterKind(jitterKind)
                    .gap(gap)
                    .overlap(overlap)
                    .timeLimit(timeLimit)
                    .backOff(backOff == null ? null : backOff.toBackOff(prefix + ".back-off"))
                    .pauseAfterFailures(pauseAfterFailures)
                    .build();
        } catch (UnusableSettingException ex) {
            throw UnusablePropertyException.of(prefix + "." + ex.setting(), ex);
        }
    }
}
