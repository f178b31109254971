package io.github.wheelscheduler;

import io.github.wheelscheduler.internal.engine.Engine;
import io.github.wheelscheduler.internal.engine.ExecutorSettings;
import io.github.wheelscheduler.internal.engine.GroupRegister;
import io.github.wheelscheduler.internal.engine.WallClockWatch;
import io.github.wheelscheduler.internal.worker.WheelThreadFactory;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link WheelScheduledExecutor}. Each method checks its argument, names the rule and the value if it is
 * invalid, and returns this builder. Not thread-safe.
 */
public final class WheelScheduledExecutorBuilder {

    /** The finest tick. */
    public static final Duration MIN_TICK = Duration.ofNanos(1_000);

    /** The coarsest tick. */
    public static final Duration MAX_TICK = Duration.ofSeconds(1);

    private static final int DEFAULT_TICK_SHIFT = 14;

    /** The resolution of deadlines in virtual time; a finer one would gain nothing. */
    private static final int EXACT_TICK_SHIFT = 3;

    private static final int DEFAULT_MAX_WORKERS = 256;
    private static final int DEFAULT_QUEUE_CAPACITY = 64;
    private static final String DEFAULT_PREFIX = "wheel-scheduler-";

    private TimeSource timeSource = new TimeSource();
    private boolean halted;
    private InstantSource wallClock = Clock.systemUTC();
    private int tickShift = DEFAULT_TICK_SHIFT;
    private int maxWorkers;
    private Duration workerKeepAlive = Duration.ofSeconds(60);
    private @Nullable ThreadFactory threadFactory;
    private @Nullable ThreadFactory tickThreadFactory;
    private @Nullable ThreadFactory threadPerRun;
    private @Nullable Executor executor;
    private long maxPending = Long.MAX_VALUE;
    private int maxCatchUp = Integer.MAX_VALUE;
    private long startToleranceNanos;
    private RejectionHandler rejectionHandler = (timer, reason) -> {
        throw reason;
    };
    private @Nullable Function<WheelTimer<?>, Runnable> decorator;
    private @Nullable RunHooks hooks;

    /** For a group: its register and name. */
    private @Nullable GroupRegister<WheelScheduledExecutor> groups;

    private @Nullable String groupName;
    private int queueCapacity = DEFAULT_QUEUE_CAPACITY;
    private OnFull onFull = OnFull.WAIT;
    private boolean standsApart;

    WheelScheduledExecutorBuilder() {}

    /** For a group of an executor with those settings. */
    WheelScheduledExecutorBuilder(
            GroupRegister<WheelScheduledExecutor> groups, String name, ExecutorSettings settings) {
        this.groups = groups;
        this.groupName = name;
        this.timeSource = settings.clock();
        this.wallClock = settings.wallClock();
        this.tickShift = settings.tickShift();
        this.maxWorkers = settings.executor() == null ? settings.maxWorkers() : 0;
        this.workerKeepAlive = Duration.ofNanos(settings.workerKeepAliveNanos());
        this.threadFactory = settings.threadFactory() instanceof WheelThreadFactory
                ? new WheelThreadFactory(DEFAULT_PREFIX + name + "-")
                : settings.threadFactory();
        this.tickThreadFactory = settings.tickThreadFactory();
        this.threadPerRun = settings.threadPerRun();
        this.maxPending = settings.maxPending();
        this.maxCatchUp = settings.maxCatchUp();
        this.startToleranceNanos = settings.startToleranceNanos();
        this.rejectionHandler = settings.rejectionHandler();
        this.decorator = settings.decorator();
        this.hooks = settings.hooks();
    }

    /** Sets something that an executor has in common with its groups. */
    private void notForGroup(String setting) {
        if (groups != null) {
            throw new IllegalStateException(
                    setting + " must be set on the executor, not on a group; was set on group " + groupName);
        }
    }

