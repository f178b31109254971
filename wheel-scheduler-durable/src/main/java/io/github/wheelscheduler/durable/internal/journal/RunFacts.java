package io.github.wheelscheduler.durable.internal.journal;

import io.github.wheelscheduler.jdbc.internal.EndNote;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The facts that a node knows of a run, beside its end.
 *
 * @param due its due time
 * @param started its start time; null if it did not start
 * @param length its duration; null if it did not run
 * @param traceId of the run; null for none
 */
public record RunFacts(
        Instant due,
        @Nullable Instant started,
        @Nullable Duration length,
        EndNote.Cause cause,
        @Nullable String traceId) {

    /** Returns when the run has ended; the given time if there was none. */
    Instant endedAt(Instant now) {
        return started == null ? now : length == null ? started : started.plus(length);
    }
}
