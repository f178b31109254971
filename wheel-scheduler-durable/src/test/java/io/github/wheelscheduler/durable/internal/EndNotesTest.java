package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DecidingBody;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.LostAnswers.Step;
import io.github.wheelscheduler.durable.testing.CapturedLog;
import io.github.wheelscheduler.jdbc.internal.EndNote;
import io.github.wheelscheduler.jdbc.internal.EndNote.Cause;
import io.github.wheelscheduler.jdbc.internal.EndNote.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A history receives each committed end once, with its run, and harms nothing. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
@Timeout(120)
class EndNotesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final RetryPolicy RETRIES = new RetryPolicy(1, Duration.ofMillis(10), Duration.ofMillis(10));

    private final HikariDataSource pool;
    private final List<Node> nodes = new ArrayList<>();
    private final Queue<EndNote> notes = new ConcurrentLinkedQueue<>();
    private final Queue<DurableEnd> ends = new ConcurrentLinkedQueue<>();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger runs = new AtomicInteger();

    EndNotesTest(TestDatabase database) {
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
        DurableNode.of(node.engine).note(notes::add);
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

    private static String text(EndNote note) {
        return note.kind() + " " + note.task() + " " + note.instance() + " " + note.attempt() + " " + note.cause();
    }

    private void awaitNotes(String... expected) {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(notes).extracting(EndNotesTest::text).containsExactly(expected));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachEndOfARunIsNotedWithItsRun(boolean isTransactional) {
        Node node = node(pool);
        IllegalStateException thrown = new IllegalStateException("on purpose");
        decide(node, manager(isTransactional), (payload, run) -> switch (String.valueOf(payload)) {
            case "again" -> DurableOutcome.again(Instant.parse("2050-01-02T03:04:05Z"));
            case "give up" -> DurableOutcome.giveUp("no use");
            case "throw" -> throw thrown;
            default -> DurableOutcome.done();
        });
        schedule(node, "done");
        awaitNotes("DONE work done 1 SCHEDULE");
        schedule(node, "again");
        await().atMost(PATIENCE).until(() -> notes.size() == 2);
        schedule(node, "give up");
        await().atMost(PATIENCE).until(() -> notes.size() == 3);
        schedule(node, "throw");
        awaitNotes(
                "DONE work done 1 SCHEDULE",
                "DONE work again 1 SCHEDULE",
                "GIVEN_UP work give up 1 SCHEDULE",
                "FAILED work throw 1 SCHEDULE",
                "GIVEN_UP work throw 2 RETRY");
        assertThat(notes).allSatisfy(note -> {
            assertThat(note.started()).isNotNull().isBetween(note.due(), note.at());
            assertThat(note.length()).isNotNull().isBetween(Duration.ZERO, PATIENCE);
            assertThat(note.at()).isEqualTo(note.started().plus(note.length()));
            assertThat(note.runs()).isEqualTo(1);
        });
        List<EndNote> all = List.copyOf(notes);
        assertThat(all.get(2).reason()).isEqualTo("no use");
        assertThat(all.get(3).thrown()).isSameAs(thrown);
        assertThat(node.engine.retry("work", "throw")).isTrue();
        await().atMost(PATIENCE).until(() -> notes.size() >= 6);
        assertThat(text(List.copyOf(notes).get(5))).isEqualTo("FAILED work throw 3 BY_HAND");
    }

    @Test
    void endIsNotedAfterTheCommitOfItsHandler() {
        Queue<Boolean> isThere = new ConcurrentLinkedQueue<>();
        Node node = new Node(Node.settings("a"), pool, DurableObserver.NONE);
        nodes.add(node);
        DurableNode.of(node.engine)
                .note(note -> isThere.add(node.engine
                        .find("work", String.valueOf(note.instance()))
                        .isPresent()));
        decide(node, new JdbcTransactionManager(pool), (payload, run) -> DurableOutcome.done());
        for (int i = 0; i < 20; i++) {
            schedule(node, "" + i);
        }
        await().atMost(PATIENCE).until(() -> isThere.size() == 20);
        assertThat(isThere).containsOnly(false);
    }

    @ParameterizedTest
    @EnumSource
    void lostAnswerNotesEachRunOnce(Step step) {
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
                .untilAsserted(() -> assertThat(notes)
                        .filteredOn(note -> note.kind() == Kind.DONE)
                        .hasSize(1));
        assertThat(notes).filteredOn(note -> note.kind() == Kind.FAILED).hasSize(runs.get() - 1);
    }

    @Test
    void endWhoseAnswerIsLostIsNoted() {
        LostAnswers lossy = new LostAnswers(pool);
        Node node = node(lossy);
        lossy.loseNext(Step.COMMIT_NOT_SENT);
        lossy.loseNextEnd();
        decide(node, lossy.newManager(), (payload, run) -> DurableOutcome.done());
        schedule(node, "1");
        // The first attempt may find out that its failure is written only after the retry has ended.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(notes)
                        .extracting(EndNotesTest::text)
                        .containsExactlyInAnyOrder("FAILED work 1 1 SCHEDULE", "DONE work 1 2 RETRY"));
    }

    @Test
    void cancelIsNotedUnlessItsSavepointIsRolledBack() {
        Node node = node(pool);
        node.engine.listen(ends::add);
        Instant later = Instant.parse("2050-01-02T03:04:05Z");
        for (String id : List.of("1", "2", "3")) {
            assertThat(node.engine.schedule("work", id, null, later)).isTrue();
        }
        TransactionTemplate outer = new TransactionTemplate(new JdbcTransactionManager(pool));
        TransactionTemplate nested = new TransactionTemplate(new JdbcTransactionManager(pool));
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        outer.executeWithoutResult(status -> {
            assertThat(node.engine.cancel("work", "1")).isTrue();
            nested.executeWithoutResult(savepoint -> {
                assertThat(node.engine.cancel("work", "2")).isTrue();
                savepoint.setRollbackOnly();
            });
            nested.executeWithoutResult(
                    savepoint -> assertThat(node.engine.cancel("work", "3")).isTrue());
        });
        assertThat(node.engine.find("work", "2")).isPresent();
        awaitNotes("CANCELLED work 1 0 SCHEDULE", "CANCELLED work 3 0 SCHEDULE");
        await().atMost(PATIENCE).until(() -> ends.size() >= 2);
        assertThat(ends).extracting(DurableEnd::id).containsExactly("1", "3");
    }

    @Test
    void cancelledTaskThatIsReleasedWithoutARunIsNoted() throws InterruptedException {
        CountDownLatch begins = new CountDownLatch(1);
        JdbcTransactionManager full = new JdbcTransactionManager(pool) {
            @Override
            protected void doBegin(Object transaction, TransactionDefinition definition) {
                begins.countDown();
                awaitGoOn();
                throw new CannotCreateTransactionException("no connection, on purpose");
            }
        };
        Node node = node(pool);
        node.engine.listen(ends::add);
        decide(node, full, (payload, run) -> DurableOutcome.done());
        schedule(node, "1");
        assertThat(begins.await(30, TimeUnit.SECONDS)).isTrue();
        // As a node that this one has not heard of.
        assertThat(new JdbcTemplate(pool).update("update " + TaskTable.DEFAULT_NAME + " set asked_to_end = true"))
                .isEqualTo(1);
        goOn.countDown();
        awaitNotes("CANCELLED work 1 0 SCHEDULE");
        assertThat(notes.element().started()).isNull();
        await().atMost(PATIENCE).until(() -> !ends.isEmpty());
        assertThat(ends).extracting(DurableEnd::kind).containsExactly(DurableEnd.Kind.CANCELLED);
    }

    private void awaitGoOn() {
        try {
            goOn.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void startIsNotBeforeTheRun() {
        Queue<Instant> starts = new ConcurrentLinkedQueue<>();
        DurableObserver slow = new DurableObserver() {
            @Override
            public void starting(String handler, Duration lateness) {
                await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
                starts.add(Instant.now());
            }
        };
        Node node = new Node(Node.settings("a"), pool, slow);
        nodes.add(node);
        DurableNode.of(node.engine).note(notes::add);
        decide(node, null, (payload, run) -> DurableOutcome.done());
        schedule(node, "1");
        awaitNotes("DONE work 1 1 SCHEDULE");
        assertThat(notes.element().started()).isAfter(starts.element().minusMillis(500));
    }

    @Test
    void cancelIsNotedIfItIsCommitted() {
        Node node = node(pool);
        Instant later = Instant.parse("2050-01-02T03:04:05Z");
        for (String id : List.of("1", "2")) {
            assertThat(node.engine.schedule("work", id, null, later)).isTrue();
        }
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
        transaction.executeWithoutResult(status -> {
            assertThat(node.engine.cancel("work", "1")).isTrue();
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> {
            assertThat(node.engine.cancel("work", "2")).isTrue();
            assertThat(notes).isEmpty();
        });
        awaitNotes("CANCELLED work 2 0 SCHEDULE");
        assertThat(notes.element().started()).isNull();
    }

    @Test
    void taskThatCannotBeReadIsNotedAsPutAside() {
        Node writer = node(pool);
        writer.engine.handle("work", String.class, RETRIES, text -> {});
        assertThat(writer.engine.schedule("work", "1", "text", Instant.now())).isTrue();
        Node reader = node(pool);
        reader.engine.handle("work", Integer.class, RETRIES, number -> {});
        reader.start();
        awaitNotes("PUT_ASIDE work 1 0 SCHEDULE");
        assertThat(notes.element().started()).isNull();
        assertThat(notes.element().thrown()).isNotNull();
        assertThat(notes.element().thrown().getMessage()).doesNotContain("text");
    }

    @Test
    void recurringTaskIsNotedByItsId() {
        Node node = node(pool).start();
        Runnable stop = node.engine.repeat("tick", RecurringTable.parse("fixed-rate PT1H"), false, () -> {
            if (runs.incrementAndGet() == 1) {
                throw new IllegalStateException("on purpose");
            }
        });
        await().atMost(PATIENCE).until(() -> node.engine.recurringTasks().trigger("tick") || !notes.isEmpty());
        await().atMost(PATIENCE).until(() -> !notes.isEmpty());
        int before = notes.size();
        await().atMost(PATIENCE).until(() -> node.engine.recurringTasks().trigger("tick"));
        await().atMost(PATIENCE).until(() -> notes.size() > before);
        stop.run();
        assertThat(notes).allSatisfy(note -> {
            assertThat(note.task()).isEqualTo("tick");
            assertThat(note.instance()).isNull();
        });
        List<EndNote> all = List.copyOf(notes);
        assertThat(all.get(0).kind()).isEqualTo(Kind.FAILED);
        assertThat(all.get(all.size() - 1))
                .extracting(EndNote::kind, EndNote::cause)
                .containsExactly(Kind.DONE, Cause.BY_HAND);
    }

    private Runnable repeat(Node node, boolean skipsMissed) {
        return node.engine.repeat("tick", RecurringTable.parse("fixed-rate PT1H"), skipsMissed, runs::incrementAndGet);
    }

    /** Starts a node that finds a recurring task that has been due for some time. */
    private void startLate(boolean skipsMissed, Instant due) {
        Node before = node(pool).start();
        Runnable stop = repeat(before, skipsMissed);
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        await().atMost(PATIENCE)
                .until(() -> jdbc.queryForObject(
                                "select count(*) from " + TaskTable.DEFAULT_NAME + " where task_instance = 'tick'",
                                Integer.class)
                        == 1);
        before.close();
        stop.run();
        notes.clear();
        Object time = DurableNode.of(before.engine).tables().sql().timeOrNull(due);
        assertThat(jdbc.update("update " + TaskTable.DEFAULT_NAME + " set execution_time = ?", time))
                .isEqualTo(1);
        Runnable ignored = repeat(node(pool).start(), skipsMissed);
    }

    @Test
    void missedRunsAreNotedWithTheirNumber() {
        Instant due = Instant.now().minus(Duration.ofMinutes(210));
        startLate(true, due);
        awaitNotes("MISSED tick null 0 SCHEDULE");
        assertThat(notes.element().runs()).isEqualTo(4);
        assertThat(Duration.between(due, notes.element().due()).abs()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void lateRunOfARecurringTaskIsCaughtUp() {
        startLate(false, Instant.now().minusSeconds(60));
        awaitNotes("DONE tick null 1 CAUGHT_UP");
    }

    @Test
    void nodeThatOnlySchedulesKnowsTheTime() {
        node(pool).start().close();
        Node node = node(pool);
        Instant before = Instant.now();
        assertThat(node.engine.schedule("work", "1", null, Instant.parse("2050-01-02T03:04:05Z")))
                .isTrue();
        assertThat(node.engine.cancel("work", "1")).isTrue();
        awaitNotes("CANCELLED work 1 0 SCHEDULE");
        assertThat(notes.element().at())
                .isBetween(before.minusSeconds(60), Instant.now().plusSeconds(60));
    }

    @Test
    void takeOverIsNotedWithoutAStart() {
        Node dies = node(pool);
        decide(dies, null, (payload, run) -> {
            runs.incrementAndGet();
            while (goOn.getCount() > 0) {
                try {
                    goOn.await();
                } catch (InterruptedException ex) {
                    // The kill is played by an interrupt.
                }
            }
            return DurableOutcome.done();
        });
        schedule(dies, "1");
        await().atMost(PATIENCE).until(() -> runs.get() == 1);
        dies.kill();
        Node other = node(pool);
        decide(other, null, (payload, run) -> DurableOutcome.done());
        // The thread that has freed the row may note that after the one that has run it.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(notes)
                        .extracting(EndNotesTest::text)
                        .containsExactlyInAnyOrder("TAKEN_OVER work 1 0 SCHEDULE", "DONE work 1 1 SCHEDULE"));
        assertThat(notes)
                .filteredOn(note -> note.started() == null)
                .singleElement()
                .satisfies(takeOver -> assertThat(takeOver.due()).isNotNull().isBeforeOrEqualTo(takeOver.at()));
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> dies.engine.counts().lost() == 1);
        assertThat(notes).hasSize(2);
    }

    /** Ends that are mostly written together: another node has taken over, and ended, the row of one of them. */
    @Test
    void endOfARowThatIsGoneIsNotNoted() {
        Node node = node(pool);
        node.engine.listen(ends::add);
        decide(node, null, (payload, run) -> {
            runs.incrementAndGet();
            awaitGoOn();
            return DurableOutcome.done();
        });
        for (String id : List.of("1", "2", "3")) {
            schedule(node, id);
        }
        await().atMost(PATIENCE).until(() -> runs.get() == 3);
        assertThat(new JdbcTemplate(pool)
                        .update("delete from " + TaskTable.DEFAULT_NAME + " where task_instance = '2'"))
                .isEqualTo(1);
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> node.engine.counts().lost() == 1);
        await().atMost(PATIENCE).until(() -> ends.size() >= 2 && notes.size() >= 2);
        assertThat(notes)
                .extracting(EndNotesTest::text)
                .containsExactlyInAnyOrder("DONE work 1 1 SCHEDULE", "DONE work 3 1 SCHEDULE");
        assertThat(ends).extracting(DurableEnd::id).containsExactlyInAnyOrder("1", "3");
    }

    @Test
    void historyThatThrowsFailsNoEnd() {
        try (CapturedLog log = CapturedLog.beginAlone()) {
            Node node = new Node(Node.settings("a"), pool, DurableObserver.NONE);
            nodes.add(node);
            DurableNode.of(node.engine).note(note -> {
                throw new AssertionError("on purpose");
            });
            node.engine.listen(ends::add);
            decide(node, null, (payload, run) -> DurableOutcome.done());
            for (int i = 0; i < 20; i++) {
                schedule(node, "" + i);
            }
            await().atMost(PATIENCE).until(() -> ends.size() == 20);
            assertThat(node.engine.counts().succeeded()).isEqualTo(20);
            assertThat(log.with("The history could not take the end of a durable run"))
                    .hasSize(1);
        }
    }

    /** Random runs, of which the history and a listener are to receive the same. */
    @Test
    void notesAreTheEndsThatListenersReceive() {
        long seed = Long.getLong("wheel.test.seed", System.nanoTime());
        System.out.println("wheel.test.seed=" + seed);
        Random random = new Random(seed);
        Node node = node(pool);
        node.engine.listen(ends::add);
        DecidingBody<String> body = (payload, run) -> switch (String.valueOf(payload)) {
            case "0" -> throw new IllegalStateException("on purpose");
            case "1" -> DurableOutcome.giveUp("no use");
            case "2" ->
                run.firstDueAt().equals(run.dueAt()) ? DurableOutcome.again(Instant.now()) : DurableOutcome.done();
            default -> DurableOutcome.done();
        };
        node.engine.decide("plain", String.class, RETRIES, 10, null, null, body);
        node.engine.decide("within", String.class, RETRIES, 10, null, new JdbcTransactionManager(pool), body);
        node.start();
        Instant later = Instant.parse("2050-01-02T03:04:05Z");
        int expected = 0;
        for (int i = 0; i < 200; i++) {
            String handler = random.nextBoolean() ? "plain" : "within";
            int kind = random.nextInt(6);
            assertThat(node.engine.schedule(handler, "" + i, "" + kind, kind == 5 ? later : Instant.now()))
                    .isTrue();
            if (kind == 5) {
                assertThat(node.engine.cancel(handler, "" + i)).isTrue();
            }
            expected += kind == 0 || kind == 2 ? 2 : 1;
        }
        int all = expected;
        await().atMost(Duration.ofSeconds(60)).until(() -> ends.size() >= all && notes.size() >= all);
        assertThat(notes)
                .extracting(note -> note.kind() + " " + note.task() + " " + note.instance() + " " + note.attempt())
                .containsExactlyInAnyOrderElementsOf(ends.stream()
                        .map(end -> kindOf(end) + " " + end.handler() + " " + end.id() + " " + end.attempt())
                        .toList());
    }

    private static Kind kindOf(DurableEnd end) {
        return switch (end.kind()) {
            case DONE, AGAIN -> Kind.DONE;
            case RETRIED -> Kind.FAILED;
            case GIVEN_UP -> Kind.GIVEN_UP;
            case CANCELLED -> Kind.CANCELLED;
            case TAKEN_OVER -> Kind.TAKEN_OVER;
        };
    }
}
