/**
 * Meters that come and go together, for the binders of this project only: they may change with any version. Needs
 * Micrometer. Not for several threads at a time.
 */
@NullMarked
package io.github.wheelscheduler.internal.meter;

import org.jspecify.annotations.NullMarked;
