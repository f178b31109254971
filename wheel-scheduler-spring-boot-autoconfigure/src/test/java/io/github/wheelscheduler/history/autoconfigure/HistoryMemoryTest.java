package io.github.wheelscheduler.history.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.HistorySettings;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Last runs are recalled in bounded memory, also while the database does not answer. */
@Timeout(120)
class HistoryMemoryTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final Slow dataSource = new Slow();

    /** A database that does not answer questions for last runs before it may. */
    private static final class Slow extends DelegatingDataSource {

        final CountDownLatch mayAnswer = new CountDownLatch(1);
        final List<String> questions = new CopyOnWriteArrayList<>();

        Slow() {
            super(new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", ""));
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                        if (method.getName().equals("prepareStatement")
                                && String.valueOf(arguments[0]).contains("group by task, outcome")) {
                            questions.add(String.valueOf(arguments[0]));
                            mayAnswer.await();
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    });
        }
    }

    @BeforeEach
    void open() {
        scheduler.initialize();
        ScheduledFuture<?> ignored = scheduler
                .getTaskRegistry()
                .schedule("there", () -> {}, TaskSchedule.once(Instant.now().plus(Duration.ofHours(1))));
    }

    @AfterEach
    void close() {
        dataSource.mayAnswer.countDown();
        scheduler.shutdown();
    }

    private HistoryMemory memory() {
        HistoryEngine history =
                new HistoryEngine(HistorySettings.ofNode("a"), scheduler.getWheelScheduledExecutor(), dataSource);
        return new HistoryMemory(scheduler, "main", history, new MissedAtStart());
    }

    private static boolean isRecalling() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("wheel-history-recall"));
    }

    @Test
    void tasksThatComeDuringAnOutageAreBounded() {
        HistoryMemory memory = memory();
        memory.added("there");
        await().atMost(PATIENCE).until(() -> dataSource.questions.size() == 1);
        for (int i = 0; i < 150_000; i++) {
            memory.added(i % 2 == 0 ? "there" : "gone-" + i);
        }
        dataSource.mayAnswer.countDown();
        await().atMost(PATIENCE).until(() -> !isRecalling());
        // The first one, and ten for the tasks that have waited.
        assertThat(dataSource.questions.stream().filter(question -> question.contains("?, ?")))
                .isEmpty();
        assertThat(dataSource.questions.size()).isEqualTo(11);
    }
}
