/**
 * What users of Spring's {@link org.springframework.scheduling.TaskScheduler} may rely on, as one suite that runs
 * unchanged on every implementation. A theme is a class of its own; {@code TaskSchedulerContract} gathers them.
 */
@NullMarked
package io.github.wheelscheduler.spring.contract;

import org.jspecify.annotations.NullMarked;
