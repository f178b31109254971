package io.github.wheelscheduler.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A call that steered a task or a scheduler, or was refused. Longer texts are cut.
 *
 * @param at the time of the call
 * @param node the name of the node that was called
 * @param scheduler the name of the scheduler
 * @param task the id of the task, or a handler; null for the scheduler itself
 * @param instance the id of a one-time task of the handler; null for others
 * @param action the action, such as {@code pause}
 * @param channel the way it came: {@code http}, {@code jmx}, {@code page} or {@code java}
 * @param who the user who did it; null if unknown
 * @param from the state or schedule before; null if that does not apply
 * @param to the state or schedule after; null if that does not apply
 * @param reason the reason for the action; null if none was given
 * @param refusal the reason for the refusal; null if it was done
 */
public record AuditEntry(
        Instant at,
        String node,
        String scheduler,
        @Nullable String task,
        @Nullable String instance,
        String action,
        String channel,
        @Nullable String who,
        @Nullable String from,
        @Nullable String to,
        @Nullable String reason,
        @Nullable String refusal) {}
