package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableBody;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTask.State;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.LostAnswers.Step;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.interceptor.DefaultTransactionAttribute;
import org.springframework.transaction.interceptor.NoRollbackRuleAttribute;
import org.springframework.transaction.interceptor.RollbackRuleAttribute;
import org.springframework.transaction.interceptor.RuleBasedTransactionAttribute;

/** The class of what a run throws decides whether it is tried again. */
@ParameterizedClass
@EnumSource
@Timeout(120)
class RetryRulesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final HikariDataSource pool;
    private final AtomicInteger runs = new AtomicInteger();
    private @Nullable Node node;

    RetryRulesTest(TestDatabase database) {
        pool = database.newDataSource();
    }

    @AfterEach
    void close() {
        if (node != null) {
            node.close();
        }
        pool.close();
    }

    private static RetryPolicy policy(
            Set<Class<? extends Throwable>> retryFor, Set<Class<? extends Throwable>> noRetryFor) {
        return new RetryPolicy(2, Duration.ofMillis(10), Duration.ofMillis(10), retryFor, noRetryFor);
    }

    /** Nothing that a body throws is retried. */
    private static final RetryPolicy NEVER = policy(Set.of(), Set.of(Throwable.class));

    private DurableTask failed(
            DataSource dataSource,
            RetryPolicy retries,
            @Nullable Duration timeLimit,
            @Nullable PlatformTransactionManager manager,
            DurableBody<String> body) {
        Node started = new Node(Node.settings("a"), dataSource, DurableObserver.NONE);
        node = started;
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
    void whatIsNamedIsRetriedAndNothingElse() {
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
