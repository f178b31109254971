package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DecidingBody;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableEnd.Kind;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableTasks.Cancellation;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.LostAnswers.Step;
import io.github.wheelscheduler.durable.testing.CapturedLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Listeners are told of each end once it is committed, and harm nothing. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
@Timeout(120)
class EndListenersTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final RetryPolicy RETRIES = new RetryPolicy(1, Duration.ofMillis(10), Duration.ofMillis(10));

    private final HikariDataSource pool;
    private final List<Node> nodes = new ArrayList<>();
    private final Queue<DurableEnd> ends = new ConcurrentLinkedQueue<>();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger runs = new AtomicInteger();

    EndListenersTest(TestDatabase database) {
        pool = database.newDataSource();
    }

    @AfterEach
    void close() {
        goOn.countDown();
        nodes.forEach(Node::close);
        pool.close();
    }

    private Node node(DataSource dataSource) {
        Node node = new Node(Node.settings("n" + nodes.size()), dataSource, DurableObserver.NONE);
        nodes.add(node);
        node.engine.listen(ends::add);
        return node;
    }

    private @Nullable PlatformTransactionManager manager(boolean isTransactional) {
        return isTransactional ? new JdbcTransactionManager(pool) : null;
    }

    private static void decide(Node node, @Nullable PlatformTransactionManager manager, DecidingBody<String> body) {
        node.engine.decide("work", String.class, RETRIES, 10, null, manager, body);
        node.start();
    }

    private static void schedule(Node node, String id) {
        assertThat(node.engine.schedule("work", id, id, Instant.now())).isTrue();
    }

    private void awaitEnds(String... expected) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(ends)
                        .extracting(end -> end.kind() + " " + end.id() + " " + end.attempt())
                        .containsExactly(expected));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachEndOfARunIsTold(boolean isTransactional) {
        Node node = node(pool);
        IllegalStateException thrown = new IllegalStateException("on purpose");
        Instant later = Instant.parse("2050-01-02T03:04:05Z");
        decide(node, manager(isTransactional), (payload, run) -> switch (String.valueOf(payload)) {
            case "again" -> DurableOutcome.again(later);
            case "give up" -> DurableOutcome.giveUp("no use");
            case "throw" -> throw thrown;
            default -> DurableOutcome.done();
        });
        schedule(node, "done");
        awaitEnds("DONE done 1");
        schedule(node, "again");
        awaitEnds("DONE done 1", "AGAIN again 1");
        schedule(node, "give up");
        awaitEnds("DONE done 1", "AGAIN again 1", "GIVEN_UP give up 1");
        schedule(node, "throw");
        awaitEnds("DONE done 1", "AGAIN again 1", "GIVEN_UP give up 1", "RETRIED throw 1", "GIVEN_UP throw 2");
        List<DurableEnd> told = List.copyOf(ends);
        assertThat(told).extracting(DurableEnd::handler).containsOnly("work");
        assertThat(told.get(1).nextAt()).isEqualTo(later);
        assertThat(told.get(2).reason()).isEqualTo("no use");
        assertThat(told.get(3).thrown()).isSameAs(thrown);
        assertThat(told.get(3).nextAt()).isNotNull();
        assertThat(told.get(4).thrown()).isSameAs(thrown);
        assertThat(told.get(4).nextAt()).isNull();
    }

    @Test
    void endIsToldAfterItsCommit() {
        Node node = new Node(Node.settings("a"), pool, DurableObserver.NONE);
        nodes.add(node);
        Queue<Boolean> isThere = new ConcurrentLinkedQueue<>();
        node.engine.listen(end -> isThere.add(node.engine.find("work", end.id()).isPresent()));
        decide(node, new JdbcTransactionManager(pool), (payload, run) -> DurableOutcome.done());
        for (int i = 0; i < 20; i++) {
            schedule(node, "" + i);
        }
        await().atMost(PATIENCE).until(() -> isThere.size() == 20);
        assertThat(isThere).containsOnly(false);
    }

    @ParameterizedTest
    @EnumSource
    void lostAnswerMakesNoEndToldTwice(Step step) {
        LostAnswers lossy = new LostAnswers(pool);
        Node node = node(lossy);
        lossy.loseNext(step);
        decide(node, lossy.newManager(), (payload, run) -> {
            assertThat(runs.incrementAndGet()).isPositive();
            return DurableOutcome.done();
        });
        schedule(node, "1");
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 1);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(ends)
                        .filteredOn(end -> end.kind() == Kind.DONE)
                        .hasSize(1));
        assertThat(ends).filteredOn(end -> end.kind() == Kind.RETRIED).hasSize(runs.get() - 1);
    }

    @Test
    void cancelledTaskIsToldIfThatIsCommitted() {
        Node node = node(pool);
        Instant later = Instant.parse("2050-01-02T03:04:05Z");
        for (String id : List.of("1", "2", "3")) {
            assertThat(node.engine.schedule("work", id, null, later)).isTrue();
        }
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
        transaction.executeWithoutResult(status -> {
            assertThat(node.engine.cancel("work", "1")).isTrue();
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> {
            assertThat(node.engine.cancel("work", "2")).isTrue();
            assertThat(ends).isEmpty();
        });
        awaitEnds("CANCELLED 2 0");
        assertThat(node.engine.cancel("work", "2")).isFalse();
        assertThat(node.engine.cancel("work", "3", Duration.ZERO)).isEqualTo(Cancellation.CANCELLED);
        awaitEnds("CANCELLED 2 0", "CANCELLED 3 0");
    }

    @Test
    void runThatIsCancelledIsToldOnce() {
        Node node = node(pool);
        decide(node, null, (payload, run) -> {
            runs.incrementAndGet();
            goOn.await();
            return DurableOutcome.done();
        });
        schedule(node, "1");
        await().atMost(PATIENCE).until(() -> runs.get() == 1);
        assertThat(node.engine.cancel("work", "1", Duration.ofSeconds(20))).isEqualTo(Cancellation.INTERRUPTED);
        awaitEnds("CANCELLED 1 1");
    }

    @Test
    void cancelledRunThatWantsAnotherIsToldAsCancelled() {
        Node node = node(pool);
        decide(node, null, (payload, run) -> {
            runs.incrementAndGet();
            try {
                goOn.await();
            } catch (InterruptedException ex) {
                assertThat(run.isCancelled()).isTrue();
            }
            return DurableOutcome.again(Instant.now());
        });
        schedule(node, "1");
        await().atMost(PATIENCE).until(() -> runs.get() == 1);
        assertThat(node.engine.cancel("work", "1", Duration.ofSeconds(20))).isEqualTo(Cancellation.INTERRUPTED);
        awaitEnds("CANCELLED 1 1");
        assertThat(runs).hasValue(1);
    }

    @ParameterizedTest
    @CsvSource({"again, false", "again, true", "give up, false", "give up, true", "throw, false", "throw, true"})
    void cancelThatTheNodeLearnsOfLateIsToldAsOne(String payload, boolean isTransactional) {
        Node node = node(pool);
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        decide(node, manager(isTransactional), (text, run) -> {
            runs.incrementAndGet();
            // As another node asks for it, just before the run ends by itself; a run that throws rolls it back.
            CompletableFuture.runAsync(
                            () -> jdbc.update("update " + TaskTable.DEFAULT_NAME + " set asked_to_end = true"))
                    .join();
            return switch (payload) {
                case "again" -> DurableOutcome.again(Instant.now());
                case "give up" -> DurableOutcome.giveUp("no use");
                default -> throw new IllegalStateException("on purpose");
            };
        });
        schedule(node, "1");
        awaitEnds("CANCELLED 1 1");
        assertThat(runs).hasValue(1);
        assertThat(node.engine.counts().failed()).isZero();
    }

    @Test
    void taskOfADeadNodeIsToldByTheOneThatTakesItOver() {
        Node dies = node(pool);
        decide(dies, null, (payload, run) -> {
            runs.incrementAndGet();
            boolean isInterrupted = false;
            while (goOn.getCount() > 0) {
                try {
                    goOn.await();
                } catch (InterruptedException ex) {
                    isInterrupted = true;
                }
            }
            assertThat(isInterrupted).isTrue();
            return DurableOutcome.done();
        });
        schedule(dies, "1");
        await().atMost(PATIENCE).until(() -> runs.get() == 1);
        dies.kill();
        Node other = node(pool);
        decide(other, null, (payload, run) -> DurableOutcome.done());
        awaitEnds("TAKEN_OVER 1 0", "DONE 1 1");
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> dies.engine.counts().lost() == 1);
        awaitEnds("TAKEN_OVER 1 0", "DONE 1 1");
    }

    @Test
    void recurringTaskIsToldByItsId() {
        Node node = node(pool).start();
        Runnable stop = node.engine.repeat("tick", RecurringTable.parse("fixed-rate PT0.1S"), false, () -> {
            if (runs.incrementAndGet() == 1) {
                throw new IllegalStateException("on purpose");
            }
        });
        await().atMost(PATIENCE).until(() -> ends.size() >= 2);
        stop.run();
        assertThat(ends)
                .extracting(DurableEnd::kind, DurableEnd::handler, DurableEnd::id)
                .startsWith(
                        org.assertj.core.api.Assertions.tuple(Kind.RETRIED, Handler.RECURRING, "tick"),
                        org.assertj.core.api.Assertions.tuple(Kind.DONE, Handler.RECURRING, "tick"));
    }

    // Harm

    @Test
    void listenerThatHangsHoldsUpNoTask() {
        try (CapturedLog log = CapturedLog.beginAlone()) {
            Node node = new Node(Node.settings("a"), pool, DurableObserver.NONE);
            nodes.add(node);
            node.engine.listen(end -> {
                try {
                    goOn.await();
                } catch (InterruptedException ex) {
                    Thread.currentThread().interrupt();
                }
            });
            decide(node, null, (payload, run) -> DurableOutcome.done());
            List<io.github.wheelscheduler.durable.DurableRequest> requests = new ArrayList<>();
            for (int i = 0; i < EndListeners.MOST + 500; i++) {
                requests.add(new io.github.wheelscheduler.durable.DurableRequest("" + i, null, Instant.now()));
            }
            assertThat(node.engine.scheduleAll("work", requests)).isEqualTo(requests.size());
            await().atMost(Duration.ofSeconds(90))
                    .until(() -> node.engine.counts().succeeded() == requests.size());
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(log.with("ends of durable tasks wait for slow listeners"))
                            .hasSize(1));
        }
    }

    @Test
    void listenerThatThrowsHarmsNoOther() {
        Node node = new Node(Node.settings("a"), pool, DurableObserver.NONE);
        nodes.add(node);
        node.engine.listen(end -> {
            Thread.currentThread().interrupt();
            throw new AssertionError("on purpose");
        });
        node.engine.listen(end -> {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            ends.add(end);
        });
        decide(node, null, (payload, run) -> DurableOutcome.done());
        schedule(node, "1");
        awaitEnds("DONE 1 1");
        schedule(node, "2");
        awaitEnds("DONE 1 1", "DONE 2 1");
    }

    @Test
    void closingTellsWhatIsLeft() {
        Node node = node(pool);
        node.engine.listen(end -> runs.incrementAndGet());
        decide(node, null, (payload, run) -> DurableOutcome.done());
        for (int i = 0; i < 100; i++) {
            schedule(node, "" + i);
        }
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 100);
        node.engine.close();
        assertThat(runs).hasValue(100);
        assertThat(ends).hasSize(100);
    }

    @Test
    void closedListenersReceiveNothingMore() {
        AtomicInteger interrupts = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        Node node = new Node(Node.settings("a"), pool, DurableObserver.NONE);
        nodes.add(node);
        node.engine.listen(end -> {
            threads.add(Thread.currentThread());
            calls.incrementAndGet();
            try {
                goOn.await();
            } catch (InterruptedException ex) {
                interrupts.incrementAndGet();
            }
        });
        decide(node, null, (payload, run) -> DurableOutcome.done());
        for (int i = 0; i < 5; i++) {
            schedule(node, "" + i);
        }
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 5 && calls.get() == 1);
        node.close();
        await().atMost(Duration.ofSeconds(10)).until(() -> !threads.element().isAlive());
        assertThat(calls).hasValue(1);
        assertThat(interrupts).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancelledRunWithANextOneIsToldAsCancelled(boolean isTransactional) {
        Node node = node(pool);
        Instant later = Instant.parse("2050-01-02T03:04:05Z");
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        decide(node, manager(isTransactional), (text, run) -> {
            runs.incrementAndGet();
            CompletableFuture.runAsync(
                            () -> jdbc.update("update " + TaskTable.DEFAULT_NAME + " set asked_to_end = true"))
                    .join();
            assertThat(node.engine.schedule("work", "1", "next", later)).isTrue();
            return DurableOutcome.done();
        });
        schedule(node, "1");
        awaitEnds("CANCELLED 1 1");
        assertThat(node.engine.find("work", "1")).isEmpty();
    }

    @Test
    void attemptOfATakeOverGoesOnAfterARetry() {
        Node dies = node(pool);
        decide(dies, null, (payload, run) -> {
            if (runs.incrementAndGet() < 3) {
                throw new IllegalStateException("on purpose");
            }
            boolean isInterrupted = false;
            while (goOn.getCount() > 0) {
                try {
                    goOn.await();
                } catch (InterruptedException ex) {
                    isInterrupted = true;
                }
            }
            assertThat(isInterrupted).isTrue();
            return DurableOutcome.done();
        });
        schedule(dies, "1");
        awaitEnds("RETRIED 1 1", "GIVEN_UP 1 2");
        assertThat(dies.engine.retry("work", "1")).isTrue();
        await().atMost(PATIENCE).until(() -> runs.get() == 3);
        dies.kill();
        Node other = node(pool);
        decide(other, null, (payload, run) -> DurableOutcome.done());
        awaitEnds("RETRIED 1 1", "GIVEN_UP 1 2", "TAKEN_OVER 1 2", "DONE 1 3");
        goOn.countDown();
    }

    @Test
    void cancelOfATaskOfADeadNodeIsToldAsOne() {
        Node dies = node(pool);
        decide(dies, null, (payload, run) -> {
            runs.incrementAndGet();
            while (goOn.getCount() > 0) {
                try {
                    goOn.await();
                } catch (InterruptedException ex) {
                    // The kill is played by an interrupt; a run that fails of it would still be ended by its node.
                }
            }
            return DurableOutcome.done();
        });
        schedule(dies, "1");
        await().atMost(PATIENCE).until(() -> runs.get() == 1);
        dies.kill();
        Node other = node(pool);
        decide(other, null, (payload, run) -> DurableOutcome.done());
        assertThat(other.engine.cancel("work", "1", Duration.ofSeconds(20))).isEqualTo(Cancellation.CANCELLED);
        awaitEnds("CANCELLED 1 0");
        goOn.countDown();
    }
}
