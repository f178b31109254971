package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.testing.CapturedLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A database that answers and refuses changes is said to do that, once, until it takes them. */
@Timeout(180)
class RefusedChangesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration DURING = Duration.ofSeconds(2);
    private static final String AWAY = "does not answer";
    private static final String REFUSES = "refuses changes";
    private static final String TAKES = "accepts changes again";
    private static final String BACK = "answers again";

    private static final String[] TABLES = {"wheel_durable_task", "wheel_durable_task_node"};
    private static final String[] CHANGES = {"insert", "update", "delete"};
    private static final AtomicInteger USERS = new AtomicInteger();

    /** How changes of an ordinary user come to be refused, by what an administrator does. */
    enum Refusal {
        READ_ONLY(
                TestDatabase.POSTGRESQL,
                "alter database {database} set default_transaction_read_only = on",
                "alter database {database} set default_transaction_read_only = off"),
        READ_ONLY_SERVER(TestDatabase.MARIADB, "set global read_only = 1", "set global read_only = 0"),
        DISK_FULL(
                TestDatabase.POSTGRESQL,
                "create function full_disk() returns trigger language plpgsql as"
                        + " 'begin raise exception ''no space left on device'' using errcode = ''53100''; end'\n"
                        + "create trigger full_disk before insert or update or delete on {table}"
                        + " for each row execute function full_disk()",
                "drop function full_disk() cascade"),
        TABLE_FULL(
                TestDatabase.MARIADB,
                "create trigger {table}_{change} before {change} on {table} for each row"
                        + " signal sqlstate 'HY000' set mysql_errno = 1114, message_text = 'The table is full'",
                "drop trigger {table}_{change}"),
        RIGHT_REVOKED_ON_H2(TestDatabase.H2),
        RIGHT_REVOKED_ON_POSTGRESQL(TestDatabase.POSTGRESQL),
        RIGHT_REVOKED_ON_MARIADB(TestDatabase.MARIADB);

        private final TestDatabase database;
        private final String begin;
        private final String end;

        Refusal(TestDatabase database, String begin, String end) {
            this.database = database;
            this.begin = begin;
            this.end = end;
        }

        Refusal(TestDatabase database) {
            this(database, "revoke insert, update, delete on {table} from {user}", "grant all on {table} to {user}");
        }
    }

    /** Runs statements, each for all that it is about. */
    private static void execute(Statement statement, String template, String user) throws SQLException {
        for (String one : template.replace("{user}", user)
                .replace("{database}", statement.getConnection().getCatalog())
                .split("\n", -1)) {
            for (String table : one.contains("{table}") ? TABLES : new String[1]) {
                for (String change : one.contains("{change}") ? CHANGES : new String[1]) {
                    boolean ignored =
                            statement.execute(one.replace("{table}", "" + table).replace("{change}", "" + change));
                }
            }
        }
    }

    private static HikariDataSource poolOf(String url, String user) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url.replace(";DB_CLOSE_DELAY=-1", "").replaceAll("user=(postgres|root)", "user=" + user));
        config.setUsername(user);
        config.setPassword("x");
        return new HikariDataSource(config);
    }

    /** A node of a user who owns nothing. */
    private static final class UserNode implements AutoCloseable {

        private final Refusal refusal;
        private final HikariDataSource owner;
        private final Connection connection;
        private final Statement statement;
        private final HikariDataSource pool;
        private final Node node;
        private final String user = "tasks" + USERS.incrementAndGet();

        UserNode(Refusal refusal) throws SQLException {
            this.refusal = refusal;
            String url = refusal.database.newUrl();
            owner = TestDatabase.dataSource(url);
            try (Node first = new Node("first", owner)) {
                first.start();
            }
            connection = owner.getConnection();
            statement = connection.createStatement();
            execute(
                    statement,
                    "create user {user}"
                            + (refusal.database == TestDatabase.MARIADB ? " identified by 'x'" : " password 'x'"),
                    user);
            execute(statement, "grant all on {table} to {user}", user);
            pool = poolOf(url, user);
            node = new Node("a", pool);
        }

        void refuse() throws SQLException {
            change(refusal.begin);
        }

        void take() throws SQLException {
            change(refusal.end);
        }

        /** A connection that is being made just now would come too late to be evicted, so the pool is full before. */
        private void change(String template) throws SQLException {
            await().atMost(PATIENCE)
                    .until(() -> pool.getHikariPoolMXBean().getTotalConnections() == pool.getMaximumPoolSize());
            execute(statement, template, user);
            pool.getHikariPoolMXBean().softEvictConnections();
        }

        void schedule(String id, Duration delay) {
            assertThat(node.engine.schedule("note", id, "x", Instant.now().plus(delay)))
                    .isTrue();
        }

        void awaitEnd(String id) {
            await().atMost(PATIENCE).until(() -> node.engine.find("note", id).isEmpty());
        }

        @Override
        public void close() throws SQLException {
            node.close();
            pool.close();
            statement.close();
            connection.close();
            owner.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusalIsSaidOnce(Refusal refusal) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch goOn = new CountDownLatch(1);
        try (CapturedLog log = CapturedLog.begin();
                UserNode user = new UserNode(refusal)) {
            DurableEngine engine = user.node.engine;
            engine.handle("note", String.class, new RetryPolicy(2, SHORT, SHORT), payload -> {
                runs.incrementAndGet();
                goOn.await();
            });
            engine.start();
            user.schedule("1", Duration.ZERO);
            user.schedule("2", DURING);
            await().atMost(PATIENCE).until(() -> runs.get() == 1);
            assertThat(engine.problem()).isNull();

            user.refuse();
            goOn.countDown();
            await().atMost(PATIENCE).until(engine::refusesChanges);
            // It would have alternated with each look, of which there are two a second.
            await().during(DURING).atMost(PATIENCE).until(engine::refusesChanges);
            assertThat(engine.problem()).isNotNull();
            user.take();

            user.awaitEnd("1");
            await().atMost(PATIENCE).until(() -> engine.problem() == null);
            user.awaitEnd("2");
            assertThat(runs).hasValue(2);
            assertThat(log.of(Level.WARNING, REFUSES)).hasSize(1);
            assertThat(log.of(Level.INFO, TAKES)).hasSize(1);
            assertThat(log.of(Level.WARNING, AWAY)).isEmpty();
            assertThat(log.of(Level.INFO, BACK)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void transactionWhoseEndIsRefusedIsNoFailure(Refusal refusal) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch goOn = new CountDownLatch(1);
        try (CapturedLog log = CapturedLog.begin();
                UserNode user = new UserNode(refusal)) {
            DurableEngine engine = user.node.engine;
            engine.handle(
                    "note",
                    String.class,
                    new RetryPolicy(0, SHORT, SHORT),
                    10,
                    null,
                    new JdbcTransactionManager(user.pool),
                    (payload, run) -> {
                        runs.incrementAndGet();
                        goOn.await();
                    });
            engine.start();
            user.schedule("1", Duration.ZERO);
            await().atMost(PATIENCE).until(() -> runs.get() == 1);

            user.refuse();
            goOn.countDown();
            await().atMost(PATIENCE).until(engine::refusesChanges);
            await().during(DURING).atMost(PATIENCE).until(engine::refusesChanges);
            assertThat(runs).hasValue(1);
            user.take();

            user.awaitEnd("1");
            await().atMost(PATIENCE).until(() -> engine.counts().succeeded() == 1);
            await().atMost(PATIENCE).until(() -> engine.problem() == null);
            assertThat(engine.counts().failed()).isZero();
            assertThat(log.of(Level.SEVERE, "")).isEmpty();
            assertThat(log.of(Level.WARNING, REFUSES)).hasSize(1);
            assertThat(log.of(Level.INFO, TAKES)).hasSize(1);
        }
    }

    @Test
    void runThatMakesItsTransactionReadOnlyFails() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (UserNode user = new UserNode(Refusal.RIGHT_REVOKED_ON_POSTGRESQL)) {
            DurableEngine engine = user.node.engine;
            engine.handle(
                    "note",
                    String.class,
                    new RetryPolicy(1, SHORT, SHORT),
                    10,
                    null,
                    new JdbcTransactionManager(user.pool),
                    (payload, run) -> {
                        runs.incrementAndGet();
                        new JdbcTemplate(user.pool).execute("set transaction read only");
                    });
            engine.start();
            user.schedule("1", Duration.ZERO);
            await().atMost(PATIENCE)
                    .until(() -> engine.find("note", "1").orElseThrow().state() == DurableTask.State.FAILED);
            assertThat(runs).hasValue(2);
            assertThat(engine.counts().failed()).isEqualTo(2);
        }
    }

    /** As servers answer; some of it cannot be provoked here. */
    @ParameterizedTest
    @CsvSource({
        "25006,0,cannot execute UPDATE in a read-only transaction",
        "53100,0,could not extend file: No space left on device",
        "42501,0,permission denied for table",
        "HY000,1021,Disk full; waiting for someone to free some space",
        "HY000,1036,Table is read only",
        "HY000,1114,The table is full",
        "42000,1142,UPDATE command denied to user for table",
        "42000,1143,UPDATE command denied to user for column",
        "HY000,1290,The server is running with the --read-only option",
        "25006,1792,Cannot execute statement in a READ ONLY transaction",
        "HY000,1836,Running in read-only mode"
    })
    void answerThatRefusesChangesIsSaidOnce(String state, int code, String text) {
        Availability availability = new Availability(System::nanoTime);
        DataAccessException answer = new UncategorizedSQLException("update", null, new SQLException(text, state, code));
        try (CapturedLog log = CapturedLog.begin()) {
            for (int i = 0; i < 3; i++) {
                availability.isAway(answer, "ends");
                availability.isAway(answer, "looks");
                availability.isThere();
                assertThat(availability.refusesChanges()).isTrue();
            }
            availability.hasWorked("ends");
            assertThat(availability.refusesChanges()).isTrue();
            availability.hasWorked("looks");
            availability.hasWorked("looks");
            assertThat(availability.problem()).isNull();
            assertThat(log.of(Level.WARNING, text)).hasSize(1);
            assertThat(log.of(Level.WARNING, REFUSES)).hasSize(1);
            assertThat(log.of(Level.INFO, TAKES)).hasSize(1);
            assertThat(log.of(Level.WARNING, AWAY)).isEmpty();
        }
    }
}
