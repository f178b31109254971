package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What recurs runs once for all nodes, and goes on whichever of them end. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
class RecurringTasksTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;
    private final List<Node> nodes = new ArrayList<>();
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();

    /** When runs were due. */
    private final Queue<Instant> due = new ConcurrentLinkedQueue<>();

    RecurringTasksTest(TestDatabase database) {
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
    }

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
        dataSource.close();
    }

    private Node node(String name) {
        Node node = new Node(name, dataSource);
        nodes.add(node);
        return node;
    }

    static Recurrence everyMillis(long millis) {
        return ScheduleRecurrence.of(TaskSchedule.fixedRate(Duration.ofMillis(millis)), null);
    }

    /** Notes when runs were due. */
    private Recurrence noted(Recurrence recurrence) {
        return new Recurrence() {
            @Override
            public String text() {
                return recurrence.text();
            }

            @Override
            public Instant first(Instant now) {
                return java.util.Objects.requireNonNull(recurrence.first(now));
            }

            @Override
            public Instant next(Instant dueAt, Instant endedAt) {
                due.add(dueAt);
                return java.util.Objects.requireNonNull(recurrence.next(dueAt, endedAt));
            }
        };
    }

    private void assertInPhase(long millis) {
        Instant first = due.element();
        assertThat(due)
                .allSatisfy(dueAt -> assertThat(Duration.between(first, dueAt).toMillis() % millis)
                        .isZero());
    }

    @Test
    void runsOnceForAllNodesInPhase() {
        for (String name : List.of("a", "b")) {
            Node node = node(name);
            Runnable ignored = node.engine.repeat("tick", noted(everyMillis(200)), false, () -> ran.add(name));
            node.start();
        }

        await().atMost(PATIENCE).until(() -> due.size() >= 10);

        assertInPhase(200);
        assertThat(due).doesNotHaveDuplicates();
        assertThat(nodes.get(0).engine.recurringTasks().list()).hasSize(1);
    }

    @Test
    void goesOnInPhaseWhenItsNodeDies() {
        Node first = node("a");
        Runnable ignored = first.engine.repeat("tick", noted(everyMillis(200)), false, () -> ran.add("a"));
        first.start();
        await().atMost(PATIENCE).until(() -> due.size() >= 3);
        first.kill();
        int before = ran.size();

        Node second = node("b");
        Runnable unused = second.engine.repeat("tick", noted(everyMillis(200)), false, () -> ran.add("b"));
        second.start();

        await().atMost(PATIENCE).until(() -> ran.size() >= before + 5);
        assertThat(ran).contains("b");
        assertInPhase(200);
    }

    @Test
    void goesOnAfterAFailure() {
        AtomicInteger calls = new AtomicInteger();
        Node node = node("a");
        Runnable ignored = node.engine.repeat("tick", everyMillis(100), false, () -> {
            if (calls.incrementAndGet() < 3) {
                throw new IllegalStateException("on purpose");
            }
        });
        node.start();

        await().atMost(PATIENCE).until(() -> calls.get() >= 5);

        assertThat(node.engine.counts().failed()).isEqualTo(2);
        assertThat(node.engine.counts().givenUp()).isZero();
    }

    @Test
    void anotherScheduleTakesEffectWithTheNextDeployment() {
        Node before = node("a");
        Runnable ignored = before.engine.repeat(
                "tick",
                ScheduleRecurrence.of(
                        TaskSchedule.fixedRate(Duration.ofHours(1)),
                        Instant.now().plusSeconds(3_600)),
                false,
                () -> ran.add("before"));
        before.start();
        await().atMost(PATIENCE)
                .until(() -> before.engine.recurringTasks().find("tick").isPresent());
        before.close();

        Node after = node("b");
        Runnable unused = after.engine.repeat("tick", everyMillis(100), false, () -> ran.add("after"));
        after.start();

        await().atMost(PATIENCE).until(() -> ran.size() >= 3);
        assertThat(ran).containsOnly("after");
    }

    @Test
    void runThatIsMuchTooLateIsMadeUpOnceOrLeftOut() {
        Node planting = node("a");
        Runnable ignored = planting.engine.repeat("made-up", everyMillis(3_600_000), false, () -> {});
        Runnable unused = planting.engine.repeat("left-out", everyMillis(3_600_000), true, () -> {});
        planting.start();
        await().atMost(PATIENCE).until(() -> planting.engine.counts().succeeded() == 2);
        planting.close();
        int moved = jdbc.update(
                "update wheel_durable_task set execution_time = ?",
                Instant.now().minusSeconds(8_000).atOffset(java.time.ZoneOffset.UTC));
        assertThat(moved).isEqualTo(2);

        Node late = node("b");
        Runnable one = late.engine.repeat("made-up", everyMillis(3_600_000), false, () -> ran.add("made up"));
        Runnable two = late.engine.repeat("left-out", everyMillis(3_600_000), true, () -> ran.add("left out"));
        late.start();

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(late.engine.recurringTasks().find("left-out").stream())
                        .singleElement()
                        .satisfies(task -> assertThat(task.dueAt()).isAfter(Instant.now())));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(late.engine.recurringTasks().find("made-up").stream())
                        .singleElement()
                        .satisfies(task -> assertThat(task.dueAt()).isAfter(Instant.now())));
        assertThat(ran).containsExactly("made up");
        one.run();
        two.run();
    }

    @Test
    void rowThatNoNodeKnowsIsDeleted() {
        Node node = node("a");
        node.start();
        assertThat(node.engine.schedule("other", "1", null, Instant.now().minus(Duration.ofDays(2))))
                .isTrue();
        int inserted = jdbc.update(
                "insert into wheel_durable_task (task_name, task_instance, execution_time, known_at) values (?, ?, "
                        + "current_timestamp, ?)",
                "recurring:",
                "gone",
                Instant.now().minus(Duration.ofDays(2)).atOffset(java.time.ZoneOffset.UTC));
        assertThat(inserted).isEqualTo(1);

        keep(keeper(), 3);

        assertThat(node.engine.recurringTasks().find("gone")).isEmpty();
        assertThat(node.engine.list("other", null, null, 1)).hasSize(1);
    }

    /** All nodes of a machine sleep with it. */
    @Test
    void nodeThatWakesFirstForgetsNoTaskOfOthers() {
        DeclaredTable declared = tables().declared();
        for (String id : List.of("here", "there")) {
            assertThat(declared.plant(id, "fixed-rate PT1M", Instant.now().plusSeconds(60), Instant.now()))
                    .isTrue();
        }
        RecurringKeeper keeper = keeper();
        keeper.know("here");
        keep(keeper, 1);
        assertThat(jdbc.update("update wheel_durable_task set known_at = current_timestamp - interval '2' day"))
                .isEqualTo(2);

        keep(keeper, 2);
        declared.know(List.of("there"), Duration.ofHours(6));
        keep(keeper, 3);

        assertThat(declared.schedules()).containsOnlyKeys("here", "there");
    }

    private static RecurringKeeper keeper() {
        return new RecurringKeeper(
                Node.settings("keeper"),
                new DatabaseClock(System::nanoTime),
                new Handlers(DurableObserver.NONE),
                () -> {});
    }

    private void keep(RecurringKeeper keeper, int times) {
        for (int i = 0; i < times; i++) {
            keeper.keep(tables(), () -> {});
        }
    }

    private Database.Tables tables() {
        return new Database(dataSource, Node.settings("x")).tables();
    }

    @Test
    void rowSteeredByUsersIsNeverDeleted() {
        DeclaredTable declared = tables().declared();
        RecurringTable table = tables().recurring();
        for (String id : List.of("paused", "retimed", "triggered", "plain")) {
            assertThat(declared.plant(id, "fixed-rate PT1M", Instant.now().plusSeconds(60), Instant.now()))
                    .isTrue();
        }
        assertThat(table.pause("paused")).isTrue();
        assertThat(table.retime("retimed", "fixed-rate PT2M", Instant.now().plusSeconds(60)))
                .isTrue();
        assertThat(table.trigger("triggered")).isTrue();
        assertThat(jdbc.update("update wheel_durable_task set known_at = current_timestamp - interval '2' day"))
                .isEqualTo(4);
        assertThat(declared.forget(declared.unknown(Duration.ofDays(1)), Duration.ofDays(1)))
                .isEqualTo(1);
        assertThat(declared.schedules()).containsOnlyKeys("paused", "retimed", "triggered");
    }

    @Test
    void triggeredRunStaysWhenItsTaskIsRetimed() {
        DeclaredTable declared = tables().declared();
        RecurringTable table = tables().recurring();
        Instant before = Instant.now();
        assertThat(declared.plant("a", "fixed-rate PT1H", before.plusSeconds(3_600), before))
                .isTrue();
        assertThat(table.trigger("a")).isTrue();
        assertThat(table.retime("a", "fixed-rate PT2H", before.plusSeconds(7_200)))
                .isTrue();
        RecurringTask task = table.find("a").orElseThrow();
        assertThat(task.schedule()).isEqualTo("fixed-rate PT2H");
        assertThat(task.dueAt()).isBefore(before.plusSeconds(60));
    }

    @Test
    void scheduleThatFailsKeepsNoOtherFromRunning() {
        Node node = node("a");
        Recurrence failing = new Recurrence() {
            @Override
            public String text() {
                return "fails";
            }

            @Override
            public Instant first(Instant now) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public @Nullable Instant next(Instant dueAt, Instant endedAt) {
                return null;
            }
        };
        Runnable ignored = node.engine.repeat("a", failing, false, () -> {});
        Runnable unused = node.engine.repeat("b", everyMillis(50), false, () -> ran.add("b"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.repeat("a\0b", everyMillis(50), false, () -> {}))
                .withMessageStartingWith("id must contain neither the character U+0000");
        node.start();
        await().atMost(PATIENCE).until(() -> ran.size() > 2);
        assertThat(node.engine.problem()).isNull();
    }

    /** As one that is mutable. */
    @Test
    void recurrenceMayHaveAnyHashCode() {
        AtomicInteger hash = new AtomicInteger();
        Node node = node("a");
        Runnable ignored =
                node.engine.repeat("a", new Hashed(everyMillis(50), hash::getAndIncrement), false, () -> ran.add("a"));
        Recurrence failing = new Hashed(everyMillis(50), () -> {
            throw new IllegalStateException("on purpose");
        });
        Runnable unused = node.engine.repeat("b", failing, false, () -> ran.add("b"));
        node.start();
        await().atMost(PATIENCE).until(() -> ran.containsAll(List.of("a", "b")));
    }

    private static final class Hashed implements Recurrence {

        private final Recurrence of;
        private final IntSupplier hash;

        Hashed(Recurrence of, IntSupplier hash) {
            this.of = of;
            this.hash = hash;
        }

        @Override
        public String text() {
            return of.text();
        }

        @Override
        public @Nullable Instant first(Instant now) {
            return of.first(now);
        }

        @Override
        public @Nullable Instant next(Instant dueAt, Instant endedAt) {
            return of.next(dueAt, endedAt);
        }

        @Override
        public int hashCode() {
            return hash.getAsInt();
        }
    }

    @Test
    void endThatIsRepeatedEndsNoOtherSchedule() {
        Handlers handlers = new Handlers(DurableObserver.NONE);
        RecurringKeeper keeper =
                new RecurringKeeper(Node.settings("keeper"), new DatabaseClock(System::nanoTime), handlers, () -> {});
        Runnable end = keeper.repeat("tick", everyMillis(1_000), false, () -> {});
        end.run();
        Runnable ignored = keeper.repeat("tick", everyMillis(2_000), false, () -> {});
        keeper.plant(tables(), () -> {});
        end.run();
        assertThat(keeper.schedules()).containsOnlyKeys("tick");
        assertThat(handlers.planted).hasSize(1);
    }

    @Test
    void delayThatNobodyLivesToSeeEndsIsWaitedFor() {
        Node node = node("a");
        Duration delay = Duration.ofMillis(Long.MAX_VALUE);
        Runnable ignored = node.engine.repeat(
                "once", ScheduleRecurrence.of(TaskSchedule.fixedDelay(delay), null), false, () -> ran.add("once"));
        Runnable unused = node.engine.repeat(
                "rate", ScheduleRecurrence.of(TaskSchedule.fixedRate(delay), null), false, () -> ran.add("rate"));
        node.start();
        await().atMost(PATIENCE)
                .until(() -> node.engine.recurringTasks().list().stream()
                                .filter(task -> task.lastSuccessAt() != null
                                        && task.dueAt().isAfter(Instant.now().plus(Duration.ofDays(300_000))))
                                .count()
                        == 2);
        assertThat(ran).containsExactlyInAnyOrder("once", "rate");
        assertThat(node.engine.problem()).isNull();
    }

    @Test
    void countOfFailuresThatIsAsLargeAsItCanBeStaysSo() {
        Node node = node("a");
        Runnable ignored = node.engine.repeat("fails", everyMillis(50), false, () -> {
            ran.add("failed");
            throw new IllegalStateException("on purpose");
        });
        assertThat(tables().declared().plant("fails", everyMillis(50).text(), Instant.now(), Instant.now()))
                .isTrue();
        assertThat(jdbc.update("update wheel_durable_task set consecutive_failures = " + Integer.MAX_VALUE))
                .isEqualTo(1);
        node.start();
        await().atMost(PATIENCE).until(() -> ran.size() > 2);
        assertThat(node.engine.recurringTasks().find("fails"))
                .get()
                .satisfies(task -> assertThat(task.failures()).isEqualTo(Integer.MAX_VALUE));
    }

    /** Comes once, and then not any more, or fails to say when. */
    private static Recurrence once(java.util.function.Supplier<@Nullable Instant> next) {
        return new Recurrence() {
            @Override
            public String text() {
                return "once";
            }

            @Override
            public Instant first(Instant now) {
                return now;
            }

            @Override
            public @Nullable Instant next(Instant dueAt, Instant endedAt) {
                return next.get();
            }
        };
    }

    @Test
    void scheduleThatHasEndedIsNotMadeAgain() {
        Node node = node("a");
        Runnable unused = node.engine.repeat("ends", once(() -> null), false, () -> ran.add("ends"));
        Runnable ignored = node.engine.repeat(
                "fails",
                once(() -> {
                    throw new IllegalStateException("on purpose");
                }),
                false,
                () -> ran.add("fails"));
        node.start();
        await().atMost(PATIENCE)
                .until(() -> jdbc.queryForList("select state from wheel_durable_task", Integer.class)
                        .equals(List.of(RowState.ENDED, RowState.ENDED)));
        node.close();
        Node next = node("b");
        Runnable unused1 = next.engine.repeat("ends", once(() -> null), false, () -> ran.add("ends again"));
        Runnable unused2 = next.engine.repeat("tick", everyMillis(50), false, () -> ran.add("tick"));
        next.start();
        await().atMost(PATIENCE).until(() -> ran.contains("tick"));
        assertThat(ran).containsOnlyOnce("ends", "fails").doesNotContain("ends again");
    }

    @Test
    void endedTaskIsLeftToOtherNodes() {
        CountDownLatch begun = new CountDownLatch(1);
        Node first = node("a");
        Runnable end = first.engine.repeat("tick", everyMillis(100), false, () -> {
            ran.add("a");
            begun.countDown();
        });
        first.start();
        await().atMost(PATIENCE).until(() -> begun.getCount() == 0);
        end.run();

        Node second = node("b");
        Runnable ignored = second.engine.repeat("tick", everyMillis(100), false, () -> ran.add("b"));
        second.start();

        await().atMost(PATIENCE).until(() -> ran.stream().filter("b"::equals).count() >= 3);
    }

    @Test
    void idIsThatOfOneSchedule() {
        Node node = node("a");
        Runnable ignored = node.engine.repeat("tick", everyMillis(100), false, () -> {});
        assertThatIllegalStateException()
                .isThrownBy(() -> node.engine.repeat("tick", everyMillis(200), false, () -> {}))
                .withMessageContaining("must have a name of its own");
    }

    /** Says two times; does something each time. */
    private record Dated(@Nullable Instant first, @Nullable Instant next, Runnable step) implements Recurrence {

        @Override
        public String text() {
            return "dated";
        }

        @Override
        public @Nullable Instant first(Instant now) {
            step.run();
            return first;
        }

        @Override
        public @Nullable Instant next(Instant dueAt, Instant endedAt) {
            step.run();
            return next;
        }
    }

    @Test
    void timeBeforeTheCalendarIsThatOfARunNow() {
        Node node = node("a");
        Runnable[] end = new Runnable[1];
        end[0] = node.engine.repeat("tick", new Dated(Instant.MIN, Instant.MIN, () -> {}), false, () -> {
            if (ran.size() < 3) {
                boolean ignored = ran.add("a");
            } else {
                end[0].run();
            }
        });
        node.start();
        await().atMost(PATIENCE).until(() -> ran.size() == 3);
    }

    @Test
    void taskThatEndsWhileItsRowIsMadeIsForgotten() {
        Handlers handlers = new Handlers(DurableObserver.NONE);
        RecurringKeeper keeper =
                new RecurringKeeper(Node.settings("keeper"), new DatabaseClock(System::nanoTime), handlers, () -> {});
        List<Runnable> ends = new ArrayList<>();
        Instant later = Instant.now().plusSeconds(60);
        boolean ignored = ends.add(
                keeper.repeat("tick", new Dated(later, later, () -> ends.forEach(Runnable::run)), false, () -> {}));
        keeper.plant(tables(), () -> {});
        assertThat(handlers.planted).isEmpty();
    }

    @Test
    void idThatNoDatabaseKnowsIsRefused() {
        Node node = node("a");
        RecurringTasks tasks = node.engine.recurringTasks();
        TaskSchedule hourly = TaskSchedule.fixedRate(Duration.ofHours(1));
        new TransactionTemplate(new JdbcTransactionManager(dataSource)).executeWithoutResult(status -> {
            for (Consumer<String> call : List.<Consumer<String>>of(
                    tasks::find,
                    tasks::trigger,
                    tasks::pause,
                    tasks::resume,
                    id -> assertThat(tasks.retime(id, hourly)).isFalse())) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> call.accept("a\0b"))
                        .withMessage("id must contain neither the character U+0000 nor unpaired surrogates");
            }
            assertThat(tasks.find("tick")).isEmpty();
        });
    }
}
