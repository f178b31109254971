/** Spring's {@link org.springframework.scheduling.TaskScheduler} on the timing wheel. */
@NullMarked
package io.github.wheelscheduler.spring;

import org.jspecify.annotations.NullMarked;
