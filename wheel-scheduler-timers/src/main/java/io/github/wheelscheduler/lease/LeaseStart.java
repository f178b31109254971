package io.github.wheelscheduler.lease;

import java.time.Instant;

/**
 * When the acquisition of a lease began, on both clocks: take it before the store is asked.
 *
 * @param nanos on the executor's monotonic clock, in nanoseconds, to be compared by difference
 * @param instant on its wall clock, which goes on while the machine sleeps
 */
public record LeaseStart(long nanos, Instant instant) {}
