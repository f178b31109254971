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

    /** Adds what is cancelled, if it is a one-time task. */
    void add(Runnable run) {
        if (run instanceof WheelTimer<?> timer && !timer.isRepeating() && !timer.isCancelled()) {
            addOneTime(timer);
        }
    }

    /** Adds a one-time task. */
    synchronized void addOneTime(Object task) {
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
                logger.warn(
                        scheduler + " was shut down before " + count + " one-time tasks ran:" + names(named, count));
            }
        } finally {
            count = 0;
            named.clear();
        }
    }

    /** Logs what still runs and waits when the wait for it is over; no one else tells of what the end of the JVM cuts. */
    void logWhatIsLeft(Log logger, String scheduler, WheelScheduledExecutor executor) {
        try {
            List<Object> running = new ArrayList<>();
            executor.runningFor(Duration.ZERO).forEach(run -> running.add(run.task()));
            long pending = executor.pendingCount();
            int runs = Math.max(running.size(), executor.activeCount());
            if (runs > 0 || pending > 0) {
                logger.warn(scheduler + " waits no longer: " + runs + " runs are going on" + namesOf(running, runs)
                        + ", and "
                        + pending + " tasks are pending" + namesOf(executor.somePending(NAMED), pending)
                        + "; where the JVM ends now, they are lost");
            }
        } catch (OutOfMemoryError ex) {
            // What is shutting down must not fail for a line.
        }
    }

    private static String namesOf(List<?> tasks, long count) {
        return names(tasks.stream().limit(NAMED).map(ShutdownReport::nameOf).toList(), count);
    }

    private static String names(List<String> some, long count) {
        String more = count > some.size() ? " and " + (count - some.size()) + " more" : "";
        return some.isEmpty() ? "" : " " + some + more;
    }
}
