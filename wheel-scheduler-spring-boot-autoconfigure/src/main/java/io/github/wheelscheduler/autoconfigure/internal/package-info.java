/**
 * The choice of a database for durable tasks and for the history.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.autoconfigure.internal;

import org.jspecify.annotations.NullMarked;
