package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.WheelTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A task that can be seen and steered, and the future of whatever timer it has. */
final class RegisteredTask implements ScheduledFuture<@Nullable Object> {

    /*
     * The timer decides when, this decides whether:
     *
     *      timer is due --> running already? --yes--> skipped (RUNNING)
     *                            | no
     *                         paused? --yes--> skipped (PAUSED); a one-time task is held, and runs when it is resumed
     *                            | no
     *                           run
     *
     * So the timer goes on while the task is paused, and keeps its phase. To re-time a task is to give it another timer.
     */

    private static final long SHORTEST_CRON_INTERVAL_NANOS = 1_000_000_000;

    private final TaskRegistry registry;
    private final TaskInfo.Origin origin;
    private final GuardedTask guarded;

    /** Pause, resume, re-time, trigger. Never held during a run. */
    private final ReentrantLock steering = new ReentrantLock();

    // Written before the task is shown to anybody, by the registry.
    private TaskId taskId = TaskId.given("");
    private String id = "";

    private volatile TaskSchedule schedule;

    // What each run wants to know of it, at hand.
    private volatile boolean repeating;
    private volatile long mayOverrunNanos;

    /** The run of a one-time task has been taken. */
    private final AtomicBoolean spent = new AtomicBoolean();

    private volatile @Nullable ScheduledFuture<?> timer;
    private volatile boolean paused;
    private volatile boolean cancelled;

    /** Set while a one-time task is due and paused; opens when that ends. */
    private volatile @Nullable CountDownLatch held;

    /** Made when the task is paused, as a run that is to be held cannot do without. Guarded by {@link #steering}. */
    private @Nullable CountDownLatch nextHeld;

    RegisteredTask(
            TaskRegistry registry,
            Runnable task,
            TaskInfo.Origin origin,
            TaskSchedule schedule,
            FailureRecorder failures) {
        this.registry = registry;
        this.origin = origin;
        this.schedule = schedule;
        this.repeating = schedule.isRepeating();
        this.mayOverrunNanos = shortestInterval(schedule);
        this.guarded = new GuardedTask(this, registry, task, failures);
    }

    void setId(TaskId taskId) {
        this.taskId = taskId;
        this.id = taskId.text();
    }

    TaskId taskId() {
        return taskId;
    }

    String id() {
        return id;
    }

    TaskInfo.Origin origin() {
        return origin;
    }

    TaskSchedule schedule() {
        return schedule;
    }

    /** Returns what a timer is to run. */
    GuardedTask guarded() {
        return guarded;
    }

    /** Gives the task its first timer, unless somebody has re-timed it meanwhile; false if there is none to be had. */
    boolean armFirst(@Nullable Instant first) {
        steering.lock();
        try {
            if (timer == null) {
                ScheduledFuture<?> armed = registry.arm(guarded, schedule, first);
                timer = armed;
                if (armed != null && cancelled) {
                    boolean ignored = armed.cancel(false);
                }
            }
            return timer != null;
        } finally {
            steering.unlock();
        }
    }

    // Steering

    /**
     * Asks for a run now.
     *
     * @throws IllegalStateException if it is running or over
     */
    void trigger() {
        steering.lock();
        try {
            requireNotOver();
            if (guarded.isRunning()) {
                throw new IllegalStateException("The task must not be running to be triggered: " + id);
            }
            if (!repeating) {
                endPauseAndRunOnce();
                return;
            }
        } finally {
            steering.unlock();
        }
        // Not under the lock: it may be the caller who runs it.
        registry.execute(new GuardedTask.Triggered(guarded));
    }

    void pause() {
        steering.lock();
        try {
            requireNotOver();
            prepareToHold();
            paused = true;
        } finally {
            steering.unlock();
        }
    }

    void resume() {
        steering.lock();
        try {
            requireNotOver();
            if (held != null) {
                endPauseAndRunOnce();
            } else {
                paused = false;
            }
        } finally {
            steering.unlock();
        }
    }

    /** If there is no timer to be had, nothing has changed. */
    private void endPauseAndRunOnce() {
        boolean wasPaused = paused;
        // First: the timer may be due at once.
        paused = false;
        boolean isDone = false;
        try {
            runOnceNow();
            isDone = true;
        } finally {
            if (!isDone) {
                paused = wasPaused;
            }
        }
    }

    private void prepareToHold() {
        if (nextHeld == null) {
            nextHeld = new CountDownLatch(1);
        }
    }

    /** A timer that is due already, and not held, runs anyway. */
    private void runOnceNow() {
        if (held != null) {
            replaceTimer(schedule, registry.instant());
            release();
        } else if (timer() instanceof WheelTimer<?> pending) {
            boolean ignored = pending.reschedule(0, TimeUnit.NANOSECONDS);
        }
    }

