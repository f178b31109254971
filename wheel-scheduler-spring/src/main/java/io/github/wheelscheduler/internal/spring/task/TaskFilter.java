package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskQuery;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Which tasks a query is for, in any order. One thread. */
final class TaskFilter {

    private final String text;
    private final Set<TaskQuery.Condition> conditions;

    TaskFilter(TaskQuery query) {
        this.text = query.text().toLowerCase(Locale.ROOT);
        this.conditions = EnumSet.noneOf(TaskQuery.Condition.class);
        boolean ignored = conditions.addAll(query.conditions());
    }

    boolean isFound(TaskGlance glance) {
        return (text.isEmpty() || glance.task.id().toLowerCase(Locale.ROOT).contains(text))
                && (conditions.isEmpty() || isIn(glance));
    }

    private boolean isIn(TaskGlance glance) {
        for (TaskQuery.Condition condition : conditions) {
            if (meets(glance, condition)) {
                return true;
            }
        }
        return false;
    }

    private static boolean meets(TaskGlance glance, TaskQuery.Condition condition) {
        return switch (condition) {
            case OVERDUE -> glance.isOverdue();
            case FAILING -> glance.isFailing();
            case OVERRUNNING -> glance.task.guard().isOverrunning();
            case PAUSED -> glance.state() == TaskInfo.State.PAUSED;
            case RUNNING -> glance.state() == TaskInfo.State.RUNNING;
            case PENDING -> glance.state() == TaskInfo.State.PENDING;
            case DISABLED -> glance.state() == TaskInfo.State.DISABLED;
            case OVER -> glance.state() == TaskInfo.State.OVER;
        };
    }
}
