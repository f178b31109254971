package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.RunHooks;
import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.spring.observation.ObservedRuns;
import io.github.wheelscheduler.internal.spring.run.LogTime;
import io.github.wheelscheduler.internal.spring.run.RunFailures;
import io.github.wheelscheduler.internal.spring.task.NamedSteering;
import io.github.wheelscheduler.internal.spring.task.SchedulerObservation;
import io.github.wheelscheduler.internal.spring.task.SchedulerWarnings;
import io.github.wheelscheduler.internal.spring.task.TaskEvents;
import io.github.wheelscheduler.internal.spring.task.TaskNames;
import io.github.wheelscheduler.internal.spring.task.TaskStore;
import io.github.wheelscheduler.internal.spring.task.TaskTimers;
import io.github.wheelscheduler.internal.worker.Workers;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.steering.Steering.Target;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskRouter;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.spring.watch.RunLateness;
import io.github.wheelscheduler.spring.watch.WarningLimits;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.util.ErrorHandler;

/**
 * A {@link ThreadPoolTaskScheduler} that runs on a timing wheel. Tasks wait on a {@link WheelScheduledExecutor} instead
 * of a heap. They run on as many workers as are needed, up to a limit, so that a slow task delays no other.
 *
 * <p>All settings of the superclass keep their meaning, except that
 *
 * <ul>
 *   <li>the pool size is the maximum number of workers, which start on demand: 256 by default, unlimited with virtual
 * threads;
 *   <li>a fixed-rate task makes up at most {@linkplain #setMaxCatchUp 10} missed runs by default;
 *   <li>triggers follow the wall clock when it is set, and closing never waits for a trigger;
 *   <li>cancelled tasks are always released at once;
 *   <li>where {@link #shutdown} waits for tasks up to a limit, it drops one-time tasks that are not due within it at
 *       once, interrupts in the end the ones that still run, and logs what never ran.
 * </ul>
 *
 * <p>The futures of one-time tasks without a name are {@link WheelTimer}s; those of tasks that repeat or have a name
 * are not, as their timers may change: {@link #getTaskRegistry} re-times them. It can be initialized again after
 * shutdown.
 *
 * <p>It implements every method of its superclass, whose own pool is never created. When tasks are scheduled, it calls
 * overridable methods where the superclass does. It only connects other classes, which implement settings, tasks and
 * their monitoring.
 */
@SuppressWarnings("serial")
public class WheelTaskScheduler extends ThreadPoolTaskScheduler {

    private static final Log log = LogFactory.getLog(WheelTaskScheduler.class);

    private static final Duration WAIT_BEGINS_WITHIN = Duration.ofMillis(100);

    private static final Duration INTERRUPTED_ENDS_WITHIN = Duration.ofMillis(100);

    private final SchedulerThreads threads = new SchedulerThreads(this);
    private final PauseGate pauseGate = new PauseGate();
    private final ShutdownReport shutdownReport = new ShutdownReport();
    private final LogTime logTime = new LogTime(
            new TimeSource()::nanoTime,
            this::sumUpLater,
            runnable -> threads.newThread(runnable, getThreadNamePrefix() + "watch"));
    private final RunFailures failures = new RunFailures(logTime);
    private final RunLateness lateness = new RunLateness(this::nanoTime);
    private final TaskTimers timers = new TaskTimers(this, failures);
    private final SchedulerWarnings warnings =
            new SchedulerWarnings(log, () -> "Scheduler " + nameInLog() + ": ", logTime);
    private final TaskEvents news = new TaskEvents(warnings, this::publishPause);
    private final TaskStore tasks = new TaskStore(timers, news);
    private final TaskRegistry registry = new TaskRegistry(tasks);

    private final SchedulerSettings settings = new SchedulerSettings();
    private final Object modeLock = new Object();
    private volatile boolean acceptTasksAfterContextClose;
    private volatile @Nullable String beanName;
    private @Nullable ApplicationContext applicationContext;

    // Written before the executor.
    private ThreadFactory workerThreads = this;
    private RejectedExecutionHandler rejectionHandler = new ThreadPoolExecutor.AbortPolicy();

    /** Created lazily, once for each executor. Writers: threads that hold the lock of the mode. */
    private volatile @Nullable ScheduledThreadPoolExecutor poolView;

