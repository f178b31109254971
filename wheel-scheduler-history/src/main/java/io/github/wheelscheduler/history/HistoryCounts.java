package io.github.wheelscheduler.history;

/**
 * Counts of the writer of this node since its start.
 *
 * @param written the number of rows that have been written to the database
 * @param dropped the number of rows that are lost: the buffer was full, or the database was away when it closed
 * @param overBudget the number of runs that were counted and have no row
 * @param buffered the number of rows that wait to be written
 * @param failed the number of batches that failed, and of ends that were repeated without their rows
 */
public record HistoryCounts(long written, long dropped, long overBudget, int buffered, long failed) {}
