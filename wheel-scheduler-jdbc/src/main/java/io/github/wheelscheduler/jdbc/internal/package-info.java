/**
 * The database below durable tasks and the history: dialects, statements, errors, and scripts that make tables.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.jdbc.internal;

import org.jspecify.annotations.NullMarked;
