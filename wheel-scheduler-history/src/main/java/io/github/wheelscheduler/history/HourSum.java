package io.github.wheelscheduler.history;

import java.time.Instant;

/**
 * The number of runs in an hour, of all nodes together, with runs that have no row.
 *
 * @param start the start of the hour
 * @param succeeded the number of runs that ended well
 * @param failed the number of runs that failed
 * @param notRun the number of runs that did not take place
 */
public record HourSum(Instant start, long succeeded, long failed, long notRun) {}
