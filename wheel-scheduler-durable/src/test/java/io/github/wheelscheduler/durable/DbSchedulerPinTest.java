package io.github.wheelscheduler.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.TaskRepository;
import com.github.kagkarlsson.scheduler.TaskResolver;
import com.github.kagkarlsson.scheduler.event.SchedulerListeners;
import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepository;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** What is used of db-scheduler's inside: a version of it that does something else there fails here. */
@ParameterizedClass
@EnumSource
class DbSchedulerPinTest {

    private static final String TABLE = "pinned_task";
    private static final String NODE = "the node";
    private static final Duration AHEAD = Duration.ofSeconds(30);
    private static final int LIMIT = 7;

    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;
    private final RecordingDataSource recording;
    private final Database database;
    private final Dialect dialect;
    private final Handlers handlers = new Handlers();
    private final PassedOver passedOver = new PassedOver();

    DbSchedulerPinTest(TestDatabase on) {
        pool = on.newDataSource();
        jdbc = new JdbcTemplate(pool);
        recording = new RecordingDataSource(pool);
        dialect = Dialect.valueOf(on.name());
        DurableSettings usual = DurableSettings.ofNode(NODE);
        database = new Database(
                recording,
                new DurableSettings(
                        TABLE,
                        true,
                        NODE,
                        usual.maxConcurrent(),
                        AHEAD,
                        usual.maxClaimed(),
                        usual.heartbeat(),
                        usual.deadAfter(),
                        usual.closeLimit(),
                        usual.forgetAfter()));
    }

