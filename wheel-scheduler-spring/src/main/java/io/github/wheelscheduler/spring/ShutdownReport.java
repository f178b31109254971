package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;

/** Gathers the one-time tasks that a shutdown keeps from running, and logs them, the first ones by name. */
final class ShutdownReport {

    private static final int NAMED = 10;

    private final List<String> named = new ArrayList<>(NAMED);
    private long count;

    /** Adds a cancelled timer, if it is a one-time task. */
    void add(Runnable run) {
        if (run instanceof WheelTimer<?> timer && !timer.isRepeating() && !timer.isCancelled()) {
            addOneTime(timer);
        }
    }

    /** Adds a one-time task. */
    void addOneTime(Object task) {
        if (countsUnnamed()) {
            return;
        }
        try {
            // Not under the lock: the name may be the user's.
            String name = nameOf(task);
            synchronized (this) {
                if (named.size() < NAMED) {
                    named.add(name);
                }
            }
        } catch (OutOfMemoryError ex) {
            // It is counted all the same; a shutdown must not fail for a name.
        }
    }

    /** Counts one more, and returns whether it needs no name. */
    private synchronized boolean countsUnnamed() {
        count++;
        return named.size() >= NAMED;
    }

    /** A timer's text names its task, without the task's own text. */
    private static String nameOf(Object task) {
        return task instanceof WheelTimer<?> timer ? timer.toString() : NamedTask.of(task);
    }

    /** Logs the gathered tasks, if any, and starts over. */
    void log(Log logger, String scheduler) {
        String line;
        synchronized (this) {
            try {
                line = count == 0
                        ? null
                        : scheduler + " was shut down before " + count + " one-time tasks ran:" + names(named, count);
            } finally {
                count = 0;
                named.clear();
            }
        }
        if (line != null) {
            logger.warn(line);
        }
    }

    /**
     * Logs the tasks that still run or wait when the wait for them is over; nothing else reports tasks lost with the
     * JVM.
     */
    void logWhatIsLeft(Log logger, String scheduler, WheelScheduledExecutor executor) {
        try {
            List<Object> running = new ArrayList<>();
            executor.runningFor(Duration.ZERO).forEach(run -> running.add(run.task()));
            long pending = executor.pendingCount();
            int runs = Math.max(running.size(), executor.activeCount());
            if (runs > 0 || pending > 0) {
                logger.warn(scheduler + " stopped waiting: " + runs + " runs are still running" + namesOf(running, runs)
                        + ", and "
                        + pending + " tasks are pending" + namesOf(executor.somePending(NAMED), pending)
                        + "; they are lost if the JVM exits now. A longer await-termination-period lets runs end");
            }
        } catch (OutOfMemoryError ex) {
            // A shutdown must not fail for a line.
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
