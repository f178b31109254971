package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.UnusableSettingException;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.PatternMatchUtils;

/**
 * Settings of the meters. All bound values are usable.
 *
 * @param maxTasks Maximum number of tasks with meters of their own, for each scheduler. The others are only counted.
 * @param tasks Which tasks may have meters of their own.
 */
@ConfigurationProperties(WheelSchedulerMetricsProperties.PREFIX)
record WheelSchedulerMetricsProperties(
        @DefaultValue("100") int maxTasks, @DefaultValue Tasks tasks) {

    static final String PREFIX = WheelSchedulerProperties.PREFIX + ".metrics";

    WheelSchedulerMetricsProperties {
        UnusableSettingException.unless(maxTasks >= 0, PREFIX + ".max-tasks", maxTasks, "must not be negative", "100");
    }

    /**
     * Which tasks may have meters of their own.
     *
     * @param include Patterns of the ids of tasks that may have meters of their own, in which an asterisk stands for any text; all if there is none.
     * @param exclude Patterns of the ids of tasks that have none, even if they are included.
     */
    record Tasks(
            @DefaultValue List<String> include,
            @DefaultValue List<String> exclude) {

        boolean includes(String id) {
            return (include.isEmpty() || matches(include, id)) && !matches(exclude, id);
        }

        private static boolean matches(List<String> patterns, String id) {
            return patterns.stream().anyMatch(pattern -> PatternMatchUtils.simpleMatch(pattern, id));
        }
    }
}
