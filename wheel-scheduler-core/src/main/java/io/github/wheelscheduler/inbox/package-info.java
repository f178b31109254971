/**
 * The way from any thread to the tick thread: a queue of messages and the rule that says when a message wakes the tick
 * thread.
 */
@NullMarked
package io.github.wheelscheduler.inbox;

import org.jspecify.annotations.NullMarked;
