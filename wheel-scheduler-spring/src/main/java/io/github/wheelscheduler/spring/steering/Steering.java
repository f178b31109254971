package io.github.wheelscheduler.spring.steering;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call that has steered a task or a scheduler, or was refused.
 *
 * @param channel the way it came
 * @param who did it; null if unknown
 * @param action as it was asked for, such as {@code pause}; empty if it was left out
 * @param target the thing that was steered
 * @param from its state before, in a few words; null if that is not known
 * @param to its state afterwards; null if it was refused
 * @param reason why it was done; null if none was given
 * @param refusal why it was refused; null if it was done
 */
public record Steering(
        Channel channel,
        @Nullable String who,
        String action,
        Target target,
        @Nullable String from,
        @Nullable String to,
        @Nullable String reason,
        @Nullable String refusal) {

    /** Maximum number of characters of a reason. */
    public static final int LONGEST_REASON = 200;

    /** The way a call came. */
    public enum Channel {
        /** An endpoint over HTTP, also from the page. */
        HTTP,
        /** An endpoint over JMX. */
        JMX,
        /** A call in Java that was {@linkplain SteeredBy given a name}. */
        JAVA
    }

    /**
     * The thing that is steered.
     *
     * @param kind such as {@code scheduler} or {@code durable task}
     * @param scheduler the name of the scheduler's bean; null if it has none, or it is not known
     * @param task the id of the task, or the handler of a durable one; null for a scheduler, a node or many tasks
     * @param instance the id of a one-time task of the handler; null for others
     * @param filter the words of a filter, of many tasks; null for others
     */
    public record Target(
            String kind,
            @Nullable String scheduler,
            @Nullable String task,
            @Nullable String instance,
            @Nullable String filter) {

        public Target {
            Objects.requireNonNull(kind, "kind must not be null");
        }

        /** Returns a task of a scheduler. */
        public static Target ofTask(@Nullable String scheduler, String id) {
            return new Target("task", scheduler, id, null, null);
        }

        /** Returns a whole scheduler. */
        public static Target ofScheduler(@Nullable String scheduler) {
            return new Target("scheduler", scheduler, null, null, null);
        }

        /** Returns the same in a scheduler that is known by now. */
        public Target in(@Nullable String name) {
            return new Target(kind, name, task, instance, filter);
        }
    }

    public Steering {
        Objects.requireNonNull(channel, "channel must not be null");
        Objects.requireNonNull(action, "action must not be null");
        Objects.requireNonNull(target, "target must not be null");
    }

    /** Returns the same with the name of its scheduler. */
    public Steering in(@Nullable String scheduler) {
        return new Steering(channel, who, action, target.in(scheduler), from, to, reason, refusal);
    }

    /** Returns whether it was refused. */
    public boolean isRefused() {
        return refusal != null;
    }
}
