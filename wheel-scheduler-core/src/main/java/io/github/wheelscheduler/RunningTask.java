package io.github.wheelscheduler;

import java.time.Duration;

/**
 * A run that is going on.
 *
 * @param task as it was handed to the executor; the timer's text where the timer has let go of it
 * @param thread which runs it now, and may run something else a moment later
 * @param runningFor since it started
 */
public record RunningTask(Object task, Thread thread, Duration runningFor) {}
