package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DecidingBody;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.RecurringRequest;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.RecurringTasks.Change;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.TestDatabase.RecordingDataSource;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.durable.testing.CapturedLog;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
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

/** Recurring tasks that are made at run time: made, changed, listed and ended, for all nodes. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
@Timeout(120)
class MadeTasksTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final TaskSchedule HOURLY = TaskSchedule.fixedRate(HOUR);
    private static final TaskSchedule DAILY = TaskSchedule.cron("0 0 3 * * *", ZoneId.of("Europe/Berlin"));
    private static final int MANY = Scale.of(2_000, 10_000, 10_000);
    private static final RetryPolicy TWO = new RetryPolicy(2, Duration.ofMillis(50), Duration.ofMillis(100));

    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final List<Node> nodes = new ArrayList<>();
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final Queue<DurableEnd> ends = new ConcurrentLinkedQueue<>();
    private final AtomicInteger runs = new AtomicInteger();

    MadeTasksTest(TestDatabase database) {
        pool = database.newDataSource();
        jdbc = new JdbcTemplate(pool);
        transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    }

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
        pool.close();
    }

    private Node node() {
        Node node = new Node("n" + nodes.size(), pool);
        nodes.add(node);
        return node;
    }

    private Node deciding(@Nullable PlatformTransactionManager manager, DecidingBody<String> body) {
        Node node = node();
        node.engine.listen(ends::add);
        node.engine.decide("report", String.class, TWO, 10, null, manager, body);
        return node.start();
    }

    /** A node that notes its runs. */
    private Node noting() {
        return deciding(null, (payload, run) -> {
            ran.add(run.id() + " " + payload);
            return DurableOutcome.done();
        });
    }

    private static RecurringTask find(Node node, String id) {
        return node.engine.recurringTasks().find(id).orElseThrow();
    }

    private static Change make(Node node, TaskSchedule schedule, @Nullable Instant first, String payload) {
        return node.engine
                .recurringTasks()
                .schedule("report", new RecurringRequest("a", schedule, payload, first, Durable.Missed.RUN_ONCE));
    }

    /** As exact as each database has it. */
    private static Instant in(int seconds) {
        return Instant.now().truncatedTo(ChronoUnit.MICROS).plusSeconds(seconds);
    }

    private void awaitRuns(int count) {
        await().atMost(PATIENCE).until(() -> ran.size() >= count);
    }

    private static RecurringTask awaitWaiting(Node node) {
        return await().atMost(PATIENCE)
                .until(() -> find(node, "a"), task -> task.owner() == null && task.lastSuccessAt() != null);
    }

    private static void awaitCounts(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    // Made, changed, listed, ended

    @Test
    void madeTaskRunsAgainAndAgain() {
        Node node = noting();
        assertThat(make(node, TaskSchedule.fixedRate(Duration.ofMillis(200)), null, "x"))
                .isEqualTo(Change.ADDED);
        awaitRuns(4);
        assertThat(ran).containsOnly("a x");
        assertThat(find(node, "a").handler()).isEqualTo("report");
        assertThat(find(node, "a").schedule()).isEqualTo("fixed-rate PT0.2S");
        assertThat(node.engine.recurringTasks().end("a")).isTrue();
        assertThat(node.engine.recurringTasks().end("a")).isFalse();
        assertThat(node.engine.recurringTasks().list()).isEmpty();
        await().atMost(PATIENCE).until(() -> rows() == 0);
    }

    /** A row that was to end with its run, and whose end was lost, is left as ended, and deleted a minute later. */
    private boolean isEnded() {
        return jdbc.queryForObject(
                        "select count(*) from wheel_durable_task where state <> " + RowState.ENDED, Integer.class)
                == 0;
    }

    private int rows() {
        return jdbc.queryForObject("select count(*) from wheel_durable_task", Integer.class);
    }

    @Test
    void unchangedTaskKeepsItsNextRun() {
        Node node = noting();
        Instant first = in(1_000);
        assertThat(make(node, HOURLY, first, "x")).isEqualTo(Change.ADDED);
        Instant due = find(node, "a").dueAt();
        assertThat(due).isEqualTo(first);
        assertThat(make(node, HOURLY, Instant.now().plusSeconds(5_000), "x")).isEqualTo(Change.UNCHANGED);
        assertThat(make(node, HOURLY, Instant.now().plusSeconds(5_000), "y")).isEqualTo(Change.CHANGED);
        assertThat(find(node, "a").dueAt()).isEqualTo(due);
        assertThat(make(node, DAILY, null, "y")).isEqualTo(Change.CHANGED);
        assertThat(find(node, "a").dueAt()).isAfter(due.minusSeconds(1_000)).isNotEqualTo(due);
        assertThat(find(node, "a").schedule()).isEqualTo("cron 0 0 3 * * * Europe/Berlin");
    }

    @Test
    void retimeHoldsUntilTheCodeChangesTheSchedule() {
        Node node = noting();
        make(node, HOURLY, Instant.now().plusSeconds(1_000), "x");
        RecurringTasks tasks = node.engine.recurringTasks();
        assertThat(tasks.retime("a", DAILY)).isTrue();
        assertThat(make(node, HOURLY, null, "y")).isEqualTo(Change.CHANGED);
        assertThat(find(node, "a"))
                .extracting(RecurringTask::schedule, RecurringTask::declaredSchedule)
                .containsExactly("cron 0 0 3 * * * Europe/Berlin", "fixed-rate PT1H");
        assertThat(make(node, TaskSchedule.fixedDelay(HOUR), Instant.now().plusSeconds(900), "y"))
                .isEqualTo(Change.CHANGED);
        assertThat(find(node, "a"))
                .extracting(RecurringTask::schedule, RecurringTask::declaredSchedule)
                .containsExactly("fixed-delay PT1H", "fixed-delay PT1H");
    }

    @Test
    void operatorPausesTriggersAndResumes() {
        Node node = noting();
        make(node, HOURLY, Instant.now().plusSeconds(1_000), "x");
        Instant due = find(node, "a").dueAt();
        RecurringTasks tasks = node.engine.recurringTasks();
        assertThat(tasks.pause("a")).isTrue();
        assertThat(find(node, "a").isPaused()).isTrue();
        assertThat(make(node, HOURLY, null, "y")).isEqualTo(Change.CHANGED);
        assertThat(find(node, "a").isPaused())
                .as("a change does not end a pause")
                .isTrue();
        assertThat(tasks.trigger("a")).isTrue();
        awaitRuns(1);
        assertThat(awaitWaiting(node).dueAt()).isEqualTo(due);
        assertThat(tasks.resume("a")).isTrue();
        assertThat(find(node, "a"))
                .extracting(RecurringTask::isPaused, RecurringTask::dueAt)
                .containsExactly(false, due);
    }

    @Test
    void rolledBackTransactionLeavesAllAsItWas() {
        Node node = noting();
        transaction.executeWithoutResult(status -> {
            assertThat(make(node, HOURLY, null, "x")).isEqualTo(Change.ADDED);
            assertThat(find(node, "a").handler()).isEqualTo("report");
            status.setRollbackOnly();
        });
        assertThat(node.engine.recurringTasks().find("a")).isEmpty();
        make(node, HOURLY, Instant.now().plusSeconds(1_000), "x");
        RecurringTask before = find(node, "a");
        transaction.executeWithoutResult(status -> {
            assertThat(make(node, DAILY, null, "y")).isEqualTo(Change.CHANGED);
            assertThat(node.engine.recurringTasks().end("a")).isTrue();
            assertThat(make(node, DAILY, null, "y")).isEqualTo(Change.ADDED);
            status.setRollbackOnly();
        });
        assertThat(find(node, "a")).isEqualTo(before);
        assertThat(ran).isEmpty();
    }

    @Test
    void nodesMakeOneIdAtOnce() {
        Node one = noting();
        Node other = noting();
        Instant first = Instant.now().plusSeconds(1_000);
        for (int i = 0; i < 20; i++) {
            String id = "a" + i;
            RecurringRequest request = new RecurringRequest(id, HOURLY, "x", first, Durable.Missed.RUN_ONCE);
            List<Change> changes = List.of(one, other).stream()
                    .map(node -> CompletableFuture.supplyAsync(() -> transaction.execute(
                            status -> node.engine.recurringTasks().schedule("report", request))))
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
            assertThat(changes).containsExactlyInAnyOrder(Change.ADDED, Change.UNCHANGED);
        }
        assertThat(one.engine.recurringTasks().list()).hasSize(20);
    }

    // Ids

    @Test
    void tasksOfBothKindsAreListedByPages() {
        Node node = noting();
        Runnable ignored = node.engine.repeat("method", RecurringTable.parse("fixed-rate PT1H"), false, () -> {});
        List<String> ids = new ArrayList<>(List.of("method"));
        for (int i = 0; i < 25; i++) {
            ids.add("made" + i);
            RecurringRequest request = new RecurringRequest(
                    "made" + i, HOURLY, "x", Instant.now().plusSeconds(1_000), Durable.Missed.RUN_ONCE);
            assertThat(node.engine.recurringTasks().schedule("report", request)).isEqualTo(Change.ADDED);
        }
        RecurringTasks tasks = node.engine.recurringTasks();
        await().atMost(PATIENCE).until(() -> tasks.list().size() == 26);

        List<String> listed = new ArrayList<>();
        List<RecurringTask> page = tasks.list(null, 7);
        while (!page.isEmpty()) {
            assertThat(page).hasSizeLessThanOrEqualTo(7);
            page.forEach(task -> listed.add(task.id()));
            page = tasks.list(listed.get(listed.size() - 1), 7);
        }

        assertThat(listed).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(tasks.list()).extracting(RecurringTask::id).containsExactlyElementsOf(listed);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tasks.list(null, 0))
                .withMessageContaining("was 0");
    }

    @Test
    void idOfAMethodIsRefused() {
        Node node = noting();
        Runnable ignored = node.engine.repeat("a", RecurringTable.parse("fixed-rate PT1H"), false, () -> ran.add("m"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(node, HOURLY, null, "x"))
                .withMessage("id must not be that of a @Durable method, was 'a'");
        awaitRuns(1);
        Node other = noting();
        assertThatIllegalArgumentException().isThrownBy(() -> make(other, HOURLY, null, "x"));
        assertThat(node.engine.recurringTasks().end("a")).isFalse();
        assertThat(find(node, "a").handler()).isNull();
    }

    @Test
    void methodWithTheIdOfAMadeTaskDoesNotRun() {
        Node node = noting();
        make(node, HOURLY, Instant.now().plusSeconds(1_000), "x");
        try (CapturedLog log = CapturedLog.beginAlone()) {
            Runnable ignored =
                    node.engine.repeat("a", RecurringTable.parse("fixed-rate PT0.1S"), false, () -> ran.add("m"));
            await().atMost(PATIENCE)
                    .until(() -> log.with("task a does not run on this node").size() == 1);
            assertThat(node.engine.recurringTasks().list()).hasSize(1);
            assertThat(ran).isEmpty();
            assertThat(node.engine.recurringTasks().end("a")).isTrue();
            awaitRuns(1);
            assertThat(log.with("task a does not run on this node")).hasSize(1);
        }
        assertThat(ran).containsOnly("m");
    }

    @Test
    void methodIsRefusedWhereBothHaveComeAtOnce() {
        Node node = noting();
        Runnable ignored =
                node.engine.repeat("both", RecurringTable.parse("fixed-rate PT0.1S"), false, () -> ran.add("m"));
        awaitRuns(1);
        assertThat(node.engine.recurringTasks().schedule("report", "b", HOURLY, "x"))
                .isEqualTo(Change.ADDED);
        try (CapturedLog log = CapturedLog.beginAlone()) {
            // As one whose transaction has seen no row of the method.
            assertThat(jdbc.update("update wheel_durable_task set task_instance = 'both' where task_instance = 'b'"))
                    .isEqualTo(1);
            await().atMost(PATIENCE)
                    .until(() -> log.with("task both does not run on this node").size() == 1);
        }
        assertThat(find(node, "both").handler()).isEqualTo("report");
        assertThat(node.engine.recurringTasks().end("both")).isTrue();
        int before = ran.size();
        awaitRuns(before + 2);
    }

    @Test
    void taskOfAMissingHandlerWaits() {
        Node without = node().start();
        make(without, HOURLY, null, "x");
        assertThat(without.engine.overview().unknownHandlers()).containsExactly("report");
        assertThat(find(without, "a").owner()).isNull();
        Node with = noting();
        awaitRuns(1);
        assertThat(with.engine.overview().unknownHandlers()).isEmpty();
    }

    // Runs

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void failedRunIsTriedAgainAndThenTheScheduleGoesOn(boolean isTransactional) {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        Instant first = Instant.parse("2026-01-02T03:04:05Z");
        Node node = deciding(isTransactional ? new JdbcTransactionManager(pool) : null, (payload, run) -> {
            seen.add(run.attempt() + " " + run.firstDueAt());
            throw new IllegalStateException("on purpose");
        });
        make(node, HOURLY, first, "x");
        await().atMost(PATIENCE).until(() -> ends.size() == 3);
        assertThat(seen).containsExactly("1 " + first, "2 " + first, "3 " + first);
        assertThat(ends)
                .extracting(DurableEnd::kind)
                .containsExactly(DurableEnd.Kind.RETRIED, DurableEnd.Kind.RETRIED, DurableEnd.Kind.GIVEN_UP);
        assertThat(ends).allSatisfy(end -> assertThat(end.handler()).isEqualTo("report"));
        RecurringTask task = find(node, "a");
        assertThat(task.failures()).isEqualTo(3);
        assertThat(task.failure()).contains("on purpose");
        assertThat(task.dueAt()).isAfter(Instant.now());
        assertThat(Duration.between(first, task.dueAt()).toNanos() % HOUR.toNanos())
                .as("in phase")
                .isZero();
        assertThat(node.engine.recurringTasks().trigger("a")).isTrue();
        await().atMost(PATIENCE).until(() -> seen.size() == 6);
        assertThat(seen).element(3).asString().startsWith("1 ");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void outcomeIsThatOfARun(boolean isTransactional) {
        Instant first = Instant.parse("2026-01-02T03:04:05Z");
        Queue<Instant> firstDue = new ConcurrentLinkedQueue<>();
        Node node = deciding(isTransactional ? new JdbcTransactionManager(pool) : null, (payload, run) -> {
            firstDue.add(run.firstDueAt());
            return switch (runs.incrementAndGet()) {
                case 1 -> DurableOutcome.again(Instant.now());
                case 2 -> DurableOutcome.giveUp("no more of this one");
                default -> DurableOutcome.done();
            };
        });
        make(node, HOURLY, first, "x");
        await().atMost(PATIENCE).until(() -> ends.size() == 2);
        // The second run may end before listeners receive the end of the first.
        assertThat(ends)
                .extracting(DurableEnd::kind)
                .containsExactlyInAnyOrder(DurableEnd.Kind.AGAIN, DurableEnd.Kind.GIVEN_UP);
        assertThat(firstDue).containsExactly(first, first);
        RecurringTask task = find(node, "a");
        assertThat(task.failure()).isEqualTo("no more of this one");
        assertThat(task.failures()).isEqualTo(1);
        assertThat(Duration.between(first, task.dueAt()).toNanos() % HOUR.toNanos())
                .isZero();
        assertThat(node.engine.recurringTasks().trigger("a")).isTrue();
        await().atMost(PATIENCE).until(() -> ends.size() == 3);
        assertThat(awaitWaiting(node))
                .extracting(RecurringTask::failures, RecurringTask::failure, RecurringTask::dueAt)
                .containsExactly(0, null, task.dueAt());
    }

    @Test
    void missedRunIsLeftOutIfAskedFor() {
        Node node = noting();
        Instant first = Instant.now().minusSeconds(600);
        RecurringTasks tasks = node.engine.recurringTasks();
        assertThat(tasks.schedule("report", new RecurringRequest("skip", HOURLY, "x", first, Durable.Missed.SKIP)))
                .isEqualTo(Change.ADDED);
        await().atMost(PATIENCE).until(() -> find(node, "skip").dueAt().isAfter(Instant.now()));
        assertThat(ran).isEmpty();
        assertThat(tasks.trigger("skip")).isTrue();
        awaitRuns(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void taskThatIsEndedInItsRunIsGoneWithIt(boolean isTransactional) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Node node = deciding(isTransactional ? new JdbcTransactionManager(pool) : null, (payload, run) -> {
            begun.countDown();
            awaitCounts(goesOn);
            ran.add("ended");
            return DurableOutcome.done();
        });
        Node other = noting();
        other.engine.drain();
        make(node, TaskSchedule.fixedRate(Duration.ofMillis(100)), null, "x");
        awaitCounts(begun);
        assertThat(other.engine.recurringTasks().end("a")).isTrue();
        assertThat(other.engine.recurringTasks().find("a")).isEmpty();
        assertThat(other.engine.recurringTasks().list()).isEmpty();
        goesOn.countDown();
        await().atMost(PATIENCE).until(() -> rows() == 0);
        assertThat(ran).containsExactly("ended");
        await().atMost(PATIENCE).until(() -> !ends.isEmpty());
        assertThat(ends).extracting(DurableEnd::kind).containsExactly(DurableEnd.Kind.DONE);
    }

    @Test
    void changeInARunHoldsFromItsEndOn() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Node node = deciding(new JdbcTransactionManager(pool), (payload, run) -> {
            begun.countDown();
            awaitCounts(goesOn);
            ran.add(String.valueOf(payload));
            return DurableOutcome.done();
        });
        make(node, HOURLY, null, "x");
        awaitCounts(begun);
        assertThat(node.engine.recurringTasks().end("a")).isTrue();
        assertThat(make(node, HOURLY, null, "x")).isEqualTo(Change.ADDED);
        Instant first = in(2_000);
        assertThat(make(node, TaskSchedule.fixedRate(HOUR.multipliedBy(2)), first, "y"))
                .isEqualTo(Change.CHANGED);
        goesOn.countDown();
        RecurringTask task = awaitWaiting(node);
        assertThat(task.dueAt()).isEqualTo(first);
        assertThat(node.engine.recurringTasks().trigger("a")).isTrue();
        awaitRuns(2);
        assertThat(ran).containsExactly("x", "y");
    }

    @Test
    void runMayEndItsOwnTask() {
        Node[] own = new Node[1];
        own[0] = deciding(new JdbcTransactionManager(pool), (payload, run) -> {
            ran.add(run.id());
            assertThat(own[0].engine.recurringTasks().end(run.id())).isTrue();
            return DurableOutcome.done();
        });
        make(own[0], TaskSchedule.fixedRate(Duration.ofMillis(50)), null, "x");
        awaitRuns(1);
        await().atMost(PATIENCE).until(() -> rows() == 0);
        assertThat(ran).hasSize(1);
    }

    @Test
    void payloadThatCannotBeReadWaitsForAnother() {
        Node writer = node().start();
        assertThat(writer.engine.recurringTasks().schedule("report", "a", HOURLY, List.of(1, 2)))
                .isEqualTo(Change.ADDED);
        Node node = noting();
        await().atMost(PATIENCE).until(() -> node.engine.overview().unreadable() == 1);
        assertThat(find(node, "a").failure()).contains("payload cannot be read");
        assertThat(make(node, HOURLY, null, "x")).isEqualTo(Change.CHANGED);
        awaitRuns(1);
        assertThat(awaitWaiting(node).failure()).isNull();
    }

    @Test
    void unreadablePayloadIsTriedByANodeThatStarts() {
        Node writer = node();
        writer.engine.decide("report", List.class, TWO, 1, null, null, (payload, run) -> DurableOutcome.done());
        assertThat(writer.engine.recurringTasks().schedule("report", "a", HOURLY, List.of(1, 2)))
                .isEqualTo(Change.ADDED);
        Node node = noting();
        await().atMost(PATIENCE).until(() -> node.engine.overview().unreadable() == 1);
        node.engine.drain();
        Node knows = node();
        knows.engine.decide("report", List.class, TWO, 1, null, null, (payload, run) -> {
            ran.add("read " + payload);
            return DurableOutcome.done();
        });
        knows.start();
        awaitRuns(1);
        assertThat(ran).containsExactly("read [1, 2]");
    }

    // Nodes that die

    @Test
    void runOfADeadNodeIsTakenOver() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Node dies = deciding(null, (payload, run) -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return DurableOutcome.done();
        });
        Instant first = in(0);
        make(dies, HOURLY, first, "x");
        awaitCounts(begun);
        dies.kill();
        Node node = noting();
        awaitRuns(1);
        assertThat(awaitWaiting(node).dueAt()).isEqualTo(first.plus(HOUR));
    }

    @ParameterizedTest
    @EnumSource
    void lostAnswerNeitherDoublesNorLosesARun(LostAnswers.Step step) {
        jdbc.execute("create table ledger (entry varchar(50))");
        LostAnswers lossy = new LostAnswers(pool);
        Node node = new Node(Node.settings("lossy"), lossy, DurableObserver.NONE);
        nodes.add(node);
        lossy.loseNext(step);
        node.engine.decide("report", String.class, TWO, 10, null, lossy.newManager(), (payload, run) -> {
            int ignored = new JdbcTemplate(lossy).update("insert into ledger (entry) values (?)", payload);
            return DurableOutcome.done();
        });
        node.start();
        make(node, TaskSchedule.fixedRate(Duration.ofMillis(100)), null, "x");
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() >= 4);
        await().atMost(PATIENCE).until(() -> lossy.isLost() == (step != LostAnswers.Step.BEGIN));
        assertThat(node.engine.recurringTasks().end("a")).isTrue();
        await().atMost(PATIENCE).until(() -> isEnded() && node.engine.counts().running() == 0);
        // A commit that is late is counted when the row shows it.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(jdbc.queryForObject("select count(*) from ledger", Long.class))
                        .isEqualTo(node.engine.counts().succeeded()));
        assertThat(node.engine.counts().lost()).isZero();
    }

    @Test
    void taskThatIsEndedWhileItsNodeDiesIsGone() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Node dies = deciding(null, (payload, run) -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return DurableOutcome.done();
        });
        make(dies, HOURLY, null, "x");
        awaitCounts(begun);
        Node node = noting();
        assertThat(node.engine.recurringTasks().end("a")).isTrue();
        dies.kill();
        await().atMost(PATIENCE).until(this::isEnded);
        assertThat(ran).isEmpty();
        assertThat(node.engine.recurringTasks().trigger("a")).isFalse();
        assertThat(make(node, HOURLY, null, "y")).as("the id is free").isEqualTo(Change.ADDED);
        awaitRuns(1);
        assertThat(ran).containsExactly("a y");
    }

    // Many

    /** What is claimed, and what is looked for, where nobody has made any. */
    @Test
    void oneTimeTasksAreClaimedByTheStatementsThatTheyWere() {
        RecordingDataSource recording = new RecordingDataSource(pool);
        Database.Tables tables = new Database(recording, Node.settings("x")).tables();
        recording.forget();
        Duration ahead = Duration.ofSeconds(1);
        assertThat(tables.claims()
                        .countDue(List.of("report"), 200, List.of(), ahead, Map.of(), true)
                        .candidates())
                .isEmpty();
        assertThat(tables.claims().countDueMade(List.of(), ahead, Map.of())).isEmpty();
        assertThat(tables.claims().claim(7, ahead, Map.of("report", 1), List.of(), Map.of(), true))
                .isEmpty();
        assertThat(recording.statements).hasSize(2).noneMatch(text -> text.contains("made"));
    }

    @Test
    void listsReadNoPayloads() {
        Node node = noting();
        make(node, HOURLY, in(1_000), "x".repeat(1_000));
        assertThat(node.engine.schedule("report", "1", "x".repeat(1_000), in(1_000)))
                .isTrue();
        assertThat(jdbc.update("update wheel_durable_task set failure = ?", "f".repeat(2_000)))
                .isEqualTo(2);
        RecordingDataSource recording = new RecordingDataSource(pool);
        Database.Tables tables = new Database(recording, Node.settings("x")).tables();
        recording.forget();

        assertThat(tables.recurring().page("", 10))
                .extracting(
                        RecurringTask::handler,
                        RecurringTask::schedule,
                        task -> String.valueOf(task.failure()).length())
                .containsExactly(tuple("report", "fixed-rate PT1H", 500));
        String page = recording.statements.stream()
                .filter(text -> text.contains("both_kinds"))
                .findFirst()
                .orElseThrow();
        assertThat(jdbc.queryForMap(page, "", "")).containsEntry("task_data", null);
        recording.forget();
        assertThat(tables.tasks().list("report", null, null, 10)).hasSize(1);
        assertThat(recording.statements)
                .hasSize(1)
                .noneMatch(text -> text.contains("task_data") || text.contains("t.*"));
        assertThat(String.valueOf(find(node, "a").failure())).hasSize(2_000);
    }

    @Test
    void thousandsRunOnTwoNodes() {
        Node one = noting();
        Node other = noting();
        TaskSchedule hourly = HOURLY;
        Instant first = Instant.now();
        for (int part = 0; part < 10; part++) {
            int from = part * MANY / 10;
            transaction.executeWithoutResult(status -> IntStream.range(from, from + MANY / 10)
                    .forEach(i -> assertThat(one.engine
                                    .recurringTasks()
                                    .schedule(
                                            "report",
                                            new RecurringRequest("m" + i, hourly, "x", first, Durable.Missed.RUN_ONCE)))
                            .isEqualTo(Change.ADDED)));
        }
        awaitRuns(MANY);
        assertThat(ran).hasSize(MANY).doesNotHaveDuplicates();
        await().atMost(PATIENCE)
                .until(() ->
                        one.engine.counts().running() + other.engine.counts().running() == 0);
        assertThat(one.engine.recurringTasks().list())
                .hasSize(MANY)
                .allSatisfy(task -> assertThat(task.failures()).isZero());
    }

    @Test
    void backlogOfOneHandlerKeepsNoOtherFromStarting() {
        Node node = node();
        CountDownLatch end = new CountDownLatch(1);
        node.engine.decide("slow", Void.class, TWO, 1, null, null, (payload, run) -> {
            awaitCounts(end);
            return DurableOutcome.done();
        });
        node.engine.decide("report", String.class, TWO, 10, null, null, (payload, run) -> {
            ran.add(run.id());
            return DurableOutcome.done();
        });
        node.start();
        Instant early = Instant.now().minusSeconds(60);
        IntStream.range(0, 300)
                .forEach(i -> assertThat(node.engine
                                .recurringTasks()
                                .schedule(
                                        "slow",
                                        new RecurringRequest("slow" + i, HOURLY, null, early, Durable.Missed.RUN_ONCE)))
                        .isEqualTo(Change.ADDED));
        make(node, HOURLY, null, "x");
        awaitRuns(1);
        assertThat(node.engine.schedule("report", "once", null, Instant.now())).isTrue();
        awaitRuns(2);
        end.countDown();
    }
}