    private void forGroupOnly(String setting) {
        if (groups == null) {
            throw new IllegalStateException(setting + " must be set only on groups, which newGroup creates");
        }
    }

    /**
     * Sets how many due runs may wait in the queue of a group while the group is full, 64 by default. Runs in the queue
     * can be cancelled but no longer rescheduled; runs that {@linkplain OnFull#WAIT wait} beyond that can.
     *
     * @throws IllegalArgumentException if it is negative
     * @throws IllegalStateException if it is not for a group
     */
    public WheelScheduledExecutorBuilder queueCapacity(int queueCapacity) {
        forGroupOnly("queueCapacity");
        check(queueCapacity >= 0, "queueCapacity must not be negative", queueCapacity);
        this.queueCapacity = queueCapacity;
        return this;
    }

    /**
     * Sets how a run is handled that is due while a group is full; it waits by default.
     *
     * @throws IllegalStateException if it is not for a group
     */
    public WheelScheduledExecutorBuilder onFull(OnFull onFull) {
        forGroupOnly("onFull");
        this.onFull = Objects.requireNonNull(onFull, "onFull must not be null");
        return this;
    }

    /**
     * Sets whether a group is detached: neither pause, halt nor shutdown of the executor affect it. While it has
     * pending tasks, an executor that has been shut down does not terminate; {@link WheelScheduledExecutor#shutdownNow}
     * ends it, too. False by default.
     *
     * @throws IllegalStateException if it is not for a group
     */
    public WheelScheduledExecutorBuilder standsApart(boolean standsApart) {
        forGroupOnly("standsApart");
        this.standsApart = standsApart;
        return this;
    }

    /**
     * Sets how far a deadline may be rounded up, about 16 microseconds by default. The wheel uses the largest power of
     * two of nanoseconds that is not above it. It is a resolution: a fine tick does not make the executor wake up more
     * often while it has nothing to do.
     *
     * @throws IllegalArgumentException if it is not between {@link #MIN_TICK} and {@link #MAX_TICK}
     */
    public WheelScheduledExecutorBuilder tick(Duration tick) {
        Objects.requireNonNull(tick, "tick must not be null");
        notForGroup("tick");
        boolean isInRange = tick.compareTo(MIN_TICK) >= 0 && tick.compareTo(MAX_TICK) <= 0;
        check(isInRange, "tick must be between " + MIN_TICK + " and " + MAX_TICK, tick);
        this.tickShift = Long.SIZE - 1 - Long.numberOfLeadingZeros(tick.toNanos());
        return this;
    }

    /**
     * Sets how many runs may be active at a time: 256 by default for worker threads, unlimited by default for a
     * {@linkplain #threadPerRun thread per run} and a {@linkplain #executor given executor}.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public WheelScheduledExecutorBuilder maxWorkers(int maxWorkers) {
        this.maxWorkers = checkMaxWorkers(maxWorkers);
        return this;
    }

    static int checkMaxWorkers(int maxWorkers) {
        check(maxWorkers >= 1, "maxWorkers must be at least 1", maxWorkers);
        return maxWorkers;
    }

    static void check(boolean isKept, String rule, Object value) {
        if (!isKept) {
            throw new IllegalArgumentException(rule + ", was " + value);
        }
    }

    /**
     * Sets how long a worker stays idle before its thread ends, 60 seconds by default. Two workers always stay, in a
     * group none.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public WheelScheduledExecutorBuilder workerKeepAlive(Duration keepAlive) {
        Objects.requireNonNull(keepAlive, "workerKeepAlive must not be null");
        check(!keepAlive.isNegative(), "workerKeepAlive must not be negative", keepAlive);
        this.workerKeepAlive = keepAlive;
        return this;
    }

    /**
     * Sets where the executor's threads come from. By default they are no daemons, have the context class loader of the
     * thread that builds the executor, and inherit no thread-locals. The factory is called when a thread is needed: for
     * the tick thread when the first task is scheduled, for workers when a task is due. It is called by callers, by
     * workers, and by the starter thread, which is not created by a factory. Where it throws or returns null for the
     * first worker, {@code execute}, {@code submit} and {@code schedule} with no delay throw, and a timer that is due
     * waits until a worker can be started.
     */
    public WheelScheduledExecutorBuilder threadFactory(ThreadFactory threadFactory) {
        this.threadFactory = Objects.requireNonNull(threadFactory, "threadFactory must not be null");
        return this;
    }

