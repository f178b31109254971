/**
 * Counts by size how late runs start.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.internal.spring.watch;

import org.jspecify.annotations.NullMarked;
