package io.github.wheelscheduler.spring.task;

import java.time.Duration;

/** Is told what is worth a word in the log. On the thread where it happens; should be quick. */
public interface TaskWatch {

    /** A run of the task with that id took longer than it is to the next one. */
    void overran(String id, TaskSchedule schedule, long nanos);

    /** So many runs of a task were missed and are not made up; all those before were on time. */
    void missed(String id, TaskSchedule schedule, long runs);

    /** A task has been paused, as so many of its runs have failed in a row. */
    void pausedAfterFailures(String id, long failures);

    /** A task has come whose runs are to be interrupted when they take longer. */
    void limited(Duration timeLimit);
}
