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
import io.github.wheelscheduler.jdbc.internal.EndRows;
import io.github.wheelscheduler.jdbc.internal.EndRows.EndRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

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
        Instant now = Instant.parse("2030-01-02T03:04:05Z");
        assertThat(Stream.of(
                                ran(Kind.CANCELLED, 1, Cause.SCHEDULE, now, new InterruptedException()),
                                ran(Kind.CANCELLED, 1, Cause.SCHEDULE, now, new IllegalStateException()),
                                ran(Kind.CANCELLED, 1, Cause.SCHEDULE, now, null),
                                didNotRun(Kind.CANCELLED, 1, now))
                        .map(DurableRunNotes::outcome))
                .containsExactly(
                        HistoryOutcome.INTERRUPTED,
                        HistoryOutcome.FAILURE,
                        HistoryOutcome.SUCCESS,
                        HistoryOutcome.CANCELLED);
    }

    @Test
    void refusalLetsRowsGoByTheBufferForAWhile() {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.H2)) {
            long[] seconds = {7};
            DurableRunNotes runs =
                    new DurableRunNotes(bench.store, bench.buffer, () -> TimeUnit.SECONDS.toNanos(seconds[0]));
            assertThat(runs.rowsIn(bench.pool))
                    .as("before the tables are known")
                    .isNull();
            bench.atStart();
            assertThat(runs.rowsIn(new SimpleDriverDataSource())).isNull();
            EndRows rows = runs.rowsIn(bench.pool);
            assertThat(rows).isNotNull();
            rows.refused(new IllegalStateException("no partition"));
            assertThat(runs.rowsIn(bench.pool)).isNull();
            seconds[0] += 29;
            assertThat(runs.rowsIn(bench.pool)).isNull();
            seconds[0] += 2;
            assertThat(runs.rowsIn(bench.pool)).isSameAs(rows);
            assertThat(bench.buffer.refusedCount()).isEqualTo(1);
        }
    }

    @Test
    void rowThatIsLateOrNamelessGoesByTheBuffer() {
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.H2).atStart()) {
            EndRows rows = new DurableRunNotes(bench.store, bench.buffer, () -> 0).rowsIn(bench.pool);
            assertThat(rows).isNotNull();
            assertThat(rows.row(ran(Kind.DONE, 1, Cause.BY_HAND, bench.now, null)))
                    .isNull();
            EndRow row = rows.row(ran(Kind.DONE, 1, Cause.SCHEDULE, bench.now, null));
            assertThat(row).isNotNull();
            assertThat(row.values(bench.now)).hasSameSizeAs(rows.types());
            assertThat(row.values(bench.now.plus(Duration.ofMinutes(5)))).isNull();
            row.committed(false);
            bench.writer.turn();
            assertThat(bench.rows.page(HistoryQuery.ALL).rows()).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowHasWhatTheEndHad(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            DurableRunNotes runs = new DurableRunNotes(bench.store, bench.buffer, () -> 0);
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
