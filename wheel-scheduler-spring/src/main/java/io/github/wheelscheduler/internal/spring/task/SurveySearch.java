package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskQuery;
import io.github.wheelscheduler.spring.task.TaskQuery.Condition;
import io.github.wheelscheduler.spring.task.TaskQuery.Order;
import io.github.wheelscheduler.spring.task.TaskSurvey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Looks at each task of some schedulers once, for a page and for all that is said of each scheduler. One thread; to be
 * used once.
 */
public final class SurveySearch {

    private final List<TaskSearch.Room> rooms;
    private final TaskSearch page;
    private final List<OfRoom> each;

    /**
     * Makes one.
     *
     * @param most the maximum number of tasks of each sort that are shown of each scheduler
     * @throws IllegalArgumentException if the query's {@code after} is no place in this order
     */
    public SurveySearch(List<TaskSearch.Room> rooms, TaskQuery query, int most) {
        this.rooms = rooms;
        this.page = new TaskSearch(rooms, query);
        this.each = rooms.stream().map(room -> new OfRoom(room, most)).toList();
    }

    /**
     * Returns the result.
     *
     * @param shown returns the form in which a task of the page is shown, from the name of its scheduler and the task
     */
    public <T> TaskSurvey<T> survey(BiFunction<String, TaskInfo, T> shown) {
        TaskSearch.show(rooms, (room, searched) -> {
            page.see(room, searched);
            each.get(room).see(searched);
        });
        Map<String, TaskSurvey.OfScheduler> schedulers = new LinkedHashMap<>();
        for (int i = 0; i < rooms.size(); i++) {
            schedulers.put(rooms.get(i).name(), each.get(i).seen());
        }
        return new TaskSurvey<>(page.found(shown), schedulers);
    }

    /** The state of the tasks of one scheduler. */
    private static final class OfRoom {

        private final TaskSearch failing;
        private final TaskSearch overdue;
        private final TaskSearch running;
        private final TaskSearch overrunning;
        private final List<String> pausedAfterFailures = new ArrayList<>();
        private int tasks;
        private int waiting;

        OfRoom(TaskSearch.Room room, int most) {
            TaskQuery all = TaskQuery.ALL.part(0, most);
            List<TaskSearch.Room> alone = List.of(room);
            failing = new TaskSearch(alone, all.in(Condition.FAILING).orderedBy(Order.LAST_FAILURE, true));
            overdue = new TaskSearch(
                    alone,
                    all.in(Condition.OVERDUE).orderedBy(Order.LATENESS, true).part(0, Math.min(1, most)));
            running = new TaskSearch(alone, all.in(Condition.RUNNING));
            overrunning = new TaskSearch(alone, all.in(Condition.OVERRUNNING));
        }

        void see(SearchedTask searched) {
            tasks++;
            if (searched.isWaiting()) {
                waiting++;
            }
            if (searched.task.isPausedAfterFailures()) {
                boolean ignored = pausedAfterFailures.add(searched.task.id());
            }
            failing.see(0, searched);
            overdue.see(0, searched);
            running.see(0, searched);
            overrunning.see(0, searched);
        }

        TaskSurvey.OfScheduler seen() {
            Collections.sort(pausedAfterFailures);
            return new TaskSurvey.OfScheduler(
                    tasks,
                    waiting,
                    List.copyOf(pausedAfterFailures),
                    failing.found((name, task) -> task),
                    overdue.found((name, task) -> task),
                    running.found((name, task) -> task),
                    overrunning.found((name, task) -> task));
        }
    }
}