    /** Gives the task another schedule; a run that is going on goes on. */
    void retime(TaskSchedule other) {
        steering.lock();
        try {
            requireNotOver();
            prepareToHold();
            Instant first = firstRunOf(other);
            // First: the new timer may be due at once.
            spent.set(false);
            replaceTimer(other, first);
            release();
        } finally {
            steering.unlock();
        }
    }

    private @Nullable Instant firstRunOf(TaskSchedule other) {
        if (other instanceof TaskSchedule.Once once) {
            return once.at();
        }
        Duration interval = other instanceof TaskSchedule.FixedRate || other instanceof TaskSchedule.FixedDelay
                ? other.intervalAfter(registry.instant())
                : null;
        // Huge intervals are cut, as the executor does it.
        return interval == null ? null : registry.instant().plusNanos(TimeUnit.NANOSECONDS.convert(interval));
    }

    /** The new timer comes first: if there is none, nothing has changed. */
    private void replaceTimer(TaskSchedule other, @Nullable Instant first) {
        ScheduledFuture<?> next = registry.arm(guarded, other, first);
        if (next == null) {
            throw new IllegalArgumentException("schedule must name a time that is to come, was " + other.text());
        }
        ScheduledFuture<?> before = timer;
        schedule = other;
        repeating = other.isRepeating();
        mayOverrunNanos = shortestInterval(other);
        timer = next;
        if (before != null) {
            boolean ignored = before.cancel(false);
        }
        if (cancelled) {
            boolean ignored = next.cancel(false);
        }
    }

    /** Takes the one run that a one-time task has; false if it has been taken. */
    boolean takeRun() {
        return repeating || spent.compareAndSet(false, true);
    }

    boolean isRepeating() {
        return repeating;
    }

    /** Whether a run that takes so long may be longer than it is to the next one; to be found out if so. */
    boolean mayOverrun(long nanos) {
        return nanos > mayOverrunNanos;
    }

    /** Returns the interval of a rate, and the least that a calendar may name. */
    private static long shortestInterval(TaskSchedule schedule) {
        if (schedule instanceof TaskSchedule.FixedRate rate) {
            return TimeUnit.NANOSECONDS.convert(rate.period());
        }
        boolean isCalendar = schedule instanceof TaskSchedule.Cron || schedule instanceof TaskSchedule.Calendar;
        return isCalendar ? SHORTEST_CRON_INTERVAL_NANOS : Long.MAX_VALUE;
    }

    /** Whether the run that is due must not take place, because of a pause; a one-time task then runs later. */
    boolean isHeldBack() {
        if (!paused) {
            return false;
        }
        lockAlsoWithoutMemory();
        try {
            if (paused && !schedule.isRepeating() && held == null) {
                held = nextHeld;
                nextHeld = null;
            }
            return paused;
        } finally {
            steering.unlock();
        }
    }

    /** To wait for a lock takes memory, to ask for it does not. */
    private void lockAlsoWithoutMemory() {
        try {
            steering.lock();
        } catch (OutOfMemoryError ex) {
            while (!steering.tryLock()) {
                Thread.onSpinWait();
            }
        }
    }

    private void release() {
        CountDownLatch latch = held;
        held = null;
        if (latch != null) {
            latch.countDown();
        }
    }

    private void requireNotOver() {
        if (isDone()) {
            throw new IllegalStateException("The task must not be over: " + id);
        }
    }

