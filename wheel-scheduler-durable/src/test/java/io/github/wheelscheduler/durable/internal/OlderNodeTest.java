package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableRun;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks.Replacement;
import io.github.wheelscheduler.durable.PayloadFormat;
import io.github.wheelscheduler.durable.RecurringRequest;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks.Change;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.TaskBody;
import io.github.wheelscheduler.durable.testing.CapturedLog;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Nodes of layout 1 and of this one work on one table, in an application whose web API has SNAKE_CASE. */
@ParameterizedClass
@EnumSource
class OlderNodeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final JsonMapper SNAKE_CASE = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();
    private static final Order ORDER = new Order("4711", 3);

    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;
    private final OlderNode older;
    private final Queue<Order> ran = new ConcurrentLinkedQueue<>();

    record Order(String orderId, int itemCount) {}

    OlderNodeTest(TestDatabase database) {
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
        OlderNode.makeTables(database, dataSource);
        older = new OlderNode(database, dataSource, SNAKE_CASE);
    }

    @AfterEach
    void close() {
        dataSource.close();
    }

    private Node node(String name) {
        return new Node(name, dataSource, SNAKE_CASE, List.of(PayloadFormat.standard()));
    }

    @Test
    void olderNodeSetsAsideWhatTheNewerOneRuns() {
        try (Node node = node("a").start()) {
            assertThat(node.engine.schedule("order", "1", ORDER, Instant.now())).isTrue();
            await().atMost(PATIENCE).until(() -> older.runDue("order", Order.class) == 1);
            assertThat(older.ran).isEmpty();
            assertThat(node.engine.find("order", "1"))
                    .get()
                    .satisfies(task -> assertThat(task.state()).isEqualTo(DurableTask.State.UNREADABLE))
                    .satisfies(task -> assertThat(task.failures()).isZero());
            Node ignored = node.handle("order", Order.class, ran::add);
            await().atMost(PATIENCE).until(() -> ran.contains(ORDER));
        }
    }

    @Test
    void rowsOfTheOlderNodeAreReadAsBefore() {
        older.insert("order", "1", ORDER);
        try (Node node = node("a").handle("order", Order.class, ran::add).start()) {
            assertThat(node.engine.settings().initializeSchema()).isTrue();
            await().atMost(PATIENCE).until(() -> ran.contains(ORDER));
        }
    }

    @Test
    void olderNodeReplacesWhatTheNewerOneScheduled() {
        try (Node node = node("a").start()) {
            assertThat(node.engine.schedule("order", "1", ORDER, Instant.now().plusSeconds(3_600)))
                    .isTrue();
            Order other = new Order("other", 1);
            assertThat(older.replace("order", "1", other)).isTrue();
            Node ignored = node.handle("order", Order.class, ran::add);
            await().atMost(PATIENCE).until(() -> ran.contains(other));
        }
    }

    @Test
    void newerNodeReplacesWhatTheOlderOneScheduled() {
        older.insert("order", "1", new Order("other", 1));
        try (Node node = node("a").start()) {
            assertThat(node.engine.replace("order", "1", ORDER, Instant.now())).isEqualTo(Replacement.REPLACED);
            Node ignored = node.handle("order", Order.class, ran::add);
            await().atMost(PATIENCE).until(() -> ran.contains(ORDER));
        }
    }

    @Test
    void olderNodeEndsARunWhoseNextPayloadIsMarked() {
        Order first = new Order("first", 1);
        older.insert("order", "1", first);
        CountDownLatch scheduled = new CountDownLatch(1);
        Node dies = node("a");
        TaskBody<Order> schedulesAndHangs = order -> {
            assertThat(dies.engine.schedule("order", "1", ORDER, Instant.now())).isTrue();
            scheduled.countDown();
            new CountDownLatch(1).await();
        };
        dies.handle("order", Order.class, schedulesAndHangs).start();
        await().atMost(PATIENCE).until(() -> scheduled.getCount() == 0);
        dies.kill();
        // As if it had taken the row over, and run it.
        older.end("order", "1");
        try (Node node = node("b").handle("order", Order.class, ran::add).start()) {
            await().atMost(PATIENCE).until(() -> ran.contains(ORDER));
            await().atMost(PATIENCE).until(() -> node.engine.find("order", "1").isEmpty());
        }
    }

    @Test
    void ownIdIsScheduledInAFormat() {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        try (Node node = node("a")) {
            node.engine.handle(
                    "order",
                    Order.class,
                    new RetryPolicy(0, Duration.ofSeconds(1), Duration.ofSeconds(1)),
                    1,
                    null,
                    (Order order, DurableRun run) -> {
                        seen.add(order.orderId());
                        if (order.itemCount() > 0) {
                            assertThat(node.engine.schedule(
                                            "order",
                                            "1",
                                            new Order(order.orderId() + "'", order.itemCount() - 1),
                                            Instant.now()))
                                    .isTrue();
                        }
                    });
            node.start();
            assertThat(node.engine.schedule("order", "1", new Order("x", 3), Instant.now()))
                    .isTrue();
            await().atMost(PATIENCE).until(() -> seen.size() == 4);
            assertThat(seen).containsExactly("x", "x'", "x''", "x'''");
            await().atMost(PATIENCE).until(() -> node.engine.find("order", "1").isEmpty());
        }
    }

    @Test
    void largePayloadKeepsItsFormat() {
        Order large = new Order("x".repeat(100_000), 1);
        try (Node node = node("a").handle("order", Order.class, ran::add).start()) {
            assertThat(node.engine.schedule("order", "1", large, Instant.now())).isTrue();
            await().atMost(PATIENCE).until(() -> ran.contains(large));
        }
    }

    @Test
    void programThatSchedulesBySqlNamesTheFormat() {
        try (Node node = node("a").handle("order", Order.class, ran::add).start()) {
            assertThat(jdbc.update(
                            "insert into wheel_durable_task (task_name, task_instance, task_data, format, "
                                    + "execution_time) select 'order', '3', ?, 'wheel-1', beat_at from "
                                    + "wheel_durable_task_node where incarnation = 0",
                            OlderNode.bytes("{\"orderId\":\"4711\",\"itemCount\":3}")))
                    .isEqualTo(1);
            await().atMost(PATIENCE).until(() -> ran.contains(ORDER));
            await().atMost(PATIENCE).until(() -> node.engine.find("order", "3").isEmpty());
        }
    }

    @Test
    void rowOfAnUnknownFormatWaitsForANodeThatHasIt() {
        PayloadFormat own = PayloadFormat.of("own", SNAKE_CASE);
        try (Node writer = new Node("w", dataSource, SNAKE_CASE, List.of(own)).start();
                Node other =
                        node("other").handle("order", Order.class, ran::add).start()) {
            assertThat(writer.engine.schedule("order", "1", ORDER, Instant.now()))
                    .isTrue();
            await().atMost(PATIENCE).until(() -> other.engine.overview().unreadable() == 1);
            assertThat(other.engine.find("order", "1").orElseThrow().failure())
                    .isEqualTo("payload must be in a format of this node, which are [wheel-1], was in own");
            assertThat(ran).isEmpty();
            other.engine.drain();
            Queue<Order> ranThere = new ConcurrentLinkedQueue<>();
            try (Node knows = new Node("knows", dataSource, SNAKE_CASE, List.of(PayloadFormat.standard(), own))
                    .handle("order", Order.class, ranThere::add)
                    .start()) {
                await().atMost(PATIENCE).until(() -> ranThere.contains(ORDER));
                await().atMost(PATIENCE)
                        .until(() -> knows.engine.find("order", "1").isEmpty());
            }
        }
    }

    @Test
    void eachHandlerHasALineInTheLogForWhatItCannotRead() {
        List<String> warnings;
        try (CapturedLog log = CapturedLog.begin();
                Node node = node("a").start()) {
            for (String name : List.of("one", "two", "three")) {
                for (String id : List.of("1", "2", "3")) {
                    older.insert(name, id, "hush");
                }
                node.handle(name, Order.class, ran::add);
            }
            await().atMost(PATIENCE).until(() -> node.engine.overview().unreadable() == 9);
            warnings = log.with("cannot be read here");
        }
        assertThat(warnings).hasSize(3).noneMatch(text -> text.contains("hush"));
        for (String name : List.of("one", "two", "three")) {
            assertThat(warnings)
                    .anySatisfy(text -> assertThat(text)
                            .startsWith("The durable task " + name + " ")
                            .contains("payload cannot be read as " + Order.class.getName() + ": at $ ("));
        }
    }

    @Test
    void olderNodeLeavesATaskAloneThatIsMadeAtRunTime() {
        older.insert("order", "one-time", ORDER);
        try (Node node = node("a").start()) {
            assertThat(make(node, Instant.now().minusSeconds(60))).isEqualTo(Change.ADDED);
            assertThat(older.runDue("order", Order.class))
                    .as("the one-time task")
                    .isEqualTo(1);
            assertThat(older.runDue("recurring:", Order.class)).isZero();
            assertThat(older.replace("order", "made", ORDER)).isFalse();
            older.tidy();
            older.forget();
            assertThat(node.engine.recurringTasks().find("made"))
                    .get()
                    .satisfies(task -> assertThat(task.handler()).isEqualTo("order"))
                    .satisfies(task -> assertThat(task.owner()).isNull());
            Node ignored = node.handle("order", Order.class, ran::add);
            await().atMost(PATIENCE).until(() -> ran.contains(ORDER));
        }
    }

    @Test
    void olderNodeFreesATaskThatIsMadeAtRunTime() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Node dies = node("a");
        TaskBody<Order> hangs = order -> {
            begun.countDown();
            new CountDownLatch(1).await();
        };
        dies.handle("order", Order.class, hangs).start();
        assertThat(make(dies, Instant.now())).isEqualTo(Change.ADDED);
        assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        dies.kill();
        older.freeAll();
        try (Node node = node("b").handle("order", Order.class, ran::add).start()) {
            await().atMost(PATIENCE).until(() -> ran.contains(ORDER));
            await().atMost(PATIENCE).until(() -> made(node).dueAt().isAfter(Instant.now()));
        }
    }

    @Test
    void olderNodeFreesATaskThatIsEndedInItsRun() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Node dies = node("a");
        TaskBody<Order> hangs = order -> {
            begun.countDown();
            new CountDownLatch(1).await();
        };
        dies.handle("order", Order.class, hangs).start();
        assertThat(make(dies, Instant.now())).isEqualTo(Change.ADDED);
        assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(dies.engine.recurringTasks().end("made")).isTrue();
        dies.kill();
        older.freeAll();
        older.tidy();
        assertThat(jdbc.queryForObject("select count(*) from wheel_durable_task", Integer.class))
                .isZero();
    }

    @Test
    void taskThatTheOlderNodeHasGivenUpWaitsForItsNextTime() {
        try (Node node = node("a").start()) {
            assertThat(make(node, Instant.now().minusSeconds(60))).isEqualTo(Change.ADDED);
            // As after the last of the deaths that it counts.
            assertThat(jdbc.update("update wheel_durable_task set state = 2, last_failure = execution_time,"
                            + " failure = 'Its process ended each time it ran', version = version + 1"))
                    .isEqualTo(1);
            await().atMost(PATIENCE).until(() -> made(node).dueAt().isAfter(Instant.now()));
            assertThat(made(node).failure()).startsWith("Its process");
            Node ignored = node.handle("order", Order.class, ran::add);
            assertThat(node.engine.recurringTasks().trigger("made")).isTrue();
            await().atMost(PATIENCE).until(() -> ran.contains(ORDER));
        }
    }

    private static Change make(Node node, Instant first) {
        return node.engine
                .recurringTasks()
                .schedule(
                        "order",
                        new RecurringRequest(
                                "made",
                                TaskSchedule.fixedRate(Duration.ofHours(1)),
                                ORDER,
                                first,
                                Durable.Missed.RUN_ONCE));
    }

    private static RecurringTask made(Node node) {
        return node.engine.recurringTasks().find("made").orElseThrow();
    }
}
