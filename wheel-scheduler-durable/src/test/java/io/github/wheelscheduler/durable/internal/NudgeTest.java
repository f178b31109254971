package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.durable.testing.CapturedLog;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Nodes tell each other what is due and not started where it was scheduled, over PostgreSQL. */
class NudgeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Looks that come by themselves are a second apart with this. */
    private static final Duration FAR_AHEAD = Duration.ofMinutes(1);

    private static final String LISTENERS =
            "select pid from pg_stat_activity where datname = current_database() and query like 'listen %'";

    private final String url = TestDatabase.POSTGRESQL.newUrl();
    private final HikariDataSource dataSource = TestDatabase.dataSource(url);
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final Map<String, Long> startedNanos = new ConcurrentHashMap<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
        dataSource.close();
    }

    // What is there

    private static DurableSettings settings(String name, String table, int maxConcurrent, boolean nudge) {
        DurableSettings usual = Node.settings(name);
        return new DurableSettings(
                table,
                true,
                name,
                maxConcurrent,
                FAR_AHEAD,
                usual.maxClaimed(),
                usual.heartbeat(),
                usual.deadAfter(),
                usual.closeLimit(),
                usual.forgetAfter(),
                usual.maxDeaths(),
                null,
                nudge,
                DurableSettings.UnknownHandlers.WARN);
    }

    private Node node(String name, DataSource on) {
        return node(settings(name, TaskTable.DEFAULT_NAME, 10, true), on);
    }

    private Node node(DurableSettings settings, DataSource on) {
        Node node = new Node(settings, on, DurableObserver.NONE);
        opened.add(0, node);
        return node;
    }

    private HikariDataSource pool(String to, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(to);
        config.setMaximumPoolSize(size);
        HikariDataSource pool = new HikariDataSource(config);
        opened.add(pool);
        return pool;
    }

    private Node noting(Node node) {
        return node.handle("note", String.class, id -> startedNanos.put(String.valueOf(id), System.nanoTime()));
    }

    private void awaitListeners(int count) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(jdbc.queryForList(LISTENERS)).hasSize(count));
    }

    /** Hears what is told about a table, as a node does. */
    private final class Heard implements AutoCloseable {

        private final Connection connection;
        private final Object driver;
        private final Method notifications;
        private final List<String> texts = new ArrayList<>();

        Heard(String table) throws Exception {
            Class<?> type = Class.forName("org.postgresql.PGConnection");
            connection = dataSource.getConnection();
            driver = connection.unwrap(type);
            notifications = type.getMethod("getNotifications");
            String channel =
                    jdbc.queryForObject("select 'wheel_durable_' || '" + table + "'::regclass::oid", String.class);
            try (Statement statement = connection.createStatement()) {
                boolean ignored = statement.execute("LISTEN " + channel);
            }
            opened.add(0, this);
        }

        /** Returns all that nodes have told so far to look. */
        List<String> texts() {
            try (Statement statement = connection.createStatement()) {
                // The driver takes in what has come with the answer.
                boolean ignored = statement.execute("");
                if (notifications.invoke(driver) instanceof Object[] some) {
                    for (Object one : some) {
                        texts.add(String.valueOf(
                                one.getClass().getMethod("getParameter").invoke(one)));
                    }
                }
                return texts.stream().filter(text -> text.startsWith("look")).toList();
            } catch (ReflectiveOperationException | SQLException ex) {
                throw new IllegalStateException(ex);
            }
        }

        /** Waits until something is told, and forgets it. */
        void awaitOne() {
            await().atMost(PATIENCE).until(() -> !texts().isEmpty());
            awaitQuiet();
            texts.clear();
        }

        /** Waits for as long as a nudge could take. */
        void awaitQuiet() {
            await().pollDelay(Duration.ofMillis(200)).until(() -> true);
            List<String> ignored = texts();
        }

        void awaitNothing() {
            awaitQuiet();
            assertThat(texts()).isEmpty();
        }

        @Override
        public void close() throws SQLException {
            try (connection;
                    Statement statement = connection.createStatement()) {
                boolean ignored = statement.execute("UNLISTEN *");
            }
        }
    }

    private Heard heard() throws Exception {
        return new Heard(TaskTable.DEFAULT_NAME);
    }

    /**
     * Lets something schedule tasks of "note" for now, one after the other at odd times, and returns how late half of
     * them started at most.
     */
    private Duration half(java.util.function.Consumer<String> schedules) {
        int tasks = 15;
        long[] nanos = new long[tasks];
        for (int i = 0; i < tasks; i++) {
            String id = "h" + System.nanoTime();
            await().pollDelay(Duration.ofMillis(37L * (i % 5) + 1)).until(() -> true);
            schedules.accept(id);
            long since = System.nanoTime();
            await().pollInterval(Duration.ofMillis(2)).atMost(PATIENCE).until(() -> startedNanos.containsKey(id));
            nanos[i] = startedNanos.get(id) - since;
        }
        Arrays.sort(nanos);
        return Duration.ofNanos(nanos[tasks / 2]);
    }

    private static void schedule(Node node, String id) {
        assertThat(node.engine.schedule("note", id, id, Instant.now())).isTrue();
    }

    // From a process to another

    @Test
    void taskOfAnotherProcessForNowStartsAtOnce() {
        Node b = noting(node("b", dataSource)).start();
        awaitListeners(1);
        Node neverStarted = node("a", pool(url, 2));
        assertThat(half(id -> schedule(neverStarted, id))).isLessThan(Duration.ofMillis(250));

        Node withoutHandler = node("c", pool(url, 10)).start();
        assertThat(half(id -> schedule(withoutHandler, id))).isLessThan(Duration.ofMillis(250));
        assertThat(b.engine.counts().claimed()).isEqualTo(30);
    }

    @Test
    void programThatIsNoNodeTellsNodesWithTheFunction() {
        Node ignored =
                noting(node(settings("b", "jobs_of", 10, true), dataSource)).start();
        awaitListeners(1);
        assertThat(half(id -> {
                    assertThat(jdbc.update(
                                    "insert into jobs_of (task_name, task_instance, task_data, execution_time)"
                                            + " values ('note', ?, convert_to(?, 'UTF8'), clock_timestamp())",
                                    id,
                                    "\"" + id + "\""))
                            .isEqualTo(1);
                    jdbc.execute("select jobs_of_nudge()");
                }))
                .isLessThan(Duration.ofMillis(250));
    }

    @Test
    void nothingIsToldInTheTransactionAndOnceAfterItsCommit() throws Exception {
        Node a = node("a", dataSource);
        assertThat(a.engine.find("note", "0")).isEmpty();
        Heard heard = heard();
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        transaction.executeWithoutResult(status -> {
            for (int i = 1; i < 100; i++) {
                schedule(a, "in" + i);
            }
            heard.awaitNothing();
        });
        await().atMost(PATIENCE).until(() -> !heard.texts().isEmpty());
        heard.awaitQuiet();
        assertThat(heard.texts()).singleElement().asString().startsWith("look ");
        heard.texts.clear();

        transaction.executeWithoutResult(status -> {
            schedule(a, "back");
            status.setRollbackOnly();
        });
        heard.awaitNothing();
    }

    @Test
    void eachTransactionCountsForItself() throws Exception {
        Node a = node("a", dataSource);
        assertThat(a.engine.find("note", "0")).isEmpty();
        Heard heard = heard();
        DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
        TransactionTemplate inner = new TransactionTemplate(manager);
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        new TransactionTemplate(manager).executeWithoutResult(outer -> {
            schedule(a, "outer");
            inner.executeWithoutResult(status -> schedule(a, "inner"));
            heard.awaitOne();
            outer.setRollbackOnly();
        });
        heard.awaitNothing();
        assertThat(a.engine.find("note", "inner")).isPresent();
        assertThat(a.engine.find("note", "outer")).isEmpty();
    }

    @Test
    void taskDueByTheCommitIsNotified() throws Exception {
        Node a = node("a", dataSource);
        assertThat(a.engine.find("note", "0")).isEmpty();
        Heard heard = heard();
        new TransactionTemplate(new DataSourceTransactionManager(dataSource)).executeWithoutResult(status -> {
            assertThat(a.engine.schedule("note", "1", "1", Instant.now().plusMillis(1_500)))
                    .isTrue();
            await().pollDelay(Duration.ofMillis(1_500)).until(() -> true);
        });
        heard.awaitOne();
    }

    @Test
    void onlyWhatTheNodeDoesNotStartItselfIsTold() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        Node a = noting(node(settings("a", TaskTable.DEFAULT_NAME, 2, true), dataSource))
                .handle("slow", String.class, payload -> goOn.await())
                .start();
        DurableTasks tasks = a.engine;
        Heard heard = heard();
        awaitListeners(1);
        schedule(a, "free");
        await().atMost(PATIENCE).until(() -> startedNanos.containsKey("free"));
        heard.awaitNothing();

        assertThat(tasks.schedule("other", "far", null, Instant.now().plusSeconds(20)))
                .isTrue();
        assertThat(tasks.schedule("other", "far in", null, Duration.ofSeconds(20)))
                .isTrue();
        heard.awaitNothing();
        assertThat(tasks.schedule("other", "now", null, Instant.now())).isTrue();
        heard.awaitOne();
        assertThat(tasks.schedule("other", "now in", null, Duration.ZERO)).isTrue();
        heard.awaitOne();
        assertThat(tasks.reschedule("other", "far", Instant.now())).isTrue();
        heard.awaitOne();
        assertThat(tasks.replace("other", "far in", null, Instant.now())).isEqualTo(DurableTasks.Replacement.REPLACED);
        heard.awaitOne();

        assertThat(tasks.scheduleAll(
                        "note",
                        List.of(
                                new DurableRequest("1", "1", Instant.now()),
                                new DurableRequest("2", "2", Instant.now()),
                                new DurableRequest("3", "3", Instant.now()))))
                .isEqualTo(3);
        heard.awaitOne();
        await().atMost(PATIENCE).until(() -> startedNanos.containsKey("3"));

        assertThat(tasks.scheduleAll(
                        "slow",
                        List.of(
                                new DurableRequest("1", "1", Instant.now()),
                                new DurableRequest("2", "2", Instant.now()))))
                .isEqualTo(2);
        await().atMost(PATIENCE).until(() -> a.engine.counts().running() == 2);
        heard.awaitNothing();
        schedule(a, "no worker is free");
        heard.awaitOne();
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> startedNanos.containsKey("no worker is free"));

        a.engine.drain();
        heard.awaitQuiet();
        heard.texts.clear();
        schedule(a, "drained");
        heard.awaitOne();
    }

    @Test
    void recurringTaskThatTheNodeDoesNotKnowIsTold() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        Node b = node("b", dataSource).start();
        Runnable ignored = b.engine.repeat(
                "tick",
                ScheduleRecurrence.of(
                        io.github.wheelscheduler.spring.task.TaskSchedule.cron("0 0 0 1 1 *", java.time.ZoneOffset.UTC),
                        null),
                false,
                ran::countDown);
        Node a = node("a", dataSource);
        await().atMost(PATIENCE)
                .until(() -> a.engine.recurringTasks().find("tick").isPresent());
        Heard heard = heard();
        assertThat(b.engine.recurringTasks().trigger("tick")).isTrue();
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        heard.awaitNothing();
        await().atMost(PATIENCE).until(() -> a.engine.recurringTasks().trigger("tick"));
        heard.awaitOne();
    }

    @Test
    void releasedRowThatIsDueSoonIsNotified() throws Exception {
        Node a = noting(node("a", dataSource)).start();
        Heard heard = heard();
        assertThat(a.engine.schedule("note", "1", "1", Instant.now().plusMillis(900)))
                .isTrue();
        await().atMost(PATIENCE).until(() -> a.engine.counts().waiting() == 1 || startedNanos.containsKey("1"));
        heard.texts.clear();
        a.engine.stop();
        if (!startedNanos.containsKey("1")) {
            heard.awaitOne();
        }
    }

    @Test
    void rowReleasedByAnInterruptedRunIsNotified() throws Exception {
        DurableSettings usual = settings("a", TaskTable.DEFAULT_NAME, 10, true);
        DurableSettings quick = new DurableSettings(
                usual.table(),
                true,
                "a",
                usual.maxConcurrent(),
                usual.claimAhead(),
                usual.maxClaimed(),
                usual.heartbeat(),
                usual.deadAfter(),
                Duration.ofMillis(200),
                usual.forgetAfter(),
                usual.maxDeaths(),
                null,
                true,
                DurableSettings.UnknownHandlers.WARN);
        Node a = node(quick, dataSource)
                .handle("slow", String.class, payload -> new CountDownLatch(1).await())
                .start();
        assertThat(a.engine.schedule("slow", "1", "1", Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> a.engine.counts().running() == 1);
        Heard heard = heard();
        heard.awaitNothing();
        a.close();
        heard.awaitOne();
        assertThat(jdbc.queryForList("select state from wheel_durable_task", Integer.class))
                .containsExactly(0);
    }

    @Test
    void manyAtATimeAreToldTogether() throws Exception {
        Node a = node("a", dataSource);
        assertThat(a.engine.find("note", "0")).isEmpty();
        Heard heard = heard();
        int tasks = 400;
        ExecutorService users = Executors.newFixedThreadPool(8);
        long startNanos = System.nanoTime();
        for (int i = 0; i < tasks; i++) {
            String id = "m" + i;
            Object ignored = users.submit(() -> schedule(a, id));
        }
        users.shutdown();
        assertThat(users.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        long millis = (System.nanoTime() - startNanos) / 1_000_000;
        heard.awaitQuiet();
        assertThat(heard.texts()).hasSizeBetween(1, (int) Math.min(tasks - 1, millis / 5 + 3));
    }

    @Test
    void nodeThatIsToEndARunIsTold() throws Exception {
        DurableSettings usual = settings("b", TaskTable.DEFAULT_NAME, 10, true);
        DurableSettings slow = new DurableSettings(
                usual.table(),
                true,
                "b",
                10,
                usual.claimAhead(),
                usual.maxClaimed(),
                Duration.ofMinutes(1),
                Duration.ofMinutes(4),
                usual.closeLimit(),
                usual.forgetAfter(),
                usual.maxDeaths(),
                null,
                true,
                DurableSettings.UnknownHandlers.WARN);
        CountDownLatch begun = new CountDownLatch(1);
        Node b = node(slow, dataSource)
                .handle("long", String.class, payload -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                })
                .start();
        awaitListeners(1);
        Node a = node("a", dataSource);
        assertThat(a.engine.schedule("long", "1", "1", Instant.now())).isTrue();
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        // It beats once in a minute.
        assertThat(a.engine.cancel("long", "1", Duration.ofSeconds(20)))
                .isEqualTo(DurableTasks.Cancellation.INTERRUPTED);
        assertThat(b.engine.counts().running()).isZero();
    }

    // What does not hear

    @Test
    void nodeWithoutAFreeWorkerIgnoresIt() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger taken = new AtomicInteger();
        DataSource counting = new DelegatingDataSource(dataSource) {
            @Override
            public Connection getConnection() throws SQLException {
                int ignored = taken.incrementAndGet();
                return super.getConnection();
            }
        };
        Node busy = node(settings("b", TaskTable.DEFAULT_NAME, 1, true), counting)
                .handle("slow", String.class, payload -> goOn.await())
                .start();
        awaitListeners(1);
        assertThat(connectionsOf(20, taken)).as("it looks when it is free").isGreaterThan(15);
        assertThat(busy.engine.schedule("slow", "1", "1", Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> busy.engine.counts().running() == 1);
        assertThat(connectionsOf(20, taken)).isLessThan(15);
        goOn.countDown();
    }

    /** Returns the number of connections that a node takes while that many notifications arrive, for 0.5 s and more. */
    private int connectionsOf(int times, AtomicInteger taken) {
        int before = taken.get();
        for (int i = 0; i < times; i++) {
            jdbc.execute("select wheel_durable_task_nudge()");
            await().pollDelay(Duration.ofMillis(25)).until(() -> true);
        }
        return taken.get() - before;
    }

    @Test
    void listenerIsOffByASetting() throws Exception {
        Node b = noting(node(settings("b", TaskTable.DEFAULT_NAME, 10, false), dataSource))
                .start();
        Heard heard = heard();
        Node a = node(settings("a", TaskTable.DEFAULT_NAME, 10, false), dataSource);
        schedule(a, "1");
        await().atMost(PATIENCE).until(() -> startedNanos.containsKey("1"));
        heard.awaitNothing();
        assertThat(jdbc.queryForList(LISTENERS)).isEmpty();
        assertThat(b.engine.problem()).isNull();
    }

    @Test
    void otherTablesAreNotTold() throws Exception {
        jdbc.execute("create schema one");
        jdbc.execute("create schema two");
        Node one = node("one", pool(url + "&currentSchema=one", 6)).start();
        Node two = node("two", pool(url + "&currentSchema=two", 6)).start();
        Node three = node(settings("three", "one.others", 10, true), dataSource).start();
        Heard ofOne = new Heard("one.wheel_durable_task");
        Heard ofTwo = new Heard("two.wheel_durable_task");
        Heard ofThree = new Heard("one.others");
        schedule(one, "1");
        ofOne.awaitOne();
        schedule(three, "1");
        ofThree.awaitOne();
        jdbc.execute("select one.others_nudge()");
        ofThree.awaitOne();
        assertThat(ofOne.texts()).isEmpty();
        assertThat(ofTwo.texts()).isEmpty();
        // By any name.
        Node same = node(settings("same", "two.wheel_durable_task", 10, true), dataSource);
        schedule(same, "1");
        ofTwo.awaitOne();
        assertThat(two.engine.problem()).isNull();
    }

    // The connection

    @Test
    void nothingIsSentWhileNothingIsTold() {
        Node ignored = node("b", dataSource).start();
        awaitListeners(1);
        String last = "select query_start::text || state from pg_stat_activity where query like 'listen %'";
        String before = jdbc.queryForObject(last, String.class);
        await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
        assertThat(jdbc.queryForObject(last, String.class)).isEqualTo(before).endsWith("idle");
        jdbc.execute("select wheel_durable_task_nudge()");
        assertThat(jdbc.queryForObject(last, String.class)).isEqualTo(before);
    }

    @Test
    void listenerListensAgainWhenTheDatabaseIsBack() {
        Node a = node("a", dataSource);
        Node b = noting(node("b", pool(url + "&socketTimeout=1", 10))).start();
        awaitListeners(1);
        // The time limit of the driver for an answer does not end it.
        await().pollDelay(Duration.ofMillis(2_500)).until(() -> true);
        Integer first = jdbc.queryForObject(LISTENERS, Integer.class);
        assertThat(half(id -> schedule(a, id))).isLessThan(Duration.ofMillis(250));
        assertThat(jdbc.queryForObject(LISTENERS, Integer.class)).isEqualTo(first);

        jdbc.execute("select pg_terminate_backend(" + first + ")");
        await().atMost(PATIENCE)
                .until(() ->
                        jdbc.queryForList(LISTENERS, Integer.class).stream().anyMatch(pid -> !pid.equals(first)));
        assertThat(half(id -> schedule(a, id))).isLessThan(Duration.ofMillis(250));
        assertThat(b.engine.problem()).isNull();
    }

    @Test
    void listenerEndsWithTheNode() throws Exception {
        HikariDataSource own = pool(url, 10);
        Node b = node("b", own).start();
        awaitListeners(1);
        assertThat(ears()).isEqualTo(1);
        try (CapturedLog said = CapturedLog.of("com.zaxxer.hikari.pool.ProxyConnection");
                CapturedLog ofNode = CapturedLog.of("io.github.wheelscheduler.durable")) {
            b.close();
            assertThat(ofNode.with("could not be written")).isEmpty();
            await().atMost(PATIENCE).until(() -> ears() == 0);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(own.getHikariPoolMXBean().getActiveConnections())
                            .isZero());
            assertThat(said.with(""))
                    .as("it gives the connection back as it was")
                    .isEmpty();
        }
        awaitListeners(0);
        assertThat(jdbc.queryForList("select 1 from pg_stat_activity where query = 'unlisten *'"))
                .isNotEmpty();
    }

    private static long ears() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("wheel-durable-listener"))
                .count();
    }

    @Test
    void listenerListensOnlyWhereThePoolHasRoom() throws Exception {
        try (CapturedLog said = CapturedLog.of("io.github.wheelscheduler.durable")) {
            Node b = noting(node("b", pool(url, 4))).start();
            Heard heard = heard();
            schedule(node("a", dataSource), "1");
            heard.awaitOne();
            await().atMost(PATIENCE).until(() -> startedNanos.containsKey("1"));
            assertThat(jdbc.queryForList(LISTENERS)).isEmpty();
            assertThat(said.with("needs 5 connections, and the pool has 4")).hasSize(1);
            // It tells others all the same.
            assertThat(b.engine.schedule("other", "1", null, Instant.now())).isTrue();
            heard.awaitOne();
        }
    }

    @Test
    void poolMissesNothing() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(10);
        config.setLeakDetectionThreshold(2_000);
        try (CapturedLog said = CapturedLog.of("com.zaxxer.hikari.pool.ProxyLeakTask");
                HikariDataSource watched = new HikariDataSource(config);
                Node b = new Node(settings("b", TaskTable.DEFAULT_NAME, 10, true), watched, DurableObserver.NONE)) {
            b.start();
            awaitListeners(1);
            for (int i = 0; i < 60; i++) {
                assertThat(b.engine.schedule("other", "" + i, null, Instant.now()))
                        .isTrue();
                await().pollDelay(Duration.ofMillis(100)).until(() -> true);
            }
            assertThat(said.with("")).isEmpty();
            awaitListeners(1);
        }
    }

    @Test
    void looksGoOnBehindAPoolerThatHasOneConnectionForMany() throws Exception {
        HikariDataSource own = pool(url, 10);
        try (CapturedLog said = CapturedLog.of("io.github.wheelscheduler.durable");
                Connection another = dataSource.getConnection()) {
            Node b = noting(node("b", new OtherListener(own, another))).start();
            await().atMost(PATIENCE)
                    .until(() -> !said.with("as behind PgBouncer").isEmpty());
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(own.getHikariPoolMXBean().getActiveConnections())
                            .isLessThanOrEqualTo(2));
            schedule(node("a", dataSource), "1");
            await().atMost(PATIENCE).until(() -> startedNanos.containsKey("1"));
            assertThat(said.with("as behind PgBouncer")).hasSize(1);
            assertThat(b.engine.problem()).isNull();
        }
    }

    /** Sends LISTEN over another connection, as a pooler does that takes one for each transaction. */
    private static final class OtherListener extends DelegatingDataSource {

        private final Connection another;

        OtherListener(DataSource target, Connection another) {
            super(target);
            this.another = another;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> {
                        try {
                            return method.getName().equals("createStatement") && isEar()
                                    ? another.createStatement()
                                    : method.invoke(connection, arguments);
                        } catch (java.lang.reflect.InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    });
        }

        private static boolean isEar() {
            return Thread.currentThread().getName().equals("wheel-durable-listener");
        }
    }

    @Test
    void heartbeatsAndCallersDoNotWaitForIt() throws Exception {
        HikariDataSource own = pool(url, 6);
        Node a = node("a", own).start();
        awaitListeners(1);
        Heard heard = heard();
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(own));
        List<Connection> held = new ArrayList<>();
        transaction.executeWithoutResult(status -> {
            assertThat(a.engine.schedule("other", "1", null, Instant.now())).isTrue();
            try {
                while (own.getHikariPoolMXBean().getActiveConnections() < 6) {
                    held.add(own.getConnection());
                }
            } catch (SQLException ex) {
                throw new IllegalStateException(ex);
            }
        });
        String beat = "select beat from wheel_durable_task_node where name = 'a'";
        long before = jdbc.queryForObject(beat, Long.class);
        await().atMost(PATIENCE).until(() -> jdbc.queryForObject(beat, Long.class) > before + 3);
        for (Connection connection : held) {
            connection.close();
        }
        heard.awaitOne();
    }

    @Test
    void fewConnectionsBesideTransactionalHandlersAreTold() throws Exception {
        try (CapturedLog said = CapturedLog.of("io.github.wheelscheduler.durable")) {
            Node plain = noting(node("a", pool(url, 5))).start();
            assertThat(said.with("The pool must have")).isEmpty();
            Node ignored = transactional("b", 10).start();
            ignored = transactional("c", 6).start();
            ignored = transactional("d", 4).start();
            assertThat(said.with("The pool must have")).isEmpty();
            ignored = transactional("e", 5).start();
            assertThat(said.with("The pool must have at least 6 connections")).hasSize(1);
            ignored = transactional("f", 3).start();
            assertThat(said.with("The pool must have at least 4 connections")).hasSize(1);
            assertThat(plain.engine.problem()).isNull();
        }
    }

    private Node transactional(String name, int connections) {
        HikariDataSource own = pool(url, connections);
        Node node = node(name, own);
        node.engine.handle(
                "in it",
                String.class,
                RetryPolicy.DEFAULT,
                1,
                null,
                new DataSourceTransactionManager(own),
                (payload, run) -> {});
        return node;
    }
}
