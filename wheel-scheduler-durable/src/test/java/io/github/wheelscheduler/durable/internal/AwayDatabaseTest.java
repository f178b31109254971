package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A database that does not answer for a while loses nothing, at the start or later. */
class AwayDatabaseTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HikariDataSource pool = TestDatabase.H2.newDataSource();
    private final SwitchedDataSource dataSource = new SwitchedDataSource(pool);
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final Node node = new Node("a", dataSource);

    private static final class SwitchedDataSource extends DelegatingDataSource {

        private volatile boolean isAway;

        SwitchedDataSource(HikariDataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (isAway) {
                throw new SQLException("on purpose: away");
            }
            return super.getConnection();
        }
    }

    @AfterEach
    void close() {
        dataSource.isAway = false;
        node.close();
        pool.close();
    }

    @Test
    void mayBeAwayAtTheStart() {
        dataSource.isAway = true;
        node.handle("note", String.class, payload -> ran.add(String.valueOf(payload)))
                .start();

        assertThat(node.engine.problem()).hasMessageContaining("Failed to obtain JDBC Connection");
        assertThatExceptionOfType(DataAccessException.class)
                .isThrownBy(() -> node.engine.schedule("note", "1", "one", Instant.now()));
        dataSource.isAway = false;

        await().atMost(PATIENCE).until(() -> node.engine.problem() == null);
        assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).containsExactly("one"));
    }

    @Test
    void isToldOfARunThatEndedWhileItWasAway() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        node.handle("note", String.class, payload -> {
            begun.countDown();
            goOn.await();
            ran.add(String.valueOf(payload));
        });
        node.start();
        assertThat(node.engine.schedule("note", "1", "one", Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> begun.getCount() == 0);

        dataSource.isAway = true;
        goOn.countDown();
        await().atMost(PATIENCE).until(() -> node.engine.problem() != null && ran.size() == 1);
        dataSource.isAway = false;

        await().atMost(PATIENCE).until(() -> node.engine.find("note", "1").isEmpty());
        await().atMost(PATIENCE).until(() -> node.engine.problem() == null);
        assertThat(ran).containsExactly("one");
        assertThat(node.engine.counts().lost()).isZero();
    }
}
