package io.github.wheelscheduler.durable;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a run of a recurring task has ended, with what is known of those before it.
 *
 * @param at when that was
 * @param hasRun false if it was left out
 * @param lastSuccessAt when the last run ended that did not fail; null if none has
 * @param failures how many runs have failed in a row
 * @param lastFailureAt when the last of all failed; null if none has
 * @param failure the exception of this run; null if it did not fail
 */
record RunEnd(
        Instant at,
        boolean hasRun,
        @Nullable Instant lastSuccessAt,
        int failures,
        @Nullable Instant lastFailureAt,
        @Nullable String failure) {}
