/**
 * The hierarchical timing wheel: a single-threaded data structure that receives the time as an argument.
 *
 * <p>For this project only: it may change with any version.
 *
 * <p>Nothing in here owns a clock, a thread, a lock or a logger, so a day of behaviour runs in a millisecond of test.
 *
 * <table>
 * <caption>Who may touch what</caption>
 * <tr><th>state</th><th>writer</th><th>readers</th></tr>
 * <tr><td>levels, buckets, chunks, positions</td><td>the thread that owns the wheel</td><td>the same thread</td></tr>
 * <tr><td>deadline of a timer, and whether it is over</td><td>any thread</td><td>the owner, when it comes across the
 * timer</td></tr> </table>
 */
@NullMarked
package io.github.wheelscheduler.internal.wheel;

import org.jspecify.annotations.NullMarked;
