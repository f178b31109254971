package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.testing.CapturedLog;
import io.github.wheelscheduler.durable.testing.NotedErrors;
import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Errors that MariaDB answers with, and that are nobody's fault, reach no caller, and none is provoked without need.
 */
@Timeout(180)
class MariaDbErrorsTest {

    private static final int DEADLOCK = 1_213;
    private static final int DUPLICATE = 1_062;
    private static final int CALLERS = 6;
    private static final int IDS = 30;
    private static final int ENOUGH = Scale.of(20, 100, 400);
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final Logger DRIVER = Logger.getLogger("org.mariadb.jdbc");

    private final HikariDataSource pool = TestDatabase.MARIADB.newDataSource();
    private final NotedErrors errors = new NotedErrors(pool);

    @BeforeEach
    void silenceDriver() {
        DRIVER.setLevel(Level.OFF);
    }

    @AfterEach
    void close() {
        DRIVER.setLevel(null);
        pool.close();
    }

    @Test
    void deadlocksReachNoCaller() throws Exception {
        long seed = Long.getLong("wheel.test.seed", System.nanoTime());
        System.out.println("wheel.test.seed=" + seed);
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong calls = new AtomicLong();
        Queue<Throwable> seen = new ConcurrentLinkedQueue<>();
        try (CapturedLog log = CapturedLog.begin();
                Node first = new Node("first", errors).handle("note", String.class, payload -> {});
                Node second = new Node("second", errors).handle("note", String.class, payload -> {})) {
            first.start();
            second.start();
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                Random random = new Random(seed + i);
                DurableTasks tasks = i % 2 == 0 ? first.engine : second.engine;
                Thread caller = new Thread(() -> {
                    while (!isOver.get()) {
                        try {
                            call(tasks, random);
                            long ignored = calls.incrementAndGet();
                        } catch (Throwable ex) {
                            boolean ignored = seen.add(ex);
                        }
                    }
                });
                callers.add(caller);
                caller.start();
            }
            try {
                await().atMost(PATIENCE).until(() -> errors.count(DEADLOCK) >= ENOUGH || !seen.isEmpty());
            } finally {
                isOver.set(true);
                for (Thread caller : callers) {
                    caller.join();
                }
            }
            System.out.println(errors.count(DEADLOCK) + " deadlocks in " + calls + " calls");
            assertThat(seen).isEmpty();
            assertThat(log.of(Level.WARNING, "does not answer")).isEmpty();
            assertThat(log.of(Level.SEVERE, "")).isEmpty();
        }
    }

    private static void call(DurableTasks tasks, Random random) {
        String id = "t" + random.nextInt(IDS);
        Instant at = Instant.now().plusMillis(random.nextInt(20));
        boolean ignored = switch (random.nextInt(6)) {
            case 0 ->
                tasks.scheduleAll(
                                "note",
                                IntStream.range(0, IDS)
                                        .filter(i -> random.nextBoolean())
                                        .mapToObj(i -> new DurableRequest("t" + i, "x", at))
                                        .toList())
                        > 0;
            case 1 -> tasks.cancel("note", id);
            case 2 -> tasks.reschedule("note", id, at);
            case 3 -> tasks.replace("note", id, "y", at) == DurableTasks.Replacement.REPLACED;
            case 4 -> tasks.cancel("note", id, Duration.ofMillis(100)) == DurableTasks.Cancellation.CANCELLED;
            default -> tasks.schedule("note", id, "x", at);
        };
    }

    @Test
    void secondNodeInsertsNoRowTwice() {
        List<String> ids = List.of("a", "b", "c");
        Set<String> ranOnSecond = ConcurrentHashMap.newKeySet();
        try (Node first = new Node("first", pool);
                Node second = new Node("second", errors)) {
            for (String id : ids) {
                Runnable ignored = first.engine.repeat(id, RecurringTable.parse("fixed-rate PT0.1S"), false, () -> {});
                ignored = second.engine.repeat(
                        id, RecurringTable.parse("fixed-rate PT0.1S"), false, () -> ranOnSecond.add(id));
            }
            first.start();
            await().atMost(PATIENCE)
                    .until(() -> first.engine.recurringTasks().list().size() == ids.size());
            second.start();
            first.engine.stop();
            // It runs none whose row it has not looked for.
            await().atMost(PATIENCE).until(() -> ranOnSecond.containsAll(ids));
            assertThat(errors.count(DUPLICATE)).isZero();
        }
    }
}
