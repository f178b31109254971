package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DecidingBody;
import io.github.wheelscheduler.durable.DurableCounts;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableRun;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTask.State;
import io.github.wheelscheduler.durable.DurableTasks.Cancellation;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.LostAnswers.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** A handler says what becomes of its task, in a transaction or not. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
@Timeout(120)
class OutcomeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final RetryPolicy RETRIES = new RetryPolicy(2, Duration.ofMillis(50), Duration.ofMillis(100));

    private final TestDatabase database;
    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;
    private final List<Node> nodes = new ArrayList<>();
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final AtomicInteger runs = new AtomicInteger();

    OutcomeTest(TestDatabase database) {
        this.database = database;
        pool = database.newDataSource();
        jdbc = new JdbcTemplate(pool);
        jdbc.execute("create table ledger (entry varchar(50))");
    }

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
        pool.close();
    }

    private Node node(DataSource dataSource) {
        Node node = new Node(Node.settings("n" + nodes.size()), dataSource, DurableObserver.NONE);
        nodes.add(node);
        return node;
    }

    private static void decide(
            Node node, RetryPolicy retries, @Nullable PlatformTransactionManager manager, DecidingBody<String> body) {
        node.engine.decide("poll", String.class, retries, 10, null, manager, body);
        node.start();
    }

    private @Nullable PlatformTransactionManager manager(boolean isTransactional) {
        return isTransactional ? new JdbcTransactionManager(pool) : null;
    }

    private static void schedule(Node node, Instant at) {
        assertThat(node.engine.schedule("poll", "1", "payload", at)).isTrue();
    }

    private static void awaitGone(Node node) {
        await().atMost(PATIENCE).until(() -> node.engine.find("poll", "1").isEmpty());
    }

    private static DurableTask awaitFailed(Node node) {
        return await().atMost(PATIENCE)
                .until(
                        () -> node.engine.find("poll", "1"),
                        found -> found.filter(task -> task.state() == State.FAILED)
                                .isPresent())
                .orElseThrow();
    }

    private void note(String payload, DurableRun run) {
        seen.add(payload + ", attempt " + run.attempt() + ", at first " + run.firstDueAt());
    }

    private void enter(DataSource dataSource, String entry) {
        assertThat(new JdbcTemplate(dataSource).update("insert into ledger (entry) values (?)", entry))
                .isEqualTo(1);
    }

    private List<String> entries() {
        return jdbc.queryForList("select entry from ledger order by entry", String.class);
    }

    // Again

    @ParameterizedTest
    @EnumSource
    void againKeepsPayloadAndFirstTimeAndIsAttempt1(Kind kind) {
        Node node = node(pool);
        Queue<Instant> dueAt = new ConcurrentLinkedQueue<>();
        decide(node, RETRIES, manager(kind.isTransactional), (payload, run) -> {
            note(String.valueOf(payload), run);
            dueAt.add(run.dueAt());
            if (runs.incrementAndGet() == 2) {
                throw new IllegalStateException("on purpose");
            }
            return runs.get() < 4 ? DurableOutcome.again(run.dueAt().plusMillis(300)) : DurableOutcome.done();
        });
        Instant at = Instant.parse("2026-01-02T03:04:05Z");
        schedule(node, at);
        awaitGone(node);
        String first = ", at first " + at;
        assertThat(seen)
                .containsExactly(
                        "payload, attempt 1" + first,
                        "payload, attempt 1" + first,
                        "payload, attempt 2" + first,
                        "payload, attempt 1" + first);
        assertThat(dueAt).element(1).isEqualTo(at.plusMillis(300));
        assertThat(node.engine.counts())
                .extracting(DurableCounts::succeeded, DurableCounts::failed, DurableCounts::givenUp)
                .containsExactly(3L, 1L, 0L);
    }

    /** How a run ends. */
    enum Kind {
        ALONE(false),
        IN_A_TRANSACTION(true);

        private final boolean isTransactional;

        Kind(boolean isTransactional) {
            this.isTransactional = isTransactional;
        }
    }

    @ParameterizedTest
    @EnumSource
    void againWaitsUntilItsTime(Kind kind) {
        Node node = node(pool);
        Instant next = Instant.parse("2050-01-02T03:04:05Z");
        decide(node, RETRIES, manager(kind.isTransactional), (payload, run) -> DurableOutcome.again(next));
        schedule(node, Instant.now());
        await().atMost(PATIENCE)
                .until(() -> node.engine.find("poll", "1").orElseThrow().dueAt().equals(next));
        assertThat(node.engine.find("poll", "1").orElseThrow())
                .extracting(DurableTask::state, DurableTask::owner, DurableTask::failures, DurableTask::failure)
                .containsExactly(State.SCHEDULED, null, 0, null);
        assertThat(node.engine.cancel("poll", "1")).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void againWithAScheduleOfTheOwnIdIsRefused(Kind kind) {
        Node node = node(pool);
        decide(
                node,
                new RetryPolicy(0, Duration.ofMillis(1), Duration.ofMillis(1)),
                manager(kind.isTransactional),
                (payload, run) -> {
                    assertThat(node.engine.schedule("poll", "1", "other", Instant.now()))
                            .isTrue();
                    return DurableOutcome.again(Instant.parse("2050-01-02T03:04:05Z"));
                });
        schedule(node, Instant.now());
        assertThat(awaitFailed(node).failure())
                .contains("A run that has scheduled its own id must not return again,"
                        + " was again at 2050-01-02T03:04:05Z");
    }

    @ParameterizedTest
    @EnumSource
    void againOfACancelledRunIsNoMore(Kind kind) {
        Node node = node(pool);
        CountDownLatch goOn = new CountDownLatch(1);
        decide(node, RETRIES, manager(kind.isTransactional), (payload, run) -> {
            runs.incrementAndGet();
            assertThat(awaitUninterrupted(goOn)).isTrue();
            return DurableOutcome.again(Instant.now());
        });
        schedule(node, Instant.now());
        await().atMost(PATIENCE).until(() -> runs.get() == 1);
        assertThat(node.engine.cancel("poll", "1", Duration.ofMillis(100))).isEqualTo(Cancellation.RUNNING);
        // Until its node has heard of it.
        assertThat(node.engine.cancel("poll", "1", Duration.ofSeconds(2))).isEqualTo(Cancellation.RUNNING);
        goOn.countDown();
        assertThat(node.engine.cancel("poll", "1", Duration.ofSeconds(20)))
                .isIn(Cancellation.INTERRUPTED, Cancellation.CANCELLED);
        awaitGone(node);
        assertThat(runs).hasValue(1);
    }

    // Giving up

    @ParameterizedTest
    @EnumSource
    void givingUpKeepsTheReasonWhateverRetriesAreLeft(Kind kind) {
        Node node = node(pool);
        decide(node, RETRIES, manager(kind.isTransactional), (payload, run) -> {
            enter(pool, "rejected");
            runs.incrementAndGet();
            return DurableOutcome.giveUp("Address unknown \0\uD83D, after attempt " + run.attempt());
        });
        schedule(node, Instant.now());
        assertThat(awaitFailed(node))
                .extracting(DurableTask::failures, DurableTask::failure, DurableTask::owner)
                .containsExactly(1, "Address unknown ?, after attempt 1", null);
        assertThat(entries()).containsExactly("rejected");
        assertThat(runs).hasValue(1);
        await().atMost(PATIENCE).until(() -> node.engine.counts().givenUp() == 1);
        assertThat(node.engine.counts())
                .extracting(DurableCounts::succeeded, DurableCounts::failed)
                .containsExactly(0L, 1L);
        assertThat(node.engine.overview().failed()).isEqualTo(1);
        assertThat(node.engine.retry("poll", "1")).isTrue();
        await().atMost(PATIENCE).until(() -> runs.get() == 2);
    }

    @Test
    void nothingIsAFailure() {
        Node node = node(pool);
        decide(node, RETRIES, null, new ReturnsNothing());
        schedule(node, Instant.now());
        DurableTask failed = awaitFailed(node);
        assertThat(failed.failures()).isEqualTo(3);
        assertThat(failed.failure()).contains("A handler must return a DurableOutcome, such as done(), was null");
    }

    private static final class ReturnsNothing implements DecidingBody<String> {
        @Override
        @SuppressWarnings("NullAway") // as a program without these annotations may
        public DurableOutcome run(@Nullable String payload, DurableRun run) {
            return null;
        }
    }

    @Test
    void outcomesThatDoNotFitAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DurableOutcome.giveUp(" "))
                .withMessage("reason must not be blank");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DurableOutcome.again(Instant.MAX))
                .withMessageStartingWith("at must be in one of the years 1 to 9999, was ");
    }

    // Steps of an end

    @ParameterizedTest
    @EnumSource
    void lostAnswerMakesNoAgainHappenTwiceOrNotAtAll(Step step) {
        LostAnswers lossy = new LostAnswers(pool);
        Node node = node(lossy);
        lossy.loseNext(step);
        decide(node, RETRIES, lossy.newManager(), (payload, run) -> {
            enter(lossy, "entry");
            return runs.incrementAndGet() < 10 && entries().size() < 2
                    ? DurableOutcome.again(Instant.now())
                    : DurableOutcome.done();
        });
        schedule(node, Instant.now());
        awaitGone(node);
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 3);
        await().atMost(PATIENCE).until(() -> lossy.isLost() == (step != Step.BEGIN));
        assertThat(entries()).containsExactly("entry", "entry", "entry");
        assertThat(node.engine.counts().lost()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void lostAnswerMakesNoTaskGivenUpRunAgain(Step step) {
        LostAnswers lossy = new LostAnswers(pool);
        Node node = node(lossy);
        lossy.loseNext(step);
        decide(node, RETRIES, lossy.newManager(), (payload, run) -> {
            enter(lossy, "entry");
            return DurableOutcome.giveUp("no use");
        });
        schedule(node, Instant.now());
        assertThat(awaitFailed(node).failure()).isEqualTo("no use");
        await().atMost(PATIENCE).until(() -> lossy.isLost() == (step != Step.BEGIN));
        await().atMost(PATIENCE).until(() -> node.engine.counts().givenUp() == 1);
        assertThat(entries()).containsExactly("entry");
    }

    @ParameterizedTest
    @EnumSource
    void deadNodeLeavesItsTaskToAnother(Kind kind) {
        Node dies = node(pool);
        CountDownLatch goOn = new CountDownLatch(1);
        decide(dies, RETRIES, manager(kind.isTransactional), (payload, run) -> {
            enter(pool, "of the dead");
            runs.incrementAndGet();
            awaitUninterrupted(goOn);
            return DurableOutcome.again(Instant.now());
        });
        schedule(dies, Instant.now());
        await().atMost(PATIENCE).until(() -> runs.get() == 1);
        dies.kill();
        Node other = node(pool);
        decide(other, RETRIES, manager(kind.isTransactional), (payload, run) -> {
            note(String.valueOf(payload), run);
            return DurableOutcome.giveUp("of the other");
        });
        assertThat(awaitFailed(other).failure()).isEqualTo("of the other");
        assertThat(seen).singleElement().asString().startsWith("payload, attempt 1");
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> dies.engine.counts().lost() == 1);
        assertThat(awaitFailed(other).failure()).isEqualTo("of the other");
        assertThat(entries()).hasSize(kind.isTransactional ? 0 : 1);
    }

    /** Returns whether it was interrupted. */
    private static boolean awaitUninterrupted(CountDownLatch goOn) {
        boolean isInterrupted = false;
        while (goOn.getCount() > 0) {
            try {
                goOn.await();
            } catch (InterruptedException ex) {
                isInterrupted = true;
            }
        }
        return isInterrupted;
    }

    // A node of the layout before

    @Test
    void olderNodeRunsWhatIsToRunAgain() {
        Node node = node(pool);
        decide(node, RETRIES, null, (payload, run) -> {
            runs.incrementAndGet();
            node.engine.drain();
            return DurableOutcome.again(Instant.now());
        });
        schedule(node, Instant.now());
        OlderNode older = new OlderNode(database, pool, JsonMapper.builder().build());
        // A claim that was on its way when the node was drained makes it run once more.
        await().atMost(PATIENCE).until(() -> runs.get() >= 1 && older.runDue("poll", String.class) == 1);
        assertThat(older.ran).containsExactly("payload");
        awaitGone(node);
    }

    // The end of a plain task

    @Test
    void endOfAPlainTaskIsTheStatementThatItWas() {
        String one = switch (database) {
            case H2 ->
                "delete from {task} where _rowid_ = (select _rowid_ from {task} where task_name = ?"
                        + " and task_instance = ? and version = ? and next_time is null for update skip locked)";
            case POSTGRESQL ->
                "delete from {task} where (ctid, task_name, task_instance) ="
                        + " (select ctid, task_name, task_instance from {task} where task_name = ?"
                        + " and task_instance = ? and version = ? and next_time is null for update skip locked)";
            case MARIADB ->
                "/*M! set statement innodb_lock_wait_timeout = 0 for */ delete from {task}"
                        + " where task_name = ? and task_instance = ? and version = ? and next_time is null";
        };
        assertThat(Dialect.valueOf(database.name()).deleteDoneOne()).isEqualTo(one);
        assertThat(Dialect.deleteDone())
                .isEqualTo("with mine as materialized (select n, i, locked.place from unnest(?::varchar[],"
                        + " ?::varchar[], ?::bigint[]) ended(n, i, v), lateral (select ctid as place from {task} where"
                        + " task_name = ended.n and task_instance = ended.i and version = ended.v and next_time is null"
                        + " for update skip locked) locked) delete from {task} where ctid = any(array(select place from"
                        + " mine)) and (task_name, task_instance) in (select n, i from mine) returning task_name,"
                        + " task_instance, version");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ownIdWhoseTransactionIsRolledBackIsNotScheduled(boolean isDone) {
        Node node = node(pool);
        Queue<DurableEnd> ends = new ConcurrentLinkedQueue<>();
        node.engine.listen(ends::add);
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
        Instant later = Instant.parse("2050-01-02T03:04:05Z");
        decide(node, RETRIES, null, (payload, run) -> {
            transaction.executeWithoutResult(status -> {
                assertThat(node.engine.schedule("poll", run.id(), "next", later))
                        .isTrue();
                status.setRollbackOnly();
            });
            return isDone ? DurableOutcome.done() : DurableOutcome.again(later);
        });
        schedule(node, Instant.now());
        await().atMost(PATIENCE).until(() -> !ends.isEmpty());
        assertThat(ends)
                .extracting(DurableEnd::kind, DurableEnd::nextAt)
                .containsExactly(isDone ? tuple(DurableEnd.Kind.DONE, null) : tuple(DurableEnd.Kind.AGAIN, later));
        assertThat(node.engine.find("poll", "1")).matches(found -> found.isEmpty() == isDone);
    }

    @Test
    void ownIdIsDueWhenTheLastCommitSaysSo() {
        Node node = node(pool);
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
        Instant first = Instant.parse("2050-01-02T03:04:05Z");
        decide(node, RETRIES, null, (payload, run) -> {
            assertThat(node.engine.schedule("poll", run.id(), "kept", first)).isTrue();
            transaction.executeWithoutResult(status -> {
                for (int i = 1; i < 3; i++) {
                    assertThat(node.engine.schedule("poll", run.id(), "undone", first.plusSeconds(i)))
                            .isTrue();
                }
                status.setRollbackOnly();
            });
            return DurableOutcome.done();
        });
        schedule(node, Instant.now());
        await().atMost(PATIENCE)
                .until(() -> node.engine.find("poll", "1").orElseThrow().dueAt().equals(first));
    }
}
