package io.github.wheelscheduler.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Schedules durable tasks. A task that is scheduled within a transaction of Spring's belongs to it: after a commit the
 * task will run, after a rollback it never does. All methods ask the database, and throw what Spring makes of its
 * errors. Any thread.
 */
public interface DurableTasks {

    /**
     * Schedules a task, unless there is one of that handler and id.
     *
     * @param handler a name that some node has a handler for; not necessarily this one
     * @param id the id of the task within its handler
     * @param payload the payload for the handler, null for none; it is written as JSON
     * @param at the time at which it is to run; the past means now
     * @return whether it has been scheduled; if not, nothing has changed, and the caller's transaction can go on
     * @throws IllegalArgumentException if handler or id is empty or longer than 250 characters, the handler ends in a
     *     space, the payload cannot be written, or no node has the handler and that {@linkplain
     *     DurableSettings.UnknownHandlers is to fail}
     */
    boolean schedule(String handler, String id, @Nullable Object payload, Instant at);

    /**
     * Schedules a task, perhaps with retries of its own.
     *
     * @return as {@link #schedule(String, String, Object, Instant)}
     */
    default boolean schedule(String handler, DurableRequest request) {
        return scheduleAll(handler, List.of(request)) == 1;
    }

    /**
     * Schedules a task for so long from now, by the database's clock.
     *
     * @param delay not negative; zero for now
     * @return as {@link #schedule(String, String, Object, Instant)}
     */
    boolean schedule(String handler, String id, @Nullable Object payload, Duration delay);

    /**
     * Schedules a task, or replaces the payload and time of the one of that id unless a node has claimed it. A replaced
     * task has all its retries again.
     *
     * @return the outcome
     */
    Replacement replace(String handler, String id, @Nullable Object payload, Instant at);

    /**
     * The same, perhaps with retries of its own; without, the task has those of its handler from now on.
     *
     * @return as {@link #replace(String, String, Object, Instant)}
     */
    Replacement replace(String handler, DurableRequest request);

    /** The outcome of {@link #replace}. */
    enum Replacement {
        /** There was no task of that id, and now there is. */
        SCHEDULED,
        /** There was one, and this one is in its place. */
        REPLACED,
        /** A node has claimed the one that there is, and runs it or is about to: nothing has changed. */
        RUNNING
    }

    /**
     * Schedules tasks of a handler in one batch, without the ones that are there already.
     *
     * @return the number of tasks that have been scheduled
     * @throws IllegalArgumentException as {@link #schedule}; then none is
     */
    int scheduleAll(String handler, List<DurableRequest> requests);

    /**
     * Deletes a task that nobody has claimed, or that has failed for good.
     *
     * @return whether it was in time; false also if there is no such task
     */
    boolean cancel(String handler, String id);

    /**
     * Cancels a task also if a node has it: that node does not start it, or interrupts its run. Waits until the node
     * has answered, for so long at most. The request stays: a current run is interrupted as soon as its node reads the
     * request, and its task is gone when the run ends, however it ends. While a transaction has locked the row, nothing
     * can be asked for.
     *
     * @param limit the maximum time to wait for the node, up to 1 hour; zero for not at all. Without a notification, a
     *     node reads the request with its next heartbeat
     * @return the progress of the cancellation
     * @throws IllegalStateException within a transaction, as another node answers
     */
    Cancellation cancel(String handler, String id, Duration limit);

    /** The result of {@link #cancel(String, String, Duration)}. */
    enum Cancellation {
        /** It is gone, and nobody had started it, unless a run had failed before or its node had died. */
        CANCELLED,
        /** It was interrupted in its run, which has ended, and is gone. */
        INTERRUPTED,
        /** It still runs, its node has not read the request so far, or a transaction has locked its row. */
        RUNNING,
        /** The node that has it sends no heartbeats. If it is found dead, the task is gone. */
        UNHEARD,
        /** There is none: its run has succeeded, because it ignored the interrupt or the request came too late. */
        ABSENT
    }

    /**
     * Gives a task that nobody has claimed another time.
     *
     * @return whether it was in time; false also if there is no such task
     */
    boolean reschedule(String handler, String id, Instant at);

    /**
     * Makes a task that has failed for good run again, now, with as many retries as at first.
     *
     * @return whether there was such a task
     */
    boolean retry(String handler, String id);

    Optional<DurableTask> find(String handler, String id);

    /**
     * Returns tasks of a handler by id.
     *
     * @param state only those in that state; null for all
     * @param afterId only those with a greater id; null for the first page
     * @param limit the maximum number of tasks, 1 to 10,000
     */
    List<DurableTask> list(String handler, DurableTask.@Nullable State state, @Nullable String afterId, int limit);
}
