/**
 * Opens and closes the observations of runs.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.internal.spring.observation;

import org.jspecify.annotations.NullMarked;