    // Settings

    /**
     * Sets how many tasks may run at a time, 256 by default, without limit by default on virtual threads. It can be
     * changed at any time; lowering it interrupts no run.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    @Override
    public void setPoolSize(int poolSize) {
        super.setPoolSize(poolSize);
        settings.poolSize = poolSize;
        WheelScheduledExecutor current = timers.executor;
        if (current != null) {
            current.setMaxWorkers(poolSize);
        }
    }

    /**
     * Sets how far a start time may be rounded up, about 16 microseconds by default; before initialization.
     *
     * @throws IllegalArgumentException if it is not between 1 microsecond and 1 second
     * @see WheelScheduledExecutorBuilder#tick
     */
    public void setTick(Duration tick) {
        WheelScheduledExecutorBuilder ignored = WheelScheduledExecutor.builder().tick(tick);
        settings.tick = tick;
    }

    /**
     * Sets how long a worker thread stays idle before it ends, 60 seconds by default; before initialization.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public void setWorkerKeepAlive(Duration workerKeepAlive) {
        WheelScheduledExecutorBuilder ignored = WheelScheduledExecutor.builder().workerKeepAlive(workerKeepAlive);
        settings.workerKeepAlive = workerKeepAlive;
    }

    /**
     * Sets how many tasks may be pending or repeating, without limit by default; more are rejected. Before
     * initialization.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public void setMaxPending(long maxPending) {
        WheelScheduledExecutorBuilder ignored = WheelScheduledExecutor.builder().maxPending(maxPending);
        settings.maxPending = maxPending;
    }

    /**
     * Sets how many missed runs a fixed-rate task makes up, 10 by default; 0 skips to the next in phase. Before
     * initialization.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public void setMaxCatchUp(int maxCatchUp) {
        WheelScheduledExecutorBuilder ignored = WheelScheduledExecutor.builder().maxCatchUp(maxCatchUp);
        settings.maxCatchUp = maxCatchUp;
    }

    /**
     * Sets how late a run of a task that repeats may start so that wake-ups are shared, not at all by default, and as
     * that one in a group of another scheduler. It is halved until it is at most half of the period, or ends before the
     * next instant of a cron. For a single task, its settings may say otherwise; of a user's own trigger, only they do.
     * Before initialization.
     *
     * @throws IllegalArgumentException if it is negative
     * @see WheelScheduledExecutorBuilder#startTolerance
     */
    public void setStartTolerance(Duration startTolerance) {
        WheelScheduledExecutorBuilder ignored = WheelScheduledExecutor.builder().startTolerance(startTolerance);
        settings.startTolerance = startTolerance;
    }

    /**
     * Sets where monotonic time comes from, in place of the machine, for tests in virtual time; before initialization.
     * The wall clock is {@linkplain #setClock another setting}.
     */
    public void setTimeSource(TimeSource timeSource) {
        settings.timeSource = Objects.requireNonNull(timeSource, "timeSource must not be null");
    }

