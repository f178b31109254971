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

    boolean isFound(SearchedTask searched) {
        return (text.isEmpty() || searched.task.id().toLowerCase(Locale.ROOT).contains(text))
                && (conditions.isEmpty() || isIn(searched));
    }

    private boolean isIn(SearchedTask searched) {
        for (TaskQuery.Condition condition : conditions) {
            if (meets(searched, condition)) {
                return true;
            }
        }
        return false;
    }

    private static boolean meets(SearchedTask searched, TaskQuery.Condition condition) {
        return switch (condition) {
            case OVERDUE -> searched.isOverdue();
            case FAILING -> searched.isFailing();
            case OVERRUNNING -> searched.task.guard().isOverrunning();
            case PAUSED -> searched.state() == TaskInfo.State.PAUSED;
            case RUNNING -> searched.state() == TaskInfo.State.RUNNING;
            case PENDING -> searched.state() == TaskInfo.State.PENDING;
            case DISABLED -> searched.state() == TaskInfo.State.DISABLED;
            case OVER -> searched.state() == TaskInfo.State.OVER;
        };
    }
}
