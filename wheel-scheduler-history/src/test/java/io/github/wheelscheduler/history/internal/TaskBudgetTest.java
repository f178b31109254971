package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryOutcome.Kind;
import io.github.wheelscheduler.spring.task.SkipReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of a task in an hour, and the runs beyond. */
class TaskBudgetTest {

    private static final long HOUR_MICROS = 3_600_000_000L;
    private static final int MOST = 3;
    private static final int THREADS = 4;

    private static Map<String, RunTotals> byHourAndOutcome(List<RunTotals> all) {
        Map<String, RunTotals> sums = new HashMap<>();
        for (RunTotals each : all) {
            RunTotals ignored = sums.merge(each.hour() + " " + each.outcome(), each, RunTotals::plus);
        }
        return sums;
    }

    /** Random runs, and the same in lists. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void rowsAndCountsAreThoseOfAModel(int seed) {
        Random random = new Random(seed);
        TaskBudget budget = new TaskBudget("task", MOST, MOST);
        Map<Kind, Integer> rows = new HashMap<>();
        Map<String, RunTotals> expected = new HashMap<>();
        List<RunTotals> drained = new ArrayList<>();
        long newestHour = 0;
        Kind last = null;
        long atMicros = 1_000 * HOUR_MICROS;
        for (int i = 0; i < 5_000; i++) {
            // The clock is set.
            atMicros += random.nextInt(500) == 0 ? random.nextInt(-30, 30) * HOUR_MICROS : 0;
            atMicros += random.nextInt(40) == 0 ? HOUR_MICROS / 3 : random.nextInt(3) - 1;
            HistoryOutcome outcome = HistoryOutcome.of(random.nextInt(HistoryOutcome.values().length));
            long took = outcome.kind() == Kind.NOT_RUN ? NotedRun.NO_RUN : random.nextInt(1_000);
            long runs = outcome.kind() == Kind.NOT_RUN ? 1 + random.nextInt(3) : 1;
            if (random.nextInt(50) == 0) {
                budget.drain(drained);
            }
            long hour = TaskBudget.hourOf(atMicros);
            if (hour > newestHour || hour < newestHour - 1) {
                newestHour = hour;
                rows.clear();
            }
            boolean isTurn = outcome.kind() != Kind.NOT_RUN && outcome.kind() != last;
            last = outcome.kind() == Kind.NOT_RUN ? last : outcome.kind();
            boolean hasRow = isTurn || rows.getOrDefault(outcome.kind(), 0) < MOST;
            if (hasRow) {
                Object ignored = rows.merge(outcome.kind(), 1, Integer::sum);
            } else {
                Object ignored = expected.merge(
                        hour + " " + outcome, RunTotals.of("task", outcome, runs, took, atMicros), RunTotals::plus);
            }
            assertThat(budget.takes(outcome, runs, took, atMicros))
                    .isEqualTo(hasRow ? TaskBudget.Answer.ROW : TaskBudget.Answer.NO_ROW);
        }
        budget.drain(drained);
        assertThat(byHourAndOutcome(drained)).isEqualTo(expected);
        drained.clear();
        budget.drain(drained);
        assertThat(drained).isEmpty();
    }

    private static long add(TaskBudget budget, Random random, boolean isOneTime) {
        long took = random.nextInt(100);
        long at = HOUR_MICROS + random.nextInt(1_000);
        boolean isIn = isOneTime
                ? budget.counts(HistoryOutcome.SUCCESS, took, at)
                : budget.takes(HistoryOutcome.SUCCESS, 1, took, at) != TaskBudget.Answer.GONE;
        return isIn ? took : -1;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void threadsAtOnceLoseNoRun(boolean isOneTime) throws Exception {
        TaskBudget budget = new TaskBudget("task", 0, 0);
        // The first run of another outcome has a row.
        assertThat(budget.takes(HistoryOutcome.SUCCESS, 1, 0, 0)).isEqualTo(TaskBudget.Answer.ROW);
        int each = 200_000;
        AtomicBoolean isOver = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1);
        try {
            Future<List<RunTotals>> drained = threads.submit(() -> {
                List<RunTotals> all = new ArrayList<>();
                while (!isOver.get()) {
                    budget.drain(all);
                    Thread.onSpinWait();
                }
                budget.drain(all);
                return all;
            });
            List<Callable<Long>> callers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(i);
                callers.add(() -> {
                    long micros = 0;
                    for (int run = 0; run < each; run++) {
                        long took = add(budget, random, isOneTime);
                        while (took < 0) {
                            Thread.onSpinWait();
                            took = add(budget, random, isOneTime);
                        }
                        micros += took;
                    }
                    return micros;
                });
            }
            long micros = 0;
            for (Future<Long> caller : threads.invokeAll(callers)) {
                micros += caller.get();
            }
            isOver.set(true);
            RunTotals sum = byHourAndOutcome(drained.get()).values().iterator().next();
            assertThat(sum.runs()).isEqualTo((long) THREADS * each);
            assertThat(sum.micros()).isEqualTo(micros);
        } finally {
            threads.shutdownNow();
        }
    }

    private static RunBuffer buffer() {
        return new RunBuffer(HistoryBench.settings("a", 1, 100));
    }

    private static List<RunTotals> totals(RunBuffer buffer, long nowHour) {
        List<RunTotals> taken = new ArrayList<>();
        buffer.takeTotals(nowHour, taken);
        return taken;
    }

    private static long runsOf(List<RunTotals> totals) {
        return totals.stream().mapToLong(RunTotals::runs).sum();
    }

    @Test
    void taskThatSleptForHoursIsCountedAgain() {
        RunBuffer buffer = buffer();
        RunBuffer.KnownTask task = new RunBuffer.KnownTask(buffer, "nightly");
        assertThat(buffer.takes(task, HistoryOutcome.SUCCESS, 1, 5, HOUR_MICROS))
                .isTrue();
        assertThat(buffer.takes(task, HistoryOutcome.SUCCESS, 1, 5, HOUR_MICROS))
                .isFalse();
        assertThat(runsOf(totals(buffer, 1))).isEqualTo(1);
        // It is forgotten.
        assertThat(totals(buffer, 10)).isEmpty();
        assertThat(buffer.takes(task, HistoryOutcome.SUCCESS, 1, 5, 10 * HOUR_MICROS))
                .isTrue();
        assertThat(buffer.takes(task, HistoryOutcome.SUCCESS, 1, 5, 10 * HOUR_MICROS))
                .isFalse();
        assertThat(buffer.takesIfUnlimited("nightly", HistoryOutcome.SUCCESS, 5, 10 * HOUR_MICROS))
                .isFalse();
        assertThat(runsOf(totals(buffer, 10))).isEqualTo(2);
    }

    @Test
    void runsAreCountedWhileTasksAreForgotten() throws Exception {
        RunBuffer buffer = buffer();
        int each = 50_000;
        AtomicBoolean isOver = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1);
        try {
            Future<Long> drained = threads.submit(() -> {
                long runs = 0;
                while (!isOver.get()) {
                    // In this hour all tasks have been idle for long.
                    runs += runsOf(totals(buffer, 100));
                }
                return runs + runsOf(totals(buffer, 100));
            });
            List<Callable<Long>> callers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                RunBuffer.@Nullable KnownTask task = i % 2 == 0 ? new RunBuffer.KnownTask(buffer, "task") : null;
                callers.add(() -> {
                    long rows = 0;
                    for (int run = 0; run < each; run++) {
                        boolean hasRow = task == null
                                ? buffer.takesIfUnlimited("once", HistoryOutcome.SUCCESS, 1, HOUR_MICROS)
                                : buffer.takes(task, HistoryOutcome.SUCCESS, 1, 1, HOUR_MICROS);
                        rows += hasRow ? 1 : 0;
                    }
                    return rows;
                });
            }
            long rows = 0;
            for (Future<Long> caller : threads.invokeAll(callers)) {
                rows += caller.get();
            }
            isOver.set(true);
            assertThat(drained.get() + rows).isEqualTo((long) THREADS * each);
        } finally {
            threads.shutdownNow();
        }
    }

    /** A list for which there is no memory after some parts. */
    private static final class ShortList extends ArrayList<RunTotals> {

