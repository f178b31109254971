package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers.named;
import static io.github.wheelscheduler.internal.DurationWords.about;

import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import io.github.wheelscheduler.autoconfigure.endpoint.SchedulerDescriptor.State;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskQuery;
import io.github.wheelscheduler.spring.task.TaskSurvey;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules for the tasks of a scheduler or a group. Of many tasks, one sentence names the worst.
 *
 * @param seen the scheduler
 * @param tasks what was seen of its tasks
 * @param now by its clock
 */
record TaskFindings(SchedulerDescriptor seen, TaskSurvey.OfScheduler tasks, Instant now) {

    /** So many tasks are looked at closely. */
    static final int MOST_LOOKED_AT = 100;

    private static final int MOST_NAMED = 3;
    private static final int MANY_FAILURES = 3;

    // A run takes long if all of these are met.
    private static final int LEAST_RUNS = 3;
    private static final int TIMES_LONGEST = 3;
    private static final Duration LONG = Duration.ofSeconds(10);

    List<Finding> all() {
        return Stream.of(pausedAfterFailures(), failing(), overdue(), overruns(), longRun())
                .filter(Objects::nonNull)
                .toList();
    }

    @Nullable
    Finding pausedAfterFailures() {
        List<String> ids = tasks.pausedAfterFailures();
        if (ids.isEmpty()) {
            return null;
        }
        String first =
                ids.stream().limit(MOST_NAMED).map(EndpointAnswers::named).collect(Collectors.joining(", "));
        String text = ids.size() == 1
                ? first + " has been paused, as it failed too often in a row"
                : ids.size() + " tasks have been paused, as they failed too often in a row: " + first
                        + (ids.size() > MOST_NAMED ? " and others" : "");
        return finding("pausedAfterFailures", Severity.ERROR, ids.get(0), text);
    }

    @Nullable
    Finding failing() {
        TaskQuery.Page<TaskInfo> page = tasks.failing();
        if (page.tasks().isEmpty()) {
            return null;
        }
        TaskInfo worst = page.tasks().stream()
                .max(Comparator.comparingLong(TaskInfo::failuresInARow))
                .orElseThrow();
        long inARow = worst.failuresInARow();
        String others = page.total() == 1 ? "" : page.total() + " tasks fail, most often ";
        String text = inARow < 2
                ? (others.isEmpty() ? "the last run of " : page.total() + " tasks fail; the last run of ")
                        + named(worst.id()) + " failed" + with(worst, " with ")
                : others + named(worst.id()) + (others.isEmpty() ? " has failed " : ", ") + inARow + " times in a row"
                        + with(worst, ", last with ");
        Severity severity = inARow < MANY_FAILURES ? Severity.WARNING : Severity.ERROR;
        return finding("failing", severity, worst.id(), text);
    }

    private static String with(TaskInfo task, String before) {
        return task.recent().stream()
                .map(RunOutcome::failure)
                .filter(Objects::nonNull)
                .findFirst()
                .map(failure -> {
                    String type = failure.type().substring(failure.type().lastIndexOf('.') + 1);
                    return before
                            + type
                            + (failure.message().isEmpty() ? "" : ": " + EndpointAnswers.printable(failure.message()));
                })
                .orElse("");
    }

    /** Tasks are late by more than the grace allows, while nobody wants that. */
    @Nullable
    Finding overdue() {
        if (seen.state() != State.RUNNING) {
            return null;
        }
        TaskQuery.Page<TaskInfo> page = tasks.overdue();
        if (page.tasks().isEmpty()) {
            return null;
        }
        TaskInfo worst = page.tasks().get(0);
        String by = " by " + about(worst.lateBy());
        return finding(
                "overdue",
                Severity.WARNING,
                worst.id(),
                page.total() == 1
                        ? named(worst.id()) + " is overdue" + by
                        : page.total() + " tasks are overdue, the most " + named(worst.id()) + "," + by);
    }

    /** Each run takes longer than it is to the next one, so the task can never be on time. */
    @Nullable
    Finding overruns() {
        TaskQuery.Page<TaskInfo> page = tasks.overrunning();
        TaskInfo worst = page.tasks().stream()
                .max(Comparator.comparing(TaskFindings::longest))
                .orElse(null);
        if (worst == null) {
            return null;
        }
        String each = named(worst.id()) + " is to run " + ScheduleWords.of(worst.schedule())
                + ", but each of its last runs took longer, up to " + about(longest(worst));
        return finding(
                "overruns",
                Severity.WARNING,
                worst.id(),
                page.total() == 1 ? each : page.total() + " tasks overrun all the time: " + each);
    }

    /** Runs go on for much longer than the ones before. */
    @Nullable
    Finding longRun() {
        List<TaskInfo> found =
                tasks.running().tasks().stream().filter(this::isLong).toList();
        if (found.isEmpty()) {
            return null;
        }
        TaskInfo worst = found.stream().min(Comparator.comparing(this::since)).orElseThrow();
        String text = " has been going on for " + about(Duration.between(since(worst), now)) + "; its last "
                + worst.recent().size() + " took " + about(longest(worst)) + " at most";
        return finding(
                "longRun",
                Severity.WARNING,
                worst.id(),
                (found.size() == 1
                                ? "a run of " + named(worst.id())
                                : found.size() + " runs take much longer than usual: that of " + named(worst.id()))
                        + text);
    }

    private boolean isLong(TaskInfo task) {
        Duration goesOn = Duration.between(since(task), now);
        return task.recent().size() >= LEAST_RUNS
                && goesOn.compareTo(LONG) >= 0
                && goesOn.compareTo(longest(task).multipliedBy(TIMES_LONGEST)) > 0;
    }

    private Instant since(TaskInfo task) {
        return Objects.requireNonNullElse(task.runningSince(), now);
    }

    private static Duration longest(TaskInfo task) {
        return task.recent().stream()
                .map(RunOutcome::duration)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    private Finding finding(String rule, Severity severity, String task, String text) {
        return Finding.of(seen, rule, severity, task, text);
    }
}
