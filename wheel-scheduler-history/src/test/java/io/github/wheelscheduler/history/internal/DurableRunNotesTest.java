package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.history.TaskSummary;
import io.github.wheelscheduler.jdbc.internal.EndNote;
import io.github.wheelscheduler.jdbc.internal.EndNote.Cause;
import io.github.wheelscheduler.jdbc.internal.EndNote.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ends of durable runs as they are read again. */
class DurableRunNotesTest {

    private static EndNote ran(Kind kind, int attempt, Cause cause, Instant at, @Nullable Throwable thrown) {
        return new EndNote(
                kind,
                "mail",
                "7",
                attempt,
                1,
                cause,
                at,
                at.minusMillis(5),
                at.minusMillis(2),
                Duration.ofMillis(2),
                "trace-" + attempt,
                null,
                thrown);
    }

    private static EndNote didNotRun(Kind kind, long runs, Instant at) {
        return new EndNote(kind, "mail", "7", 0, runs, Cause.SCHEDULE, at, null, null, null, null, null, null);
    }

    @Test
    void cancelledRunIsARun() {
        List<HistoryOutcome> outcomes = new ArrayList<>();
        DurableRunNotes runs = new DurableRunNotes("a", (row, thrown) -> outcomes.add(row.outcome()));
        Instant now = Instant.parse("2030-01-02T03:04:05Z");
        runs.ended(ran(Kind.CANCELLED, 1, Cause.SCHEDULE, now, new InterruptedException()));
        runs.ended(ran(Kind.CANCELLED, 1, Cause.SCHEDULE, now, new IllegalStateException()));
        runs.ended(ran(Kind.CANCELLED, 1, Cause.SCHEDULE, now, null));
        runs.ended(didNotRun(Kind.CANCELLED, 1, now));
        assertThat(outcomes)
                .containsExactly(
                        HistoryOutcome.INTERRUPTED,
                        HistoryOutcome.FAILURE,
                        HistoryOutcome.SUCCESS,
                        HistoryOutcome.CANCELLED);
    }

    @ParameterizedTest
    @EnumSource
    void rowHasWhatTheEndHad(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            DurableRunNotes runs = new DurableRunNotes("a", (row, thrown) -> RunNotes.note(bench.buffer, row, thrown));
            IllegalStateException thrown = new IllegalStateException("no paper");
            runs.ended(ran(Kind.DONE, 1, Cause.SCHEDULE, bench.now, null));
            bench.pass(Duration.ofSeconds(1));
            Instant failed = bench.now;
            runs.ended(ran(Kind.FAILED, 1, Cause.CAUGHT_UP, failed, thrown));
            bench.pass(Duration.ofSeconds(1));
            runs.ended(
                    ran(Kind.FAILED, 2, Cause.RETRY, bench.now, new IllegalStateException(new InterruptedException())));
            bench.pass(Duration.ofSeconds(1));
            runs.ended(ran(Kind.GIVEN_UP, 3, Cause.BY_HAND, bench.now, thrown));
            for (Kind kind : List.of(Kind.CANCELLED, Kind.PUT_ASIDE, Kind.TAKEN_OVER, Kind.MISSED)) {
                bench.pass(Duration.ofSeconds(1));
                runs.ended(didNotRun(kind, kind == Kind.MISSED ? 4 : 1, bench.now));
            }
            bench.writer.turn();

            assertThat(bench.writer.problem()).isNull();
            List<HistoryRow> rows = bench.rows.page(HistoryQuery.ALL).rows();
            assertThat(rows)
                    .extracting(HistoryRow::outcome, HistoryRow::cause, HistoryRow::attempt, HistoryRow::runs)
                    .containsExactly(
                            tuple(HistoryOutcome.MISSED, HistoryCause.SCHEDULE, 0, 4L),
                            tuple(HistoryOutcome.TAKEN_OVER, HistoryCause.SCHEDULE, 0, 1L),
                            tuple(HistoryOutcome.PUT_ASIDE, HistoryCause.SCHEDULE, 0, 1L),
                            tuple(HistoryOutcome.CANCELLED, HistoryCause.SCHEDULE, 0, 1L),
                            tuple(HistoryOutcome.GIVEN_UP, HistoryCause.BY_HAND, 3, 1L),
                            tuple(HistoryOutcome.INTERRUPTED, HistoryCause.RETRY, 2, 1L),
                            tuple(HistoryOutcome.FAILURE, HistoryCause.CAUGHT_UP, 1, 1L),
                            tuple(HistoryOutcome.SUCCESS, HistoryCause.SCHEDULE, 1, 1L));
            assertThat(rows).allSatisfy(row -> {
                assertThat(row.task()).isEqualTo("mail");
                assertThat(row.instance()).isEqualTo("7");
                assertThat(row.scheduler()).isEqualTo("durable");
                assertThat(row.node()).isEqualTo("a");
            });
            assertThat(rows.get(1).started()).isNull();
            HistoryRow failure = rows.get(6);
            assertThat(failure.due()).isEqualTo(failed.minusMillis(5));
            assertThat(failure.started()).isEqualTo(failed.minusMillis(2));
            assertThat(failure.length()).isEqualTo(Duration.ofMillis(2));
            assertThat(failure.traceId()).isEqualTo("trace-1");
            assertThat(failure.failure().message()).isEqualTo("no paper");
            assertThat(bench.totals.trace("mail", failure.failure().kind())).contains("DurableRunNotesTest");
            TaskSummary summary = bench.totals.summaries(List.of("mail")).get("mail");
            assertThat(summary.failingSince()).isEqualTo(failed);
            assertThat(summary.successes()).isEqualTo(1);
            assertThat(summary.failures()).isEqualTo(3);
            assertThat(summary.notRun()).isEqualTo(7);
        }
    }
}
