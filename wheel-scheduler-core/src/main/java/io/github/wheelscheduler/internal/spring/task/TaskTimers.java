package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.internal.spring.run.RunFailures;
import io.github.wheelscheduler.internal.spring.task.TaskRules.Pace;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.task.TaskRouter;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;

/**
 * Puts the tasks of a scheduler that have an id on its wheel, and knows what the scheduler has been told of tasks. Rejections are Spring's
 * exceptions. Any thread.
 */
public final class TaskTimers {

    private static final TaskSchedule AT_ONCE = TaskSchedule.once(Instant.EPOCH);

    private final TaskScheduler scheduler;
    final RunFailures failures;

    // What the scheduler has been told, of tasks that are scheduled from now on.

    /** Arms all timers; null before there is one. */
    public volatile @Nullable WheelScheduledExecutor executor;

    /** Whether what is scheduled never runs. */
    public volatile boolean off;

    /** What is known of tasks before they are scheduled. */
    public volatile TaskCatalog catalog = new TaskCatalog();

    /** May run unnamed tasks elsewhere; null for none. */
    public volatile @Nullable TaskRouter router;

    public volatile @Nullable TaskDecorator decorator;

    /** Tells the trace id of a run, on the thread that has thrown something; null for none. */
    public volatile @Nullable Function<Throwable, @Nullable String> traceIds;

    /** What tells this node from others that run the same tasks; null for the name of this machine, as long as it has not been needed. */
    public volatile @Nullable String node;

    /**
     * Makes one without an executor.
     *
     * @param scheduler is asked for its clock alone
     * @param failures counts failures, and knows who is told of them
     */
    public TaskTimers(TaskScheduler scheduler, RunFailures failures) {
        this.scheduler = scheduler;
        this.failures = failures;
    }

    /** Returns the future of what is scheduled and never runs; null if it runs or, after a shutdown, is rejected. */
    public @Nullable ScheduledFuture<?> never() {
        WheelScheduledExecutor current = executor;
        return off && current != null && !current.isShutdown() ? new NeverRun() : null;
    }

    /** Returns what tells this node from others: where it has not been set, what the environment or else the network calls it. */
    public String node() {
        String known = node;
        if (known == null) {
            known = Stream.of("HOSTNAME", "COMPUTERNAME")
                    .map(System::getenv)
                    .filter(name -> name != null && !name.isBlank())
                    .findFirst()
                    .orElseGet(TaskTimers::nameOfLocalHost);
            node = known;
        }
        return known;
    }

    private static String nameOfLocalHost() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            return "unknown";
        }
    }

    /** Returns what the user's decorator makes of a task; the task itself if there is none. */
    public Runnable decorate(Runnable task) {
        TaskDecorator set = decorator;
        return set == null ? task : Objects.requireNonNull(set.decorate(task), "the decorator must not return null");
    }

    Clock clock() {
        return scheduler.getClock();
    }

    /**
     * Returns the executor.
     *
     * @throws IllegalStateException if the scheduler is not initialized
     */
    public WheelScheduledExecutor executor() {
        WheelScheduledExecutor current = executor;
        if (current == null) {
            throw new IllegalStateException("The scheduler must be initialized before it is used");
        }
        return current;
    }

    // Timers

    /**
     * A timer that can be armed: what a trigger and the clock had to say for it has been asked.
     *
     * @param run what it runs: a {@link CronRun} if a trigger says when
     * @param delayNanos after how long it runs first; of no meaning if a trigger says so
     */
    record Plan(
            WheelScheduledExecutor executor, GuardedTask guard, Runnable run, TaskSchedule schedule, long delayNanos) {

        /** Arms the timer. */
        ScheduledFuture<?> arm() {
            try {
                if (run instanceof CronRun cron) {
                    return cron.start();
                }
                if (schedule instanceof TaskSchedule.FixedRate rate) {
                    return executor.scheduleAtFixedRate(run, delayNanos, nanos(rate.period()), TimeUnit.NANOSECONDS);
                }
                if (schedule instanceof TaskSchedule.FixedDelay delay) {
                    return executor.scheduleWithFixedDelay(run, delayNanos, nanos(delay.delay()), TimeUnit.NANOSECONDS);
                }
                return executor.schedule(run, delayNanos, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException ex) {
                // Tells a caller that schedules the task what that says of itself, and one that steers it its id.
                boolean isSteered = run instanceof SeriesRun later && later.isSteered();
                throw new TaskRejectedException(executor, isSteered ? guard : guard.task, ex);
            }
        }

        /** Returns what the timer runs if a trigger says when. */
        @Nullable
        CronRun cron() {
            return run instanceof CronRun cron ? cron : null;
        }
    }

    /**
     * Plans a timer: asks the trigger, if there is one, and the clock.
     *
     * @param first when it runs first, unless a trigger says so; null for at once
     * @return null if a trigger names no instant
     */
    @Nullable
    Plan plan(GuardedTask guard, int generation, @Nullable Pace pace, TaskSchedule schedule, @Nullable Instant first) {
        WheelScheduledExecutor current = executor();
        Trigger trigger = schedule instanceof TaskSchedule.Calendar calendar ? calendar.trigger() : null;
        if (schedule instanceof TaskSchedule.Cron cron) {
            trigger = cron.toTrigger();
        }
        if (trigger != null) {
            CronRun run = new CronRun(guard, generation, pace, new TriggerTimes(trigger, clock()));
            return run.hasFirst() ? new Plan(current, guard, run, schedule, 0) : null;
        }
        long delayNanos = first == null ? 0 : nanos(Duration.between(clock().instant(), first));
        if (pace != null && delayNanos <= Long.MAX_VALUE / 2) {
            long putOffNanos = pace.drawPutOffNanos();
            delayNanos = putOffNanos == 0 ? delayNanos : Math.max(0, delayNanos) + putOffNanos;
        }
        Runnable run = generation == SeriesRun.FIRST ? guard : new SeriesRun(guard, generation, pace);
        return new Plan(current, guard, run, schedule, delayNanos);
    }

    /** Arms a run of the task for now, outside of its schedule. */
    ScheduledFuture<?> runNow(GuardedTask guard) {
        return new Plan(executor(), guard, new SeriesRun(guard, SeriesRun.TRIGGERED, null), AT_ONCE, 0).arm();
    }

    /** Returns the future of a task that is not enabled; rejects it if the scheduler has been shut down. */
    ScheduledFuture<?> inert(GuardedTask guard) {
        WheelScheduledExecutor current = executor();
        if (current.isShutdown()) {
            throw new TaskRejectedException(
                    current,
                    guard.task,
                    new RejectedExecutionException("Task rejected, because the executor has been shut down"));
        }
        return new NeverRun();
    }

    /** Huge durations are cut, as the JDK does it. */
    private static long nanos(Duration duration) {
        return TimeUnit.NANOSECONDS.convert(duration);
    }

    /** The future of what is scheduled while a scheduler is off: it stays open until it is cancelled. */
    private static final class NeverRun extends CompletableFuture<@Nullable Object>
            implements ScheduledFuture<@Nullable Object> {

        @Override
        public long getDelay(TimeUnit unit) {
            return Long.MAX_VALUE;
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(Long.MAX_VALUE, other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
