package io.github.wheelscheduler.internal.spring.run;

import io.github.wheelscheduler.spring.run.OneTimeRunListener;
import io.github.wheelscheduler.spring.run.RunOutcome;
import org.jspecify.annotations.Nullable;

/** Receives the ends of one-time runs as numbers, which take no memory. Any thread. */
@FunctionalInterface
public interface OneTimeEnds extends OneTimeRunListener {

    /**
     * A run has ended.
     *
     * @param startedAt since the epoch, in nanoseconds
     * @param failure the description of its exception; null if it has ended well
     */
    void ended(
            String name,
            boolean isNamed,
            long startedAt,
            long nanos,
            RunOutcome.@Nullable Failure failure,
            @Nullable Throwable thrown);

    @Override
    default void ran(String name, boolean isNamed, RunOutcome outcome, @Nullable Throwable thrown) {
        ended(
                name,
                isNamed,
                EpochNanos.of(outcome.startedAt()),
                outcome.duration().toNanos(),
                outcome.failure(),
                thrown);
    }
}
