package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.internal.spring.observation.ObservedRuns;
import io.github.wheelscheduler.internal.spring.run.RunFailures;
import io.github.wheelscheduler.internal.spring.task.TaskRules.Pace;
import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.task.TaskRouter;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Delayed;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Arms the tasks of a scheduler that have an id on its wheel, and holds the scheduler's settings for tasks. Rejections
 * are Spring's exceptions. Any thread.
 */
public final class TaskTimers {

    /** Between arming a timer and following it, its caller does no slow work, except in a user's code. */
    private static final long NOTING_PAUSE_NANOS = 10_000;

    private static final TaskSchedule AT_ONCE = TaskSchedule.once(Instant.EPOCH);

    private final ThreadPoolTaskScheduler scheduler;
    final RunFailures failures;

    // Settings of the scheduler for tasks that are scheduled from now on.

    /** Arms all timers; null before there is one. */
    public volatile @Nullable WheelScheduledExecutor executor;

    /** Whether scheduled tasks never run. */
    public volatile boolean off;

    /** Declarations and settings of tasks before they are scheduled. */
    public volatile TaskCatalog catalog = new TaskCatalog();

    /** May run unnamed tasks elsewhere; null for none. */
    public volatile @Nullable TaskRouter router;

    public volatile @Nullable TaskDecorator decorator;

    /** Observes runs; null for none. */
    public volatile @Nullable ObservedRuns observed;

    /** Tells the trace id of a run, on the thread that has thrown something; null for none. */
    public volatile @Nullable Function<Throwable, @Nullable String> traceIds;

    /**
     * Whether an executor has been called that is not the wheel's. Plain: a thread that has to see it has written it
     * itself.
     */
    boolean isWrapped;

    /** Armed, while their series do not follow them yet. Runs that are not of the current generation look here. */
    private final Set<Plan> armedAhead = ConcurrentHashMap.newKeySet();

    /**
     * The name of this node among others that run the same tasks; null, until it is needed, for the name of this
     * machine.
     */
    public volatile @Nullable String node;

    /**
     * Creates one without an executor.
     *
     * @param scheduler is asked for its clock, and for the executor that a subclass may have put around its own
     * @param failures counts failures and passes them to their handlers
     */
    public TaskTimers(ThreadPoolTaskScheduler scheduler, RunFailures failures) {
        this.scheduler = scheduler;
        this.failures = failures;
    }

    /** Returns the future of a scheduled task that never runs; null if it runs or, after a shutdown, is rejected. */
    public @Nullable ScheduledFuture<?> never() {
        WheelScheduledExecutor current = executor;
        return off && current != null && !current.isShutdown() ? new NeverRun() : null;
    }

    /** Whether due tasks are held back on purpose, as the scheduler, or that of its group, is paused or halted. */
    boolean isHolding() {
        WheelScheduledExecutor current = executor;
        return current != null && (current.isPaused() || current.isHalted());
    }

    /** Returns the name of this node: if it has not been set, that of the environment, or else of the network. */
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

    /** Returns a task as decorated by the user; the task itself if there is no decorator. */
    public Runnable decorate(Runnable task) {
        TaskDecorator set = decorator;
        return set == null ? task : Objects.requireNonNull(set.decorate(task), "the decorator must not return null");
    }

