package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** What is particular to the locks and snapshots of MariaDB harms no node and no user. */
class MariaDbConditionsTest {

    private static final String TABLE = TaskTable.DEFAULT_NAME;
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** Three times as long as a statement of these tests waits for a lock. */
    private static final Duration LONG = Duration.ofSeconds(16);

    private final HikariDataSource dataSource = TestDatabase.MARIADB.newDataSource();
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
    private final Node node = new Node("a", dataSource);
    private final Tables tables = new Database(dataSource, Node.settings("x")).tables();
    private final TaskTable table = tables.tasks();

    @BeforeEach
    void makeRowsThatANodeHasClaimed() {
        for (int i = 0; i < 20; i++) {
            assertThat(table.insert("note", "t" + i, new byte[0], Instant.EPOCH))
                    .isTrue();
        }
        assertThat(jdbc.update("update " + TABLE + " set state = 1, owner = 7")).isEqualTo(20);
    }

    @AfterEach
    void close() {
        node.close();
        dataSource.close();
    }

    @Test
    void takeOverWaitsForNoRowThatIsLocked() throws Exception {
        try (Connection other = dataSource.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            boolean ignored = statement.execute(
                    "select * from " + TABLE + " where task_name = 'note' and task_instance = 't3' for update");
            assertThat(tables.sql()
                            .inTransaction(() -> tables.claims()
                                    .freeSomeOf(7, true, 5, 50, false)
                                    .count()))
                    .isEqualTo(19);
            other.rollback();
        }
        assertThat(tables.sql()
                        .inTransaction(() -> tables.claims()
                                .freeSomeOf(7, true, 5, 50, false)
                                .count()))
                .isEqualTo(1);
    }

    @Test
    @Timeout(20)
    void pauseEndsInATransactionWithAnOldSnapshot() {
        RecurringTable recurring = tables.recurring();
        String name = "r";
        Instant later = table.now().plusSeconds(3_600);
        assertThat(tables.declared().plant(name, "x", later, table.now())).isTrue();
        assertThat(recurring.pause(name)).isTrue();
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        transaction.setTimeout(10);
        Boolean isResumed = transaction.execute(status -> {
            assertThat(node.engine.recurringTasks().find("r")).isPresent();
            Thread byAnotherNode = new Thread(() -> {
                boolean ignored = recurring.trigger(name);
            });
            byAnotherNode.start();
            try {
                byAnotherNode.join();
            } catch (InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
            return node.engine.recurringTasks().resume("r");
        });
        assertThat(isResumed).isTrue();
    }

    @Test
    void endsThatWaitForLocksDoNotStopTheHeartbeat() throws Exception {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        node.handle("short", String.class, payload -> {
            ran.add(String.valueOf(payload));
            goOn.await();
        });
        node.handle("long", String.class, payload -> {
            ran.add(String.valueOf(payload));
            end.await();
        });
        node.start();
        try (Node another = new Node("b", dataSource).handle("long", String.class, ran::add);
                Connection other = dataSource.getConnection();
                Statement statement = other.createStatement()) {
            assertThat(node.engine.schedule("long", "1", "long", Instant.now())).isTrue();
            other.setAutoCommit(false);
            for (int i = 0; i < 8; i++) {
                assertThat(node.engine.schedule("short", "" + i, "s" + i, Instant.now()))
                        .isTrue();
            }
            await().atMost(PATIENCE).until(() -> ran.size() == 9);
            for (int i = 0; i < 8; i++) {
                boolean ignored = statement.execute("select * from " + TABLE
                        + " where task_name = 'short' and task_instance = '" + i + "' for update");
            }
            another.start();
            goOn.countDown();
            long startNanos = System.nanoTime();
            await().atMost(PATIENCE)
                    .until(() -> System.nanoTime() - startNanos > LONG.toNanos()
                            || another.engine.counts().claimed() > 0);
            assertThat(another.engine.counts().claimed()).isZero();
            assertThat(node.engine.problem()).isNull();
            other.rollback();
            await().atMost(PATIENCE)
                    .until(() -> node.engine.counts().succeeded() == 8
                            && node.engine.list("short", null, null, 1).isEmpty());
            end.countDown();
            await().atMost(PATIENCE).until(() -> node.engine.find("long", "1").isEmpty());
            assertThat(ran).hasSize(9);
        }
    }

    @Test
    void cleanUpWaitsForNoRowThatStays() throws Exception {
        DeclaredTable recurring = tables.declared();
        Instant now = table.now();
        assertThat(recurring.plant("gone", "x", now, now)).isTrue();
        assertThat(recurring.plant("stays", "x", now, now)).isTrue();
        recurring.know(List.of("gone", "stays"), Duration.ofDays(1));
        assertThat(jdbc.update("update " + TABLE
                        + " set known_at = utc_timestamp(6) - interval 9 day where task_instance = 'gone'"))
                .isEqualTo(1);
        assertThat(jdbc.update("insert into " + TABLE
                        + " (task_name, task_instance, execution_time)"
                        + " select 'old', seq, utc_timestamp(6) - interval 9 day from seq_1_to_5000"))
                .isEqualTo(5_000);
        try (Connection other = dataSource.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            boolean ignored = statement.execute("update " + TABLE
                    + " set paused = true where task_name = 'recurring:' and task_instance = 'stays'");
            assertThat(recurring.forget(recurring.unknown(Duration.ofDays(7)), Duration.ofDays(7)))
                    .isEqualTo(1);
            other.rollback();
        }
    }

    /** As MariaDB compares them, names that differ in trailing spaces only are one. */
    @Test
    void taskRunsWhoseHandlerEndsInASpace() {
        Queue<String> ran = new ConcurrentLinkedQueue<>();
        node.engine.handle("mail", String.class, RetryPolicy.DEFAULT, payload -> ran.add(String.valueOf(payload)));
        assertThat(node.engine.recurringTasks().schedule("mail", "r", TaskSchedule.fixedRate(LONG), "made"))
                .isEqualTo(RecurringTasks.Change.ADDED);
        assertThat(jdbc.update("update " + TABLE + " set made_for = 'mail ' where task_instance = 'r'"))
                .isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            assertThat(jdbc.update(
                            "insert into " + TABLE + " (task_name, task_instance, task_data, execution_time) values "
                                    + "('mail ', ?, ?, utc_timestamp(6) + interval ? day)",
                            "s" + i,
                            ("\"s" + i + "\"").getBytes(StandardCharsets.UTF_8),
                            i < 2 ? -1 : 1))
                    .isEqualTo(1);
        }
        node.start();
        assertThat(node.engine.schedule("mail", "1", "plain", Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> ran.containsAll(List.of("s0", "s1", "made", "plain")));
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() >= 4);
        await().atMost(PATIENCE)
                .until(() -> node.engine.overview().unknownHandlers().equals(List.of("note")));
        assertThat(node.engine.list("mail", null, null, 10))
                .extracting(DurableTask::id)
                .containsExactly("s2");
        assertThat(node.engine.counts().givenBack()).isZero();
    }
}
