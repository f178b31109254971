/**
 * The hierarchical timing wheel: a single-threaded data structure that is told the time.
 *
 * <p>Nothing in here owns a clock, a thread, a lock or a logger, so a day of behaviour runs in a millisecond of test.
 *
 * <table>
 * <caption>Who may touch what</caption>
 * <tr><th>state</th><th>writer</th><th>readers</th></tr>
 * <tr><td>levels, buckets, links</td><td>the thread that owns the wheel</td><td>the same thread</td></tr>
 * <tr><td>{@link io.github.wheelscheduler.wheel.TimerNode#isLinked()}</td><td>the owner</td><td>any thread, as a hint</td></tr>
 * </table>
 */
@NullMarked
package io.github.wheelscheduler.wheel;

import org.jspecify.annotations.NullMarked;
