/**
 * Leases that are renewed while they are kept, as a lock in a store is by its watchdog: a loss is reported before the
 * lease ends.
 *
 * <table>
 * <caption>Who may touch what</caption>
 * <tr><th>state</th><th>writers</th><th>readers</th></tr>
 * <tr><td>state and thread of the renewal of a lease</td><td>any thread, under its lock</td><td>any thread</td></tr>
 * <tr><td>everything else of a lease</td><td>any thread, under its lock</td><td>any thread, under its lock</td></tr>
 * <tr><td>the leases of a renewer</td><td>any thread</td><td>any thread</td></tr>
 * </table>
 */
@NullMarked
package io.github.wheelscheduler.lease;

import org.jspecify.annotations.NullMarked;
