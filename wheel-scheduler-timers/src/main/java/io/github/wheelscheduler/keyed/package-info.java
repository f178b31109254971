/**
 * Timers that go by a key: set, moved, removed and drained by it. Built on the public types of the executor, which does
 * not know them.
 *
 * <table>
 * <caption>Who may touch what</caption>
 * <tr><th>state</th><th>writers</th><th>readers</th><th>memory order</th></tr>
 * <tr><td>state of an entry</td><td>any thread, by compare-and-set</td><td>any</td><td>volatile</td></tr>
 * <tr><td>timer of an entry</td><td>its caller, before it is in the map</td><td>any that has found it
 * there</td><td>ordered by the map</td></tr>
 * <tr><td>map of entries</td><td>callers, under the lock of the key's bin; the thread that has ended
 * one</td><td>any</td> <td>a concurrent map</td></tr>
 * <tr><td>keys whose handlers run</td><td>their workers</td><td>workers</td><td>a concurrent map</td></tr>
 * <tr><td>due entries</td><td>workers</td><td>workers</td><td>a concurrent queue</td></tr>
 * <tr><td>counts</td><td>any</td><td>any</td><td>striped, exact at rest</td></tr>
 * </table>
 */
@NullMarked
package io.github.wheelscheduler.keyed;

import org.jspecify.annotations.NullMarked;
