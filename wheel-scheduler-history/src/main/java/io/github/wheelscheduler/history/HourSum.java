package io.github.wheelscheduler.history;

import java.time.Instant;

/**
 * The number of runs in an hour, of all nodes together, with runs that have no row.
 *
 * @param start of the hour
 * @param succeeded how many ended well
 * @param failed how many failed
 * @param notRun how many did not take place
 */
public record HourSum(Instant start, long succeeded, long failed, long notRun) {}
