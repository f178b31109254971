package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableOverview;
import io.github.wheelscheduler.durable.DurableTask;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
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
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A node is known by its incarnation, and what a dead one had, or a living one does not know of, is freed. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
class NodeLifeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final String TASKS = "wheel_durable_task";
    private static final String NODES = "wheel_durable_task_node";

    /** A number that no node takes. */
    private static final long GHOST = -7;

    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final List<Node> nodes = new ArrayList<>();

    NodeLifeTest(TestDatabase database) {
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
    }

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
        dataSource.close();
    }

    private Node node(String name) {
        return node(name, dataSource);
    }

    private Node node(String name, javax.sql.DataSource on) {
        Node node = new Node(name, on).handle("note", String.class, payload -> ran.add(String.valueOf(payload)));
        nodes.add(node);
        return node;
    }

    private List<Long> incarnationsOf(String name) {
        return jdbc.queryForList(
                "select incarnation from " + NODES + " where state < 2 and name = ?", Long.class, name);
    }

    private void change(int rows, String sql, Object... parameters) {
        assertThat(jdbc.update(sql, parameters)).isEqualTo(rows);
    }

    private void awaitRan(String... payloads) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).contains(payloads));
    }

    /** Makes a node that has died, and a task that it had. */
    private void makeGhost(Node living, int state, String id) {
        change(
                1,
                "insert into " + NODES + " (incarnation, name, state, beat, beat_at) values (?, 'ghost', ?, 1, "
                        + "current_timestamp)",
                GHOST,
                state);
        assertThat(living.engine.schedule("note", id, id, Instant.now().plusSeconds(600)))
                .isTrue();
        change(
                1,
                "update " + TASKS + " set state = 1, owner = ?, execution_time = current_timestamp"
                        + " where task_instance = ?",
                GHOST,
                id);
    }

    @Test
    void nodeHasARowAndTakesItAlong() {
        Node node = node("a").start();
        await().atMost(PATIENCE).until(() -> incarnationsOf("a").size() == 1);
        node.close();
        assertThat(incarnationsOf("a")).isEmpty();
    }

    @Test
    void heartbeatsTouchNoRowOfATask() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Node node = node("a").handle("long", String.class, payload -> end.await());
        node.start();
        assertThat(node.engine.schedule("long", "1", "x", Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> node.engine.counts().running() == 1);
        long beat = beatOf("a");
        List<Long> version = jdbc.queryForList("select version from " + TASKS, Long.class);
        await().atMost(PATIENCE).until(() -> beatOf("a") > beat + 2);
        assertThat(jdbc.queryForList("select version from " + TASKS, Long.class))
                .isEqualTo(version);
        end.countDown();
    }

    private long beatOf(String name) {
        return jdbc.queryForList("select beat from " + NODES + " where name = ?", Long.class, name).stream()
                .findFirst()
                .orElse(-1L);
    }

    @Test
    void markedNodeGoesOnUnderANewNumber() {
        Node node = node("a").start();
        await().atMost(PATIENCE).until(() -> incarnationsOf("a").size() == 1);
        long before = incarnationsOf("a").get(0);
        change(1, "update " + NODES + " set state = 2 where incarnation = ?", before);
        await().atMost(PATIENCE)
                .until(() -> incarnationsOf("a").stream().anyMatch(incarnation -> incarnation != before));
        assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
        awaitRan("one");
    }

    @Test
    void tasksOfADeadNodeStartElsewhereAndItsRowGoes() {
        Node node = node("a").start();
        await().atMost(PATIENCE).until(() -> incarnationsOf("a").size() == 1);
        makeGhost(node, NodeTable.ALIVE, "one");
        awaitRan("one");
        await().atMost(PATIENCE).until(() -> beatOf("ghost") == -1);
        await().atMost(PATIENCE).until(() -> node.engine.counts().takenOver() == 1);
    }

    @Test
    void rowsOfANodeThatIsNotThereAreFreed() {
        Node node = node("a").start();
        await().atMost(PATIENCE).until(() -> incarnationsOf("a").size() == 1);
        assertThat(node.engine.schedule("note", "one", "one", Instant.now().plusSeconds(60)))
                .isTrue();
        change(1, "update " + TASKS + " set state = 1, owner = ?, execution_time = current_timestamp", GHOST);
        awaitRan("one");
    }

    @Test
    void nodeFreesWhatItHasAndDoesNotKnowOf() {
        Node node = node("a").start();
        await().atMost(PATIENCE).until(() -> incarnationsOf("a").size() == 1);
        assertThat(node.engine.schedule("note", "one", "one", Instant.now().plusSeconds(60)))
                .isTrue();
        change(
                1,
                "update " + TASKS + " set state = 1, owner = ?, execution_time = current_timestamp",
                incarnationsOf("a").get(0));
        awaitRan("one");
        assertThat(node.engine.counts().takenOver()).isZero();
    }

    @Test
    void claimWithoutAnAnswerStartsWithinTwoDeadAfter() {
        CuttingDataSource cutting = new CuttingDataSource(dataSource);
        Node node = node("a", cutting).start();
        await().atMost(PATIENCE).until(() -> incarnationsOf("a").size() == 1);
        cutting.left.set(1);
        assertThat(node.engine.schedule("note", "one", "one", Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> cutting.left.get() == 0);
        long startNanos = System.nanoTime();
        awaitRan("one");
        // What a loaded machine needs is added.
        assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
                .isLessThan(node.engine.settings().deadAfter().multipliedBy(2).plusSeconds(5));
        assertThat(ran).hasSize(1);
    }

    @Test
    void endThatIsToldTwiceEndsNoNewTaskOfTheSameId() {
        CuttingDataSource cutting = new CuttingDataSource(dataSource);
        Node node = node("a", cutting).start();
        cutting.ends.set(1);
        assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> cutting.ends.get() == 0);
        // It is told again in 300 ms; by then, this node has claimed the new one.
        String payload = "x".repeat(10_000);
        assertThat(node.engine.schedule("note", "1", payload, Duration.ofMillis(900)))
                .isTrue();
        awaitRan("one", payload);
        assertThat(node.engine.counts().lost()).isZero();
    }

    /** Loses the connection between the commit of a claim, or of an end, and its answer. */
    private static final class CuttingDataSource extends DelegatingDataSource {
        private final AtomicInteger left = new AtomicInteger();
        private final AtomicInteger ends = new AtomicInteger();

        CuttingDataSource(HikariDataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection target = super.getConnection();
            return proxy(Connection.class, target, "");
        }

        private <T> T proxy(Class<T> type, Object target, String sql) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        try {
                            Object result = method.invoke(target, arguments);
                            if (result instanceof PreparedStatement statement) {
                                return proxy(PreparedStatement.class, statement, String.valueOf(arguments[0]));
                            }
                            boolean isClaim = sql.startsWith("with due")
                                    && method.getName().startsWith("executeQuery");
                            boolean isPick = sql.startsWith("update " + TASKS + " set state = 1")
                                    && method.getName().equals("executeBatch");
                            boolean isEnd = sql.contains("delete from " + TASKS)
                                    && sql.contains("next_time is null")
                                    && method.getName().startsWith("execute");
                            if (isEnd && ends.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
                                throw new SQLException("the connection is lost on purpose", "08006");
                            }
                            if ((isClaim || isPick) && left.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
                                Connection connection = ((PreparedStatement) target).getConnection();
                                if (!connection.getAutoCommit()) {
                                    connection.commit();
                                }
                                throw new SQLException("the connection is lost on purpose", "08006");
                            }
                            return result;
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    }));
        }
    }

    @Test
    void nodeWhosePoolIsUsedUpIsNotFoundDead() throws Exception {
        HikariConfig config = new HikariConfig();
        dataSource.copyStateTo(config);
        config.setMaximumPoolSize(3);
        try (HikariDataSource small = new HikariDataSource(config);
                Node node = new Node("a", small).start()) {
            Node watcher = node("b").start();
            await().atMost(PATIENCE).until(() -> incarnationsOf("a").size() == 1 && beatOf("b") > 1);
            List<Long> before = incarnationsOf("a");
            try (Connection one = small.getConnection();
                    Connection another = small.getConnection()) {
                long beat = beatOf("b");
                // Each is half a second; a node is dead after four.
                await().atMost(PATIENCE).until(() -> beatOf("b") > beat + 12);
                assertThat(one).isNotSameAs(another);
            }
            assertThat(incarnationsOf("a")).isEqualTo(before);
            assertThat(watcher.engine.counts().takenOver()).isZero();
            assertThat(node.engine.counts().takenOver()).isZero();
        }
    }

    @Test
    void silentNodeAsksBeforeItStartsAnything() throws Exception {
        Node node = node("a").start();
        await().atMost(PATIENCE).until(() -> incarnationsOf("a").size() == 1);
        // Half of dead-after is two seconds.
        assertThat(node.engine.schedule("note", "1", "one", Duration.ofSeconds(4)))
                .isTrue();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertThat(statement
                            .executeQuery("select beat from " + NODES + " where name = 'a' for update")
                            .next())
                    .isTrue();
            awaitClaimed();
            change(1, "update " + TASKS + " set version = version + 1, owner = ?", GHOST);
            await().atMost(PATIENCE).until(() -> node.engine.counts().lost() == 1);
            assertThat(ran).isEmpty();
            connection.rollback();
        }
    }

    private void awaitClaimed() {
        await().atMost(PATIENCE)
                .until(() -> jdbc.queryForList("select state from " + TASKS, Integer.class)
                        .contains(1));
    }

    @Test
    void longPayloadWhoseRowIsGoneDoesNotRun() {
        Node node = node("a").start();
        assertThat(node.engine.schedule("note", "1", "x".repeat(10_000), Duration.ofSeconds(2)))
                .isTrue();
        awaitClaimed();
        change(1, "delete from " + TASKS);
        await().atMost(PATIENCE).until(() -> node.engine.counts().lost() == 1);
        assertThat(ran).isEmpty();
    }

    @Test
    void restartKeepsNothingOfItsPredecessorAlive() {
        Node node = node("ghost").start();
        await().atMost(PATIENCE).until(() -> incarnationsOf("ghost").size() == 1);
        makeGhost(node, NodeTable.ALIVE, "one");
        awaitRan("one");
        await().atMost(PATIENCE).until(() -> node.engine.counts().takenOver() == 1);
    }

    @Test
    void nodeThatFailsToStartLeavesNoRow() throws Exception {
        HikariConfig config = new HikariConfig();
        dataSource.copyStateTo(config);
        config.setMaximumPoolSize(2);
        config.setConnectionTimeout(300);
        try (HikariDataSource small = new HikariDataSource(config)) {
            Node node = new Node("a", small);
            try (Connection taken = small.getConnection()) {
                node.start();
                assertThat(taken.isValid(1)).isTrue();
                assertThat(node.engine.problem())
                        .hasMessageStartingWith("The pool must have a free connection for durable tasks beside");
                assertThat(incarnationsOf("a")).isEmpty();
            }
            await().atMost(PATIENCE).until(() -> incarnationsOf("a").size() == 1 && node.engine.problem() == null);
            node.close();
        }
    }

    @Test
    void twoLivingNodesOfOneNameAreTwo() {
        Node first = node("twin").start();
        Node second = node("twin").start();
        await().atMost(PATIENCE).until(() -> incarnationsOf("twin").size() == 2);
        assertThat(first.engine.schedule("note", "1", "one", Instant.now())).isTrue();
        awaitRan("one");
        assertThat(second.engine.overview().nodes())
                .extracting(DurableOverview.NodeShare::node)
                .containsExactly("twin", "twin");
        assertThat(first.engine.counts().takenOver()).isZero();
    }

    // Tasks that kill

    @Test
    void taskThatHasKilledNodesOftenEnoughIsSetAside() {
        Node node = node("a").start();
        await().atMost(PATIENCE).until(() -> incarnationsOf("a").size() == 1);
        makeGhost(node, NodeTable.ALIVE, "killer");
        change(1, "update " + TASKS + " set suspicions = 5, deaths = 4, marked = true");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(node.engine.find("note", "killer"))
                        .get()
                        .satisfies(task -> {
                            assertThat(task.state()).isEqualTo(DurableTask.State.FAILED);
                            assertThat(task.failure()).contains("process ended");
                        }));
        assertThat(ran).isEmpty();
        assertThat(node.engine.retry("note", "killer")).isTrue();
        awaitRan("killer");
    }

    @Test
    void markThatAClosingNodeLeftIsNoDeath() {
        Node node = node("a").start();
        await().atMost(PATIENCE).until(() -> incarnationsOf("a").size() == 1);
        makeGhost(node, NodeTable.CLOSING, "innocent");
        change(1, "update " + TASKS + " set suspicions = 5, deaths = 4, marked = true");
        awaitRan("innocent");
    }

    @Test
    void suspectRunsWithAMarkThatItsEndClears() {
        CountDownLatch end = new CountDownLatch(1);
        Node node = node("a").handle("long", String.class, payload -> {
            ran.add("long");
            end.await();
            throw new IllegalStateException("on purpose");
        });
        node.start();
        assertThat(node.engine.schedule("long", "1", "x", Instant.now().plusSeconds(60)))
                .isTrue();
        change(1, "update " + TASKS + " set suspicions = 2, execution_time = current_timestamp");
        awaitRan("long");
        assertThat(jdbc.queryForList("select marked from " + TASKS, Boolean.class))
                .containsExactly(true);
        end.countDown();
        await().atMost(PATIENCE)
                .until(() -> jdbc.queryForList("select suspicions from " + TASKS, Integer.class)
                                .get(0)
                        == null);
    }

    @Test
    void nodeClaimsOneOfSeveralSuspects() {
        CountDownLatch end = new CountDownLatch(1);
        Node node = node("a").handle("long", String.class, payload -> end.await());
        for (int i = 0; i < 5; i++) {
            assertThat(node.engine.schedule("long", "" + i, "x", Instant.now().plusSeconds(60)))
                    .isTrue();
        }
        change(5, "update " + TASKS + " set suspicions = 2, execution_time = current_timestamp");
        node.start();
        await().atMost(PATIENCE).until(() -> node.engine.counts().running() == 1);
        assertThat(node.engine.counts().claimed()).isEqualTo(1);
        assertThat(node.engine.counts().givenBack()).isZero();
        end.countDown();
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 5);
    }

    @Test
    void highestVersionStopsNoClaim() {
        Node node = node("a").start();
        assertThat(node.engine.schedule("note", "1", "one", Instant.now().plusSeconds(60)))
                .isTrue();
        change(1, "update " + TASKS + " set version = ?, execution_time = current_timestamp", Long.MAX_VALUE);
        awaitRan("one");
        await().atMost(PATIENCE).until(() -> node.engine.find("note", "1").isEmpty());
    }
}
