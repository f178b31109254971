/**
 * Types that keyed timers, idle timeouts and leases share. For the other packages of this module only: it may change
 * with any version.
 */
@NullMarked
package io.github.wheelscheduler.timers;

import org.jspecify.annotations.NullMarked;
