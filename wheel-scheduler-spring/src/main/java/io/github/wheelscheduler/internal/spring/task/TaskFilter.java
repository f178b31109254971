package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskQuery;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** Which tasks a query is for, in any order. One thread. */
final class TaskFilter {

    private final List<String> words;
    private final Set<TaskQuery.Condition> conditions;

    TaskFilter(TaskQuery query) {
        this.words = Stream.of(lower(query.text()).split("\\s+", -1))
                .filter(word -> !word.isEmpty())
                .toList();
        this.conditions = EnumSet.noneOf(TaskQuery.Condition.class);
        boolean ignored = conditions.addAll(query.conditions());
    }

    boolean isFound(SearchedTask searched) {
        return (words.isEmpty() || hasWords(searched)) && (conditions.isEmpty() || isIn(searched));
    }

    /** Whether each word is in the id or, of a task whose last run failed, in the error. */
    private boolean hasWords(SearchedTask searched) {
        String id = lower(searched.task.id());
        String error = null;
        for (String word : words) {
            if (!id.contains(word)) {
                if (error == null) {
                    error = errorOf(searched);
                }
                if (!error.contains(word)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static String errorOf(SearchedTask searched) {
        RunOutcome.LastError last = searched.isFailing() ? searched.task.guard().lastError() : null;
        return last == null ? "" : lower(last.type() + ": " + last.message());
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
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
