/** Puts the scheduled tasks of a Spring Boot application on the timing wheel. */
@NullMarked
package io.github.wheelscheduler.autoconfigure;

import org.jspecify.annotations.NullMarked;
