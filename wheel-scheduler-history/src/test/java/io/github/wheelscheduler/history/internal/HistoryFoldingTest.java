package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.history.FailureKind;
import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.history.HourSum;
import io.github.wheelscheduler.history.HourTotal;
import io.github.wheelscheduler.history.TaskSummary;
import io.github.wheelscheduler.testing.Seed;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Budgets, and hours and days that are added up. */
class HistoryFoldingTest {

    private static final Instant HOUR = HistoryBench.START.truncatedTo(ChronoUnit.HOURS);

    private static HistoryBench bench(HistoryDatabase database, int rowsPerHour, String... unlimited) {
        return new HistoryBench(
                        database.newDataSource(), HistoryBench.settings("a", rowsPerHour, 1_000, unlimited), null)
                .atStart();
    }

    @ParameterizedTest
    @EnumSource
    void budgetBoundsRowsAndCountsAll(HistoryDatabase database) {
        try (HistoryBench bench = bench(database, 3, "every")) {
            for (int i = 0; i < 10; i++) {
                bench.succeed("report");
                bench.succeed("every");
                bench.pass(Duration.ofSeconds(1));
            }
            bench.writer.flush();

            assertThat(bench.rows.page(HistoryQuery.ALL.ofTask("report")).rows())
                    .hasSize(3);
            assertThat(bench.rows.page(HistoryQuery.ALL.ofTask("every")).rows()).hasSize(10);
            assertThat(bench.buffer.overBudgetCount()).isEqualTo(7);
            assertThat(bench.totals.hours("report", HOUR, HOUR.plusSeconds(1)))
                    .containsExactly(new HourTotal(
                            HOUR,
                            "report",
                            "a",
                            HistoryOutcome.SUCCESS,
                            10,
                            Duration.ofMillis(20),
                            Duration.ofMillis(2),
                            HistoryBench.START,
                            HistoryBench.START.plusSeconds(9)));
        }
    }

