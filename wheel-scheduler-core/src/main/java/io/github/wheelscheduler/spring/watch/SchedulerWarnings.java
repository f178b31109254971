package io.github.wheelscheduler.spring.watch;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;

/** What the scheduler says in the log about itself: the culprit by name, each kind once a minute at most. */
final class SchedulerWarnings {

    private static final long INTERVAL_NANOS = 60_000_000_000L;
    private static final int STACK_DEPTH = 30;

    private final Log logger;
    private final String scheduler;
    private final LongSupplier nanoClock;
    private final RateLimit oversleeps = new RateLimit(INTERVAL_NANOS);
    private final RateLimit queueWaits = new RateLimit(INTERVAL_NANOS);
    private final RateLimit overruns = new RateLimit(INTERVAL_NANOS);
    private final RateLimit longRuns = new RateLimit(INTERVAL_NANOS);
    private final RateLimit interrupts = new RateLimit(INTERVAL_NANOS);

    SchedulerWarnings(Log logger, String scheduler, LongSupplier nanoClock) {
        this.logger = logger;
        this.scheduler = scheduler;
        this.nanoClock = nanoClock;
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

    /** Once for each streak of a task, so not more seldom than that. */
    void missed(String id, TaskSchedule schedule, long runs) {
        logger.warn(scheduler + "Task " + id + " has missed " + runs
                + (runs == 1 ? " run, which is" : " runs, which are") + " not made up; its " + schedule.kind() + " is "
                + schedule.text());
    }

    void pausedAfterFailures(String id, long failures) {
        logger.warn(scheduler + "Task " + id + " has been paused, as " + failures
                + " runs in a row have failed; it goes on when it is resumed, or triggered with success");
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

    private void warn(RateLimit limit, Supplier<String> text) {
        long heldBack = limit.tryPass(nanoClock.getAsLong());
        if (heldBack >= 0) {
            String more = heldBack > 0 ? " (" + heldBack + " more like this since the last warning)" : "";
            logger.warn(scheduler + text.get() + more);
        }
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
