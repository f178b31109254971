package io.github.wheelscheduler.internal.spring.task;

import static io.github.wheelscheduler.internal.DurationWords.about;
import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.internal.LogLimit;
import io.github.wheelscheduler.internal.spring.run.GatheredLine;
import io.github.wheelscheduler.internal.spring.run.LogTime;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/** The warnings of a scheduler about itself, with the name of the task, each kind once a minute at most. */
public final class SchedulerWarnings {

    private static final int STACK_DEPTH = 30;

    /**
     * The number of tasks paused in a minute that get a line each; the others share one, as a common cause may fail
     * many at once.
     */
    private static final int MOST_PAUSES = 3;

    private static final String UNTIL = "continues when it is resumed or a triggered run succeeds";

    private static final String REMEDY =
            ". Unless the process was stopped or suspended, shorten runs or allow more workers";

    private final Log logger;
    private final Supplier<String> scheduler;
    private final LogTime time;
    private final GatheredLine missedRuns;

    /** Since the last line of missed runs: instants of crons are counted up to a number only. */
    private volatile boolean isAtLeast;

    private final List<LogLimit> firstPauses = new ArrayList<>(MOST_PAUSES);
    private final GatheredLine otherPauses;
    private final LogLimit oversleeps;
    private final LogLimit queueWaits;
    private final LogLimit overruns;
    private final LogLimit longRuns;
    private final LogLimit interrupts;
    private volatile Function<Thread, @Nullable String> traces = thread -> null;

    /**
     * Creates one without pending lines.
     *
     * @param scheduler returns how each line begins
     */
    public SchedulerWarnings(Log logger, Supplier<String> scheduler, LogTime time) {
        this.logger = logger;
        this.scheduler = scheduler;
        this.time = time;
        Consumer<String> warn = this::warn;
        this.missedRuns = new GatheredLine(this::missedText, warn, time);
        this.otherPauses = new GatheredLine(SchedulerWarnings::pausedText, warn, time);
        for (int i = 0; i < MOST_PAUSES; i++) {
            firstPauses.add(newLimit());
        }
        this.oversleeps = newLimit();
        this.queueWaits = newLimit();
        this.overruns = newLimit();
        this.longRuns = newLimit();
        this.interrupts = newLimit();
    }

    private LogLimit newLimit() {
        return new LogLimit(time.nanoClock());
    }

    void overslept(long nanos, Object task) {
        warn(
                oversleeps,
                () -> "The tick thread overslept by " + about(Duration.ofNanos(nanos))
                        + ", for instance because the machine was suspended or a garbage collection stopped it; "
                        + NamedTask.of(task)
                        + " is late. Check garbage collection and the processor quota");
    }

    void cannotKeepUp(long nanos, Object task, WheelScheduledExecutor executor) {
        warn(queueWaits, () -> {
            WheelSnapshot seen = executor.snapshot();
            return "The workers cannot keep up: " + NamedTask.of(task) + " has waited " + about(Duration.ofNanos(nanos))
                    + " for one; " + seen.ready() + " due tasks wait, and " + seen.active() + " of " + seen.workers()
                    + " workers are busy. Allow more workers, or shorten runs";
        });
    }

    void overran(String id, Duration took, TaskSchedule schedule) {
        warn(
                overruns,
                () -> "A run of " + id + " took " + about(took)
                        + ", longer than the time to its next run; its " + schedule.kind() + " is "
                        + ScheduleText.of(schedule) + ". Shorten its runs, or lengthen the time between them");
    }

    /** Many tasks may miss runs at once, as after a pause. For each streak of a task once. */
    void missed(String id, TaskSchedule schedule, long runs) {
        if (schedule.isCron() && runs >= TriggerTimes.MOST_COUNTED) {
            isAtLeast = true;
        }
        missedRuns.add(() -> id + ", its " + schedule.kind() + " is " + ScheduleText.of(schedule), runs);
    }

    private String missedText(long times, long runs, List<String> named) {
        String number = (isAtLeast ? "at least " : "") + runs + (runs == 1 ? " run, which is" : " runs, which are")
                + " not caught up; ";
        isAtLeast = false;
        String often = times == 1 ? "" : "fallen behind " + times + " times, and ";
        return named.size() == 1
                ? "Task " + named.get(0).replaceFirst(", its ", " has " + often + "missed " + number + "its ") + REMEDY
                : "Tasks have " + often + "missed " + number + "the first are " + names(times, named) + REMEDY;
    }

    private static String names(long times, List<String> named) {
        return String.join("; ", named)
                + (times > named.size() && named.size() == GatheredLine.MOST_NAMED ? "; and others" : "");
    }

    void pausedAfterFailures(String id, long failures) {
        if (firstPauses.stream().anyMatch(limit -> limit.tryPass() >= 0)) {
            warn("Task " + id + " has been paused after " + failures + " failed runs in a row; it " + UNTIL);
        } else {
            otherPauses.add(() -> id, 1);
        }
    }

    private static String pausedText(long times, long sum, List<String> named) {
        return "Tasks have been paused " + times + (times == 1 ? " more time" : " more times")
                + " after failed runs in a row; each " + UNTIL + ". The first are " + names(times, named);
    }

    /** Logs the pending summaries. */
    public void sumUp() {
        missedRuns.say();
        otherPauses.say();
    }

    /**
     * Logs that a run takes long.
     *
     * @param isInterrupted whether it has been interrupted because of that
     * @param trace the id of its trace; null for none
     */
    void runsLong(
            Object task,
            Duration runningFor,
            Duration limit,
            boolean isInterrupted,
            @Nullable String trace,
            String stack) {
        warn(
                isInterrupted ? interrupts : longRuns,
                () -> "A run of " + NamedTask.of(task)
                        + (isInterrupted
                                ? " has been interrupted after " + about(runningFor) + ", as its time limit is "
                                : " has been running for " + about(runningFor)
                                        + ", longer than wheel.scheduler.warn.run of ")
                        + exactly(limit)
                        + (trace == null ? "" : ", in trace " + trace)
                        + "; the stack shows where it waits, on thread " + stack);
    }

    /** Sets the source of the ids of traces, as these lines are written by other threads than that of the run. */
    public void setTraces(Function<Thread, @Nullable String> traces) {
        this.traces = traces;
    }

    @Nullable
    String traceOf(Thread thread) {
        return traces.apply(thread);
    }

    /** Returns name and place of a thread, in the log's words. */
    static String stackOf(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .limit(STACK_DEPTH)
                .map(element -> System.lineSeparator() + "\tat " + element)
                .collect(Collectors.joining("", thread.getName(), ""));
    }

    private void warn(LogLimit limit, Supplier<String> text) {
        long heldBack = limit.tryPass(time.sumUpLater(), others -> warn(text, others - 1));
        if (heldBack >= 0) {
            warn(text, heldBack);
        }
    }

    private void warn(Supplier<String> text, long others) {
        warn(text.get() + (others > 0 ? " (" + others + " more like this since the last warning)" : ""));
    }

    private void warn(String text) {
        logger.warn(scheduler.get() + text);
    }
}
