package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableOverview;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTask.State;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.RecurringTasks.Change;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Scale;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.support.CronTrigger;

/** Durable tasks live in virtual time, on the engine and the statements of production. */
class DurableInVirtualTimeTest {

    private static final Instant START = VirtualTime.DEFAULT_START;
    private static final RetryPolicy TWO_RETRIES = new RetryPolicy(2, Duration.ofMinutes(10), Duration.ofHours(1));

    private static final long UNDRIVEN = 7;

    /** Returns how many are played in a usual build. */
    private static int scaled(int all) {
        return Scale.of(all / 10, all, all);
    }

    private final VirtualTime time = VirtualTime.create();
    private final List<String> runs = Collections.synchronizedList(new ArrayList<>());
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private HikariDataSource open(TestDatabase database) {
        HikariDataSource dataSource = database.newDataSource();
        opened.add(dataSource);
        return dataSource;
    }

    private VirtualNode node(String name, DataSource dataSource) {
        return node(VirtualNode.settings(name, null), dataSource);
    }

    private VirtualNode node(DurableSettings settings, DataSource dataSource) {
        VirtualNode node = new VirtualNode(time, settings, dataSource);
        opened.add(node);
        return node;
    }

    private void note(String id) {
        runs.add(id + " at " + time.now());
    }

    @ParameterizedTest
    @EnumSource
    void reminderOfThirtyDaysIsRetried(TestDatabase database) {
        VirtualNode node = node("a", open(database))
                .handle("remind", TWO_RETRIES, id -> {
                    note(id);
                    throw new IllegalStateException("no mail today");
                })
                .start();
        boolean isScheduled = node.engine.schedule("remind", "1", "one", Duration.ofDays(30));

        time.advanceBy(Duration.ofDays(31));

        Instant due = START.plus(Duration.ofDays(30));
        assertThat(isScheduled).isTrue();
        assertThat(runs)
                .containsExactly(
                        "one at " + due,
                        "one at " + due.plus(Duration.ofMinutes(10)),
                        "one at " + due.plus(Duration.ofMinutes(30)));
        assertThat(node.engine.find("remind", "1").orElseThrow().state()).isEqualTo(State.FAILED);
    }

    @ParameterizedTest
    @EnumSource
    void noStatementAsksForTheTimeOfTheDatabase(TestDatabase database) {
        RecordedStatements recorded = new RecordedStatements(open(database));
        VirtualNode node = node(VirtualNode.settings("a", Duration.ofDays(1)), recorded)
                .handle("remind", TWO_RETRIES, id -> {
                    note(id);
                    if (id.equals("fails")) {
                        throw new IllegalStateException("always");
                    }
                })
                .handle("numbers", TWO_RETRIES, id -> {});
        node.engine.repeat(
                "hourly",
                ScheduleRecurrence.of(TaskSchedule.fixedRate(Duration.ofHours(Scale.of(24, 1, 1))), null),
                false,
                () -> note("hourly"));
        node.engine.know("elsewhere");
        recorded.start();
        node.start();
        DurableEngine engine = node.engine;
        assertThat(engine.schedule("remind", "1", "in", Duration.ofHours(2))).isTrue();
        assertThat(engine.schedule("remind", "2", "fails", Duration.ofHours(3))).isTrue();
        insert(recorded, "numbers", "unreadable", "{", time.now());
        time.advanceBy(Duration.ofHours(5));
        assertThat(engine.find("remind", "2").orElseThrow().state()).isEqualTo(State.FAILED);
        assertThat(engine.retry("remind", "2")).isTrue();
        assertThat(engine.recurringTasks().pause("hourly")).isTrue();
        assertThat(engine.recurringTasks().resume("hourly")).isTrue();
        assertThat(engine.recurringTasks().trigger("hourly")).isTrue();
        assertThat(engine.schedule("remind", "3", "late", Duration.ofHours(50))).isTrue();
        assertThat(engine.cancel("remind", "3", Duration.ofSeconds(1))).isEqualTo(DurableTasks.Cancellation.CANCELLED);
        assertThat(engine.overview().failed()).isZero();
        time.advanceBy(Duration.ofDays(Scale.of(3, 30, 30)));
        engine.drain();
        time.advanceBy(Duration.ofMinutes(1));
        node.close();

        List<String> ours = recorded.all().stream()
                // The script of the tables notes when it has run, which nobody compares.
                .filter(text -> !text.contains("'layout'"))
                .toList();
        assertThat(ours).hasSizeGreaterThan(100).anyMatch(text -> text.contains("'2030-01-"));
        assertThat(ours)
                .noneMatch(text -> text.matches(
                        "(?is).*(clock_timestamp|current_timestamp|utc_timestamp|localtimestamp|now\\s*\\().*"));
    }

