package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableSettings.UnknownHandlers;
import io.github.wheelscheduler.durable.testing.CapturedLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** Tasks are scheduled for a handler that no node has, as far as the rows of nodes say. */
@ParameterizedClass
@EnumSource
class UnknownHandlerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");

    private final HikariDataSource dataSource;
    private final JdbcTemplate jdbc;
    private final List<Node> nodes = new ArrayList<>();
    private final CapturedLog log = CapturedLog.begin();

    UnknownHandlerTest(TestDatabase database) {
        dataSource = database.newDataSource();
        jdbc = new JdbcTemplate(dataSource);
    }

    @AfterEach
    void close() {
        log.close();
        nodes.forEach(Node::close);
        dataSource.close();
    }

    /** Makes one that has not started, as a process that only schedules. */
    private Node node(String name, UnknownHandlers unknownHandlers) {
        DurableSettings usual = Node.settings(name);
        Node node = new Node(
                new DurableSettings(
                        usual.table(),
                        true,
                        name,
                        usual.maxConcurrent(),
                        usual.claimAhead(),
                        usual.maxClaimed(),
                        usual.heartbeat(),
                        usual.deadAfter(),
                        usual.closeLimit(),
                        usual.forgetAfter(),
                        usual.maxDeaths(),
                        null,
                        true,
                        unknownHandlers),
                dataSource,
                DurableObserver.NONE);
        nodes.add(node);
        return node;
    }

    private Node worker(String handler) {
        return node("worker", UnknownHandlers.WARN)
                .handle(handler, String.class, payload -> {})
                .start();
    }

    private static boolean schedule(Node node, String handler, String id) {
        return node.engine.schedule(handler, id, null, LATER);
    }

    private static void assertRefused(Node node, String handler) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> schedule(node, handler, "1"))
                .withMessage("handler must be declared by a living node, was '" + handler + "'");
    }

    private List<String> warnings() {
        return log.with("which no node has");
    }

    /** Waits until the rows have been read of which a warning would follow. */
    private void awaitChecked(Node node) {
        assertThat(schedule(node, "surely none", node.engine.settings().node())).isTrue();
        await().atMost(PATIENCE).until(() -> warnings().stream().anyMatch(line -> line.contains("'surely none'")));
    }

    @Test
    void handlerOfNoNodeIsWarnedOfOnce() {
        Node worker = worker("mail");
        for (Node node : List.of(worker, node("producer", UnknownHandlers.WARN))) {
            log.clear();
            for (int i = 0; i < 5; i++) {
                assertThat(schedule(node, "male", node.engine.settings().node() + i))
                        .isTrue();
            }
            await().atMost(PATIENCE).until(() -> !warnings().isEmpty());
            assertThat(schedule(node, "male", node.engine.settings().node())).isTrue();
            awaitChecked(node);
            assertThat(warnings())
                    .filteredOn(line -> line.contains("'male'"))
                    .containsExactly("A durable task was scheduled for the handler 'male', which no node has: it waits "
                            + "until one has it. Correct the name, or start a node with that handler");
        }
        assertThat(worker.engine.overview().unknownHandlers()).containsExactlyInAnyOrder("male", "surely none");
    }

    @Test
    void handlerOfAnotherNodeIsKnown() {
        Node worker = worker("ma il+%");
        Node warning = node("warning", UnknownHandlers.WARN);
        Node failing = node("failing", UnknownHandlers.FAIL);
        assertThat(schedule(warning, "ma il+%", "1")).isTrue();
        assertThat(schedule(failing, "ma il+%", "2")).isTrue();
        awaitChecked(warning);
        assertThat(warnings()).noneMatch(line -> line.contains("'ma il+%'"));
        assertThat(worker.engine.overview().unknownHandlers()).containsExactly("surely none");
    }

    @Test
    void handlerThatIsAddedLaterIsKnown() {
        Node worker = worker("mail");
        Node failing = node("failing", UnknownHandlers.FAIL);
        assertRefused(failing, "late");
        Node ignored = worker.handle("late", String.class, payload -> {});
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IllegalArgumentException.class)
                .until(() -> schedule(failing, "late", "1"));
    }

    @Test
    void failureLeavesTheCallersTransactionAsItIs() {
        Node worker = worker("mail");
        Node failing = node("failing", UnknownHandlers.FAIL);
        Node started = node("started", UnknownHandlers.FAIL).start();
        for (Node node : List.of(failing, started)) {
            String id = node.engine.settings().node();
            new TransactionTemplate(new DataSourceTransactionManager(dataSource)).executeWithoutResult(status -> {
                assertThat(schedule(node, "mail", id)).isTrue();
                assertRefused(node, "male");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> node.engine.schedule("male", "1", null, Duration.ZERO));
                assertThatIllegalArgumentException().isThrownBy(() -> node.engine.replace("male", "1", null, LATER));
                assertThatIllegalArgumentException()
                        .isThrownBy(
                                () -> node.engine.scheduleAll("male", List.of(new DurableRequest("1", null, LATER))));
                assertThat(schedule(node, "mail", id + " too")).isTrue();
                assertThat(status.isRollbackOnly()).isFalse();
            });
            assertThat(worker.engine.find("mail", id)).isPresent();
            assertThat(worker.engine.find("mail", id + " too")).isPresent();
        }
        assertThat(worker.engine.list("male", null, null, 10)).isEmpty();
        assertThat(failing.engine.scheduleAll("male", List.of())).isZero();
    }

    @Test
    void emptyTableOfNodesIsNoEvidence() {
        Node failing = node("failing", UnknownHandlers.FAIL);
        assertThat(schedule(failing, "mail", "1")).isTrue();
        assertThat(failing.engine.overview().unknownHandlers()).isEmpty();
    }

    @Test
    void staleTableOfNodesIsNoEvidence() {
        Node worker = worker("mail");
        worker.kill();
        assertThat(jdbc.update(
                        "update wheel_durable_task_node set beat_at = ? where incarnation <> 0",
                        LocalDateTime.now(ZoneOffset.UTC).minusDays(1)))
                .isEqualTo(1);
        Node failing = node("failing", UnknownHandlers.FAIL);
        assertThat(schedule(failing, "male", "1")).isTrue();
        assertThat(failing.engine.overview().unknownHandlers()).isEmpty();
    }

    @Test
    void nodeThatDoesNotSayWhatItHasIsNoEvidence() {
        Node worker = worker("mail");
        Node failing = node("failing", UnknownHandlers.FAIL);
        assertRefused(failing, "male");
        assertThat(jdbc.update(
                        "insert into wheel_durable_task_node (incarnation, name, state, beat, beat_at) "
                                + "values (7, 'older', 0, 1, ?)",
                        LocalDateTime.now(ZoneOffset.UTC)))
                .isEqualTo(1);
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IllegalArgumentException.class)
                .until(() -> schedule(failing, "male", "1"));
        assertThat(worker.engine.overview().unknownHandlers()).isEmpty();
    }

    @Test
    void processThatReadsNoNodesHasNoEvidence() {
        Node ignored = worker("mail");
        Node failing = node("failing", UnknownHandlers.FAIL);
        failing.kill();
        assertThat(schedule(failing, "male", "1")).isTrue();
    }

    @Test
    void schedulingTakesNoMoreConnectionsForIt() {
        Node ignored = worker("mail");
        Thread caller = Thread.currentThread();
        AtomicInteger taken = new AtomicInteger();
        DelegatingDataSource counting = new DelegatingDataSource(dataSource) {
            @Override
            public Connection getConnection() throws SQLException {
                taken.addAndGet(Thread.currentThread() == caller ? 1 : 0);
                return super.getConnection();
            }
        };
        Node producer = new Node("producer", counting);
        nodes.add(producer);
        assertThat(schedule(producer, "male", "first")).isTrue();
        taken.set(0);
        for (int i = 0; i < 100; i++) {
            assertThat(schedule(producer, i % 2 == 0 ? "male" : "mail", "" + i)).isTrue();
        }
        assertThat(taken).hasValue(100);
    }

    @Test
    void namesThatAreMadeUpAreForgotten() {
        Node ignored = worker("mail");
        Node producer = node("producer", UnknownHandlers.WARN);
        for (int i = 0; i < 500; i++) {
            assertThat(schedule(producer, "made up " + i, "1")).isTrue();
        }
        await().atMost(PATIENCE).until(() -> !warnings().isEmpty());
        assertThat(warnings()).hasSizeLessThanOrEqualTo(200);
    }
}
