/**
 * The engine below a {@link io.github.wheelscheduler.WheelScheduledExecutor}.
 *
 * <p>For this project only: it may change with any version.
 *
 * <p>One tick thread routes due timers to workers, which run them; no task runs on the tick thread. A timer's life is
 * one state word, moved by compare-and-set only:
 *
 * <table>
 * <caption>Who may touch what</caption>
 * <tr><th>state</th><th>writers</th><th>readers</th><th>memory order</th></tr>
 * <tr><td>state word of a timer</td><td>any thread, by compare-and-set</td><td>any</td><td>volatile</td></tr>
 * <tr><td>task or outcome of a timer</td><td>before the state word: its runner; after: the thread that ended it</td>
 * <td>any</td><td>ordered by the state word</td></tr>
 * <tr><td>wheel, watched instants</td><td>tick thread</td><td>tick thread; after it has ended, who stopped it</td>
 * <td>none; a latch hands over</td></tr>
 * <tr><td>run state of the executor</td><td>any thread, by compare-and-set, forward only</td><td>any</td>
 * <td>volatile</td></tr>
 * <tr><td>counters</td><td>any</td><td>any</td><td>striped, exact at rest</td></tr>
 * </table>
 */
@NullMarked
package io.github.wheelscheduler.internal.engine;

import org.jspecify.annotations.NullMarked;
