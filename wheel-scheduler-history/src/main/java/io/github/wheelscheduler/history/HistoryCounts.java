package io.github.wheelscheduler.history;

/**
 * Counts of the writer of this node since its start.
 *
 * @param written how many rows are in the database
 * @param dropped how many rows are lost: the buffer was full, or the database was away when it closed
 * @param overBudget how many runs were counted and have no row
 * @param buffered how many rows wait to be written
 * @param failed how many batches failed
 */
public record HistoryCounts(long written, long dropped, long overBudget, int buffered, long failed) {}
