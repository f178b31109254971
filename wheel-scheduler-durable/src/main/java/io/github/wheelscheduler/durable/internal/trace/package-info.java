/**
 * Spans of durable tasks: what is kept of them in rows, and the observations of runs.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.durable.internal.trace;

import org.jspecify.annotations.NullMarked;
