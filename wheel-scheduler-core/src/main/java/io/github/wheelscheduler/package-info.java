/**
 * The public API of a {@link java.util.concurrent.ScheduledExecutorService} on a hierarchical timing wheel. The
 * implementation lives under {@code io.github.wheelscheduler.internal}, which may change with any version.
 */
@NullMarked
package io.github.wheelscheduler;

import org.jspecify.annotations.NullMarked;