    /**
     * Sets where the tick thread, and the one that hands over to a thread per run or a given executor, come from; by
     * default the {@linkplain #threadFactory thread factory}. They should be platform threads. The starter thread,
     * which starts workers where no caller does, is a platform thread like the tick thread. It has the same group,
     * priority, context class loader and daemon status. Its name has {@code starter} in place of {@code tick} at the
     * end, or appended.
     */
    public WheelScheduledExecutorBuilder tickThreadFactory(ThreadFactory threadFactory) {
        notForGroup("tickThreadFactory");
        this.tickThreadFactory = Objects.requireNonNull(threadFactory, "tickThreadFactory must not be null");
        return this;
    }

    /**
     * Starts a thread of this factory for each run, usually a virtual one: {@code Thread.ofVirtual().factory()}.
     * Several threads may call the factory at a time: for tasks that are due at once, the caller does.
     */
    public WheelScheduledExecutorBuilder threadPerRun(ThreadFactory threadPerRun) {
        this.threadPerRun = Objects.requireNonNull(threadPerRun, "threadPerRun must not be null");
        return this;
    }

    /**
     * Runs tasks on this executor. It may block or run them in its caller, which then delays the tasks behind. Runs
     * that it rejects are offered again, and counted. It is not shut down with this one. If it is shut down before this
     * one, runs that it then rejects end as cancelled, which is logged. Runs that it has never started end so when the
     * next run is due or ends, or when this one is shut down. Runs that it drops silently while it is active stay
     * pending until {@link WheelScheduledExecutor#shutdownNow}.
     */
    public WheelScheduledExecutorBuilder executor(Executor executor) {
        notForGroup("executor");
        this.executor = Objects.requireNonNull(executor, "executor must not be null");
        return this;
    }

    /**
     * Sets how many timers may be pending or repeating, without limit by default; more are rejected.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public WheelScheduledExecutorBuilder maxPending(long maxPending) {
        notForGroup("maxPending");
        check(maxPending >= 1, "maxPending must be at least 1", maxPending);
        this.maxPending = maxPending;
        return this;
    }

    /**
     * Sets how many missed runs of a fixed-rate task are caught up: 0 skips to the next in phase; all by default.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public WheelScheduledExecutorBuilder maxCatchUp(int maxCatchUp) {
        check(maxCatchUp >= 0, "maxCatchUp must not be negative", maxCatchUp);
        this.maxCatchUp = maxCatchUp;
        return this;
    }

    /**
     * Sets how late a run of a rate or a fixed delay may start so that wake-ups are shared; zero by default. With 10
     * ms, there are at most a hundred wake-ups a second. No run is early; the phase of a rate stays, and a delay counts
     * from the end of the run. A tolerance that is more than half of a period is halved until it is not. The first run
     * of a timer without an initial delay, a catch-up run and one that is {@linkplain WheelTimer#reschedule moved} wait
     * for nothing. Runs that share a wake-up start in no particular order, and may be overtaken by timers that are due
     * later. One-time timers start when they are due.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public WheelScheduledExecutorBuilder startTolerance(Duration startTolerance) {
        this.startToleranceNanos = checkTolerance("startTolerance", startTolerance);
        return this;
    }

    /** Returns the tolerance in nanoseconds. */
    static long checkTolerance(String name, Duration tolerance) {
        Objects.requireNonNull(tolerance, name + " must not be null");
        check(!tolerance.isNegative(), name + " must not be negative", tolerance);
        return WallClockWatch.saturatedNanos(tolerance);
    }

