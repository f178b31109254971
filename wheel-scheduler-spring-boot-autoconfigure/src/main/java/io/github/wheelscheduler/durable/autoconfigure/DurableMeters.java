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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** The meters of durable tasks of this node: lateness and length of runs by handler, and what becomes of rows. */
final class DurableMeters implements DurableObserver {

    private static final String PREFIX = "wheel.scheduler.durable.";

    private final MeterRegistry registry;
    private final Map<String, Times> times = new ConcurrentHashMap<>();
    private final Map<String, OfHandler> byHandler = new ConcurrentHashMap<>();

    DurableMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void handles(String handler) {
        OfHandler ignored = of(handler);
    }

    @Override
    public void starting(String handler, Duration lateness) {
        of(handler).lateness.record(lateness);
    }

    @Override
    public void ended(String handler, Duration length, boolean succeeded) {
        OfHandler meters = of(handler);
        if (succeeded) {
            meters.times.lastSuccess = System.currentTimeMillis();
        }
        (succeeded ? meters.successes : meters.errors).record(length);
    }

    /** Two threads may both register the meters of a handler: they get the same ones, of the same times. */
    private OfHandler of(String handler) {
        OfHandler known = byHandler.get(handler);
        if (known == null) {
            known = new OfHandler(handler, times.computeIfAbsent(handler, name -> new Times()));
            byHandler.put(handler, known);
        }
        return known;
    }

    /** When a handler's runs last succeeded. */
    private static final class Times {

        private final long since = System.currentTimeMillis();

        /** In milliseconds since the epoch; 0 as long as none has succeeded here. */
        private volatile long lastSuccess;

        private double lastSuccess() {
            long last = lastSuccess;
            return last == 0 ? Double.NaN : last;
        }

        private double age() {
            long last = lastSuccess;
            return Math.max(0, System.currentTimeMillis() - (last == 0 ? since : last));
        }
    }

    /** The meters of one handler or recurring task, all from the start: an alert compares with the zero before. */
    private final class OfHandler {

        private final Times times;
        private final Timer lateness;
        private final Timer successes;
        private final Timer errors;

        OfHandler(String handler, Times times) {
            this.times = times;
            lateness = Timer.builder(PREFIX + "lateness")
                    .description("Delay between the due time and the start of runs of durable tasks")
                    .tag("handler", handler)
                    .register(registry);
            successes = runs(handler, "SUCCESS");
            errors = runs(handler, "ERROR");
            gauge("last.success", handler, times, Times::lastSuccess)
                    .description("When a run of a durable task last succeeded on this node, since the epoch")
                    .register(registry);
            gauge("success.age", handler, times, Times::age)
                    .description(
                            "Time since a run of a durable task last succeeded on this node or, if none has, since its"
                                    + " meters were created")
                    .register(registry);
        }

        private static TimeGauge.Builder<Times> gauge(
                String name, String handler, Times times, ToDoubleFunction<Times> value) {
            return TimeGauge.builder(PREFIX + name, times, TimeUnit.MILLISECONDS, value)
                    .tag("handler", handler);
        }
    }

    private Timer runs(String handler, String outcome) {
        return Timer.builder(PREFIX + "run")
                .description("Duration of runs of durable tasks")
                .tag("handler", handler)
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Adds what can be asked of the engine. */
    void bind(DurableEngine engine) {
        gauge(engine, "waiting", "Claimed durable tasks that have not started", DurableCounts::waiting);
        gauge(engine, "running", "Durable tasks that are running", DurableCounts::running);
        counter(engine, "claimed", "Durable tasks claimed by this node", DurableCounts::claimed);
        counter(engine, "given.up", "Durable tasks that have failed permanently", DurableCounts::givenUp);
        counter(engine, "taken.over", "Durable tasks of dead nodes released by this node", DurableCounts::takenOver);
        counter(
                engine,
                "lost",
                "Claimed durable tasks that another node owned or had run when they were due",
                DurableCounts::lost);
        counter(
                engine,
                "given.back",
                "Claimed durable tasks released so that other nodes can start them sooner",
                DurableCounts::givenBack);
        counter(
                engine,
                "unreadable",
                "Durable tasks skipped because this node cannot read them",
                DurableCounts::unreadable);
        TimeGauge.builder(
                        PREFIX + "clock.error",
                        engine,
                        TimeUnit.NANOSECONDS,
                        each -> each.clockError().toNanos())
                .description("By how much the node's estimate of the database's clock may be wrong")
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
