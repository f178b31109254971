package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.Map;

/** Makes the scheduler of each group, for the bean of its name. */
class SchedulerGroups {

    private final WheelTaskScheduler scheduler;
    private final WheelTaskSchedulerBuilder builder;
    private final Map<String, GroupProperties> groups;

    SchedulerGroups(
            WheelTaskScheduler scheduler, WheelTaskSchedulerBuilder builder, Map<String, GroupProperties> groups) {
        this.scheduler = scheduler;
        this.builder = builder;
        this.groups = groups;
    }

    /** Returns a new scheduler for the group of that name, not initialized yet. */
    WheelTaskScheduler newScheduler(String name) {
        GroupProperties group = groups.get(name);
        if (group == null) {
            throw new IllegalStateException(GroupBeans.PROPERTY + "." + name
                    + " must be set, as it was set when this application was processed ahead of time");
        }
        WheelTaskScheduler made = builder.build();
        group.applyTo(made, name, scheduler);
        return made;
    }
}
