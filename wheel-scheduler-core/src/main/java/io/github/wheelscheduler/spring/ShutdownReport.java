package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;

/** Gathers the one-time tasks that a shutdown keeps from running, and says so in the log, the first of them by name. */
final class ShutdownReport {

    private static final int NAMED = 10;

    private final List<String> named = new ArrayList<>(NAMED);
    private long count;

    synchronized void add(Runnable run) {
        if (run instanceof WheelTimer<?> timer && !timer.isRepeating() && !timer.isCancelled()) {
            count(timer);
        }
    }

    /** Adds a task that was due, and paused. */
    synchronized void addHeld(Object task) {
        count(task);
    }

    private void count(Object task) {
        count++;
        if (named.size() < NAMED) {
            try {
                named.add(nameOf(task));
            } catch (OutOfMemoryError ex) {
                // It is counted all the same; what is shutting down must not fail for a name.
            }
        }
    }

    /** A timer's text names its task, without saying what that says of itself. */
    private static String nameOf(Object task) {
        return task instanceof WheelTimer<?> timer ? timer.toString() : NamedTask.of(task);
    }

    /** Logs what has been gathered, if anything, and begins anew. */
    synchronized void log(Log logger, String scheduler) {
        try {
            if (count > 0) {
                String more = count > named.size() ? " and " + (count - named.size()) + " more" : "";
                logger.warn(scheduler + " was shut down before " + count + " one-time tasks ran: " + named + more);
            }
        } finally {
            count = 0;
            named.clear();
        }
    }

    /** Logs what still runs and waits when nobody waits for it any longer; what the end of the JVM cuts is told of by nobody else. */
    void logWhatIsLeft(Log logger, String scheduler, WheelScheduledExecutor executor) {
        try {
            List<Object> running = new ArrayList<>();
            executor.runningFor(Duration.ZERO).forEach(run -> running.add(run.task()));
            long pending = executor.pendingCount();
            int runs = Math.max(running.size(), executor.activeCount());
            if (runs > 0 || pending > 0) {
                logger.warn(
                        scheduler + " waits no longer: " + runs + " runs are going on" + names(running, runs) + ", and "
                                + pending + " tasks are pending" + names(executor.somePending(NAMED), pending)
                                + "; where the JVM ends now, they are lost");
            }
        } catch (OutOfMemoryError ex) {
            // What is shutting down must not fail for a line.
        }
    }

    private static String names(List<?> tasks, long count) {
        List<String> some =
                tasks.stream().limit(NAMED).map(ShutdownReport::nameOf).toList();
        return some.isEmpty()
                ? ""
                : " " + some + (count > some.size() ? " and " + (count - some.size()) + " more" : "");
    }
}
