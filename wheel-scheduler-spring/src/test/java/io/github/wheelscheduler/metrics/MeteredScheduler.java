package io.github.wheelscheduler.metrics;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.JRE;

/** A scheduler that has been started and has its meters in a registry of its own. */
final class MeteredScheduler implements AutoCloseable {

    static final String NAME = "jobs";

    final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    final TaskRegistry tasks = scheduler.getTaskRegistry();
    final MeterRegistry registry;
    final WheelSchedulerMetrics metrics;

    MeteredScheduler() {
        this(settings -> {});
    }

    MeteredScheduler(Consumer<WheelTaskScheduler> settings) {
        this(settings, new SimpleMeterRegistry(), WheelSchedulerMetrics.DEFAULT_MAX_TASKS);
    }

    MeteredScheduler(int maxTasks) {
        this(settings -> {}, new SimpleMeterRegistry(), maxTasks);
    }

    MeteredScheduler(Consumer<WheelTaskScheduler> settings, MeterRegistry registry, int maxTasks) {
        this.registry = registry;
        scheduler.setThreadNamePrefix("metered-");
        settings.accept(scheduler);
        scheduler.initialize();
        this.metrics = new WheelSchedulerMetrics(scheduler, NAME, maxTasks);
        try {
            metrics.bindTo(registry);
        } catch (Throwable ex) {
            scheduler.shutdown();
            throw ex;
        }
    }

    /** Returns whether threads are virtual, for all kinds that this JDK has. For {@code @MethodSource}. */
    static Stream<Boolean> kindsOfThreads() {
        return Stream.of(false, true)
                .filter(virtual -> !virtual || JRE.currentJre().version() >= 21);
    }

    private RequiredSearch find(String meter, String... tags) {
        return registry.get(meter).tag(MeterNames.TAG_NAME, NAME).tags(tags);
    }

    double gauge(String meter, String... tags) {
        return find(meter, tags).gauge().value();
    }

    /** Returns the value of a gauge of time in seconds. */
    double seconds(String meter, String... tags) {
        return find(meter, tags).timeGauge().value(TimeUnit.SECONDS);
    }

    long counter(String meter, String... tags) {
        return (long) find(meter, tags).functionCounter().count();
    }

    Timer timer(String meter, String... tags) {
        return find(meter, tags).timer();
    }

    /** Returns the meters of all tasks. */
    List<Meter> metersOfTasks() {
        return metersOfTasksIn(registry);
    }

    static List<Meter> metersOfTasksIn(MeterRegistry registry) {
        return registry.getMeters().stream()
                .filter(meter -> meter.getId().getTag(MeterNames.TAG_TASK) != null)
                .toList();
    }

    /** Returns the tasks that have meters, in no order. */
    List<String> meteredTasks() {
        return metersOfTasks().stream()
                .map(meter -> meter.getId().getTag(MeterNames.TAG_TASK))
                .distinct()
                .toList();
    }

    @Override
    public void close() {
        scheduler.shutdown();
        registry.close();
    }
}
