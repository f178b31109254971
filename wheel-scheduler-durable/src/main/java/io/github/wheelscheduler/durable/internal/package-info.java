/**
 * Storage and execution of durable tasks, behind {@link io.github.wheelscheduler.durable.DurableEngine}.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.durable.internal;

import org.jspecify.annotations.NullMarked;
