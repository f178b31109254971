package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import tools.jackson.databind.json.JsonMapper;

/** A node of a test, on a wheel of its own. */
final class Node implements AutoCloseable {

    final WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
    final DurableEngine engine;

    Node(String name, DataSource dataSource) {
        this(settings(name), dataSource, DurableObserver.NONE);
    }

    Node(DurableSettings settings, DataSource dataSource, DurableObserver observer) {
        engine = new DurableEngine(
                settings, executor, dataSource, JsonMapper.builder().build(), observer);
    }

    /** Quick to take over, so that tests are. */
    static DurableSettings settings(String name) {
        return new DurableSettings(
                TaskTable.DEFAULT_NAME,
                true,
                name,
                10,
                Duration.ofSeconds(1),
                2_000,
                Duration.ofMillis(300),
                Duration.ofMillis(1_500),
                Duration.ofSeconds(5),
                Duration.ofDays(1));
    }

    <T> Node handle(String name, Class<T> type, TaskBody<? super T> body) {
        engine.handle(name, type, new RetryPolicy(2, Duration.ofMillis(50), Duration.ofMillis(100)), body);
        return this;
    }

    Node start() {
        engine.start();
        return this;
    }

    /** As if the process had been killed: nothing is given back, and nobody hears of it any more. */
    void kill() {
        List<Runnable> ignored = executor.shutdownNow();
    }

    @Override
    public void close() {
        engine.close();
        List<Runnable> ignored = executor.shutdownNow();
    }
}
