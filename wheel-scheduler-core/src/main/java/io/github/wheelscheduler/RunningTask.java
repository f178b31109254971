package io.github.wheelscheduler;

import java.time.Duration;

/**
 * An active run.
 *
 * @param task as it was handed to the executor; the timer's text if the timer has already released it
 * @param thread the thread that runs it now, and may run another task a moment later
 * @param startedNanos its start, as returned by {@link WheelScheduledExecutor#nanoTime}; constant for the run
 * @param runningFor since then
 */
public record RunningTask(Object task, Thread thread, long startedNanos, Duration runningFor) {}
