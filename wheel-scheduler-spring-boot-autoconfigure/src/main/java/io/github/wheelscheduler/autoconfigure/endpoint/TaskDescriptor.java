package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A task at one moment.
 *
 * @param scheduler the name of its scheduler
 * @param configured the schedule of the code and the settings in English; null unless the task was re-timed
 * @param settings its settings, as properties name them
 * @param next its next due time; null while a run keeps it waiting, and when it is over
 * @param lateBy the lateness of its next run by now
 * @param overdue whether that is more than the grace allows
 * @param runningSince the start of the first active run; null if there is none
 * @param last the last run; null if there has been none
 * @param lastSuccess the time when a run last ended well; null if none has
 * @param lastFailure the time when a run last failed; null if none has
 * @param failuresInARow the number of runs that have failed since the last success
 * @param pausedAfterFailures whether it has been paused because of them
 * @param skips the number of runs that did not take place when they were due
 * @param missed the number of runs of a fixed rate, or instants of a cron, that were missed and not caught up
 * @param overruns the number of runs that took longer than the time to the next one
 * @param recent the last runs, at most ten, the one that ended last first
 * @param upcoming the next runs, as if it were not paused; null in a list
 * @param skipped local times in the zone of the schedule at which it would run if clocks did not go forward; null in a
 *     list
 * @param settingSources the source of each setting, by the names of the settings; null in a list
 * @param lastError the exception of the run that failed last; null in a list, and if none has failed
 * @param zone the zone that a cron without one gets if the task is re-timed to it; null in a list
 * @param steering whether the endpoint may be written to; null in a list
 */
