package io.github.wheelscheduler;

import io.github.wheelscheduler.internal.engine.CallableTimer;
import io.github.wheelscheduler.internal.engine.Engine;
import io.github.wheelscheduler.internal.engine.GroupRegister;
import io.github.wheelscheduler.internal.engine.InstantTimer;
import io.github.wheelscheduler.internal.engine.RunnableTimer;
import io.github.wheelscheduler.internal.engine.ScheduledTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ScheduledExecutorService} on a hierarchical timing wheel. One tick thread routes due tasks to workers, so
 * that a slow task delays no other; scheduling and cancelling cost the same however many tasks are pending; nothing
 * runs while nothing is due.
 *
 * <p>It keeps the contract of {@link ScheduledExecutorService} as
 * {@link java.util.concurrent.ScheduledThreadPoolExecutor} documents it, with these additions. It returns a
 * {@link WheelTimer}, which can be rescheduled. Cancelled tasks are released at once. Missed runs of a fixed-rate task
 * are caught up to a limit. The number of pending tasks can be bounded.
 *
 * <p>No task runs before its deadline. Tasks that one caller schedules for the same time start in that order. Timers
 * start in the order of their deadlines, up to a tick, while the tick thread keeps up and workers are free. A task
 * submitted without a delay may overtake a due timer. The relative progress of workers is unspecified. The tick thread
 * starts with the first task, workers with the first run. All methods may be called from any thread, tasks included.
 */
