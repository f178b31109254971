package io.github.wheelscheduler;

import java.time.Duration;

/**
 * A run that is going on.
 *
 * @param task as it was handed to the executor; the timer's text where the timer has let go of it
 * @param thread which runs it now, and may run something else a moment later
 * @param startedNanos when it started, as {@link WheelScheduledExecutor#nanoTime} told it; the same at each look
 * @param runningFor since then
 */
public record RunningTask(Object task, Thread thread, long startedNanos, Duration runningFor) {}
