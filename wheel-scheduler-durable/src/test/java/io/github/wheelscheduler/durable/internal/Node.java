package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.PayloadFormat;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.TaskBody;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import javax.sql.DataSource;
import tools.jackson.databind.json.JsonMapper;

/** A node of a test, on a wheel of its own. */
final class Node implements AutoCloseable {

    final WheelScheduledExecutor executor;
    final DurableEngine engine;

    Node(String name, DataSource dataSource) {
        this(settings(name), dataSource, DurableObserver.NONE);
    }

    Node(DurableSettings settings, DataSource dataSource, DurableObserver observer) {
        this(settings, dataSource, observer, InstantSource.system());
    }

    /** One whose machine has that clock. */
    Node(DurableSettings settings, DataSource dataSource, DurableObserver observer, InstantSource wallClock) {
        executor = WheelScheduledExecutor.builder().wallClock(wallClock).build();
        engine = new DurableEngine(
                settings, executor, dataSource, JsonMapper.builder().build(), observer);
    }

    /** One whose application has that mapper, and whose payloads have those formats. */
    Node(String name, DataSource dataSource, JsonMapper mapper, List<PayloadFormat> formats) {
        executor = WheelScheduledExecutor.builder().build();
        engine = new DurableEngine(settings(name), executor, dataSource, mapper, formats, DurableObserver.NONE);
    }

    /** Quick to take over, so that tests are, and slow enough for a machine that stands still for seconds. */
    static DurableSettings settings(String name) {
        return settings(name, Duration.ofSeconds(1));
    }

    /** The same for a node that claims so far ahead. */
    static DurableSettings settings(String name, Duration claimAhead) {
        return new DurableSettings(
                TaskTable.DEFAULT_NAME,
                true,
                name,
                10,
                claimAhead,
                2_000,
                Duration.ofMillis(500),
                Duration.ofSeconds(4),
                Duration.ofSeconds(20),
                Duration.ofDays(1),
                5,
                null,
                true,
                DurableSettings.UnknownHandlers.WARN);
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
