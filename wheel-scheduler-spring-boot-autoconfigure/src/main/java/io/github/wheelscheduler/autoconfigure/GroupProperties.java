package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.autoconfigure.NamedSettings.Written;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.system.JavaVersion;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;

/**
 * Settings of a group: a scheduler bean of its name with its own workers on the wheel of the auto-configured one.
 *
 * @param maxSize Maximum number of tasks that run at a time. That of the scheduler unless set.
 * @param queueCapacity Maximum number of due tasks that wait in the queue while the group is full.
 * @param onFull Treatment of runs that are due while the group is full: wait, reject or drop.
 * @param startTolerance Maximum delay of the runs of repeating tasks so that they share a wake-up with others. As the
 *     scheduler unless set.
 * @param virtualThreads Whether each run has a virtual thread. As the scheduler unless set.
 */
record GroupProperties(
        @Nullable Integer maxSize,
        @DefaultValue("64") int queueCapacity,
        @DefaultValue("wait") OnFull onFull,
        @Nullable Duration startTolerance,
        @Nullable Boolean virtualThreads) {

    private static final Log logger = LogFactory.getLog(GroupProperties.class);

    /**
     * Returns the names of all groups: as they are written; a variable of the environment means the one that differs by
     * case or dashes.
     */
    static Set<String> namesIn(NamedSettings written) {
        return propertiesIn(written, ambiguity -> {}).keySet();
    }

    /** Returns all groups that the properties name, after a check. */
    static Map<String, GroupProperties> allOf(Environment environment) {
        NamedSettings written = new NamedSettings(environment, GroupBeans.PROPERTY, GroupProperties.class);
        Map<String, GroupProperties> all = new LinkedHashMap<>();
        if (written.layers().isEmpty()) {
            return all;
        }
        propertiesIn(written, logger::warn).forEach((name, properties) -> {
            GroupProperties group = written.bind(name, properties, GroupProperties.class);
            group.check(written.textOf(name));
            all.put(name, group);
        });
        return all;
    }

    private static Map<String, Map<String, Written>> propertiesIn(NamedSettings written, Consumer<String> ambiguities) {
        Map<String, Map<String, Written>> groups = new LinkedHashMap<>();
        written.layers()
                .forEach(layer -> layer.named().forEach((name, properties) -> {
                    if (!isOfEnvironment(properties)) {
                        groups.put(name, new HashMap<>());
                    }
                }));
        for (NamedSettings.Layer layer : written.layers()) {
            layer.named().forEach((name, properties) -> {
                List<String> meant = isOfEnvironment(properties) && !groups.containsKey(name)
                        ? groups.keySet().stream()
                                .filter(one -> NamedSettings.uniform(one).equals(NamedSettings.uniform(name)))
                                .toList()
                        : List.of(name);
                if (meant.size() > 1) {
                    ambiguities.accept(properties.values().iterator().next().text() + " matches two groups, '"
                            + meant.get(0) + "' and '" + meant.get(1)
                            + "'. It has no effect; write the property in a file, with the name of one");
                } else {
                    groups.computeIfAbsent(meant.isEmpty() ? name : meant.get(0), unused -> new HashMap<>())
                            .putAll(properties);
                }
            });
            PropertySource<?> asked = layer.asked();
            if (asked != null) {
                groups.forEach((name, properties) -> properties.putAll(written.ask(asked, name)));
            }
        }
        return groups;
    }

    private static boolean isOfEnvironment(Map<String, Written> properties) {
        return properties.values().iterator().next().isOfEnvironment();
    }

    /** Checks the values; an exception names the property. */
    private void check(String prefix) {
        UnusableSettingException.unless(
                maxSize == null || maxSize >= 1, prefix + ".max-size", maxSize, "must be at least 1", "16");
        UnusableSettingException.unless(
                queueCapacity >= 0, prefix + ".queue-capacity", queueCapacity, "must not be negative", "64");
        UnusableSettingException.unless(
                startTolerance == null || !startTolerance.isNegative(),
                prefix + ".start-tolerance",
                startTolerance,
                "must not be negative",
                "1s");
        UnusableSettingException.unless(
                !Boolean.TRUE.equals(virtualThreads)
                        || JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE),
                prefix + ".virtual-threads",
                virtualThreads,
                "must not be true before JDK 21",
                "false");
    }

    /**
     * Makes the scheduler, which has the settings of the other one and is not initialized yet, a group of that. Where
     * that is a mock, it keeps a wheel of its own.
     */
    void applyTo(WheelTaskScheduler group, String name, WheelTaskScheduler scheduler) {
        WheelTaskScheduler real = WheelSchedulers.onTheWheel(scheduler);
        if (real != null) {
            group.setGroupOf(real, name, queueCapacity, onFull);
        }
        group.setThreadNamePrefix(name + "-");
        if (virtualThreads != null) {
            group.setVirtualThreads(virtualThreads);
        }
        if (startTolerance != null) {
            group.setStartTolerance(startTolerance);
        }
        if (maxSize != null) {
            group.setPoolSize(maxSize);
        }
    }
}
