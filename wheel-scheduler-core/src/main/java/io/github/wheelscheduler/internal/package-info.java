/**
 * Shared by several modules of this project, and for them only: it may change with any version. It depends on nothing
 * else of the project.
 *
 * <table>
 * <caption>Who may touch what</caption>
 * <tr><th>state</th><th>writers</th><th>readers</th><th>memory order</th></tr>
 * <tr><td>time of the last line, number of lines held back</td><td>any thread</td><td>any</td><td>volatile</td></tr>
 * <tr><td>stripes of a count</td><td>any thread</td><td>any</td><td>volatile, exact at rest</td></tr>
 * <tr><td>places taken of a limit</td><td>any thread, by compare-and-set</td><td>any</td><td>volatile</td></tr>
 * <tr><td>closed, of a user's calls</td><td>the thread that closes, once</td><td>any</td><td>volatile</td></tr>
 * <tr><td>number of a user's calls, threads in them</td><td>the threads in them</td><td>the thread that
 * closes</td><td>volatile</td></tr> </table>
 */
@NullMarked
package io.github.wheelscheduler.internal;

import org.jspecify.annotations.NullMarked;
