package io.github.wheelscheduler.usewith;

import static io.github.wheelscheduler.usewith.OurExecutor.LIMIT;
import static io.github.wheelscheduler.usewith.OurExecutor.assertIsWorkerOf;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** In real time: the pool compares its own clock with the pace of its housekeeper. */
class HikariTest {

    @RegisterExtension
    final OurExecutor ours = OurExecutor.inRealTime();

    private final WheelScheduledExecutor executor = ours.executor();

    @Test
    void timersOfNettyAreOnTheWheel() throws Exception {
        // snippet
        WheelScheduledExecutor housekeeping = executor.newGroup("hikari").build();

        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:orders");
        config.setMaximumPoolSize(2);
        config.setLeakDetectionThreshold(Duration.ofSeconds(2).toMillis());
        config.setScheduledExecutor(housekeeping);
        HikariDataSource dataSource = new HikariDataSource(config);
        // end of snippet

        try (Leaks leaks = new Leaks();
                dataSource) {
            try (Connection connection = dataSource.getConnection()) {
                assertThat(leaks.foundBy.isDone()).isFalse();
                assertIsWorkerOf("hikari", leaks.foundBy.get(LIMIT.toSeconds(), SECONDS));
                assertThat(connection.isValid(0)).isTrue();
            }
            // the housekeeper, and of both connections how long they may live and when to ask whether they do
            await().atMost(LIMIT).until(() -> housekeeping.pendingCount() == 5);
        }
        assertThat(housekeeping.pendingCount()).isZero();
        assertThat(housekeeping.isShutdown()).isFalse();
    }

    /** Records the first thread that reported a leak. */
    private static final class Leaks extends Handler implements AutoCloseable {

        private static final Logger LOGGER = Logger.getLogger("com.zaxxer.hikari.pool.ProxyLeakTask");

        final CompletableFuture<String> foundBy = new CompletableFuture<>();

        Leaks() {
            LOGGER.addHandler(this);
            LOGGER.setUseParentHandlers(false);
        }

        @Override
        public void publish(LogRecord record) {
            if (record.getMessage().contains("leak detection triggered")) {
                foundBy.complete(Thread.currentThread().getName());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            LOGGER.setUseParentHandlers(true);
            LOGGER.removeHandler(this);
        }
    }
}
