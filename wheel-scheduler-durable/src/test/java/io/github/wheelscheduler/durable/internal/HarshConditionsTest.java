package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.durable.testing.CapturedLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Nothing is lost or run twice because of what surrounds a node: its pool, its executor, locks, errors, hostile rows.
 */
class HarshConditionsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final List<AutoCloseable> toClose = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
    }

    private HikariDataSource pool(String url, int size, boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        config.setAutoCommit(autoCommit);
        if (url.startsWith("jdbc:h2")) {
            config.setUsername("sa");
        }
        return new HikariDataSource(config);
    }

    private DurableEngine engine(WheelScheduledExecutor executor, javax.sql.DataSource dataSource) {
        DurableEngine engine = new DurableEngine(
                Node.settings("x"), executor, dataSource, JsonMapper.builder().build(), DurableObserver.NONE);
        toClose.add(0, () -> {
            engine.close();
            List<Runnable> ignored = executor.shutdownNow();
        });
        return engine;
    }

    private Node node(javax.sql.DataSource dataSource) {
        Node node = new Node("a", dataSource);
        toClose.add(0, node);
        return node;
    }

    private void note(Node node) {
        node.handle("note", String.class, payload -> ran.add(String.valueOf(payload)));
    }

    private void awaitRan(String... payloads) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).contains(payloads));
    }

    @Test
    void poolWithoutAutoCommitIsToldHowRunsEnd() {
        HikariDataSource dataSource = pool(TestDatabase.H2.newUrl(), 10, false);
        Node node = node(dataSource);
        note(node);
        node.start();
        new TransactionTemplate(new DataSourceTransactionManager(dataSource)).executeWithoutResult(status -> {
            boolean ignored = node.engine.schedule("note", "1", "one", Instant.now());
        });
        assertThat(node.engine.schedule("other", "1", null, Instant.now())).isTrue();
        assertThat(node.engine.find("other", "1")).isPresent();
        awaitRan("one");
        await().atMost(PATIENCE).until(() -> node.engine.find("note", "1").isEmpty());
    }

    @Test
    void heartbeatThatHadToWaitDoesNotFreeTheNodesOwnRuns() throws Exception {
        HikariDataSource dataSource = TestDatabase.POSTGRESQL.newDataSource();
        Node node = node(dataSource);
        node.handle("note", String.class, payload -> {
            ran.add(String.valueOf(payload));
            Thread.sleep(4_000);
        });
        node.start();
        for (int i = 0; i < 5; i++) {
            assertThat(node.engine.schedule("note", "" + i, "p" + i, Instant.now()))
                    .isTrue();
        }
        await().until(() -> ran.size() == 5);
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            boolean ignored =
                    statement.execute("select * from wheel_durable_task where task_instance = '3' for update");
            long beats = twiceDeadAfter(node);
            assertThat(beats).isPositive();
            connection.rollback();
        }
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 5);
        assertThat(ran).hasSize(5);
        assertThat(node.engine.counts().takenOver()).isZero();
    }

    /** Lets twice the time pass after which a row is dead, by the database's own clock. */
    private static long twiceDeadAfter(Node node) {
        long millis = 2 * node.engine.settings().deadAfter().toMillis();
        long startNanos = System.nanoTime();
        await().atMost(PATIENCE).until(() -> System.nanoTime() - startNanos > 1_000_000 * millis);
        return millis;
    }

    @Test
    void rowDueInTheYearOneRuns() {
        Node node = node(TestDatabase.H2.newDataSource());
        note(node);
        assertThat(node.engine.schedule("note", "1", "one", Instant.parse("0001-01-01T00:00:00Z")))
                .isTrue();
        node.start();
        awaitRan("one");
    }

    @ParameterizedTest
    @EnumSource
    void rowDueBeforeTheGregorianCalendarRuns(TestDatabase database) {
        Node node = node(database.newDataSource());
        note(node);
        assertThat(node.engine.schedule("note", "1", "one", Instant.parse("1500-01-01T00:00:00Z")))
                .isTrue();
        node.start();
        awaitRan("one");
    }

    @Test
    void runWithoutRoomInTheExecutorRunsLater() {
        WheelScheduledExecutor executor =
                WheelScheduledExecutor.builder().maxPending(20).build();
        DurableEngine engine = engine(executor, TestDatabase.H2.newDataSource());
        engine.handle("note", String.class, RetryPolicy.DEFAULT, ran::add);
        engine.start();
        await().atMost(PATIENCE).until(() -> engine.clockError().toMillis() < 1_000);
        List<WheelTimer<?>> timers = new ArrayList<>();
        try {
            while (true) {
                timers.add(executor.schedule(() -> {}, 1, TimeUnit.HOURS));
            }
        } catch (RejectedExecutionException ex) {
            assertThat(timers).isNotEmpty();
        }
        boolean ignored = claims(engine);
        timers.forEach(timer -> {
            boolean unused = timer.cancel(false);
        });
        awaitRan("one");
    }

    /**
     * Schedules one, and waits until it has been claimed and has found no room, if the engine can tell anybody to look.
     */
    private static boolean claims(DurableEngine engine) {
        assertThat(engine.schedule("note", "1", "one", Instant.now())).isTrue();
        try {
            await().atMost(Duration.ofSeconds(2)).until(() -> engine.counts().claimed() > 0);
            return true;
        } catch (org.awaitility.core.ConditionTimeoutException ex) {
            return false;
        }
    }

    @Test
    void runRefusedByAFullGroupRunsLater() {
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        WheelScheduledExecutor group = executor.newGroup(DurableEngine.GROUP)
                .maxWorkers(1)
                .queueCapacity(1)
                .onFull(OnFull.REJECT)
                .build();
        assertThat(group.isShutdown()).isFalse();
        DurableEngine engine = engine(executor, TestDatabase.H2.newDataSource());
        engine.handle("note", String.class, RetryPolicy.DEFAULT, payload -> {
            Thread.sleep(50);
            ran.add(String.valueOf(payload));
        });
        engine.start();
        for (int i = 0; i < 10; i++) {
            assertThat(engine.schedule("note", "" + i, "p" + i, Instant.now().plusMillis(700)))
                    .isTrue();
        }
        await().atMost(PATIENCE).until(() -> ran.size() == 10);
    }

    @Test
    void manyUnreadableRowsHoldUpNoOther() {
        HikariDataSource dataSource = TestDatabase.H2.newDataSource();
        Node node = node(dataSource);
        note(node);
        node.handle("new", Instant.class, payload -> {});
        List<DurableRequest> unreadable = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            unreadable.add(
                    new DurableRequest("u" + i, Instant.EPOCH, Instant.now().minusSeconds(60)));
        }
        assertThat(node.engine.scheduleAll("new", unreadable)).isEqualTo(400);
        assertThat(new JdbcTemplate(dataSource).update("update wheel_durable_task set task_data = X'7b'"))
                .isEqualTo(400);
        assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
        node.start();
        awaitRan("one");
    }

    private static final class ErrorOnce extends DelegatingDataSource {
        final AtomicInteger left = new AtomicInteger();

        ErrorOnce(HikariDataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (left.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
                throw new OutOfMemoryError("on purpose");
            }
            return super.getConnection();
        }
    }

    @Test
    void errorEndsNoLoop() {
        ErrorOnce dataSource = new ErrorOnce(TestDatabase.H2.newDataSource());
        Node node = node(dataSource);
        note(node);
        node.start();
        await().atMost(PATIENCE).until(() -> node.engine.problem() == null);
        dataSource.left.set(2);
        await().atMost(PATIENCE).until(() -> dataSource.left.get() == 0);
        assertThat(node.engine.schedule("note", "1", "one", Instant.now().plusSeconds(2)))
                .isTrue();
        awaitRan("one");
    }

    @Test
    void nodeThatFailsToStartStopsAndMayStartAgain() {
        AtomicBoolean fails = new AtomicBoolean();
        HikariDataSource pool = TestDatabase.H2.newDataSource();
        Node node = node(new DelegatingDataSource(pool) {
            @Override
            public boolean isWrapperFor(Class<?> type) throws SQLException {
                // The pool is asked how long a connection may be kept when all has begun.
                if (fails.get()) {
                    throw new IllegalStateException("on purpose");
                }
                return super.isWrapperFor(type);
            }
        });
        note(node);
        assertThat(node.engine.find("note", "1")).isEmpty();
        fails.set(true);
        assertThatIllegalStateException().isThrownBy(node::start).withMessage("on purpose");
        fails.set(false);
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        assertThat(jdbc.queryForList("select 1 from wheel_durable_task_node where name = 'a'"))
                .isEmpty();
        // What was under way may still fail.
        await().pollDelay(Duration.ofMillis(700)).until(() -> true);
        try (CapturedLog log = CapturedLog.begin()) {
            await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
            assertThat(log.with("")).isEmpty();
        }
        node.start();
        assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
        awaitRan("one");
    }

    @Test
    void errorOfTheObserverLosesNoTask() {
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        DurableEngine engine = new DurableEngine(
                Node.settings("x"), executor, TestDatabase.H2.newDataSource(), new JsonMapper(), new DurableObserver() {
                    @Override
                    public void starting(String handler, Duration lateness) {
                        throw new NoSuchMethodError("on purpose");
                    }
                });
        toClose.add(engine);
        engine.handle("note", String.class, RetryPolicy.DEFAULT, ran::add);
        engine.start();
        assertThat(engine.schedule("note", "1", "one", Instant.now())).isTrue();
        awaitRan("one");
    }

    @Test
    void exceptionWithoutATextIsAFailure() {
        Node node = node(TestDatabase.H2.newDataSource());
        node.handle("note", String.class, payload -> {
            throw new IllegalStateException() {
                @Override
                public String getMessage() {
                    throw new IllegalArgumentException("on purpose");
                }
            };
        });
        node.start();
        assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
        await().atMost(PATIENCE)
                .until(() -> node.engine
                        .find("note", "1")
                        .filter(task -> task.state() == DurableTask.State.FAILED)
                        .isPresent());
    }

    @Test
    void runThatClosingInterruptsHasNotFailed() {
        DurableSettings quick = new DurableSettings(
                TaskTable.DEFAULT_NAME,
                true,
                "a",
                10,
                Duration.ofSeconds(1),
                2_000,
                Duration.ofMillis(300),
                Duration.ofMillis(1_500),
                Duration.ofMillis(200),
                Duration.ofDays(1),
                5,
                null,
                true,
                DurableSettings.UnknownHandlers.WARN);
        Node node = new Node(quick, TestDatabase.H2.newDataSource(), DurableObserver.NONE);
        node.engine.handle(
                "note", String.class, new RetryPolicy(0, Duration.ofSeconds(1), Duration.ofSeconds(1)), payload -> {
                    ran.add(String.valueOf(payload));
                    Thread.sleep(60_000);
                });
        node.start();
        assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
        awaitRan("one");
        node.close();
        assertThat(node.engine.find("note", "1"))
                .get()
                .extracting(DurableTask::state)
                .isEqualTo(DurableTask.State.SCHEDULED);
    }

    @Test
    void rewrittenBatchesAreCounted() {
        String url = TestDatabase.POSTGRESQL.newUrl();
        Node node = node(pool(url + (url.contains("?") ? "&" : "?") + "reWriteBatchedInserts=true", 10, true));
        List<DurableRequest> requests = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            requests.add(new DurableRequest("" + i, "x", Instant.now().plusSeconds(60)));
        }
        assertThat(node.engine.scheduleAll("note", requests)).isEqualTo(10);
    }

    @Test
    void anotherNodeHelpsWithABacklog() {
        HikariDataSource dataSource = TestDatabase.POSTGRESQL.newDataSource();
        DurableSettings one = new DurableSettings(
                TaskTable.DEFAULT_NAME,
                true,
                "a",
                1,
                Duration.ofSeconds(1),
                2_000,
                Duration.ofMillis(300),
                Duration.ofMillis(1_500),
                Duration.ofMillis(200),
                Duration.ofDays(1),
                5,
                null,
                true,
                DurableSettings.UnknownHandlers.WARN);
        Queue<String> byB = new ConcurrentLinkedQueue<>();
        Node a = new Node(one, dataSource, DurableObserver.NONE)
                .handle("note", String.class, payload -> Thread.sleep(500));
        Node b = new Node(one, dataSource, DurableObserver.NONE).handle("note", String.class, payload -> {
            Thread.sleep(500);
            byB.add(String.valueOf(payload));
        });
        toClose.add(a);
        toClose.add(b);
        List<DurableRequest> requests = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            requests.add(new DurableRequest("" + i, "x", Instant.now()));
        }
        assertThat(a.engine.scheduleAll("note", requests)).isEqualTo(40);
        a.start();
        b.start();
        await().atMost(PATIENCE).until(() -> byB.size() > 3);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void nodesThatClaimAtTheSameTimeRunEachTaskOnce(TestDatabase database) {
        HikariDataSource dataSource = database.newDataSource();
        List<Node> nodes = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            nodes.add(new Node(name, dataSource).handle("note", String.class, ran::add));
        }
        toClose.addAll(nodes);
        List<DurableRequest> requests = new ArrayList<>();
        Instant now = Instant.now();
        for (int i = 0; i < 1_500; i++) {
            requests.add(new DurableRequest("" + i, "p" + i, now.plusMillis(i % 2 == 0 ? 0 : 2 * i)));
        }
        assertThat(nodes.get(0).engine.scheduleAll("note", requests)).isEqualTo(1_500);
        nodes.forEach(Node::start);
        await().atMost(PATIENCE.multipliedBy(2))
                .until(() -> nodes.get(0).engine.list("note", null, null, 1).isEmpty());
        assertThat(ran).hasSize(1_500).doesNotHaveDuplicates();
        nodes.forEach(node -> {
            assertThat(node.engine.problem()).isNull();
            assertThat(node.engine.counts().lost()).isZero();
        });
    }

    @Test
    void nodeCanBeStoppedAndStartedAgain() {
        Node node = node(TestDatabase.H2.newDataSource());
        note(node);
        node.start();
        node.engine.stop();
        assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
        assertThat(node.engine.find("note", "1"))
                .get()
                .extracting(DurableTask::state)
                .isEqualTo(DurableTask.State.SCHEDULED);
        node.start();
        awaitRan("one");
    }

    @ParameterizedTest
    @EnumSource
    void longPayloadIsReadWhenItIsDue(TestDatabase database) {
        String text = "x".repeat(5_000_000);
        Node node = node(database.newDataSource());
        note(node);
        node.start();
        assertThat(node.engine.schedule("note", "1", text, Instant.now().plusMillis(300)))
                .isTrue();
        awaitRan(text);
    }

    @ParameterizedTest
    @EnumSource
    void idsMayHoldAnyCharacters(TestDatabase database) {
        Node node = node(database.newDataSource());
        assertThat(node.engine.schedule("note", "x\u00e4 '\"%_\ud83d\ude00", "odd", Instant.now()))
                .isTrue();
        note(node);
        node.start();
        awaitRan("odd");
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 1);
        assertThat(node.engine.counts().lost()).isZero();
    }

    @Test
    void namesThatADatabaseWouldChangeAreRefused() {
        Node node = node(TestDatabase.H2.newDataSource());
        for (String id : List.of("x\ud800", "x\0y")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> node.engine.schedule("note", id, null, Instant.now()))
                    .withMessageStartingWith("id must contain neither");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.schedule("note", "1", null, Instant.MAX))
                .withMessageStartingWith("at must be in one of the years 1 to 9999");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.schedule("note", "1", "x".repeat(1 << 24), Instant.now()))
                .withMessage("payload must be at most 16 MiB as JSON, was 16777218 bytes");
    }

    @Test
    void lookThatDoesNotComeBackIsAProblem() throws Exception {
        HikariDataSource small = pool(TestDatabase.H2.newUrl(), 3, true);
        Node node = node(small);
        note(node);
        node.start();
        await().atMost(PATIENCE).until(() -> small.getHikariPoolMXBean().getActiveConnections() == 1);
        try (Connection one = small.getConnection();
                Connection another = small.getConnection()) {
            // It waits for a connection for half a minute.
            await().atMost(PATIENCE).until(() -> node.engine.problem() != null);
            assertThat(node.engine.problem()).hasMessageStartingWith("A poll for due durable tasks has not ended");
            assertThat(one).isNotSameAs(another);
        }
        assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
        awaitRan("one");
        await().atMost(PATIENCE).until(() -> node.engine.problem() == null);
    }

    @Test
    void connectionThatIsKeptSetsOffNoLeakDetection() {
        String url = TestDatabase.POSTGRESQL.newUrl();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setLeakDetectionThreshold(2_000);
        try (CapturedLog log = CapturedLog.of("com.zaxxer.hikari.pool.ProxyLeakTask");
                HikariDataSource watched = new HikariDataSource(config)) {
            Node node = node(watched).start();
            JdbcTemplate jdbc = new JdbcTemplate(watched);
            // Each beat is half a second.
            await().atMost(PATIENCE)
                    .until(() -> !jdbc.queryForList(
                                    "select 1 from wheel_durable_task_node where beat > 10", Integer.class)
                            .isEmpty());
            node.close();
            assertThat(log.with("")).isEmpty();
        }
    }

    @Test
    void closingHasOneLimitAndNamesWhatIgnoresIt() {
        DurableSettings usual = Node.settings("a");
        DurableSettings settings = new DurableSettings(
                usual.table(),
                true,
                "a",
                usual.maxConcurrent(),
                usual.claimAhead(),
                usual.maxClaimed(),
                usual.heartbeat(),
                usual.deadAfter(),
                Duration.ofSeconds(5),
                usual.forgetAfter(),
                usual.maxDeaths(),
                null,
                usual.nudge(),
                DurableSettings.UnknownHandlers.WARN);
        AtomicBoolean goesOn = new AtomicBoolean(true);
        try (HikariDataSource h2 = TestDatabase.H2.newDataSource()) {
            Node node = new Node(settings, h2, DurableObserver.NONE).handle("deaf", String.class, payload -> {
                while (goesOn.get()) {
                    boolean ignored = Thread.interrupted();
                    LockSupport.parkNanos(1_000_000);
                }
            });
            node.start();
            assertThat(node.engine.schedule("deaf", "1", "x", Instant.now())).isTrue();
            await().atMost(PATIENCE).until(() -> node.engine.counts().running() == 1);
            long startNanos = System.nanoTime();
            node.engine.stop();
            node.engine.close();
            // Two limits would be ten seconds.
            assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
                    .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(9));
            assertThat(new JdbcTemplate(h2).queryForList("select state from wheel_durable_task", Integer.class))
                    .as("not given back")
                    .containsExactly(RowState.CLAIMED);
            goesOn.set(false);
            node.kill();
        }
    }

    @Test
    void exhaustedPoolDoesNotStopTheHeartbeat() throws Exception {
        HikariDataSource small = pool(TestDatabase.POSTGRESQL.newUrl(), 4, true);
        Node node = node(small);
        node.handle("note", String.class, payload -> {
            try (Connection connection = small.getConnection()) {
                ran.add(String.valueOf(payload));
                assertThat(connection.isValid(1)).isTrue();
                Thread.sleep(3_000);
            }
        });
        node.start();
        await().atMost(PATIENCE).until(() -> small.getHikariPoolMXBean().getActiveConnections() == 1);
        for (int i = 0; i < 6; i++) {
            assertThat(node.engine.schedule("note", "" + i, "p" + i, Instant.now()))
                    .isTrue();
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> node.engine.counts().succeeded() == 6);
        assertThat(ran).hasSize(6);
        assertThat(node.engine.counts().takenOver()).isZero();
        assertThat(node.engine.counts().lost()).isZero();
    }
}