    /** Sets the handler of tasks that are not accepted; by default the submitting method throws. */
    public WheelScheduledExecutorBuilder rejectionHandler(RejectionHandler rejectionHandler) {
        this.rejectionHandler = Objects.requireNonNull(rejectionHandler, "rejectionHandler must not be null");
        return this;
    }

    /** Sets the wall clock that {@linkplain WheelScheduledExecutor#scheduleAt instants} are compared with. */
    public WheelScheduledExecutorBuilder wallClock(InstantSource wallClock) {
        notForGroup("wallClock");
        this.wallClock = Objects.requireNonNull(wallClock, "wallClock must not be null");
        return this;
    }

    /**
     * Sets the decorator that wraps each timer when it is scheduled, on the scheduling thread; a worker then runs the
     * wrapper, which runs the timer. A timer whose wrapper returns without having run it ends cancelled. If a
     * {@link ManagedTask} is returned, nothing is wrapped: the timer runs its task, recorded by that one.
     */
    public WheelScheduledExecutorBuilder decorator(Function<WheelTimer<?>, Runnable> decorator) {
        this.decorator = Objects.requireNonNull(decorator, "decorator must not be null");
        return this;
    }

    /** Sets the hooks that are called before and after each run, on its thread. */
    public WheelScheduledExecutorBuilder runHooks(RunHooks hooks) {
        this.hooks = Objects.requireNonNull(hooks, "runHooks must not be null");
        return this;
    }

    /** Sets the source of monotonic time, the machine by default; another source is only for tests in virtual time. */
    public WheelScheduledExecutorBuilder timeSource(TimeSource timeSource) {
        notForGroup("timeSource");
        this.timeSource = Objects.requireNonNull(timeSource, "timeSource must not be null");
        return this;
    }

    /**
     * Sets whether the executor is {@linkplain WheelScheduledExecutor#halt halted} from the start; false by default.
     */
    public WheelScheduledExecutorBuilder halted(boolean halted) {
        this.halted = halted;
        return this;
    }

    /**
     * Builds the executor, or the group. No thread starts before its first task.
     *
     * @throws IllegalStateException if both a thread per run and an executor have been set, or if there is a group of
     *     that name
     * @throws RejectedExecutionException for a group of an executor that has been shut down
     */
    public WheelScheduledExecutor build() {
        GroupRegister<WheelScheduledExecutor> register = groups;
        return register == null ? new WheelScheduledExecutor(new Engine(settings(), null)) : register.add(settings());
    }

    private ExecutorSettings settings() {
        if (threadPerRun != null && executor != null) {
            throw new IllegalStateException(
                    "threadPerRun and executor must not both be set, were " + threadPerRun + " and " + executor);
        }
        ThreadFactory threads = threadFactory != null ? threadFactory : new WheelThreadFactory(DEFAULT_PREFIX);
        boolean elastic = threadPerRun == null && executor == null;
        int defaultMaxWorkers = elastic ? DEFAULT_MAX_WORKERS : Integer.MAX_VALUE;
        return new ExecutorSettings(
                timeSource,
                wallClock,
                halted,
                groups == null && timeSource.isVirtual() ? EXACT_TICK_SHIFT : tickShift,
                maxWorkers > 0 ? maxWorkers : defaultMaxWorkers,
                WallClockWatch.saturatedNanos(workerKeepAlive),
                threads,
                tickThreadFactory != null ? tickThreadFactory : threads,
                threadPerRun,
                executor,
                maxPending,
                maxCatchUp,
                startToleranceNanos,
                rejectionHandler,
                decorator,
                hooks,
                groupName,
                groups == null ? Integer.MAX_VALUE : queueCapacity,
                onFull,
                standsApart);
    }
}
