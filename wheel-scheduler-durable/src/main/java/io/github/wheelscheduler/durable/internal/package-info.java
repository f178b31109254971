/**
 * How durable tasks are kept and run, behind {@link io.github.wheelscheduler.durable.DurableEngine}.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.durable.internal;

import org.jspecify.annotations.NullMarked;
