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
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
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
        final AtomicBoolean hidesSigns = new AtomicBoolean();

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
                        if (hidesSigns.get()
                                && method.getName().equals("prepareStatement")
                                && String.valueOf(arguments[0]).endsWith(" signs")) {
                            throw new SQLException("on purpose");
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

    private HistoryEngine history() {
        return new HistoryEngine(HistorySettings.ofNode("a"), scheduler.getWheelScheduledExecutor(), dataSource);
    }

    private HistoryMemory memory() {
        return new HistoryMemory(scheduler, "main", history(), new MissedAtStart());
    }

    /** Schedules a cron that had a run in the last two hours, and notes that it ran before. */
    private void scheduleMissed(String id) {
        OffsetDateTime down = Instant.now().minus(Duration.ofHours(3)).atOffset(ZoneOffset.UTC);
        int ignored = new JdbcTemplate(dataSource)
                .update(
                        "insert into wheel_history_hour (starts_at, task, node, outcome, runs, micros, longest, "
                                + "earliest, latest) values (?, ?, 'b', 0, 1, 1, 1, ?, ?)",
                        down.truncatedTo(ChronoUnit.HOURS),
                        id,
                        down,
                        down);
        ScheduledFuture<?> unused = scheduler
                .getTaskRegistry()
                .schedule(
                        id,
                        () -> {},
                        TaskSchedule.cron("0 0 " + down.plusHours(2).getHour() + " * * *", ZoneOffset.UTC));
    }

    private void recall(HistoryMemory memory, String id) {
        int before = dataSource.questions.size();
        memory.added(id);
        await().atMost(PATIENCE).until(() -> dataSource.questions.size() > before && !isRecalling());
    }

    private static boolean isRecalling() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("wheel-history-recall"));
    }

    @Test
    void missedRunsOfTasksThatComeLaterAreFound() {
        dataSource.mayAnswer.countDown();
        MissedAtStart missed = new MissedAtStart();
        try (HistoryEngine history = history()) {
            history.start();
            HistoryMemory memory = new HistoryMemory(scheduler, "main", history, missed);
            recall(memory, "there");
            scheduleMissed("nightly");
            recall(memory, "nightly");
            assertThat(missed.all()).extracting(MissedAtStart.Missed::task).containsExactly("nightly");
            memory.removed("nightly");
            recall(memory, "nightly");
            assertThat(missed.all()).isEmpty();
        }
    }

    @Test
    void missedRunsAreLookedForAgainAfterAnOutage() {
        dataSource.mayAnswer.countDown();
        MissedAtStart missed = new MissedAtStart();
        try (HistoryEngine history = history()) {
            history.start();
            HistoryMemory memory = new HistoryMemory(scheduler, "main", history, missed);
            scheduleMissed("nightly");
            dataSource.hidesSigns.set(true);
            recall(memory, "nightly");
            assertThat(missed.all()).isEmpty();
            dataSource.hidesSigns.set(false);
            recall(memory, "there");
            assertThat(missed.all()).extracting(MissedAtStart.Missed::task).containsExactly("nightly");
        }
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
