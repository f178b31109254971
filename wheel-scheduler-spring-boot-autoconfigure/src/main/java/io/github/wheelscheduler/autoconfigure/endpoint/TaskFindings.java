package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers.named;
import static io.github.wheelscheduler.internal.DurationWords.about;

import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskQuery;
import io.github.wheelscheduler.spring.task.TaskSurvey;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules for the tasks of a scheduler or a group. Of many tasks, one sentence names the worst.
 *
 * @param seen the scheduler
 * @param tasks the survey of its tasks
 * @param now by its clock
 * @param longest the duration of a run beyond which there is a warning; null if the settings have none
 * @param traceUrls returns the address of the trace of a task's last failure; null if that is unknown
 */
record TaskFindings(
        SchedulerDescriptor seen,
        TaskSurvey.OfScheduler tasks,
        Instant now,
        @Nullable Duration longest,
        Function<String, @Nullable String> traceUrls) {

    /** So many tasks are looked at closely. */
    static final int MOST_LOOKED_AT = 100;

    private static final int MOST_NAMED = 3;
    private static final int MANY_FAILURES = 3;

    // A run takes long if all of these are met.
    private static final int LEAST_RUNS = 3;
    private static final int TIMES_LONGEST = 3;
    private static final Duration LONG = Duration.ofSeconds(10);

    /** From then on it is said that one of the first runs is active. */
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static final String WHERE = "; a thread dump may show the reason";

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
                ? "Task " + first + " was paused after too many failures in a row"
                : ids.size() + " tasks were paused after too many failures in a row: " + first
                        + (ids.size() > MOST_NAMED ? " and others" : "");
        return finding("pausedAfterFailures", Severity.ERROR, ids.get(0), ids.size(), text)
                .withTrace(traceUrls.apply(ids.get(0)));
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
        boolean isOnly = page.total() == 1;
        String name = named(worst.id());
        String text;
        if (inARow < 2) {
            text = (isOnly ? "The" : page.total() + " tasks are failing; the") + " last run of " + name + " failed"
                    + with(worst, " with ");
        } else {
            text = (isOnly
                            ? "Task " + name + " has failed " + inARow + " times in a row"
                            : page.total() + " tasks are failing, " + name + " most often (" + inARow
                                    + " times in a row)")
                    + with(worst, ", last with ");
        }
        Severity severity = inARow < MANY_FAILURES ? Severity.WARNING : Severity.ERROR;
        return finding("failing", severity, worst.id(), page.total(), text).withTrace(traceUrls.apply(worst.id()));
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

    /** Tasks are late by more than the grace allows. */
    @Nullable
    Finding overdue() {
        TaskQuery.Page<TaskInfo> page = tasks.overdue();
        if (page.tasks().isEmpty()) {
            return null;
        }
        TaskInfo worst = page.tasks().get(0);
        String by = about(worst.lateBy());
        return finding(
                "overdue",
                Severity.WARNING,
                worst.id(),
                page.total(),
                page.total() == 1
                        ? "Task " + named(worst.id()) + " is overdue by " + by
                        : page.total() + " tasks are overdue, " + named(worst.id()) + " the longest (" + by + ")");
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
        String each = named(worst.id()) + " runs " + ScheduleWords.of(worst.schedule()) + " and takes up to "
                + about(longest(worst));
        return finding(
                "overruns",
                Severity.WARNING,
                worst.id(),
                page.total(),
                page.total() == 1
                        ? "Task " + each + ", longer than its interval"
                        : page.total() + " tasks take longer than their interval: " + each);
    }

    /** Runs are active for much longer than the ones before, or than the settings allow. */
    @Nullable
    Finding longRun() {
        List<TaskInfo> found = tasks.running().tasks().stream()
                .filter(task -> isLong(task) || isPastLimit(task))
                .toList();
        if (found.isEmpty()) {
            return stillRunning();
        }
        TaskInfo worst = found.stream().min(Comparator.comparing(this::since)).orElseThrow();
        int runs = worst.recent().size();
        String usual = runs == 0
                ? ""
                : "; its last " + (runs == 1 ? "run took " : runs + " runs took at most ") + about(longest(worst));
        return finding(
                "longRun",
                Severity.WARNING,
                worst.id(),
                found.size(),
                (found.size() == 1 ? "Task " : found.size() + " tasks are running much longer than usual: ")
                        + named(worst.id()) + " has been running for " + about(runningFor(worst)) + usual + WHERE);
    }

    private boolean isPastLimit(TaskInfo task) {
        return longest != null && runningFor(task).compareTo(longest) > 0;
    }

    /** Finds runs of a minute whose usual duration is unknown. A run past its interval delays the next one. */
    private @Nullable Finding stillRunning() {
        List<TaskInfo> found = tasks.running().tasks().stream()
                .filter(task ->
                        task.recent().size() < LEAST_RUNS && runningFor(task).compareTo(MINUTE) >= 0)
                .toList();
        if (found.isEmpty()) {
            return null;
        }
        TaskInfo worst = found.stream()
                .min(Comparator.<TaskInfo, Boolean>comparing(task -> !isPastInterval(task))
                        .thenComparing(this::since))
                .orElseThrow();
        String others = found.size() == 1 ? "Task " : found.size() + " tasks are still running: ";
        String text = others + named(worst.id()) + " has been running for " + about(runningFor(worst));
        return isPastInterval(worst)
                ? finding(
                        "longRun",
                        Severity.WARNING,
                        worst.id(),
                        found.size(),
                        text + ", longer than its interval" + WHERE)
                : finding("longRun", Severity.INFO, worst.id(), found.size(), text + WHERE);
    }

    private boolean isPastInterval(TaskInfo task) {
        Duration interval =
                task.schedule().countsFromEnd() ? null : task.schedule().intervalAfter(since(task));
        return interval != null && runningFor(task).compareTo(interval) > 0;
    }

    private Duration runningFor(TaskInfo task) {
        return Duration.between(since(task), now);
    }

    private boolean isLong(TaskInfo task) {
        Duration goesOn = runningFor(task);
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

    private Finding finding(String rule, Severity severity, String task, int count, String text) {
        return Finding.of(seen, rule, severity, task, count, text);
    }
}
