package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableCounts;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableObserver;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** The meters of durable tasks of this node: lateness and length of runs by handler, and what becomes of rows. */
final class DurableMeters implements DurableObserver {

    private static final String PREFIX = "wheel.scheduler.durable.";

    private final MeterRegistry registry;

    DurableMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void starting(String handler, Duration lateness) {
        Timer.builder(PREFIX + "lateness")
                .description("by how much runs of durable tasks start later than they are due")
                .tag("handler", handler)
                .register(registry)
                .record(lateness);
    }

    @Override
    public void ended(String handler, Duration length, boolean succeeded) {
        Timer.builder(PREFIX + "run")
                .description("how long runs of durable tasks take")
                .tag("handler", handler)
                .tag("outcome", succeeded ? "SUCCESS" : "ERROR")
                .register(registry)
                .record(length);
    }

    /** Adds what can be asked of the engine. */
    void bind(DurableEngine engine) {
        gauge(engine, "waiting", "rows that are claimed and not started", DurableCounts::waiting);
        gauge(engine, "running", "runs of durable tasks that are going on", DurableCounts::running);
        counter(engine, "claimed", "rows that have been claimed", DurableCounts::claimed);
        counter(engine, "given.up", "tasks that have failed for good", DurableCounts::givenUp);
        counter(engine, "taken.over", "rows of dead nodes that have been freed", DurableCounts::takenOver);
        counter(
                engine,
                "lost",
                "rows that another node had by the time they were due, or had run",
                DurableCounts::lost);
        counter(
                engine,
                "given.back",
                "rows that were given back, as other nodes may start them sooner",
                DurableCounts::givenBack);
        counter(
                engine,
                "unreadable",
                "rows that were set aside, as nobody here can read them",
                DurableCounts::unreadable);
        TimeGauge.builder(
                        PREFIX + "clock.error",
                        engine,
                        TimeUnit.NANOSECONDS,
                        each -> each.clockError().toNanos())
                .description("by how much the database's clock may differ from what it is taken for")
                .register(registry);
    }

    private void gauge(DurableEngine engine, String name, String description, ToDoubleFunction<DurableCounts> value) {
        Gauge.builder(PREFIX + name, engine, each -> value.applyAsDouble(each.counts()))
                .description(description)
                .baseUnit("tasks")
                .register(registry);
    }

    private void counter(DurableEngine engine, String name, String description, ToDoubleFunction<DurableCounts> value) {
        FunctionCounter.builder(PREFIX + name, engine, each -> value.applyAsDouble(each.counts()))
                .description(description)
                .baseUnit("tasks")
                .register(registry);
    }
}
