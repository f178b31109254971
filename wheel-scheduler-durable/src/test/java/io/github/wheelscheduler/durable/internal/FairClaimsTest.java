package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** The tasks of others run, no matter what one node, one handler or one row does. */
@ParameterizedClass
@EnumSource(names = {"POSTGRESQL", "MARIADB"})
class FairClaimsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** Far less than any of the runs that hang. */
    private static final Duration SOON = Duration.ofSeconds(10);

    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger hanging = new AtomicInteger();
    private final List<Node> nodes = new ArrayList<>();

    FairClaimsTest(TestDatabase database) {
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
    }

    @AfterEach
    void close() {
        goOn.countDown();
        nodes.forEach(Node::close);
        dataSource.close();
    }

    private Node node(String name, Queue<String> ran) {
        Node node = new Node(name, dataSource)
                .handle("note", String.class, ran::add)
                .handle("hang", String.class, payload -> {
                    hanging.incrementAndGet();
                    goOn.await();
                })
                .handle("long", String.class, payload -> {
                    Thread.sleep(300);
                    ran.add(payload == null ? "" : payload);
                });
        nodes.add(node);
        return node;
    }

    private static void schedule(Node node, String handler, int count, Instant at) {
        List<DurableRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(new DurableRequest("" + i, handler + i, at));
        }
        assertThat(node.engine.scheduleAll(handler, requests)).isEqualTo(count);
    }

    @Test
    void nodeWhoseWorkersHangKeepsNothingFromOthers() {
        Node busy = node("a", new ConcurrentLinkedQueue<>()).start();
        schedule(busy, "hang", 10, Instant.now());
        await().atMost(PATIENCE).until(() -> hanging.get() == 10);
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        Node free = node("b", ran);
        Runnable ignored =
                free.engine.repeat("tick", RecurringTasksTest.everyMillis(200), false, () -> ran.add("tick"));
        free.start();
        Runnable unused = busy.engine.repeat("tick", RecurringTasksTest.everyMillis(200), false, () -> {});
        schedule(busy, "note", 50, Instant.now().plusMillis(100));
        await().atMost(SOON)
                .until(() -> ran.stream().filter(each -> !each.equals("tick")).count() == 50);
        await().atMost(SOON).until(() -> ran.stream().filter("tick"::equals).count() > 3);
        assertThat(busy.engine.holder()).isEqualTo("hang");
        assertThat(busy.engine.problem()).isNull();
    }

    @Test
    void burstIsSharedByTheNodesWithFewReleases() {
        Queue<String> byA = new ConcurrentLinkedQueue<>();
        Queue<String> byB = new ConcurrentLinkedQueue<>();
        Node a = node("a", byA).start();
        Node b = node("b", byB).start();
        schedule(a, "long", 100, Instant.now().plusMillis(1_500));
        await().atMost(PATIENCE).until(() -> byA.size() + byB.size() == 100);
        assertThat(byA).hasSizeBetween(25, 75);
        assertThat(a.engine.counts().givenBack() + b.engine.counts().givenBack())
                .isLessThanOrEqualTo(5);
    }

    @Test
    void backlogOfOneHandlerKeepsNoOtherFromStarting() {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        Node node = node("a", ran);
        schedule(node, "long", 2_000, Instant.now().minusSeconds(60));
        node.start();
        await().atMost(PATIENCE).until(() -> ran.size() >= 20);
        assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
        // The backlog takes a minute.
        await().atMost(SOON).until(() -> ran.contains("one"));
    }

    @Test
    void unreadableRowsHarmNoOtherAndAwaitAnotherNode() {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        Node node = node("a", ran);
        schedule(node, "note", 130, Instant.now());
        assertThat(jdbc.update(
                        "update wheel_durable_task set task_data = ? where task_instance in ('3', '4', '5', '6', '7')",
                        "{".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(5);
        node.start();
        await().atMost(SOON).until(() -> ran.size() == 125);
        await().atMost(SOON).until(() -> node.engine.overview().unreadable() == 5);
        assertThat(node.engine.list("note", DurableTask.State.UNREADABLE, null, 10))
                .hasSize(5)
                .allSatisfy(task -> {
                    assertThat(task.failures()).isZero();
                    assertThat(task.failure()).contains("payload cannot be read as");
                });
        assertThat(jdbc.update(
                        "update wheel_durable_task set task_data = ? where task_instance = '3'",
                        "\"mended\"".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(1);
        assertThat(node.engine.cancel("note", "4")).isTrue();
        assertThat(jdbc.update("update wheel_durable_task set execution_time = execution_time + interval '1' hour"))
                .isEqualTo(4);
        // Another node tries them when it starts, long before their pauses are over.
        Node next = node("b", ran).start();
        await().atMost(PATIENCE).until(() -> ran.contains("mended"));
        await().atMost(PATIENCE).until(() -> next.engine.counts().unreadable() == 3);
        await().atMost(PATIENCE).until(() -> next.engine.counts().waiting() == 0);
        assertThat(node.engine.retry("note", "5")).isTrue();
    }

    @Test
    void recurringRowThatIsGoneComesBack() {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        Node node = node("a", ran);
        Runnable ignored =
                node.engine.repeat("tick", RecurringTasksTest.everyMillis(100), false, () -> ran.add("tick"));
        node.start();
        await().atMost(PATIENCE).until(() -> !ran.isEmpty());
        jdbc.execute("truncate table wheel_durable_task");
        await().atMost(PATIENCE)
                .until(() -> node.engine.recurringTasks().find("tick").isPresent());
        int before = ran.size();
        await().atMost(PATIENCE).until(() -> ran.size() > before + 2);
    }

    @Test
    void handlerWithABoundRunsNoMoreAtATime() {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        Node node = node("a", ran);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        node.engine.handle(
                "bound", (java.lang.reflect.Type) String.class, RetryPolicy.DEFAULT, 2, null, (payload, run) -> {
                    int now = running.incrementAndGet();
                    most.accumulateAndGet(now, Math::max);
                    Thread.sleep(50);
                    running.decrementAndGet();
                    ran.add(run.id() + " " + run.attempt() + " " + run.node());
                });
        node.start();
        schedule(node, "bound", 20, Instant.now());
        await().atMost(PATIENCE).until(() -> ran.size() == 20);
        assertThat(most).hasValue(2);
        assertThat(ran).contains("7 1 a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.handle(
                        "none",
                        (java.lang.reflect.Type) String.class,
                        RetryPolicy.DEFAULT,
                        0,
                        null,
                        (payload, run) -> {}))
                .withMessage("maxConcurrent must be at least 1, was 0");
    }

    @Test
    void runIsInterruptedAtItsTimeLimitAndHasFailed() {
        Node node = node("a", new ConcurrentLinkedQueue<>());
        AtomicInteger cancelled = new AtomicInteger();
        node.engine.handle(
                "slow",
                (java.lang.reflect.Type) String.class,
                new RetryPolicy(1, Duration.ofMillis(1), Duration.ofMillis(1)),
                2,
                Duration.ofMillis(300),
                (payload, run) -> {
                    try {
                        goOn.await();
                    } finally {
                        cancelled.addAndGet(run.isCancelled() ? 1 : 0);
                    }
                });
        node.start();
        schedule(node, "slow", 1, Instant.now());
        await().atMost(PATIENCE)
                .until(() -> node.engine
                                .list("slow", DurableTask.State.FAILED, null, 9)
                                .size()
                        == 1);
        assertThat(node.engine.find("slow", "0"))
                .get()
                .satisfies(task -> assertThat(task.failure())
                        .contains("The run was interrupted at its time limit of 300 ms", "InterruptedException"));
        assertThat(cancelled).hasValue(2);
        schedule(node, "note", 1, Instant.now());
        await().atMost(PATIENCE).until(() -> node.engine.find("note", "0").isEmpty());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.handle(
                        "none",
                        (java.lang.reflect.Type) String.class,
                        RetryPolicy.DEFAULT,
                        1,
                        Duration.ZERO,
                        (payload, run) -> {}))
                .withMessage("timeLimit must be 1 ms to 1,000 years, was PT0S");
    }

    @Test
    void drainedNodeClaimsNothingAndRunsOn() {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        Node node = node("a", ran).start();
        schedule(node, "hang", 1, Instant.now());
        await().atMost(PATIENCE).until(() -> hanging.get() == 1);
        node.engine.drain();
        schedule(node, "note", 3, Instant.now());
        Queue<String> byB = new ConcurrentLinkedQueue<>();
        Node other = node("b", byB).start();
        await().atMost(PATIENCE).until(() -> byB.size() == 3);
        assertThat(node.engine.counts().running()).isEqualTo(1);
        other.close();
        node.engine.endDrain();
        assertThat(node.engine.schedule("note", "last", "last", Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> ran.contains("last"));
    }

    @Test
    void taskSchedulesItsOwnIdAmongOthers() {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        Node node = node("a", ran);
        node.handle("fan", Integer.class, step -> {
            ran.add("step " + step);
            if (step != null && step == 1) {
                Instant now = Instant.now();
                assertThat(node.engine.scheduleAll(
                                "fan", List.of(new DurableRequest("own", 2, now), new DurableRequest("other", 3, now))))
                        .isEqualTo(2);
            }
        });
        node.start();
        assertThat(node.engine.schedule("fan", "own", 1, Duration.ZERO)).isTrue();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(ran).containsExactlyInAnyOrder("step 1", "step 2", "step 3"));
    }

    @Test
    void taskSchedulesItsOwnIdAndAnotherOneIsReplaced() {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        Node node = node("a", ran);
        node.handle("chain", Integer.class, step -> {
            ran.add("step " + step);
            if (step != null && step < 3) {
                assertThat(node.engine.schedule("chain", "1", step + 1, Duration.ofMillis(10)))
                        .isTrue();
            }
        });
        node.start();
        assertThat(node.engine.schedule("chain", "1", 1, Duration.ZERO)).isTrue();
        await().atMost(PATIENCE).until(() -> ran.contains("step 3"));
        await().atMost(PATIENCE).until(() -> node.engine.find("chain", "1").isEmpty());
        assertThat(ran).containsExactly("step 1", "step 2", "step 3");

        Instant later = Instant.now().plusSeconds(600);
        assertThat(node.engine.replace("note", "r", "first", later)).isEqualTo(DurableTasks.Replacement.SCHEDULED);
        assertThat(node.engine.replace("note", "r", "second", Instant.now()))
                .isEqualTo(DurableTasks.Replacement.REPLACED);
        await().atMost(PATIENCE).until(() -> ran.contains("second"));
        schedule(node, "hang", 1, Instant.now());
        await().atMost(PATIENCE).until(() -> hanging.get() == 1);
        assertThat(node.engine.replace("hang", "0", "x", later)).isEqualTo(DurableTasks.Replacement.RUNNING);
        assertThat(ran).doesNotContain("first");
    }
}
