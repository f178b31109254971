package io.github.wheelscheduler.durable;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One of several tasks to be scheduled together.
 *
 * @param id which task of the handler it is
 * @param payload what the handler is given, null for nothing
 * @param at when it is to run; the past means now
 */
public record DurableRequest(String id, @Nullable Object payload, Instant at) {

    /** Checks for nulls; the rest is checked when it is scheduled. */
    public DurableRequest {
        Objects.requireNonNull(id, "id must not be null");
        Objects.requireNonNull(at, "at must not be null");
    }

    /** Without the payload, which may be secret. */
    @Override
    public String toString() {
        return "DurableRequest[id=" + id + ", at=" + at + "]";
    }
}
