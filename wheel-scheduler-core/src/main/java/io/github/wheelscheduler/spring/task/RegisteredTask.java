package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task that can be seen and steered.
 *
 * <p>It is long because triggering, pausing, enabling and re-timing all change the same few fields under one lock, where each may meet any
 * other and a run that is due, and is taken back if there is no timer to be had.
 */
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
     * To re-time a task is to give it another timer, of another generation. A run of a timer takes place only if its generation
     * is the current one. Whoever changes the timer holds the lock from before the new one is armed, as it may be due at once, until
     * the change is made or taken back; a run that finds another generation waits for that. What a user's trigger or clock has to
     * say is asked before; no code of the user's is called under the lock.
     */

    /** No generation. */
    static final int NONE = -1;

    /** A time that is not longer past is taken for now. */
    private static final Duration PAST = Duration.ofSeconds(1);

    private final TaskInfo.Origin origin;
    private final GuardedTask guarded;
    private final TaskFuture future = new TaskFuture(this);

    // Written before the task is shown to anybody, by whoever keeps it.
    private TaskId taskId;

    /** The text of the id, once somebody has asked for it. Any thread, which makes the same. */
    private @Nullable String text;

    /** As the code and its settings say. */
    private final TaskSchedule written;

    private volatile TaskSchedule schedule;

    // What each run wants to know of it, at hand.
    private volatile boolean repeating;

    private volatile boolean paused;

    /** It has been, because too many of its runs have failed. */
    private volatile boolean pausedAfterFailures;

    /** Its settings say so, and nobody has enabled it since. */
    private volatile boolean disabled;

    /** Null without settings. */
    private final @Nullable TaskRules rules;

    // Guarded by this.

    /** That of the timer whose runs take place. Read by runs without the lock, too. */
    private volatile int generation;

    private int lastGeneration;

    /**
     * Of the timer whose only run was due while another was going on; it follows that one, on its thread. Read by runs without
     * the lock, too.
     */
    private volatile int owed = NONE;

    /** What was owed is being run. */
    private boolean isOwedRunning;

    /** Made when the task is paused, as a run that is to be held cannot do without. */
    private TaskFuture.@Nullable Hold nextHold;

    /** The last run that somebody has asked for. */
    private @Nullable ScheduledFuture<?> triggered;

    RegisteredTask(
            TaskBook book,
            String name,
            Runnable task,
            boolean mayGoOn,
            TaskInfo.Origin origin,
            TaskSchedule schedule,
            TaskSettings settings,
            boolean enabled) {
        this.disabled = !enabled;
        this.rules = settings.isNothing() ? null : new TaskRules(this, settings, schedule, book.nodeFor(settings));
        this.taskId = TaskId.given(name);
        this.origin = origin;
        this.written = schedule;
        this.schedule = schedule;
        this.repeating = schedule.isRepeating();
        this.guarded =
                new GuardedTask(this, book, task, mayGoOn, Intervals.shortest(schedule), rules != null || disabled);
    }

    void setId(TaskId taskId) {
        this.taskId = taskId;
        this.text = null;
    }

    private TaskBook book() {
        return guarded.book();
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

    boolean isPausedAfterFailures() {
        return paused && pausedAfterFailures;
    }

    boolean isDisabled() {
        return disabled;
    }

    @Nullable
    TaskRules rules() {
        return rules;
    }

    TaskSettings settings() {
        return rules == null ? TaskSettings.NONE : rules.settings();
    }

    Instant now() {
        return book().instant();
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
        Supplier<ScheduledFuture<?>> prepared =
                disabled ? () -> book().inert(guarded) : book().prepare(guarded, schedule, first);
        if (prepared == null) {
            return future.hasTimer();
        }
        // Not under the lock: a rejection handler may run it here.
        ScheduledFuture<?> armed = prepared.get();
        synchronized (this) {
            if (!future.hasTimer()) {
                future.setTimer(armed);
                return true;
            }
        }
        boolean ignored = armed.cancel(false);
        return true;
    }

    // Steering

    /**
     * Asks for a run now.
     *
     * @throws IllegalStateException if it is running, is about to, or is over
     */
    void trigger() {
        if (!repeating && isToBeEnabled()) {
            enable(TaskSchedule.once(book().instant()), false);
            letTimerPass();
            return;
        }
        boolean isSeries;
        synchronized (this) {
            requireNotOver();
            if (guarded.isRunning()) {
                throw new IllegalStateException("The task must not be running to be triggered: " + id());
            }
            if (triggered != null && !triggered.isDone()) {
                throw new IllegalStateException("The task must not have been triggered just before: " + id());
            }
            isSeries = repeating;
            if (isSeries) {
                // In place of the timer that follows: whoever else triggers it meanwhile is told so.
                triggered = future;
            } else if (!mustBeReleased()) {
                paused = false;
                if (future.timer() instanceof WheelTimer<?> pending) {
                    // A timer that is due already runs anyway.
                    boolean ignored = pending.reschedule(0, TimeUnit.NANOSECONDS);
                    book().forceRun(pending);
                }
                return;
            }
        }
        if (isSeries) {
            runNow();
        } else {
            releaseHeld();
            letTimerPass();
        }
    }

    private void runNow() {
        ScheduledFuture<?> run = null;
        try {
            run = book().runNow(new SteeredRun.Triggered(guarded));
        } finally {
            synchronized (this) {
                triggered = run;
            }
        }
    }

    synchronized void pause() {
        requireNotOver();
        prepareToHold();
        pausedAfterFailures = false;
        paused = true;
        guarded.steered();
    }

    /** A run of a task with rules has failed. Counted and paused in one step: whoever resumes it comes before or after. */
    void runFailed(TaskRules known) {
        long failures;
        synchronized (this) {
            failures = known.failed();
            if (failures == 0 || paused || !repeating || future.hasBeenCancelled()) {
                return;
            }
            pausedAfterFailures = true;
            paused = true;
        }
        book().pausedAfterFailures(this, failures);
    }

    /** A run of a task with rules went well; one that somebody has asked for ends a pause because of failures. */
    synchronized void runSucceeded(TaskRules known, boolean triggered) {
        known.succeeded();
        if (triggered && pausedAfterFailures) {
            endPause();
        }
    }

    private void endPause() {
        paused = false;
        pausedAfterFailures = false;
        if (rules != null) {
            rules.succeeded();
        }
    }

    /** Claims the enabling of a task that is disabled; false if it is not, or another does it. */
    private synchronized boolean isToBeEnabled() {
        boolean mine = disabled;
        disabled = false;
        return mine;
    }

    private void enable(TaskSchedule next, boolean isPaced) {
        try {
            retime(next, isPaced, schedule);
        } catch (Throwable ex) {
            disabled = true;
            throw ex;
        }
    }

    /** Lets a timer that is due run, though others may be held. */
    private void letTimerPass() {
        if (future.timer() instanceof WheelTimer<?> pending) {
            book().forceRun(pending);
        }
    }

    void resume() {
        if (isToBeEnabled()) {
            enable(schedule, true);
            synchronized (this) {
                endPause();
            }
            return;
        }
        synchronized (this) {
            requireNotOver();
        }
        endPauseOrRelease();
    }

    private void endPauseOrRelease() {
        synchronized (this) {
            if (!mustBeReleased()) {
                endPause();
                return;
            }
        }
        releaseHeld();
    }

    /**
     * Gives the task back what the code and its settings say, as at the start. If there is no timer to be had, nothing has changed.
     *
     * @throws IllegalStateException if that is a time that has passed
     */
    void reset() {
        synchronized (this) {
            requireNotGone();
        }
        if (!SettledSchedule.isEnabled(settings())) {
            disable();
            return;
        }
        if (isOther(written)) {
            if (written instanceof TaskSchedule.Once once
                    && once.at().isBefore(book().instant().minus(PAST))) {
                throw new IllegalStateException(
                        "The task's own time must be to come to be given back, was " + once.at());
            }
            retime(written, true, null);
        }
        endPauseOrRelease();
    }

    private void disable() {
        ScheduledFuture<?> inert = book().inert(guarded);
        int mine = nextGeneration();
        synchronized (this) {
            requireNotGone();
            replaceTimer(mine, written, Intervals.shortest(written), () -> inert);
            disabled = true;
            endPause();
        }
        book().retimed(this);
    }

    /** Whether the only run of the task is held until somebody asks for it; what is owed follows by itself. */
    private boolean mustBeReleased() {
        return future.isHeld() && owed == NONE && !isOwedRunning;
    }

    /** Ends the pause of a task that is held, and gives it a timer for now. If there is none to be had, nothing has changed. */
    private void releaseHeld() {
        int mine = nextGeneration();
        TaskSchedule held = schedule;
        Supplier<ScheduledFuture<?>> prepared = prepare(mine, held, book().instant(), false);
        synchronized (this) {
            if (!mustBeReleased()) {
                // Somebody else has done it.
                paused = false;
                return;
            }
            boolean wasPaused = paused;
            paused = false;
            try {
                replaceTimer(mine, held, guarded.mayOverrunNanos(), prepared);
            } catch (Throwable ex) {
                paused = wasPaused;
                throw ex;
            }
        }
    }

    private synchronized int nextGeneration() {
        return ++lastGeneration;
    }

    private void prepareToHold() {
        if (nextHold == null) {
            nextHold = new TaskFuture.Hold();
        }
    }

    /** Gives the task another schedule; a run that is going on goes on. If there is no timer to be had, nothing has changed. */
    void retime(TaskSchedule other) {
        ZoneId zone = other.isCron() ? schedule.zone() : null;
        retime(SettledSchedule.retimed(other, zone == null ? book().zone() : zone, settings()), true, null);
    }

    /**
     * Does that.
     *
     * @param isPaced whether its settings have a say in when it runs
     * @param expected nothing is done if it has another schedule than that by now; null for any
     */
    private void retime(TaskSchedule other, boolean isPaced, @Nullable TaskSchedule expected) {
        synchronized (this) {
            requireNotGone();
            prepareToHold();
        }
        int mine = nextGeneration();
        long shortest = Intervals.shortest(other);
        Supplier<ScheduledFuture<?>> prepared =
                prepare(mine, other, Intervals.firstRun(other, book().instant()), isPaced);
        synchronized (this) {
            requireNotGone();
            if (isOther(expected)) {
                return;
            }
            replaceTimer(mine, other, shortest, prepared);
            disabled = false;
        }
        book().retimed(this);
    }

    @SuppressWarnings("ReferenceEquality") // this very one
    private boolean isOther(@Nullable TaskSchedule expected) {
        return expected != null && schedule != expected;
    }

    private Supplier<ScheduledFuture<?>> prepare(
            int mine, TaskSchedule other, @Nullable Instant first, boolean isPaced) {
        Pace pace = rules == null || !isPaced ? null : new Pace(this, rules, other);
        Supplier<ScheduledFuture<?>> prepared = book().prepare(new SteeredRun.Later(guarded, mine, pace), other, first);
        if (prepared == null) {
            throw new IllegalArgumentException("schedule must name a time that is to come, was " + other.text());
        }
        return prepared;
    }

    private void replaceTimer(int mine, TaskSchedule other, long shortest, Supplier<ScheduledFuture<?>> prepared) {
        int generationBefore = generation;
        TaskSchedule scheduleBefore = schedule;
        long shortestBefore = guarded.mayOverrunNanos();
        boolean outlivedBefore = future.outlivesTimer();
        boolean outlives = written.isRepeating() && !other.isRepeating();
        setTiming(mine, other, shortest);
        future.setOutlivesTimer(outlivedBefore || outlives);
        try {
            future.setTimer(prepared.get());
        } catch (Throwable ex) {
            setTiming(generationBefore, scheduleBefore, shortestBefore);
            future.setOutlivesTimer(outlivedBefore);
            throw ex;
        }
        future.setOutlivesTimer(outlives);
        owed = NONE;
        future.releaseBefore(mine);
    }

    private void setTiming(int current, TaskSchedule other, long shortest) {
        schedule = other;
        repeating = other.isRepeating();
        guarded.setMayOverrunNanos(shortest);
        // Before, as it may be looked at until the other one has been armed.
        guarded.steered();
        generation = current;
    }

    // What runs ask and tell

    /** Whether runs of a timer of that generation take place. Waits for a change that is being made. */
    boolean isCurrent(int due) {
        if (future.hasBeenCancelled()) {
            return false;
        }
        if (due == generation) {
            return true;
        }
        synchronized (this) {
            return due == generation;
        }
    }

    boolean isRepeating() {
        return repeating;
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
            TaskFuture.Hold hold = nextHold != null ? nextHold : new TaskFuture.Hold();
            nextHold = null;
            future.hold(hold, due);
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
            hold(due);
            owed = due;
            // Whoever ends the run that is going on looks there after saying so.
            guarded.steered();
            return true;
        }
    }

    /** Takes the run that has been kept, if there is one and no other is going on; returns its generation, else {@link #NONE}. */
    int takeOwed() {
        if (owed == NONE || guarded.isRunning()) {
            return NONE;
        }
        synchronized (this) {
            int due = owed;
            owed = NONE;
            isOwedRunning = due != NONE;
            return due;
        }
    }

    /** A run that had been kept has taken place, or will not, unless {@code isOver} says that it is held or kept again. */
    synchronized void ranWhatWasOwed(int due, boolean isOver) {
        isOwedRunning = false;
        if (isOver) {
            future.releaseBefore(due + 1);
        }
    }

    private void requireNotOver() {
        if (future.isDone()) {
            throw new IllegalStateException("The task must not be over: " + id());
        }
    }

    /** A task that repeats by its code can be given a schedule when its only run is over. */
    private void requireNotGone() {
        if (future.isGone()) {
            throw new IllegalStateException("The task must not be over: " + id());
        }
    }

    // What becomes of it

    /** Has been told by its future that a cancel has won. */
    void cancelled(boolean mayInterruptIfRunning) {
        guarded.steered();
        if (mayInterruptIfRunning) {
            guarded.interruptUnlessOf(generation);
        }
        try {
            book().remove(this);
        } catch (OutOfMemoryError ex) {
            // It is over, and will be forgotten with others that are.
        }
    }

    long nanoTime() {
        return book().nanoTime();
    }
}
