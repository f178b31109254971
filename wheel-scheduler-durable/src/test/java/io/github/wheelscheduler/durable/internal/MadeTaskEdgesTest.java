package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DecidingBody;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.RecurringRequest;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.RecurringTasks.Change;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
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
import org.springframework.transaction.support.TransactionTemplate;

/** Recurring tasks that are made at run time, where steps of several parties meet. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
@Timeout(120)
class MadeTaskEdgesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final TaskSchedule HOURLY = TaskSchedule.fixedRate(HOUR);
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final Instant PAST = Instant.parse("2026-01-02T03:04:05Z");
    private static final RetryPolicy SLOW = new RetryPolicy(2, Duration.ofSeconds(2), Duration.ofSeconds(2));

    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final List<Node> nodes = new ArrayList<>();
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final Queue<DurableEnd> ends = new ConcurrentLinkedQueue<>();

    MadeTaskEdgesTest(TestDatabase database) {
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
        return node(Duration.ofMillis(100));
    }

    /** One that claims so far ahead. */
    private Node node(Duration claimAhead) {
        Node node = new Node(Node.settings("n" + nodes.size(), claimAhead), pool, DurableObserver.NONE);
        nodes.add(node);
        return node;
    }

    private Node deciding(boolean isTransactional, DecidingBody<String> body) {
        return deciding(node(), isTransactional, body);
    }

    private Node deciding(Node node, boolean isTransactional, DecidingBody<String> body) {
        node.engine.listen(ends::add);
        node.engine.decide(
                "report",
                String.class,
                SLOW,
                10,
                null,
                isTransactional ? new JdbcTransactionManager(pool) : null,
                body);
        return node.start();
    }

    private Node noting() {
        return noting(node());
    }

    private Node noting(Node node) {
        return deciding(node, false, (payload, run) -> {
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

    private static Instant in(int seconds) {
        return Instant.now().truncatedTo(ChronoUnit.MICROS).plusSeconds(seconds);
    }

    private int stateOfRow() {
        return jdbc.queryForObject("select state from wheel_durable_task", Integer.class);
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).until(condition);
    }

    private static void awaitLatch(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    /** In another thread, so in another transaction. */
    private static <T> T elsewhere(Supplier<T> step) {
        return CompletableFuture.supplyAsync(step).join();
    }

    // Callers whose transactions have read something before

    @Test
    void taskEndedSinceTheTransactionReadIsMadeAgain() {
        Node node = noting();
        make(node, HOURLY, in(1_000), "x");
        Change change = transaction.execute(status -> {
            assertThat(find(node, "a").handler()).isEqualTo("report");
            assertThat(elsewhere(() -> node.engine.recurringTasks().end("a"))).isTrue();
            return make(node, HOURLY, in(1_000), "x");
        });
        assertThat(change).isEqualTo(Change.ADDED);
        assertThat(node.engine.recurringTasks().find("a")).isPresent();
    }

    @Test
    void payloadChangedSinceTheTransactionReadIsChanged() {
        Node node = noting();
        make(node, HOURLY, in(1_000), "x");
        Change change = transaction.execute(status -> {
            assertThat(find(node, "a").handler()).isEqualTo("report");
            assertThat(elsewhere(() -> make(node, HOURLY, null, "y"))).isEqualTo(Change.CHANGED);
            return make(node, HOURLY, null, "x");
        });
        assertThat(change).isEqualTo(Change.CHANGED);
        assertThat(node.engine.recurringTasks().trigger("a")).isTrue();
        until(() -> !ran.isEmpty());
        assertThat(ran).containsExactly("a x");
    }

    @Test
    void taskEndedSinceTheTransactionReadIsNotTriggered() {
        // One that has started would tidy up.
        Node node = node();
        make(node, HOURLY, in(1_000), "x");
        Boolean isTriggered = transaction.execute(status -> {
            assertThat(find(node, "a").handler()).isEqualTo("report");
            // As one that was ended in its run, and freed when its node had died.
            int ignored = elsewhere(() -> jdbc.update("update wheel_durable_task set state = " + RowState.ENDED
                    + ", asked_to_end = true, version = version + 1"));
            return node.engine.recurringTasks().trigger("a");
        });
        assertThat(isTriggered).isFalse();
        assertThat(stateOfRow()).isEqualTo(RowState.ENDED);
    }

    @Test
    void listenersReceiveAnEndInATransactionalRun() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Node node = deciding(true, (payload, run) -> {
            ran.add("read " + jdbc.queryForObject("select count(*) from wheel_durable_task", Integer.class));
            begun.countDown();
            awaitLatch(goesOn);
            return DurableOutcome.again(Instant.now());
        });
        make(node, HOURLY, null, "x");
        awaitLatch(begun);
        assertThat(node.engine.recurringTasks().end("a")).isTrue();
        goesOn.countDown();
        until(() -> !ends.isEmpty());
        assertThat(ends).extracting(DurableEnd::kind).containsExactly(DurableEnd.Kind.CANCELLED);
        assertThat(ran).hasSize(1);
    }

    // Pauses

    @Test
    void resumeAfterAFailureKeepsThePhase() {
        Node node = deciding(false, (payload, run) -> {
            ran.add(run.attempt() + " " + run.firstDueAt());
            throw new IllegalStateException("on purpose");
        });
        make(node, HOURLY, PAST, "x");
        until(() -> ends.size() == 1);
        assertThat(node.engine.recurringTasks().pause("a")).isTrue();
        Instant retryAt = find(node, "a").dueAt();
        until(() -> Instant.now().isAfter(retryAt.plusMillis(100)));
        assertThat(node.engine.recurringTasks().resume("a")).isTrue();
        Instant next = find(node, "a").dueAt();
        assertThat(next).isAfter(Instant.now());
        assertThat(Duration.between(PAST, next).toNanos() % HOUR.toNanos()).isZero();
        assertThat(ran).containsExactly("1 " + PAST);
        assertThat(jdbc.queryForObject(
                        "select count(*) from wheel_durable_task where first_time is null", Integer.class))
                .as("the run that failed is over")
                .isEqualTo(1);
    }

    @Test
    void pauseHoldsBackTheRetryOfAChangedTask() {
        Node node = deciding(false, (payload, run) -> {
            ran.add(String.valueOf(run.attempt()));
            throw new IllegalStateException("on purpose");
        });
        make(node, HOURLY, in(0), "x");
        until(() -> ends.size() == 1);
        assertThat(make(node, TaskSchedule.fixedDelay(HOUR), in(1_000), "x")).isEqualTo(Change.CHANGED);
        assertThat(node.engine.recurringTasks().pause("a")).isTrue();
        assertThat(stateOfRow()).isEqualTo(RowState.PAUSED);
        assertThat(node.engine.recurringTasks().resume("a")).isTrue();
        until(() -> ends.size() == 3);
        assertThat(ran).containsExactly("1", "2", "3");
    }

    // Schedules

    @ParameterizedTest
    @ValueSource(strings = {"0 0 3 * * *\n", " 0 0 3  * * *", "0 0 3 * * * \t", "0 0 3 * * *\r\n"})
    void whiteSpaceInACronSaysNothing(String cron) {
        Node node = noting();
        assertThat(make(node, TaskSchedule.cron(cron, BERLIN), in(1_000), "x")).isEqualTo(Change.ADDED);
        assertThat(find(node, "a").declaredSchedule()).isEqualTo("cron 0 0 3 * * * Europe/Berlin");
        assertThat(make(node, TaskSchedule.cron("0 0 3 * * *", BERLIN), null, "x"))
                .isEqualTo(Change.UNCHANGED);
        assertThat(node.engine.recurringTasks().trigger("a")).isTrue();
        until(() -> find(node, "a").lastSuccessAt() != null);
        assertThat(stateOfRow()).isEqualTo(RowState.WAITING);
    }

    @Test
    void scheduleBeyondTheCalendarLosesNoTask() {
        Node node = noting();
        TaskSchedule endless = TaskSchedule.fixedRate(Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(make(node, endless, Instant.parse("0001-01-01T00:00:00Z"), "x"))
                .isEqualTo(Change.ADDED);
        until(() -> node.engine.recurringTasks().list().stream().allMatch(task -> task.lastSuccessAt() != null));
        assertThat(find(node, "a").dueAt()).isAfter(Instant.now());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.recurringTasks().retime("a", endless))
                .withMessageContaining("must be in one of the years 1 to 9999");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cron 0 0 3 * * * Mars/Base", "lunar full-moon"})
    void taskIsNotRunWhoseScheduleCannotBeRead(String schedule) {
        Node node = noting();
        make(node, HOURLY, in(1_000), "x");
        // As a node of a newer release, or with newer time zones, has made it.
        assertThat(jdbc.update(
                        "update wheel_durable_task set declared = ?, execution_time = ?",
                        schedule,
                        java.sql.Timestamp.from(PAST)))
                .isEqualTo(1);
        until(() -> node.engine.overview().unreadable() == 1);
        assertThat(find(node, "a").failure()).isNotNull();
        assertThat(ran).isEmpty();
        assertThat(make(node, HOURLY, in(1_000), "x")).isEqualTo(Change.CHANGED);
        until(() -> ran.size() == 1 && find(node, "a").owner() == null);
        assertThat(find(node, "a").dueAt()).isAfter(Instant.now());
    }

    @Test
    void scheduleThatNeverFiresIsRefused() {
        Node node = noting();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> make(node, TaskSchedule.cron("0 0 0 31 2 *", BERLIN), null, "x"))
                .withMessage("schedule must have a next run, was cron 0 0 0 31 2 * Europe/Berlin");
        assertThatIllegalArgumentException().isThrownBy(() -> make(node, TaskSchedule.once(Instant.now()), null, "x"));
        assertThat(node.engine.recurringTasks().list()).isEmpty();
    }

    // Ids

    @Test
    void methodOfTheNameOfTheirRowsIsItself() {
        Node node = noting();
        Runnable ignored =
                node.engine.repeat("made", RecurringTable.parse("fixed-rate PT0.1S"), false, () -> ran.add("method"));
        assertThat(node.engine.recurringTasks().schedule("report", "other", TaskSchedule.fixedRate(HOUR), "x"))
                .isEqualTo(Change.ADDED);
        until(() -> ran.contains("method") && ran.contains("other x"));
        assertThat(node.engine.recurringTasks().list())
                .extracting(RecurringTask::id, RecurringTask::handler)
                .containsExactly(tuple("made", null), tuple("other", "report"));
        assertThat(node.engine.recurringTasks().end("other")).isTrue();
        assertThat(node.engine.recurringTasks().end("made")).isFalse();
    }

    @Test
    void idsThatDifferInTheCaseAreTwo() {
        Node node = noting();
        for (String id : List.of("ä/b?c=%2F;x", "Ä/b?c=%2F;x", "x".repeat(200), "😀")) {
            assertThat(node.engine.recurringTasks().schedule("report", id, HOURLY, id))
                    .isEqualTo(Change.ADDED);
        }
        until(() -> ran.size() == 4);
        assertThat(ran)
                .allSatisfy(text -> assertThat(text.split(" "))
                        .satisfies(both -> assertThat(both[0]).isEqualTo(both[1])));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.recurringTasks().schedule("report", "x".repeat(201), HOURLY, null));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.engine.recurringTasks().schedule("report", "\ud83d", HOURLY, null));
    }

    // What cannot be written or read, and what kills

    /** A payload that fails to be written. */
    public record Failing(boolean isShortOfMemory) {

        @JsonProperty
        public String text() {
            if (isShortOfMemory) {
                throw new OutOfMemoryError("on purpose");
            }
            throw new StackOverflowError("on purpose");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void errorWhileAPayloadIsWrittenChangesNothing(boolean isShortOfMemory) {
        Node node = node().start();
        RecurringTasks tasks = node.engine.recurringTasks();
        Failing failing = new Failing(isShortOfMemory);
        transaction.executeWithoutResult(status -> {
            assertThat(make(node, HOURLY, in(1_000), "x")).isEqualTo(Change.ADDED);
            for (String id : List.of("a", "b")) {
                assertThatThrownBy(() -> tasks.schedule("report", id, TaskSchedule.fixedDelay(HOUR), failing))
                        .isInstanceOf(isShortOfMemory ? OutOfMemoryError.class : IllegalArgumentException.class);
            }
        });
        assertThat(tasks.list()).extracting(RecurringTask::id).containsExactly("a");
        assertThat(find(node, "a").schedule()).isEqualTo("fixed-rate PT1H");
    }

    @Test
    void unreadableTaskIsNoOneTimeTaskOfAHandler() {
        Node writer = node().start();
        assertThat(writer.engine.recurringTasks().schedule("report", "a", HOURLY, List.of(1, 2)))
                .isEqualTo(Change.ADDED);
        Node node = noting();
        until(() -> node.engine.overview().unreadable() == 1);
        assertThat(node.engine.kept(DurableTask.State.UNREADABLE, 10)).isEmpty();
    }

    @Test
    void runThatHasKilledNodesOftenEnoughIsLeftOut() {
        Node node = noting();
        make(node, HOURLY, in(1_000), "x");
        Runnable ignored = node.engine.repeat("m", RecurringTable.parse("fixed-rate PT1H"), false, () -> ran.add("m"));
        until(() -> ran.contains("m"));
        until(() -> find(node, "m").owner() == null && find(node, "m").lastSuccessAt() != null);
        ran.clear();
        assertThat(jdbc.update(
                        "update wheel_durable_task set suspicions = 5, deaths = 5, execution_time = ?",
                        java.sql.Timestamp.from(PAST)))
                .isEqualTo(2);
        for (String id : List.of("a", "m")) {
            until(() -> find(node, id).dueAt().isAfter(Instant.now()));
            assertThat(find(node, id).failure()).isEqualTo("Its process ended each time it ran");
            assertThat(find(node, id).failures()).isEqualTo(1);
        }
        assertThat(ran).isEmpty();
        assertThat(node.engine.recurringTasks().trigger("a")).isTrue();
        until(() -> ran.contains("a x"));
    }

    @Test
    void listenersReceiveATaskGivenBackAsEnded() {
        Node node = noting(node(Duration.ofMinutes(1)));
        make(node, HOURLY, in(50), "x");
        until(() -> find(node, "a").owner() != null);
        assertThat(node.engine.recurringTasks().end("a")).isTrue();
        node.engine.drain();
        until(() -> !ends.isEmpty());
        assertThat(ends).extracting(DurableEnd::kind).containsExactly(DurableEnd.Kind.CANCELLED);
        assertThat(ends).extracting(DurableEnd::handler).containsExactly("report");
        assertThat(ran).isEmpty();
    }

    @Test
    void claimedRunKeepsALongPayload() {
        String before = "x".repeat(20_000);
        Node node = noting(node(Duration.ofMinutes(1)));
        make(node, HOURLY, in(8), before);
        until(() -> find(node, "a").owner() != null);
        assertThat(make(node, HOURLY, null, "y".repeat(20_000))).isEqualTo(Change.CHANGED);
        until(() -> !ran.isEmpty());
        assertThat(ran).containsExactly("a " + before);
    }
}
