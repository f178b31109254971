package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DecidingBody;
import io.github.wheelscheduler.durable.DurableBody;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTask.State;
import io.github.wheelscheduler.durable.DurableTasks.Replacement;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.LostAnswers.Step;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.interceptor.DefaultTransactionAttribute;
import org.springframework.transaction.interceptor.NoRollbackRuleAttribute;
import org.springframework.transaction.interceptor.RollbackRuleAttribute;
import org.springframework.transaction.interceptor.RuleBasedTransactionAttribute;
import tools.jackson.databind.json.JsonMapper;

/** Which failures are retried, how often, and when: by handler and by task. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
@Timeout(120)
class RetriesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Instant LATER = Instant.parse("2050-01-02T03:04:05Z");

    /** Nothing that a body throws is retried. */
    private static final RetryPolicy NEVER = policy(Set.of(), Set.of(Throwable.class));

    private final TestDatabase database;
    private final HikariDataSource pool;
    private final Node node;
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final AtomicInteger runs = new AtomicInteger();
    private @Nullable Node other;

    RetriesTest(TestDatabase database) {
        this.database = database;
        pool = database.newDataSource();
        node = new Node(Node.settings("a"), pool, DurableObserver.NONE);
    }

    @AfterEach
    void close() {
        node.close();
        if (other != null) {
            other.close();
        }
        pool.close();
    }

    /** A handler that retries twice, and notes each attempt of what it fails. */
    private void fail(DecidingBody<String> first) {
        node.engine.decide(
                "fail",
                String.class,
                new RetryPolicy(2, Duration.ofMillis(10), Duration.ofMillis(10)),
                10,
                null,
                null,
                (payload, run) -> {
                    seen.add(run.id() + " " + run.attempt());
                    DurableOutcome ignored = first.run((String) payload, run);
                    throw new IllegalStateException("on purpose");
                });
        node.start();
    }

    private static RetryPolicy retries(int most) {
        return new RetryPolicy(most, Duration.ofMillis(20), Duration.ofMillis(30));
    }

    private static DurableRequest now(String id, @Nullable RetryPolicy retries) {
        return new DurableRequest(id, null, Instant.now(), retries);
    }

    private DurableTask awaitFailed(String id) {
        return await().atMost(PATIENCE)
                .until(
                        () -> node.engine.find("fail", id),
                        found -> found.filter(task -> task.state() == State.FAILED)
                                .isPresent())
                .orElseThrow();
    }

    @Test
    void taskHasRetriesOfItsOwn() {
        fail((payload, run) -> DurableOutcome.done());
        assertThat(node.engine.schedule("fail", now("none", retries(0)))).isTrue();
        assertThat(node.engine.schedule("fail", now("none", null)))
                .as("it is there")
                .isFalse();
        assertThat(node.engine.scheduleAll(
                        "fail", List.of(now("four", retries(4)), now("handler", null), now("none", null))))
                .isEqualTo(2);
        assertThat(awaitFailed("none").failures()).isEqualTo(1);
        assertThat(awaitFailed("four").failures()).isEqualTo(5);
        assertThat(awaitFailed("handler").failures()).isEqualTo(3);
        assertThat(node.engine.retry("fail", "none")).isTrue();
        await().atMost(PATIENCE).until(() -> seen.contains("none 2"));
        assertThat(awaitFailed("none").failures())
                .as("its own again, after a retry by hand")
                .isEqualTo(1);
    }

    @Test
    void pauseIsThatOfTheTask() {
        fail((payload, run) -> DurableOutcome.done());
        RetryPolicy slow = new RetryPolicy(1, Duration.ofDays(1), Duration.ofDays(2));
        assertThat(node.engine.schedule("fail", now("1", slow))).isTrue();
        await().atMost(PATIENCE)
                .until(() -> node.engine.find("fail", "1").orElseThrow().failures() == 1);
        assertThat(node.engine.find("fail", "1").orElseThrow().dueAt())
                .isAfter(Instant.now().plus(Duration.ofHours(23)))
                .isBefore(Instant.now().plus(Duration.ofHours(27)));
    }

    @Test
    void replacementHasItsOwnOrThoseOfTheHandler() {
        assertThat(node.engine.schedule("fail", new DurableRequest("1", null, LATER, retries(0))))
                .isTrue();
        assertThat(node.engine.schedule("fail", new DurableRequest("2", null, LATER)))
                .isTrue();
        assertThat(node.engine.replace("fail", "1", null, Instant.now())).isEqualTo(Replacement.REPLACED);
        assertThat(node.engine.replace("fail", now("2", retries(1)))).isEqualTo(Replacement.REPLACED);
        assertThat(node.engine.replace("fail", now("3", retries(0)))).isEqualTo(Replacement.SCHEDULED);
        fail((payload, run) -> DurableOutcome.done());
        assertThat(awaitFailed("1").failures()).isEqualTo(3);
        assertThat(awaitFailed("2").failures()).isEqualTo(2);
        assertThat(awaitFailed("3").failures()).isEqualTo(1);
    }

    @Test
    void ownIdIsScheduledWithRetriesOfItsOwn() {
        node.engine.decide(
                "fail",
                String.class,
                new RetryPolicy(2, Duration.ofMillis(10), Duration.ofMillis(10)),
                10,
                null,
                null,
                (payload, run) -> {
                    seen.add(payload + " " + run.attempt());
                    if (payload == null) {
                        assertThat(node.engine.schedule(
                                        "fail", new DurableRequest("1", "next", Instant.now(), retries(0))))
                                .isTrue();
                        return DurableOutcome.done();
                    }
                    throw new IllegalStateException("on purpose");
                });
        node.start();
        assertThat(node.engine.schedule("fail", now("1", retries(5)))).isTrue();
        assertThat(awaitFailed("1").failures()).isEqualTo(1);
        assertThat(seen).containsExactly("null 1", "next 1");
    }

    @Test
    void attemptGoesOnAfterARetryByHand() {
        fail((payload, run) -> DurableOutcome.done());
        assertThat(node.engine.schedule("fail", now("1", null))).isTrue();
        assertThat(awaitFailed("1").failures()).isEqualTo(3);
        assertThat(node.engine.retry("fail", "1")).isTrue();
        await().atMost(PATIENCE).until(() -> seen.size() == 6);
        assertThat(awaitFailed("1").failures())
                .as("as many retries as at first")
                .isEqualTo(3);
        assertThat(node.engine.retry("fail", "1")).isTrue();
        await().atMost(PATIENCE).until(() -> seen.size() == 9);
        assertThat(seen).containsExactly("1 1", "1 2", "1 3", "1 4", "1 5", "1 6", "1 7", "1 8", "1 9");
        assertThat(awaitFailed("1").failures()).isEqualTo(3);
        assertThat(node.engine.replace("fail", now("1", retries(0)))).isEqualTo(Replacement.REPLACED);
        await().atMost(PATIENCE).until(() -> seen.size() == 10);
        assertThat(seen).last().isEqualTo("1 1");
    }

    @Test
    void rowOfAnotherProgramMayNameSomeOfThem() {
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        assertThat(node.engine.scheduleAll(
                        "fail", List.of(new DurableRequest("1", null, LATER), new DurableRequest("2", null, LATER))))
                .isEqualTo(2);
        assertThat(jdbc.update("update wheel_durable_task set retries = 1 where task_instance = '1'"))
                .isEqualTo(1);
        assertThat(jdbc.update("update wheel_durable_task set retries = -1 where task_instance = '2'"))
                .isEqualTo(1);
        for (String id : List.of("1", "2")) {
            assertThat(node.engine.reschedule("fail", id, Instant.now())).isTrue();
        }
        fail((payload, run) -> DurableOutcome.done());
        assertThat(awaitFailed("1").failures()).isEqualTo(2);
        assertThat(awaitFailed("2").failures()).as("does not fit").isEqualTo(3);
    }

    @Test
    void olderNodeRunsTaskWithRetriesOfItsOwn() {
        assertThat(node.engine.schedule("fail", new DurableRequest("1", "payload", Instant.now(), retries(0))))
                .isTrue();
        OlderNode older = new OlderNode(database, pool, JsonMapper.builder().build());
        await().atMost(PATIENCE).until(() -> older.runDue("fail", String.class) == 1);
        assertThat(older.ran).containsExactly("payload");
        assertThat(node.engine.find("fail", "1")).isEmpty();
    }

    @Test
    void rulesForExceptionsAreTheHandlers() {
        RetryPolicy rules = new RetryPolicy(
                1, Duration.ofMillis(1), Duration.ofMillis(1), Set.of(), Set.of(IllegalStateException.class));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> now("1", rules))
                .withMessageStartingWith("retries of a task must leave retryFor and noRetryFor to its handler, was ");
    }

    @Test
    void pausesDoubleUpToTheLongest() {
        RetryPolicy retries = new RetryPolicy(100, Duration.ofSeconds(1), Duration.ofSeconds(5));
        assertThat(Runs.pauseAfter(retries, 1)).isEqualTo(Duration.ofSeconds(1));
        assertThat(Runs.pauseAfter(retries, 3)).isEqualTo(Duration.ofSeconds(4));
        assertThat(Runs.pauseAfter(retries, 4)).isEqualTo(Duration.ofSeconds(5));
        assertThat(Runs.pauseAfter(retries, Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(5));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryPolicy(-1, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .withMessage("maxRetries must be at least 0, was -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryPolicy(1, Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .withMessage("maxBackOff must be at least backOff, which is PT2S, was PT1S");
    }

    // Rules for exceptions

    private static RetryPolicy policy(
            Set<Class<? extends Throwable>> retryFor, Set<Class<? extends Throwable>> noRetryFor) {
        return new RetryPolicy(2, Duration.ofMillis(10), Duration.ofMillis(10), retryFor, noRetryFor);
    }

    private DurableTask failed(
            DataSource dataSource,
            RetryPolicy retries,
            @Nullable Duration timeLimit,
            @Nullable PlatformTransactionManager manager,
            DurableBody<String> body) {
        Node started = new Node(Node.settings("b"), dataSource, DurableObserver.NONE);
        other = started;
        started.engine.handle("rule", String.class, retries, 10, timeLimit, manager, body);
        started.start();
        assertThat(started.engine.schedule("rule", "1", null, Instant.now())).isTrue();
        return await().atMost(PATIENCE)
                .until(
                        () -> started.engine.find("rule", "1"),
                        found -> found.filter(task -> task.state() == State.FAILED)
                                .isPresent())
                .orElseThrow();
    }

    private DurableTask failed(RetryPolicy retries, Exception thrown) {
        return failed(pool, retries, null, null, (payload, run) -> {
            throw thrown;
        });
    }

    @Test
    void nearestClassDecides() {
        RetryPolicy policy = policy(Set.of(FileNotFoundException.class), Set.of(IOException.class));
        assertThat(policy.retries(new FileNotFoundException())).isTrue();
        assertThat(policy.retries(new IOException())).isFalse();
        assertThat(failed(policy, new IOException("on purpose")))
                .extracting(DurableTask::failures)
                .isEqualTo(1);
    }

    @Test
    void namedClassIsRetriedAndNothingElse() {
        RetryPolicy policy = policy(Set.of(IOException.class), Set.of());
        assertThat(policy.retries(new FileNotFoundException())).isTrue();
        assertThat(policy.retries(new IllegalStateException(new IOException()))).isFalse();
        assertThat(failed(policy, new IllegalStateException(new IOException())))
                .extracting(DurableTask::failures)
                .isEqualTo(1);
    }

    @Test
    void allIsRetriedUnlessNamed() {
        RetryPolicy policy = policy(Set.of(), Set.of(IllegalStateException.class));
        assertThat(policy.retries(new RuntimeException(new IllegalStateException())))
                .as("causes do not count")
                .isTrue();
        assertThat(failed(policy, new RuntimeException(new IllegalStateException())))
                .extracting(DurableTask::failures)
                .isEqualTo(3);
    }

    @Test
    void oneThatIsNamedTwiceIsRetried() {
        RetryPolicy policy = policy(Set.of(IOException.class), Set.of(IOException.class));
        assertThat(policy.retries(new IOException())).isTrue();
    }

    @Test
    void rulesMeanWhatSpringsRollbackRulesMean() {
        RuleBasedTransactionAttribute spring = new RuleBasedTransactionAttribute(
                DefaultTransactionAttribute.PROPAGATION_REQUIRED,
                java.util.List.of(
                        new RollbackRuleAttribute(FileNotFoundException.class),
                        new RollbackRuleAttribute(RuntimeException.class),
                        new RollbackRuleAttribute(SQLException.class),
                        new NoRollbackRuleAttribute(IllegalStateException.class),
                        new NoRollbackRuleAttribute(IOException.class),
                        new NoRollbackRuleAttribute(SQLException.class)));
        RetryPolicy ours = policy(
                Set.of(FileNotFoundException.class, RuntimeException.class, SQLException.class),
                Set.of(IllegalStateException.class, IOException.class, SQLException.class));
        for (Throwable thrown : java.util.List.of(
                new FileNotFoundException(),
                new IOException(),
                new IOException(new RuntimeException()),
                new SQLException(),
                new IllegalStateException(),
                new IllegalStateException(new FileNotFoundException()),
                new java.util.concurrent.CancellationException(),
                new IllegalArgumentException())) {
            assertThat(ours.retries(thrown)).as(thrown.toString()).isEqualTo(spring.rollbackOn(thrown));
        }
    }

    @Test
    void timeLimitIsRetriedAlways() {
        CountDownLatch never = new CountDownLatch(1);
        DurableTask failed = failed(pool, NEVER, Duration.ofMillis(50), null, (payload, run) -> {
            boolean ignored = never.await(1, TimeUnit.MINUTES);
        });
        assertThat(failed.failures()).isEqualTo(3);
        assertThat(failed.failure()).contains("interrupted at its time limit");
    }

    @Test
    void timeoutOfTheBodysOwnIsNot() {
        assertThat(failed(NEVER, new TimeoutException("on purpose")).failures()).isEqualTo(1);
    }

    @Test
    void lostConnectionIsRetriedAlways() {
        assertThat(failed(NEVER, new DataAccessResourceFailureException("gone", new SQLException("gone", "08006")))
                        .failures())
                .isEqualTo(3);
    }

    @Test
    void failedCommitIsRetriedAlways() {
        LostAnswers lossy = new LostAnswers(pool);
        lossy.loseNext(Step.COMMIT_NOT_SENT);
        DurableTask failed = failed(lossy, NEVER, null, lossy.newManager(), (payload, run) -> {
            if (runs.incrementAndGet() == 2) {
                throw new IllegalStateException("on purpose");
            }
        });
        assertThat(runs).hasValue(2);
        assertThat(failed.failures()).isEqualTo(2);
    }
}
