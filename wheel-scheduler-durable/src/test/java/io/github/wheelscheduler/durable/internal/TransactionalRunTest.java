package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableBody;
import io.github.wheelscheduler.durable.DurableCounts;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.LostAnswers.OtherManagers;
import io.github.wheelscheduler.durable.internal.LostAnswers.Step;
import io.github.wheelscheduler.durable.internal.row.RowState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A run and the end of its task are one transaction: neither is there without the other, also where something fails
 * between them.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class TransactionalRunTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final RetryPolicy RETRIES = new RetryPolicy(2, Duration.ofMillis(50), Duration.ofMillis(100));

    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final AtomicInteger runs = new AtomicInteger();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
    }

    private HikariDataSource pool(TestDatabase database) {
        HikariDataSource pool = database.newDataSource();
        toClose.add(pool);
        new JdbcTemplate(pool).execute("create table ledger (entry varchar(50))");
        return pool;
    }

    private Node node(String name, DataSource dataSource) {
        return node(Node.settings(name), dataSource);
    }

    private Node node(DurableSettings settings, DataSource dataSource) {
        Node node = new Node(settings, dataSource, DurableObserver.NONE);
        toClose.add(0, node);
        return node;
    }

    private static void handle(Node node, PlatformTransactionManager manager, DurableBody<String> body) {
        node.engine.handle("pay", String.class, RETRIES, 10, null, manager, body);
    }

    private static void schedule(Node node, String id) {
        assertThat(node.engine.schedule("pay", id, id, Instant.now())).isTrue();
    }

    private static void enter(DataSource dataSource, @Nullable String entry) {
        assertThat(new JdbcTemplate(dataSource).update("insert into ledger (entry) values (?)", entry))
                .isEqualTo(1);
    }

    private static List<String> entries(DataSource dataSource) {
        return new JdbcTemplate(dataSource).queryForList("select entry from ledger order by entry", String.class);
    }

    private static void awaitNoRow(Node node) {
        await().atMost(PATIENCE)
                .until(() -> node.engine.list("pay", null, null, 1).isEmpty());
    }

    private static DurableTask awaitFailed(Node node, String id) {
        return await().atMost(PATIENCE)
                .until(
                        () -> node.engine.find("pay", id),
                        found -> found.filter(task -> task.state() == DurableTask.State.FAILED)
                                .isPresent())
                .orElseThrow();
    }

    // One transaction

    @ParameterizedTest
    @EnumSource
    void neitherIsThereWithoutTheOther(TestDatabase database) {
        HikariDataSource pool = pool(database);
        Node node = node("a", pool);
        handle(node, new DataSourceTransactionManager(pool), (payload, run) -> {
            enter(pool, payload);
            Thread.sleep(500);
        });
        schedule(node, "1");
        node.start();
        List<String> seen = new ArrayList<>();
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> {
            seen.add(jdbc.queryForObject(
                    "select concat((select count(*) from wheel_durable_task), ' left, ', (select count(*) from "
                            + "ledger), ' entered')",
                    String.class));
            return seen.get(seen.size() - 1).startsWith("0");
        });
        assertThat(seen).containsOnly("1 left, 0 entered", "0 left, 1 entered");
        assertThat(seen).hasSizeGreaterThan(10);
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 1);
    }

    @ParameterizedTest
    @EnumSource
    void runAndEndAreOneTransactionWithTheManagersDefaults(TestDatabase database) {
        HikariDataSource pool = pool(database);
        LostAnswers lossy = new LostAnswers(pool);
        Node node = node("a", lossy);
        handle(node, lossy.newManager(), (payload, run) -> enter(lossy, payload));
        schedule(node, "1");
        node.start();
        awaitNoRow(node);
        assertThat(lossy.inRuns)
                .containsExactly("setAutoCommit", "insert into ledger", "delete from", "commit", "setAutoCommit");
    }

    @ParameterizedTest
    @EnumSource
    void failureRollsBackAndIsWrittenByItself(TestDatabase database) {
        HikariDataSource pool = pool(database);
        Node node = node("a", pool);
        handle(node, new JdbcTransactionManager(pool), (payload, run) -> {
            enter(pool, payload + " " + runs.incrementAndGet());
            assertThat(node.engine.schedule("other", "1", null, Instant.now())).isTrue();
            if (!"good".equals(payload) || runs.get() == 1) {
                throw new IllegalStateException("on purpose");
            }
        });
        schedule(node, "good");
        node.start();
        awaitNoRow(node);
        assertThat(entries(pool)).containsExactly("good 2");
        // They are counted after the commit.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(node.engine.counts())
                        .extracting(DurableCounts::failed, DurableCounts::succeeded)
                        .containsExactly(1L, 1L));
        assertThat(node.engine.cancel("other", "1")).as("of the second run").isTrue();

        schedule(node, "bad");
        DurableTask failed = awaitFailed(node, "bad");
        assertThat(failed.failures()).isEqualTo(3);
        assertThat(failed.failure()).contains("on purpose");
        assertThat(entries(pool)).containsExactly("good 2");
        assertThat(node.engine.find("other", "1")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void transactionThatIsMarkedForRollbackIsAFailure(TestDatabase database) {
        HikariDataSource pool = pool(database);
        DataSourceTransactionManager manager = new DataSourceTransactionManager(pool);
        Node node = node("a", pool);
        handle(
                node,
                manager,
                (payload, run) -> new TransactionTemplate(manager).executeWithoutResult(inner -> {
                    enter(pool, payload);
                    inner.setRollbackOnly();
                }));
        schedule(node, "1");
        node.start();
        assertThat(awaitFailed(node, "1").failure()).contains("The run has marked its transaction for rollback");
        assertThat(entries(pool)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void transactionOfTheBodysOwnIsOutside(TestDatabase database) {
        HikariDataSource pool = pool(database);
        DataSourceTransactionManager manager = new DataSourceTransactionManager(pool);
        TransactionTemplate another = new TransactionTemplate(manager);
        another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        Node node = node("a", pool);
        node.engine.handle(
                "pay",
                String.class,
                new RetryPolicy(0, Duration.ofMillis(1), Duration.ofMillis(1)),
                10,
                null,
                manager,
                (payload, run) -> {
                    enter(pool, "inside");
                    another.executeWithoutResult(status -> enter(pool, "outside"));
                    throw new IllegalStateException("on purpose");
                });
        schedule(node, "1");
        node.start();
        assertThat(awaitFailed(node, "1").failure()).contains("on purpose");
        assertThat(entries(pool)).containsExactly("outside");
    }

    // Its own id

    @ParameterizedTest
    @EnumSource
    void runThatReschedulesItselfRunsAgainAfterTheCommit(TestDatabase database) {
        HikariDataSource pool = pool(database);
        Node node = node("a", pool);
        handle(node, new JdbcTransactionManager(pool), (payload, run) -> {
            enter(pool, payload + " " + run.attempt());
            if ("1".equals(payload)) {
                assertThat(node.engine.schedule("pay", "1", "next", Instant.now()))
                        .isTrue();
                if (runs.incrementAndGet() == 1) {
                    throw new IllegalStateException("on purpose");
                }
            }
        });
        schedule(node, "1");
        node.start();
        awaitNoRow(node);
        assertThat(entries(pool)).containsExactly("1 2", "next 1");
        assertThat(node.engine.counts().lost()).isZero();
    }

    // Lost answers

    static Stream<Arguments> databasesAndSteps() {
        return Stream.of(TestDatabase.values())
                .flatMap(database -> Stream.of(Step.values()).map(step -> Arguments.of(database, step)));
    }

    @ParameterizedTest
    @MethodSource("databasesAndSteps")
    void lostAnswerMakesNoRunCountTwiceOrNotAtAll(TestDatabase database, Step step) {
        HikariDataSource pool = pool(database);
        LostAnswers lossy = new LostAnswers(pool);
        Node node = node("a", lossy);
        handle(node, lossy.newManager(), (payload, run) -> {
            runs.incrementAndGet();
            enter(lossy, payload);
        });
        node.start();
        lossy.loseNext(step);
        schedule(node, "1");
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 1);
        awaitNoRow(node);
        assertThat(entries(pool)).containsExactly("1");
        // What could not begin has not run: that is no failure of its.
        boolean isRunOnce = step == Step.BEGIN || step.isCommitted();
        assertThat(runs.get()).isEqualTo(isRunOnce ? 1 : 2);
        assertThat(node.engine.counts())
                .extracting(DurableCounts::failed, DurableCounts::succeeded, DurableCounts::lost)
                .containsExactly(isRunOnce ? 0L : 1L, 1L, 0L);
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsSaidOfARunWhileItsTransactionMayBeGoingOn(TestDatabase database) {
        HikariDataSource pool = pool(database);
        LostAnswers lossy = new LostAnswers(pool);
        CountDownLatch goesOn = new CountDownLatch(1);
        lossy.lateUntil(goesOn);
        Queue<Boolean> told = new ConcurrentLinkedQueue<>();
        Node node = new Node(Node.settings("a"), lossy, new DurableObserver() {
            @Override
            public void ended(String handler, Duration length, boolean succeeded) {
                told.add(succeeded);
            }
        });
        toClose.add(0, node);
        handle(node, lossy.newManager(), (payload, run) -> enter(lossy, payload));
        node.start();
        lossy.loseNext(Step.COMMIT_LATE);
        schedule(node, "1");
        await().atMost(PATIENCE).until(() -> lossy.isLost());
        // It is asked for several times meanwhile.
        await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
        assertThat(told).isEmpty();
        assertThat(node.engine.counts())
                .extracting(DurableCounts::failed, DurableCounts::succeeded, DurableCounts::lost)
                .containsExactly(0L, 0L, 0L);
        assertThat(node.engine.problem()).isNull();
        goesOn.countDown();
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 1);
        assertThat(told).containsExactly(true);
        assertThat(entries(pool)).containsExactly("1");
    }

    @ParameterizedTest
    @EnumSource
    void rowThatWaitsAgainShowsTheCommit(TestDatabase database) {
        HikariDataSource pool = pool(database);
        LostAnswers lossy = new LostAnswers(pool);
        Node node = node("a", lossy);
        handle(node, lossy.newManager(), (payload, run) -> {
            enter(lossy, payload);
            if ("1".equals(payload)) {
                assertThat(node.engine.schedule("pay", "1", "next", Instant.now()))
                        .isTrue();
            }
        });
        node.start();
        lossy.loseNext(Step.COMMIT_UNANSWERED);
        schedule(node, "1");
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 2);
        assertThat(entries(pool)).containsExactly("1", "next");
        assertThat(node.engine.counts())
                .extracting(DurableCounts::failed, DurableCounts::lost)
                .containsExactly(0L, 0L);
    }

    @Test
    void unansweredCommitOfANodeThatWasFoundDeadIsLost() {
        HikariDataSource pool = pool(TestDatabase.POSTGRESQL);
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        LostAnswers lossy = new LostAnswers(pool);
        Node node = node("a", lossy);
        handle(node, lossy.newManager(), (payload, run) -> {
            enter(lossy, payload);
            // Its own row is locked by the end, so that it is not taken over.
            assertThat(jdbc.update("update wheel_durable_task_node set state = 2 where name = 'a'"))
                    .isEqualTo(1);
        });
        node.start();
        lossy.loseNext(Step.COMMIT_UNANSWERED);
        schedule(node, "1");
        await().atMost(PATIENCE).until(() -> node.engine.counts().lost() == 1);
        assertThat(node.engine.counts().succeeded()).isZero();
        assertThat(node.engine.counts().failed()).isZero();
    }

    // Other nodes

    @ParameterizedTest
    @EnumSource
    void runWhoseRowWasTakenOverIsRolledBack(TestDatabase database) {
        HikariDataSource pool = pool(database);
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        Node node = node("a", pool);
        TransactionTemplate another = new TransactionTemplate(new DataSourceTransactionManager(pool));
        another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        handle(node, new JdbcTransactionManager(pool), (payload, run) -> {
            enter(pool, payload + " " + runs.incrementAndGet());
            if (runs.get() == 1) {
                another.executeWithoutResult(status -> assertThat(jdbc.update("update wheel_durable_task set state = "
                                + RowState.WAITING + ", owner = null, version = version + 1"))
                        .isEqualTo(1));
            }
        });
        schedule(node, "1");
        node.start();
        awaitNoRow(node);
        assertThat(entries(pool)).containsExactly("1 2");
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 1);
        assertThat(node.engine.counts())
                .extracting(DurableCounts::failed, DurableCounts::lost)
                .containsExactly(0L, 1L);
    }

    /** Waits before it commits for as long as it is told to. */
    @SuppressWarnings("serial")
    private static final class SlowCommit extends DataSourceTransactionManager {

        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);

        SlowCommit(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            begun.countDown();
            boolean isInterrupted = false;
            while (goesOn.getCount() > 0) {
                try {
                    goesOn.await();
                } catch (InterruptedException ex) {
                    isInterrupted = true;
                }
            }
            super.doCommit(status);
            assertThat(isInterrupted).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void aTakeOverDoesNotWaitForARunThatIsBeingCommitted(TestDatabase database) {
        HikariDataSource pool = pool(database);
        Node other = node("other", pool).start();
        Node dying = new Node(Node.settings("dying"), pool, DurableObserver.NONE);
        SlowCommit manager = new SlowCommit(pool);
        handle(dying, manager, (payload, run) -> enter(pool, payload));
        CountDownLatch never = new CountDownLatch(1);
        dying.handle("other", String.class, payload -> never.await());
        dying.start();
        schedule(dying, "1");
        await().atMost(PATIENCE).until(() -> manager.begun.getCount() == 0);
        assertThat(dying.engine.schedule("other", "2", "2", Instant.now().plusMillis(700)))
                .isTrue();
        await().atMost(PATIENCE).until(() -> dying.engine.counts().claimed() == 2);
        dying.kill();

        Queue<String> taken = new ConcurrentLinkedQueue<>();
        other.handle("other", String.class, taken::add);
        handle(other, new DataSourceTransactionManager(pool), (payload, run) -> taken.add("twice"));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(taken).containsExactly("2"));
        assertThat(other.engine.find("pay", "1"))
                .as("locked by a transaction that has not ended")
                .isPresent();
        assertThat(entries(pool)).isEmpty();

        manager.goesOn.countDown();
        awaitNoRow(other);
        assertThat(entries(pool)).containsExactly("1");
        assertThat(taken).containsExactly("2");
        // Nothing is left of the dead node either.
        await().atMost(PATIENCE).until(() -> other.engine.overview().nodes().size() == 1);
    }

    // Limits

    @ParameterizedTest
    @EnumSource
    void runThatIsInterruptedAtItsTimeLimitIsRolledBack(TestDatabase database) {
        HikariDataSource pool = pool(database);
        Node node = node("a", pool);
        node.engine.handle(
                "pay",
                String.class,
                RETRIES,
                10,
                Duration.ofMillis(300),
                new JdbcTransactionManager(pool),
                (payload, run) -> {
                    enter(pool, payload + " " + run.attempt());
                    if (run.attempt() == 1) {
                        Thread.sleep(60_000);
                    }
                    while (!run.isCancelled()) {
                        Thread.onSpinWait();
                    }
                    // It ends as if nothing had been, and its thread is still marked as interrupted.
                });
        schedule(node, "1");
        node.start();
        awaitNoRow(node);
        assertThat(entries(pool)).containsExactly("1 2");
        // They are counted after the commit.
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 1);
        assertThat(node.engine.counts().failed()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void runThatIsCancelledIsRolledBackUnlessItEndsWell(TestDatabase database) {
        HikariDataSource pool = pool(database);
        Node node = node("a", pool);
        handle(node, new JdbcTransactionManager(pool), (payload, run) -> {
            enter(pool, payload);
            runs.incrementAndGet();
            while (!run.isCancelled()) {
                Thread.onSpinWait();
            }
            if ("bad".equals(payload)) {
                throw new IllegalStateException("on purpose");
            }
        });
        node.start();
        for (String id : List.of("bad", "good")) {
            schedule(node, id);
            await().atMost(PATIENCE).until(() -> runs.getAndSet(0) == 1);
            assertThat(node.engine.cancel("pay", id, PATIENCE))
                    .isEqualTo(
                            id.equals("bad")
                                    ? DurableTasks.Cancellation.INTERRUPTED
                                    : DurableTasks.Cancellation.ABSENT);
            assertThat(node.engine.find("pay", id)).isEmpty();
        }
        assertThat(entries(pool)).containsExactly("good");
        assertThat(node.engine.counts().lost()).isZero();
    }

    private static DurableSettings closingSoon() {
        return new DurableSettings(
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
    }

    @ParameterizedTest
    @EnumSource
    void runThatClosingInterruptsIsRolledBackAndGivenBack(TestDatabase database) {
        HikariDataSource pool = pool(database);
        Node node = new Node(closingSoon(), pool, DurableObserver.NONE);
        handle(node, new JdbcTransactionManager(pool), (payload, run) -> {
            enter(pool, payload);
            runs.incrementAndGet();
            Thread.sleep(60_000);
        });
        node.start();
        schedule(node, "1");
        await().atMost(PATIENCE).until(() -> runs.get() == 1);
        node.close();
        assertThat(node.engine.find("pay", "1"))
                .get()
                .extracting(DurableTask::state, DurableTask::failures)
                .containsExactly(DurableTask.State.SCHEDULED, 0);
        assertThat(entries(pool)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void finishedRunIsCommittedThoughClosingInterruptedIt(TestDatabase database) {
        HikariDataSource pool = pool(database);
        Node node = new Node(closingSoon(), pool, DurableObserver.NONE);
        AtomicReference<Boolean> isInterrupted = new AtomicReference<>();
        handle(
                node,
                new JdbcTransactionManager(pool) {
                    @Override
                    protected void doCommit(DefaultTransactionStatus status) {
                        isInterrupted.set(Thread.currentThread().isInterrupted());
                        super.doCommit(status);
                    }
                },
                (payload, run) -> {
                    enter(pool, payload);
                    runs.incrementAndGet();
                    while (!Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                    }
                });
        node.start();
        schedule(node, "1");
        await().atMost(PATIENCE).until(() -> runs.get() == 1);
        node.close();
        assertThat(node.engine.find("pay", "1")).isEmpty();
        assertThat(isInterrupted).as("drivers and pools mind that").hasValue(false);
        assertThat(entries(pool)).containsExactly("1");
    }

    // Managers

    @Test
    void managerOfAnotherDataSourceRunsNothing() {
        HikariDataSource pool = pool(TestDatabase.H2);
        Node node = node("a", pool);
        handle(node, new JdbcTransactionManager(pool(TestDatabase.H2)), (payload, run) -> runs.incrementAndGet());
        schedule(node, "1");
        node.start();
        assertThat(awaitFailed(node, "1").failure())
                .contains("The transaction of a run must be on the DataSource of the durable tasks");
        assertThat(runs).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource
    void managerThatExposesItsConnectionIsAccepted(TestDatabase database) {
        HikariDataSource pool = pool(database);
        Node node = node("a", pool);
        runsOnceAndIsRolledBackOnce(node, new OtherManagers.OfUnits(pool), pool);
    }

    @ParameterizedTest
    @EnumSource
    void managerOfJtaWillDo(TestDatabase database) {
        HikariDataSource pool = pool(database);
        OtherManagers.Jta jta = new OtherManagers.Jta(pool);
        Node node = node("a", jta.dataSource());
        runsOnceAndIsRolledBackOnce(node, jta.manager(), jta.dataSource());
    }

    private void runsOnceAndIsRolledBackOnce(Node node, PlatformTransactionManager manager, DataSource dataSource) {
        handle(node, manager, (payload, run) -> {
            enter(dataSource, payload + " " + runs.incrementAndGet());
            assertThat(node.engine.schedule("other", "" + run.attempt(), null, Instant.now()))
                    .isTrue();
            if (runs.get() == 1) {
                throw new IllegalStateException("on purpose");
            }
            assertThat(node.engine.find("pay", "1")).isPresent();
        });
        schedule(node, "1");
        node.start();
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 1);
        assertThat(node.engine.find("pay", "1")).isEmpty();
        assertThat(entries(dataSource)).containsExactly("1 2");
        assertThat(node.engine.find("other", "1")).isEmpty();
        assertThat(node.engine.find("other", "2")).isPresent();
        assertThat(node.engine.counts())
                .extracting(DurableCounts::failed, DurableCounts::lost)
                .containsExactly(1L, 0L);
    }
}
