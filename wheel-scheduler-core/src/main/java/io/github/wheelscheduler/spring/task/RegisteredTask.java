package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.spring.run.FailureRecorder;
import io.github.wheelscheduler.spring.run.RunHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A task that can be seen and steered. */
final class RegisteredTask {

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

    private final TaskBook book;
    private final TaskInfo.Origin origin;
    private final GuardedTask guarded;
    private final TaskFuture future = new TaskFuture(this);

    /** Pause, resume, re-time, trigger. Never held during a run. */
    private final ReentrantLock steering = new ReentrantLock();

    // Written before the task is shown to anybody, by whoever keeps it.
    private TaskId taskId = TaskId.given("");
    private String id = "";

    private volatile TaskSchedule schedule;

    // What each run wants to know of it, at hand.
    private volatile boolean repeating;
    private volatile long mayOverrunNanos;

    /** The run of a one-time task has been taken. */
    private final AtomicBoolean spent = new AtomicBoolean();

    private volatile boolean paused;

    /** Made when the task is paused, as a run that is to be held cannot do without. Guarded by {@link #steering}. */
    private @Nullable CountDownLatch nextHeld;

    RegisteredTask(
            TaskBook book, Runnable task, TaskInfo.Origin origin, TaskSchedule schedule, FailureRecorder failures) {
        this.book = book;
        this.origin = origin;
        this.schedule = schedule;
        this.repeating = schedule.isRepeating();
        this.mayOverrunNanos = shortestInterval(schedule);
        this.guarded = new GuardedTask(this, book, task, failures);
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

    TaskFuture future() {
        return future;
    }

    /** Returns what a timer is to run. */
    GuardedTask guarded() {
        return guarded;
    }

    /** Gives the task its first timer, unless somebody has re-timed it meanwhile; false if there is none to be had. */
    boolean armFirst(@Nullable Instant first) {
        steering.lock();
        try {
            if (!future.hasTimer()) {
                ScheduledFuture<?> armed = book.arm(guarded, schedule, first);
                if (armed == null) {
                    return false;
                }
                future.setTimer(armed);
            }
            return true;
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
        book.execute(new GuardedTask.Triggered(guarded));
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
            if (future.isHeld()) {
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
        if (future.isHeld()) {
            replaceTimer(schedule, book.instant());
            future.release();
        } else if (future.timer() instanceof WheelTimer<?> pending) {
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
            future.release();
        } finally {
            steering.unlock();
        }
    }

    private @Nullable Instant firstRunOf(TaskSchedule other) {
        if (other instanceof TaskSchedule.Once once) {
            return once.at();
        }
        Duration interval = other instanceof TaskSchedule.FixedRate || other instanceof TaskSchedule.FixedDelay
                ? other.intervalAfter(book.instant())
                : null;
        // Huge intervals are cut, as the executor does it.
        return interval == null ? null : book.instant().plusNanos(TimeUnit.NANOSECONDS.convert(interval));
    }

    /** The new timer comes first: if there is none, nothing has changed. */
    private void replaceTimer(TaskSchedule other, @Nullable Instant first) {
        ScheduledFuture<?> next = book.arm(guarded, other, first);
        if (next == null) {
            throw new IllegalArgumentException("schedule must name a time that is to come, was " + other.text());
        }
        schedule = other;
        repeating = other.isRepeating();
        mayOverrunNanos = shortestInterval(other);
        future.setTimer(next);
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
            if (paused && !schedule.isRepeating() && !future.isHeld()) {
                future.hold(Objects.requireNonNull(nextHeld));
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

    private void requireNotOver() {
        if (future.isDone()) {
            throw new IllegalStateException("The task must not be over: " + id);
        }
    }

    // What becomes of it

    /** Has been told by its future that a cancel has won. */
    void cancelled(boolean mayInterruptIfRunning) {
        if (mayInterruptIfRunning) {
            guarded.interruptIfTriggered();
        }
        try {
            book.remove(this);
        } catch (OutOfMemoryError ex) {
            // It is over, and will be forgotten with others that are.
        }
    }

    long nanoTime() {
        return book.nanoTime();
    }

    // Looking

    TaskInfo info(TaskRegistry.Grace grace) {
        RunHistory.View seen = guarded.history().view();
        Instant since = guarded.runningSince();
        TaskInfo.State state = state();
        Instant now = book.instant();
        Instant next = null;
        Duration lateBy = Duration.ZERO;
        if (state == TaskInfo.State.RUNNING && since != null) {
            lateBy = nextLateBy(since, now);
        } else if (isWaiting(state) && future.hasTimer()) {
            long delayNanos = future.getDelay(TimeUnit.NANOSECONDS);
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
        return (state == TaskInfo.State.PENDING || state == TaskInfo.State.PAUSED) && !future.isHeld();
    }

    private TaskInfo.State state() {
        if (guarded.isRunning()) {
            return TaskInfo.State.RUNNING;
        }
        if (future.isDone()) {
            return TaskInfo.State.OVER;
        }
        return paused ? TaskInfo.State.PAUSED : TaskInfo.State.PENDING;
    }
}
