package io.github.wheelscheduler.durable;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One of several tasks to be scheduled together.
 *
 * @param id its id within its handler
 * @param payload the payload for the handler, null for none
 * @param at the time at which it is to run; the past means now
 * @param retries the number of its retries and the pauses between them, to the millisecond, in place of its handler's;
 *     null for its handler's. A node of an older release does not know it
 */
public record DurableRequest(
        String id,
        @Nullable Object payload,
        Instant at,
        @Nullable RetryPolicy retries) {

    /**
     * Checks for nulls; the rest is checked when it is scheduled.
     *
     * @throws IllegalArgumentException if the retries name exceptions: the handler does
     */
    public DurableRequest {
        Objects.requireNonNull(id, "id must not be null");
        Objects.requireNonNull(at, "at must not be null");
        if (retries != null
                && !(retries.retryFor().isEmpty() && retries.noRetryFor().isEmpty())) {
            throw new IllegalArgumentException(
                    "retries of a task must leave retryFor and noRetryFor to its handler, was " + retries);
        }
    }

    /** Makes one that is tried again as its handler says. */
    public DurableRequest(String id, @Nullable Object payload, Instant at) {
        this(id, payload, at, null);
    }

    /** Without the payload, which may be secret. */
    @Override
    public String toString() {
        return "DurableRequest[id=" + id + ", at=" + at + "]";
    }
}
