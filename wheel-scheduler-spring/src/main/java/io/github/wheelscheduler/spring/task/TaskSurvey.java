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
     * The tasks of one scheduler, all of them counted. Each page has at most the requested number of tasks.
     *
     * @param tasks the number of tasks
     * @param waiting the number of tasks that wait for their time
     * @param pausedAfterFailures the ids of tasks that have been paused because of their failures, in their order
     * @param failing tasks whose last run failed, the last failure first
     * @param overdue tasks whose next run is late by more than the grace allows; the latest one alone
     * @param running tasks that are running
     * @param overrunning tasks whose last runs each took longer than the time to the next one
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
