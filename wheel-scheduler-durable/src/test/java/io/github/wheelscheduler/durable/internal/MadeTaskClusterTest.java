package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.RecurringRequest;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks.Change;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/** Recurring tasks that are made at run time, on several nodes: some with wrong clocks, some of which are killed. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
@Timeout(120)
class MadeTaskClusterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration TENTH = Duration.ofMillis(100);
    private static final TaskSchedule HOURLY = TaskSchedule.fixedRate(HOUR);
    private static final RetryPolicy TWO = new RetryPolicy(2, Duration.ofMillis(50), Duration.ofMillis(100));

    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;
    private final List<Node> nodes = new ArrayList<>();

    /** An id and when a run of it was due. */
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();

    MadeTaskClusterTest(TestDatabase database) {
        pool = database.newDataSource();
        jdbc = new JdbcTemplate(pool);
    }

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
        pool.close();
    }

    /** A node whose machine has that clock. */
    private Node noting(Duration ahead) {
        InstantSource clock = () -> Instant.now().plus(ahead);
        Node node = new Node(Node.settings("n" + nodes.size()), pool, DurableObserver.NONE, clock);
        nodes.add(node);
        node.engine.decide("report", String.class, TWO, 10, null, null, (payload, run) -> {
            ran.add(run.id() + " " + run.dueAt());
            return DurableOutcome.done();
        });
        return node.start();
    }

    private static Change make(Node node, String id, TaskSchedule schedule, @Nullable Instant first) {
        return node.engine
                .recurringTasks()
                .schedule("report", new RecurringRequest(id, schedule, "x", first, Durable.Missed.RUN_ONCE));
    }

    private static RecurringTask find(Node node, String id) {
        return node.engine.recurringTasks().find(id).orElseThrow();
    }

    private List<Instant> dueTimes(String id) {
        return ran.stream()
                .filter(text -> text.startsWith(id + " "))
                .map(text -> Instant.parse(text.substring(id.length() + 1)))
                .toList();
    }

    @Test
    void clocksOfNodesHaveNoSay() {
        Node behind = noting(HOUR.negated());
        Node ahead = noting(HOUR);
        Node right = noting(Duration.ZERO);
        for (Node node : List.of(behind, ahead, right)) {
            assertThat(make(node, "rate", TaskSchedule.fixedRate(TENTH), null))
                    .isEqualTo(node == behind ? Change.ADDED : Change.UNCHANGED);
        }
        assertThat(make(ahead, "cron", TaskSchedule.cron("* * * * * *", ZoneOffset.UTC), null))
                .isEqualTo(Change.ADDED);
        assertThat(make(ahead, "missed", HOURLY, Instant.now().minus(HOUR.multipliedBy(10))))
                .isEqualTo(Change.ADDED);
        await().atMost(PATIENCE)
                .until(() -> dueTimes("rate").size() >= 30 && dueTimes("cron").size() >= 3);
        assertThat(right.engine.recurringTasks().end("rate")).isTrue();
        List<Instant> rate = dueTimes("rate").stream().sorted().toList();
        assertThat(rate).doesNotHaveDuplicates();
        assertThat(dueTimes("cron")).doesNotHaveDuplicates();
        assertThat(rate).allSatisfy(due -> {
            assertThat(due).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
            assertThat(Duration.between(rate.get(0), due).toNanos() % TENTH.toNanos())
                    .as("in phase")
                    .isZero();
        });
        assertThat(dueTimes("missed")).as("one run makes up for ten").hasSize(1);
        assertThat(find(behind, "missed").dueAt())
                .isBetween(Instant.now(), Instant.now().plus(HOUR));
        for (Node node : List.of(behind, ahead)) {
            assertThat(node.engine.recurringTasks().retime("missed", TaskSchedule.fixedDelay(HOUR)))
                    .isTrue();
            assertThat(find(node, "missed").dueAt()).isCloseTo(Instant.now().plus(HOUR), within(1, ChronoUnit.MINUTES));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BEGIN")
    void killBetweenTheStepsOfAnEndLosesNoRun(LostAnswers.Step step) {
        jdbc.execute("create table ledger (entry varchar(50))");
        LostAnswers lossy = new LostAnswers(pool);
        Node dies = new Node(Node.settings("dies"), lossy, DurableObserver.NONE);
        nodes.add(dies);
        lossy.loseNext(step);
        booking(dies, lossy.newManager(), new JdbcTemplate(lossy));
        Instant first = Instant.now().truncatedTo(ChronoUnit.MICROS);
        assertThat(make(dies, "a", HOURLY, first)).isEqualTo(Change.ADDED);
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(1)).until(lossy::isLost);
        dies.kill();
        LostAnswers whole = new LostAnswers(pool);
        Node node = new Node(Node.settings("b"), whole, DurableObserver.NONE);
        nodes.add(node);
        booking(node, whole.newManager(), new JdbcTemplate(whole));
        await().atMost(PATIENCE)
                .until(() -> find(node, "a").owner() == null && find(node, "a").lastSuccessAt() != null);
        assertThat(find(node, "a").dueAt()).isEqualTo(first.plus(HOUR));
        assertThat(jdbc.queryForList("select entry from ledger", String.class)).containsExactly(first.toString());
    }

    /** Lets each run make an entry in its transaction. */
    private static void booking(Node node, PlatformTransactionManager manager, JdbcTemplate inRun) {
        node.engine.decide("report", String.class, TWO, 10, null, manager, (payload, run) -> {
            int ignored = inRun.update(
                    "insert into ledger (entry) values (?)", run.firstDueAt().toString());
            return DurableOutcome.done();
        });
        node.start();
    }
}