public record TaskDescriptor(
        String id,
        String scheduler,
        TaskInfo.Origin origin,
        Schedule schedule,
        @Nullable String configured,
        Map<String, String> settings,
        TaskInfo.State state,
        @Nullable Instant next,
        Duration lateBy,
        boolean overdue,
        @Nullable Instant runningSince,
        @Nullable Run last,
        @Nullable Instant lastSuccess,
        @Nullable Instant lastFailure,
        long runs,
        long failures,
        long failuresInARow,
        boolean pausedAfterFailures,
        long skips,
        long missed,
        long overruns,
        List<Run> recent,
        @Nullable List<Instant> upcoming,
        @Nullable List<LocalDateTime> skipped,
        @Nullable Map<String, String> settingSources,
        @Nullable Thrown lastError,
        @Nullable String zone,
        @Nullable Boolean steering)
        implements OperationResponseBody {

    private static final int MOST_UPCOMING = 5;

    /** Returns a task as a list shows it. */
    static TaskDescriptor of(String scheduler, TaskInfo task) {
        return of(scheduler, task, null, null, null, null, null, null);
    }

    /** Returns a task with all that is known of it. */
    static TaskDescriptor inFull(
            SchedulerBeans.Named found, TaskInfo task, boolean steering, @Nullable String traceUrl) {
        List<Instant> upcoming = found.registry().upcoming(task.id(), MOST_UPCOMING);
        List<LocalDateTime> skipped = SkippedRuns.of(
                task.schedule(),
                task.schedule().zone(),
                found.scheduler().getClock().instant(),
                upcoming);
        return of(
                found.name(),
                task,
                found.registry(),
                upcoming,
                skipped,
                TaskSteering.usualZone(found, task, null),
                steering,
                traceUrl);
    }

    private static TaskDescriptor of(
            String scheduler,
            TaskInfo task,
            @Nullable TaskRegistry registry,
            @Nullable List<Instant> upcoming,
            @Nullable List<LocalDateTime> skipped,
            @Nullable String zone,
            @Nullable Boolean steering,
            @Nullable String traceUrl) {
        TaskSchedule configured = task.configured();
        List<Run> recent =
                task.recent().stream().map(run -> Run.of(run, traceUrl)).toList();
        return new TaskDescriptor(
                task.id(),
                scheduler,
                task.origin(),
                Schedule.of(task.schedule()),
                configured == null ? null : ScheduleWords.of(configured),
                task.settings().toMap(),
                task.state(),
                task.next(),
                task.lateBy(),
                task.overdue(),
                task.runningSince(),
                recent.isEmpty() ? null : recent.get(0),
                task.lastSuccess(),
                task.lastFailure(),
                task.runs(),
                task.failures(),
                task.failuresInARow(),
                task.pausedAfterFailures(),
                task.skips(),
                task.missed(),
                task.overruns(),
                recent,
                upcoming,
                skipped,
                registry == null ? null : registry.settingSources(task.id()),
                registry == null
                        ? null
                        : registry.lastError(task.id())
                                .map(error -> Thrown.of(error, traceUrl))
                                .orElse(null),
                zone,
                steering);
    }

    /**
     * When a task runs.
     *
     * @param kind {@code fixedRate}, {@code fixedDelay}, {@code cron}, {@code once}, as in a request to re-time, or
     *     {@code trigger}
     * @param text the period, the delay, the cron expression, the trigger in its own words, or the instant
     * @param zone of the cron expression, as far as it is known; else null
     * @param words all but the zone in English
     */
    public record Schedule(
            String kind, String text, @Nullable String zone, String words) {

        private static Schedule of(TaskSchedule schedule) {
            ZoneId zone = schedule.zone();
            return new Schedule(
                    kindOf(schedule), schedule.text(), zone == null ? null : zone.getId(), ScheduleWords.of(schedule));
        }

        private static String kindOf(TaskSchedule schedule) {
            if (schedule instanceof TaskSchedule.FixedRate) {
                return "fixedRate";
            }
            return schedule instanceof TaskSchedule.FixedDelay ? "fixedDelay" : schedule.kind();
        }
    }

    /**
     * A run that has ended.
     *
     * @param lateness the lateness of its start
     * @param triggered whether it was triggered by hand, outside of the schedule
     * @param exception the name of the class of the exception; null if it succeeded
     * @param message of the exception; null if it succeeded
     * @param traceId of the trace that the run belonged to; null if it succeeded, or none is known
     * @param traceUrl the address of that trace, as {@link Thrown} has it
     */
    public record Run(
            Instant start,
            Duration duration,
            Duration lateness,
            boolean triggered,
            Outcome outcome,
            @Nullable String exception,
            @Nullable String message,
            @Nullable String traceId,
            @Nullable String traceUrl) {

        private static Run of(RunOutcome run, @Nullable String template) {
            RunOutcome.Failure failure = run.failure();
            String traceId = failure == null ? null : failure.traceId();
            return new Run(
                    run.startedAt(),
                    run.duration(),
                    run.lateness(),
                    run.triggered(),
                    failure == null ? Outcome.SUCCESS : Outcome.FAILURE,
                    failure == null ? null : failure.type(),
                    failure == null ? null : failure.message(),
                    traceId,
                    TraceUrl.of(template, traceId));
        }
    }

    /**
     * The exception that a run threw.
     *
     * @param exception the name of its class
     * @param trace its stack trace, cut if it is very long
     * @param traceId of the trace that the run belonged to; null if none is known
     * @param traceUrl the address of that trace; null unless {@code wheel.scheduler.trace-url} says it
     */
    public record Thrown(
            Instant at,
            String exception,
            String message,
            String trace,
            @Nullable String traceId,
            @Nullable String traceUrl) {

        private static Thrown of(RunOutcome.LastError error, @Nullable String template) {
            String id = error.traceId();
            return new Thrown(error.at(), error.type(), error.message(), error.trace(), id, TraceUrl.of(template, id));
        }
    }

    /** The outcome of a run. */
    public enum Outcome {
        /** It went well. */
        SUCCESS,
        /** It threw something or, as a reactive one does, ended with an error. */
        FAILURE
    }
}