    @Test
    void firstRunOfAnotherOutcomeHasARow() {
        try (HistoryBench bench = bench(HistoryDatabase.H2, 2)) {
            for (int i = 0; i < 5; i++) {
                bench.succeed("report");
                bench.pass(Duration.ofSeconds(1));
            }
            for (int i = 0; i < 5; i++) {
                bench.fail("report", new IllegalStateException());
                bench.pass(Duration.ofSeconds(1));
            }
            bench.succeed("report");
            bench.pass(Duration.ofSeconds(1));
            Instant since = bench.now;
            for (int i = 0; i < 5; i++) {
                bench.fail("report", new IllegalStateException());
                bench.pass(Duration.ofSeconds(1));
            }
            bench.writer.flush();

            TaskSummary summary = bench.totals.summary("report");
            assertThat(summary.failingSince()).isEqualTo(since);
            assertThat(summary.lastSuccess()).isEqualTo(since.minusSeconds(1));
            assertThat(summary.lastFailure()).isEqualTo(since.plusSeconds(4));
            assertThat(summary.successes()).isEqualTo(6);
            assertThat(summary.failures()).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @EnumSource
    void taskThatFailsOnOneOfTwoNodesHasATime(HistoryDatabase database) {
        try (HistoryBench bench = bench(database, 1)) {
            HistoryBench other = new HistoryBench(bench.pool, HistoryBench.settings("b", 1, 1_000), null);
            for (int minutes = 0; minutes < 3; minutes++) {
                other.fail("report", new IllegalStateException());
                other.pass(Duration.ofMinutes(1));
            }
            bench.pass(Duration.ofMinutes(2).minusSeconds(1));
            bench.succeed("report");
            other.writer.flush();
            bench.now = other.now;
            bench.writer.flush();

            Instant since = HistoryBench.START.plus(Duration.ofMinutes(2));
            assertThat(bench.totals.summary("report"))
                    .isEqualTo(new TaskSummary("report", since.minusSeconds(1), since, since, 1, 3, 0));
            bench.pass(Duration.ofHours(2));
            assertThat(HistoryFolding.fold(bench.store.sql())).isPositive();
            assertThat(bench.totals.summary("report").failingSince()).isEqualTo(since);
        }
    }

    @ParameterizedTest
    @EnumSource
    void oldRunsGoOnceTheyAreAddedUp(HistoryDatabase database) {
        try (HistoryBench bench = bench(database, 100)) {
            bench.succeed("report");
            bench.writer.flush();
            // No node is up for longer than rows are kept.
            bench.pass(Duration.ofDays(20));
            BatchWriter next = new BatchWriter(bench.store, bench.buffer, () -> bench.now);
            for (int i = 0; i < 100; i++) {
                next.turn();
            }
            assertThat(bench.rows.page(HistoryQuery.ALL.ofTask("report")).rows())
                    .hasSize(1);
            for (int i = 0; i < 100; i++) {
                bench.pass(Duration.ofMinutes(1));
                next.turn();
            }

            assertThat(bench.rows.page(HistoryQuery.ALL.ofTask("report")).rows())
                    .isEmpty();
            assertThat(bench.totals.hours("report", HOUR, HOUR.plusSeconds(1)))
                    .singleElement()
                    .matches(hour -> hour.runs() == 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void foldingChangesNoTotal(HistoryDatabase database) {
        try (HistoryBench bench = bench(database, 2)) {
            for (int i = 0; i < 6; i++) {
                bench.succeed("report");
                bench.pass(Duration.ofMinutes(10));
                bench.writer.turn();
            }
            bench.writer.flush();
            List<HourTotal> before = bench.totals.hours(null, HOUR, bench.now);
            int folded = HistoryFolding.fold(bench.store.sql());
            bench.pass(Duration.ofMinutes(40));
            folded += HistoryFolding.fold(bench.store.sql());

            assertThat(folded).isPositive();
            assertThat(bench.totals.hours(null, HOUR, bench.now)).isEqualTo(before);
            assertThat(bench.totals.days(null, HOUR.truncatedTo(ChronoUnit.DAYS), bench.now))
                    .extracting(HourTotal::task, HourTotal::node, HourTotal::runs)
                    .containsExactly(tuple("report", null, 6L));
            assertThat(bench.jdbc.queryForObject("select count(*) from wheel_history_count", Integer.class))
                    .isZero();
            assertThat(bench.jdbc.queryForObject("select sum(runs) from wheel_runs_by_hour", Integer.class))
                    .isEqualTo(6);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowsThatComeLateAreCountedOnce(HistoryDatabase database) {
        try (HistoryBench bench = bench(database, 100)) {
            bench.succeed("report");
            bench.fail("report", new IllegalStateException());
            bench.pass(Duration.ofHours(3));
            assertThat(HistoryFolding.fold(bench.store.sql())).isEqualTo(1);
            bench.writer.turn();
            bench.pass(Duration.ofHours(1));
            bench.succeed("other");
            bench.writer.turn();

            assertThat(bench.totals.hours("report", HOUR, bench.now))
                    .extracting(HourTotal::start, HourTotal::outcome, HourTotal::runs)
                    .containsExactly(tuple(HOUR, HistoryOutcome.SUCCESS, 1L), tuple(HOUR, HistoryOutcome.FAILURE, 1L));
            assertThat(bench.totals.failures("report", HOUR, bench.now)).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void failuresOfAllTasksAreCountedByKind(HistoryDatabase database) {
        try (HistoryBench bench = bench(database, 100)) {
            for (int i = 0; i < 3; i++) {
                bench.fail("report", new IllegalStateException());
            }
            bench.writer.turn();
            bench.pass(Duration.ofHours(2));
            assertThat(HistoryFolding.fold(bench.store.sql())).isPositive();
            bench.fail("other", new IllegalArgumentException());
            bench.pass(Duration.ofSeconds(1));
            bench.writer.turn();

            assertThat(bench.totals.failures(null, HOUR, bench.now.plusSeconds(1)))
                    .extracting(FailureKind::task, FailureKind::type, FailureKind::rows, FailureKind::trace)
                    .containsExactly(
                            tuple("report", "java.lang.IllegalStateException", 3L, null),
                            tuple("other", "java.lang.IllegalArgumentException", 1L, null));
        }
    }

    @ParameterizedTest
    @EnumSource
    void failuresAreThoseOfWholeHours(HistoryDatabase database) {
        try (HistoryBench bench = bench(database, 100)) {
            IllegalStateException failure = new IllegalStateException();
            bench.fail("report", failure);
            bench.pass(Duration.ofHours(1));
            bench.fail("report", failure);
            bench.writer.turn();
            Instant from = HistoryBench.START.plus(Duration.ofMinutes(15));
            Instant to = HistoryBench.START.plus(Duration.ofMinutes(45));
            List<FailureKind> open = bench.totals.failures("report", from, to);
            bench.pass(Duration.ofHours(2));
            assertThat(HistoryFolding.fold(bench.store.sql())).isPositive();

            assertThat(open).extracting(FailureKind::rows).containsExactly(2L);
            assertThat(bench.totals.failures("report", from, to)).isEqualTo(open);
        }
    }

    @ParameterizedTest
    @EnumSource
    void exceptionWithoutAFailureKeepsNoHourOpen(HistoryDatabase database) {
        try (HistoryBench bench = bench(database, 100)) {
            HistoryRow row = row(bench, 1);
            RunNotes.note(bench.buffer, row, new IllegalStateException());
            bench.writer.turn();
            bench.pass(Duration.ofHours(2));

            assertThat(HistoryFolding.fold(bench.store.sql())).isPositive();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RunNotes.note(bench.buffer, row(bench, Long.MAX_VALUE), null))
                    .withMessage("runs must be between 1 and 2147483647, was 9223372036854775807");
        }
    }

    private static HistoryRow row(HistoryBench bench, long runs) {
        return new HistoryRow(
                0,
                bench.now,
                "report",
                null,
                "main",
                "a",
                null,
                null,
                null,
                HistoryOutcome.FAILURE,
                runs,
                1,
                HistoryCause.SCHEDULE,
                null,
                null,
                null,
                null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Asia/Kathmandu", "America/St_Johns"})
    void newTablesBeginWithThisHour(String zone) throws SQLException {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(HistoryDatabase.H2.newUrl() + ";TIME ZONE=" + zone);
        try (HistoryBench bench = new HistoryBench(pool, HistoryBench.settings("a", 100, 100), null)) {
            long hour = Instant.now().truncatedTo(ChronoUnit.HOURS).getEpochSecond();
            bench.store.requireTables();
            long next = Instant.now().truncatedTo(ChronoUnit.HOURS).getEpochSecond();

            assertThat(bench.jdbc.queryForObject(
                            "select number from wheel_history_state where name = 'folded'", Long.class))
                    .isBetween(hour, next);
            assertThat(bench.jdbc
                            .queryForObject("select current_timestamp", OffsetDateTime.class)
                            .getOffset())
                    .isEqualTo(ZoneId.of(zone).getRules().getOffset(Instant.now()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void sumsAreOfAllTasksOrOfOne(HistoryDatabase database) {
        try (HistoryBench bench = bench(database, 2)) {
            for (int i = 0; i < 3; i++) {
                bench.succeed("report");
            }
            bench.fail("other", new IllegalStateException());
            bench.pass(Duration.ofSeconds(1));
            bench.writer.flush();

            HourSum all = new HourSum(HOUR, 3, 1, 0);
            assertThat(bench.totals.sums(null, HOUR, bench.now)).containsExactly(all);
            assertThat(bench.totals.sums("other", HOUR, bench.now)).containsExactly(new HourSum(HOUR, 0, 1, 0));
            bench.pass(Duration.ofHours(2));
            assertThat(HistoryFolding.fold(bench.store.sql())).isPositive();
            assertThat(bench.totals.sums(null, HOUR, bench.now)).containsExactly(all);
        }
    }

    @ParameterizedTest
    @EnumSource
    void twoNodesFoldAnHourOnce(HistoryDatabase database) {
        try (HistoryBench bench = bench(database, 2)) {
            bench.succeed("report");
            bench.writer.turn();
            HistoryBench other = new HistoryBench(bench.pool, HistoryBench.settings("b", 2, 1_000), null);
            other.now = bench.now;
            other.succeed("report");
            other.writer.turn();
            bench.pass(Duration.ofHours(2));
            other.now = bench.now;

            assertThat(HistoryFolding.fold(bench.store.sql())).isEqualTo(2);
            assertThat(HistoryFolding.fold(other.store.sql())).isZero();
            assertThat(bench.totals.hours("report", HOUR, bench.now))
                    .extracting(HourTotal::node, HourTotal::runs)
                    .containsExactly(tuple("a", 1L), tuple("b", 1L));
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowThatComesWhileAnHourIsChosenIsCounted(HistoryDatabase database) {
        HikariDataSource pool = database.newDataSource();
        MeanwhileDataSource between = new MeanwhileDataSource(pool);
        try (HistoryBench bench = new HistoryBench(pool, HistoryBench.settings("a", 100, 1_000), between).atStart()) {
            HistoryBench other = new HistoryBench(pool, HistoryBench.settings("b", 100, 1_000), null);
            other.pass(Duration.ofHours(2));
            other.succeed("report");
            other.pass(Duration.ofHours(4));
            bench.pass(Duration.ofHours(6));
            BatchWriter late = new BatchWriter(other.store, other.buffer, () -> other.now);
            between.before("for update", late::turn);
            assertThat(HistoryFolding.fold(bench.store.sql())).isPositive();

            assertThat(between.hasHappened()).isTrue();
            assertThat(late.problem()).isNull();
            assertThat(bench.totals.hours("report", HOUR, bench.now))
                    .extracting(HourTotal::start, HourTotal::runs)
                    .containsExactly(tuple(HOUR.plus(Duration.ofHours(2)), 1L));
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowThatBecomesLateMeanwhileIsCounted(HistoryDatabase database) {
        HikariDataSource pool = database.newDataSource();
        MeanwhileDataSource between = new MeanwhileDataSource(pool);
        try (HistoryBench bench = new HistoryBench(pool, HistoryBench.settings("a", 100, 1_000), between).atStart()) {
            HistoryBench other = new HistoryBench(pool, HistoryBench.settings("b", 100, 1_000), null);
            bench.fail("report", new IllegalStateException());
            between.before("insert into wheel_history_text", () -> {
                other.pass(Duration.ofHours(2));
                bench.now = other.now;
                assertThat(HistoryFolding.fold(other.store.sql())).isEqualTo(1);
            });
            bench.writer.turn();

            assertThat(between.hasHappened()).isTrue();
            assertThat(bench.writer.problem()).isNull();
            assertThat(bench.totals.hours("report", HOUR, bench.now))
                    .extracting(HourTotal::start, HourTotal::runs)
                    .containsExactly(tuple(HOUR, 1L));
        }
    }

    /** As with a short time for which hours are kept, or with a row that comes a month late. */
    @ParameterizedTest
    @EnumSource
    void dayKeepsTheRunsOfHoursThatAreGone(HistoryDatabase database) {
        try (HistoryBench bench = bench(database, 2)) {
            for (int i = 0; i < 3; i++) {
                bench.succeed("report");
            }
            bench.writer.flush();
            for (int folds = 1; folds < 3; folds++) {
                bench.pass(Duration.ofHours(2));
                assertThat(HistoryFolding.fold(bench.store.sql())).isPositive();
                assertThat(bench.jdbc.update("delete from wheel_history_hour")).isPositive();
                bench.succeed("report");
                bench.writer.flush();
            }
            bench.pass(Duration.ofDays(2));
            assertThat(HistoryFolding.fold(bench.store.sql())).isPositive();

            assertThat(bench.totals.days("report", HOUR.truncatedTo(ChronoUnit.DAYS), bench.now))
                    .singleElement()
                    .satisfies(day -> {
                        assertThat(day.runs()).isEqualTo(5);
                        assertThat(day.sum()).isEqualTo(Duration.ofMillis(10));
                        assertThat(day.earliest()).isEqualTo(HistoryBench.START);
                        assertThat(day.latest()).isEqualTo(HistoryBench.START.plus(Duration.ofHours(4)));
                    });
            assertThat(bench.jdbc.queryForObject("select count(*) from wheel_history_count", Integer.class))
                    .isZero();
        }
    }

    /** The database adds up to the numbers of a reference, with hours folded at random times. */
    @ParameterizedTest
    @EnumSource
    void modelAgreesWithTheDatabase(HistoryDatabase database) {
        // Outside of the play, which takes an assumption for a failure.
        bench(database, 1).close();
        Seed.play(random -> {
            try (HistoryBench bench = bench(database, 1 + random.nextInt(4))) {
                Map<String, Long> expected = new TreeMap<>();
                for (int step = 0; step < 200; step++) {
                    take(bench, random, expected);
                }
                bench.writer.flush();
                assertThat(counted(bench)).isEqualTo(expected);
            }
        });
    }

    private static void take(HistoryBench bench, SplittableRandom random, Map<String, Long> expected) {
        switch (random.nextInt(8)) {
            case 0 -> bench.pass(Duration.ofMinutes(random.nextInt(1, 50)));
            case 1 -> bench.writer.turn();
            case 2 -> HistoryFolding.fold(bench.store.sql());
            default -> {
                String task = "task" + random.nextInt(3);
                boolean fails = random.nextInt(3) == 0;
                if (fails) {
                    bench.fail(task, new IllegalStateException());
                } else {
                    bench.succeed(task);
                }
                long ignored = expected.merge(
                        bench.now.truncatedTo(ChronoUnit.HOURS) + " " + task + " "
                                + (fails ? HistoryOutcome.FAILURE : HistoryOutcome.SUCCESS),
                        1L,
                        Long::sum);
                bench.pass(Duration.ofMillis(random.nextInt(1, 100_000)));
            }
        }
    }

    private static Map<String, Long> counted(HistoryBench bench) {
        return bench.totals.hours(null, HOUR, bench.now.plusSeconds(1)).stream()
                .collect(Collectors.toMap(
                        total -> total.start() + " " + total.task() + " " + total.outcome(),
                        HourTotal::runs,
                        Long::sum,
                        TreeMap::new));
    }

    /** On a day on which clocks change, and in a zone that is not whole hours away. */
    @ParameterizedTest
    @EnumSource
    void hoursAreThoseOfUtcInEveryZone(HistoryDatabase database) {
        TimeZone before = TimeZone.getDefault();
        try {
            for (String zone : List.of("Europe/Berlin", "Asia/Kathmandu", "America/St_Johns")) {
                TimeZone.setDefault(TimeZone.getTimeZone(zone));
                try (HistoryBench bench = bench(database, 100)) {
                    bench.now = Instant.parse("2030-03-31T00:30:00Z");
                    for (int i = 0; i < 3; i++) {
                        bench.succeed("report");
                        bench.writer.turn();
                        bench.pass(Duration.ofHours(1));
                    }
                    List<HourTotal> open = bench.totals.hours(null, HOUR, bench.now);
                    int ignored = HistoryFolding.fold(bench.store.sql());

                    assertThat(open)
                            .as(zone)
                            .extracting(total -> total.start().toString())
                            .containsExactly("2030-03-31T00:00:00Z", "2030-03-31T01:00:00Z", "2030-03-31T02:00:00Z");
                    assertThat(bench.totals.hours(null, HOUR, bench.now)).isEqualTo(open);
                    assertThat(bench.rows.page(HistoryQuery.ALL).rows())
                            .as(zone)
                            .extracting(row -> row.at().toString())
                            .containsExactly("2030-03-31T02:30:00Z", "2030-03-31T01:30:00Z", "2030-03-31T00:30:00Z");
                }
            }
        } finally {
            TimeZone.setDefault(before);
        }
    }

    @ParameterizedTest
    @EnumSource
    void oldRowsGoAndTotalsStay(HistoryDatabase database) {
        try (HistoryBench bench = bench(database, 100)) {
            bench.fail("report", new IllegalStateException());
            bench.writer.turn();
            bench.pass(Duration.ofDays(15));
            turns(bench, 20);

            assertThat(bench.rows.page(HistoryQuery.ALL).rows()).isEmpty();
            assertThat(bench.totals.summary("report").failingSince()).isEqualTo(HistoryBench.START);
            assertThat(bench.totals.failures("report", HOUR, bench.now).get(0).trace())
                    .isNotNull();
            bench.pass(Duration.ofDays(16));
            turns(bench, 20);
            assertThat(bench.totals.hours("report", HOUR, bench.now)).isEmpty();
            assertThat(bench.totals.days("report", HOUR.truncatedTo(ChronoUnit.DAYS), bench.now))
                    .hasSize(1);
            assertThat(bench.totals.failures("report", HOUR, bench.now)).isEmpty();
            assertThat(bench.totals.summary("report").lastFailure()).isEqualTo(HistoryBench.START);
            bench.pass(Duration.ofDays(400));
            turns(bench, 20);
            assertThat(bench.totals.summary("report").lastFailure()).isNull();
        }
    }

    private static void turns(HistoryBench bench, int count) {
        for (int i = 0; i < count; i++) {
            bench.pass(Duration.ofSeconds(61));
            bench.writer.turn();
            assertThat(bench.writer.problem()).isNull();
        }
    }
}
