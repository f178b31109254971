package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.StackReserve;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A task that has an id: its schedule, the timer that it has now, and the future that users hold, which stays the same when the task is
 * steered. Any thread.
 */
final class TaskSeries implements ScheduledFuture<@Nullable Object> {

    /*
     * The timer says when a run is due, this says whether it takes place, and the guard is the boundary of that run:
     *
     *      timer is due --> of the current generation? --no--> nothing
     *                            | yes
     *                         paused? --yes--> skipped (PAUSED); the run of a one-time task is held
     *                            | no
     *                         running already? --yes--> skipped (RUNNING); the run of a one-time task is owed
     *                            | no
     *                           run
     *
     * So the timer goes on while the task is paused, and keeps its phase. What holds what, and who arms the next timer:
     *
     *      once, rate, delay   series -> timer -> guard, or a SeriesRun of a later generation; the timer arms itself
     *      trigger             series -> timer of one run -> CronRun, which arms the next timer and notes it in the series
     *
     * The states of a series:
     *
     *      disabled --resume, trigger, retime--> PENDING --due--> running --> PENDING, or OVER if there is no next run
     *         ^                                   |  ^
     *         |                 due while paused, |  | resume, trigger: a timer for now
     *         +-- reset                  or owed  v  | the end of the run that an owed one waits for
     *                                            HELD
     *
     * cancel ends it in each of them. A series that repeats by its code and was re-timed to run once is done after that run, and yet can be
     * given a timer again.
     *
     * To re-time a series is to give it another timer, of another generation. The lock, which is the guard's monitor, is held from before the
     * new timer is armed, as it may be due at once, until it is noted; a run of a generation that is not the current one waits for that. If
     * arming fails, nothing has changed. What a user's trigger or clock has to say is asked before; no code of the user's is called under the
     * lock.
     */

    /** A time that is not longer past is taken for now. */
    private static final Duration PAST = Duration.ofSeconds(1);

    private final TaskInfo.Origin origin;
    private final GuardedTask guard;

    // Written before the task is shown to other threads.
    private TaskId taskId;

    /** The text of the id, once it has been asked for. Any thread, which makes the same. */
    private @Nullable String text;

    /** As the code and its settings say. */
    private final TaskSchedule written;

    /** Null without settings. */
    private final @Nullable TaskRules rules;

    // Written with the lock held, and read without it, too.

    private volatile TaskSchedule schedule;

    /** Null before the first one has been armed. A cron replaces it for each run. */
    private volatile @Nullable ScheduledFuture<?> timer;

    /** What that timer runs if a trigger says when. */
    private volatile @Nullable CronRun cron;

    /** That of the timer. Written last, so that runs of a new timer wait for all else. */
    private volatile int generation = SeriesRun.FIRST;

    /** Set while the run of a one-time task is due and must not take place yet. */
    private volatile @Nullable Hold held;

    private volatile boolean paused;

    /** It has been, because too many of its runs have failed. */
    private volatile boolean pausedAfterFailures;

    /** Its settings say so, and it has not been enabled since. */
    private volatile boolean disabled;

    /** A cancel has won, whatever the timer says. */
    private volatile boolean cancelled;

    // Guarded by the lock.

    private int lastGeneration = SeriesRun.FIRST;

    /** Made when the task is paused, as a run that is to be held cannot do without. */
    private @Nullable Hold nextHold;

    /** The last run that has been asked for. */
    private @Nullable ScheduledFuture<?> triggered;

    /** The only run of a one-time task, which is due and must not take place yet. */
    static final class Hold {

        private enum Until {
            RESUMED,
            END_OF_RUN,
            OVER
        }

        private final CountDownLatch end = new CountDownLatch(1);

        /** Of the timer that was due. Written before this is shown. */
        private int generation;

        /** Guarded by the series' lock. */
        private Until until = Until.RESUMED;

        int generation() {
            return generation;
        }
    }

    TaskSeries(
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
        this.guard =
                new GuardedTask(this, book, task, mayGoOn, Intervals.shortest(schedule), rules != null || disabled);
    }

    void setId(TaskId taskId) {
        this.taskId = taskId;
        this.text = null;
    }

