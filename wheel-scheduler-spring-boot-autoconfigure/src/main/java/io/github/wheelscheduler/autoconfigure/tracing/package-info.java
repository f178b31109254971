/**
 * Tells which trace a run that has failed belongs to.
 *
 * <p>Its types are public for Spring Boot only: they may change with any version, but for the names of auto-configurations.
 */
@NullMarked
package io.github.wheelscheduler.autoconfigure.tracing;

import org.jspecify.annotations.NullMarked;
