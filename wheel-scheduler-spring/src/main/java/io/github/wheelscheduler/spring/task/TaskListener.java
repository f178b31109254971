package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.spring.run.RunOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of the tasks of a {@link TaskRegistry}, on the thread where they happen. It should be quick; what
 * it throws is logged once and never harms a task.
 */
public interface TaskListener {

    /** The task has come. */
    default void added(String id) {}

    /** The task has another schedule, perhaps of another kind. */
    default void retimed(String id) {}

    /** The task was refused, as its scheduler takes no more. It goes. */
    default void rejected(String id) {}

    /** The task, which was to run once, was cancelled before it ran. It goes. */
    default void cancelled(String id) {}

    /** The task has gone: it is over, or has been cancelled. */
    default void removed(String id) {}

    /**
     * Returns the object that receives the ends of the runs of one task, in place of this one. It is called before the
     * first of them that this listener receives, by each thread that ends such a run, and one result is kept for as
     * long as both are there. So an object that has the state of a task needs no look-up by the id at each run. By
     * default it is this listener.
     */
    default TaskListener ofRuns(String id) {
        return this;
    }

    /**
     * A run has ended. Of one that continued when its method had returned, that may be beside the next one, on the
     * thread where its publisher ended.
     *
     * @param overran whether it took longer than it is to the next run
     */
    default void ran(String id, RunOutcome outcome, boolean overran) {}

    /**
     * The same with the exception of the run, which a listener must not keep for long: it may refer to much. By default
     * it calls the other one.
     *
     * @param thrown the exception; null if the run has ended well
     */
    default void ran(String id, RunOutcome outcome, boolean overran, @Nullable Throwable thrown) {
        ran(id, outcome, overran);
    }

    /** So many runs were missed, and are not caught up. */
    default void missed(String id, long runs) {}

    /** The task has been paused after a number of failed runs in a row. */
    default void pausedAfterFailures(String id, long failures) {}

    /** A run did not take place. */
    default void skipped(String id, SkipReason reason) {}
}