        private static final long serialVersionUID = 1;

        private int left;

        ShortList(int left) {
            super();
            this.left = left;
        }

        @Override
        public boolean addAll(Collection<? extends RunTotals> more) {
            if (!more.isEmpty() && left-- == 0) {
                throw new OutOfMemoryError("on purpose");
            }
            return super.addAll(more);
        }
    }

    @Test
    void budgetIsRenewedAfterAClockWasAhead() {
        RunBuffer buffer = buffer();
        RunBuffer.KnownTask task = new RunBuffer.KnownTask(buffer, "nightly");
        List<Boolean> rows = new ArrayList<>();
        for (long hour : new long[] {24, 2, 2, 1, 1, 3, 3}) {
            rows.add(buffer.takes(task, HistoryOutcome.SUCCESS, 1, 1, hour * HOUR_MICROS));
        }
        assertThat(rows).containsExactly(true, true, false, false, false, true, false);
    }

    @Test
    void taskOfAClockThatWasAheadIsForgotten() {
        RunBuffer buffer = buffer();
        for (int i = 0; i < 2; i++) {
            assertThat(buffer.takes("once", HistoryOutcome.SUCCESS, 1, 1, 24 * HOUR_MICROS))
                    .isTrue();
            assertThat(totals(buffer, 3)).isEmpty();
        }
    }

