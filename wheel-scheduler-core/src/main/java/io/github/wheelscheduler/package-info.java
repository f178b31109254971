/**
 * What programs use of a {@link java.util.concurrent.ScheduledExecutorService} on a hierarchical timing wheel. What makes it go is below
 * {@code io.github.wheelscheduler.internal}, which may change with any version.
 */
@NullMarked
package io.github.wheelscheduler;

import org.jspecify.annotations.NullMarked;
