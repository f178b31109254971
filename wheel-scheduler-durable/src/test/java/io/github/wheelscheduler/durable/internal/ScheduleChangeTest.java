package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.durable.testing.CapturedLog;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A recurring task is deployed with another schedule: one that fires, one that never does, or one that it had before.
 */
@ParameterizedClass
@EnumSource
class ScheduleChangeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String EACH_SECOND = "* * * * * *";
    private static final String NEVER = "0 0 0 31 2 *";
    private static final String NIGHTLY = "0 0 0 1 1 *";
    private static final String YEARLY = "0 0 0 2 2 *";

    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;
    private final List<Node> nodes = new ArrayList<>();
    private final Set<Node> probed = new HashSet<>();
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final CapturedLog log = CapturedLog.begin();

    ScheduleChangeTest(TestDatabase database) {
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
    }

    @AfterEach
    void close() {
        log.close();
        nodes.forEach(Node::close);
        dataSource.close();
    }

    private static Recurrence cron(String expression) {
        return ScheduleRecurrence.of(TaskSchedule.cron(expression, ZoneOffset.UTC), null);
    }

    /** Returns a schedule of another kind than the ones that rows can be read as. */
    private static Recurrence ofItsOwn(String text, @Nullable Instant first) {
        return new Recurrence() {
            @Override
            public String text() {
                return text;
            }

            @Override
            public @Nullable Instant first(Instant now) {
                return first;
            }

            @Override
            public @Nullable Instant next(Instant dueAt, Instant endedAt) {
                return null;
            }
        };
    }

    private Node node(String name, Recurrence recurrence) {
        return node(name, recurrence, false);
    }

    private Node node(String name, Recurrence recurrence, boolean skipsMissed) {
        return node(name, recurrence, skipsMissed, () -> ran.add(name));
    }

    private Node node(String name, Recurrence recurrence, boolean skipsMissed, Runnable body) {
        Node node = new Node(name, dataSource);
        nodes.add(node);
        Runnable ignored = node.engine.repeat("tick", recurrence, skipsMissed, body);
        return node.start();
    }

    /** Starts a node and ends it, when its row is there. */
    private void deploy(String name, Recurrence recurrence) {
        Node node = node(name, recurrence);
        awaitDeclared(node, recurrence);
        node.close();
    }

    private static RecurringTask tickOn(Node node) {
        return node.engine.recurringTasks().find("tick").orElseThrow();
    }

    private static void awaitDeclared(Node node, Recurrence recurrence) {
        await().atMost(PATIENCE)
                .until(() -> node.engine
                        .recurringTasks()
                        .find("tick")
                        .filter(task -> task.declaredSchedule().equals(recurrence.text()))
                        .isPresent());
    }

    /** Waits for the row, too, which the node writes after it has started. */
    private void awaitEnded() {
        await().atMost(PATIENCE)
                .until(() -> jdbc.queryForList("select state from wheel_durable_task", Integer.class)
                        .equals(List.of(RowState.ENDED)));
    }

    /** As if so much time had passed. */
    private void makeOverdue() {
        int moved = jdbc.update(
                "update wheel_durable_task set execution_time = ?",
                Instant.now().minus(Duration.ofHours(2)).atOffset(ZoneOffset.UTC));
        assertThat(moved).isEqualTo(1);
    }

    private void assertLoggedOnce(String text) {
        await().atMost(PATIENCE).until(() -> !log.with(text).isEmpty());
        assertThat(log.with(text)).hasSize(1);
    }

    // Schedules that never fire

    @Test
    void scheduleThatNeverFiresEndsTheOldOne() {
        Node before = node("a", cron(EACH_SECOND));
        await().atMost(PATIENCE).until(() -> ran.size() >= 2);
        before.close();
        ran.clear();

        Node after = node("b", cron(NEVER));
        awaitEnded();

        RecurringTask tick = tickOn(after);
        assertThat(tick.dueAt()).isNull();
        assertThat(tick.schedule()).isEqualTo(cron(NEVER).text());
        assertLoggedOnce("never fires");
        Node next = node("c", cron(NEVER));
        awaitClaims(next);
        assertThat(ran).isEmpty();
        assertLoggedOnce("never fires");
    }

    /** Waits until the node has claimed all that was due when this began. */
    private void awaitClaims(Node node) {
        if (probed.add(node)) {
            Node ignored = node.handle("probe", Void.class, payload -> ran.add("probe"));
        }
        assertThat(node.engine.schedule("probe", "1", null, Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> ran.remove("probe"));
    }

    @Test
    void scheduleThatNeverFiresEndsOneThatRunsElsewhere() {
        Node before = node("a", cron(EACH_SECOND));
        await().atMost(PATIENCE).until(() -> !ran.isEmpty());

        Node after = node("b", cron(NEVER));

        awaitEnded();
        await().atMost(PATIENCE).until(() -> tickOn(after).owner() == null);
        int runs = ran.size();
        awaitClaims(before);
        assertThat(ran).hasSize(runs);
        assertThat(tickOn(before).dueAt()).isNull();
    }

    @Test
    void firstScheduleThatNeverFiresIsListed() {
        Node node = node("a", cron(NEVER));
        await().atMost(PATIENCE)
                .until(() -> !node.engine.recurringTasks().list().isEmpty());
        assertThat(tickOn(node).dueAt()).isNull();
        assertLoggedOnce("never fires");
    }

    @Test
    void recurrenceWithoutAFirstRunEndsTheOldOne() {
        deploy("a", cron(NIGHTLY));
        Node after = node("b", ofItsOwn("none", null));
        awaitEnded();
        assertThat(tickOn(after).dueAt()).isNull();
        assertLoggedOnce("never fires");
    }

    @Test
    void scheduleThatFiresNoMoreIsListedWithoutANextRun() {
        Node node = node("a", ofItsOwn("once", Instant.now()));
        awaitEnded();
        assertThat(ran).containsExactly("a");
        assertThat(tickOn(node).dueAt()).isNull();
        assertThat(node.engine.recurringTasks().list())
                .singleElement()
                .satisfies(task -> assertThat(task.dueAt()).isNull());
        assertLoggedOnce("has ended");
    }

    @Test
    void endedTaskThatIsTriggeredRunsOnce() {
        deploy("a", cron(NIGHTLY));
        Node after = node("b", cron(NEVER));
        awaitEnded();
        assertThat(after.engine.recurringTasks().trigger("tick")).isTrue();
        await().atMost(PATIENCE).until(() -> ran.contains("b"));
        awaitEnded();
        assertThat(tickOn(after).dueAt()).isNull();
        assertThat(ran).containsExactly("b");
    }

    @Test
    void scheduleThatFiresAgainRevivesTheTask() {
        deploy("a", cron(NEVER));
        Node node = node("b", cron(EACH_SECOND));
        await().atMost(PATIENCE).until(() -> ran.contains("b"));
        assertThat(tickOn(node).dueAt()).isNotNull();
    }

    @Test
    void initialDelayBeyondTheEndStopsTheOldSchedule() {
        deploy("a", cron(EACH_SECOND));
        Recurrence late = ScheduleRecurrence.of(
                TaskSchedule.fixedRate(Duration.ofMillis(50)), Instant.now().plus(Duration.ofDays(400_000_000L)));
        Node after = node("b", late);
        awaitDeclared(after, late);
        // A run that the node was claiming while it declared its schedule may go on.
        awaitClaims(after);
        await().atMost(PATIENCE).until(() -> tickOn(after).owner() == null);
        ran.clear();
        awaitClaims(after);
        assertThat(ran).isEmpty();
    }

    @Test
    void initialDelayHoldsAfterAnOverdueRunOfTheOldSchedule() {
        deploy("a", cron(NIGHTLY));
        assertThat(jdbc.update("update wheel_durable_task set execution_time = current_timestamp"))
                .isEqualTo(1);
        Instant first = Instant.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.SECONDS);

        Node after = node("b", ScheduleRecurrence.of(TaskSchedule.fixedRate(Duration.ofMillis(50)), first));

        await().atMost(PATIENCE).until(() -> ran.contains("b"));
        await().atMost(PATIENCE).until(() -> tickOn(after).owner() == null);
        awaitClaims(after);
        assertThat(ran).containsExactly("b");
        assertThat(tickOn(after).dueAt()).isEqualTo(first);
    }

    @Test
    void rowOfATaskThatDoesNotRunHereIsKept() {
        deploy("a", cron(NIGHTLY));
        int moved = jdbc.update(
                "update wheel_durable_task set known_at = ?",
                Instant.now().minus(Duration.ofDays(2)).atOffset(ZoneOffset.UTC));
        assertThat(moved).isEqualTo(1);
        Node node = new Node("b", dataSource);
        nodes.add(node);
        node.engine.know("tick");
        Node ignored = node.start();
        await().atMost(PATIENCE)
                .until(() -> Boolean.TRUE.equals(jdbc.queryForObject(
                        "select known_at > ? from wheel_durable_task",
                        Boolean.class,
                        Instant.now().minus(Duration.ofDays(1)).atOffset(ZoneOffset.UTC))));
        assertThat(tickOn(node).declaredSchedule()).isEqualTo(cron(NIGHTLY).text());
    }

    // What was missed

    @Test
    void missedRunIsMadeUpOnceThoughTheScheduleChanges() {
        for (int round = 0; round < 6; round++) {
            deploy("before", cron(round % 2 == 0 ? NIGHTLY : YEARLY));
            ran.clear();
            makeOverdue();
            Recurrence changed = cron(round % 2 == 0 ? YEARLY : NIGHTLY);
            List<Node> started = List.of(node("a", changed), node("b", changed), node("c", changed));
            awaitDeclared(started.get(0), changed);
            await().atMost(PATIENCE)
                    .until(() -> Objects.requireNonNull(tickOn(started.get(0)).dueAt())
                            .isAfter(Instant.now()));
            awaitClaims(started.get(2));
            assertThat(ran).as("round " + round).hasSize(1);
            started.forEach(Node::close);
        }
    }

    @Test
    void fixedRateThatIsDeclaredAnewMakesUpOnce() {
        deploy(
                "before",
                ScheduleRecurrence.of(
                        TaskSchedule.fixedRate(Duration.ofHours(1)),
                        Instant.now().plusSeconds(3_600)));
        makeOverdue();
        Recurrence late = ScheduleRecurrence.of(
                TaskSchedule.fixedRate(Duration.ofHours(3)), Instant.now().plusSeconds(9_000));
        Node after = node("after", late);
        awaitDeclared(after, late);
        await().atMost(PATIENCE)
                .until(() -> Objects.requireNonNull(tickOn(after).dueAt()).isAfter(Instant.now()));
        assertThat(ran).containsExactly("after");
    }

    @Test
    void missedRunIsSkippedWhereMissedRunsAre() {
        deploy("before", cron(NIGHTLY));
        makeOverdue();
        Node after = node("after", cron(YEARLY), true);
        awaitDeclared(after, cron(YEARLY));
        await().atMost(PATIENCE)
                .until(() -> Objects.requireNonNull(tickOn(after).dueAt()).isAfter(Instant.now()));
        assertThat(ran).isEmpty();
        assertLoggedOnce("this run is skipped");
    }

    @Test
    void scheduleThatNeverFiresDropsWhatWasOverdue() {
        deploy("before", cron(NIGHTLY));
        makeOverdue();
        Node after = node("after", cron(NEVER));
        awaitEnded();
        awaitClaims(after);
        assertThat(ran).isEmpty();
        assertLoggedOnce("is dropped");
    }

    @Test
    void missedRunIsMadeUpThoughAnOperatorRetimes() {
        deploy("before", cron(NIGHTLY));
        makeOverdue();
        Node steering = new Node("steering", dataSource);
        nodes.add(steering);
        assertThat(steering.engine.recurringTasks().retime("tick", TaskSchedule.cron(YEARLY)))
                .isTrue();
        Node after = node("after", cron(NIGHTLY));
        await().atMost(PATIENCE).until(() -> ran.contains("after"));
        await().atMost(PATIENCE).until(() -> tickOn(after).owner() == null);
        assertThat(ran).containsExactly("after");
        assertThat(tickOn(after).schedule()).startsWith("cron " + YEARLY);
    }

    // Nodes of both schedules

    @Test
    void oldNodeThatRestartsKeepsTheNewSchedule() {
        Node old = node("old", cron(NIGHTLY));
        awaitDeclared(old, cron(NIGHTLY));
        Node renewed = node("new", cron(YEARLY));
        awaitDeclared(renewed, cron(YEARLY));
        old.close();

        Node restarted = node("old", cron(NIGHTLY));

        awaitClaims(restarted);
        await().atMost(PATIENCE).until(() -> !log.with("has been replaced by").isEmpty());
        assertThat(tickOn(restarted).declaredSchedule()).isEqualTo(cron(YEARLY).text());
        renewed.close();
        awaitDeclared(restarted, cron(NIGHTLY));
    }

    @Test
    void newScheduleTakesEffectWhileTheTaskRuns() {
        endOfARunAsks(cron(NIGHTLY));
    }

    @Test
    void endOfARunWaitsForTheFirstTimeOfANewSchedule() {
        endOfARunAsks(ScheduleRecurrence.of(
                TaskSchedule.fixedRate(Duration.ofMillis(50)), Instant.now().plus(Duration.ofHours(1))));
    }

    private void endOfARunAsks(Recurrence later) {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Node old =
                node("old", ScheduleRecurrence.of(TaskSchedule.fixedRate(Duration.ofMillis(10)), null), false, () -> {
                    ran.add("old");
                    begun.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException ex) {
                        Thread.currentThread().interrupt();
                    }
                });
        await().atMost(PATIENCE).until(() -> begun.getCount() == 0);
        Node renewed = node("new", later);
        awaitDeclared(renewed, later);
        end.countDown();
        await().atMost(PATIENCE).until(() -> tickOn(old).owner() == null);
        assertThat(ran).containsExactly("old");
        assertThat(Objects.requireNonNull(tickOn(old).dueAt()))
                .isAfter(Instant.now().plusSeconds(60));
    }
}
