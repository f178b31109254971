/** The page on which tasks are seen and steered, and the Actuator endpoint that serves it. */
@NullMarked
package io.github.wheelscheduler.dashboard;

import org.jspecify.annotations.NullMarked;
