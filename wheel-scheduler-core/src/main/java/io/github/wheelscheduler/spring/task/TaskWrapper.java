package io.github.wheelscheduler.spring.task;

/** What a timer runs in place of a task, and knows it. */
public interface TaskWrapper {

    /** Returns the task. */
    Runnable wrapped();
}
