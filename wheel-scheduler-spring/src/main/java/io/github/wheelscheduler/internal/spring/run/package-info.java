/**
 * The results of runs, their failures, and how these are logged. Knows of no task and no scheduler; entered by the room
 * of tasks, and by the face.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.internal.spring.run;

import org.jspecify.annotations.NullMarked;
