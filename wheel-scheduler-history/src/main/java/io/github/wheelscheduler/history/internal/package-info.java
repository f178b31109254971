/**
 * Writing and reading of a history, behind {@link io.github.wheelscheduler.history.HistoryEngine}.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.history.internal;

import org.jspecify.annotations.NullMarked;
