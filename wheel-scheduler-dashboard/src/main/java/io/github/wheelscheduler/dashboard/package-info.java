/**
 * The page on which tasks are seen and steered, and the Actuator endpoint that serves it.
 *
 * <p>Its types are public for Spring Boot only: they may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.dashboard;

import org.jspecify.annotations.NullMarked;
