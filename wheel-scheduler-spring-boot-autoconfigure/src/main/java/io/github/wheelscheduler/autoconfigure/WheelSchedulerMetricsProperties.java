package io.github.wheelscheduler.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the meters. Whatever has been bound is usable.
 *
 * @param maxTasks Maximum number of tasks with meters of their own, for each scheduler. The others are only counted.
 */
@ConfigurationProperties(WheelSchedulerMetricsProperties.PREFIX)
record WheelSchedulerMetricsProperties(@DefaultValue("100") int maxTasks) {

    static final String PREFIX = WheelSchedulerProperties.PREFIX + ".metrics";

    WheelSchedulerMetricsProperties {
        UnusablePropertyException.unless(maxTasks >= 0, PREFIX + ".max-tasks", maxTasks, "must not be negative", "100");
    }
}
