/**
 * The names of beans, and the ids that their tasks take. Knows of no task and no scheduler.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.internal.spring.bean;

import org.jspecify.annotations.NullMarked;
