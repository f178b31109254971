package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.WheelTimer;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
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
     * So the timer goes on while the task is paused, and keeps its phase.
     *
     * To re-time a task is to give it another timer, of the next generation. It may be due, and run, before it is known here, and
     * there may be none to be had; so a change has three steps, and user code is called in the second one only:
     *
     *   1  the next generation becomes the current one: runs that timers of others begin now do not take place
     *   2  its timer is armed
     *   3  the timer is installed, and the one before is cancelled; without a timer, the generation that is installed becomes
     *      current again
     */

    private final TaskBook book;
    private final TaskInfo.Origin origin;
    private final GuardedTask guarded;
    private final TaskFuture future = new TaskFuture(this);

    // Written before the task is shown to anybody, by whoever keeps it.
    private TaskId taskId;

    /** The text of the id, once somebody has asked for it. Any thread, which makes the same. */
    private @Nullable String text;

    private volatile TaskSchedule schedule;

    // What each run wants to know of it, at hand.
    private volatile boolean repeating;
    private volatile long mayOverrunNanos;

    private volatile boolean paused;

    /** A run was due that must not be lost, while another was going on; it follows that one. Written under the lock. */
    private volatile boolean owed;

    // Guarded by this, which is held for a few reads and writes only.

    /** That of the timer whose runs take place. Read by runs without the lock. */
    private volatile int generation;

    private int lastGeneration;
    private int installedGeneration;
    private TaskSchedule installedSchedule;

    /** Somebody is giving a task that is held its timer. */
    private boolean releasing;

    /** Made when the task is paused, as a run that is to be held cannot do without. */
    private TaskFuture.@Nullable Hold nextHold;

    /** The last run that somebody has asked for. */
    private @Nullable ScheduledFuture<?> triggered;

    RegisteredTask(TaskBook book, String name, Runnable task, TaskInfo.Origin origin, TaskSchedule schedule) {
        this.book = book;
        this.taskId = TaskId.given(name);
        this.origin = origin;
        this.schedule = schedule;
        this.installedSchedule = schedule;
        this.repeating = schedule.isRepeating();
        this.mayOverrunNanos = Intervals.shortest(schedule);
        this.guarded = new GuardedTask(this, book, task);
    }

    void setId(TaskId taskId) {
        this.taskId = taskId;
        this.text = null;
    }

    TaskId taskId() {
        return taskId;
    }

    String id() {
        String made = text;
        if (made == null) {
            made = taskId.text();
            text = made;
        }
        return made;
    }

    /** Returns when its last run started, since the epoch; 0 if there has been none. */
    long lastRunAt() {
        return guarded.lastRunAt();
    }

    TaskInfo.Origin origin() {
        return origin;
    }

    TaskSchedule schedule() {
        return schedule;
    }

    boolean isPaused() {
        return paused;
    }

    Instant now() {
        return book.instant();
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
        if (future.hasTimer()) {
            return true;
        }
        ScheduledFuture<?> armed = book.arm(guarded, schedule, first);
        synchronized (this) {
            if (armed != null && !future.hasTimer()) {
                future.setTimer(armed);
                return true;
            }
        }
        if (armed != null) {
            boolean ignored = armed.cancel(false);
        }
        return future.hasTimer();
    }

    // Steering

    /**
     * Asks for a run now.
     *
     * @throws IllegalStateException if it is running, is about to, or is over
     */
    void trigger() {
        boolean isOneTime;
        synchronized (this) {
            requireNotOver();
            if (guarded.isRunning()) {
                throw new IllegalStateException("The task must not be running to be triggered: " + id());
            }
            if (triggered != null && !triggered.isDone()) {
                throw new IllegalStateException("The task must not have been triggered just before: " + id());
            }
            isOneTime = !repeating;
            if (!isOneTime) {
                // In place of the timer that follows: whoever else triggers it meanwhile is told so.
                triggered = future;
            }
        }
        if (isOneTime) {
            endPauseAndRunOnce();
        } else {
            runNow();
        }
    }

    private void runNow() {
        ScheduledFuture<?> run = null;
        try {
            run = book.runNow(new GuardedTask.Triggered(guarded));
        } finally {
            synchronized (this) {
                triggered = run;
            }
        }
    }

    synchronized void pause() {
        requireNotOver();
        prepareToHold();
        paused = true;
    }

    void resume() {
        synchronized (this) {
            requireNotOver();
            if (!future.isHeld()) {
                paused = false;
                return;
            }
        }
        endPauseAndRunOnce();
    }

    /** If there is no timer to be had, nothing has changed. A timer that is due already, and not held, runs anyway. */
    private void endPauseAndRunOnce() {
        boolean wasPaused;
        boolean releases;
        synchronized (this) {
            wasPaused = paused;
            // First: the timer may be due at once.
            paused = false;
            releases = future.isHeld() && !releasing;
            releasing |= releases;
        }
        boolean isDone = false;
        try {
            if (releases) {
                replaceTimer(schedule, book.instant());
            } else if (!future.isHeld() && future.timer() instanceof WheelTimer<?> pending) {
                boolean ignored = pending.reschedule(0, TimeUnit.NANOSECONDS);
            }
            isDone = true;
        } finally {
            synchronized (this) {
                releasing &= !releases;
                if (!isDone) {
                    paused = wasPaused;
                }
            }
        }
    }

    private void prepareToHold() {
        if (nextHold == null) {
            nextHold = new TaskFuture.Hold();
        }
    }

    /** Gives the task another schedule; a run that is going on goes on. */
    void retime(TaskSchedule other) {
        synchronized (this) {
            requireNotOver();
            prepareToHold();
        }
        replaceTimer(other, Intervals.firstRun(other, book.instant()));
    }

    /** If there is no timer to be had, nothing has changed. */
    private void replaceTimer(TaskSchedule other, @Nullable Instant first) {
        int mine;
        synchronized (this) {
            mine = ++lastGeneration;
            setTiming(mine, other);
        }
        ScheduledFuture<?> next = null;
        try {
            next = book.arm(new GuardedTask.Later(guarded, mine), other, first);
        } finally {
            if (next == null) {
                goBack(mine);
            }
        }
        if (next == null) {
            throw new IllegalArgumentException("schedule must name a time that is to come, was " + other.text());
        }
        install(mine, other, next);
    }

    private synchronized void goBack(int from) {
        if (generation == from) {
            setTiming(installedGeneration, installedSchedule);
        }
    }

    private void install(int mine, TaskSchedule installed, ScheduledFuture<?> next) {
        synchronized (this) {
            if (mine > installedGeneration) {
                installedGeneration = mine;
                installedSchedule = installed;
                future.setTimer(next);
                future.releaseBefore(mine);
                return;
            }
        }
        // Somebody has given it another one meanwhile.
        boolean ignored = next.cancel(false);
    }

    private void setTiming(int current, TaskSchedule other) {
        schedule = other;
        repeating = other.isRepeating();
        mayOverrunNanos = Intervals.shortest(other);
        generation = current;
    }

    // What runs ask and tell

    /** Whether runs of a timer of that generation take place. */
    boolean isCurrent(int due) {
        return due == generation && !future.hasBeenCancelled();
    }

    boolean isRepeating() {
        return repeating;
    }

    /** Whether a run that takes so long may be longer than it is to the next one; to be found out if so. */
    boolean mayOverrun(long nanos) {
        return nanos > mayOverrunNanos;
    }

    /** Whether the run that is due must not take place, because of a pause; a one-time task then runs later. */
    boolean isHeldBack(int due) {
        if (!paused) {
            return false;
        }
        synchronized (this) {
            if (paused && !repeating && due == generation) {
                hold(due);
            }
            return paused;
        }
    }

    private void hold(int due) {
        if (!future.isHeldFor(due)) {
            future.hold(Objects.requireNonNull(nextHold), due);
            nextHold = null;
        }
    }

    /** Keeps the only run of a task for when the one that is going on has ended; false if it is not the only one. */
    boolean keepForLater(int due) {
        if (repeating) {
            return false;
        }
        synchronized (this) {
            if (repeating || due != generation) {
                return false;
            }
            prepareToHold();
            hold(due);
            owed = true;
        }
        if (!guarded.isRunning()) {
            runWhatIsOwed();
        }
        return true;
    }

    /** A run has ended. */
    void runEnded() {
        if (owed) {
            runWhatIsOwed();
        }
    }

    private void runWhatIsOwed() {
        synchronized (this) {
            if (!owed) {
                return;
            }
            owed = false;
        }
        boolean isArmed = false;
        try {
            replaceTimer(schedule, book.instant());
            isArmed = true;
        } finally {
            if (!isArmed) {
                // Nobody is to wait for it any more.
                boolean ignored = future.cancel(false);
            }
        }
    }

    private void requireNotOver() {
        if (future.isDone()) {
            throw new IllegalStateException("The task must not be over: " + id());
        }
    }

    // What becomes of it

    /** Has been told by its future that a cancel has won. */
    void cancelled(boolean mayInterruptIfRunning) {
        if (mayInterruptIfRunning) {
            guarded.interruptUnlessOf(installedGeneration);
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
}
