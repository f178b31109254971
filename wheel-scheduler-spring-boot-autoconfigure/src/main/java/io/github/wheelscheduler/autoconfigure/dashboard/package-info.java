/**
 * Serves the page on which tasks are seen and steered, and keeps pages of other sites from steering.
 *
 * <p>Its types are public for Spring Boot only: they may change with any version, but for the names of
 * auto-configurations.
 */
@NullMarked
package io.github.wheelscheduler.autoconfigure.dashboard;

import org.jspecify.annotations.NullMarked;
