/**
 * Timeouts of idle objects, such as connections, for which a touch costs next to nothing. Built on the public types of
 * the executor, which does not know them.
 *
 * <table>
 * <caption>Who may touch what</caption>
 * <tr><th>state</th><th>writers</th><th>readers</th><th>memory order</th></tr>
 * <tr><td>last touch and state of a timeout, one word</td><td>any thread, by
 * compare-and-set</td><td>any</td><td>volatile</td></tr>
 * <tr><td>timer of a timeout</td><td>the thread that registers it</td><td>any that ends it</td><td>volatile</td></tr>
 * <tr><td>set of open timeouts</td><td>threads that register or end one</td><td>the thread that closes all</td><td>a
 * concurrent map</td></tr>
 * <tr><td>counts</td><td>any</td><td>any</td><td>striped, exact at rest</td></tr>
 * </table>
 */
@NullMarked
package io.github.wheelscheduler.idle;

import org.jspecify.annotations.NullMarked;
