package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.internal.TestDatabase.RecordingDataSource;
import io.github.wheelscheduler.durable.internal.operator.TaskDetails;
import io.github.wheelscheduler.durable.internal.row.OwnRetries;
import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.observation.WheelRunContext;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Rows keep the spans that have led to a run, on whichever node it is, and older nodes leave none that do not count.
 */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
class TracedRowsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String OUTER = "0af7651916cd43dd8448eb211c80319c";

    private final TestDatabase database;
    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final Spans spans = new Spans();
    private final CountDownLatch over = new CountDownLatch(1);

    TracedRowsTest(TestDatabase database) {
        this.database = database;
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
        ObservationRegistry.ObservationConfig ignored =
                registry.observationConfig().observationHandler(spans);
    }

    @AfterEach
    void close() {
        over.countDown();
        dataSource.close();
    }

    /** Gives each observation the ids of a span, and keeps those of runs that have ended. */
    private static final class Spans implements ObservationHandler<Observation.Context> {

        private final AtomicLong ids = new AtomicLong();
        private final List<WheelRunContext> runs = new CopyOnWriteArrayList<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        @Override
        public void onStart(Observation.Context context) {
            boolean isRoot = context.getParentObservation() == null;
            String trace = isRoot ? "%032x".formatted(ids.incrementAndGet()) : OUTER;
            Object ignored = context.put(
                    RunOrigin.class, new RunOrigin(trace, "%016x".formatted(ids.incrementAndGet()), true, true));
        }

        @Override
        public void onStop(Observation.Context context) {
            if (context instanceof WheelRunContext run) {
                runs.add(run);
            }
        }

        @Nullable
        RunOrigin current(ObservationRegistry registry) {
            ObservationView current = registry.getCurrentObservation();
            return current == null ? null : spanOf(current.getContextView(), isInRun(current));
        }

        private static RunOrigin spanOf(Observation.ContextView context, boolean isLink) {
            RunOrigin span = Objects.requireNonNull(context.get(RunOrigin.class));
            return isLink ? span.asLink() : span;
        }

        private static boolean isInRun(ObservationView observation) {
            for (ObservationView each = observation;
                    each != null;
                    each = each.getContextView().getParentObservation()) {
                if (each.getContextView() instanceof WheelRunContext) {
                    return true;
                }
            }
            return false;
        }
    }

    private Node node(String name) {
        Node node = new Node(name, dataSource);
        node.engine.setRunObservation(
                new WheelRunObservation(
                        () -> registry,
                        ObservedTasks.NAMED,
                        null,
                        () -> spans.current(registry),
                        Duration.ofSeconds(5)),
                Map.of());
        return node;
    }

    private void request(Runnable call) {
        Observation.createNotStarted("request", registry).observe(call);
    }

    private WheelRunContext run(int number) {
        await().atMost(PATIENCE).until(() -> spans.runs.size() >= number);
        return spans.runs.get(number - 1);
    }

    private static WheelRunContext.Attempt attemptOf(WheelRunContext run) {
        return Objects.requireNonNull(run.getAttempt());
    }

    private static RunOrigin originOf(WheelRunContext run) {
        return Objects.requireNonNull(run.getOrigin());
    }

    private static RunOrigin spanOf(WheelRunContext run) {
        return Objects.requireNonNull(run.<RunOrigin>get(RunOrigin.class));
    }

    @Test
    void originSurvivesAKillAndRetriesOnAnotherNode() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        try (Node first = node("a");
                Node second = node("b")) {
            first.handle("note", String.class, id -> {
                held.countDown();
                awaitOver();
            });
            second.handle("note", String.class, id -> {
                if (spans.runs.isEmpty()) {
                    throw new IllegalStateException("on purpose");
                }
            });
            first.start();
            request(() -> assertThat(first.engine.schedule("note", "1", "1", Instant.now()))
                    .isTrue());
            assertThat(held.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(jdbc.update("update wheel_durable_task set tracestate = 'vendor=1' where task_instance = '1'"))
                    .isEqualTo(1);
            second.start();
            free(first);
            WheelRunContext failed = run(1);
            assertThat(attemptOf(failed)).isEqualTo(new WheelRunContext.Attempt(1, "b", null));
            assertThat(originOf(failed).isParent()).isTrue();
            assertThat(originOf(failed).traceId()).isEqualTo(OUTER);
            assertThat(originOf(failed).traceState()).isEqualTo("vendor=1");
            WheelRunContext retry = run(2);
            assertThat(retry.getTrigger()).isEqualTo(WheelRunContext.Trigger.RETRY);
            assertThat(originOf(retry).isParent()).isFalse();
            assertThat(originOf(retry).spanId()).isEqualTo(originOf(failed).spanId());
            assertThat(originOf(retry).traceState()).isNull();
            assertThat(Objects.requireNonNull(attemptOf(retry).failed()).spanId())
                    .isEqualTo(spanOf(failed).spanId());
            over.countDown();
        }
    }

    /** A run that takes no notice of its interrupt. */
    private void awaitOver() {
        while (over.getCount() > 0) {
            try {
                over.await();
            } catch (InterruptedException ex) {
                // It goes on, as in another process.
            }
        }
    }

    /** As if the process had been killed. */
    private static void free(Node node) {
        List<Runnable> ignored = node.executor.shutdownNow();
    }

    @Test
    void taskKeepsItsOriginWhereverItIsMoved() {
        try (Node node = node("a")) {
            List<DurableRequest> requests = List.of(
                    new DurableRequest("1", "1", Instant.now().plusSeconds(3_600)),
                    new DurableRequest("2", "2", Instant.now()));
            request(() -> assertThat(node.engine.scheduleAll("note", requests)).isEqualTo(2));
            assertThat(node.engine.reschedule("note", "1", Instant.now())).isTrue();
            node.handle("note", String.class, id -> {}).start();
            run(2);
            assertThat(spans.runs)
                    .allSatisfy(run -> assertThat(originOf(run).traceId()).isEqualTo(OUTER));
            assertThat(spans.runs.stream()
                            .filter(run -> run.getTaskId().equals("1"))
                            .allMatch(run -> originOf(run).isParent()))
                    .as("due in an hour when it was scheduled")
                    .isFalse();
        }
    }

    @Test
    void taskThatAnOlderNodeReplacesHasNoOrigin() {
        OlderNode older =
                new OlderNode(database, dataSource, JsonMapper.builder().build());
        try (Node node = node("a")) {
            request(() -> {
                assertThat(node.engine.schedule("note", "1", "1", Instant.now()))
                        .isTrue();
                assertThat(node.engine.schedule("note", "2", "2", Instant.now()))
                        .isTrue();
            });
            assertThat(older.replace("note", "1", "other")).isTrue();
            assertThat(jdbc.queryForObject(
                            "select traceparent from wheel_durable_task where task_instance = '1'", String.class))
                    .contains(OUTER);
            request(() -> assertThat(node.engine.replace("note", "3", "3", Instant.now()))
                    .isNotNull());
            assertThat(node.engine.replace("note", "3", "other", Instant.now())).isNotNull();
            node.handle("note", String.class, id -> {}).start();
            run(3);
            assertThat(spans.runs)
                    .allSatisfy(run -> assertThat(run.getOrigin() != null)
                            .as(run.getTaskId())
                            .isEqualTo(run.getTaskId().equals("2")));
        }
    }

    @Test
    void runByHandKeepsItsCallerThroughARetiming() {
        try (Node node = node("a")) {
            RecurringTasks recurring = node.engine.recurringTasks();
            node.handle("note", String.class, id -> {});
            assertThat(recurring.schedule("note", "made", TaskSchedule.fixedRate(Duration.ofHours(1)), "1"))
                    .isNotNull();
            request(() -> assertThat(recurring.trigger("made")).isTrue());
            assertThat(recurring.retime("made", TaskSchedule.fixedRate(Duration.ofHours(2))))
                    .isTrue();
            node.start();
            WheelRunContext run = run(1);
            assertThat(run.getTrigger()).isEqualTo(WheelRunContext.Trigger.BY_HAND);
            assertThat(originOf(run).traceId()).as("the request").isEqualTo("0".repeat(31) + "1");
            assertThat(originOf(run).isParent()).isFalse();
        }
    }

    @Test
    void failedTaskNamesTheTraceOfItsAttempt() {
        try (Node node = node("a")) {
            node.handle("note", String.class, id -> {
                throw new IllegalStateException("on purpose");
            });
            node.start();
            assertThat(node.engine.schedule("note", "1", "1", Instant.now())).isTrue();
            String trace = spanOf(run(3)).traceId();
            Database.Tables tables = new Database(dataSource, Node.settings("b")).tables();
            await().atMost(PATIENCE)
                    .until(() -> Objects.requireNonNull(TaskDetails.ofTask(tables, "note", "1"))
                                    .attempt()
                            == 4);
            assertThat(Objects.requireNonNull(TaskDetails.ofTask(tables, "note", "1"))
                            .traceId())
                    .isEqualTo(trace);
            assertThat(jdbc.update("update wheel_durable_task set version = version + 1"))
                    .as("as an older node does")
                    .isEqualTo(1);
            assertThat(Objects.requireNonNull(TaskDetails.ofTask(tables, "note", "1"))
                            .traceId())
                    .isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {33, 101, 5_000})
    void originWithAnIdThatIsTooLongIsLeftOut(int length) {
        String longId = "a".repeat(length);
        try (Node node = new Node("a", dataSource)) {
            node.engine.setRunObservation(
                    new WheelRunObservation(
                            () -> registry,
                            ObservedTasks.NAMED,
                            null,
                            () -> registry.getCurrentObservation() == null
                                    ? null
                                    : new RunOrigin(longId, longId, true, true),
                            Duration.ofSeconds(5)),
                    Map.of());
            CountDownLatch failed = new CountDownLatch(1);
            node.handle("note", String.class, id -> {
                if (failed.getCount() > 0) {
                    failed.countDown();
                    throw new IllegalStateException("on purpose");
                }
            });
            node.start();
            request(() -> assertThat(node.engine.schedule("note", "1", "1", Instant.now()))
                    .isTrue());
            assertThat(run(1).getOrigin()).isNull();
            assertThat(run(2).getTrigger()).isEqualTo(WheelRunContext.Trigger.RETRY);
            assertThat(run(2).getOrigin()).isNull();
            assertThat(attemptOf(run(2)).failed()).isNull();
        }
    }

    @Test
    void programNamesAnOriginBySql() {
        try (Node node = node("a")) {
            node.handle("note", String.class, id -> {}).start();
            String now = database == TestDatabase.MARIADB ? "utc_timestamp(6)" : "current_timestamp";
            assertThat(jdbc.update("insert into wheel_durable_task (task_name, task_instance, execution_time, version, "
                            + "traceparent, origin_version) values ('note', '1', " + now + ", 1, '00-" + OUTER
                            + "-b7ad6b7169203331-01', 1)"))
                    .isEqualTo(1);
            assertThat(originOf(run(1))).isEqualTo(new RunOrigin(OUTER, "b7ad6b7169203331", true, false));
        }
    }

    @Test
    void statementsAreAsEverWithoutTraces() {
        RecordingDataSource recording = new RecordingDataSource(dataSource);
        Database plain = new Database(recording, Node.settings("a"));
        Database.Tables tables = plain.tables();
        recording.forget();
        assertThat(tables.tasks().insert("note", "1", new byte[0], Instant.now().minusSeconds(1)))
                .isTrue();
        List<TaskRow> rows =
                tables.claims().claim(7, Duration.ofSeconds(1), Map.of("note", 10), List.of(), Map.of(), true);
        assertThat(rows).hasSize(1);
        Claim claim = new Claim(rows.get(0), 7);
        assertThat(tables.ends().tryAgain(claim, Instant.now(), 1, Instant.now()))
                .isTrue();
        assertThat(tables.tasks().replace("note", "1", new byte[0], Instant.now(), OwnRetries.NONE, null))
                .isTrue();
        assertThat(recording.statements)
                .hasSizeGreaterThan(3)
                .noneMatch(text -> text.contains("trace") || text.contains("origin") || text.contains("{"));
    }
}
