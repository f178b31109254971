/**
 * The jobs of a node of durable tasks in virtual time.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.durable.internal.idle;

import org.jspecify.annotations.NullMarked;