    @Test
    void failuresOfOneTimeRunsHaveANewBudgetEachHour() {
        RunBuffer buffer = new RunBuffer(HistoryBench.settings("a", 2, 100));
        for (int hour = 1; hour < 4; hour++) {
            buffer.takesIfUnlimited("once", HistoryOutcome.SUCCESS, 1, hour * HOUR_MICROS);
            List<Boolean> rows = new ArrayList<>();
            for (int run = 0; run < 3; run++) {
                rows.add(buffer.takes("once", HistoryOutcome.FAILURE, 1, 1, hour * HOUR_MICROS));
            }
            assertThat(rows).as("hour " + hour).containsExactly(true, true, false);
        }
    }

    @Test
    void runsAreKeptWhereThereIsNoMemory() throws InterruptedException {
        RunBuffer buffer = buffer();
        int each = 1_100;
        for (int i = 0; i < THREADS; i++) {
            // Each has a place of its own once there are a thousand.
            Thread caller = new Thread(() -> {
                for (int run = 0; run < each; run++) {
                    buffer.takesIfUnlimited("once", HistoryOutcome.SUCCESS, 1, HOUR_MICROS);
                    buffer.takesIfUnlimited("twice", HistoryOutcome.SUCCESS, 1, HOUR_MICROS);
                }
            });
            caller.start();
            caller.join();
        }
        for (int parts = 0; parts < 3; parts++) {
            ShortList taken = new ShortList(parts);
            assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> buffer.takeTotals(1, taken));
            // The places of callers may have been drained in part.
            assertThat(buffer.takesIfUnlimited("once", HistoryOutcome.SUCCESS, 1, HOUR_MICROS))
                    .isFalse();
            buffer.giveBack(taken);
            assertThat(taken).isEmpty();
        }
        assertThat(runsOf(totals(buffer, 1))).isEqualTo(2L * THREADS * each + 3);
    }

    @Test
    void registeredTaskKeepsItsNameAmongMany() {
        RunBuffer buffer = buffer();
        for (int i = 0; i < 100_001; i++) {
            buffer.takesIfUnlimited("once-" + i, HistoryOutcome.SUCCESS, 1, HOUR_MICROS);
        }
        for (String task : List.of("one", "two")) {
            RunBuffer.KnownTask known = new RunBuffer.KnownTask(buffer, task);
            assertThat(buffer.takes(known, HistoryOutcome.FAILURE, 1, 1, HOUR_MICROS))
                    .as(task)
                    .isTrue();
            assertThat(buffer.takes(known, HistoryOutcome.FAILURE, 1, 1, HOUR_MICROS))
                    .isFalse();
            assertThat(buffer.reserves("handler of " + task, HistoryOutcome.FAILURE, HOUR_MICROS))
                    .isTrue();
        }
        RunNotes notes = new RunNotes("main", buffer, () -> Instant.EPOCH.plusSeconds(3_600));
        for (int i = 0; i <= MOST; i++) {
            notes.skipped("paused", SkipReason.PAUSED);
        }
        assertThat(totals(buffer, 1))
                .extracting(RunTotals::task)
                .contains("one", "two", "paused", "(others)")
                .hasSize(100_004);
    }

    @Test
    void firstFailureOfManyOneTimeRunsHasARow() {
        RunBuffer buffer = buffer();
        for (int i = 0; i < 3; i++) {
            for (int run = 0; run < 2_000; run++) {
                assertThat(buffer.takesIfUnlimited("once", HistoryOutcome.SUCCESS, 1, HOUR_MICROS))
                        .isFalse();
            }
            assertThat(buffer.takes("once", HistoryOutcome.FAILURE, 1, 1, HOUR_MICROS))
                    .isTrue();
        }
    }
}
