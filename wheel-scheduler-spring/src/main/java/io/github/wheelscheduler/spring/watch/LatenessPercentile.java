package io.github.wheelscheduler.spring.watch;

import java.time.Duration;

/**
 * The maximum lateness of a given share of runs, by stage. Each stage is taken on its own, so the sum of both is an
 * upper bound of the total lateness.
 *
 * @param wheel the time from the deadline until the tick thread handed a run over
 * @param queue the time from then until a worker was free for it
 */
public record LatenessPercentile(Duration wheel, Duration queue) {}
