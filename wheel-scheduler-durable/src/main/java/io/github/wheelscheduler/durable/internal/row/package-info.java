/**
 * Values in the rows of durable tasks.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.durable.internal.row;

import org.jspecify.annotations.NullMarked;