    /** Inserts a row as another program does. */
    private static void insert(DataSource dataSource, String name, String id, String data, Instant at) {
        assertThat(new JdbcTemplate(dataSource)
                        .update(
                                "insert into wheel_durable_task (task_name, task_instance, task_data, execution_time)"
                                        + " values (?, ?, ?, ?)",
                                name,
                                id,
                                data.getBytes(StandardCharsets.UTF_8),
                                at.atOffset(ZoneOffset.UTC)))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void thousandTasksInThirtyDaysAreSoonPlayed(TestDatabase database) {
        RecordedStatements recorded = new RecordedStatements(open(database));
        VirtualNode node =
                node("a", recorded).handle("remind", TWO_RETRIES, this::note).start();
        List<DurableRequest> requests = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        int tasks = database == TestDatabase.H2 ? 1_000 : scaled(1_000);
        for (int i = 0; i < tasks; i++) {
            Instant at = START.plus(Duration.ofMinutes(43L * i));
            requests.add(new DurableRequest("" + i, "" + i, at));
            expected.add(i + " at " + at);
        }
        assertThat(node.engine.scheduleAll("remind", requests)).isEqualTo(tasks);
        recorded.start();
        long startNanos = System.nanoTime();

        time.advanceBy(Duration.ofDays(30));

        System.out.println(database + ": " + (System.nanoTime() - startNanos) / 1_000_000 + " ms, "
                + recorded.all().size() + " statements");
        assertThat(runs).isEqualTo(expected);
        // The rows once, which say what is next and how much that is; a claim of two statements at most; and an end.
        assertThat(recorded.all()).hasSizeLessThan(4 * tasks + 50);
        recorded.all().clear();
        time.advanceBy(Duration.ofDays(365));
        assertThat(recorded.all()).hasSizeLessThan(10);
    }

    @ParameterizedTest
    @EnumSource
    void rowsOfOneInstantAreClaimedTogether(TestDatabase database) {
        RecordedStatements recorded = new RecordedStatements(open(database));
        VirtualNode node = node("a", recorded)
                .handle("remind", TWO_RETRIES, this::note)
                .handle("bill", TWO_RETRIES, this::note)
                .start();
        Instant at = START.plus(Duration.ofDays(10));
        List<DurableRequest> requests = IntStream.range(0, 5)
                .mapToObj(i -> new DurableRequest("" + i, "" + i, at.plusMillis(i / 3)))
                .toList();
        assertThat(node.engine.scheduleAll("remind", requests)).isEqualTo(5);
        assertThat(node.engine.schedule("bill", "5", "5", at)).isTrue();
        time.runCurrent();
        recorded.start();

        time.advanceBy(Duration.ofDays(30));

        assertThat(runs)
                .containsExactlyInAnyOrder(
                        "0 at " + at,
                        "1 at " + at,
                        "2 at " + at,
                        "3 at " + at.plusMillis(1),
                        "4 at " + at.plusMillis(1),
                        "5 at " + at);
        assertThat(recorded.all())
                .filteredOn(text -> text.contains("count(*) as due"))
                .hasSize(1);
        assertThat(recorded.all())
                .filteredOn(text -> text.contains("for update skip locked") && text.contains("state = 0"))
                .hasSizeBetween(1, 2);
    }

    /** It needs no heartbeat while it is alone, so nothing but its own row says that it lives. */
    @ParameterizedTest
    @EnumSource
    void nodeIsEvidenceAfterAnIdleMonth(TestDatabase database) {
        VirtualNode node = node(VirtualNode.settings("a", null, DurableSettings.UnknownHandlers.FAIL), open(database))
                .handle("remind", TWO_RETRIES, this::note)
                .start();
        time.advanceBy(Duration.ofDays(30));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.schedule("nobody", "1", "1", Duration.ofDays(1)))
                .withMessageContaining("nobody");
        assertThat(node.engine.schedule("remind", "1", "1", Duration.ofDays(1))).isTrue();
    }

