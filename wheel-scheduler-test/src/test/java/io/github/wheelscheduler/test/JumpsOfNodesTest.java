package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Virtual time jumps past no row, also if others have locked it, own it or know it. */
@ParameterizedClass
@EnumSource
class JumpsOfNodesTest {

    private static final Instant START = VirtualTime.DEFAULT_START;
    private static final RetryPolicy RETRIES = new RetryPolicy(2, Duration.ofMinutes(10), Duration.ofHours(1));
    private static final long UNDRIVEN = 7;

    private final VirtualTime time = VirtualTime.create();
    private final List<String> runs = Collections.synchronizedList(new ArrayList<>());
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;

    JumpsOfNodesTest(TestDatabase database) {
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
        opened.add(dataSource);
    }

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private VirtualNode node(String name) {
        VirtualNode node = new VirtualNode(time, VirtualNode.settings(name, null), dataSource);
        opened.add(node);
        return node.handle("remind", RETRIES, this::note);
    }

    private void note(String id) {
        runs.add(id + " at " + time.now());
    }

    private void insertNode(Instant beatAt) {
        assertThat(jdbc.update(
                        "insert into wheel_durable_task_node (incarnation, name, state, beat, beat_at)" + " values ("
                                + UNDRIVEN + ", 'elsewhere', 0, 1, ?)",
                        beatAt.atOffset(ZoneOffset.UTC)))
                .isEqualTo(1);
    }

    private void insertClaimed(long owner) {
        assertThat(jdbc.update(
                        "insert into wheel_durable_task (task_name, task_instance, task_data, execution_time, state,"
                                + " owner) values ('remind', 'held', ?, ?, 1, ?)",
                        "\"held\"".getBytes(StandardCharsets.UTF_8),
                        time.now().atOffset(ZoneOffset.UTC),
                        owner))
                .isEqualTo(1);
    }

