/**
 * The way from any thread to the tick thread: queues of messages and the rule that says when a message wakes the tick
 * thread.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.internal.inbox;

import org.jspecify.annotations.NullMarked;
