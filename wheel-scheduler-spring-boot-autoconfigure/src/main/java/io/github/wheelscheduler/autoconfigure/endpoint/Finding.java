package io.github.wheelscheduler.autoconfigure.endpoint;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A fault, or a condition that keeps tasks from starting on time.
 *
 * @param rule the rule that has found it, in one word that stays the same
 * @param scheduler the scheduler whose tasks it is about; null if it is about no scheduler of the endpoint
 * @param group the group of that scheduler; null if it is none
 * @param task the id of the task that it is about, or of the worst one; null if it is about none
 * @param tasks the number of tasks that it is about
 * @param text a sentence with numbers, without its full stop
 * @param traceUrl the address of the trace of the failure that it names; null unless {@code wheel.scheduler.trace-url}
 *     is set
 */
public record Finding(
        String rule,
        Severity severity,
        @Nullable String scheduler,
        @Nullable String group,
        @Nullable String task,
        int tasks,
        String text,
        @Nullable String traceUrl) {

    public Finding {
        Objects.requireNonNull(rule, "rule must not be null");
        Objects.requireNonNull(severity, "severity must not be null");
        Objects.requireNonNull(text, "text must not be null");
    }

    /** Makes one that is about no scheduler of the endpoint and no task of it. */
    public Finding(String rule, Severity severity, String text) {
        this(rule, severity, null, null, null, 0, text, null);
    }

    /**
     * Makes one about a scheduler or a group, or about a task of it.
     *
     * @param text with {@linkplain EndpointAnswers#named ids} and messages that are not too long
     */
    static Finding of(
            SchedulerDescriptor seen, String rule, Severity severity, @Nullable String task, int tasks, String text) {
        SchedulerDescriptor.Group group = seen.group();
        String groupName = group == null ? null : group.name();
        return new Finding(rule, severity, seen.name(), groupName, task, tasks, EndpointAnswers.shown(text), null);
    }

    /** Returns the same with where the trace is. */
    public Finding withTrace(@Nullable String url) {
        return new Finding(rule, severity, scheduler, group, task, tasks, text, url);
    }

    /** The severity of a finding, the worst first. */
    public enum Severity {
        /** Tasks do not run. */
        ERROR,
        /** Tasks run late, fail now and then, or soon will. */
        WARNING,
        /** It explains something. */
        INFO
    }
}
