package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.internal.spring.task.RunEnds;
import io.github.wheelscheduler.spring.run.RunOutcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Runs as numbers: those beyond the budget take no memory. */
class RunNotesTest {

    private static final int RUNS = 10_000;
    private static final long STARTED_AT = TimeUnit.SECONDS.toNanos(3_600) + 123_456_789;
    private static final Instant STARTED = Instant.ofEpochSecond(3_600, 123_456_789);

    private final RunBuffer buffer = new RunBuffer(HistoryBench.settings("a", 1, 100));
    private final RunNotes notes = new RunNotes("main", buffer, () -> Instant.EPOCH);

    private static long bytesOf(Runnable run) {
        // The first runs load classes, and of some thousand on, threads have places of their own.
        for (int i = 0; i < RUNS; i++) {
            run.run();
        }
        long before = AllocatedBytes.ofThisThread();
        for (int i = 0; i < RUNS; i++) {
            run.run();
        }
        return AllocatedBytes.ofThisThread() - before;
    }

    @Test
    void countedRunOfATaskTakesNoMemory() {
        RunEnds task = (RunEnds) notes.ofRuns("nightly");
        assertThat(bytesOf(() -> task.ended(STARTED_AT, 2_000, 1_000, false, null, null)))
                .isLessThan(RUNS / 10);
        assertThat(buffer.overBudgetCount()).isEqualTo(2 * RUNS - 1);
    }

    @Test
    void oneTimeRunTakesNoMemory() {
        assertThat(bytesOf(() -> notes.ranOnce("mail", false, STARTED_AT, 2_000, null, null)))
                .isLessThan(RUNS / 10);
        List<RunTotals> totals = new ArrayList<>();
        buffer.takeTotals(1, totals);
        assertThat(totals.stream().mapToLong(RunTotals::runs).sum()).isEqualTo(2 * RUNS);
    }

    @Test
    void rowHasTheTimesOfTheRun() {
        RunEnds task = (RunEnds) notes.ofRuns("nightly");
        IllegalStateException thrown = new IllegalStateException("on purpose");
        task.ended(STARTED_AT, 2_000_999, 1_000_000, false, null, null);
        task.ended(STARTED_AT, 2_000_999, -5, true, RunOutcome.Failure.of(thrown, "trace-1"), thrown);
        notes.ranOnce("report", true, STARTED_AT, 2_000_999, null, null);
        List<NotedRun> rows = buffer.takeRows();
        assertThat(rows).extracting(NotedRun::started).containsOnly(STARTED);
        assertThat(rows).extracting(NotedRun::micros).containsOnly(2_000L);
        assertThat(rows).extracting(NotedRun::at).containsOnly(Instant.ofEpochSecond(3_600, 125_456_000));
        assertThat(rows).extracting(NotedRun::due).containsExactly(STARTED.minusMillis(1), null, null);
        assertThat(rows)
                .extracting(NotedRun::cause)
                .containsExactly(HistoryCause.SCHEDULE, HistoryCause.BY_HAND, HistoryCause.SCHEDULE);
        assertThat(rows)
                .extracting(NotedRun::outcome)
                .containsExactly(HistoryOutcome.SUCCESS, HistoryOutcome.FAILURE, HistoryOutcome.SUCCESS);
        assertThat(rows).extracting(NotedRun::traceId).containsExactly(null, "trace-1", null);
    }
}
