package io.github.wheelscheduler;

import io.github.wheelscheduler.internal.engine.CallableTimer;
import io.github.wheelscheduler.internal.engine.Engine;
import io.github.wheelscheduler.internal.engine.GroupRegister;
import io.github.wheelscheduler.internal.engine.InstantTimer;
import io.github.wheelscheduler.internal.engine.PeriodicTimer;
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
 * A {@link ScheduledExecutorService} on a hierarchical timing wheel. One tick thread routes due tasks to workers, so that a
 * slow task delays no other; scheduling and cancelling cost the same however many tasks are pending; nothing runs while
 * nothing is due.
 *
 * <p>It keeps the contract of {@link ScheduledExecutorService} as {@link java.util.concurrent.ScheduledThreadPoolExecutor}
 * documents it, with these additions: what it returns is a {@link WheelTimer}, which can be rescheduled; cancelled tasks
 * are let go at once; runs that a fixed-rate task has missed are made up to a limit; the number of pending tasks can be
 * bounded.
 *
 * <p>No task runs before its deadline. Tasks that one caller schedules for one time start in that order, and timers start in the
 * order of their deadlines, up to a tick, as far as the tick thread keeps up and workers are free; a task that is submitted with no
 * delay may overtake a due timer. Nothing is promised about the order in which workers get on. The tick thread starts with the
 * first task, workers with the first run. All methods may be called from any thread, tasks included.
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
     * Returns a builder of a group of this executor: a set of workers with a limit of its own on the same wheel and tick thread. A
     * group that is full delays nobody else. It has no thread before its first run, and none after it has been idle for the
     * {@linkplain WheelScheduledExecutorBuilder#workerKeepAlive keep-alive}. Unless the builder says otherwise, a group has the
     * settings of this executor. The bound on {@linkplain #maxPending pending timers} is one for all of them; counts are those of
     * each. Pause, halt and shutdown of this executor are its groups', too; a group can be paused, halted and shut down alone.
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

    /** Returns what becomes of a run that finds all places taken; what is no group is never full: there, runs wait. */
    public OnFull onFull() {
        return engine.settings.onFull();
    }

    /** Returns how many runs may wait in the queue of this group; {@code Integer.MAX_VALUE} if this is no group. */
    public int queueCapacity() {
        return engine.settings.queueCapacity();
    }

    /**
     * Returns this executor, or group, for a library that shuts down what it was given: its {@code shutdown}, {@code shutdownNow} and
     * {@code close} do nothing, and its {@code awaitTermination} waits for the end of this executor, but for a tenth of a second at most.
     * What the library has scheduled goes on until it is cancelled. All else is as here.
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
     * Runs the task again and again, with deadlines that are a period apart. A run never overlaps the one before; runs
     * that are missed meanwhile are made up, as many as the executor's limit allows, and the deadlines keep their phase.
     *
     * @throws IllegalArgumentException if the period is not positive
     * @throws RejectedExecutionException after shutdown, or when as many timers are pending as the executor allows
     */
    @Override
    public WheelTimer<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return armPeriodic(command, initialDelay, positive("period", period), unit, 1);
    }

    /**
     * Runs the task again and again, each time the delay after the end of the run before.
     *
     * @throws IllegalArgumentException if the delay is not positive
     * @throws RejectedExecutionException after shutdown, or when as many timers are pending as the executor allows
     */
    @Override
    public WheelTimer<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return armPeriodic(command, initialDelay, positive("delay", delay), unit, -1);
    }

    /**
     * Arms one run of a series that names the instants of its runs on the wall clock, such as a cron schedule. The run is
     * never early by that clock, and follows it within about a second when it is set. Shutdown treats it like a periodic
     * task. Each run arms the next with {@link #scheduleNext}.
     *
     * @throws RejectedExecutionException after shutdown, or when as many timers are pending as the executor allows
     */
    public WheelTimer<?> scheduleAt(Runnable command, Instant instant) {
        Objects.requireNonNull(command, "command must not be null");
        Objects.requireNonNull(instant, "instant must not be null");
        InstantTimer timer = engine.newInstantTimer(command, instant);
        return engine.arming.arm(timer, timer.isDueAtOnce);
    }

    /**
     * Arms the next run of a series from within a run of it. The series keeps its place among the pending timers, so there
     * is no bound that could reject it. While the wall clock fails, the run is put off, and the clock asked again each second.
     *
     * @param running what {@link #scheduleAt} or this method has returned for the run that is going on
     * @return the timer of the next run; null, and no run follows, if the executor has been shut down or {@code running} has
     *     been cancelled or has a next run already
     * @throws IllegalArgumentException if {@code running} comes from elsewhere
     */
    public @Nullable WheelTimer<?> scheduleNext(WheelTimer<?> running, Runnable command, Instant instant) {
        if (!(running instanceof InstantTimer timer) || timer.owner() != engine) {
            throw new IllegalArgumentException("running must be a timer that scheduleAt has returned, was " + running);
        }
        Objects.requireNonNull(command, "command must not be null");
        Objects.requireNonNull(instant, "instant must not be null");
        InstantTimer next = engine.nextInstantTimer(command, instant);
        return engine.arming.armNext(timer, next) ? next : null;
    }

    private WheelTimer<?> armPeriodic(Runnable command, long initialDelay, long period, TimeUnit unit, int sign) {
        Objects.requireNonNull(command, "command must not be null");
        Objects.requireNonNull(unit, "unit must not be null");
        long periodNanos = sign * Math.min(unit.toNanos(period), Long.MAX_VALUE / 2);
        long deadlineNanos = engine.deadlineAfter(initialDelay, unit);
        return engine.arming.arm(new PeriodicTimer(engine, command, deadlineNanos, periodNanos), initialDelay <= 0);
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
     * Takes a timer out that is not due yet, so that it never runs by itself. It is not cancelled: its future stays open, and
     * the caller may run or cancel it. What is due is on its way to a worker, and can only be cancelled.
     *
     * <p>There is no {@code purge}: a timer that is cancelled leaves by itself. And there is no queue to look at: pending timers
     * are in the wheel, which belongs to the tick thread. {@link #pendingCount}, {@link #readyCount} and {@link #snapshot} count
     * them.
     *
     * @param timer what this executor has returned for it
     * @return whether it was pending and not due
     */
    public boolean remove(Runnable timer) {
        Objects.requireNonNull(timer, "timer must not be null");
        return timer instanceof ScheduledTimer<?> scheduled && scheduled.owner() == engine && engine.remove(scheduled);
    }

    /** Holds due tasks back, before the workers: no thread waits. Runs that are going on go on. Without effect after shutdown. */
    public void pause() {
        engine.lifecycle.pause(null);
    }

    /** Like {@link #pause()}, and calls back once, when the last run that is going on has ended; at once if none is. */
    public void pause(Runnable whenQuiet) {
        Objects.requireNonNull(whenQuiet, "whenQuiet must not be null");
        engine.lifecycle.pause(whenQuiet);
    }

    /** Ends the pause. Nothing that became due meanwhile is lost; fixed-rate tasks make up what their limit allows. */
    public void resume() {
        engine.lifecycle.resume();
    }

    public boolean isPaused() {
        return engine.workers.isPaused();
    }

    /**
     * Holds timers back when they are due, until {@link #proceed}: all that was scheduled with a time of its own, be it 0. What is
     * {@linkplain #execute executed} or {@linkplain #submit submitted} runs, as do runs that are going on. Held timers stay where
     * they are, can be cancelled and moved, and are dropped by {@link #shutdown}. A {@linkplain #pause() pause} is another matter: both
     * have to end. Without effect after shutdown.
     */
    public void halt() {
        engine.setHalted(true);
    }

    /** Ends what {@link #halt} began. Nothing that became due meanwhile is lost; fixed rates make up what their limit allows. */
    public void proceed() {
        engine.setHalted(false);
    }

    /** Whether timers are {@linkplain #halt held} when they are due. */
    public boolean isHalted() {
        return engine.hold.isHalted();
    }

    /** Lets a timer go that is due, though others are {@linkplain #halt held}; without effect if none is, or it is not pending. */
    public void forceRun(WheelTimer<?> timer) {
        if (timer instanceof ScheduledTimer<?> scheduled && scheduled.owner() == engine) {
            engine.forceRun(scheduled);
        }
    }

    /**
     * Lets so many timers, of this executor and its groups, go in {@linkplain TimeSource#isVirtual virtual time}, where none goes otherwise: the ones that are due now or, if
     * there are not so many, when they are. In place of what was allowed before. Without effect in the machine's time.
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
     * @param choice returns, for their number, which one, from 0 on in their order; on the tick thread. Null for the first one
     */
    public void setChoice(@Nullable IntUnaryOperator choice) {
        engine.hold.setChoice(choice);
    }

    /** Returns how many of the timers that are {@linkplain #allow allowed} to go have not gone; a huge number in the machine's time. */
    public long allowed() {
        return engine.hold.allowed();
    }

    /**
     * Makes calendar tasks follow the wall clock at once, which they otherwise do within a second: for tests that have set it. Returns
     * before that is done.
     */
    public void checkWallClock() {
        engine.checkWallClock();
    }

    /**
     * Returns how long it is until the first timer is due that is pending, here or in a group, and has not been let go, zero if one is;
     * null if there is none. Looks at all timers, on the tick thread, and waits for that: for tests in virtual time.
     */
    public @Nullable Duration untilFirstDue() {
        long nanos = engine.nanosToFirstDeadline();
        return nanos == Long.MAX_VALUE ? null : Duration.ofNanos(nanos);
    }

    /**
     * Returns when the timers were due, here or in a group, that go now if they are {@linkplain #allow allowed} to, as {@link #nanoTime} told
     * the time, in their order. Waits for the tick thread: for tests in virtual time, without effect otherwise.
     *
     * @param most so many at most
     */
    public long[] dueNanos(int most) {
        return engine.dueNanos(most);
    }

    /**
     * Whether nothing more happens before time goes on or a method is called: the tick thread is about to sleep or sleeps, and no task
     * that may run is on its way to a worker or running. For tests in virtual time; no more than a glimpse if time moves meanwhile.
     */
    public boolean isQuiet() {
        return engine.isQuiet();
    }

    /**
     * Stops accepting tasks, drops repeating ones and, by policy, delayed ones, and lets the rest run. When
     * this returns, what is dropped has been cancelled. A pause ends.
     */
    @Override
    public void shutdown() {
        engine.lifecycle.shutdown();
    }

    /**
     * Shuts down like {@link #shutdown}, on behalf of a caller who waits for the end so long at most: one-time tasks whose
     * deadline lies farther ahead are not waited for. Tasks that are due within the limit run, if the policy lets them.
     *
     * @return the timers of the one-time tasks that come too late, by deadline; they will not run, and are not cancelled
     * @throws IllegalArgumentException if the limit is negative
     */
    public List<Runnable> shutdownWithin(Duration limit) {
        WheelScheduledExecutorBuilder.check(!limit.isNegative(), "limit must not be negative", limit);
        return engine.lifecycle.shutdownWithin(TimeUnit.NANOSECONDS.convert(limit));
    }

    /**
     * Stops accepting and running tasks and interrupts the runs that are going on. None starts after this has returned.
     *
     * @return the timers that never ran or would have run again, by deadline; they are not cancelled
     * @see #setStopListener
     */
    @Override
    public List<Runnable> shutdownNow() {
        return engine.lifecycle.shutdownNow(true);
    }

    /**
     * Stops accepting and starting tasks, as {@link #shutdownNow} does, but lets the runs that are going on end.
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

    /** Says whether delayed one-time tasks still run after {@link #shutdown}; takes effect after it, too. */
    public void setExecuteExistingDelayedTasksAfterShutdownPolicy(boolean value) {
        engine.setExecutesDelayed(value);
        engine.lifecycle.reapplyShutdownPolicies();
    }

    /** Whether repeating tasks go on after {@link #shutdown}; false by default. */
    public boolean getContinueExistingPeriodicTasksAfterShutdownPolicy() {
        return engine.runState.continuesPeriodic();
    }

    /** Says whether repeating tasks go on after {@link #shutdown}; takes effect after it, too. */
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

    /** Returns how many runs are going on. */
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
     * Sets who is told of each run before it starts, in place of the one before; null for none. Runs that start without
     * an observer cost nothing more.
     */
    public void setRunObserver(@Nullable RunObserver observer) {
        engine.observation.setObserver(observer);
    }

    /**
     * Returns the runs that have been going on for at least so long. Runs are known only if they started while there was a
     * {@linkplain #setRunObserver run observer}.
     */
    public List<RunningTask> runningFor(Duration atLeast) {
        return engine.runningFor(Objects.requireNonNull(atLeast, "atLeast must not be null"));
    }

    /** Returns at most so many of the timers that wait for their time or for a worker, in no order. Looks at all of them. */
    public List<WheelTimer<?>> somePending(int most) {
        return engine.somePending(most);
    }

    /** Returns the time, in nanoseconds, on the monotonic clock that deadlines are on; to be compared by difference. */
    public long nanoTime() {
        return engine.nanoTime();
    }

    /** Returns when a timer is due, or was, on that clock. It says the same until the timer is moved, or armed for its next run. */
    public long deadlineNanos(Delayed timer) {
        return engine.deadlineOf(timer);
    }

    /** Returns the time on the wall clock that instants are on. */
    public Instant wallClockInstant() {
        return engine.settings.wallClock().instant();
    }

    /**
     * Sets who is called by {@link #shutdownNow}, that of the executor included for a group, before anything is stopped: on the calling
     * thread, which then stops what is to be stopped, even if the listener throws. It should be quick. In place of the one before;
     * null for none.
     */
    public void setStopListener(@Nullable Runnable listener) {
        engine.lifecycle.setStopListener(listener);
    }

    /** Returns the tick: how far a start time may be rounded up. */
    public Duration tick() {
        return tick;
    }

    /** Returns how many runs may go on at a time. */
    public int maxWorkers() {
        return engine.workers.maxSize();
    }

    /** Returns how many threads stay, once they have come, though they have nothing to do. */
    public int coreWorkers() {
        return engine.workers.coreSize();
    }

    /** Returns for how long a worker that has nothing to do stays. */
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
     * Returns how full the buckets of the wheel were when the tick thread last said so, and lets it say so again, once a second at most: at its
     * next pass, for which it is woken. Null before the first answer; where nobody asks, it costs nothing. The wheel of a group is that of its
     * executor.
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
