/**
 * What a run was: how it went, what it threw, and who is told of that. Knows of no task and no scheduler; entered by the
 * rooms of tasks and of the watch, and by the face.
 */
@NullMarked
package io.github.wheelscheduler.spring.run;

import org.jspecify.annotations.NullMarked;
