package io.github.wheelscheduler.spring.watch;

import java.time.Duration;

/**
 * How late so large a share of runs started at most, by stage. The two are taken each on its own, so their sum is an
 * upper bound of the lateness in all.
 *
 * @param wheel from the deadline until the tick thread handed a run over
 * @param queue from then until a worker was free for it
 */
public record LatenessPercentile(Duration wheel, Duration queue) {}
