package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.internal.LogLimit;
import io.github.wheelscheduler.spring.run.LogTime;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;

/** What the scheduler says in the log about itself: the culprit by name, each kind once a minute at most. */
final class SchedulerWarnings {

    private static final int STACK_DEPTH = 30;

    private final Log logger;
    private final String scheduler;
    private final LogTime time;
    private final MissedRunsLog missedRuns;
    private final PausedTasksLog pausedTasks;
    private final LogLimit oversleeps;
    private final LogLimit queueWaits;
    private final LogLimit overruns;
    private final LogLimit longRuns;
    private final LogLimit interrupts;

    SchedulerWarnings(Log logger, String scheduler, LogTime time) {
        this.logger = logger;
        this.scheduler = scheduler;
        this.time = time;
        this.missedRuns = new MissedRunsLog(text -> logger.warn(scheduler + text), time);
        this.pausedTasks = new PausedTasksLog(text -> logger.warn(scheduler + text), time);
        this.oversleeps = new LogLimit(time.nanoClock());
        this.queueWaits = new LogLimit(time.nanoClock());
        this.overruns = new LogLimit(time.nanoClock());
        this.longRuns = new LogLimit(time.nanoClock());
        this.interrupts = new LogLimit(time.nanoClock());
    }

    void overslept(long nanos, Object task) {
        warn(
                oversleeps,
                () -> "The tick thread overslept by " + Duration.ofNanos(nanos)
                        + ", as when the machine is suspended or a collection stops it; so " + name(task) + " is late");
    }

    void cannotKeepUp(long nanos, Object task, Supplier<String> workers) {
        warn(
                queueWaits,
                () -> "The workers cannot keep up: " + name(task) + " has waited " + Duration.ofNanos(nanos)
                        + " for one; " + workers.get());
    }

    void overran(String id, Duration took, TaskSchedule schedule) {
        warn(
                overruns,
                () -> "A run of " + id + " took " + took
                        + ", longer than it is to the next one; its " + schedule.kind() + " is "
                        + schedule.text());
    }

    /** For each streak of a task once. */
    void missed(String id, TaskSchedule schedule, long runs) {
        missedRuns.add(id, schedule, runs);
    }

    /** Says what is still to be said. */
    void stop() {
        missedRuns.say();
        pausedTasks.say();
    }

    void pausedAfterFailures(String id, long failures) {
        pausedTasks.add(id, failures);
    }

    void runsLong(Object task, Duration runningFor, Duration limit, Stack stack) {
        warn(
                longRuns,
                () -> "A run of " + name(task) + " has been going on for " + runningFor + ", longer than " + limit
                        + ", on thread " + stack);
    }

    void interrupted(Object task, Duration runningFor, Duration limit, Stack stack) {
        warn(
                interrupts,
                () -> "A run of " + name(task) + " has been interrupted after " + runningFor + ", longer than " + limit
                        + ", on thread " + stack);
    }

    private void warn(LogLimit limit, Supplier<String> text) {
        long heldBack = limit.tryPass(time.sumUpLater(), others -> warn(text, others - 1));
        if (heldBack >= 0) {
            warn(text, heldBack);
        }
    }

    private void warn(Supplier<String> text, long others) {
        String more = others > 0 ? " (" + others + " more like this since the last warning)" : "";
        logger.warn(scheduler + text.get() + more);
    }

    private static String name(Object task) {
        return NamedTask.of(task);
    }

    /** Where a thread is, in the log's words. */
    record Stack(String thread, List<StackTraceElement> elements) {

        static Stack of(Thread thread) {
            return new Stack(thread.getName(), List.of(thread.getStackTrace()));
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(thread);
            elements.stream()
                    .limit(STACK_DEPTH)
                    .forEach(element ->
                            text.append(System.lineSeparator()).append("\tat ").append(element));
            return text.toString();
        }
    }
}
