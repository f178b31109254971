package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableOverview;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.spring.steering.SteeredBy;
import io.github.wheelscheduler.spring.steering.Steering;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** What is said of a recurring task on one node holds for all of them, and what one does is seen on the other. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
class SteeringTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1);

    private final HikariDataSource dataSource;
    private final List<Node> nodes = new ArrayList<>();
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();

    SteeringTest(TestDatabase database) {
        dataSource = database.newDataSource();
    }

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
        dataSource.close();
    }

    /** Starts a node that runs {@code tick} at that rate, from the time on that the row says. */
    private Node node(String name, Duration period, Instant first) {
        Node node = new Node(name, dataSource);
        nodes.add(node);
        Runnable ignored = node.engine.repeat(
                "tick", ScheduleRecurrence.of(TaskSchedule.fixedRate(period), first), false, () -> ran.add(name));
        node.start();
        await().atMost(PATIENCE)
                .until(() -> node.engine.recurringTasks().find("tick").isPresent());
        return node;
    }

    private Node node(String name, Duration period) {
        return node(name, period, Instant.now().plus(period));
    }

    private static RecurringTask tickOn(Node node) {
        return node.engine.recurringTasks().find("tick").orElseThrow();
    }

    /** As if so much time had passed. */
    private int move(Instant due) {
        return new JdbcTemplate(dataSource)
                .update("update wheel_durable_task set execution_time = ?", due.atOffset(ZoneOffset.UTC));
    }

    /** Starts a node whose runs of {@code tick} go on until the latch is open. */
    private Node nodeThatRuns(String name, @Nullable Instant first, CountDownLatch begun, CountDownLatch end) {
        Node node = new Node(name, dataSource);
        nodes.add(node);
        Runnable ignored =
                node.engine.repeat("tick", ScheduleRecurrence.of(TaskSchedule.fixedRate(HOUR), first), false, () -> {
                    ran.add(name);
                    begun.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException ex) {
                        Thread.currentThread().interrupt();
                    }
                });
        node.start();
        await().atMost(PATIENCE)
                .until(() -> node.engine.recurringTasks().find("tick").isPresent());
        return node;
    }

    private void awaitRuns(int count) {
        await().atMost(PATIENCE).until(() -> ran.size() >= count);
    }

    @Test
    void pauseHoldsForAllNodesAndForThoseThatComeLater() {
        Node one = node("a", Duration.ofMillis(100));
        awaitRuns(2);

        assertThat(one.engine.recurringTasks().pause("tick")).isTrue();

        await().atMost(PATIENCE).until(() -> tickOn(one).owner() == null);
        int before = ran.size();
        Node other = node("b", Duration.ofMillis(100));
        assertThat(tickOn(other).isPaused()).isTrue();
        assertThat(other.engine.recurringTasks().pause("tick")).isFalse();
        // What it has claimed, it has claimed by looking at all that is due.
        long claimed = other.engine.counts().claimed();
        assertThat(other.engine.schedule("none", "1", null, Instant.now())).isTrue();
        other.handle("probe", Void.class, payload -> ran.add("probe"));
        assertThat(other.engine.schedule("probe", "1", null, Instant.now().plusMillis(1_500)))
                .isTrue();
        await().atMost(PATIENCE).until(() -> ran.contains("probe"));
        assertThat(ran).hasSize(before + 1);
        assertThat(other.engine.counts().claimed()).isEqualTo(claimed + 1);
    }

    @Test
    void resumedTaskGoesOnAtItsNextTimeAndMakesUpForNothing() {
        Node node = node("a", HOUR);
        RecurringTasks tasks = node.engine.recurringTasks();
        assertThat(tasks.pause("tick")).isTrue();
        Instant due = tickOn(node).dueAt().minus(HOUR.multipliedBy(3)).plusSeconds(60);
        assertThat(move(due)).isEqualTo(1);

        assertThat(tasks.resume("tick")).isTrue();
        assertThat(tasks.resume("tick")).isFalse();

        RecurringTask tick = tickOn(node);
        assertThat(tick.isPaused()).isFalse();
        assertThat(tick.dueAt()).isEqualTo(due.plus(HOUR.multipliedBy(2)));
        assertThat(ran).isEmpty();
    }

    @Test
    void triggeredRunComesOnTopOfTheOthersAlsoWhilePaused() {
        Node one = node("a", HOUR);
        Node other = node("b", HOUR);
        Instant due = tickOn(one).dueAt();
        assertThat(one.engine.recurringTasks().pause("tick")).isTrue();

        assertThat(other.engine.recurringTasks().trigger("tick")).isTrue();

        awaitRuns(1);
        await().atMost(PATIENCE).until(() -> tickOn(one).owner() == null);
        assertThat(ran).hasSize(1);
        RecurringTask tick = tickOn(one);
        assertThat(tick.dueAt()).isEqualTo(due);
        assertThat(tick.isPaused()).isTrue();
        assertThat(tick.lastSuccessAt()).isNotNull();
        assertThat(tick.failures()).isZero();
    }

    @Test
    void claimedTaskIsNotTriggered() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Node node = nodeThatRuns("a", null, begun, end);
        await().atMost(PATIENCE).until(() -> begun.getCount() == 0);

        assertThat(tickOn(node).owner()).isEqualTo("a");
        assertThat(node.engine.recurringTasks().trigger("tick")).isFalse();
        end.countDown();
        assertThat(node.engine.recurringTasks().trigger("unknown")).isFalse();
    }

    @Test
    void changedScheduleHoldsUntilTheMethodChanges() {
        Node one = node("a", HOUR);
        Node other = node("b", HOUR);

        assertThat(other.engine.recurringTasks().retime("tick", TaskSchedule.fixedRate(Duration.ofMillis(100))))
                .isTrue();

        awaitRuns(5);
        assertThat(tickOn(one).schedule()).isEqualTo("fixed-rate PT0.1S");
        assertThat(tickOn(one).declaredSchedule()).isEqualTo("fixed-rate PT1H");
        one.close();
        other.close();
        int before = ran.size();
        Node again = node("c", HOUR);
        awaitRuns(before + 3);
        again.close();

        Node deployed = node("d", Duration.ofHours(2));
        await().atMost(PATIENCE).until(() -> tickOn(deployed).schedule().equals("fixed-rate PT2H"));
        assertThat(tickOn(deployed).declaredSchedule()).isEqualTo("fixed-rate PT2H");
    }

    @Test
    void scheduleGivenDuringARunCountsFromItsEnd() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Node node = nodeThatRuns("a", null, begun, end);
        await().atMost(PATIENCE).until(() -> begun.getCount() == 0);

        assertThat(node.engine.recurringTasks().retime("tick", TaskSchedule.fixedRate(Duration.ofMillis(50))))
                .isTrue();
        end.countDown();

        awaitRuns(5);
    }

    @Test
    void cronIsReadByOtherNodesWithItsZone() {
        Node one = node("a", HOUR);
        assertThat(one.engine
                        .recurringTasks()
                        .retime("tick", new TaskSchedule.Cron("0 0 3 1 1 *", ZoneId.of("Asia/Tokyo"))))
                .isTrue();

        RecurringTask tick = tickOn(one);
        assertThat(tick.schedule()).isEqualTo("cron 0 0 3 1 1 * Asia/Tokyo");
        assertThat(tick.dueAt().atZone(ZoneId.of("Asia/Tokyo")).toLocalTime()).hasToString("03:00");
        assertThat(RecurringTable.parse(tick.schedule()).text()).isEqualTo(tick.schedule());
    }

    @Test
    void cronThatIsGivenWithoutAZoneKeepsTheOneItHad() {
        RecurringTasks tasks = node("a", HOUR).engine.recurringTasks();
        assertThat(tasks.retime("tick", TaskSchedule.cron("0 0 3 1 1 *", ZoneId.of("Asia/Kathmandu"))))
                .isTrue();
        assertThat(tasks.retime("tick", TaskSchedule.cron("0 0 4 1 1 *"))).isTrue();

        assertThat(tasks.find("tick").orElseThrow().schedule()).isEqualTo("cron 0 0 4 1 1 * Asia/Kathmandu");
        assertThat(tasks.retime("tick", TaskSchedule.fixedRate(HOUR))).isTrue();
        assertThat(tasks.retime("tick", TaskSchedule.cron("0 0 4 1 1 *"))).isTrue();
        assertThat(tasks.find("tick").orElseThrow().schedule()).endsWith(" " + ZoneId.systemDefault());
    }

    @Test
    void scheduleThatMakesNoSenseIsRefused() {
        RecurringTasks tasks = node("a", HOUR).engine.recurringTasks();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tasks.retime("tick", TaskSchedule.once(Instant.now())))
                .withMessageContaining("must be a cron expression, a fixed rate or a fixed delay, was once");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tasks.retime("tick", TaskSchedule.cron("0 0 0 31 2 *")))
                .withMessageContaining("must have a next run, was cron 0 0 0 31 2 *");
        assertThat(tasks.retime("unknown", TaskSchedule.fixedRate(HOUR))).isFalse();
    }

    @Test
    void scheduleInTheDatabaseThatMakesNoSenseIsLeftAlone() {
        Node node = node("a", Duration.ofMillis(100));
        assertThat(new JdbcTemplate(dataSource).update("update wheel_durable_task set schedule = 'cron nonsense'"))
                .isEqualTo(1);

        awaitRuns(5);

        assertThat(tickOn(node).failures()).isZero();
    }

    @Test
    void whyARunHasFailedIsSeenOnOtherNodesUntilOneSucceeds() {
        Node failing = new Node("a", dataSource);
        nodes.add(failing);
        Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>(
                List.of(new IllegalStateException("first"), new IllegalStateException("second")));
        Runnable ignored = failing.engine.repeat(
                "tick", ScheduleRecurrence.of(TaskSchedule.fixedRate(Duration.ofMillis(300)), null), false, () -> {
                    RuntimeException failure = failures.poll();
                    if (failure != null) {
                        throw failure;
                    }
                });
        failing.start();
        Node other = new Node("b", dataSource);
        nodes.add(other);

        await().atMost(PATIENCE)
                .until(() -> other.engine
                        .recurringTasks()
                        .find("tick")
                        .filter(tick -> tick.failures() > 0)
                        .filter(tick -> String.valueOf(tick.failure()).contains("IllegalStateException"))
                        .isPresent());
        await().atMost(PATIENCE)
                .until(() -> other.engine
                        .recurringTasks()
                        .find("tick")
                        .filter(tick -> tick.failures() == 0 && tick.failure() == null)
                        .filter(tick -> tick.lastFailureAt() != null && tick.lastSuccessAt() != null)
                        .isPresent());
    }

    @Test
    void rolledBackScheduleIsNotNotified() {
        Node node = node("a", HOUR);
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        transaction.executeWithoutResult(status -> {
            assertThat(node.engine.recurringTasks().pause("tick")).isTrue();
            status.setRollbackOnly();
        });
        assertThat(tickOn(node).isPaused()).isFalse();
    }

    @Test
    void claimedAndWaitingTasksAreSeenByAllNodes() {
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        Node one = new Node("a", dataSource);
        nodes.add(one);
        one.handle("long", Void.class, payload -> {
                    begun.countDown();
                    end.await();
                })
                .handle("bad", Void.class, payload -> {
                    throw new IllegalStateException("on purpose");
                })
                .start();
        assertThat(one.engine.schedule("long", "1", null, Instant.now())).isTrue();
        assertThat(one.engine.schedule("long", "2", null, Instant.now())).isTrue();
        assertThat(one.engine.schedule("bad", "1", null, Instant.now())).isTrue();
        assertThat(one.engine.schedule("nobody", "1", null, Instant.now().minusSeconds(60)))
                .isTrue();
        await().atMost(PATIENCE)
                .until(() -> begun.getCount() == 0 && one.engine.counts().givenUp() == 1);
        Node other = new Node("b", dataSource);
        nodes.add(other);

        await().atMost(PATIENCE).until(() -> other.engine.overview().failed() == 1);
        DurableOverview seen = other.engine.overview();
        assertThat(seen.nodes()).singleElement().satisfies(share -> {
            assertThat(share.node()).isEqualTo("a");
            assertThat(share.claimed()).isEqualTo(2);
        });
        assertThat(seen.overdue()).isEqualTo(1);
        end.countDown();
    }

    @Test
    void scheduleGivenDuringATriggeredRunCountsFromItsEnd() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Node node = nodeThatRuns("a", Instant.now().plus(HOUR), begun, end);
        assertThat(node.engine.recurringTasks().trigger("tick")).isTrue();
        await().atMost(PATIENCE).until(() -> begun.getCount() == 0);

        assertThat(node.engine.recurringTasks().retime("tick", TaskSchedule.fixedRate(Duration.ofMillis(100))))
                .isTrue();
        end.countDown();

        awaitRuns(3);
    }

    @Test
    void transactionThatSteersForLongMakesNothingRunTwice() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Node one = nodeThatRuns("a", null, begun, end);
        await().atMost(PATIENCE).until(() -> begun.getCount() == 0);
        Node other = nodeThatRuns("b", null, begun, end);
        CountDownLatch longBegun = new CountDownLatch(1);
        for (Node node : List.of(other, one)) {
            node.handle("long", Void.class, payload -> {
                ran.add("long");
                longBegun.countDown();
                end.await();
            });
            assertThat(node.engine.schedule("long", "1", null, Instant.now())).isEqualTo(node == other);
            await().atMost(PATIENCE).until(() -> longBegun.getCount() == 0);
        }
        Duration deadAfter = one.engine.settings().deadAfter();
        // H2 waits for the lock only so long.
        Duration duration =
                dataSource.getJdbcUrl().startsWith("jdbc:h2") ? Duration.ofMillis(500) : deadAfter.plus(deadAfter);

        new TransactionTemplate(new JdbcTransactionManager(dataSource)).executeWithoutResult(status -> {
            assertThat(one.engine.recurringTasks().retime("tick", TaskSchedule.fixedRate(HOUR.plus(HOUR))))
                    .isTrue();
            await().during(duration).atMost(duration.plus(PATIENCE)).until(() -> ran.size() == 2);
        });

        await().during(deadAfter).atMost(deadAfter.plus(PATIENCE)).until(() -> ran.size() == 2);
        assertThat(one.engine.counts().takenOver() + other.engine.counts().takenOver())
                .isZero();
        end.countDown();
    }

    @Test
    void oldNodeGoesByTheScheduleOfANewDeployment() {
        Node old = node("old", HOUR);
        Node deployed = node("new", Duration.ofMillis(500), Instant.now());
        awaitRuns(1);
        deployed.close();

        await().atMost(PATIENCE).until(() -> ran.stream().filter("old"::equals).count() >= 3);
        assertThat(tickOn(old).declaredSchedule()).isEqualTo("fixed-rate PT0.5S");
    }

    @Test
    void skippedRunIsNoSuccessAndATriggeredOneIsNotSkipped() {
        Node node = new Node("a", dataSource);
        nodes.add(node);
        Runnable ignored =
                node.engine.repeat("tick", ScheduleRecurrence.of(TaskSchedule.fixedRate(HOUR), null), true, () -> {
                    ran.add("a");
                    throw new IllegalStateException("on purpose");
                });
        node.start();
        awaitRuns(1);
        await().atMost(PATIENCE).until(() -> tickOn(node).failures() == 1);
        assertThat(move(Instant.now().minusSeconds(60))).isEqualTo(1);
        await().atMost(PATIENCE)
                .until(() ->
                        tickOn(node).owner() == null && tickOn(node).dueAt().isAfter(Instant.now()));

        assertThat(ran).hasSize(1);
        assertThat(tickOn(node).failures()).isEqualTo(1);
        assertThat(tickOn(node).failure()).contains("on purpose");

        node.executor.pause();
        assertThat(node.engine.recurringTasks().trigger("tick")).isTrue();
        assertThat(move(Instant.now().minusSeconds(60))).isEqualTo(1);
        node.executor.resume();

        awaitRuns(2);
    }

    @Test
    void recurringTaskIsNoTaskOfAHandler() {
        DurableTasks tasks = node("a", HOUR).engine;
        String handler = "recurring:tick";
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> tasks.schedule(handler, "now", null, Instant.now()),
                () -> tasks.scheduleAll(handler, List.of()),
                () -> tasks.cancel(handler, "recurring"),
                () -> tasks.reschedule(handler, "recurring", Instant.now()),
                () -> tasks.retry(handler, "recurring"),
                () -> tasks.find(handler, "recurring"),
                () -> tasks.list(handler, null, null, 1))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(call)
                    .withMessage("handler must not begin with recurring:, was 'recurring:tick'");
        }
        assertThatIllegalArgumentException().isThrownBy(() -> tasks.find("a", "b\0"));
        assertThatIllegalArgumentException().isThrownBy(() -> tasks.list("a", null, "b\0", 1));
    }

    @Test
    void scheduleThatIsBeyondTheCalendarIsRefused() {
        RecurringTasks tasks = node("a", HOUR).engine.recurringTasks();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tasks.retime("tick", TaskSchedule.fixedRate(Duration.ofDays(110_000_000))))
                .withMessageContaining("must be in one of the years 1 to 9999");
    }

    private static String text(Steering told) {
        Steering.Target target = told.target();
        return told.who() + " " + told.action() + " " + target.kind() + " " + target.task() + " " + target.instance()
                + ": " + told.from() + " to " + told.to() + (told.isRefused() ? ", refused: " + told.refusal() : "");
    }

    private static void release(Runnable steering) {
        SteeredBy.name("release 12").because("a new table").run(steering);
    }

    @Test
    void namedCallsAreToldWithWhatTheyChanged() {
        Queue<Steering> told = new ConcurrentLinkedQueue<>();
        Node node = node("a", HOUR);
        node.engine.addSteeringListener(told::add);
        RecurringTasks recurring = node.engine.recurringTasks();
        Instant later = Instant.parse("2050-01-02T03:04:05Z");
        assertThat(node.engine.schedule("work", "1", null, later)).isTrue();
        assertThat(recurring.pause("tick")).isTrue();
        assertThat(recurring.resume("tick")).isTrue();
        assertThat(told).as("without a name").isEmpty();
        release(() -> {
            assertThat(recurring.pause("tick")).isTrue();
            assertThat(recurring.pause("tick")).isFalse();
            assertThat(recurring.retime("tick", TaskSchedule.fixedRate(HOUR.multipliedBy(2))))
                    .isTrue();
            assertThat(recurring.schedule("work", "made", TaskSchedule.fixedRate(HOUR), null))
                    .isEqualTo(RecurringTasks.Change.ADDED);
            assertThat(recurring.end("made")).isTrue();
            assertThat(node.engine.reschedule("work", "1", later.plusSeconds(1)))
                    .isTrue();
            assertThat(node.engine.cancel("work", "1")).isTrue();
            node.engine.drain();
            node.engine.endDrain();
        });
        String tick = "release 12 %s recurring durable task tick null: ";
        assertThat(told)
                .extracting(SteeringTest::text)
                .containsExactly(
                        tick.formatted("pause") + "SCHEDULED fixed-rate PT1H to PAUSED fixed-rate PT1H",
                        tick.formatted("pause") + "PAUSED fixed-rate PT1H to PAUSED fixed-rate PT1H",
                        tick.formatted("retime") + "PAUSED fixed-rate PT1H to PAUSED fixed-rate PT2H",
                        "release 12 schedule recurring durable task made null: null to SCHEDULED fixed-rate PT1H",
                        "release 12 end recurring durable task made null: SCHEDULED fixed-rate PT1H to gone",
                        "release 12 reschedule durable task work 1: SCHEDULED 2050-01-02T03:04:05Z to SCHEDULED "
                                + "2050-01-02T03:04:06Z",
                        "release 12 cancel durable task work 1: SCHEDULED 2050-01-02T03:04:06Z to gone",
                        "release 12 drain durable node null null: claiming to draining",
                        "release 12 resume durable node null null: draining to claiming");
        assertThat(told).allSatisfy(steering -> {
            assertThat(steering.channel()).isEqualTo(Steering.Channel.JAVA);
            assertThat(steering.reason()).isEqualTo("a new table");
        });
    }

    @Test
    void refusedNamedCallsAreToldWithTheCause() {
        Queue<Steering> told = new ConcurrentLinkedQueue<>();
        Node node = node("a", HOUR);
        node.engine.addSteeringListener(told::add);
        RecurringTasks recurring = node.engine.recurringTasks();
        assertThat(node.engine.schedule("work", "1", null, Instant.parse("2050-01-02T03:04:05Z")))
                .isTrue();
        release(() -> {
            assertThat(node.engine.retry("work", "1")).isFalse();
            assertThat(node.engine.cancel("work", "2")).isFalse();
            assertThat(recurring.trigger("none")).isFalse();
            assertThat(recurring.end("tick")).isFalse();
            assertThat(node.engine.cancel("work", "2", Duration.ZERO)).isEqualTo(DurableTasks.Cancellation.ABSENT);
            assertThatIllegalArgumentException().isThrownBy(() -> node.engine.cancel("work", ""));
        });
        assertThat(told)
                .extracting(Steering::refusal)
                .containsExactly(
                        "Cannot retry a task that is SCHEDULED: work 1",
                        "No durable task 2 of the handler work",
                        "No recurring durable task named none",
                        "A @Durable method has it, so it cannot be ended: tick",
                        "The run had already ended, or there was none: work 2",
                        "id must have 1 to 250 characters, was ''");
        assertThat(told).extracting(Steering::to).containsOnlyNulls();
    }

    @Test
    void namedCallIsToldWhenItsTransactionHasEnded() {
        Queue<Steering> told = new ConcurrentLinkedQueue<>();
        Node node = node("a", HOUR);
        node.engine.addSteeringListener(told::add);
        RecurringTasks recurring = node.engine.recurringTasks();
        TransactionTemplate outer = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        TransactionTemplate nested = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        outer.executeWithoutResult(status -> {
            release(() -> assertThat(recurring.pause("tick")).isTrue());
            nested.executeWithoutResult(savepoint -> {
                release(() -> assertThat(recurring.resume("tick")).isTrue());
                savepoint.setRollbackOnly();
            });
            assertThat(told).isEmpty();
        });
        assertThat(tickOn(node).isPaused()).isTrue();
        assertThat(told)
                .extracting(steering -> steering.action() + " " + steering.refusal())
                .containsExactly("pause null", "resume its transaction was rolled back");
        outer.executeWithoutResult(status -> {
            release(() -> assertThat(recurring.resume("tick")).isTrue());
            status.setRollbackOnly();
        });
        assertThat(told).hasSize(3).last().satisfies(steering -> {
            assertThat(steering.refusal()).isEqualTo("its transaction was rolled back");
            assertThat(steering.to()).isNull();
        });
    }
}
