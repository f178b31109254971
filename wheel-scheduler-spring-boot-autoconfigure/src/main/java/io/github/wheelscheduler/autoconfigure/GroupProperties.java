package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.system.JavaVersion;

/**
 * Settings of a group: a scheduler bean of its name with its own workers on the wheel of the auto-configured one.
 *
 * @param maxSize Maximum number of tasks that run at a time. That of the scheduler unless set.
 * @param queueCapacity How many due tasks wait in the queue while as many run as may.
 * @param onFull What becomes of a run that is due while the group is full: wait, reject or drop.
 * @param virtualThreads Whether each run has a virtual thread. As the scheduler unless set.
 */
record GroupProperties(
        @Nullable Integer maxSize,
        @DefaultValue("64") int queueCapacity,
        @DefaultValue("wait") OnFull onFull,
        @Nullable Boolean virtualThreads) {

    /** Checks the values; an exception names the property. */
    void check(String name) {
        UnusablePropertyException.unless(
                maxSize == null || maxSize >= 1, property(name, "max-size"), maxSize, "must be at least 1", "16");
        UnusablePropertyException.unless(
                queueCapacity >= 0, property(name, "queue-capacity"), queueCapacity, "must not be negative", "64");
        UnusablePropertyException.unless(
                !Boolean.TRUE.equals(virtualThreads)
                        || JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE),
                property(name, "virtual-threads"),
                virtualThreads,
                "must not be true before JDK 21",
                "false");
    }

    private static String property(String name, String setting) {
        return GroupBeans.PROPERTY + "." + name + "." + setting;
    }

    /** Makes the scheduler, which has the settings of the other one and is not initialized yet, a group of that. */
    void applyTo(WheelTaskScheduler group, String name, WheelTaskScheduler scheduler) {
        group.setGroupOf(scheduler, name, queueCapacity, onFull);
        group.setThreadNamePrefix(name + "-");
        if (virtualThreads != null) {
            group.setVirtualThreads(virtualThreads);
        }
        if (maxSize != null) {
            group.setPoolSize(maxSize);
        }
    }
}
