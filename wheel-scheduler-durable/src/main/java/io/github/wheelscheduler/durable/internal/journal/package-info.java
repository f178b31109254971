/**
 * Notes of ends for a history.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.durable.internal.journal;

import org.jspecify.annotations.NullMarked;
