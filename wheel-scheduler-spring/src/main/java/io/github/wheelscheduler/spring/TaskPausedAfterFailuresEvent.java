package io.github.wheelscheduler.spring;

import org.springframework.context.ApplicationEvent;

/**
 * A task has been paused, as too many of its runs in a row have failed. Published on the thread of the last of them.
 */
@SuppressWarnings("serial")
public final class TaskPausedAfterFailuresEvent extends ApplicationEvent {

    private final String taskId;
    private final long failures;

    TaskPausedAfterFailuresEvent(WheelTaskScheduler scheduler, String taskId, long failures) {
        super(scheduler);
        this.taskId = taskId;
        this.failures = failures;
    }

    /** Returns the scheduler of the task, whose registry can resume it. */
    public WheelTaskScheduler getScheduler() {
        return (WheelTaskScheduler) getSource();
    }

    /** Returns the id of the task. */
    public String getTaskId() {
        return taskId;
    }

    /** Returns how many runs in a row have failed. */
    public long getFailures() {
        return failures;
    }
}
