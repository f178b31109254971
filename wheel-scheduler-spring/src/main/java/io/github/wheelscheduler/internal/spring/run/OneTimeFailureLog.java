package io.github.wheelscheduler.internal.spring.run;

import io.github.wheelscheduler.NamedTask;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.scheduling.support.TaskUtils;

/**
 * Logs failures of one-time tasks if the user has set no error handler. A kind is the class of the task and of its
 * exception. The first failure of each kind is logged with its stack, the others as a count, one line a minute, even
 * after the last one. Any thread.
 */
final class OneTimeFailureLog {

    /** Where Spring's own handler logs, so that settings for that keep their meaning. */
    private static final Log logger = LogFactory.getLog(TaskUtils.LOG_AND_PROPAGATE_ERROR_HANDLER.getClass());

    private static final int MOST_KINDS = 1_000;

    private final Set<Kind> said = ConcurrentHashMap.newKeySet();
    private final GatheredLine others;

    private record Kind(Class<?> task, Class<?> thrown) {}

    OneTimeFailureLog(LogTime time) {
        this.others = new GatheredLine(OneTimeFailureLog::text, logger::error, time);
    }

    /** Logs the failure if it is time to. Throws nothing, also when memory is short or the log is broken. */
    void log(Runnable task, Throwable thrown) {
        try {
            Kind kind = new Kind(task.getClass(), thrown.getClass());
            boolean mayBeNew = said.size() < MOST_KINDS;
            if (mayBeNew && said.add(kind)) {
                others.begin();
                ThrownLog.error(logger, "Unexpected error occurred in scheduled task " + NamedTask.of(task), thrown);
            } else {
                boolean isKnown = mayBeNew || said.contains(kind);
                others.add(() -> NamedTask.of(task) + " with " + kind.thrown.getName(), isKnown ? 0 : 1);
            }
        } catch (Throwable ex) {
            // The future knows of it all the same.
        }
    }

    private static String text(long times, long unknown, List<String> named) {
        String kinds = unknown == 0
                ? "; the log has a stack trace of each task class and exception class"
                : "; " + unknown + " have no stack trace in the log, as only the first " + MOST_KINDS
                        + " pairs of task class and exception class get one";
        return "One-time tasks have failed " + times + " more times" + kinds + ". Fix the tasks, the first of which is "
                + named.get(0);
    }

    /** Logs the pending summary. Throws nothing. */
    void sumUp() {
        try {
            others.say();
        } catch (Throwable ex) {
            // There is no memory, or the log is broken.
        }
    }
}
