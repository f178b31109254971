package io.github.wheelscheduler.metrics;

import io.github.wheelscheduler.internal.meter.MeterGroup;
import io.github.wheelscheduler.internal.meter.MeterGroup.FirstFailure;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Binds the meters of a {@link WheelTaskScheduler} to registries: those of its workers under the names that Micrometer
 * gives to executors, those of the wheel, and those of single tasks. {@link MeterNames} has their names.
 *
 * <p>Meters of their own have the tasks of {@code @Scheduled} methods, and tasks that repeat and were given a name, up
 * to a limit; the others are only counted. They are added and removed with their tasks.
 *
 * <p>Exceptions that a registry throws later, for a run or a task, do not affect tasks. All methods may be called from
 * any thread.
 */
public final class WheelSchedulerMetrics implements MeterBinder, AutoCloseable {

    /** So many tasks have meters of their own at most, unless another limit is given. */
    public static final int DEFAULT_MAX_TASKS = 100;

    private final WheelTaskScheduler scheduler;
    private final String name;
    private final int maxTasks;
    private final Predicate<String> includedTasks;

    /** Guarded by this. */
    private final IdentityHashMap<MeterRegistry, SchedulerMeters> bound = new IdentityHashMap<>();

    /**
     * Creates a binder with the default limit.
     *
     * @param name the value of the tag {@code name}, usually the name of the bean
     */
    public WheelSchedulerMetrics(WheelTaskScheduler scheduler, String name) {
        this(scheduler, name, DEFAULT_MAX_TASKS);
    }

    /**
     * Creates a binder.
     *
     * @param name the value of the tag {@code name}, usually the name of the bean
     * @param maxTasks the maximum number of tasks with meters of their own
     * @throws IllegalArgumentException if the limit is negative
     */
    public WheelSchedulerMetrics(WheelTaskScheduler scheduler, String name, int maxTasks) {
        this(scheduler, name, maxTasks, id -> true);
    }

    /**
     * Creates a binder for some of the tasks.
     *
     * @param name the value of the tag {@code name}, usually the name of the bean
     * @param maxTasks the maximum number of tasks with meters of their own
     * @param includedTasks decides, with the id of a task, whether it may have meters; called by any thread, and must
     *     not throw
     * @throws IllegalArgumentException if the limit is negative
     */
    public WheelSchedulerMetrics(
            WheelTaskScheduler scheduler, String name, int maxTasks, Predicate<String> includedTasks) {
        if (maxTasks < 0) {
            throw new IllegalArgumentException("maxTasks must not be negative, was " + maxTasks);
        }
        this.scheduler = Objects.requireNonNull(scheduler, "scheduler must not be null");
        this.name = Objects.requireNonNull(name, "name must not be null");
        this.maxTasks = maxTasks;
        this.includedTasks = Objects.requireNonNull(includedTasks, "includedTasks must not be null");
    }

    /**
     * Registers the meters; without effect if they are registered there already. Counters include earlier counts;
     * timers start now. Where the registry throws, no meter is left behind.
     *
     * @throws IllegalStateException if the scheduler is not initialized
     */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        if (!bound.containsKey(registry)) {
            MeterGroup group = new MeterGroup(registry, MeterNames::descriptionOf, Tags.of(MeterNames.TAG_NAME, name));
            TaskMeters taskMeters = new TaskMeters(scheduler, maxTasks, includedTasks, group);
            bound.put(registry, SchedulerMeters.bind(scheduler, group, taskMeters));
        }
    }

    /** Removes the meters from all registries. */
    @Override
    public synchronized void close() {
        FirstFailure failure = new FirstFailure();
        bound.values().forEach(each -> failure.keep(each::remove));
        bound.clear();
        failure.throwIfAny();
    }
}