    private static long looks(RecordedStatements recorded) {
        return recorded.all().stream()
                .filter(text -> text.contains("count(*) as due"))
                .count();
    }

    @ParameterizedTest
    @EnumSource
    void jumpChangesNoTimeOfRun(TestDatabase database) {
        long seed = new Random().nextLong();
        System.out.println("Seed of jumpChangesNoTimeOfRun: " + seed);

        List<String> withJumps = played(database, new Random(seed), false);
        List<String> without = played(database, new Random(seed), true);

        assertThat(withJumps).hasSizeGreaterThan(scaled(1_000)).isEqualTo(without);
    }

    /** Plays a thousand short schedules in a time of their own; without jumps, as a node lives that nobody drives. */
    private List<String> played(TestDatabase database, Random random, boolean isWatched) {
        VirtualTime own = VirtualTime.create();
        List<String> played = Collections.synchronizedList(new ArrayList<>());
        try (HikariDataSource dataSource = database.newDataSource();
                VirtualNode node = new VirtualNode(own, "a", dataSource)) {
            RetryPolicy retries = new RetryPolicy(3, Duration.ofMillis(700), Duration.ofSeconds(3));
            node.handle("short", retries, id -> {
                        played.add(id + " at " + own.now());
                        if (id.startsWith("fails")) {
                            throw new IllegalStateException("always");
                        }
                        if (id.startsWith("again")) {
                            boolean ignored = node.engine.schedule(
                                    "short",
                                    id.replace("again", "then"),
                                    id.replace("again", "then"),
                                    Duration.ofMillis(1_234));
                        }
                    })
                    .start();
            if (isWatched) {
                JdbcTemplate jdbc = new JdbcTemplate(dataSource);
                // Dead nodes that come and go before they are found dead.
                long[] incarnation = {UNDRIVEN};
                Object ignored = node.executor.scheduleAtFixedRate(
                        () -> {
                            jdbc.update("delete from wheel_durable_task_node where incarnation = ?", incarnation[0]++);
                            insertNode(jdbc, incarnation[0], "x" + incarnation[0], own.now());
                        },
                        0,
                        20,
                        TimeUnit.SECONDS);
            }
            List<DurableRequest> requests = new ArrayList<>();
            int tasks = scaled(1_000);
            int millis = Scale.of(20_000, 600_000, 600_000);
            for (int i = 0; i < tasks; i++) {
                String kind = List.of("fails", "again", "once").get(random.nextInt(3));
                requests.add(new DurableRequest(kind + i, kind + i, own.now().plusMillis(random.nextInt(millis))));
            }
            assertThat(node.engine.scheduleAll("short", requests)).isEqualTo(tasks);
            own.advanceBy(Duration.ofMillis(millis).plusSeconds(20));
        }
        Collections.sort(played);
        return played;
    }

    @ParameterizedTest
    @EnumSource
    void rowsOfOtherProgramsCount(TestDatabase database) {
        HikariDataSource dataSource = open(database);
        node("a", dataSource).handle("remind", TWO_RETRIES, this::note).start();
        Instant tenth = START.plus(Duration.ofDays(10));
        insert(dataSource, "remind", "1", "\"one\"", tenth);

        time.advanceBy(Duration.ofDays(20));
        assertThat(runs).containsExactly("one at " + tenth);
        insert(dataSource, "remind", "2", "\"two\"", time.now());
        time.runCurrent();

        assertThat(runs).containsExactly("one at " + tenth, "two at " + time.now());
    }

    @ParameterizedTest
    @EnumSource
    void rowThatNobodyCanClaimHoldsNoTime(TestDatabase database) {
        RecordedStatements recorded = new RecordedStatements(open(database));
        VirtualNode node =
                node("a", recorded).handle("remind", TWO_RETRIES, this::note).start();
        insert(recorded, "unknown", "1", "\"one\"", time.now());
        recorded.start();

        time.advanceBy(Duration.ofDays(365));

        assertThat(recorded.all()).hasSizeLessThan(50);
        assertThat(node.engine.find("unknown", "1")).isPresent();
    }

