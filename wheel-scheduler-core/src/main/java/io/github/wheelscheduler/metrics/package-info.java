/**
 * Names of all meters, and meters of timers for programs, for Micrometer, which is needed for this package only. A meter
 * is read on a scrape, by the thread of that.
 */
@NullMarked
package io.github.wheelscheduler.metrics;

import org.jspecify.annotations.NullMarked;
