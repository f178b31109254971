/**
 * The worker side: due runs wait in a ready queue until a worker takes them. User code runs here and nowhere else.
 *
 * <p>For this project only: it may change with any version.
 *
 * <table>
 * <caption>Threads that may touch a state</caption>
 * <tr><th>state</th><th>writers</th><th>readers</th></tr>
 * <tr><td>ready queue</td><td>tick thread adds; workers, or the feeder, take; the thread that stops the pool empties
 * it</td> <td>any</td></tr>
 * <tr><td>a worker's phase</td><td>the worker</td><td>any: pause, stop and counts go by it</td></tr>
 * <tr><td>a run in flight</td><td>the thread that starts it, or the one that takes it back: one compare-and-set
 * decides</td> <td>any</td></tr>
 * <tr><td>idle bits of a set of slots</td><td>the worker sets its own; the thread that clears a bit owns that
 * wake-up</td><td>any</td></tr> </table>
 */
@NullMarked
package io.github.wheelscheduler.internal.worker;

import org.jspecify.annotations.NullMarked;
