package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task and its condition at one moment.
 *
 * @param id the same after a restart, as long as tasks are scheduled in the same order
 * @param origin its origin
 * @param schedule its schedule
 * @param configured the schedule of its code and settings, to which a reset returns it; null unless it has been
 *     re-timed
 * @param settings its settings
 * @param state its state
 * @param next its next due time; null while a run keeps it waiting, and when it is over
 * @param lateBy the lateness of its next run by now; zero if it is not late
 * @param overdue whether that is more than the registry's grace allows
 * @param runningSince the start of the first active run; null if there is none
 * @param lastSuccess the time when it last ended well, also {@linkplain TaskRegistry#recall before this process}; null
 *     if it never has
 * @param lastFailure the time when a run of it last failed, likewise; null if none has
 * @param runs the number of its runs so far
 * @param failures the number of those runs that failed
 * @param failuresInARow the number of runs that have failed since the last success
 * @param pausedAfterFailures whether it has been paused because of them
 * @param skips the number of runs that did not take place when they were due
 * @param missed the number of runs of a fixed rate, or instants of a cron, that were missed while the task or the
 *     scheduler was busy, and were not caught up
 * @param overruns the number of runs that took longer than the time to the next one
 * @param recent the last outcomes, at most ten, that of the run which ended last first
 */
public record TaskInfo(
        String id,
        Origin origin,
        TaskSchedule schedule,
        @Nullable TaskSchedule configured,
        TaskSettings settings,
        State state,
        @Nullable Instant next,
        Duration lateBy,
        boolean overdue,
        @Nullable Instant runningSince,
        @Nullable Instant lastSuccess,
        @Nullable Instant lastFailure,
        long runs,
        long failures,
        long failuresInARow,
        boolean pausedAfterFailures,
        long skips,
        long missed,
        long overruns,
        List<RunOutcome> recent) {

    /** Returns the outcome of the last run; null if there has been none. */
    public @Nullable RunOutcome last() {
        return recent.isEmpty() ? null : recent.get(0);
    }

    /**
     * The kind of a task, for callers that need no more than that.
     *
     * @param origin its origin
     * @param named whether it was given a name, by the code that has scheduled it or as a {@link
     *     io.github.wheelscheduler.NamedTask}
     * @param repeating whether one run follows the other
     */
    public record Sort(Origin origin, boolean named, boolean repeating) {}

    /**
     * The stack of a thread in a run.
     *
     * @param thread the name of the thread
     * @param state of the thread
     * @param trace a line for each frame, the innermost first; of very deep stacks, no more than begins them
     */
    public record Stack(String thread, Thread.State state, String trace) {}

    /** The origin of a task. */
    public enum Origin {
        /** Spring, usually for a {@code @Scheduled} method. */
        ANNOTATED,
        /** Code that has given it a name. */
        NAMED,
        /** Code that has given it no name. */
        PROGRAMMATIC
    }

    /** The state of a task. */
    public enum State {
        /** It waits for its time. */
        PENDING,
        /**
         * It is running. There may be a next run if this one has returned and continues, as that of a reactive method.
         */
        RUNNING,
        /** It has been paused: runs that become due do not take place. */
        PAUSED,
        /** Its settings say that it does not run. It can be triggered; resuming or re-timing it enables it. */
        DISABLED,
        /** It will not run again. */
        OVER
    }
}