    @Test
    void lockedRowHidesNoLaterRow() throws SQLException {
        VirtualNode node = node("a").start();
        assertThat(node.engine.schedule("remind", "locked", "locked", Duration.ofMinutes(1)))
                .isTrue();
        List<String> expected = new ArrayList<>();
        for (int hour = 1; hour <= 20; hour++) {
            assertThat(node.engine.schedule("remind", "" + hour, "" + hour, Duration.ofHours(hour)))
                    .isTrue();
            expected.add(hour + " at " + START.plus(Duration.ofHours(hour)));
        }
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertThat(statement
                            .executeQuery("select task_data from wheel_durable_task where task_name = 'remind'"
                                    + " and task_instance = 'locked' for update")
                            .next())
                    .isTrue();

            time.advanceBy(Duration.ofHours(21));

            assertThat(runs).isEqualTo(expected);
            connection.rollback();
        }
        time.runCurrent();
        assertThat(runs).hasSize(21).last().isEqualTo("locked at " + time.now());
    }

    @Test
    void lockedRowOfDeadNodeHoldsNoTime() throws SQLException {
        VirtualNode node = node("a").start();
        // The first time, a node deletes what is over, for which MariaDB reads all of a small table.
        time.advanceBy(Duration.ofMinutes(1));
        insertNode(time.now());
        assertThat(jdbc.update("update wheel_durable_task_node set state = 2 where incarnation = " + UNDRIVEN))
                .isEqualTo(1);
        insertClaimed(UNDRIVEN);
        assertThat(node.engine.schedule("remind", "far", "far", Duration.ofDays(30)))
                .isTrue();
        time.setMaxRuns(1_000);
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertThat(statement
                            .executeQuery("select task_data from wheel_durable_task where task_name = 'remind'"
                                    + " and task_instance = 'held' for update")
                            .next())
                    .isTrue();

            time.advanceBy(Duration.ofDays(31));

            assertThat(runs)
                    .containsExactly("far at " + START.plus(Duration.ofDays(30)).plusSeconds(60));
            connection.rollback();
        }
        time.advanceBy(Duration.ofMinutes(1));
        assertThat(runs).hasSize(2);
    }

    private static void insertUnreadable(JdbcTemplate jdbc, String name, String id, Instant at) {
        assertThat(jdbc.update(
                        "insert into wheel_durable_task (task_name, task_instance, task_data, execution_time, state,"
                                + " last_failure) values (?, ?, ?, ?, 3, ?)",
                        name,
                        id,
                        ('"' + name + " " + id + '"').getBytes(StandardCharsets.UTF_8),
                        at.atOffset(ZoneOffset.UTC),
                        at.minusSeconds(1).atOffset(ZoneOffset.UTC)))
                .isEqualTo(1);
    }

    @Test
    void failingSweepOfOneHandlerKeepsNoOther() {
        RefusedParameter refusing = new RefusedParameter(dataSource, "state = 3 and task_name = ?", "bad");
        VirtualNode node = new VirtualNode(time, VirtualNode.settings("a", null), refusing);
        opened.add(node);
        List<String> good = List.of("good", "fine", "well");
        good.forEach(name -> node.handle(name, RETRIES, runs::add));
        node.handle("bad", RETRIES, runs::add).start();
        insertUnreadable(jdbc, "bad", "1", START);
        for (String id : List.of("1", "2")) {
            good.forEach(name -> insertUnreadable(jdbc, name, id, time.now()));

            time.advanceBy(Duration.ofMinutes(1));

            assertThat(runs).contains("good " + id, "fine " + id, "well " + id);
        }
        assertThat(refusing.refused()).isGreaterThan(1);
        assertThat(runs).hasSize(6);
    }

    @Test
    void rowOfDeadNodeIsPending() {
        node("a").start();
        time.advanceBy(Duration.ofDays(1));
        insertNode(time.now());
        insertClaimed(UNDRIVEN);

        assertThat(time.nextDue()).isPresent();
        time.advanceUntilIdle(Duration.ofHours(1));

        assertThat(runs).hasSize(1);
        assertThat(time.nextDue()).isEmpty();
    }

    @Test
    void rowThatWaitsBesideDeadNodeIsPending() {
        VirtualNode node = node("a").start();
        time.advanceBy(Duration.ofDays(1));
        insertNode(time.now());
        Instant due = time.now().plus(Duration.ofHours(1));
        assertThat(node.engine.schedule("remind", "1", "1", due)).isTrue();

        assertThat(time.nextDue()).contains(due);
        time.advanceUntilIdle(Duration.ofHours(2));

        assertThat(runs).containsExactly("1 at " + due);
    }

    @Test
    void rowOfUnknownNodeIsTakenOver() {
        node("a").start();
        time.advanceBy(Duration.ofDays(1));
        insertClaimed(UNDRIVEN);

        time.advanceUntilIdle(Duration.ofHours(1));

        assertThat(runs).hasSize(1);
    }

    /** As cached contexts of one database do, whose nodes have the name of the host. */
    @Test
    void timesThatTakeTurnsPass() throws Exception {
        VirtualTime other = VirtualTime.create();
        VirtualNode here = node("host").start();
        VirtualNode there = new VirtualNode(other, VirtualNode.settings("host", null), dataSource);
        opened.add(there);
        there.handle("other", RETRIES, id -> runs.add(id + " there")).start();
        assertThat(here.engine.schedule("remind", "1", "1", Duration.ofMinutes(10)))
                .isTrue();
        assertThat(there.engine.schedule("other", "2", "2", Duration.ofMinutes(10)))
                .isTrue();
        for (Duration step : List.of(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofMinutes(3))) {
            for (int i = 0; i < 3; i++) {
                other.advanceBy(step);
                time.advanceBy(step);
            }
        }
        other.advanceBy(Duration.ofMinutes(10));
        time.advanceBy(Duration.ofMinutes(10));
        assertThat(runs).contains("2 there").hasSize(2);
    }

    @Test
    void nodeThatLivesElsewhereIsNamed() throws InterruptedException {
        VirtualNode node = node("a").start();
        assertThat(node.engine.schedule("remind", "1", "1", Duration.ofDays(1))).isTrue();
        insertNode(Instant.now());
        CountDownLatch end = new CountDownLatch(1);
        Thread heart = new Thread(() -> {
            try {
                while (!end.await(200, TimeUnit.MILLISECONDS)) {
                    jdbc.update(
                            "update wheel_durable_task_node set beat = beat + 1, beat_at = ? where incarnation = ?"
                                    + " and state < 2",
                            Instant.now().atOffset(ZoneOffset.UTC),
                            UNDRIVEN);
                }
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        });
        heart.start();
        try {
            assertThatThrownBy(() -> time.advanceBy(Duration.ofDays(2)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("elsewhere")
                    .hasMessageContaining("wheel.scheduler.durable.table");
        } finally {
            end.countDown();
            heart.join();
        }
        assertThat(jdbc.queryForObject(
                        "select state from wheel_durable_task_node where incarnation = " + UNDRIVEN, Integer.class))
                .isZero();
    }

    @Test
    void nodeForgetsNoTaskOfAnotherNode() {
        ScheduleRecurrence monthly = ScheduleRecurrence.of(TaskSchedule.cron("0 0 6 1 * *", ZoneOffset.UTC), null);
        VirtualNode first = node("a");
        VirtualNode second = node("b");
        Runnable ignored = first.engine.repeat("of a", monthly, false, () -> note("of a"));
        ignored = second.engine.repeat("of b", monthly, false, () -> note("of b"));
        first.start();
        time.advanceBy(Duration.ofDays(1));
        second.start();
        time.runCurrent();
        assertThat(second.engine.recurringTasks().pause("of b")).isTrue();
        assertThat(second.engine.recurringTasks().resume("of b")).isTrue();
        List<Long> versions = versions();

        time.advanceBy(Duration.ofDays(29));

        assertThat(versions()).isEqualTo(versions);
        time.advanceBy(Duration.ofDays(60));
        assertThat(runs).hasSize(5);
    }

    @Test
    void suspendForgetsNoTaskOfAnotherNode() {
        ScheduleRecurrence yearly = ScheduleRecurrence.of(TaskSchedule.cron("0 0 6 1 7 *", ZoneOffset.UTC), null);
        VirtualNode first = node("a");
        VirtualNode second = node("b");
        Runnable ignored = first.engine.repeat("of a", yearly, false, () -> note("of a"));
        ignored = second.engine.repeat("of b", yearly, false, () -> note("of b"));
        first.start();
        second.start();
        time.runCurrent();
        assertThat(first.engine.recurringTasks().pause("of a")).isTrue();
        assertThat(first.engine.recurringTasks().resume("of a")).isTrue();
        assertThat(second.engine.recurringTasks().pause("of b")).isTrue();
        assertThat(second.engine.recurringTasks().resume("of b")).isTrue();
        List<Long> versions = versions();

        time.suspend(Duration.ofDays(40));

        assertThat(versions()).hasSize(2).isEqualTo(versions);
    }

    private List<Long> versions() {
        return jdbc.queryForList(
                "select version from wheel_durable_task where task_name = 'recurring:' order by task_instance",
                Long.class);
    }

    @Test
    void scheduleOfNodeThatStaysComesBack() {
        VirtualNode first = node("a");
        VirtualNode second = node("b");
        Runnable ignored = first.engine.repeat(
                "both",
                ScheduleRecurrence.of(TaskSchedule.cron("0 0 6 * * *", ZoneOffset.UTC), null),
                false,
                () -> note("of a"));
        first.start();
        time.advanceBy(Duration.ofDays(1));
        ignored = second.engine.repeat(
                "both",
                ScheduleRecurrence.of(TaskSchedule.cron("0 0 18 * * *", ZoneOffset.UTC), null),
                false,
                () -> note("of b"));
        second.start();
        time.advanceBy(Duration.ofDays(1));
        runs.clear();
        second.close();

        time.advanceBy(Duration.ofDays(3));

        assertThat(runs)
                .containsExactly(
                        "of a at " + START.plus(Duration.ofHours(54)),
                        "of a at " + START.plus(Duration.ofHours(78)),
                        "of a at " + START.plus(Duration.ofHours(102)));
    }

    @Test
    void nodeThatWasFoundDeadJoinsAgain() {
        VirtualNode node = node("a").start();
        time.advanceBy(Duration.ofDays(1));
        Long before = incarnationOfLiving();
        assertThat(jdbc.update("update wheel_durable_task_node set state = 2 where incarnation = " + before))
                .isEqualTo(1);
        assertThat(node.engine.schedule("remind", "1", "1", Duration.ofDays(1))).isTrue();

        time.advanceBy(Duration.ofDays(30));

        assertThat(runs).containsExactly("1 at " + START.plus(Duration.ofDays(2)));
        assertThat(incarnationOfLiving()).isNotEqualTo(before);
    }

    private Long incarnationOfLiving() {
        return jdbc.queryForObject(
                "select incarnation from wheel_durable_task_node where incarnation <> 0 and state < 2", Long.class);
    }

    @Test
    void rowThatARunInsertsIsFound() {
        VirtualNode node = node("a");
        node.handle("insert", RETRIES, id -> {
                    note(id);
                    insertWaiting("later", time.now().plus(Duration.ofDays(1)));
                })
                .start();
        assertThat(node.engine.schedule("insert", "first", "first", Duration.ofDays(1)))
                .isTrue();
        assertThat(node.engine.schedule("insert", "last", "last", Duration.ofDays(9)))
                .isTrue();

        time.advanceBy(Duration.ofDays(8));

        assertThat(runs)
                .containsExactly(
                        "first at " + START.plus(Duration.ofDays(1)), "later at " + START.plus(Duration.ofDays(2)));
    }

    private void insertWaiting(String id, Instant at) {
        assertThat(jdbc.update(
                        "insert into wheel_durable_task (task_name, task_instance, task_data, execution_time)"
                                + " values ('remind', ?, ?, ?)",
                        id,
                        ('"' + id + '"').getBytes(StandardCharsets.UTF_8),
                        at.atOffset(ZoneOffset.UTC)))
                .isEqualTo(1);
    }

    @Test
    void rowsOfKilledNodeAreTakenOver() {
        VirtualNode first = node("a").start();
        VirtualNode second = node("b").start();
        time.runCurrent();
        second.kill();
        assertThat(first.engine.schedule("remind", "1", "1", Duration.ofDays(1)))
                .isTrue();
        assertThat(jdbc.update("update wheel_durable_task set state = 1, owner = (select incarnation from"
                        + " wheel_durable_task_node where name = 'b')"))
                .isEqualTo(1);

        time.advanceUntilIdle(Duration.ofDays(2));

        assertThat(runs).containsExactly("1 at " + START.plus(Duration.ofDays(1)));
    }

    @Test
    void taskInHandOfAnotherNodeIsAwaited() {
        VirtualNode first = node("a").start();
        VirtualNode second = node("b").handle("other", RETRIES, this::note).start();
        Instant due = time.now().plusMillis(900);
        assertThat(second.engine.schedule("other", "0", "0", time.now())).isTrue();
        assertThat(second.engine.schedule("other", "1", "1", due)).isTrue();
        time.runCurrent();
        runs.clear();
        assertThat(second.engine.counts().waiting()).isEqualTo(1);

        new DurableTime(first.engine, time, DurableRuns.of(first.engine)).runUntilIdle(Duration.ofMinutes(1));

        assertThat(runs).containsExactly("1 at " + due);
    }
}
