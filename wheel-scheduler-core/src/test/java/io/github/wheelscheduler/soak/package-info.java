/** The executor in JVMs of their own, under faults and load for a while, with exact counts afterwards. */
@NullMarked
package io.github.wheelscheduler.soak;

import org.jspecify.annotations.NullMarked;
