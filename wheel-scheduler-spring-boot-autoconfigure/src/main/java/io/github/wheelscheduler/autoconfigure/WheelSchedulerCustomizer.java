package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;

/**
 * Changes the auto-configured {@link WheelTaskScheduler} before it starts. Beans of this type are called in their
 * order, after all properties and after every {@link org.springframework.boot.task.ThreadPoolTaskSchedulerCustomizer
 * ThreadPoolTaskSchedulerCustomizer}, so they have the last word.
 */
@FunctionalInterface
public interface WheelSchedulerCustomizer {

    /** Changes the given scheduler, which is not initialized yet. */
    void customize(WheelTaskScheduler scheduler);
}
