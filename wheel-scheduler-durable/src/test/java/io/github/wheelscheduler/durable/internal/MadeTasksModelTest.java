package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.RecurringRequest;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.RecurringTasks.Change;
import io.github.wheelscheduler.durable.internal.ClaimTable.Freed;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.RecurringTable.RunEnd;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Scale;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Random steps of programs, operators, two nodes and a node of layout 1 at a few recurring tasks that are made at run
 * time, and beside them a reference which knows what is there. Times are hours away from now, so that the test need not
 * stop the database's clock.
 */
@ParameterizedClass
@EnumSource
@Timeout(300)
class MadeTasksModelTest {

    private static final Instant BASE = Instant.parse("2026-01-01T00:00:00Z");
    private static final String HANDLER = "report";
    private static final List<String> IDS = List.of("a", "b", "B");
    private static final long[] NODES = {11, 12};
    private static final int SCHEDULES = 4;
    private static final int STEPS = 600;

    private final TestDatabase database;
    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final Node node;
    private final RecurringTasks tasks;
    private final Tables tables;
    private final OlderNode older;
    private final List<String> log = new ArrayList<>();

    /** The rows that nodes have claimed; a dead node still owns its rows. */
    private final List<TaskRow> claims = new ArrayList<>();

    private Map<String, Known> known = new HashMap<>();
    private Random random = new Random();

    /** What the reference knows of a task. */
    private static final class Known implements Cloneable {

        private int schedule;
        private int retimed = -1;
        private String payload = "";
        private boolean isPaused;
        private boolean isClaimed;
        private boolean isEnded;
        private boolean isTriggered;
        private boolean isUnreadable;

        /** Whether its run has asked to come again later. */
        private boolean isToComeAgain;

        /** Whether a run stands before those of the schedule, so that a pause may be too late for it. */
        private boolean isHeld;

        private Known copy() {
            try {
                return (Known) clone();
            } catch (CloneNotSupportedException ex) {
                throw new IllegalStateException(ex);
            }
        }

        private int counting() {
            return retimed < 0 ? schedule : retimed;
        }
    }

    MadeTasksModelTest(TestDatabase database) {
        Assumptions.assumeTrue(
                database == TestDatabase.H2 || Scale.of(0, 1, 1) == 1,
                "played on H2 in a usual build, else with -Pfull");
        this.database = database;
        pool = database.newDataSource();
        jdbc = new JdbcTemplate(pool);
        transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
        OlderNode.makeTables(database, pool);
        node = new Node("n", pool);
        tasks = node.engine.recurringTasks();
        tables = new Database(pool, Node.settings("n")).tables();
        older = new OlderNode(database, pool, JsonMapper.builder().build());
    }

    @AfterEach
    void close() {
        node.close();
        pool.close();
    }

    @RepeatedTest(3)
    void tablesAgreeWithTheReference(RepetitionInfo repetition) {
        long seed = Long.getLong("wheel.test.seed", System.nanoTime() + repetition.getCurrentRepetition());
        random = new Random(seed);
        int steps = Scale.of(STEPS, 3 * STEPS, 30 * STEPS);
        try {
            for (int i = 0; i < steps; i++) {
                step();
                check();
            }
        } catch (AssertionError | RuntimeException ex) {
            int from = Math.max(0, log.size() - 40);
            throw new AssertionError(
                    "seed " + seed + " on " + database + "\n" + String.join("\n", log.subList(from, log.size())), ex);
        }
        assertThat(log).as("each kind of step").anyMatch(text -> text.startsWith("over"));
    }