    private TaskBook book() {
        return guard.book();
    }

    private TaskTimers timers() {
        return book().timers();
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

    TaskInfo.Origin origin() {
        return origin;
    }

    TaskSchedule schedule() {
        return schedule;
    }

    boolean isRepeating() {
        return schedule.isRepeating();
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

    /** Returns the boundary of its runs. */
    GuardedTask guard() {
        return guard;
    }

    // Timers

    /** Gives the task its first timer, unless it has been re-timed meanwhile; false if there is none to be had. */
    boolean armFirst(@Nullable Instant first) {
        if (timer != null) {
            return true;
        }
        boolean isInert = disabled;
        Pace pace = rules == null ? null : rules.firstPace();
        TaskTimers.Plan plan = isInert ? null : timers().plan(guard, SeriesRun.FIRST, pace, schedule, first);
        if (plan == null && !isInert) {
            return timer != null;
        }
        ScheduledFuture<?> armed;
        try {
            // Without the lock: a rejection handler may run it here.
            armed = plan == null ? timers().inert(guard) : plan.arm();
        } catch (Throwable ex) {
            cancelled = true;
            boolean ignored = cancel(false);
            throw ex;
        }
        synchronized (guard) {
            if (timer == null) {
                cron = plan == null ? null : plan.cron();
                timer = armed;
                return true;
            }
        }
        boolean ignored = armed.cancel(false);
        return true;
    }

    private TaskTimers.Plan plan(int mine, TaskSchedule other, @Nullable Instant first, boolean isPaced) {
        Pace pace = rules == null || !isPaced ? null : new Pace(this, rules, other);
        TaskTimers.Plan plan = timers().plan(guard, mine, pace, other, first);
        if (plan == null) {
            throw new IllegalArgumentException("schedule must name a time that is to come, was " + other.text());
        }
        return plan;
    }

    private int nextGeneration() {
        synchronized (guard) {
            return ++lastGeneration;
        }
    }

    /** Follows a timer that has just been armed, in place of the one before. With the lock held. */
    private void follow(int mine, TaskSchedule other, @Nullable CronRun run, ScheduledFuture<?> armed) {
        guard.steered();
        guard.setMayOverrunNanos(Intervals.shortest(other));
        ScheduledFuture<?> before = timer;
        // Before the schedule: a task that repeats by its code, whose only run is over, must not look as if it were
        // gone.
        timer = armed;
        cron = run;
        schedule = other;
        generation = mine;
        release();
        if (before != null) {
            boolean ignored = before.cancel(false);
        }
        if (cancelled) {
            boolean ignored = armed.cancel(false);
        }
    }

    /** Returns the timer if it is of that generation; null if it is not, or not yet. */
    @Nullable
    ScheduledFuture<?> timerOf(int due) {
        synchronized (guard) {
            return due == generation ? timer : null;
        }
    }

    /** Notes the timer of the next run of a cron; false if the series has been re-timed or cancelled meanwhile. */
    boolean note(int mine, WheelTimer<?> next) {
        synchronized (guard) {
            if (mine != generation) {
                return false;
            }
            timer = next;
        }
        return !cancelled;
    }

    // Steering

    /**
     * Asks for a run now.
     *
     * @throws IllegalStateException if it is running, is about to, or is over
     */
    void trigger() {
        if (!isRepeating() && isToBeEnabled()) {
            enable(TaskSchedule.once(now()), false);
            letTimerPass();
            return;
        }
        boolean isSeries;
        synchronized (guard) {
            requireNotOver();
            if (guard.isRunning()) {
                throw new IllegalStateException("The task must not be running to be triggered: " + id());
            }
            if (triggered != null && !triggered.isDone()) {
                throw new IllegalStateException("The task must not have been triggered just before: " + id());
            }
            isSeries = isRepeating();
            if (isSeries) {
                // In place of the timer that follows, for others that trigger it meanwhile.
                triggered = this;
            } else if (!mustBeReleased()) {
                paused = false;
                if (timer instanceof WheelTimer<?> pending) {
                    // A timer that is due already runs anyway.
                    boolean ignored = pending.reschedule(0, TimeUnit.NANOSECONDS);
                    timers().forceRun(pending);
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
            run = timers().runNow(guard);
        } finally {
            synchronized (guard) {
                triggered = run;
            }
        }
    }

    /** Lets a timer that is due run, though others may be held. */
    private void letTimerPass() {
        if (timer instanceof WheelTimer<?> pending) {
            timers().forceRun(pending);
        }
    }

    void pause() {
        synchronized (guard) {
            requireNotOver();
            prepareToHold();
            pausedAfterFailures = false;
            paused = true;
            guard.steered();
        }
    }

    void resume() {
        if (isToBeEnabled()) {
            enable(schedule, true);
            synchronized (guard) {
                endPause();
            }
            return;
        }
        synchronized (guard) {
            requireNotOver();
        }
        endPauseOrRelease();
    }

    /**
     * Gives the task back what the code and its settings say, as at the start. If there is no timer to be had, nothing has changed.
     *
     * @throws IllegalStateException if that is a time that has passed
     */
    void reset() {
        synchronized (guard) {
            requireNotGone();
        }
        if (!SettledSchedule.isEnabled(settings())) {
            disable();
            return;
        }
        if (isOther(written)) {
            if (written instanceof TaskSchedule.Once once && once.at().isBefore(now().minus(PAST))) {
                throw new IllegalStateException(
                        "The task's own time must be to come to be given back, was " + once.at());
            }
            retime(written, true, null);
        }
        endPauseOrRelease();
    }

    private void disable() {
        ScheduledFuture<?> inert = timers().inert(guard);
        synchronized (guard) {
            requireNotGone();
            follow(nextGeneration(), written, null, inert);
            disabled = true;
            endPause();
        }
        book().news().retimed(this);
    }

    /** Gives the task another schedule; a run that is going on goes on. If there is no timer to be had, nothing has changed. */
    void retime(TaskSchedule other) {
        ZoneId zone = other.isCron() ? schedule.zone() : null;
        ZoneId usual = zone == null ? timers().clock().getZone() : zone;
        retime(SettledSchedule.retimed(other, usual, settings()), true, null);
    }

    /**
     * Gives the task another schedule.
     *
     * @param isPaced whether its settings have a say in when it runs
     * @param expected nothing is done if it has another schedule than that by now; null for any
     */
    private void retime(TaskSchedule other, boolean isPaced, @Nullable TaskSchedule expected) {
        int mine;
        synchronized (guard) {
            requireNotGone();
            prepareToHold();
            mine = nextGeneration();
        }
        TaskTimers.Plan plan = plan(mine, other, Intervals.firstRun(other, now()), isPaced);
        synchronized (guard) {
            requireNotGone();
            if (isOther(expected)) {
                return;
            }
            follow(mine, other, plan.cron(), plan.arm());
            disabled = false;
        }
        book().news().retimed(this);
    }

    @SuppressWarnings("ReferenceEquality") // this very one
    private boolean isOther(@Nullable TaskSchedule expected) {
        return expected != null && schedule != expected;
    }

    /** Claims the enabling of a task that is disabled; false if it is not, or another thread does it. */
    private boolean isToBeEnabled() {
        synchronized (guard) {
            boolean mine = disabled;
            disabled = false;
            return mine;
        }
    }

    private void enable(TaskSchedule next, boolean isPaced) {
        try {
            retime(next, isPaced, schedule);
        } catch (Throwable ex) {
            disabled = true;
            throw ex;
        }
    }

    /** A run of a task with rules has failed. Counted and paused in one step: a thread that resumes it comes before or after. */
    void runFailed(TaskRules known) {
        long failures;
        synchronized (guard) {
            failures = known.failed();
            if (failures == 0 || paused || !isRepeating() || cancelled) {
                return;
            }
            pausedAfterFailures = true;
            paused = true;
        }
        book().news().pausedAfterFailures(this, failures);
    }

    /** A run of a task with rules went well; one that has been asked for ends a pause because of failures. */
    void runSucceeded(TaskRules known, boolean isTriggered) {
        synchronized (guard) {
            known.succeeded();
            if (isTriggered && pausedAfterFailures) {
                endPause();
            }
        }
    }

    private void endPause() {
        paused = false;
        pausedAfterFailures = false;
        if (rules != null) {
            rules.succeeded();
        }
    }

    // Runs that are held

    private void prepareToHold() {
        if (nextHold == null) {
            nextHold = new Hold();
        }
    }

    /** Holds the only run, of the current generation. With the lock held. */
    private void hold(Hold.Until until) {
        Hold hold = held;
        if (hold == null) {
            hold = nextHold != null ? nextHold : new Hold();
            nextHold = null;
            hold.generation = generation;
            held = hold;
        }
        hold.until = until;
    }

    private void release() {
        Hold hold = held;
        if (hold != null) {
            held = null;
            hold.end.countDown();
        }
    }

    /** Whether the only run of the task is held until the task is resumed; what is owed follows by itself. */
    private boolean mustBeReleased() {
        Hold hold = held;
        return hold != null && hold.until == Hold.Until.RESUMED;
    }

    private void endPauseOrRelease() {
        synchronized (guard) {
            if (!mustBeReleased()) {
                endPause();
                return;
            }
        }
        releaseHeld();
    }

    /** Ends the pause of a task that is held, and gives it a timer for now. If there is none to be had, nothing has changed. */
    private void releaseHeld() {
        TaskSchedule once = schedule;
        int mine = nextGeneration();
        TaskTimers.Plan plan = plan(mine, once, now(), false);
        synchronized (guard) {
            if (mustBeReleased()) {
                follow(mine, once, plan.cron(), plan.arm());
            }
            paused = false;
        }
    }

    // What runs ask and tell

    /** Whether runs of a timer of that generation take place. Waits for a change that is being made. */
    boolean isCurrent(int due) {
        if (cancelled) {
            return false;
        }
        if (due == generation) {
            return true;
        }
        synchronized (guard) {
            return due == generation;
        }
    }

    /** Whether the run that is due must not take place, because of a pause; a one-time task then runs later. */
    boolean isHeldBack(int due) {
        if (!paused) {
            return false;
        }
        synchronized (guard) {
            if (paused && !isRepeating() && due == generation) {
                hold(Hold.Until.RESUMED);
            }
            return paused;
        }
    }

    /** Keeps the only run of a task for when the one that is going on has ended; false if it is not the only one. */
    boolean keepForLater(int due) {
        if (isRepeating()) {
            return false;
        }
        synchronized (guard) {
            if (isRepeating() || due != generation) {
                return false;
            }
            hold(Hold.Until.END_OF_RUN);
            // The thread that ends the run that is going on looks there after saying so.
            guard.steered();
            return true;
        }
    }

    /** Takes the run that has been kept, if there is one and no other is going on. */
    @Nullable
    Hold takeOwed() {
        if (held == null || guard.isRunning()) {
            return null;
        }
        synchronized (guard) {
            Hold hold = held;
            if (hold == null || hold.until != Hold.Until.END_OF_RUN) {
                return null;
            }
            hold.until = Hold.Until.OVER;
            return hold;
        }
    }

    /** A run that had been kept has taken place, or will not, unless it is held or kept again. */
    @SuppressWarnings("ReferenceEquality") // this very one
    void ranWhatWasOwed(Hold hold, boolean isOver) {
        synchronized (guard) {
            if (isOver && held == hold) {
                release();
            }
        }
    }

    private void requireNotOver() {
        if (isDone()) {
            throw new IllegalStateException("The task must not be over: " + id());
        }
    }

    /** A task that repeats by its code can be given a schedule when its only run is over. */
    private void requireNotGone() {
        if (isGone()) {
            throw new IllegalStateException("The task must not be over: " + id());
        }
    }

    Instant now() {
        return timers().clock().instant();
    }

    // The future

    boolean hasTimer() {
        return timer != null;
    }

    boolean isHeld() {
        return held != null;
    }

    /** Returns the instant of the next run, where a trigger names it; else null. */
    @Nullable
    Instant nextInstant() {
        CronRun run = cron;
        return run == null ? null : run.due();
    }

    /** Cancels the task if it is held, as it will not be resumed any more. */
    boolean giveUpIfHeld() {
        Hold hold = held;
        if (hold == null || cancelled) {
            return false;
        }
        cancelled = true;
        hold.end.countDown();
        return true;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        StackReserve.askForMore();
        boolean won = false;
        ScheduledFuture<?> seen;
        do {
            seen = timer;
            won |= seen != null && seen.cancel(mayInterruptIfRunning);
            won |= held != null || cancelAtRest(seen);
            if (won) {
                // Before the timer is read again: a thread that replaces it looks here afterwards.
                cancelled = true;
            }
        } while (seen != timer);
        if (won) {
            Hold hold = held;
            if (hold != null) {
                hold.end.countDown();
            }
            guard.steered();
            if (mayInterruptIfRunning) {
                guard.interruptUnlessOf(generation);
            }
            book().remove(this);
        }
        return won;
    }

    /** Claims the cancel of a task that is at rest: its timer is done, and it is not. */
    private boolean cancelAtRest(@Nullable ScheduledFuture<?> seen) {
        synchronized (guard) {
            if (seen == null || !outlivesTimer() || cancelled || !seen.isDone() || seen.isCancelled()) {
                return false;
            }
            cancelled = true;
            return true;
        }
    }

    /** Whether the timer is for one run of a task that repeats by its code: when it is done, the task may be given another. */
    private boolean outlivesTimer() {
        return written.isRepeating() && !isRepeating();
    }

    @Override
    public boolean isCancelled() {
        ScheduledFuture<?> seen = timer;
        return cancelled || (seen != null && seen.isCancelled());
    }

    @Override
    public boolean isDone() {
        return isOver(true);
    }

    /** Whether the task is done, and cannot be given another timer. */
    boolean isGone() {
        return isOver(false);
    }

    private boolean isOver(boolean atRest) {
        if (cancelled) {
            return true;
        }
        ScheduledFuture<?> seen;
        boolean done;
        do {
            seen = timer;
            // In this order: a run that is held is so before its timer is done, and until there is another timer. That
            // of the next run of a
            // cron has been noted by then.
            done = seen != null && seen.isDone() && held == null && (atRest || !outlivesTimer() || seen.isCancelled());
        } while (seen != timer);
        return done;
    }

    @Override
    public @Nullable Object get() throws InterruptedException, ExecutionException {
        while (true) {
            // A cron has another timer after a run, but of the same generation.
            int seenGeneration = generation;
            ScheduledFuture<?> seen = requireTimer();
            try {
                Object result = seen.get();
                Hold hold = held;
                if (hold == null && seenGeneration == generation) {
                    return result;
                }
                if (hold != null) {
                    hold.end.await();
                }
            } catch (CancellationException ex) {
                throwUnlessReplaced(seen, ex);
            }
            throwIfCancelled();
        }
    }

    @Override
    public @Nullable Object get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        long endNanos = book().nanoTime() + unit.toNanos(timeout);
        while (true) {
            int seenGeneration = generation;
            ScheduledFuture<?> seen = requireTimer();
            try {
                Object result = seen.get(Math.max(0, endNanos - book().nanoTime()), TimeUnit.NANOSECONDS);
                Hold hold = held;
                if (hold == null && seenGeneration == generation) {
                    return result;
                }
                if (hold != null && !hold.end.await(endNanos - book().nanoTime(), TimeUnit.NANOSECONDS)) {
                    throw new TimeoutException("The task is held: " + id());
                }
            } catch (CancellationException ex) {
                throwUnlessReplaced(seen, ex);
            }
            throwIfCancelled();
        }
    }

    /** A timer is replaced before it is cancelled. */
    private void throwUnlessReplaced(ScheduledFuture<?> seen, CancellationException ex) {
        if (seen == timer) {
            throw ex;
        }
    }

    private void throwIfCancelled() {
        if (cancelled) {
            throw new CancellationException("The task was cancelled: " + id());
        }
    }

    private ScheduledFuture<?> requireTimer() {
        ScheduledFuture<?> seen = timer;
        if (seen == null) {
            throw new IllegalStateException("A task must have a timer before it is used: " + id());
        }
        return seen;
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return requireTimer().getDelay(unit);
    }

    @Override
    public int compareTo(Delayed other) {
        return other == this ? 0 : Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
}