    // The future

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean won = false;
        ScheduledFuture<?> seen;
        do {
            seen = timer;
            won |= seen != null && seen.cancel(mayInterruptIfRunning);
            won |= held != null;
            if (won) {
                // Before the timer is read again: whoever replaces it looks here afterwards.
                cancelled = true;
            }
        } while (seen != timer);
        if (won) {
            if (mayInterruptIfRunning) {
                guarded.interruptIfTriggered();
            }
            openLatch();
            forget();
        }
        return won;
    }

    private void forget() {
        try {
            registry.remove(this);
        } catch (OutOfMemoryError ex) {
            // It is over, and will be forgotten with others that are.
        }
    }

    boolean hasBeenCancelled() {
        return cancelled;
    }

    /** Cancels the task if it is due and paused, as nobody will resume it any more. */
    boolean giveUpIfHeld() {
        boolean isHeld = held != null && !cancelled;
        if (isHeld) {
            cancelled = true;
            openLatch();
        }
        return isHeld;
    }

    private void openLatch() {
        CountDownLatch latch = held;
        if (latch != null) {
            latch.countDown();
        }
    }

    @Override
    public boolean isCancelled() {
        ScheduledFuture<?> seen = timer;
        return cancelled || (seen != null && seen.isCancelled());
    }

    @Override
    public boolean isDone() {
        if (cancelled) {
            return true;
        }
        ScheduledFuture<?> seen;
        boolean done;
        do {
            seen = timer;
            // In this order: a run that is held is so before its timer is done, and until there is another timer.
            done = seen != null && seen.isDone() && held == null;
        } while (seen != timer);
        return done;
    }

    @Override
    public @Nullable Object get() throws InterruptedException, ExecutionException {
        while (true) {
            ScheduledFuture<?> seen = timer();
            try {
                Object result = seen.get();
                CountDownLatch latch = held;
                if (latch == null && seen == timer) {
                    return result;
                }
                if (latch != null) {
                    latch.await();
                }
            } catch (CancellationException ex) {
                throwUnlessReplaced(seen, ex);
            }
            if (cancelled) {
                throw new CancellationException("The task was cancelled: " + id);
            }
        }
    }

    @Override
    public @Nullable Object get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        long endNanos = registry.nanoTime() + unit.toNanos(timeout);
        while (true) {
            ScheduledFuture<?> seen = timer();
            try {
                Object result = seen.get(Math.max(0, endNanos - registry.nanoTime()), TimeUnit.NANOSECONDS);
                CountDownLatch latch = held;
                if (latch == null && seen == timer) {
                    return result;
                }
                if (latch != null && !latch.await(endNanos - registry.nanoTime(), TimeUnit.NANOSECONDS)) {
                    throw new TimeoutException("The task is paused: " + id);
                }
            } catch (CancellationException ex) {
                throwUnlessReplaced(seen, ex);
            }
            if (cancelled) {
                throw new CancellationException("The task was cancelled: " + id);
            }
        }
    }

    private void throwUnlessReplaced(ScheduledFuture<?> seen, CancellationException ex) {
        steering.lock();
        try {
            if (seen == timer) {
                throw ex;
            }
        } finally {
            steering.unlock();
        }
    }

    private ScheduledFuture<?> timer() {
        ScheduledFuture<?> seen = timer;
        if (seen == null) {
            throw new IllegalStateException("A task must have a timer before it is used: " + id);
        }
        return seen;
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return timer().getDelay(unit);
    }

    @Override
    public int compareTo(Delayed other) {
        return other == this ? 0 : Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }

    // Looking

    TaskInfo info(TaskRegistry.Grace grace) {
        RunHistory.View seen = guarded.history().view();
        Instant since = guarded.runningSince();
        TaskInfo.State state = state();
        ScheduledFuture<?> current = timer;
        Instant now = registry.instant();
        Instant next = null;
        Duration lateBy = Duration.ZERO;
        if (state == TaskInfo.State.RUNNING && since != null) {
            lateBy = nextLateBy(since, now);
        } else if (isWaiting(state) && current != null) {
            long delayNanos = current.getDelay(TimeUnit.NANOSECONDS);
            next = now.plusNanos(delayNanos);
            lateBy = state == TaskInfo.State.PAUSED ? Duration.ZERO : Duration.ofNanos(Math.max(0, -delayNanos));
        }
        return new TaskInfo(
                id,
                origin,
                schedule,
                state,
                next,
                lateBy,
                grace.isOverdue(lateBy, schedule, now),
                since,
                seen.lastSuccess(),
                seen.runs(),
                seen.failures(),
                seen.failuresInARow(),
                seen.skips(),
                seen.overruns(),
                seen.recent());
    }

    /** By how much a run keeps the next one waiting; a delay counts from its end. */
    private Duration nextLateBy(Instant since, Instant now) {
        Duration interval = schedule instanceof TaskSchedule.FixedDelay ? null : schedule.intervalAfter(since);
        Duration late =
                interval == null ? Duration.ZERO : Duration.between(since, now).minus(interval);
        return late.isNegative() ? Duration.ZERO : late;
    }

    /** Whether it has a timer that waits for its time. */
    boolean isWaiting() {
        return isWaiting(state());
    }

    private boolean isWaiting(TaskInfo.State state) {
        return (state == TaskInfo.State.PENDING || state == TaskInfo.State.PAUSED) && held == null;
    }

    private TaskInfo.State state() {
        if (guarded.isRunning()) {
            return TaskInfo.State.RUNNING;
        }
        if (isDone()) {
            return TaskInfo.State.OVER;
        }
        return paused ? TaskInfo.State.PAUSED : TaskInfo.State.PENDING;
    }
}