    private void step() {
        switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> inTransaction();
            case 4, 5 -> claim();
            case 6 -> olderNode();
            default -> endSome();
        }
    }

    // Programs and operators

    /** Some steps of theirs, which are committed or rolled back together. */
    private void inTransaction() {
        Map<String, Known> before = new HashMap<>();
        known.forEach((id, one) -> before.put(id, one.copy()));
        boolean isRolledBack = random.nextInt(4) == 0;
        int steps = 1 + random.nextInt(3);
        transaction.executeWithoutResult(status -> {
            for (int i = 0; i < steps; i++) {
                steer(IDS.get(random.nextInt(IDS.size())));
            }
            if (isRolledBack) {
                status.setRollbackOnly();
            }
        });
        if (isRolledBack) {
            log.add("rolled back");
            known = before;
        }
    }

    private void steer(String id) {
        Known one = known.get(id);
        boolean isThere = one != null && !one.isEnded;
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> schedule(id, one);
            case 3 -> {
                log.add("end " + id);
                assertThat(tasks.end(id)).isEqualTo(isThere);
                if (isThere && one.isClaimed) {
                    one.isEnded = true;
                } else if (isThere) {
                    known.remove(id);
                }
            }
            case 4 -> {
                log.add("pause " + id);
                assertThat(tasks.pause(id)).isEqualTo(isThere && !one.isPaused);
                if (isThere) {
                    one.isPaused = true;
                }
            }
            case 5 -> {
                log.add("resume " + id);
                assertThat(tasks.resume(id)).isEqualTo(isThere && one.isPaused);
                if (isThere) {
                    one.isPaused = false;
                }
            }
            case 6 -> {
                log.add("trigger " + id);
                assertThat(tasks.trigger(id)).isEqualTo(isThere && !one.isClaimed);
                if (isThere && !one.isClaimed) {
                    one.isTriggered = true;
                    one.isUnreadable = false;
                }
            }
            default -> {
                // Only crons, whose phase does not depend on when it is.
                int to = 2 + random.nextInt(2);
                log.add("retime " + id + " to " + to);
                boolean isHeld = isThere && (one.isClaimed || one.isTriggered || isDueOrTriedAgain(id));
                assertThat(tasks.retime(id, schedule(to))).isEqualTo(isThere);
                if (isThere) {
                    one.retimed = to;
                    one.isHeld |= isHeld;
                }
            }
        }
    }

    private void schedule(String id, Known one) {
        int schedule = random.nextInt(SCHEDULES);
        String payload = random.nextBoolean() ? "x" : "y";
        Instant first = first(schedule, random.nextBoolean());
        log.add("schedule " + id + " " + schedule + " " + payload + " at " + first);
        boolean isHeld = one != null && !one.isEnded && (one.isClaimed || one.isTriggered || isDueOrTriedAgain(id));
        Change change = tasks.schedule(
                HANDLER, new RecurringRequest(id, schedule(schedule), payload, first, Durable.Missed.RUN_ONCE));
        if (one == null || one.isEnded) {
            assertThat(change).isEqualTo(Change.ADDED);
            Known added = new Known();
            added.schedule = schedule;
            added.payload = payload;
            added.isClaimed = one != null && one.isClaimed;
            added.isHeld = added.isClaimed;
            known.put(id, added);
        } else if (one.schedule == schedule && one.payload.equals(payload)) {
            assertThat(change).isEqualTo(Change.UNCHANGED);
        } else {
            assertThat(change).isEqualTo(Change.CHANGED);
            one.isUnreadable = false;
            one.payload = payload;
            if (one.schedule != schedule) {
                one.schedule = schedule;
                one.retimed = -1;
                one.isHeld |= isHeld;
            }
        }
    }

    private boolean isDueOrTriedAgain(String id) {
        return Boolean.TRUE.equals(tables.sql()
                .first(
                        "select execution_time, first_time from {task}" + RowKey.ONE,
                        (row, number) -> !tables.sql().dialect().dueAt(row).isAfter(Instant.now())
                                || tables.sql().dialect().instant(row, "first_time") != null,
                        Handler.MADE,
                        id));
    }

    private static TaskSchedule schedule(int number) {
        return number < 2
                ? TaskSchedule.fixedRate(Duration.ofHours(number + 1L))
                : TaskSchedule.cron("0 " + (30 + number) + " * * * *", ZoneOffset.UTC);
    }

    /** Returns an instant of a schedule, some hours from now. */
    private static Instant first(int schedule, boolean isPast) {
        long hours = Duration.between(BASE, Instant.now()).toHours() / 2 * 2;
        return BASE.plus(Duration.ofHours(hours + (isPast ? -4 : 6)))
                .plus(Duration.ofMinutes(schedule < 2 ? schedule + 1 : 30 + schedule));
    }

    private static boolean isOf(int schedule, Instant time) {
        long minute = schedule < 2 ? schedule + 1 : 30 + schedule;
        long period = schedule < 2 ? schedule + 1 : 1;
        return Duration.between(BASE, time).minusMinutes(minute).toNanos()
                        % Duration.ofHours(period).toNanos()
                == 0;
    }

    // Nodes

    private void claim() {
        long owner = NODES[random.nextInt(NODES.length)];
        List<TaskRow> rows = random.nextInt(3) == 0
                ? tables.claims().claimUnreadable(owner, TaskRow.Made.MARK + HANDLER, 10)
                : tables.claims().claimMade(owner, Duration.ofSeconds(1), Map.of(HANDLER, 10), Map.of(), true);
        for (TaskRow row : rows) {
            String id = row.key().id();
            log.add("claimed " + row + " by " + owner);
            Known one = known.get(id);
            assertThat(one).as("a claim of what is there").isNotNull();
            assertThat(one.isClaimed).as("claimed once").isFalse();
            assertThat(one.isEnded).isFalse();
            assertThat(!one.isPaused || one.isTriggered || one.isHeld || one.isUnreadable)
                    .as("no run of a paused one")
                    .isTrue();
            assertThat(new String(bytes(row), StandardCharsets.UTF_8)).endsWith('"' + one.payload + '"');
            one.isClaimed = true;
            one.isUnreadable = false;
            claims.add(row);
        }
    }

    private static byte[] bytes(TaskRow row) {
        byte[] payload = row.payload();
        return payload == null ? new byte[0] : payload;
    }

    private void endSome() {
        if (claims.isEmpty()) {
            return;
        }
        TaskRow row = claims.remove(random.nextInt(claims.size()));
        String id = row.key().id();
        Known one = known.get(id);
        // One that has been freed may have been claimed again, and by the same node.
        boolean isOurs = version(id) == row.key().version();
        assertThat(isOurs)
                .isEqualTo(
                        one != null && one.isClaimed && version(id) == row.key().version());
        Instant now = Instant.now();
        int kind = random.nextInt(9);
        log.add((kind < 4 ? "over" : "end " + kind) + " of " + row + (isOurs ? "" : ", too late"));
        boolean isDone = switch (kind) {
            case 0, 1, 2 -> over(row, new RunEnd(now, true, now, 0, null, null));
            case 3 -> over(row, new RunEnd(now, true, null, 1, now, "failed"));
            case 4 -> tables.ends().tryAgain(new Claim(row, 0), now.minusSeconds(1), row.failures() + 1, now);
            case 5 -> tables.ends().again(row.key(), now.plus(Duration.ofHours(3)));
            case 8 -> tables.ends().again(row.key(), now.minus(Duration.ofHours(3)));
            case 6 -> tables.claims().giveBack(row.key());
            case 7 -> tables.ends().setAside(row.key(), now.minusSeconds(1), 1, now, "no JSON");
            default -> throw new IllegalStateException("kind " + kind);
        };
        assertThat(isDone).isEqualTo(isOurs);
        if (!isOurs) {
            return;
        }
        one.isClaimed = false;
        if (one.isEnded) {
            known.remove(id);
        } else if (kind < 4) {
            one.isTriggered = false;
            one.isHeld = false;
            one.isToComeAgain = false;
        } else {
            one.isUnreadable = kind == 7;
            one.isToComeAgain = kind == 5 || (kind != 8 && one.isToComeAgain);
        }
    }

    /** As the writer of ends does it, or in a transaction of the run. */
    private boolean over(TaskRow row, RunEnd end) {
        return transaction.execute(status -> tables.made().over(row.key(), end)).isOurs();
    }

    private long version(String id) {
        Long version = tables.sql()
                .first("select version from {task}" + RowKey.ONE, (row, number) -> row.getLong(1), Handler.MADE, id);
        return version == null ? -1 : version;
    }

    /** It tidies up, forgets, runs tasks of that name, or frees what a node has that has died in the middle. */
    private void olderNode() {
        log.add("the node of layout 1, and what nodes tidy up");
        older.tidy();
        older.forget();
        assertThat(tables.declared().unknown(Duration.ZERO)).isEmpty();
        tables.tasks().tidy(Duration.ZERO);
        tables.made().revive(Instant.now());
        assertThat(older.runDue(HANDLER, String.class)).isZero();
        assertThat(older.runDue(Handler.RECURRING, String.class)).isZero();
        if (random.nextInt(3) == 0) {
            boolean isOfLayout1 = random.nextBoolean();
            long dead = NODES[random.nextInt(NODES.length)];
            for (String id : IDS) {
                Long owner = tables.sql()
                        .first(
                                "select owner from {task}" + RowKey.ONE + " and owner is not null",
                                (row, number) -> row.getLong(1),
                                Handler.MADE,
                                id);
                Known one = known.get(id);
                if (owner != null && one != null && (isOfLayout1 || owner == dead)) {
                    log.add("freed " + id);
                    one.isClaimed = false;
                    if (one.isEnded) {
                        known.remove(id);
                    }
                }
            }
            if (isOfLayout1) {
                older.freeAll();
            } else {
                Freed ignored = tables.sql().inTransaction(() -> tables.claims().freeSomeOf(dead, true, 1, 10, true));
            }
        }
    }

    // What is there

    private void check() {
        List<RecurringTask> there = tasks.list();
        assertThat(there)
                .extracting(RecurringTask::id)
                .containsExactlyInAnyOrderElementsOf(known.entrySet().stream()
                        .filter(one -> !one.getValue().isEnded)
                        .map(Map.Entry::getKey)
                        .toList());
        for (RecurringTask task : there) {
            Known one = known.get(task.id());
            assertThat(tasks.find(task.id())).contains(task);
            assertThat(task.isPaused()).as("pause of %s", task.id()).isEqualTo(one.isPaused);
            assertThat(task.owner() != null).as("claim of %s", task.id()).isEqualTo(one.isClaimed);
            assertThat(task.declaredSchedule()).isEqualTo(text(one.schedule));
            assertThat(task.schedule()).isEqualTo(text(one.counting()));
            checkRow(task, one);
        }
    }

    private void checkRow(RecurringTask task, Known one) {
        int state = jdbc.queryForObject(
                "select state from wheel_durable_task where task_name = ? and task_instance = ?",
                Integer.class,
                Handler.MADE,
                task.id());
        if (one.isClaimed) {
            assertThat(state).isEqualTo(RowState.CLAIMED);
        } else if (one.isUnreadable) {
            assertThat(state).isEqualTo(RowState.UNREADABLE);
        } else if (!one.isPaused || (one.isTriggered && !task.dueAt().isAfter(Instant.now()))) {
            assertThat(state).as("%s waits for its time", task.id()).isEqualTo(RowState.WAITING);
        } else if (!one.isHeld && !one.isTriggered) {
            assertThat(state).as("%s waits for nothing", task.id()).isEqualTo(RowState.PAUSED);
        }
        Instant due = task.dueAt();
        assertThat(due).isNotNull();
        boolean isPlain = !one.isClaimed && !one.isUnreadable && !one.isTriggered && !one.isHeld && !one.isToComeAgain;
        if (isPlain && due.isAfter(Instant.now())) {
            assertThat(isOf(one.counting(), due))
                    .as("phase of %s, which is due at %s by %s", task.id(), due, task.schedule())
                    .isTrue();
        }
    }

    private static String text(int schedule) {
        return RecurringTable.readable(schedule(schedule), ZoneOffset.UTC).text();
    }
}
