package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.AuditPage;
import io.github.wheelscheduler.history.AuditQuery;
import io.github.wheelscheduler.history.FailureKind;
import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryPage;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.history.HourTotal;
import io.github.wheelscheduler.history.TaskSummary;
import io.github.wheelscheduler.spring.task.SkipReason;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows of runs as they are read again. */
class HistoryWriteTest {

    @ParameterizedTest
    @EnumSource
    void rowHasWhatTheRunHad(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            bench.succeed("report");
            bench.pass(Duration.ofSeconds(1));
            bench.fail("report", new IllegalStateException("no paper", new IOException("jam")));
            bench.pass(Duration.ofSeconds(1));
            bench.notes.skipped("report", SkipReason.PAUSED);
            bench.pass(Duration.ofSeconds(1));
            bench.notes.missed("report", 7);
            bench.writer.turn();

            assertThat(bench.writer.problem()).isNull();
            List<HistoryRow> rows = bench.rows.page(HistoryQuery.ALL).rows();
            assertThat(rows)
                    .extracting(HistoryRow::task, HistoryRow::outcome, HistoryRow::runs, HistoryRow::detail)
                    .containsExactly(
                            tuple("report", HistoryOutcome.MISSED, 7L, null),
                            tuple("report", HistoryOutcome.SKIPPED, 1L, "paused"),
                            tuple("report", HistoryOutcome.FAILURE, 1L, null),
                            tuple("report", HistoryOutcome.SUCCESS, 1L, null));
            HistoryRow success = rows.get(3);
            assertThat(success)
                    .isEqualTo(new HistoryRow(
                            success.id(),
                            HistoryBench.START,
                            "report",
                            null,
                            "main",
                            "a",
                            HistoryBench.START.minusMillis(3),
                            HistoryBench.START.minusMillis(2),
                            Duration.ofMillis(2),
                            HistoryOutcome.SUCCESS,
                            1,
                            1,
                            HistoryCause.SCHEDULE,
                            null,
                            null,
                            null,
                            null));
            HistoryRow.Failure failure = rows.get(2).failure();
            assertThat(failure.type()).isEqualTo("java.lang.IllegalStateException");
            assertThat(failure.message()).isEqualTo("no paper");
            assertThat(rows.get(2).traceId()).isEqualTo("trace-1");
            assertThat(bench.totals.trace("report", failure.kind()))
                    .startsWith("java.lang.IllegalStateException\n\tat io.github.wheelscheduler.history")
                    .contains("Caused by: java.io.IOException\n")
                    .doesNotContain("no paper")
                    .doesNotContain("jam");
        }
    }

    @ParameterizedTest
    @EnumSource
    void pagesFollowOneAnother(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            for (int i = 0; i < 25; i++) {
                // Pairs of one time.
                bench.succeed("a" + i);
                bench.succeed("b" + i);
                bench.pass(Duration.ofSeconds(1));
            }
            bench.writer.turn();

            List<String> seen = new ArrayList<>();
            HistoryQuery query = HistoryQuery.ALL.limit(7);
            HistoryPage page = bench.rows.page(query);
            int pages = 1;
            while (page.next() != null) {
                page.rows().forEach(row -> seen.add(row.task()));
                page = bench.rows.page(query.after(page.next()));
                pages++;
            }
            page.rows().forEach(row -> seen.add(row.task()));
            assertThat(pages).isEqualTo(8);
            assertThat(seen).hasSize(50).doesNotHaveDuplicates().startsWith("b24", "a24", "b23");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> bench.rows.page(query.after("nonsense")))
                    .withMessage("The cursor must be that of a page, was nonsense");
            for (String forged : List.of(Long.MIN_VALUE + "_1", Long.MAX_VALUE + "_1")) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> bench.rows.page(query.after(forged)))
                        .withMessage("The cursor must be that of a page, was " + forged);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void queryFindsByEachOfItsParts(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            bench.succeed("one");
            bench.pass(Duration.ofMinutes(1));
            bench.fail("two", new IllegalStateException("Timeout of the printer"));
            bench.pass(Duration.ofMinutes(1));
            bench.steer("main", "three", null, "trigger", "ann");
            bench.run("three", null, true);
            bench.writer.turn();

            HistoryQuery all = HistoryQuery.ALL;
            HistoryQuery range = all.between(HistoryBench.START.minusSeconds(60), bench.now.plusSeconds(1));
            assertThat(tasks(bench, all.ofTask("one"))).containsExactly("one");
            assertThat(tasks(bench, all.with(Set.of(HistoryOutcome.FAILURE)))).containsExactly("two");
            assertThat(tasks(bench, all.causedBy(HistoryCause.BY_HAND))).containsExactly("three");
            assertThat(tasks(bench, range.containing("timeout"))).containsExactly("two");
            assertThat(tasks(bench, range.onNode("a"))).containsExactly("three", "two", "one");
            assertThat(tasks(bench, range.onNode("b"))).isEmpty();
            assertThat(tasks(bench, all.between(HistoryBench.START, HistoryBench.START.plusSeconds(60))))
                    .containsExactly("one");
            assertThat(tasks(bench, all.ofInstance("one", "17"))).isEmpty();
            HistoryRow byHand = bench.rows.page(all.ofTask("three")).rows().get(0);
            assertThat(byHand.by()).isEqualTo("ann");
            assertThat(byHand.due()).isNull();
        }
    }

    private static List<String> tasks(HistoryBench bench, HistoryQuery query) {
        return bench.rows.page(query).rows().stream().map(HistoryRow::task).toList();
    }

    @ParameterizedTest
    @EnumSource
    void searchSaysHowFarItGot(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            bench.fail("report", new IllegalStateException("needle"));
            bench.pass(Duration.ofSeconds(1));
            bench.writer.turn();
            insertCopies(bench, database, 10_500);

            HistoryQuery query = HistoryQuery.ALL.ofTask("report").containing("needle");
            HistoryPage first = bench.rows.page(query);
            assertThat(first.rows()).isEmpty();
            assertThat(first.read()).isEqualTo(HistoryPage.MOST_READ);
            assertThat(first.readTo()).isEqualTo(bench.now);
            HistoryPage second = bench.rows.page(query.after(first.next()));
            assertThat(second.rows()).hasSize(1);
            assertThat(second.read()).isEqualTo(501);
            assertThat(second.next()).isNull();
        }
    }

    private static void insertCopies(HistoryBench bench, HistoryDatabase database, int count) {
        String numbers = switch (database) {
            case H2 -> "system_range(1, " + count + ")";
            case POSTGRESQL -> "generate_series(1, " + count + ") numbers(x)";
            case MARIADB -> "(select seq as x from seq_1_to_" + count + ") numbers";
        };
        int ignored =
                bench.jdbc.update("insert into wheel_history_run (noted_at, task, scheduler, node, outcome) select "
                        + bench.store.sql().kind().literal(bench.now) + ", 'report', 'main', 'a', 0 from " + numbers);
    }

    @ParameterizedTest
    @EnumSource
    void equalFailuresAreOneKind(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            for (int i = 0; i < 5; i++) {
                bench.fail("report", failure("message " + i));
                bench.pass(Duration.ofSeconds(1));
            }
            bench.fail("report", new IllegalArgumentException());
            bench.writer.turn();

            List<FailureKind> kinds = bench.totals.failures("report", HistoryBench.START, bench.now.plusSeconds(1));
            assertThat(kinds)
                    .extracting(FailureKind::type, FailureKind::rows, FailureKind::first)
                    .containsExactly(
                            tuple("java.lang.IllegalStateException", 5L, HistoryBench.START),
                            tuple("java.lang.IllegalArgumentException", 1L, bench.now));
            assertThat(kinds.get(0).trace()).contains("HistoryWriteTest.failure");
            assertThat(bench.jdbc.queryForObject("select count(*) from wheel_history_text", Integer.class))
                    .isEqualTo(2);
        }
    }

    private static IllegalStateException failure(String message) {
        return new IllegalStateException(message);
    }

    @ParameterizedTest
    @EnumSource
    void longAndOddTextsFit(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            String task = "t".repeat(300);
            bench.fail(task, new IllegalStateException("a\0b" + "\uD83D\uDE00".repeat(200)));
            bench.writer.turn();

            HistoryRow row = bench.rows.page(HistoryQuery.ALL).rows().get(0);
            assertThat(row.task()).hasSize(250);
            assertThat(row.failure().message()).startsWith("ab\uD83D\uDE00").hasSize(200);
        }
    }

    @ParameterizedTest
    @EnumSource
    void auditIsReadAsItWasWritten(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            AuditEntry pause = new AuditEntry(
                    bench.now, "a", "main", "report", null, "pause", "http", "ann", "pending", "paused", "paper", null);
            AuditEntry refused = new AuditEntry(
                    bench.now.plusSeconds(1),
                    "a",
                    "main",
                    null,
                    null,
                    "halt",
                    "jmx",
                    null,
                    null,
                    null,
                    null,
                    "not allowed");
            bench.buffer.add(pause);
            bench.buffer.add(refused);
            bench.pass(Duration.ofSeconds(1));
            bench.writer.turn();

            assertThat(bench.rows.audit(AuditQuery.ALL).entries()).containsExactly(refused, pause);
            assertThat(bench.rows.audit(AuditQuery.ALL.by("ann")).entries()).containsExactly(pause);
            assertThat(bench.rows.audit(AuditQuery.ALL.ofTask("report")).entries())
                    .containsExactly(pause);
            AuditPage first = bench.rows.audit(AuditQuery.ALL.limit(1));
            assertThat(first.entries()).containsExactly(refused);
            assertThat(bench.rows
                            .audit(AuditQuery.ALL.limit(1).after(first.next()))
                            .entries())
                    .containsExactly(pause);
        }
    }

    @ParameterizedTest
    @EnumSource
    void clockAheadSaysNoMoreThanTheDatabase(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            bench.pass(Duration.ofDays(5));
            bench.succeed("report");
            bench.pass(Duration.ofDays(-5));
            bench.writer.turn();

            assertThat(bench.rows.page(HistoryQuery.ALL).rows().get(0).at()).isEqualTo(HistoryBench.START);
        }
    }

    @ParameterizedTest
    @EnumSource
    void countsOfAClockAheadHideNoFailure(HistoryDatabase database) {
        try (HistoryBench bench =
                new HistoryBench(database.newDataSource(), HistoryBench.settings("a", 1, 100), null).atStart()) {
            bench.pass(Duration.ofDays(1));
            for (int i = 0; i < 3; i++) {
                bench.succeed("report");
            }
            bench.pass(Duration.ofDays(-1));
            bench.writer.flush();
            bench.pass(Duration.ofSeconds(1));
            bench.fail("report", new IllegalStateException());
            bench.writer.flush();

            assertThat(bench.totals.summary("report"))
                    .isEqualTo(new TaskSummary("report", HistoryBench.START, bench.now, bench.now, 3, 1, 0));
            assertThat(bench.totals.hours("report", HistoryBench.START.truncatedTo(ChronoUnit.HOURS), bench.now))
                    .extracting(HourTotal::runs)
                    .containsExactly(3L, 1L);
        }
    }

    /** Counts are written up to a minute after rows, and have later times. */
    @ParameterizedTest
    @EnumSource
    void failingSinceIsThatOfAClockAhead(HistoryDatabase database) {
        try (HistoryBench bench =
                new HistoryBench(database.newDataSource(), HistoryBench.settings("a", 1, 100), null).atStart()) {
            bench.ahead = Duration.ofMinutes(5);
            for (int i = 0; i < 3; i++) {
                bench.succeed("report");
            }
            bench.pass(Duration.ofSeconds(1));
            bench.fail("report", new IllegalStateException());
            Instant failed = bench.now;
            bench.pass(Duration.ofSeconds(1));
            bench.writer.turn();
            bench.pass(Duration.ofMinutes(1));
            bench.writer.turn();

            assertThat(bench.writer.problem()).isNull();
            assertThat(bench.totals.summary("report"))
                    .isEqualTo(new TaskSummary("report", HistoryBench.START, failed, failed, 3, 1, 0));
        }
    }

    @Test
    void countsComeAfterAClockIsSetBack() {
        try (HistoryBench bench = new HistoryBench(
                        HistoryDatabase.H2.newDataSource(), HistoryBench.settings("a", 1, 100), null)
                .atStart()) {
            bench.ahead = Duration.ofHours(-1);
            bench.succeed("report");
            bench.succeed("report");
            bench.pass(Duration.ofMinutes(1));
            bench.writer.turn();

            assertThat(bench.totals.summary("report").successes()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void auditOfAClockAheadHasTheTimeOfTheDatabase(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            bench.pass(Duration.ofDays(1));
            bench.steer("main", "report", null, "pause", "ann");
            bench.pass(Duration.ofDays(-1));
            bench.writer.turn();
            assertThat(bench.writer.problem()).isNull();
            assertThat(bench.rows.audit(AuditQuery.ALL).entries())
                    .extracting(AuditEntry::at)
                    .containsExactly(HistoryBench.START);
        }
    }
}
