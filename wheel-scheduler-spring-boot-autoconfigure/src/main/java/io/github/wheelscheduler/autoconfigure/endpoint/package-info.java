/** The Actuator endpoint on which schedulers and their tasks are seen and steered. */
@NullMarked
package io.github.wheelscheduler.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
