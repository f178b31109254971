/**
 * Counts by size how late runs start.
 */
@NullMarked
package io.github.wheelscheduler.internal.spring.watch;

import org.jspecify.annotations.NullMarked;