    /**
     * Makes this a group of another scheduler: it has workers and tasks of its own on that one's wheel and tick thread,
     * so that what is full here delays nobody there. Tick, time source, bound on pending tasks and wall clock are that
     * one's. It has to be initialized after that one, which also ends it. Before initialization.
     *
     * @param name a name that no other group of that scheduler has
     * @param queueCapacity the maximum number of due runs that wait in the queue while the group is full
     * @param onFull the treatment of a run that is due while this group is full
     * @throws IllegalArgumentException if the name is blank, the capacity negative, or that scheduler is a group itself
     * @see WheelScheduledExecutor#newGroup
     */
    public void setGroupOf(WheelTaskScheduler scheduler, String name, int queueCapacity, OnFull onFull) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("name must not be blank, was '" + name + "'");
        }
        if (queueCapacity < 0) {
            throw new IllegalArgumentException("queueCapacity must not be negative, was " + queueCapacity);
        }
        if (scheduler.settings.groupOf != null) {
            throw new IllegalArgumentException(
                    "scheduler must not be a group itself, was group " + scheduler.settings.groupOf.name());
        }
        settings.groupOf = new SchedulerSettings.GroupOf(
                scheduler, name, queueCapacity, Objects.requireNonNull(onFull, "onFull must not be null"));
    }

    /** Sets the mode, which decides whether scheduled tasks run; at any time. They run by default. */
    public void setMode(SchedulerMode mode) {
        Objects.requireNonNull(mode, "mode must not be null");
        logSteering("mode ", mode.name());
        if (news.steering() == null) {
            change(mode);
        } else {
            steer(actionOf(mode), () -> change(mode));
        }
    }

    private void change(SchedulerMode mode) {
        synchronized (modeLock) {
            settings.mode = mode;
            timers.off = mode == SchedulerMode.OFF;
            applyMode();
        }
    }

    private static String actionOf(SchedulerMode mode) {
        return switch (mode) {
            case RUN -> "run";
            case HALTED -> "halt";
            case OFF -> "off";
        };
    }

    /** Steers, and notifies listeners if the call has a name. */
    private void steer(String action, Runnable call) {
        NamedSteering steering = news.steering();
        if (steering == null) {
            call.run();
            return;
        }
        Object ignored = steering.<@Nullable Object>steer(
                action,
                Target.ofScheduler(null),
                () -> (pauseGate.isPaused() ? "PAUSED " : "") + settings.mode.name(),
                () -> {
                    call.run();
                    return null;
                });
    }

    /** Logs nothing before initialization. */
    private void logSteering(String action, String to) {
        if (isInitialized() && log.isDebugEnabled()) {
            log.debug("Steered by a Java call: " + action + to + " of scheduler " + nameInLog());
        }
    }

    private void applyMode() {
        WheelScheduledExecutor current = timers.executor;
        boolean isToHalt = settings.mode != SchedulerMode.RUN;
        if (current != null && current.isHalted() != isToHalt) {
            if (isToHalt) {
                current.halt();
            } else {
                pauseGate.noteResumed(current);
                current.proceed();
            }
        }
    }

    /** Returns the mode, which decides whether scheduled tasks run. */
    public SchedulerMode getMode() {
        return settings.mode;
    }

    /** Sets the catalog of tasks, such as that of the whole application; before any task is scheduled. */
    public void setTaskCatalog(TaskCatalog taskCatalog) {
        timers.catalog = Objects.requireNonNull(taskCatalog, "taskCatalog must not be null");
    }

    /** Whether it is a real scheduler rather than a mock, which lacks the parts of a scheduler or mocks them. */
    public static boolean isReal(WheelTaskScheduler scheduler) {
        return scheduler.settings != null && scheduler.getTaskRegistry() != null && scheduler.getTaskCatalog() != null;
    }

    /** Returns the catalog of tasks: their ids and settings before they are scheduled. */
    public TaskCatalog getTaskCatalog() {
        return timers.catalog;
    }

    /**
     * Sets a router that may run unnamed tasks elsewhere; null, the default, for none. Call it before the first task is
     * scheduled.
     */
    public void setTaskRouter(@Nullable TaskRouter taskRouter) {
        timers.router = taskRouter;
    }

    /** Returns the router that may run unnamed tasks elsewhere; null for none. */
    public @Nullable TaskRouter getTaskRouter() {
        return timers.router;
    }

    /**
     * Sets the name of this node among others that run the same tasks; by default that of the machine.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public void setNode(String node) {
        if (node.isBlank()) {
            throw new IllegalArgumentException("node must not be blank, was '" + node + "'");
        }
        timers.node = node;
    }

    /** Returns the name of this node. */
    public String getNode() {
        return timers.node();
    }

    /**
     * Sets the source of the trace id of a failed run, which is shown with its stack trace; null, the default, for
     * none.
     *
     * @param traceIds called on the thread that has thrown the failure, soon after that; returns null if it is unknown
     */
    public void setTraceIds(@Nullable Function<Throwable, @Nullable String> traceIds) {
        timers.traceIds = traceIds;
    }

    /** Returns the source of the trace id of a failed run; null for none. */
    public @Nullable Function<Throwable, @Nullable String> getTraceIds() {
        return timers.traceIds;
    }

    /**
     * Sets how runs are observed that Spring does not observe itself, as {@code wheel.scheduler.execution}; null, the
     * default, for not at all. It applies to one-time timers that are scheduled later, and to all other tasks. The
     * observation of a run has no parent, and is current in error handlers, listeners and the log, too.
     */
    public void setRunObservation(@Nullable WheelRunObservation runObservation) {
        timers.observed = runObservation == null ? null : new ObservedRuns(runObservation, this::nameInLog);
    }

    /** Sets the thresholds of logged warnings; before initialization. */
    public void setWarningLimits(WarningLimits warningLimits) {
        settings.warningLimits = warningLimits;
    }

    /** Returns the limits beyond which delays and runs are logged. */
    public WarningLimits getWarningLimits() {
        return settings.warningLimits;
    }

    /**
     * Returns the wall clock, in whose zone a cron without a zone is meant; that of a group is that of its scheduler.
     */
    @Override
    public Clock getClock() {
        SchedulerSettings.GroupOf group = settings.groupOf;
        return group == null ? super.getClock() : group.scheduler().getClock();
    }

    @Override
    public void setVirtualThreads(boolean virtualThreads) {
        // The factory that the superclass would take makes threads that inherit thread-locals.
        super.setThreadFactory(virtualThreads ? threads::newVirtualThread : null);
        settings.virtualThreads = virtualThreads;
        settings.customThreadFactory = null;
    }

    @Override
    public void setThreadFactory(@Nullable ThreadFactory threadFactory) {
        super.setThreadFactory(threadFactory);
        settings.virtualThreads = false;
        settings.customThreadFactory = threadFactory;
    }

    @Override
    public void setErrorHandler(ErrorHandler errorHandler) {
        super.setErrorHandler(errorHandler);
        failures.setHandler(errorHandler);
    }

    @Override
    public void setTaskDecorator(TaskDecorator taskDecorator) {
        super.setTaskDecorator(taskDecorator);
        timers.decorator = taskDecorator;
    }

    @Override
    public void setContinueExistingPeriodicTasksAfterShutdownPolicy(boolean flag) {
        super.setContinueExistingPeriodicTasksAfterShutdownPolicy(flag);
        settings.continuePeriodicAfterShutdown = flag;
        applyPolicies();
    }

    @Override
    public void setExecuteExistingDelayedTasksAfterShutdownPolicy(boolean flag) {
        super.setExecuteExistingDelayedTasksAfterShutdownPolicy(flag);
        settings.executeDelayedAfterShutdown = flag;
        applyPolicies();
    }

    private void applyPolicies() {
        WheelScheduledExecutor current = timers.executor;
        if (current != null) {
            settings.applyPoliciesTo(current);
        }
    }

    @Override
    public void setAcceptTasksAfterContextClose(boolean acceptTasksAfterContextClose) {
        super.setAcceptTasksAfterContextClose(acceptTasksAfterContextClose);
        this.acceptTasksAfterContextClose = acceptTasksAfterContextClose;
    }

    @Override
    public void setWaitForTasksToCompleteOnShutdown(boolean waitForTasks) {
        super.setWaitForTasksToCompleteOnShutdown(waitForTasks);
        settings.waitForTasks = waitForTasks;
    }

    @Override
    public void setAwaitTerminationSeconds(int awaitTerminationSeconds) {
        super.setAwaitTerminationSeconds(awaitTerminationSeconds);
        settings.awaitTerminationMillis = awaitTerminationSeconds * 1000L;
    }

    @Override
    public void setAwaitTerminationMillis(long awaitTerminationMillis) {
        super.setAwaitTerminationMillis(awaitTerminationMillis);
        settings.awaitTerminationMillis = awaitTerminationMillis;
    }

    @Override
    public void setBeanName(String name) {
        // Spring's way to initialize objects that are no beans, which may have a better name.
        if (!name.endsWith(AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX)) {
            super.setBeanName(name);
            beanName = name;
        }
    }

    /** Returns the name of its bean; null if it has none. */
    public @Nullable String getBeanName() {
        return beanName;
    }

    /** Returns its name in the log: that of the bean, or else the prefix of its threads. */
    private String nameInLog() {
        String name = beanName;
        return name != null ? name : getThreadNamePrefix();
    }

    @Override
    public void setApplicationContext(ApplicationContext applicationContext) {
        super.setApplicationContext(applicationContext);
        this.applicationContext = applicationContext;
    }

    // The executor

    @Override
    protected ScheduledExecutorService createExecutor(
            int poolSize, ThreadFactory threadFactory, RejectedExecutionHandler rejectedExecutionHandler) {
        threads.followCaller(settings.virtualThreads);
        workerThreads = threadFactory;
        rejectionHandler = rejectedExecutionHandler;
        ThreadFactory tickThreads =
                runnable -> threads.newThread(runnable, getThreadNamePrefix() + Workers.roleOf(runnable));
        WheelScheduledExecutorBuilder builder = settings.newBuilder(
                        threadFactory, tickThreads, () -> getClock().instant())
                .decorator(timers::prepare)
                .rejectionHandler((timer, reason) -> RejectionView.handle(
                        timer, reason, rejectedExecutionHandler, getWheelScheduledExecutor(), threadFactory));
        if (getClass() != WheelTaskScheduler.class) {
            builder.runHooks(new SubclassHooks());
        }
        WheelScheduledExecutor created = builder.build();
        settings.applyPoliciesTo(created);
        observe(created);
        synchronized (modeLock) {
            // It may have been set since the executor was built.
            applyMode();
        }
        if (settings.mode != SchedulerMode.RUN) {
            logger.info("Scheduler " + nameInLog()
                    + (settings.mode == SchedulerMode.HALTED
                            ? " is halted: scheduled tasks wait until its mode changes"
                            : " is off: scheduled tasks are accepted but never run")
                    + ". wheel.scheduler.mode, setMode or the endpoint wheelscheduler sets the mode");
        }
        return created;
    }

    /** Watches the executor, and pauses it, from now on. */
    void observe(WheelScheduledExecutor created) {
        timers.executor = created;
        pauseGate.attach(created);
        warnings.setTraces(timers::traceOf);
        SchedulerObservation observation = new SchedulerObservation(
                created, logTime.threads(), warnings, lateness, settings.warningLimits, pauseGate::nanosNotPaused);
        news.observe(observation);
        created.setRunObserver(observation);
    }

    private void sumUpLater(Runnable summary) {
        TimeSource set = settings.timeSource;
        if (set != null) {
            set.sumUpLater(summary);
        }
    }

    private void publishPause(String id, long failures) {
        ApplicationContext context = applicationContext;
        if (context != null) {
            context.publishEvent(new TaskPausedAfterFailuresEvent(this, id, failures));
        }
    }

    /** Creates a thread with this scheduler's settings and class loader, and without the creator's thread-locals. */
    @Override
    public Thread createThread(Runnable runnable) {
        return threads.newThread(runnable, nextThreadName());
    }

    /** Whether there is an executor. */
    public boolean isInitialized() {
        return timers.executor != null;
    }

    /**
     * Returns the executor on the wheel.
     *
     * @throws IllegalStateException if this scheduler is not initialized
     */
    public WheelScheduledExecutor getWheelScheduledExecutor() {
        return timers.executor();
    }

    /**
     * Returns a view of the {@linkplain #getWheelScheduledExecutor executor} on the wheel, the same one each time, for
     * code that asks for a thread pool. It has no thread and no task of its own; settings that have no meaning on a
     * wheel are refused with an {@link UnsupportedOperationException}. The page "Coming from" has the table.
     *
     * @throws IllegalStateException if this scheduler is not initialized
     */
    @Override
    public ScheduledThreadPoolExecutor getScheduledThreadPoolExecutor() {
        WheelScheduledExecutor current = timers.executor();
        ScheduledThreadPoolExecutor view = poolView;
        if (view == null || !ScheduledPoolView.isOf(current, view)) {
            synchronized (modeLock) {
                view = poolView;
                if (view == null || !ScheduledPoolView.isOf(current, view)) {
                    view = ScheduledPoolView.of(current, workerThreads, rejectionHandler);
                    poolView = view;
                }
            }
        }
        return view;
    }

    /** Returns the number of worker threads; before initialization, how many there may be. */
    @Override
    public int getPoolSize() {
        return isInitialized() ? getScheduledThreadPoolExecutor().getPoolSize() : settings.workerLimit();
    }

    /** Returns the number of tasks that are running. */
    @Override
    public int getActiveCount() {
        return isInitialized() ? getScheduledThreadPoolExecutor().getActiveCount() : 0;
    }

    /** Returns true: cancelled tasks are always removed. */
    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // deprecated as in the superclass
    public boolean isRemoveOnCancelPolicy() {
        return !isInitialized() || getScheduledThreadPoolExecutor().getRemoveOnCancelPolicy();
    }

    // Scheduling

    @Override
    public void execute(Runnable task) {
        super.execute(failures.guard(task));
    }

    @Override
    public Future<?> submit(Runnable task) {
        return super.submit(failures.guard(task));
    }

    @Override
    @SuppressWarnings("NullAway") // the bound of T is nullable from Spring 7.0.10 on, and is not before
    public <T extends @Nullable Object> Future<T> submit(Callable<T> task) {
        return super.submit(failures.count(task));
    }

    @Override
    public CompletableFuture<Void> submitCompletable(Runnable task) {
        return super.submitCompletable(failures.count(task));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submitCompletable(Callable<T> task) {
        return super.submitCompletable(failures.count(task));
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
        Objects.requireNonNull(task, "task must not be null");
        Objects.requireNonNull(startTime, "startTime must not be null");
        if (TaskNames.isRegistrars(task)) {
            return accepted(tasks.add(task, TaskSchedule.once(startTime), startTime));
        }
        ScheduledFuture<?> never = timers.never();
        if (never != null) {
            return never;
        }
        Runnable observing = failures.observe(task, timers.observed, getClock(), startTime);
        return observing == null
                ? super.schedule(failures.guard(task), startTime)
                : scheduleObserved(observing, startTime);
    }

    /** Schedules as the superclass does, which would wrap the task once more. */
    private ScheduledFuture<?> scheduleObserved(Runnable observing, Instant startTime) {
        ScheduledExecutorService executor = getScheduledExecutor();
        long delayNanos =
                TimeUnit.NANOSECONDS.convert(Duration.between(getClock().instant(), startTime));
        try {
            return executor.schedule(observing, delayNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ex) {
            throw new TaskRejectedException(executor, observing, ex);
        }
    }

    @Override
    public @Nullable ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
        return tasks.add(task, TaskSchedule.trigger(trigger, getClock().getZone()), null);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant startTime, Duration period) {
        Objects.requireNonNull(startTime, "startTime must not be null");
        return accepted(tasks.add(task, tasks.schedules.fixedRate(period), startTime));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
        return accepted(tasks.add(task, tasks.schedules.fixedRate(period), null));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant startTime, Duration delay) {
        Objects.requireNonNull(startTime, "startTime must not be null");
        return accepted(tasks.add(task, tasks.schedules.fixedDelay(delay), startTime));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
        return accepted(tasks.add(task, tasks.schedules.fixedDelay(delay), null));
    }

    private static ScheduledFuture<?> accepted(@Nullable ScheduledFuture<?> future) {
        return Objects.requireNonNull(future, "only a trigger may name no time");
    }

    /** Returns the registry of tasks, to read and steer them. */
    public TaskRegistry getTaskRegistry() {
        return registry;
    }

    /**
     * Returns the number of failed runs since the start. Their exceptions went to the error handler, unless the method
     * had returned before.
     */
    public long getFailedRuns() {
        return failures.count();
    }

    /** Returns how late runs start. */
    public RunLateness getLateness() {
        return lateness;
    }

    private long nanoTime() {
        WheelScheduledExecutor current = timers.executor;
        return current == null ? 0 : current.nanoTime();
    }

    // Lifecycle

    /**
     * Ends the pause. Clocks are compared first, as the machine may have slept or its clock may have been set
     * meanwhile.
     */
    @Override
    public void start() {
        logSteering("resume", "");
        if (news.steering() == null) {
            pauseGate.resume();
        } else {
            steer("resume", pauseGate::resume);
        }
    }

    @Override
    public void stop() {
        pause(() -> {});
    }

    @Override
    public void stop(Runnable callback) {
        pause(callback);
    }

    /** Pauses, unless a closing context leaves the scheduler to continue. */
    private void pause(Runnable whenQuiet) {
        if (!pauseGate.isKeptOpen()) {
            logSteering("pause", "");
        }
        steer("pause", () -> pauseGate.pause(getClock(), whenQuiet));
    }

    /** Returns since when it has been paused by {@link #stop()}, by its clock; null if it is not. Any thread. */
    public @Nullable Instant getPausedAt() {
        return pauseGate.pausedAt();
    }

    @Override
    public boolean isRunning() {
        return pauseGate.isOpen();
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == applicationContext
                && (acceptTasksAfterContextClose || settings.waitForTasks)) {
            pauseGate.keepOpen();
        }
        super.onApplicationEvent(event);
    }

    /** Does nothing; pausing does not hold worker threads. For subclasses, called before each run on its thread. */
    @Override
    protected void beforeExecute(Thread thread, Runnable task) {}

    /** Does nothing. For subclasses, called after each run on its thread. */
    @Override
    protected void afterExecute(Runnable task, @Nullable Throwable ex) {}

    /**
     * Stops accepting tasks, as the superclass does it, and notes the one-time tasks that the policy keeps from
     * running. Runs held back by a pause never start then, unless closing waits for tasks.
     */
    @Override
    public void initiateShutdown() {
        endTriggersAround();
        WheelScheduledExecutor current = timers.executor;
        if (current != null && pauseGate.isPaused() && !settings.waitForTasks) {
            current.shutdownWithoutInterrupt().forEach(this::cancelRemainingTask);
        } else if (current != null && !current.getExecuteExistingDelayedTasksAfterShutdownPolicy()) {
            drop(current, Duration.ZERO);
        }
        super.initiateShutdown();
    }

    /**
     * Shuts down as the superclass does. If it waits for tasks up to a limit, one-time tasks that are not due within it
     * are cancelled at once. After the limit, running tasks are interrupted and waiting tasks are cancelled. One-time
     * tasks that never ran are logged, and so is what is still running or pending in the end where it was to wait.
     */
    @Override
    public void shutdown() {
        WheelScheduledExecutor awaited = settings.waitForTasks ? timers.executor : null;
        endTriggersAround();
        try {
            if (awaited != null) {
                dropWhatComesTooLate(awaited);
            }
            super.shutdown();
            if (awaited != null && !awaited.isTerminated()) {
                endWait(awaited);
            }
        } finally {
            try {
                news.endObservation();
                failures.sumUp();
            } finally {
                tasks.clear(shutdownReport::addOneTime);
                logWhatNeverRan();
            }
        }
    }

    /** Closing does not wait for triggers, even if the executor sees a one-time task. */
    private void endTriggersAround() {
        WheelScheduledExecutor current = timers.executor;
        if (current != null && !current.getContinueExistingPeriodicTasksAfterShutdownPolicy()) {
            tasks.endTriggersAround();
        }
    }

    private void endWait(WheelScheduledExecutor awaited) {
        if (settings.awaitTerminationMillis > 0) {
            awaited.shutdownNow().forEach(this::cancelRemainingTask);
            try {
                // Tasks that honour an interrupt have ended a moment later.
                boolean ignored = awaited.awaitTermination(INTERRUPTED_ENDS_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        }
        if (!awaited.isTerminated()) {
            shutdownReport.logWhatIsLeft(logger, "Scheduler " + nameInLog(), awaited);
        }
    }

    private void dropWhatComesTooLate(WheelScheduledExecutor current) {
        if (!current.getExecuteExistingDelayedTasksAfterShutdownPolicy()) {
            drop(current, Duration.ZERO);
        } else if (settings.awaitTerminationMillis > 0) {
            // The superclass counts from when all others have been dropped, which is a little later.
            drop(current, Duration.ofMillis(settings.awaitTerminationMillis).plus(WAIT_BEGINS_WITHIN));
        }
        logWhatNeverRan();
    }

    private void drop(WheelScheduledExecutor current, Duration limit) {
        current.shutdownWithin(limit).forEach(this::cancelRemainingTask);
    }

    private void logWhatNeverRan() {
        shutdownReport.log(logger, "Scheduler " + nameInLog());
    }

    @Override
    protected void cancelRemainingTask(Runnable task) {
        shutdownReport.add(task);
        super.cancelRemainingTask(task);
    }

    private final class SubclassHooks implements RunHooks {

        @Override
        public void beforeRun(Thread thread, Runnable run) {
            beforeExecute(thread, run);
        }

        @Override
        public void afterRun(Runnable run, @Nullable Throwable failure) {
            afterExecute(run, failure);
        }
    }
}
