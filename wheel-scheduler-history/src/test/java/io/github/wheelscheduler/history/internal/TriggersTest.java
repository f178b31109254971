package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.jdbc.internal.EndNote;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows of runs by hand name the user who has asked for them, and no other. */
class TriggersTest {

    private static List<@Nullable String> users(HistoryBench bench, String task) {
        bench.writer.turn();
        assertThat(bench.writer.problem()).isNull();
        return bench.rows.page(HistoryQuery.ALL.ofTask(task)).rows().stream()
                .<@Nullable String>map(HistoryRow::by)
                .toList();
    }

    /** A durable run by hand, of 2 ms, that has just ended on a node. */
    private static void runDurable(HistoryBench bench, String task, @Nullable String instance) {
        new DurableRunNotes(bench.store, bench.buffer, () -> 0)
                .ended(new EndNote(
                        EndNote.Kind.DONE,
                        task,
                        instance,
                        1,
                        1,
                        EndNote.Cause.BY_HAND,
                        bench.now,
                        bench.now.minusMillis(3),
                        bench.now.minusMillis(2),
                        Duration.ofMillis(2),
                        null,
                        null,
                        null));
    }

    @ParameterizedTest
    @EnumSource
    void durableRunByHandSaysByWhom(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            bench.steer("durable", "nightly", null, "trigger", "ann");
            bench.steer("durable", "mail", "7", "retry", "bob");
            bench.pass(Duration.ofSeconds(1));
            runDurable(bench, "nightly", null);
            runDurable(bench, "mail", "8");
            runDurable(bench, "mail", "7");
            assertThat(users(bench, "nightly")).containsExactly("ann");
            assertThat(users(bench, "mail")).containsExactly("bob", null);
            bench.pass(Duration.ofSeconds(2));
            runDurable(bench, "nightly", null);
            assertThat(users(bench, "nightly")).as("without a name").containsExactly(null, "ann");
        }
    }

    @ParameterizedTest
    @EnumSource
    void userIsKnownWhereAnotherNodeHasSteered(HistoryDatabase database) {
        try (HistoryBench steers = new HistoryBench(database).atStart()) {
            HistoryBench runs = new HistoryBench(steers.pool, HistoryBench.settings("b", 120, 1_000), null);
            steers.steer("durable", "nightly", null, "trigger", "ann");
            steers.steer("durable", "mail", "7", "retry", "bob");
            steers.writer.turn();
            runs.pass(Duration.ofSeconds(3));
            runDurable(runs, "nightly", null);
            runDurable(runs, "mail", "7");
            runDurable(runs, "mail", "8");
            assertThat(users(runs, "nightly")).containsExactly("ann");
            assertThat(users(runs, "mail")).containsExactly(null, "bob");
            runs.pass(Duration.ofSeconds(3));
            runDurable(runs, "nightly", null);
            assertThat(users(runs, "nightly")).as("without a name").containsExactly(null, "ann");
        }
    }

    @ParameterizedTest
    @EnumSource
    void runsThatAreRetriedTogetherSayByWhom(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            HistoryBench other = new HistoryBench(bench.pool, HistoryBench.settings("b", 120, 1_000), null);
            bench.steer("durable", "mail", null, "retry", "ann");
            bench.steer("durable", "mail", "7", "retry", "bob");
            bench.steer("durable", "fax", null, "trigger", "cid");
            bench.pass(Duration.ofSeconds(1));
            for (String mail : List.of("9", "8", "7")) {
                runDurable(bench, "mail", mail);
            }
            runDurable(bench, "fax", "1");
            assertThat(users(bench, "mail")).containsExactly("bob", "ann", "ann");
            assertThat(users(bench, "fax")).as("of a recurring task").containsExactly((String) null);
            other.pass(Duration.ofSeconds(2));
            runDurable(other, "mail", "6");
            runDurable(other, "mail", "8");
            assertThat(users(other, "mail")).startsWith(null, "ann");
            bench.pass(Duration.ofMinutes(11));
            runDurable(bench, "mail", "5");
            assertThat(users(bench, "mail")).startsWith((String) null);
        }
    }

    @ParameterizedTest
    @EnumSource
    void schedulersWithOneIdShareNoUser(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            bench.steer("other", "report", null, "trigger", "ann");
            bench.pass(Duration.ofSeconds(1));
            bench.run("report", null, true);
            assertThat(users(bench, "report")).containsExactly((String) null);
            bench.steer("main", "report", null, "trigger", "bob");
            bench.pass(Duration.ofSeconds(1));
            bench.run("report", null, true);
            assertThat(users(bench, "report")).containsExactly("bob", null);
        }
    }

    @ParameterizedTest
    @EnumSource
    void runThatEndsBeforeItsSteeringIsToldHasItsUser(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            bench.run("report", null, true);
            bench.pass(Duration.ofMillis(10));
            bench.steer("main", "report", null, "trigger", "ann");
            assertThat(users(bench, "report")).containsExactly("ann");
            bench.pass(Duration.ofMinutes(1));
            bench.run("report", null, true);
            assertThat(users(bench, "report")).containsExactly(null, "ann");
        }
    }

    @ParameterizedTest
    @EnumSource
    void oldSteeringNamesNoRun(HistoryDatabase database) {
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            HistoryBench other = new HistoryBench(bench.pool, HistoryBench.settings("b", 120, 1_000), null);
            bench.steer("durable", "nightly", null, "trigger", "ann");
            bench.steer("main", "report", null, "trigger", "ann");
            bench.writer.turn();
            other.pass(Duration.ofSeconds(1));
            runDurable(other, "nightly", null);
            assertThat(users(other, "nightly")).containsExactly("ann");
            other.pass(Duration.ofDays(2));
            bench.now = other.now.plusSeconds(1);
            other.steer("durable", "nightly", null, "trigger", "bob");
            other.writer.turn();
            runDurable(bench, "nightly", null);
            bench.run("report", null, true);
            assertThat(users(bench, "nightly")).containsExactly("bob", "ann");
            assertThat(users(bench, "report")).containsExactly((String) null);
        }
    }
}
