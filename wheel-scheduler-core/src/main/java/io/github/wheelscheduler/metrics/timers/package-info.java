/** Meters of timers for programs, for Micrometer, which is needed for this package only. A scrape reads them. */
@NullMarked
package io.github.wheelscheduler.metrics.timers;

import org.jspecify.annotations.NullMarked;
