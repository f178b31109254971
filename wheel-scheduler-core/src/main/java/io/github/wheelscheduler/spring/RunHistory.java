package io.github.wheelscheduler.spring;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is remembered of the runs of one task. All methods may be called from any thread; none waits for a run. */
final class RunHistory {

    private static final int REMEMBERED = 10;

    private final Deque<RunOutcome> recent = new ArrayDeque<>(REMEMBERED);
    private @Nullable Instant lastSuccess;
    private long runs;
    private long failures;
    private long failuresInARow;
    private long skips;
    private long overruns;

    /**
     * The counts of one moment.
     *
     * @param recent the last outcomes, the latest first
     */
    record View(
            List<RunOutcome> recent,
            @Nullable Instant lastSuccess,
            long runs,
            long failures,
            long failuresInARow,
            long skips,
            long overruns) {}

    synchronized void ran(RunOutcome outcome, boolean overran) {
        if (recent.size() == REMEMBERED) {
            recent.removeLast();
        }
        recent.addFirst(outcome);
        runs++;
        overruns += overran ? 1 : 0;
        if (outcome.isSuccess()) {
            lastSuccess = outcome.startedAt().plus(outcome.duration());
            failuresInARow = 0;
        } else {
            failures++;
            failuresInARow++;
        }
    }

    synchronized void skipped() {
        skips++;
    }

    synchronized View view() {
        return new View(List.copyOf(recent), lastSuccess, runs, failures, failuresInARow, skips, overruns);
    }
}
