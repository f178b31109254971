/**
 * Auto-configuration of listeners of steering.
 *
 * <p>Its types are public for Spring Boot only: they may change with any version, but for the names of
 * auto-configurations.
 */
@NullMarked
package io.github.wheelscheduler.autoconfigure.steering;

import org.jspecify.annotations.NullMarked;
