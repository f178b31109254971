package io.github.wheelscheduler.lease;

/**
 * Counts of the leases of a renewer; exact while nothing moves.
 *
 * @param kept leases that are kept now
 * @param renewals attempts that renewed a lease
 * @param failures attempts that failed
 * @param lost leases that were lost
 * @param closed leases that were closed while they were kept
 * @param listenerFailures loss listeners that threw an exception
 */
public record LeaseCounts(long kept, long renewals, long failures, long lost, long closed, long listenerFailures) {}