    @BeforeEach
    void knowOneHandler() {
        handlers.add(Handler.ofOneTime("note", String.class, RetryPolicy.DEFAULT, payload -> {}));
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private TaskRepository repository() {
        TaskTable ignored = database.table();
        recording.forget();
        return database.repository(handlers, passedOver, new DatabaseClock(System::nanoTime), System::nanoTime);
    }

    private void insert(String handler, String id, String payload, Instant at) {
        assertThat(database.table().insert(handler, id, payload.getBytes(StandardCharsets.UTF_8), at))
                .isTrue();
    }

    private Map<String, Object> row(String id) {
        return jdbc.queryForMap("select * from " + TABLE + " where task_instance = ?", id);
    }

    private List<String> statementsOfAClaim() {
        return dialect.claimsInTwoSteps()
                ? List.of(dialect.lockDue(TABLE, 1, 0, LIMIT), dialect.pick(TABLE))
                : List.of(Dialect.claim(TABLE, 1, 0, LIMIT));
    }

    private List<Object> parametersOfAClaim(String... ids) {
        if (!dialect.claimsInTwoSteps()) {
            return List.of(AHEAD.toMillis(), "note", NODE);
        }
        List<Object> parameters = new ArrayList<>(List.of(AHEAD.toMillis(), "note"));
        List.of(ids).forEach(id -> parameters.addAll(List.of(NODE, "note", id)));
        return parameters;
    }

    private Instant databaseNow() {
        return database.table().now();
    }

    @Test
    void aRepositoryThatIsMadeAsksTheDatabaseNothing() {
        TaskRepository ignored = repository();
        assertThat(recording.statements).isEmpty();
        assertThat(recording.calls).isEmpty();
    }

    @Test
    void aClaimIsOurStatementWithOurParametersAndNothingElse() {
        insert("note", "due", "text", databaseNow());
        insert("note", "soon", "text", databaseNow().plusSeconds(20));
        insert("note", "later", "text", databaseNow().plusSeconds(300));
        insert("of nobody here", "unknown", "text", databaseNow());
        Map<String, Object> later = row("later");
        Map<String, Object> unknown = row("unknown");
        TaskRepository repository = repository();

        // That time is not asked for: the database's is.
        List<Execution> claimed = repository.lockAndGetDue(Instant.EPOCH, LIMIT);

        assertThat(claimed).extracting(Execution::getId).containsExactly("due", "soon");
        assertThat(recording.statements).isEqualTo(statementsOfAClaim());
        assertThat(recording.parameters).isEqualTo(parametersOfAClaim("due", "soon"));
        if (dialect.claimsInTwoSteps()) {
            assertThat(recording.calls).containsSubsequence("commit", "close");
        } else {
            assertThat(recording.calls).containsExactly("close");
        }
        assertThat(row("later")).usingRecursiveComparison().isEqualTo(later);
        assertThat(row("unknown")).usingRecursiveComparison().isEqualTo(unknown);
    }

    @Test
    void theColumnsThatAreReadAreThoseThatAClaimSelects() {
        insert("note", "1", "text", databaseNow());
        assertThat(repository().lockAndGetDue(Instant.EPOCH, LIMIT)).hasSize(1);
        assertThat(recording.columns)
                .containsExactlyInAnyOrder(
                        "task_name",
                        "task_instance",
                        "task_data",
                        "execution_time",
                        "picked",
                        "picked_by",
                        "last_success",
                        "last_failure",
                        "consecutive_failures",
                        "last_heartbeat",
                        "version");
    }

    @Test
    void anExecutionCarriesTheRowAsItIsAfterTheClaim() {
        Instant at = Instant.parse("2026-01-02T03:04:05.678901Z");
        Instant failedAt = Instant.parse("2026-01-02T03:00:00.5Z");
        insert("note", "1", "text", at);
        assertThat(jdbc.update(
                        "update " + TABLE + " set version = 41, consecutive_failures = 3, last_failure = ?",
                        dialect.time(failedAt)))
                .isEqualTo(1);
        Instant before = databaseNow();

        Execution claimed =
                repository().lockAndGetDue(Instant.EPOCH, LIMIT).iterator().next();

        assertThat(claimed.getTaskName()).isEqualTo("note");
        assertThat(claimed.getId()).isEqualTo("1");
        assertThat(claimed.getExecutionTime()).isEqualTo(at);
        assertThat(claimed.version).isEqualTo(42);
        assertThat(claimed.consecutiveFailures).isEqualTo(3);
        assertThat(claimed.lastFailure).isEqualTo(failedAt);
        assertThat(claimed.picked).isTrue();
        assertThat(claimed.pickedBy).isEqualTo(NODE);
        assertThat(claimed.lastHeartbeat).isBetween(before, databaseNow());
        assertThat(claimed.taskInstance.getData())
                .as("bytes, untouched by any serializer")
                .isEqualTo("text".getBytes(StandardCharsets.UTF_8));
        assertThat(row("1")).containsEntry("version", 42L).containsEntry("picked", true);
    }

    @Test
    void aPayloadThatDoesNotComeWithTheClaimIsNull() {
        insert("note", "1", "x".repeat(10_000), databaseNow());
        Execution claimed =
                repository().lockAndGetDue(Instant.EPOCH, LIMIT).iterator().next();
        assertThat(claimed.taskInstance.getData()).isNull();
    }

    /** db-scheduler knows none of our tasks; it must not begin to leave them out, or delete them, because of that. */
    @Test
    void whatItKnowsNoTaskForIsClaimedAgainAndAgain() {
        TaskRepository repository = repository();
        for (int i = 0; i < 3; i++) {
            insert("note", "n" + i, "text", databaseNow());
            recording.forget();
            assertThat(repository.lockAndGetDue(Instant.EPOCH, LIMIT)).hasSize(1);
            assertThat(recording.statements).isEqualTo(statementsOfAClaim());
        }
        assertThat(jdbc.queryForObject("select count(*) from " + TABLE, Integer.class))
                .isEqualTo(3);
    }

    @Test
    void whatIsGivenBackKeepsAllButItsClaim() {
        insert("note", "1", "text", databaseNow());
        insert("note", "2", "text", databaseNow());
        Map<String, Object> before = row("1");
        TaskRepository repository = repository();
        List<Execution> claimed = repository.lockAndGetDue(Instant.EPOCH, LIMIT);
        assertThat(jdbc.update("update " + TABLE + " set version = version + 1 where task_instance = '2'"))
                .as("somebody else has taken it over")
                .isEqualTo(1);
        Map<String, Object> taken = row("2");
        recording.forget();

        repository.unpickPickedBatch(List.of());
        assertThat(recording.statements).isEmpty();
        repository.unpickPickedBatch(claimed);

        assertThat(recording.statements).hasSize(1);
        assertThat(recording.statements.get(0)).startsWith("update " + TABLE + " set picked = ?, picked_by = ?, ");
        Map<String, Object> after = row("1");
        assertThat(after).containsEntry("picked", false).containsEntry("version", 3L);
        assertThat(after.get("picked_by")).isNull();
        Set.of("task_name", "task_instance", "task_data", "execution_time", "consecutive_failures", "last_failure")
                .forEach(column -> assertThat(after.get(column))
                        .as(column)
                        .usingRecursiveComparison()
                        .isEqualTo(before.get(column)));
        assertThat(row("2")).usingRecursiveComparison().isEqualTo(taken);
    }

    @Test
    void aConnectionThatDoesNotCommitByItselfIsCommitted() {
        insert("note", "1", "text", databaseNow());
        TaskRepository repository = repository();
        recording.commitsItself(false);
        List<Execution> claimed = repository.lockAndGetDue(Instant.EPOCH, LIMIT);
        assertThat(recording.calls).containsSubsequence("commit", "close");
        recording.forget();
        repository.unpickPickedBatch(claimed);
        assertThat(recording.calls).containsExactly("commit", "close");
        assertThat(row("1")).containsEntry("picked", false).containsEntry("version", 3L);
    }

    @Test
    void aStatementThatFailsSaysSoAsAnErrorOfTheDatabase() {
        TaskRepository repository = repository();
        jdbc.execute("drop table " + TABLE);
        assertThatThrownBy(() -> repository.lockAndGetDue(Instant.EPOCH, LIMIT))
                .isInstanceOf(RuntimeException.class)
                .matches(Availability::isOfDatabase);
        assertThat(recording.calls).as("the connection is given back").endsWith("close");
    }

    /** So it does not matter what our customization inherits. */
    @Test
    void aClaimAsksTheCustomizationOnlyForTheStatement() {
        TaskTable ignored = database.table();
        List<String> asked = new ArrayList<>();
        ClaimAhead ours = new ClaimAhead(pool, dialect, AHEAD, handlers, passedOver, System::nanoTime);
        JdbcCustomization noting = (JdbcCustomization) Proxy.newProxyInstance(
                JdbcCustomization.class.getClassLoader(),
                new Class<?>[] {JdbcCustomization.class},
                (proxy, method, arguments) -> {
                    asked.add(method.getName());
                    return method.invoke(ours, arguments);
                });
        TaskRepository repository = new JdbcTaskRepository(
                recording,
                true,
                noting,
                TABLE,
                new TaskResolver(SchedulerListeners.NOOP, Instant::now, List.of()),
                new SchedulerName.Fixed(NODE),
                false,
                Instant::now);
        assertThat(asked).isEmpty();

        assertThat(repository.lockAndGetDue(Instant.EPOCH, LIMIT)).isEmpty();

        assertThat(asked).containsExactly("supportsSingleStatementLockAndFetch", "lockAndFetchSingleStatement");
    }
}
