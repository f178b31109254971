package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableBody;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableTasks.Cancellation;
import io.github.wheelscheduler.durable.RetryPolicy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** A task is cancelled that a node has. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource(TestDatabase.class)
class CancelTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String TABLE = TaskTable.DEFAULT_NAME;

    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;
    private final Node node;
    private final Node caller;
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger interrupted = new AtomicInteger();
    private final AtomicBoolean isToldToEnd = new AtomicBoolean();
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();

    CancelTest(TestDatabase database) {
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
        node = new Node("a", dataSource)
                .handle("note", String.class, ran::add)
                .handle("wait", String.class, payload -> {
                    started.incrementAndGet();
                    try {
                        goOn.await();
                    } catch (InterruptedException ex) {
                        interrupted.incrementAndGet();
                        throw ex;
                    }
                });
        node.engine.handle("deaf", String.class, RetryPolicy.DEFAULT, Integer.MAX_VALUE, null, (DurableBody<String>)
                (payload, run) -> {
                    started.incrementAndGet();
                    while (goOn.getCount() > 0) {
                        LockSupport.parkNanos(1_000_000);
                        isToldToEnd.compareAndSet(false, run.isCancelled());
                        boolean ignored = Thread.interrupted();
                    }
                });
        caller = new Node("b", dataSource);
    }

    @AfterEach
    void close() {
        goOn.countDown();
        node.close();
        caller.close();
        dataSource.close();
    }

    private void schedule(String handler, Duration in) {
        assertThat(caller.engine.schedule(handler, "1", "one", in)).isTrue();
    }

    private void startRun(String handler) {
        node.start();
        schedule(handler, Duration.ZERO);
        await().until(() -> started.get() == 1);
    }

    private Cancellation cancel(String handler) {
        return caller.engine.cancel(handler, "1", LIMIT);
    }

    private boolean isGone(String handler) {
        return jdbc.queryForObject("select count(*) from " + TABLE + " where task_name = ?", Long.class, handler) == 0;
    }

    @Test
    void runIsInterruptedByItsNodeAndItsTaskIsGone() {
        startRun("wait");
        assertThat(caller.engine.cancel("wait", "1")).isFalse();
        assertThat(cancel("wait")).isEqualTo(Cancellation.INTERRUPTED);
        assertThat(interrupted).hasValue(1);
        assertThat(isGone("wait")).isTrue();
        assertThat(node.engine.counts().failed()).as("cancelled is not failed").isZero();
        assertThat(cancel("wait")).isEqualTo(Cancellation.ABSENT);
        // Nothing of it is left: the id is free.
        schedule("note", Duration.ZERO);
        await().until(() -> ran.contains("one"));
    }

    @Test
    void taskThatANodeHasClaimedDoesNotStart() {
        node.start();
        schedule("note", Duration.ofMillis(900));
        await().until(() -> node.engine.counts().waiting() == 1 || !ran.isEmpty());
        Cancellation answer = cancel("note");
        // The machine may have stood still until it ran.
        assertThat(answer).isIn(Cancellation.CANCELLED, Cancellation.ABSENT, Cancellation.INTERRUPTED);
        if (answer == Cancellation.CANCELLED) {
            assertThat(ran).isEmpty();
        }
        assertThat(isGone("note")).isTrue();
    }

    @Test
    void taskThatWaitsBehindOthersIsCancelledBeforeItStarts() {
        node.start();
        await().until(() ->
                jdbc.queryForObject("select count(*) from " + TABLE + "_node where name = 'a'", Long.class) == 1);
        long owner = jdbc.queryForObject("select incarnation from " + TABLE + "_node where name = 'a'", Long.class);
        schedule("unknown", Duration.ZERO);
        assertThat(jdbc.update("update " + TABLE + " set state = 1, owner = ?", owner))
                .isEqualTo(1);
        // The node does not know of it, and gives it back: then it is ended.
        assertThat(cancel("unknown")).isEqualTo(Cancellation.CANCELLED);
        assertThat(isGone("unknown")).isTrue();
    }

    @Test
    void taskThatNoNodeHasIsCancelledAtOnce() {
        schedule("note", Duration.ofDays(1));
        assertThat(caller.engine.cancel("note", "1", Duration.ZERO)).isEqualTo(Cancellation.CANCELLED);
        assertThat(isGone("note")).isTrue();
    }

    @Test
    void runThatIgnoresItsInterruptIsGoneWhenItEnds() {
        startRun("deaf");
        assertThat(caller.engine.cancel("deaf", "1", Duration.ofMillis(100))).isEqualTo(Cancellation.RUNNING);
        await().until(isToldToEnd::get);
        goOn.countDown();
        await().until(() -> caller.engine.find("deaf", "1").isEmpty());
        assertThat(cancel("deaf")).isIn(Cancellation.CANCELLED, Cancellation.ABSENT);
        assertThat(isGone("deaf")).isTrue();
    }

    @Test
    void idWhoseRunWasCancelledIsFreeAtOnce() {
        startRun("deaf");
        assertThat(caller.engine.cancel("deaf", "1", Duration.ZERO)).isEqualTo(Cancellation.RUNNING);
        await().until(isToldToEnd::get);
        goOn.countDown();
        await().until(() -> caller.engine.find("deaf", "1").isEmpty());
        assertThat(caller.engine.cancel("deaf", "1")).as("gone").isFalse();
        assertThat(caller.engine.schedule("deaf", "1", "again", Duration.ZERO)).isTrue();
        await().until(() -> started.get() == 2);
        await().until(() -> isGone("deaf"));
        jdbc.update("insert into " + TABLE
                + " (task_name, task_instance, execution_time, state, asked_to_end) values ('deaf', '2', "
                + "current_timestamp, 5, true)");
        assertThat(caller.engine.scheduleAll(
                        "deaf",
                        List.of(
                                new DurableRequest("2", "x", Instant.now()),
                                new DurableRequest("3", "x", Instant.now()))))
                .isEqualTo(2);
    }

    @Test
    void runIsInterruptedOnceHoweverOftenOthersAreCancelled() {
        startRun("wait");
        AtomicInteger again = new AtomicInteger();
        node.engine.handle("clean", String.class, RetryPolicy.DEFAULT, Integer.MAX_VALUE, null, (DurableBody<String>)
                (payload, run) -> {
                    started.incrementAndGet();
                    try {
                        goOn.await();
                    } catch (InterruptedException ex) {
                        interrupted.incrementAndGet();
                        try {
                            goOn.await();
                        } catch (InterruptedException unwanted) {
                            again.incrementAndGet();
                        }
                    }
                });
        assertThat(caller.engine.schedule("clean", "1", null, Duration.ZERO)).isTrue();
        await().until(() -> started.get() == 2);
        assertThat(caller.engine.cancel("clean", "1", Duration.ofMillis(10))).isEqualTo(Cancellation.RUNNING);
        await().until(() -> interrupted.get() == 1);
        assertThat(cancel("wait")).isEqualTo(Cancellation.INTERRUPTED);
        assertThat(again).hasValue(0);
    }

    @Test
    void runIsInterruptedThoughItsNodeCouldNotAskAtFirst() {
        startRun("wait");
        // As if the node had looked before the row was in hand, and nobody told it again.
        assertThat(jdbc.update("update " + TABLE + " set asked_to_end = true where task_name = 'wait'"))
                .isEqualTo(1);
        schedule("unknown", Duration.ZERO);
        long owner = jdbc.queryForObject("select incarnation from " + TABLE + "_node where name = 'a'", Long.class);
        assertThat(jdbc.update(
                        "update " + TABLE + " set state = 1, owner = ?, version = 99, asked_to_end = true"
                                + " where task_name = 'unknown'",
                        owner))
                .isEqualTo(1);
        assertThat(jdbc.update("update " + TABLE + "_node set asked = asked + 1 where name = 'a'"))
                .isEqualTo(1);
        await().until(() -> interrupted.get() == 1);
    }

    @Test
    void lockedRowDoesNotHoldUpTheAnswer() throws Exception {
        startRun("wait");
        try (java.sql.Connection user = dataSource.getConnection();
                java.sql.Statement statement = user.createStatement()) {
            user.setAutoCommit(false);
            assertThat(statement.execute(
                            "select 1 from " + TABLE + " where task_name = 'wait' and task_instance = '1' for update"))
                    .isTrue();
            assertThat(caller.engine.cancel("wait", "1", Duration.ofMillis(200)))
                    .isEqualTo(Cancellation.RUNNING);
            user.rollback();
        }
        assertThat(cancel("wait")).isEqualTo(Cancellation.INTERRUPTED);
    }

    @Test
    void lockedRowThatNoNodeHasDoesNotHoldUpTheAnswer() throws Exception {
        schedule("note", Duration.ofDays(1));
        ExecutorService canceller = Executors.newSingleThreadExecutor();
        try (Connection user = dataSource.getConnection();
                java.sql.Statement statement = user.createStatement()) {
            user.setAutoCommit(false);
            assertThat(statement.execute(
                            "select 1 from " + TABLE + " where task_name = 'note' and task_instance = '1' for update"))
                    .isTrue();
            Future<Cancellation> answer =
                    canceller.submit(() -> caller.engine.cancel("note", "1", Duration.ofMillis(200)));
            // Without an answer, it would be that of the database, which has waited for the lock.
            assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo(Cancellation.RUNNING);
            user.rollback();
        }
        canceller.shutdown();
        assertThat(caller.engine.cancel("note", "1", Duration.ZERO)).isEqualTo(Cancellation.CANCELLED);
    }

    /** Stands still after each statement that has a text, until it is to go on. */
    private static final class Standing extends DelegatingDataSource {

        private final String text;
        private final CountDownLatch stands = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);

        Standing(DataSource target, String text) {
            super(target);
            this.text = text;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return proxy(Connection.class, super.getConnection(), "");
        }

        private <T> T proxy(Class<T> type, Object target, String sql) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        try {
                            Object result = method.invoke(target, arguments);
                            if (result instanceof PreparedStatement statement) {
                                return proxy(PreparedStatement.class, statement, String.valueOf(arguments[0]));
                            }
                            if (sql.contains(text) && method.getName().startsWith("execute")) {
                                stands.countDown();
                                goesOn.await();
                            }
                            return result;
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    }));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"set asked_to_end = true", "set asked = asked + 1"})
    void aProcessThatStandsStillWhileItAsksKeepsNoNodeFromBeating(String after) throws Exception {
        startRun("wait");
        Standing standing = new Standing(dataSource, after);
        try (Node still = new Node("still", standing)) {
            ExecutorService user = Executors.newSingleThreadExecutor();
            Future<Cancellation> answer = user.submit(() -> still.engine.cancel("wait", "1", LIMIT));
            assertThat(standing.stands.await(30, TimeUnit.SECONDS)).isTrue();
            String beat = "select beat from " + TABLE + "_node where name = 'a'";
            long before = jdbc.queryForObject(beat, Long.class);
            await().atMost(LIMIT).until(() -> jdbc.queryForObject(beat, Long.class) > before + 3);
            standing.goesOn.countDown();
            assertThat(answer.get()).isEqualTo(Cancellation.INTERRUPTED);
            user.shutdown();
        } finally {
            standing.goesOn.countDown();
        }
        assertThat(node.engine.problem()).isNull();
    }

    @Test
    void taskThatIsRetriedAfterItWasAskedToEndRuns() {
        node.start();
        schedule("note", Duration.ofDays(1));
        assertThat(jdbc.update("update " + TABLE + " set state = 2, asked_to_end = true"))
                .isEqualTo(1);
        assertThat(caller.engine.retry("note", "1")).isTrue();
        await().until(() -> ran.contains("one"));
    }

    @Test
    void transactionsThatScheduleTheSameIdDoNotDieOfIt() throws Exception {
        schedule("note", Duration.ofDays(1));
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        ExecutorService users = Executors.newFixedThreadPool(2);
        List<Callable<Boolean>> calls = Collections.nCopies(
                40,
                () -> transaction.execute(status -> caller.engine.schedule("note", "1", "again", Duration.ofDays(1))));
        for (Future<Boolean> call : users.invokeAll(calls)) {
            assertThat(call.get()).isFalse();
        }
        users.shutdown();
    }

    @Test
    void nodeThatIsNotHeardOfIsSaidToBe() {
        schedule("note", Duration.ZERO);
        assertThat(jdbc.update("update " + TABLE + " set state = 1, owner = 7")).isEqualTo(1);
        assertThat(caller.engine.cancel("note", "1", Duration.ZERO)).isEqualTo(Cancellation.UNHEARD);
        assertThat(jdbc.update("insert into " + TABLE
                        + "_node (incarnation, name, state, beat, beat_at) values (7, 'dead', 0, 1, "
                        + "current_timestamp)"))
                .isEqualTo(1);
        // It is found dead, and what it had is gone instead of running elsewhere.
        node.start();
        await().atMost(LIMIT).until(() -> caller.engine.find("note", "1").isEmpty());
        assertThat(cancel("note")).isIn(Cancellation.CANCELLED, Cancellation.ABSENT);
        assertThat(ran).isEmpty();
    }

    @Test
    void taskIsNotCancelledTwiceNorInTransactions() {
        assertThat(cancel("note")).isEqualTo(Cancellation.ABSENT);
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        assertThatThrownBy(() -> transaction.execute(status -> cancel("note")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("within no transaction");
        assertThatThrownBy(() -> caller.engine.cancel("note", "1", Duration.ofHours(2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit must be 0 to 1 hour, was PT2H");
    }

    @Test
    void failedTaskIsKeptForAsLongAsIsSaid() {
        TaskTable tasks = new Database(dataSource, Node.settings("x")).tables().tasks();
        for (String id : new String[] {"old", "new"}) {
            assertThat(tasks.insert("note", id, "\"\"".getBytes(StandardCharsets.UTF_8), Instant.now()))
                    .isTrue();
        }
        Dialect dialect = Dialect.of(jdbc.execute((org.springframework.jdbc.core.ConnectionCallback<String>)
                connection -> connection.getMetaData().getDatabaseProductName()));
        Instant now = tasks.now();
        for (String[] each : new String[][] {{"old", "61"}, {"new", "59"}}) {
            assertThat(jdbc.update(
                            "update " + TABLE + " set state = 2, last_failure = ? where task_instance = ?",
                            dialect.time(now.minusSeconds(Long.parseLong(each[1]) * 60)),
                            each[0]))
                    .isEqualTo(1);
        }
        assertThat(tasks.deleteFailed(Duration.ofHours(1), 1_000)).isEqualTo(1);
        assertThat(caller.engine.find("note", "old")).isEmpty();
        assertThat(caller.engine.find("note", "new")).isPresent();
    }
}
