package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.RetryPolicy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A database that answers and refuses changes is said to do that, once, until it takes them. */
@Timeout(180)
class RefusedChangesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String AWAY = "does not answer";
    private static final String REFUSES = "refuses changes";
    private static final String TAKES = "takes changes again";
    private static final String BACK = "answers again";

    /** How changes come to be refused. */
    enum Refusal {
        READ_ONLY(TestDatabase.POSTGRESQL) {
            @Override
            void begin(HikariDataSource pool, Statement statement) throws SQLException {
                String name = statement.getConnection().getCatalog();
                boolean ignored =
                        statement.execute("alter database " + name + " set default_transaction_read_only = on");
                pool.getHikariPoolMXBean().softEvictConnections();
            }

            @Override
            void end(HikariDataSource pool, Statement statement) throws SQLException {
                String name = statement.getConnection().getCatalog();
                boolean ignored = statement.execute("set default_transaction_read_only = off");
                ignored = statement.execute("alter database " + name + " set default_transaction_read_only = off");
                pool.getHikariPoolMXBean().softEvictConnections();
            }
        },
        DISK_FULL(TestDatabase.POSTGRESQL) {
            @Override
            void begin(HikariDataSource pool, Statement statement) throws SQLException {
                boolean ignored = statement.execute("create function full_disk() returns trigger language plpgsql as"
                        + " 'begin raise exception ''no space left on device'' using errcode = ''53100''; end'");
                for (String table : new String[] {"wheel_durable_task", "wheel_durable_task_node"}) {
                    ignored = statement.execute("create trigger full_disk before insert or update or delete on " + table
                            + " for each row execute function full_disk()");
                }
            }

            @Override
            void end(HikariDataSource pool, Statement statement) throws SQLException {
                boolean ignored = statement.execute("drop function full_disk() cascade");
            }
        },
        MARIADB_READ_ONLY(TestDatabase.MARIADB) {
            @Override
            void begin(HikariDataSource pool, Statement statement) throws SQLException {
                String name = statement.getConnection().getCatalog();
                boolean ignored =
                        statement.execute("create trigger refused before update on wheel_durable_task for each"
                                + " row signal sqlstate 'HY000' set mysql_errno = 1290, message_text = 'read-only "
                                + name + "'");
                ignored = statement.execute("create trigger kept before delete on wheel_durable_task for each"
                        + " row signal sqlstate 'HY000' set mysql_errno = 1290, message_text = 'read-only " + name
                        + "'");
            }

            @Override
            void end(HikariDataSource pool, Statement statement) throws SQLException {
                boolean ignored = statement.execute("drop trigger refused");
                ignored = statement.execute("drop trigger kept");
            }
        };

        private final TestDatabase database;

        Refusal(TestDatabase database) {
            this.database = database;
        }

        abstract void begin(HikariDataSource pool, Statement statement) throws SQLException;

        abstract void end(HikariDataSource pool, Statement statement) throws SQLException;
    }

    @ParameterizedTest
    @EnumSource
    void refusalIsSaidOnce(Refusal refusal) throws Exception {
        String url = refusal.database.newUrl();
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch goOn = new CountDownLatch(1);
        try (HikariDataSource pool = TestDatabase.dataSource(url);
                CapturedLog log = CapturedLog.begin();
                Node node = new Node("a", pool);
                Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            node.engine.handle(
                    "note", String.class, new RetryPolicy(2, Duration.ofMillis(20), Duration.ofMillis(40)), payload -> {
                        runs.incrementAndGet();
                        goOn.await();
                    });
            node.start();
            assertThat(node.engine.schedule("note", "1", "x", Instant.now())).isTrue();
            assertThat(node.engine.schedule("note", "2", "x", Instant.now().plusSeconds(5)))
                    .isTrue();
            await().atMost(PATIENCE).until(() -> runs.get() == 1);

            refusal.begin(pool, statement);
            goOn.countDown();
            await().atMost(PATIENCE).until(node.engine::refusesChanges);
            // It would have alternated many times with each look.
            await().during(Duration.ofSeconds(5)).atMost(PATIENCE).until(node.engine::refusesChanges);
            assertThat(node.engine.problem()).isNotNull();
            refusal.end(pool, statement);

            await().atMost(PATIENCE).until(() -> node.engine.find("note", "1").isEmpty());
            await().atMost(PATIENCE).until(() -> node.engine.problem() == null);
            await().atMost(PATIENCE).until(() -> node.engine.find("note", "2").isEmpty());
            assertThat(log.of(Level.WARNING, REFUSES)).hasSize(1);
            assertThat(log.of(Level.INFO, TAKES)).hasSize(1);
            assertThat(log.of(Level.WARNING, AWAY)).isEmpty();
            assertThat(log.of(Level.INFO, BACK)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void missingRightIsSaidOnce(TestDatabase database) throws Exception {
        String url = database.newUrl();
        try (HikariDataSource owner = TestDatabase.dataSource(url);
                Connection connection = owner.getConnection();
                Statement statement = connection.createStatement();
                CapturedLog log = CapturedLog.begin()) {
            try (Node first = new Node("first", owner)) {
                first.start();
            }
            boolean ignored = statement.execute("create user tasks password 'x'");
            grant(statement, "grant all on ", " to tasks");
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url.replace(";DB_CLOSE_DELAY=-1", "").replace("user=postgres", "user=tasks"));
            config.setUsername("tasks");
            config.setPassword("x");
            try (HikariDataSource pool = new HikariDataSource(config);
                    Node node = new Node("a", pool)) {
                node.start();
                assertThat(node.engine.problem()).isNull();
                grant(statement, "revoke insert, update, delete on ", " from tasks");
                await().atMost(PATIENCE).until(node.engine::refusesChanges);
                await().during(Duration.ofSeconds(3)).atMost(PATIENCE).until(node.engine::refusesChanges);
                grant(statement, "grant all on ", " to tasks");
                await().atMost(PATIENCE).until(() -> node.engine.problem() == null);
                assertThat(log.of(Level.WARNING, REFUSES)).hasSize(1);
                assertThat(log.of(Level.INFO, TAKES)).hasSize(1);
                assertThat(log.of(Level.INFO, BACK)).isEmpty();
            }
        }
    }

    private static void grant(Statement statement, String begin, String end) throws SQLException {
        for (String table : new String[] {"wheel_durable_task", "wheel_durable_task_node"}) {
            boolean ignored = statement.execute(begin + table + end);
        }
    }
}
