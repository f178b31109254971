/**
 * The Actuator endpoint on which schedulers and their tasks are seen and steered.
 *
 * <p>Its types are public for Spring Boot only: they may change with any version, but for the names of
 * auto-configurations.
 */
@NullMarked
package io.github.wheelscheduler.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
