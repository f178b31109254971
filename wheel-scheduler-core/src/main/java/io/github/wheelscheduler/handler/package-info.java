/**
 * What the handlers of keyed timers and idle timeouts have in common: which are running, what they throw, and how many things may be
 * pending. It knows the executor no further than its public types, and the executor does not know it.
 *
 * <table>
 * <caption>Who may touch what</caption>
 * <tr><th>state</th><th>writers</th><th>readers</th><th>memory order</th></tr>
 * <tr><td>closed</td><td>who closes, once</td><td>any</td><td>volatile</td></tr>
 * <tr><td>number of handlers, threads in them</td><td>the threads in them</td><td>who closes</td><td>volatile</td></tr>
 * <tr><td>what is in use of a limit</td><td>any thread, by compare-and-set</td><td>any</td><td>volatile</td></tr>
 * </table>
 */
@NullMarked
package io.github.wheelscheduler.handler;

import org.jspecify.annotations.NullMarked;
