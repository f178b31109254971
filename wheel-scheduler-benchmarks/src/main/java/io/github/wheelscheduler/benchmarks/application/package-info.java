/** A small Spring Boot application, whose start is measured. */
@NullMarked
package io.github.wheelscheduler.benchmarks.application;

import org.jspecify.annotations.NullMarked;