public final class WheelScheduledExecutor extends AbstractExecutorService
        implements ScheduledExecutorService, AutoCloseable {

    final Engine engine;
    private final Duration tick;
    private final GroupRegister<WheelScheduledExecutor> groups;

    WheelScheduledExecutor(Engine engine) {
        this.engine = engine;
        this.tick = Duration.ofNanos(1L << engine.settings.tickShift());
        this.groups = new GroupRegister<>(engine, WheelScheduledExecutor::new);
    }

    /** Returns a builder with the defaults. */
    public static WheelScheduledExecutorBuilder builder() {
        return new WheelScheduledExecutorBuilder();
    }

    // Groups

    /**
     * Returns a builder of a group of this executor: a set of workers with a limit of its own on the same wheel and
     * tick thread. A full group does not delay other tasks. It has no thread before its first run, and none after it
     * has been idle for the {@linkplain WheelScheduledExecutorBuilder#workerKeepAlive keep-alive}. Unless set on the
     * builder, a group has the settings of this executor. The bound on {@linkplain #maxPending pending timers} is
     * shared by all of them; each has counts of its own. Pause, halt and shutdown of this executor are its groups',
     * too; a group can be paused, halted and shut down alone.
     *
     * @param name a name that no other group of this executor has
     * @throws IllegalArgumentException if the name is blank
     * @throws IllegalStateException if this is a group itself; and from {@code build}, if there is such a group already
     */
    public WheelScheduledExecutorBuilder newGroup(String name) {
        return new WheelScheduledExecutorBuilder(groups, groups.checkName(name), engine.settings);
    }

    /**
     * Returns the group of that name; if there is none, creates it with the settings of this executor.
     *
     * @throws IllegalArgumentException if the name is blank
     * @throws IllegalStateException if this is a group itself
     * @throws RejectedExecutionException if there is none, and this executor has been shut down
     */
    public WheelScheduledExecutor group(String name) {
        return groups.group(name, newGroup(name)::build);
    }

    /** Returns the groups that have not terminated, by name. */
    public List<WheelScheduledExecutor> groups() {
        return groups.all();
    }

    /** Returns the name of this group; null if this is no group. */
    public @Nullable String groupName() {
        return engine.settings.groupName();
    }

    /**
     * Returns how a run is handled that finds the group full. An executor that is no group is never full: its runs
     * wait.
     */
    public OnFull onFull() {
        return engine.settings.onFull();
    }

    /** Returns how many runs may wait in the queue of this group; {@code Integer.MAX_VALUE} if this is no group. */
    public int queueCapacity() {
        return engine.settings.queueCapacity();
    }

    /**
     * Returns a view of this executor or group for a library that shuts down the executor it was given. Its
     * {@code shutdown}, {@code shutdownNow} and {@code close} do nothing. Its {@code awaitTermination} waits at
     * most a tenth of a second for the end of this executor. Tasks scheduled by the library continue until they are
     * cancelled. All else is as here.
     */
    public ScheduledExecutorService unclosable() {
        return new UnclosableExecutor(this);
    }

    // Scheduling

    /**
     * Runs the task once, after the delay.
     *
     * @throws RejectedExecutionException after shutdown, or when as many timers are pending as the executor allows
     */
    @Override
    public WheelTimer<?> schedule(Runnable command, long delay, TimeUnit unit) {
        Objects.requireNonNull(command, "command must not be null");
        Objects.requireNonNull(unit, "unit must not be null");
        return engine.arming.arm(new RunnableTimer(engine, command, engine.deadlineAfter(delay, unit)), delay <= 0);
    }

    /**
     * Calls the task once, after the delay.
     *
     * @throws RejectedExecutionException after shutdown, or when as many timers are pending as the executor allows
     */
    @Override
    public <V extends @Nullable Object> WheelTimer<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        Objects.requireNonNull(callable, "callable must not be null");
        Objects.requireNonNull(unit, "unit must not be null");
        long deadlineNanos = engine.deadlineAfter(delay, unit);
        return engine.arming.arm(new CallableTimer<>(engine, callable, deadlineNanos), delay <= 0);
    }

    /**
     * Runs the task repeatedly at a fixed rate: deadlines are one period apart. Runs never overlap. Missed runs are
     * caught up to the executor's limit, and the deadlines keep their phase.
     *
     * @throws IllegalArgumentException if the period is not positive
     * @throws RejectedExecutionException after shutdown, or when as many timers are pending as the executor allows
     */
    @Override
    public WheelTimer<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return armPeriodic(command, initialDelay, positive("period", period), unit, 1);
    }

    /**
     * Runs the task repeatedly with a fixed delay between the end of a run and the start of the next.
     *
     * @throws IllegalArgumentException if the delay is not positive
     * @throws RejectedExecutionException after shutdown, or when as many timers are pending as the executor allows
     */
    @Override
    public WheelTimer<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return armPeriodic(command, initialDelay, positive("delay", delay), unit, -1);
    }

    /**
     * Arms one run of a series that names the instants of its runs on the wall clock, such as a cron schedule. The run
     * is never early by that clock, and follows it within about a second when it is set. Shutdown treats it like a
     * periodic task. Each run arms the next with {@link #scheduleNext}.
     *
     * @throws RejectedExecutionException after shutdown, or when as many timers are pending as the executor allows
     */
    public WheelTimer<?> scheduleAt(Runnable command, Instant instant) {
        Objects.requireNonNull(command, "command must not be null");
        Objects.requireNonNull(instant, "instant must not be null");
        return armAt(command, instant, 0);
    }

    /**
     * The same for a run that may start late, so that it shares a wake-up with others: at most that time after the
     * instant, and at once if the instant has passed.
     *
     * @param tolerance usually at most {@link #startTolerance}, and less than the time until the run after this one
     * @throws IllegalArgumentException if the tolerance is negative
     */
    public WheelTimer<?> scheduleAt(Runnable command, Instant instant, Duration tolerance) {
        Objects.requireNonNull(command, "command must not be null");
        Objects.requireNonNull(instant, "instant must not be null");
        return armAt(command, instant, WheelScheduledExecutorBuilder.checkTolerance("tolerance", tolerance));
    }

    private WheelTimer<?> armAt(Runnable command, Instant instant, long toleranceNanos) {
        InstantTimer timer = engine.newInstantTimer(command, instant, toleranceNanos);
        return engine.arming.arm(timer, timer.isDueAtOnce);
    }

    /**
     * Arms the next run of a series from within a run of it. The series keeps its place among the pending timers, so
     * there is no bound that could reject it. While the wall clock fails, the run is postponed and the clock is read
     * again every second.
     *
     * @param running the timer that {@link #scheduleAt} or this method has returned for the current run
     * @return the timer of the next run; null, and no run follows, if the executor has been shut down or {@code
     *     running} has been cancelled or has a next run already
     * @throws IllegalArgumentException if {@code running} comes from elsewhere
     */
    public @Nullable WheelTimer<?> scheduleNext(WheelTimer<?> running, Runnable command, Instant instant) {
        return scheduleNext(running, command, instant, Duration.ZERO);
    }

    /**
     * The same for a run that may start late, as with {@link #scheduleAt(Runnable, Instant, Duration)}.
     *
     * @throws IllegalArgumentException if {@code running} comes from elsewhere, or the tolerance is negative
     */
    public @Nullable WheelTimer<?> scheduleNext(
            WheelTimer<?> running, Runnable command, Instant instant, Duration tolerance) {
        if (!(running instanceof InstantTimer timer) || timer.owner() != engine) {
            throw new IllegalArgumentException(
                    "running must be a timer returned by scheduleAt of this executor, was " + running);
        }
        Objects.requireNonNull(command, "command must not be null");
        Objects.requireNonNull(instant, "instant must not be null");
        long toleranceNanos = WheelScheduledExecutorBuilder.checkTolerance("tolerance", tolerance);
        InstantTimer next = engine.nextInstantTimer(command, instant, toleranceNanos);
        return engine.arming.armNext(timer, next) ? next : null;
    }

    private WheelTimer<?> armPeriodic(Runnable command, long initialDelay, long period, TimeUnit unit, int sign) {
        Objects.requireNonNull(command, "command must not be null");
        Objects.requireNonNull(unit, "unit must not be null");
        long periodNanos = sign * Math.min(unit.toNanos(period), Long.MAX_VALUE / 2);
        long deadlineNanos = engine.deadlineAfter(initialDelay, unit);
        boolean isDue = initialDelay <= 0;
        return engine.arming.arm(engine.newPeriodicTimer(command, deadlineNanos, periodNanos, isDue), isDue);
    }

    private static long positive(String what, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(what + " must be positive, was " + value);
        }
        return value;
    }

    @Override
    public void execute(Runnable command) {
        WheelTimer<?> ignored = now(Objects.requireNonNull(command, "command must not be null"));
    }

    @Override
    public Future<?> submit(Runnable task) {
        return now(Objects.requireNonNull(task, "task must not be null"));
    }

    @Override
    public <T extends @Nullable Object> Future<T> submit(Runnable task, T result) {
        return now(Executors.callable(task, result));
    }

    @Override
    public <T extends @Nullable Object> Future<T> submit(Callable<T> task) {
        return now(Objects.requireNonNull(task, "task must not be null"));
    }

    private WheelTimer<?> now(Runnable task) {
        return engine.arming.arm(new RunnableTimer.AtOnce(engine, task, engine.deadlineNow()), true);
    }

    private <T extends @Nullable Object> WheelTimer<T> now(Callable<T> task) {
        return engine.arming.arm(new CallableTimer.AtOnce<>(engine, task, engine.deadlineNow()), true);
    }

    /**
     * Takes a timer out that is not due yet, so that it never runs by itself. It is not cancelled: its future stays
     * open, and the caller may cancel it, or run it if it does not repeat. A due timer is already on its way to a
     * worker and can only be cancelled.
     *
     * <p>There is no {@code purge}: a timer that is cancelled leaves by itself. And there is no queue to look at:
     * pending timers are in the wheel, which belongs to the tick thread. {@link #pendingCount}, {@link #readyCount} and
     * {@link #snapshot} count them.
     *
     * @param timer the timer that this executor has returned
     * @return whether it was pending and not due
     */
    public boolean remove(Runnable timer) {
        Objects.requireNonNull(timer, "timer must not be null");
        return timer instanceof ScheduledTimer<?> scheduled && scheduled.owner() == engine && engine.remove(scheduled);
    }

    /**
     * Holds due tasks back, before the workers: no thread waits. Active runs continue. Without effect after shutdown.
     */
    public void pause() {
        engine.lifecycle.pause(null);
    }

    /** Like {@link #pause()}, and calls back once, when the last active run has ended; at once if there is none. */
    public void pause(Runnable whenQuiet) {
        Objects.requireNonNull(whenQuiet, "whenQuiet must not be null");
        engine.lifecycle.pause(whenQuiet);
    }

    /** Ends the pause. No run that became due meanwhile is lost; fixed-rate tasks catch up to their limit. */
    public void resume() {
        engine.lifecycle.resume();
    }

    public boolean isPaused() {
        return engine.workers.isPaused();
    }

    /**
     * Holds timers back when they are due, until {@link #proceed}: all that was scheduled with a time of its own, even
     * if it is 0. Tasks that are {@linkplain #execute executed} or {@linkplain #submit submitted} still run, and active
     * runs continue. Held timers stay where they are, can be cancelled and moved, and are dropped by {@link #shutdown}.
     * A {@linkplain #pause() pause} is independent: both have to end. Without effect after shutdown.
     */
    public void halt() {
        engine.setHalted(true);
    }

    /** Ends what {@link #halt} began. No run that became due meanwhile is lost; fixed rates catch up to their limit. */
    public void proceed() {
        engine.setHalted(false);
    }

    /** Whether timers are {@linkplain #halt held} when they are due. */
    public boolean isHalted() {
        return engine.hold.isHalted();
    }

    /**
     * Lets a timer go that is due, though others are {@linkplain #halt held}; without effect if none is, or it is not
     * pending.
     */
    public void forceRun(WheelTimer<?> timer) {
        if (timer instanceof ScheduledTimer<?> scheduled && scheduled.owner() == engine) {
            engine.forceRun(scheduled);
        }
    }

    /**
     * Allows the given number of timers of this executor and its groups to expire in
     * {@linkplain TimeSource#isVirtual virtual time}, where no timer expires otherwise. It applies to timers that are
     * due now, then to later ones as they become due. It replaces the number allowed before. Without effect in the
     * machine's time.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    public void allow(int timers) {
        WheelScheduledExecutorBuilder.check(timers >= 0, "timers must not be negative", timers);
        engine.allow(timers);
    }

    /**
     * Sets which of the timers that are due goes next where they are {@linkplain #allow allowed} to go one by one.
     *
     * @param choice returns, for their number, which one, from 0 on in their order; on the tick thread. Null for the
     *     first one
     */
    public void setChoice(@Nullable IntUnaryOperator choice) {
        engine.hold.setChoice(choice);
    }

    /**
     * Returns how many of the timers that are {@linkplain #allow allowed} to go have not gone; a huge number in the
     * machine's time.
     */
    public long allowed() {
        return engine.hold.allowed();
    }

    /**
     * Makes calendar tasks follow the wall clock at once, which they otherwise do within a second: for tests that have
     * set it. Returns before that is done.
     */
    public void checkWallClock() {
        engine.checkWallClock();
    }

    /**
     * Returns how long it is until the first timer is due that is pending, here or in a group, and has not been
     * released, zero if one is due; null if there is none. Looks at all timers, on the tick thread, and waits for that:
     * for tests in virtual time.
     */
    public @Nullable Duration untilFirstDue() {
        long nanos = engine.nanosToFirstDeadline();
        return nanos == Long.MAX_VALUE ? null : Duration.ofNanos(nanos);
    }

    /**
     * Returns when the timers were due, here or in a group, that go now if they are {@linkplain #allow allowed} to, as
     * {@link #nanoTime} told the time, in their order. Waits for the tick thread: for tests in virtual time, without
     * effect otherwise.
     *
     * @param most the maximum number
     */
    public long[] dueNanos(int most) {
        return engine.dueNanos(most);
    }

    /**
     * Whether nothing more happens until time advances or a method is called. The tick thread sleeps or is about to,
     * and no runnable task is being handed over or running. For tests in virtual time; no more than a glimpse if time
     * moves meanwhile.
     */
    public boolean isQuiet() {
        return engine.isQuiet();
    }

    /**
     * Stops accepting tasks, drops repeating ones and, by policy, delayed ones, and lets the rest run. When this
     * returns, the dropped tasks have been cancelled. A pause ends.
     */
    @Override
    public void shutdown() {
        engine.lifecycle.shutdown();
    }

    /**
     * Shuts down like {@link #shutdown}, for a caller that waits for the end up to a limit: one-time tasks whose
     * deadline lies farther ahead are not waited for. Tasks that are due within the limit run, if the policy lets them.
     *
     * @return the timers of the one-time tasks that come too late, by deadline; they will not run, and are not
     *     cancelled
     * @throws IllegalArgumentException if the limit is negative
     */
    public List<Runnable> shutdownWithin(Duration limit) {
        WheelScheduledExecutorBuilder.check(!limit.isNegative(), "limit must not be negative", limit);
        return engine.lifecycle.shutdownWithin(TimeUnit.NANOSECONDS.convert(limit));
    }

    /**
     * Stops accepting and running tasks and interrupts the active runs. None starts after this has returned.
     *
     * @return the timers that never ran or would have run again, by deadline; they are not cancelled
     * @see #setStopListener
     */
    @Override
    public List<Runnable> shutdownNow() {
        return engine.lifecycle.shutdownNow(true);
    }

    /**
     * Stops accepting and starting tasks, as {@link #shutdownNow} does, but lets active runs end.
     *
     * @return the timers that never ran or would have run again, by deadline; they are not cancelled
     */
    public List<Runnable> shutdownWithoutInterrupt() {
        return engine.lifecycle.shutdownNow(false);
    }

    @Override
    public boolean isShutdown() {
        return engine.runState.isShutdown();
    }

    /** Returns whether this has been stopped, as by {@link #shutdownNow}, or has terminated: no further task begins. */
    public boolean isStopped() {
        return engine.runState.isStopped();
    }

    /** Whether no task runs any more and all threads have ended or are about to. */
    @Override
    public boolean isTerminated() {
        return engine.runState.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return engine.runState.terminated.await(timeout, unit);
    }

    /**
     * Shuts down and waits until all tasks have ended, delayed ones included. If the calling thread is interrupted, it
     * stops all tasks instead, still waits for the ones that run, and stays interrupted.
     */
    // Replaces the default of JDK 19 and later, which waits for a day at a time.
    @Override
    public void close() {
        shutdown();
        boolean interrupted = false;
        while (!isTerminated()) {
            try {
                engine.runState.terminated.await();
            } catch (InterruptedException ex) {
                interrupted = true;
                List<Runnable> ignored = shutdownNow();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether delayed one-time tasks still run after {@link #shutdown}; true by default. */
    public boolean getExecuteExistingDelayedTasksAfterShutdownPolicy() {
        return engine.runState.executesDelayed();
    }

    /** Sets whether delayed one-time tasks still run after {@link #shutdown}; takes effect after it, too. */
    public void setExecuteExistingDelayedTasksAfterShutdownPolicy(boolean value) {
        engine.setExecutesDelayed(value);
        engine.lifecycle.reapplyShutdownPolicies();
    }

    /** Whether repeating tasks continue after {@link #shutdown}; false by default. */
    public boolean getContinueExistingPeriodicTasksAfterShutdownPolicy() {
        return engine.runState.continuesPeriodic();
    }

    /** Sets whether repeating tasks continue after {@link #shutdown}; takes effect after it, too. */
    public void setContinueExistingPeriodicTasksAfterShutdownPolicy(boolean value) {
        engine.setContinuesPeriodic(value);
        engine.lifecycle.reapplyShutdownPolicies();
    }

    /**
     * Changes how many workers there may be. Lowering it interrupts no run.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public void setMaxWorkers(int maxWorkers) {
        engine.setMaxWorkers(WheelScheduledExecutorBuilder.checkMaxWorkers(maxWorkers));
    }

    /** Returns how many timers are pending: scheduled and not started. Exact while nothing moves. */
    public long pendingCount() {
        return engine.pending.count();
    }

    /** Returns about how many due tasks wait for a worker. */
    public long readyCount() {
        return engine.readyCount();
    }

    /** Returns the number of active runs. */
    public int activeCount() {
        return engine.workers.activeCount();
    }

    /** Returns how many threads take runs. */
    public int workerCount() {
        return engine.workers.threadCount();
    }

    /**
     * Returns the largest number of threads that have taken runs; where each run has a thread, or an executor is given,
     * the number now.
     */
    public int largestWorkerCount() {
        return engine.workers.largestThreadCount();
    }

    /**
     * Sets the observer that is called before each run, replacing the previous one; null for none. Runs that start
     * without an observer cost nothing more.
     */
    public void setRunObserver(@Nullable RunObserver observer) {
        engine.observation.setObserver(observer);
    }

    /**
     * Returns the runs that have been active for at least the given time. Runs are known only if they started while
     * there was a {@linkplain #setRunObserver run observer}.
     */
    public List<RunningTask> runningFor(Duration atLeast) {
        return engine.runningFor(Objects.requireNonNull(atLeast, "atLeast must not be null"));
    }

    /** Returns some of the timers that wait for their time or for a worker, in no order. Looks at all of them. */
    public List<WheelTimer<?>> somePending(int most) {
        return engine.somePending(most);
    }

    /** Returns the time, in nanoseconds, on the monotonic clock that deadlines are on; to be compared by difference. */
    public long nanoTime() {
        return engine.nanoTime();
    }

    /** Returns where that time comes from. */
    public TimeSource timeSource() {
        return engine.settings.clock();
    }

    /**
     * Returns when a timer is or was due, on that clock. The value is constant until the timer is rescheduled, or armed
     * for its next run.
     */
    public long deadlineNanos(Delayed timer) {
        return engine.deadlineOf(timer);
    }

    /**
     * Returns from when on a start of the timer is late, on that clock: when it is due, and after its {@linkplain
     * #startTolerance tolerance}.
     */
    public long lateFromNanos(Delayed timer) {
        return timer instanceof ScheduledTimer<?> ours ? engine.lateFromNanos(ours) : deadlineNanos(timer);
    }

    /** Returns the time on the wall clock that instants are on. */
    public Instant wallClockInstant() {
        return engine.settings.wallClock().instant();
    }

    /**
     * Sets the listener that {@link #shutdownNow} calls before anything is stopped; for a group, also that of its
     * executor. It is called on the calling thread, which then continues the shutdown even if the listener throws. It
     * should be quick. Replaces the previous one; null for none.
     */
    public void setStopListener(@Nullable Runnable listener) {
        engine.lifecycle.setStopListener(listener);
    }

    /**
     * Sets the listener that {@link #shutdown} calls once, when nothing is accepted any more; for a group, also that of
     * its executor. A group that stands apart can thus cancel timers that the executor would wait for. It is called on
     * the calling thread, which then continues the shutdown even if the listener throws. It should be quick. Replaces
     * the previous one; null for none.
     */
    public void setShutdownListener(@Nullable Runnable listener) {
        engine.lifecycle.setShutdownListener(listener);
    }

    /** Returns the tick: how far a start time may be rounded up. */
    public Duration tick() {
        return tick;
    }

    /** Returns how late a run of a repeating timer may start so that wake-ups are shared; zero for not at all. */
    public Duration startTolerance() {
        return Duration.ofNanos(engine.settings.startToleranceNanos());
    }

    /** Returns how many runs may be active at a time. */
    public int maxWorkers() {
        return engine.workers.maxSize();
    }

    /** Returns how many idle threads stay, once started. */
    public int coreWorkers() {
        return engine.workers.coreSize();
    }

    /** Returns for how long an idle worker stays. */
    public Duration workerKeepAlive() {
        return Duration.ofNanos(engine.settings.workerKeepAliveNanos());
    }

    /** Returns how many more timers are accepted; {@code Long.MAX_VALUE} if that is not limited. */
    public long remainingPending() {
        return maxPending() == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, maxPending() - engine.pending.inUse());
    }

    /** Returns how many timers may be pending or repeating; {@code Long.MAX_VALUE} if that is not limited. */
    public long maxPending() {
        return engine.pending.permits.max();
    }

    /**
     * Returns the last published bucket occupancy of the wheel, and requests a new one, at most once a second. The tick
     * thread is woken and publishes it in its next pass. Null before the first result; without readers it costs
     * nothing. The wheel of a group is that of its executor.
     */
    public WheelSnapshot.@Nullable Occupancy occupancy() {
        return engine.occupancy();
    }

    /** Returns the counts of this moment. */
    public WheelSnapshot snapshot() {
        return engine.snapshot();
    }

    @Override
    public String toString() {
        String state = isTerminated() ? "terminated" : isShutdown() ? "shut down" : isPaused() ? "paused" : "running";
        return "WheelScheduledExecutor[" + state + ", pending = " + pendingCount() + ", ready = " + readyCount()
                + ", active = " + activeCount() + ", workers = " + workerCount() + "]";
    }
}
