/**
 * Meters of a {@link io.github.wheelscheduler.spring.WheelTaskScheduler} for Micrometer, which is needed for this
 * package only.
 *
 * <table>
 * <caption>Who may touch what</caption>
 * <tr><th>state</th><th>writers</th><th>readers</th><th>memory order</th></tr>
 * <tr><td>what a meter shows of the scheduler</td><td>the scheduler</td><td>scrapes</td><td>read when asked
 * for</td></tr>
 * <tr><td>timers and counters</td><td>the thread of a run, as listener</td><td>scrapes</td><td>Micrometer's</td></tr>
 * <tr><td>runs that are not recorded yet</td><td>the thread of a run, by increments</td><td>the thread that records
 * them, by taking them</td> <td>atomic</td></tr>
 * <tr><td>which tasks have meters</td><td>callers that schedule or cancel a task, under a lock</td><td>the threads of
 * runs</td> <td>a concurrent map</td></tr> </table>
 */
@NullMarked
package io.github.wheelscheduler.metrics;

import org.jspecify.annotations.NullMarked;
