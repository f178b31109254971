package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.spring.run.RunFailures;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.task.GuardedTask;
import io.github.wheelscheduler.spring.task.TaskRouter;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.spring.task.TaskTimers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.Trigger;

/** Puts registered tasks on the wheel. */
final class WheelTimers implements TaskTimers {

    private final Supplier<WheelScheduledExecutor> executor;
    private final Supplier<Clock> clock;
    private final RunFailures failures;
    private final UnaryOperator<Runnable> decorator;
    private final BooleanSupplier isOff;
    private final Supplier<TaskCatalog> catalog;
    private final Supplier<@Nullable TaskRouter> router;
    private final Supplier<String> node;

    WheelTimers(
            Supplier<WheelScheduledExecutor> executor,
            Supplier<Clock> clock,
            RunFailures failures,
            UnaryOperator<Runnable> decorator,
            BooleanSupplier isOff,
            Supplier<TaskCatalog> catalog,
            Supplier<@Nullable TaskRouter> router,
            Supplier<String> node) {
        this.executor = executor;
        this.clock = clock;
        this.failures = failures;
        this.decorator = decorator;
        this.isOff = isOff;
        this.catalog = catalog;
        this.router = router;
        this.node = node;
    }

    @Override
    public @Nullable Supplier<ScheduledFuture<?>> prepare(
            Runnable task, TaskSchedule schedule, @Nullable Instant first) {
        WheelScheduledExecutor current = executor.get();
        Supplier<ScheduledFuture<?>> arming = arming(current, task, schedule, first);
        return arming == null
                ? null
                : () -> {
                    try {
                        return arming.get();
                    } catch (RejectedExecutionException ex) {
                        throw rejected(current, task, ex);
                    }
                };
    }

    /** Spring's exception says what the task says of itself: to whoever schedules it, not to whoever steers it later. */
    private static TaskRejectedException rejected(
            WheelScheduledExecutor current, Runnable task, RejectedExecutionException ex) {
        Object known = task instanceof GuardedTask guarded ? guarded.task() : GuardedTask.behind(task);
        return new TaskRejectedException(current, known, ex);
    }

    @Override
    public ScheduledFuture<?> runNow(Runnable run) {
        WheelScheduledExecutor current = executor.get();
        try {
            return current.schedule(run, 0, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ex) {
            throw rejected(current, run, ex);
        }
    }

    @Override
    public void forceRun(WheelTimer<?> timer) {
        executor.get().forceRun(timer);
    }

    @Override
    public @Nullable ScheduledFuture<?> never() {
        return isOff.getAsBoolean() ? new NeverRun() : null;
    }

    @Override
    public ScheduledFuture<?> inert(Runnable task) {
        if (isShutdown()) {
            throw rejected(
                    executor.get(),
                    task,
                    new RejectedExecutionException("Task rejected, because the executor has been shut down"));
        }
        return new NeverRun();
    }

    @Override
    public boolean isShutdown() {
        return executor.get().isShutdown();
    }

    @Override
    public TaskCatalog catalog() {
        return catalog.get();
    }

    @Override
    public @Nullable TaskRouter router() {
        return router.get();
    }

    @Override
    public String node() {
        return node.get();
    }

    @Override
    public Runnable decorate(Runnable task) {
        return Objects.requireNonNull(decorator.apply(task), "the decorator must not return null");
    }

    private @Nullable Supplier<ScheduledFuture<?>> arming(
            WheelScheduledExecutor current, Runnable task, TaskSchedule schedule, @Nullable Instant first) {
        if (!(schedule instanceof TaskSchedule.FixedRate
                || schedule instanceof TaskSchedule.FixedDelay
                || schedule instanceof TaskSchedule.Once)) {
            Trigger trigger = schedule instanceof TaskSchedule.Cron cron
                    ? cron.toTrigger()
                    : ((TaskSchedule.Calendar) schedule).trigger();
            TriggerSeries series = new TriggerSeries(task, trigger, clock(), current, failures.triggerHandler());
            return series.hasFirst() ? series::start : null;
        }
        long delayNanos = putOff(task, first == null ? 0 : nanos(Duration.between(clock().instant(), first)));
        if (schedule instanceof TaskSchedule.FixedRate rate) {
            long periodNanos = nanos(rate.period());
            return () -> current.scheduleAtFixedRate(task, delayNanos, periodNanos, TimeUnit.NANOSECONDS);
        }
        if (schedule instanceof TaskSchedule.FixedDelay delay) {
            long intervalNanos = nanos(delay.delay());
            return () -> current.scheduleWithFixedDelay(task, delayNanos, intervalNanos, TimeUnit.NANOSECONDS);
        }
        return () -> current.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    private static long putOff(Runnable task, long delayNanos) {
        Pacing pacing = ManagedTask.pacingOf(task);
        if (pacing == null || delayNanos > Long.MAX_VALUE / 2) {
            return delayNanos;
        }
        long putOffNanos = pacing.drawPutOffNanos();
        return putOffNanos == 0 ? delayNanos : Math.max(0, delayNanos) + putOffNanos;
    }

    /** Huge durations are cut, as the JDK does it. */
    private static long nanos(Duration duration) {
        return TimeUnit.NANOSECONDS.convert(duration);
    }

    @Override
    public RunFailures failures() {
        return failures;
    }

    @Override
    public Clock clock() {
        return clock.get();
    }

    @Override
    public long nanoTime() {
        return executor.get().nanoTime();
    }
}