    /**
     * Returns the task that a worker runs in place of a timer that is being armed, or the task that records its runs.
     * The latter applies to an executor of the user's that has wrapped a task of ours.
     */
    public Runnable prepare(WheelTimer<?> timer) {
        WrappedRun run = isWrapped ? WrappedRun.takeArming(this) : null;
        return run == null ? decorate(timer) : run.armedOnWheel(timer);
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

    /** A timer that can be armed: the trigger and the clock have been read. One thread. */
    final class Plan {

        /** The wheel's, or the one that a subclass has put around it. */
        private final ScheduledExecutorService executor;

        private final GuardedTask guard;
        private final int generation;

        /** Returns the task of the timer: a {@link CronRun} if a trigger decides when. */
        private final Runnable run;

        /** Returns the task for an executor that wraps the wheel's; null for the wheel's own. */
        private final @Nullable WrappedRun wrapped;

        private final TaskSchedule schedule;

        /** The delay of its first run; ignored if a trigger decides. */
        private final long delayNanos;

        /** The thread that arms it ahead; null before. Written before others see this. */
        private @Nullable Thread owner;

        /** Armed ahead, and not taken yet. */
        private @Nullable ScheduledFuture<?> ahead;

        Plan(
                ScheduledExecutorService asked,
                GuardedTask guard,
                int generation,
                Runnable run,
                TaskSchedule schedule,
                long delayNanos) {
            this.executor = asked;
            this.guard = guard;
            this.generation = generation;
            this.run = run;
            this.wrapped = run instanceof CronRun cron ? cron.wrapped : wrapped(asked, run);
            this.schedule = schedule;
            this.delayNanos = delayNanos;
        }

        /**
         * Arms the timer for a series that does not follow it yet. Without a lock, as a thread factory, an executor or
         * a clock of the user's may be called. Runs wait until the timer is {@linkplain #take taken}, or
         * {@linkplain #settle given up}.
         */
        void armAhead() {
            owner = Thread.currentThread();
            boolean ignored = armedAhead.add(this);
            if (wrapped != null) {
                wrapped.holdBack();
            }
            ahead = arm();
        }

        /** Returns the timer, which the series uses once the caller releases its lock. With that held. */
        ScheduledFuture<?> take() {
            ScheduledFuture<?> armed = Objects.requireNonNull(ahead);
            ahead = null;
            boolean ignored = armedAhead.remove(this);
            return armed;
        }

        /** Cancels a timer that has not been taken, without interrupting its runs. Without a lock. */
        void settle() {
            ScheduledFuture<?> unused = ahead;
            try {
                if (unused != null) {
                    boolean ignored = unused.cancel(false);
                }
            } finally {
                boolean ignored = armedAhead.remove(this);
                if (wrapped != null) {
                    wrapped.settle();
                }
            }
        }

        /** Whether another thread has armed it for a run that is to wait. */
        private boolean isAheadOf(GuardedTask running, int generationOfRun) {
            return guard == running && generation == generationOfRun && owner != Thread.currentThread();
        }

        /** Arms the timer. Without a lock. */
        ScheduledFuture<?> arm() {
            try {
                if (run instanceof CronRun cron) {
                    return accepted(cron.start());
                }
                return wrapped == null ? armOf(run) : accepted(wrapped.arm(() -> armOf(wrapped)));
            } catch (RejectedExecutionException ex) {
                throw rejected(ex);
            }
        }

        private ScheduledFuture<?> armOf(Runnable what) {
            if (schedule instanceof TaskSchedule.FixedRate rate) {
                return executor.scheduleAtFixedRate(what, delayNanos, nanos(rate.period()), TimeUnit.NANOSECONDS);
            }
            if (schedule instanceof TaskSchedule.FixedDelay delay) {
                return executor.scheduleWithFixedDelay(what, delayNanos, nanos(delay.delay()), TimeUnit.NANOSECONDS);
            }
            return executor.schedule(what, delayNanos, TimeUnit.NANOSECONDS);
        }

        /**
         * Throws if a rejection handler has dropped a timer that an operator has asked for; the wheel throws by itself.
         */
        private ScheduledFuture<?> accepted(ScheduledFuture<?> armed) {
            if (wrapped != null && isSteered() && armed.isCancelled()) {
                throw new RejectedExecutionException("Task rejected and discarded by the rejection handler");
            }
            return armed;
        }

        private boolean isSteered() {
            return run instanceof SeriesRun later && later.isSteered();
        }

        /** Gives a caller that schedules the task its text, and one that steers it its id. */
        private TaskRejectedException rejected(RejectedExecutionException reason) {
            return new TaskRejectedException(executor, isSteered() ? guard : guard.shownTask(), reason);
        }

        /** Returns the task of the timer if a trigger decides when. */
        @Nullable
        CronRun cron() {
            return run instanceof CronRun cron ? cron : null;
        }
    }

    /**
     * Plans a timer: asks the trigger, if there is one, and the clock.
     *
     * @param first its first start, unless a trigger decides; null for at once
     * @return null if a trigger names no instant
     */
    @Nullable
    Plan plan(GuardedTask guard, int generation, @Nullable Pace pace, TaskSchedule schedule, @Nullable Instant first) {
        ScheduledExecutorService asked = asked();
        Trigger trigger = schedule instanceof TaskSchedule.Calendar calendar ? calendar.trigger() : null;
        if (schedule instanceof TaskSchedule.Cron cron) {
            trigger = cron.toTrigger();
        }
        if (trigger != null) {
            CronRun run = new CronRun(guard, generation, pace, new TriggerTimes(trigger, clock()));
            run.wrapped = wrapped(asked, run);
            return run.hasFirst() ? new Plan(asked, guard, generation, run, schedule, 0) : null;
        }
        long delayNanos = first == null ? 0 : nanos(Duration.between(clock().instant(), first));
        if (pace != null && delayNanos <= Long.MAX_VALUE / 2) {
            long putOffNanos = pace.drawPutOffNanos();
            long laterNanos = Math.max(0, delayNanos) + putOffNanos;
            delayNanos = putOffNanos == 0 ? delayNanos : laterNanos < 0 ? Long.MAX_VALUE : laterNanos;
        }
        RunOrigin origin = null;
        if (schedule instanceof TaskSchedule.Once) {
            origin = generation == SeriesRun.FIRST ? guard.origin(delayNanos) : guard.originOfSteering();
        }
        return new Plan(asked, guard, generation, run(guard, generation, pace, origin), schedule, delayNanos);
    }

    private static Runnable run(GuardedTask guard, int generation, @Nullable Pace pace, @Nullable RunOrigin origin) {
        if (origin != null) {
            return new LinkedRun(guard, generation, pace, origin);
        }
        return generation == SeriesRun.FIRST ? guard : new SeriesRun(guard, generation, pace);
    }

    /**
     * Waits while a timer of that generation is armed that its series does not follow yet. Not with the series' lock
     * held.
     */
    void awaitFollowed(GuardedTask guard, int generation) {
        while (isArmedAhead(guard, generation)) {
            ShortMemory.pause(NOTING_PAUSE_NANOS);
        }
    }

    private boolean isArmedAhead(GuardedTask guard, int generation) {
        for (Plan plan : armedAhead) {
            if (plan.isAheadOf(guard, generation)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns what arms the timers of tasks: the executor, unless a subclass of the scheduler has put another one
     * around it.
     */
    private ScheduledExecutorService asked() {
        WheelScheduledExecutor current = executor();
        ScheduledExecutorService asked = scheduler.getScheduledExecutor();
        return asked == null ? current : asked;
    }

    private @Nullable WrappedRun wrapped(ScheduledExecutorService asked, Runnable run) {
        return asked == executor ? null : new WrappedRun(this, asked, run);
    }

    /** Arms a run of the task for now, outside of its schedule. */
    ScheduledFuture<?> runNow(GuardedTask guard) {
        ScheduledExecutorService asked = asked();
        Runnable run = run(guard, SeriesRun.TRIGGERED, null, guard.originOfSteering());
        return new Plan(asked, guard, SeriesRun.TRIGGERED, run, AT_ONCE, 0).arm();
    }

    /** Returns the future of a task that is not enabled; rejects it if the scheduler has been shut down. */
    ScheduledFuture<?> inert(GuardedTask guard) {
        WheelScheduledExecutor current = executor();
        if (current.isShutdown()) {
            throw new TaskRejectedException(
                    current,
                    guard.shownTask(),
                    new RejectedExecutionException("Task rejected, because the executor has been shut down"));
        }
        return new NeverRun();
    }

    /** Huge durations are cut, as the JDK does it. */
    private static long nanos(Duration duration) {
        return TimeUnit.NANOSECONDS.convert(duration);
    }

    /** Returns the id of the trace of the run on a thread; null if it is not known. Any thread. */
    public @Nullable String traceOf(Thread thread) {
        ObservedRuns current = observed;
        return current == null ? null : current.traceOf(thread);
    }

    /** The future of a task scheduled while a scheduler is off: it stays open until it is cancelled. */
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
