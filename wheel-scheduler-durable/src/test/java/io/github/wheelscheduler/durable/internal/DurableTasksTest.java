package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks.Replacement;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.TestDatabase.RecordingDataSource;
import io.github.wheelscheduler.durable.testing.CapturedLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** What is scheduled runs at its time, once, on any node, no matter what happens. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
class DurableTasksTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final List<Node> nodes = new ArrayList<>();

    DurableTasksTest(TestDatabase database) {
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
    }

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
        dataSource.close();
    }

    private Node node(String name) {
        Node node = new Node(name, dataSource);
        nodes.add(node);
        return node;
    }

    /** A node that claims what is due within the minute, so that the test has time to look at it. */
    private Node claimingEarly(String name) {
        Node node = new Node(Node.settings(name, Duration.ofMinutes(1)), dataSource, DurableObserver.NONE);
        nodes.add(node);
        return node;
    }

    private Node running(String name) {
        return node(name)
                .handle("note", String.class, payload -> ran.add(String.valueOf(payload)))
                .start();
    }

    private static Instant in(long millis) {
        return Instant.now().plusMillis(millis);
    }

    private void awaitRan(String... payloads) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).containsExactlyInAnyOrder(payloads));
    }

    private int rows() {
        Integer count = jdbc.queryForObject("select count(*) from wheel_durable_task", Integer.class);
        return count == null ? -1 : count;
    }

    @Test
    void errorOfTheClockIsLoggedInWords() {
        try (CapturedLog log = CapturedLog.beginAlone()) {
            Node ignored = running("worded");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(log.of(
                                    Level.INFO, "worded, which uses the clock of the database, with an error of "))
                            .singleElement()
                            .satisfies(line -> assertThat(line.getMessage()).matches(".* at most [\\d.]+ m?s")));
        }
    }

    @Test
    void runsWithItsPayloadWhenItIsDueAndIsGoneThen() {
        record Invoice(String number, Instant at) {}
        Queue<Instant> started = new ConcurrentLinkedQueue<>();
        Queue<Invoice> seen = new ConcurrentLinkedQueue<>();
        Node node = node("a").handle("invoice", Invoice.class, invoice -> {
            started.add(Instant.now());
            seen.add(invoice);
        });
        node.start();
        Instant dueAt = in(1_500);
        Invoice invoice = new Invoice("4711", Instant.parse("2026-01-02T03:04:05Z"));

        assertThat(node.engine.schedule("invoice", "4711", invoice, dueAt)).isTrue();

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(seen).containsExactly(invoice));
        // Both clocks are this machine's; the column has microseconds.
        assertThat(Duration.between(dueAt, started.element()))
                .isGreaterThan(Duration.ofMillis(-1).minus(node.engine.clockError()));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(rows()).isZero());
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() == 1);
    }

    @Test
    void knownIdIsNotScheduledAgainAndTheTransactionGoesOn() {
        Node node = node("a");
        assertThat(node.engine.schedule("note", "1", "first", in(60_000))).isTrue();
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));

        transaction.executeWithoutResult(status -> {
            assertThat(node.engine.schedule("note", "1", "second", in(0))).isFalse();
            assertThat(node.engine.schedule("note", "2", "other", in(60_000))).isTrue();
        });

        assertThat(node.engine.list("note", null, null, 10))
                .extracting(DurableTask::id)
                .containsExactly("1", "2");
    }

    /** The table is made when it is used for the first time. */
    @Test
    void makingTheTableIsNoPartOfTheCallersTransaction() {
        Node node = node("a");
        jdbc.execute("create table invoice (id int)");
        new TransactionTemplate(new DataSourceTransactionManager(dataSource)).executeWithoutResult(status -> {
            assertThat(jdbc.update("insert into invoice values (1)")).isEqualTo(1);
            assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
            status.setRollbackOnly();
        });
        assertThat(jdbc.queryForList("select id from invoice")).isEmpty();
        assertThat(node.engine.find("note", "1")).isEmpty();
    }

    @Test
    void belongsToTheTransactionOfTheCaller() {
        Node node = running("a");
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));

        transaction.executeWithoutResult(status -> {
            assertThat(node.engine.schedule("note", "1", "rolled back", in(0))).isTrue();
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> {
            assertThat(node.engine.schedule("note", "2", "committed", in(-3_000)))
                    .isTrue();
            assertThat(ran).isEmpty();
        });

        awaitRan("committed");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(rows()).isZero());
    }

    @Test
    void canBeCancelledAndMovedUntilItIsClaimed() {
        Node node = running("a");
        assertThat(node.engine.schedule("note", "1", "one", in(60_000))).isTrue();
        assertThat(node.engine.schedule("note", "2", "two", in(60_000))).isTrue();

        assertThat(node.engine.cancel("note", "1")).isTrue();
        assertThat(node.engine.cancel("note", "1")).isFalse();
        assertThat(node.engine.reschedule("note", "2", in(0))).isTrue();
        assertThat(node.engine.reschedule("note", "3", in(0))).isFalse();

        awaitRan("two");
        assertThat(node.engine.find("note", "1")).isEmpty();
    }

    @Test
    void claimedRowCanNeitherBeCancelledNorMoved() {
        Node node = claimingEarly("a").handle("note", String.class, payload -> ran.add(String.valueOf(payload)));
        node.start();
        assertThat(node.engine.schedule("note", "1", "one", in(45_000))).isTrue();
        await().atMost(PATIENCE).until(() -> node.engine.counts().waiting() == 1);

        assertThat(node.engine.find("note", "1"))
                .get()
                .extracting(DurableTask::state, DurableTask::owner)
                .containsExactly(DurableTask.State.CLAIMED, "a");
        assertThat(node.engine.cancel("note", "1")).isFalse();
        assertThat(node.engine.reschedule("note", "1", in(0))).isFalse();
        assertThat(ran).isEmpty();
    }

    @Test
    void isTriedAgainAndGivenUpAndCanBeRetriedThen() {
        AtomicInteger calls = new AtomicInteger();
        Node node = node("a").handle("note", String.class, payload -> {
            if (calls.incrementAndGet() <= 3) {
                throw new IllegalStateException("on purpose " + calls);
            }
            ran.add(String.valueOf(payload));
        });
        node.start();
        assertThat(node.engine.schedule("note", "1", "one", in(0))).isTrue();

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(node.engine.list("note", DurableTask.State.FAILED, null, 10))
                        .singleElement()
                        .satisfies(task -> {
                            assertThat(task.failures()).isEqualTo(3);
                            assertThat(task.failure()).contains("on purpose 3");
                            assertThat(task.owner()).isNull();
                        }));
        assertThat(node.engine.counts().givenUp()).isEqualTo(1);
        assertThat(node.engine.retry("note", "1")).isTrue();
        assertThat(node.engine.retry("note", "1")).isFalse();

        awaitRan("one");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(rows()).isZero());
    }

    @Test
    void permanentlyFailedRowCanBeDeleted() {
        Node node = node("a").handle("note", String.class, payload -> {
            throw new IllegalStateException("on purpose");
        });
        node.start();
        assertThat(node.engine.schedule("note", "1", null, in(0))).isTrue();
        await().atMost(PATIENCE).until(() -> node.engine.counts().givenUp() == 1);

        await().atMost(PATIENCE).until(() -> node.engine.cancel("note", "1"));

        assertThat(rows()).isZero();
    }

    @Test
    void severalAreScheduledInOneBatch() {
        Node node = running("a");
        assertThat(node.engine.schedule("note", "2", "before", in(60_000))).isTrue();

        int scheduled = node.engine.scheduleAll(
                "note",
                List.of(
                        new DurableRequest("1", "one", in(0)),
                        new DurableRequest("2", "two", in(0)),
                        new DurableRequest("3", "three", in(300))));

        assertThat(scheduled).isEqualTo(2);
        awaitRan("one", "three");
    }

    @Test
    void severalAreScheduledTogetherOrNotAtAll() {
        Node node = running("a");
        jdbc.execute("alter table wheel_durable_task add constraint no_bad check (task_instance <> 'bad')");
        List<DurableRequest> requests =
                List.of(new DurableRequest("a", "one", in(60_000)), new DurableRequest("bad", "two", in(60_000)));
        assertThatExceptionOfType(DataAccessException.class)
                .isThrownBy(() -> node.engine.scheduleAll("note", requests));
        assertThat(rows()).isZero();
    }

    @Test
    void rowWithoutAHandlerIsLeftToOthers() {
        Node withoutIt = node("a").handle("other", String.class, payload -> {}).start();
        assertThat(withoutIt.engine.schedule("note", "1", "one", in(0))).isTrue();
        assertThat(withoutIt.engine.schedule("other", "1", "one", in(0))).isTrue();
        await().atMost(PATIENCE).until(() -> withoutIt.engine.counts().succeeded() == 1);

        assertThat(withoutIt.engine.find("note", "1"))
                .get()
                .extracting(DurableTask::state)
                .isEqualTo(DurableTask.State.SCHEDULED);
        Node withIt = running("b");

        awaitRan("one");
        assertThat(withIt.engine.counts().claimed()).isEqualTo(1);
        assertThat(withoutIt.engine.counts().claimed()).isEqualTo(1);
    }

    @Test
    void hostileRowIsLeftAloneAndHarmsNoOther() {
        record Invoice(String number) {}
        Queue<Invoice> seen = new ConcurrentLinkedQueue<>();
        Node node = node("a").handle("invoice", Invoice.class, seen::add);
        assertThat(node.engine.schedule("invoice", "broken", new Invoice("x"), in(0)))
                .isTrue();
        assertThat(node.engine.schedule("invoice", "foreign", new Invoice("x"), in(0)))
                .isTrue();
        assertThat(node.engine.schedule("nobody", "1", "x", in(0))).isTrue();
        assertThat(node.engine.schedule("invoice", "unnamed", new Invoice("x"), in(0)))
                .isTrue();
        setPayload("broken", "{\"number\":");
        // Of a format whose name no text of a database holds.
        setPayload("unnamed", "\u0001a\u0000\u0002");
        setPayload("foreign", "[\"javax.naming.InitialContext\", {\"number\": 1}]");
        node.start();

        assertThat(node.engine.schedule("invoice", "good", new Invoice("1"), in(0)))
                .isTrue();

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(seen).containsExactly(new Invoice("1")));
        await().atMost(PATIENCE).until(() -> node.engine.counts().unreadable() >= 3);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(node.engine.list("invoice", null, null, 10))
                        .extracting(DurableTask::id, DurableTask::state, DurableTask::failures)
                        .containsExactly(
                                org.assertj.core.groups.Tuple.tuple("broken", DurableTask.State.UNREADABLE, 0),
                                org.assertj.core.groups.Tuple.tuple("foreign", DurableTask.State.UNREADABLE, 0),
                                org.assertj.core.groups.Tuple.tuple("unnamed", DurableTask.State.UNREADABLE, 0)));
    }

    private void setPayload(String id, String payload) {
        int updated = jdbc.update(
                "update wheel_durable_task set task_data = ? where task_instance = ?",
                payload.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                id);
        assertThat(updated).isEqualTo(1);
    }

    @Test
    void twoNodesRunEachOnceAndNoneEarly() {
        Queue<Duration> latenesses = new ConcurrentLinkedQueue<>();
        DurableObserver observer = new DurableObserver() {
            @Override
            public void starting(String handler, Duration lateness) {
                latenesses.add(lateness);
            }
        };
        for (String name : List.of("a", "b")) {
            Node node = new Node(Node.settings(name), dataSource, observer);
            nodes.add(node);
            node.handle("note", String.class, payload -> ran.add(String.valueOf(payload)))
                    .start();
        }
        List<DurableRequest> requests = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        Instant start = in(1_000);
        for (int i = 0; i < 300; i++) {
            ids.add("t" + i);
            requests.add(new DurableRequest("t" + i, "t" + i, start.plusMillis(10L * i)));
        }

        assertThat(nodes.get(0).engine.scheduleAll("note", requests)).isEqualTo(300);

        awaitRan(ids.toArray(String[]::new));
        assertThat(latenesses)
                .hasSize(300)
                .allSatisfy(lateness -> assertThat(lateness).isGreaterThanOrEqualTo(Duration.ZERO));
        // Counted once they are committed.
        await().atMost(PATIENCE)
                .until(() -> nodes.get(0).engine.counts().succeeded()
                                + nodes.get(1).engine.counts().succeeded()
                        == 300);
    }

    @Test
    void rowsClaimedByADeadNodeAreTakenOver() {
        CountDownLatch hangs = new CountDownLatch(1);
        Node dead = node("a").handle("note", String.class, payload -> hangs.await());
        dead.start();
        assertThat(dead.engine.schedule("note", "1", "running", in(0))).isTrue();
        assertThat(dead.engine.schedule("note", "2", "waiting", in(900))).isTrue();
        await().atMost(PATIENCE)
                .until(() -> dead.engine.counts().running() >= 1
                        && dead.engine.counts().claimed() == 2);
        dead.kill();

        Node other = running("b");

        awaitRan("running", "waiting");
        // Counted once the rows are free, which is when they may run.
        await().atMost(PATIENCE).until(() -> other.engine.counts().takenOver() > 0);
        assertThat(other.engine.counts().takenOver()).isLessThanOrEqualTo(2);
    }

    @Test
    void closingReleasesUnstartedRowsAndAwaitsOthers() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Node first = claimingEarly("a").handle("note", String.class, payload -> {
            begun.countDown();
            goOn.await();
            ran.add(String.valueOf(payload));
        });
        first.start();
        assertThat(first.engine.schedule("note", "1", "running", in(0))).isTrue();
        assertThat(first.engine.schedule("note", "2", "waiting", in(45_000))).isTrue();
        await().atMost(PATIENCE)
                .until(() -> begun.getCount() == 0 && first.engine.counts().waiting() == 1);
        Thread closer = new Thread(first.engine::close);
        closer.start();

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(first.engine.find("note", "2"))
                        .get()
                        .extracting(DurableTask::state)
                        .isEqualTo(DurableTask.State.SCHEDULED));
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> !closer.isAlive());

        awaitRan("running");
        assertThat(rows()).isEqualTo(1);
        Node second = running("b");
        assertThat(second.engine.reschedule("note", "2", in(0))).isTrue();
        awaitRan("running", "waiting");
        assertThat(second.engine.counts().takenOver()).isZero();
    }

    @Test
    void pausedExecutorClaimsNothingAndReleasesRows() {
        Node node = claimingEarly("a").handle("note", String.class, payload -> ran.add(String.valueOf(payload)));
        node.start();
        assertThat(node.engine.schedule("note", "1", "one", in(45_000))).isTrue();
        await().atMost(PATIENCE).until(() -> node.engine.counts().waiting() == 1);

        node.executor.pause();

        await().atMost(PATIENCE).until(() -> node.engine.reschedule("note", "1", in(0)));
        assertThat(node.engine.find("note", "1"))
                .get()
                .extracting(DurableTask::state)
                .isEqualTo(DurableTask.State.SCHEDULED);
        assertThat(ran).isEmpty();
        node.executor.resume();
        awaitRan("one");
    }

    @Test
    void calendarEndsWithTheYear9999() {
        Instant last = Instant.parse("9999-12-31T23:59:59.999999Z");
        Node node = node("a").start();
        assertThat(node.engine.schedule("note", "last", "x", last)).isTrue();
        assertThat(node.engine.find("note", "last"))
                .get()
                .satisfies(task -> assertThat(task.dueAt()).isEqualTo(last));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.schedule("note", "later", "x", last.plusNanos(1_000)))
                .withMessageStartingWith("at must be in one of the years 1 to 9999, was +10000-01-01");
    }

    @Test
    void runThatReschedulesItselfForNowWaitsForNoPoll() {
        AtomicInteger runs = new AtomicInteger();
        Node node = claimingEarly("a");
        node.handle("again", String.class, payload -> {
            ran.add(String.valueOf(runs.incrementAndGet()));
            if (runs.get() < 20) {
                assertThat(node.engine.schedule("again", "1", "x", Instant.now()))
                        .isTrue();
            }
        });
        node.start();
        long startNanos = System.nanoTime();
        assertThat(node.engine.schedule("again", "1", "x", Instant.now())).isTrue();
        await().atMost(PATIENCE.multipliedBy(2)).until(() -> rows() == 0);
        assertThat(runs).hasValue(20);
        // Looks come by themselves once a second.
        assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(Duration.ofSeconds(12));
        assertThat(node.engine.counts().lost()).isZero();
    }

    @Test
    void retriesOfSimultaneousFailuresAreSpread() {
        Node node = node("a");
        node.engine.handle(
                "flaky", String.class, new RetryPolicy(1, Duration.ofSeconds(100), Duration.ofHours(1)), payload -> {
                    throw new IllegalStateException("on purpose");
                });
        node.start();
        for (int i = 0; i < 10; i++) {
            assertThat(node.engine.schedule("flaky", "" + i, "x", Instant.now()))
                    .isTrue();
        }
        await().atMost(PATIENCE).until(() -> node.engine.counts().failed() == 10);
        await().atMost(PATIENCE)
                .until(() -> node.engine
                                .list("flaky", DurableTask.State.SCHEDULED, null, 10)
                                .size()
                        == 10);
        List<Duration> pauses = node.engine.list("flaky", null, null, 10).stream()
                .map(task -> Duration.between(task.lastFailureAt(), task.dueAt()))
                .sorted()
                .toList();
        assertThat(pauses)
                .allSatisfy(pause -> assertThat(pause).isBetween(Duration.ofSeconds(99), Duration.ofSeconds(111)));
        assertThat(pauses.get(9)).isGreaterThan(pauses.get(0).plusMillis(500));
    }

    @Test
    void listsPageByPage() {
        Node node = node("a");
        for (String id : List.of("c", "a", "b")) {
            assertThat(node.engine.schedule("note", id, null, in(60_000))).isTrue();
        }

        assertThat(node.engine.list("note", null, null, 2))
                .extracting(DurableTask::id)
                .containsExactly("a", "b");
        assertThat(node.engine.list("note", null, "b", 2))
                .extracting(DurableTask::id)
                .containsExactly("c");
        assertThat(node.engine.list("note", DurableTask.State.FAILED, null, 2)).isEmpty();
        assertThat(node.engine.list("other", null, null, 2)).isEmpty();
    }

    @Test
    void badInputIsRefusedWithTheRuleAndTheValue() {
        Node node = running("a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.schedule("", "1", null, in(0)))
                .withMessage("handler must have 1 to 250 characters, was ''");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.schedule("note", "x".repeat(251), null, in(0)))
                .withMessageStartingWith("id must have 1 to 250 characters, was 'xxx");
        List<Object> circle = new ArrayList<>();
        circle.add(circle);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.schedule("elsewhere", "1", circle, in(0)))
                .withMessageStartingWith("payload must be something that can be written as JSON, was a ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.schedule("note", "1", List.of(), in(0)))
                .withMessageStartingWith(
                        "payload must be something that can be written as java.lang.String, as its handler reads it, "
                                + "was a ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.schedule("note", "1", null, Duration.ofNanos(-1)))
                .withMessage("delay must be 0 to 1,000 years, was PT-0.000000001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.list("note", null, null, 0))
                .withMessage("limit must be 1 to 10,000, was 0");
        assertThatIllegalStateException()
                .isThrownBy(() -> node.handle("note", String.class, payload -> {}))
                .withMessage("A durable handler must have a name of its own, there are two 'note'");
    }

    /** Begins a transaction of a user's that has locked a row. */
    private Connection lock(String id) throws SQLException {
        Connection user = dataSource.getConnection();
        user.setAutoCommit(false);
        try (Statement statement = user.createStatement()) {
            assertThat(statement.execute("select 1 from wheel_durable_task where task_name = 'note' and "
                            + "task_instance = '" + id + "' for update"))
                    .isTrue();
        }
        return user;
    }

    private void awaitOwner(String id, boolean isThere) {
        await().atMost(PATIENCE)
                .until(() -> jdbc.queryForList(
                                        "select owner from wheel_durable_task where task_instance = ?", Long.class, id)
                                .get(0)
                        != null
                        == isThere);
    }

    @Test
    void lockedRowIsGivenBackWhenItsLockIsGone() throws SQLException {
        Node node = claimingEarly("a").handle("note", String.class, payload -> {});
        node.start();
        Instant at = in(50_000);
        for (String id : List.of("a", "b")) {
            assertThat(node.engine.schedule("note", id, id, at)).isTrue();
        }
        await().atMost(PATIENCE).until(() -> node.engine.counts().waiting() == 2);
        try (Connection user = lock("a")) {
            node.executor.pause();
            awaitOwner("b", false);
            awaitOwner("a", true);
            user.rollback();
        }
        awaitOwner("a", false);
        await().atMost(PATIENCE).until(() -> node.engine.counts().givenBack() == 2);
        node.executor.resume();
        await().atMost(PATIENCE).until(() -> node.engine.counts().waiting() == 2);
    }

    @Test
    void nodeClosesThoughARowIsLocked() throws SQLException {
        DurableSettings usual = Node.settings("a", Duration.ofMinutes(1));
        DurableSettings patient = new DurableSettings(
                usual.table(),
                true,
                usual.node(),
                usual.maxConcurrent(),
                usual.claimAhead(),
                usual.maxClaimed(),
                usual.heartbeat(),
                usual.deadAfter(),
                Duration.ofMinutes(10),
                usual.forgetAfter(),
                usual.maxDeaths(),
                null,
                true,
                usual.unknownHandlers());
        Node node = new Node(patient, dataSource, DurableObserver.NONE).handle("note", String.class, payload -> {});
        nodes.add(node);
        node.start();
        assertThat(node.engine.schedule("note", "a", "a", in(50_000))).isTrue();
        await().atMost(PATIENCE).until(() -> node.engine.counts().waiting() == 1);
        try (Connection user = lock("a")) {
            // Behind the lock, it would wait for ten minutes.
            assertThat(CompletableFuture.runAsync(node::close)).succeedsWithin(Duration.ofSeconds(60));
            user.rollback();
        }
    }

    /** Does something before the second connection is taken, once, on the thread that has made it. */
    private static final class Meeting extends DelegatingDataSource {

        private final Thread thread = Thread.currentThread();
        private @Nullable Runnable step;
        private int taken;

        Meeting(HikariDataSource target) {
            super(target);
        }

        void beforeSecond(Runnable next) {
            taken = 0;
            step = next;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Runnable next = step;
            if (next != null && Thread.currentThread() == thread && ++taken == 2) {
                step = null;
                next.run();
            }
            return super.getConnection();
        }
    }

    @Test
    void taskIsReplacedThatHasComeMeanwhile() {
        Node other = node("a");
        Meeting meeting = new Meeting(dataSource);
        Node node = new Node("b", meeting);
        nodes.add(node);
        Instant later = in(500_000).truncatedTo(ChronoUnit.MILLIS);
        assertThat(node.engine.replace("note", "0", "x", later)).isEqualTo(Replacement.SCHEDULED);
        meeting.beforeSecond(() ->
                assertThat(other.engine.replace("note", "1", "x", in(600_000))).isEqualTo(Replacement.SCHEDULED));
        assertThat(node.engine.replace("note", "1", "y", later)).isEqualTo(Replacement.REPLACED);
        assertThat(node.engine.find("note", "1").orElseThrow().dueAt()).isEqualTo(later);
    }

    @Test
    void handlerThatEndsInASpaceIsRefused() {
        Node node = node("a");
        String message = "handler must not end in a space, was 'mail '";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.handle("mail ", String.class, payload -> {}))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.schedule("mail ", "1", null, in(0)))
                .withMessage(message);
        // Another program may have inserted some.
        assertThat(node.engine.cancel("mail ", "1")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, Long.MAX_VALUE})
    void timeLimitOfAnyLengthIsRefusedInWords(long seconds) {
        Duration limit = Duration.ofSeconds(seconds);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Arguments.requireLimits(1, limit))
                .withMessage("timeLimit must be 1 ms to 1,000 years, was " + limit);
    }

    @Test
    void delayIsNeverCutOff() {
        RecordingDataSource recording = new RecordingDataSource(dataSource);
        TaskTable tasks = new Database(recording, Node.settings("x")).tables().tasks();
        recording.forget();
        assertThat(tasks.insertIn("note", "1", new byte[0], Duration.ofNanos(1_000_001), null))
                .isTrue();
        assertThat(recording.parameters).contains(2L);
    }
}
