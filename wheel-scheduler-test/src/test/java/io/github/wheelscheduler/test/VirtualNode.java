package io.github.wheelscheduler.test;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.TaskBody;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A node of durable tasks in virtual time, on an executor of its own. */
final class VirtualNode implements AutoCloseable {

    final WheelScheduledExecutor executor;
    final DurableEngine engine;

    VirtualNode(VirtualTime time, String name, DataSource dataSource) {
        this(time, settings(name, null), dataSource);
    }

    VirtualNode(VirtualTime time, DurableSettings settings, DataSource dataSource) {
        executor = WheelScheduledExecutor.builder()
                .timeSource(time.timeSource())
                .wallClock(time.clock())
                .build();
        time.drive(executor);
        engine = new DurableEngine(
                settings, executor, dataSource, JsonMapper.builder().build(), DurableObserver.NONE);
    }

    static DurableSettings settings(String name, @Nullable Duration keepFailed) {
        return settings(name, keepFailed, DurableSettings.UnknownHandlers.WARN);
    }

    static DurableSettings settings(
            String name, @Nullable Duration keepFailed, DurableSettings.UnknownHandlers unknownHandlers) {
        return new DurableSettings(
                "wheel_durable_task",
                true,
                name,
                10,
                Duration.ofSeconds(1),
                2_000,
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                Duration.ofSeconds(20),
                Duration.ofDays(7),
                5,
                keepFailed,
                true,
                unknownHandlers);
    }

    VirtualNode handle(String name, RetryPolicy retries, TaskBody<String> body) {
        engine.handle(name, String.class, retries, body);
        return this;
    }

    VirtualNode start() {
        engine.start();
        return this;
    }

    /** As if the process had been killed: nothing is given back. */
    void kill() {
        List<Runnable> ignored = executor.shutdownNow();
    }

    @Override
    public void close() {
        engine.close();
        List<Runnable> ignored = executor.shutdownNow();
    }
}
