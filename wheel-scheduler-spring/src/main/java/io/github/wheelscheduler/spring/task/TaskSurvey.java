package io.github.wheelscheduler.spring.task;

import java.util.List;
import java.util.Map;

/**
 * The result of one look at all tasks of some schedulers.
 *
 * @param <T> the details of a task of the page
 * @param page the requested tasks
 * @param schedulers the state of the tasks of each scheduler, by its name
 */
public record TaskSurvey<T>(TaskQuery.Page<T> page, Map<String, OfScheduler> schedulers) {

    /**
     * The tasks of one scheduler, all of them counted. Of each page, no more tasks are there than were asked for.
     *
     * @param tasks how many there are
     * @param waiting how many wait for their time
     * @param pausedAfterFailures the ids of tasks that have been paused because of their failures, in their order
     * @param failing tasks whose last run failed, the last failure first
     * @param overdue tasks whose next run is late by more than the grace allows; the latest one alone
     * @param running tasks that are running
     * @param overrunning tasks whose last runs each took longer than it was to the next one
     */
    public record OfScheduler(
            int tasks,
            int waiting,
            List<String> pausedAfterFailures,
            TaskQuery.Page<TaskInfo> failing,
            TaskQuery.Page<TaskInfo> overdue,
            TaskQuery.Page<TaskInfo> running,
            TaskQuery.Page<TaskInfo> overrunning) {}
}
