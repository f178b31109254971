package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.UnusableSettingException;
import java.util.List;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.PatternMatchUtils;

/** Settings of the meters, which are usable once they are bound. */
@ConfigurationProperties(WheelSchedulerMetricsProperties.PREFIX)
class WheelSchedulerMetricsProperties implements InitializingBean {

    static final String PREFIX = WheelSchedulerProperties.PREFIX + ".metrics";

    /** Maximum number of tasks with meters of their own, for each scheduler. The others are only counted. */
    private int maxTasks = 100;

    private Tasks tasks = new Tasks();

    @Override
    public void afterPropertiesSet() {
        UnusableSettingException.unless(maxTasks >= 0, PREFIX + ".max-tasks", maxTasks, "must not be negative", "100");
    }

    public int getMaxTasks() {
        return maxTasks;
    }

    public void setMaxTasks(int maxTasks) {
        this.maxTasks = maxTasks;
    }

    public Tasks getTasks() {
        return tasks;
    }

    public void setTasks(Tasks tasks) {
        this.tasks = tasks;
    }

    /** Which tasks may have meters of their own. */
    static class Tasks {

        /** Patterns of the ids of tasks that may have meters of their own. An asterisk stands for any text. All unless
         * set. */
        private List<String> include = List.of();

        /** Patterns of the ids of tasks that have no meters of their own, even if they are included. */
        private List<String> exclude = List.of();

        public List<String> getInclude() {
            return include;
        }

        public void setInclude(List<String> include) {
            this.include = include;
        }

        public List<String> getExclude() {
            return exclude;
        }

        public void setExclude(List<String> exclude) {
            this.exclude = exclude;
        }

        boolean includes(String id) {
            return (include.isEmpty() || matches(include, id)) && !matches(exclude, id);
        }

        private static boolean matches(List<String> patterns, String id) {
            return patterns.stream().anyMatch(pattern -> PatternMatchUtils.simpleMatch(pattern, id));
        }
    }
}
