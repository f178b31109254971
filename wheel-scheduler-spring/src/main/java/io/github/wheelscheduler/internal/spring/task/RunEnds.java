package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.internal.spring.run.EpochNanos;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskListener;
import org.jspecify.annotations.Nullable;

/** Receives the ends of the runs of one task as numbers, which take no memory. Any thread. */
@FunctionalInterface
public interface RunEnds extends TaskListener {

    /**
     * A run has ended.
     *
     * @param startedAt since the epoch, in nanoseconds
     * @param latenessNanos less than zero if it started early
     * @param failure the description of its exception; null if it has ended well
     * @param thrown the exception, which must not be kept for long; null if it has ended well
     */
    void ended(
            long startedAt,
            long nanos,
            long latenessNanos,
            boolean triggered,
            RunOutcome.@Nullable Failure failure,
            @Nullable Throwable thrown);

    @Override
    default void ran(String id, RunOutcome outcome, boolean overran, @Nullable Throwable thrown) {
        ended(
                EpochNanos.of(outcome.startedAt()),
                outcome.duration().toNanos(),
                outcome.lateness().toNanos(),
                outcome.triggered(),
                outcome.failure(),
                thrown);
    }
}