    @ParameterizedTest
    @EnumSource
    void rowBeyondTheRangeOfNanosecondsHoldsNoTime(TestDatabase database) {
        VirtualNode node = node("a", open(database))
                .handle("remind", TWO_RETRIES, this::note)
                .start();
        assertThat(node.engine.schedule("remind", "last", "last", Instant.parse("9999-12-31T00:00:00Z")))
                .isTrue();
        assertThat(node.engine.schedule("remind", "first", "first", Duration.ofDays(1)))
                .isTrue();

        time.advanceBy(Duration.ofDays(30));

        assertThat(runs).containsExactly("first at " + START.plus(Duration.ofDays(1)));
        assertThat(time.nextDue()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void failedTaskIsDeletedInTime(TestDatabase database) {
        VirtualNode node = node(VirtualNode.settings("a", Duration.ofDays(30)), open(database))
                .handle("remind", new RetryPolicy(0, Duration.ofSeconds(1), Duration.ofSeconds(1)), id -> {
                    throw new IllegalStateException("always");
                })
                .start();
        assertThat(node.engine.schedule("remind", "1", "one", Duration.ofDays(1)))
                .isTrue();

        time.advanceTo(START.plus(Duration.ofDays(31)));
        assertThat(node.engine.find("remind", "1")).isPresent();
        time.advanceBy(Duration.ofMinutes(1));

        assertThat(node.engine.find("remind", "1")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void nextDueIsThatOfARow(TestDatabase database) {
        VirtualNode node = node("a", open(database))
                .handle("remind", TWO_RETRIES, this::note)
                .start();
        time.runCurrent();
        assertThat(time.nextDue()).isEmpty();
        assertThat(node.engine.schedule("remind", "1", "one", Duration.ofDays(30)))
                .isTrue();
        assertThat(node.engine.schedule("remind", "2", "two", Duration.ofDays(31)))
                .isTrue();

        assertThat(time.nextDue()).contains(START.plus(Duration.ofDays(30)));
        assertThat(time.advanceToNext()).isTrue();
        assertThat(runs).containsExactly("one at " + START.plus(Duration.ofDays(30)));
        time.advanceUntilIdle(Duration.ofDays(2));

        assertThat(time.now()).isEqualTo(START.plus(Duration.ofDays(31)));
        assertThat(time.nextDue()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void deadNodeIsTakenOverInTime(TestDatabase database) {
        RecordedStatements recorded = new RecordedStatements(open(database));
        VirtualNode node =
                node("b", recorded).handle("remind", TWO_RETRIES, this::note).start();
        time.advanceBy(Duration.ofDays(30));
        JdbcTemplate jdbc = new JdbcTemplate(recorded);
        insertNode(jdbc, UNDRIVEN, "x", time.now());
        insert(recorded, "remind", "1", "\"one\"", time.now());
        assertThat(jdbc.update("update wheel_durable_task set state = 1, owner = " + UNDRIVEN))
                .isEqualTo(1);
        Instant diedAt = time.now();

        time.advanceBy(Duration.ofDays(30));

        assertThat(runs).hasSize(1).first().asString().startsWith("one at ");
        assertThat(Instant.parse(runs.get(0).replaceAll(".* at ", "")))
                .isBetween(diedAt.plusSeconds(30), diedAt.plusSeconds(45));
        assertThat(node.engine.counts().takenOver()).isEqualTo(1);
        assertThat(node.engine.overview().nodes()).hasSize(1);
        recorded.start();
        time.advanceBy(Duration.ofDays(365));
        assertThat(recorded.all()).hasSizeLessThan(10);
    }

    /** Adds a node that nobody drives. */
    private static void insertNode(JdbcTemplate jdbc, long incarnation, String name, Instant beatAt) {
        assertThat(jdbc.update(
                        "insert into wheel_durable_task_node (incarnation, name, state, beat, beat_at)"
                                + " values (?, ?, 0, 1, ?)",
                        incarnation,
                        name,
                        beatAt.atOffset(ZoneOffset.UTC)))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void nodesBuryNoOtherAfterJumps(TestDatabase database) {
        HikariDataSource dataSource = open(database);
        int retries = scaled(100) * 2;
        VirtualNode first =
                node("a", dataSource).handle("monthly", TWO_RETRIES, this::note).start();
        VirtualNode second = node("b", dataSource)
                .handle("retried", new RetryPolicy(retries, Duration.ofSeconds(3), Duration.ofSeconds(3)), id -> {
                    note(id);
                    throw new IllegalStateException("for as long as makes a node dead");
                })
                .start();
        for (int month = 1; month <= 12; month++) {
            assertThat(first.engine.schedule("monthly", "" + month, "m", START.plus(Duration.ofDays(30L * month))))
                    .isTrue();
            assertThat(second.engine.schedule(
                            "retried", "" + month, "r", START.plus(Duration.ofDays(30L * month - 15))))
                    .isTrue();
        }

        time.advanceBy(Duration.ofDays(365));

        assertThat(runs).hasSize(12 + 12 * (retries + 1));
        assertThat(first.engine.counts().takenOver() + second.engine.counts().takenOver())
                .isZero();
        assertThat(first.engine.counts().lost() + second.engine.counts().lost()).isZero();
        assertThat(first.engine.overview().nodes())
                .extracting(DurableOverview.NodeShare::node)
                .containsExactly("a", "b");
        assertThat(new JdbcTemplate(dataSource)
                        .queryForObject("select max(beat) from wheel_durable_task_node", Integer.class))
                .isLessThan(3_000);
    }

    @ParameterizedTest
    @EnumSource
    void cancellationOfTestMovesTime(TestDatabase database) {
        VirtualNode node = node("a", open(database))
                .handle("remind", TWO_RETRIES, this::note)
                .start();
        assertThat(node.engine.schedule("remind", "1", "one", time.now())).isTrue();
        assertThat(node.engine.schedule("remind", "2", "two", time.now().plusMillis(900)))
                .isTrue();
        time.advanceBy(Duration.ofMillis(100));
        assertThat(node.engine.find("remind", "2").orElseThrow().state()).isEqualTo(State.CLAIMED);

        assertThat(node.engine.cancel("remind", "2", Duration.ofSeconds(10)))
                .isEqualTo(DurableTasks.Cancellation.CANCELLED);

        assertThat(time.now()).isBetween(START.plusMillis(101), START.plusMillis(900));
        time.advanceBy(Duration.ofDays(1));
        assertThat(runs).containsExactly("one at " + START);
    }

    @ParameterizedTest
    @EnumSource
    void rowOfRecurringTaskComesBack(TestDatabase database) {
        HikariDataSource dataSource = open(database);
        VirtualNode node = node("a", dataSource);
        Runnable ignored = node.engine.repeat(
                "daily",
                ScheduleRecurrence.of(TaskSchedule.cron("0 0 6 * * *", ZoneOffset.UTC), null),
                false,
                () -> note("daily"));
        node.start();
        time.advanceBy(Duration.ofDays(2));
        assertThat(runs).hasSize(2);

        new JdbcTemplate(dataSource).execute("delete from wheel_durable_task");
        int days = scaled(400);
        time.advanceBy(Duration.ofDays(days));

        assertThat(runs)
                .hasSize(days + 2)
                .last()
                .isEqualTo("daily at " + START.plus(Duration.ofDays(days + 1)).plus(Duration.ofHours(6)));
    }

    @ParameterizedTest
    @EnumSource
    void tasksOfBothKindsStayInStep(TestDatabase database) {
        WheelTaskScheduler scheduler = time.newScheduler();
        VirtualNode node = node("a", open(database)).handle("remind", TWO_RETRIES, this::note);
        Change added = node.engine
                .recurringTasks()
                .schedule("remind", "noon", TaskSchedule.cron("0 0 12 * * *", ZoneOffset.UTC), "made");
        assertThat(added).isEqualTo(Change.ADDED);
        Runnable ignored = node.engine.repeat(
                "durable",
                ScheduleRecurrence.of(TaskSchedule.cron("0 0 6 * * *", ZoneOffset.UTC), null),
                false,
                () -> note("durable"));
        node.start();
        Object unused = scheduler.schedule(() -> note("memory"), new CronTrigger("0 0 6 * * *"));
        unused = scheduler.schedule(
                () -> node.engine.schedule(
                        "remind", "" + time.now(), "from memory", time.now().plusSeconds(1)),
                new CronTrigger("0 30 12 * * *"));

        int days = scaled(400);
        time.advanceBy(Duration.ofDays(days));

        List<String> times =
                runs.stream().map(run -> run.replaceAll(".* at ", "")).toList();
        assertThat(times).isSorted();
        assertThat(runs).filteredOn(run -> run.startsWith("memory")).hasSize(days);
        assertThat(runs).filteredOn(run -> run.startsWith("durable")).hasSize(days);
        assertThat(runs)
                .filteredOn(run -> run.startsWith("made"))
                .hasSize(days)
                .allMatch(run -> run.endsWith("T12:00:00Z"));
        assertThat(runs)
                .filteredOn(run -> run.startsWith("from memory"))
                .hasSize(days)
                .allMatch(run -> run.endsWith("T12:30:01Z"));
    }

    @ParameterizedTest
    @EnumSource
    void recurringTasksAreMadeAtRunTime(TestDatabase database) {
        HikariDataSource dataSource = open(database);
        RecordedStatements recorded = new RecordedStatements(dataSource);
        VirtualNode node =
                node("a", recorded).handle("report", TWO_RETRIES, this::note).start();
        time.runCurrent();
        RecurringTasks recurring = node.engine.recurringTasks();
        Change added = recurring.schedule("report", "daily", TaskSchedule.cron("0 0 6 * * *", ZoneOffset.UTC), "daily");
        assertThat(added).isEqualTo(Change.ADDED);
        recorded.start();

        time.advanceBy(Duration.ofDays(30));

        assertThat(runs).isEqualTo(daily(0, 30));
        assertThat(looks(recorded)).isBetween(30L, 100L);
        assertThat(time.nextDue()).contains(START.plus(Duration.ofDays(30)).plus(Duration.ofHours(6)));
        assertThat(recurring.end("daily")).isTrue();
        recorded.all().clear();
        time.advanceBy(Duration.ofDays(30));
        assertThat(runs).hasSize(30);
        assertThat(looks(recorded)).isZero();
    }

    private static List<String> daily(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(day -> "daily at " + START.plus(Duration.ofDays(day)).plus(Duration.ofHours(6)))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void tasksMadeByAnotherProcessAreLearned(TestDatabase database) {
        HikariDataSource dataSource = open(database);
        VirtualNode node =
                node("a", dataSource).handle("report", TWO_RETRIES, this::note).start();
        time.advanceBy(Duration.ofDays(1));
        new JdbcTemplate(dataSource)
                .update(
                        "insert into wheel_durable_task (task_name, task_instance, made_for, declared, task_data,"
                                + " execution_time) values ('recurring:made', 'daily', 'report',"
                                + " 'cron 0 0 6 * * * Z', ?, ?)",
                        "\"daily\"".getBytes(StandardCharsets.UTF_8),
                        START.plus(Duration.ofHours(30)).atOffset(ZoneOffset.UTC));

        time.advanceBy(Duration.ofDays(30));

        assertThat(runs).isEqualTo(daily(1, 31));
        assertThat(node.engine.recurringTasks().list()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void methodWhoseIdWasTakenCostsNoLooks(TestDatabase database) {
        HikariDataSource dataSource = open(database);
        VirtualNode node =
                node("a", dataSource).handle("report", TWO_RETRIES, this::note).start();
        time.runCurrent();
        assertThat(node.engine
                        .recurringTasks()
                        .schedule("report", "daily", TaskSchedule.cron("0 0 6 * * *", ZoneOffset.UTC), "daily"))
                .isEqualTo(Change.ADDED);
        Runnable ignored = node.engine.repeat(
                "daily",
                ScheduleRecurrence.of(TaskSchedule.fixedRate(Duration.ofHours(1)), null),
                false,
                () -> note("method"));

        time.advanceBy(Duration.ofDays(30));

        assertThat(runs).isEqualTo(daily(0, 30));
    }

    @ParameterizedTest
    @EnumSource
    void nodeLeavesThoughItsExecutorHasEnded(TestDatabase database) {
        HikariDataSource dataSource = open(database);
        VirtualNode node =
                node("a", dataSource).handle("remind", TWO_RETRIES, this::note).start();
        time.advanceBy(Duration.ofDays(1));
        node.executor.shutdown();

        node.close();

        assertThat(new JdbcTemplate(dataSource)
                        .queryForObject(
                                "select count(*) from wheel_durable_task_node where incarnation <> 0", Integer.class))
                .isZero();
    }
}
