/**
 * Netty's {@link io.netty.util.Timer} on a group of a {@link io.github.wheelscheduler.WheelScheduledExecutor}. Built on
 * the public types of the executor, which does not know it.
 *
 * <table>
 * <caption>Who may touch what</caption>
 * <tr><th>state</th><th>writers</th><th>readers</th><th>memory order</th></tr>
 * <tr><td>state of a timeout</td><td>any thread, by compare-and-set, once</td><td>any</td><td>volatile</td></tr>
 * <tr><td>timer of a timeout</td><td>the thread that makes the timeout</td><td>any that cancels
 * it</td><td>volatile</td></tr>
 * <tr><td>neighbours of a timeout</td><td>the thread that makes it, and any that moves its state</td><td>the thread
 * that stops the timer</td> <td>the lock of its list</td></tr>
 * <tr><td>number of pending timeouts</td><td>any</td><td>any</td><td>the locks of their lists</td></tr>
 * <tr><td>threads in tasks, whether the timer is stopped</td><td>these threads, the thread that stops
 * it</td><td>any</td><td>volatile</td></tr>
 * <tr><td>cancelled timeouts whose tasks are to be notified</td><td>threads that cancel</td><td>workers, the thread
 * that stops the timer</td>
 * <td>a concurrent queue</td></tr>
 * </table>
 */
@NullMarked
package io.github.wheelscheduler.netty;

import org.jspecify.annotations.NullMarked;
