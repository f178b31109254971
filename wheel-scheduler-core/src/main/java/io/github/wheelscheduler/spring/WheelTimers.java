package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.spring.run.RunFailures;
import io.github.wheelscheduler.spring.task.GuardedTask;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.spring.task.TaskTimers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.Trigger;
import org.springframework.util.ErrorHandler;

/** Puts registered tasks on the wheel. */
final class WheelTimers implements TaskTimers {

    private final Supplier<WheelScheduledExecutor> executor;
    private final Supplier<Clock> clock;
    private final RunFailures failures;

    WheelTimers(Supplier<WheelScheduledExecutor> executor, Supplier<Clock> clock, RunFailures failures) {
        this.executor = executor;
        this.clock = clock;
        this.failures = failures;
    }

    @Override
    public @Nullable ScheduledFuture<?> arm(Runnable task, TaskSchedule schedule, @Nullable Instant first) {
        WheelScheduledExecutor current = executor.get();
        try {
            return arm(current, task, schedule, first);
        } catch (RejectedExecutionException ex) {
            throw new TaskRejectedException(current, task instanceof GuardedTask guarded ? guarded.task() : task, ex);
        }
    }

    private @Nullable ScheduledFuture<?> arm(
            WheelScheduledExecutor current, Runnable task, TaskSchedule schedule, @Nullable Instant first) {
        long delayNanos = first == null ? 0 : nanos(Duration.between(clock().instant(), first));
        if (schedule instanceof TaskSchedule.FixedRate rate) {
            return current.scheduleAtFixedRate(task, delayNanos, nanos(rate.period()), TimeUnit.NANOSECONDS);
        }
        if (schedule instanceof TaskSchedule.FixedDelay delay) {
            return current.scheduleWithFixedDelay(task, delayNanos, nanos(delay.delay()), TimeUnit.NANOSECONDS);
        }
        if (schedule instanceof TaskSchedule.Once) {
            return current.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        }
        Trigger trigger = schedule instanceof TaskSchedule.Cron cron
                ? cron.toTrigger()
                : ((TaskSchedule.Calendar) schedule).trigger();
        return new TriggerSeries(task, trigger, clock(), current, failures.triggerHandler()).start();
    }

    /** Huge durations are cut, as the JDK does it. */
    private static long nanos(Duration duration) {
        return TimeUnit.NANOSECONDS.convert(duration);
    }

    @Override
    public ErrorHandler errorHandler(String task, boolean isRepeating) {
        return failures.handlerFor(task, isRepeating);
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
