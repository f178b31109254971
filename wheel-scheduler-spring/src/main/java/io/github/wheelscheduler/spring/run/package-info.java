/**
 * The outcome of a run: {@link io.github.wheelscheduler.spring.run.RunOutcome}. Knows of no task and no scheduler.
 */
@NullMarked
package io.github.wheelscheduler.spring.run;

import org.jspecify.annotations.NullMarked;
