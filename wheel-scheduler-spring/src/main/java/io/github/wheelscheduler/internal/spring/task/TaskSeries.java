package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskRejectedException;

/**
 * A task that has an id: its schedule, the timer that it has now, and the future that users hold, which stays the same
 * when the task is steered. Any thread.
 */
public final class TaskSeries extends SeriesFuture {

    /*
     * The timer decides when a run is due, this class whether it takes place, and the guard is the boundary of that
     * run:
     *
     *      timer is due --> of the current generation? --no--> nothing
     *                            | yes
     *                         paused? --yes--> skipped (PAUSED); the run of a one-time task is held
     *                            | no
     *                         running already? --yes--> skipped (RUNNING); the run of a one-time task is owed
     *                            | no
     *                           run
     *
     * So the timer continues while the task is paused, and keeps its phase. What holds what, and who arms the next
     * timer:
     *
     *      once, rate, delay   series -> timer -> guard, or a SeriesRun of a later generation; the timer arms itself
     *      trigger             series -> timer of one run -> CronRun, which arms the next timer
     *                          and notes it in the series
     *
     * The states of a series:
     *
     *      disabled --resume, trigger, retime--> PENDING --due--> running --> PENDING, or OVER if there is no next run
     *         ^                                   |  ^
     *         |                 due while paused, |  | resume, trigger: a timer for now
     *         +-- reset                  or owed  v  | the end of the run that an owed one waits for
     *                                            HELD
     *
     * cancel ends it in each of them. A series that repeats by its code and was re-timed to run once is done after that
     * run, and yet can be given a timer again.
     *
     * To re-time a series is to give it another timer, of another generation, which is armed before the series follows
     * it. It may be due at once: a run of a generation that is not the current one waits until the series follows its
     * timer, or that is given up. If arming fails, nothing has changed. The lock, which is the guard's monitor, is held
     * to look whether the timer is still wanted, and to follow it; no code of the user's is called under it.
     */

    /** A time that is not longer past is taken for now. */
    private static final Duration PAST = Duration.ofSeconds(1);

    public final TaskInfo.Origin origin;
    private final GuardedTask guard;

    // Written before the task is shown to other threads.

    private Namesakes namesakes;

    /** Among the namesakes; 0 before it has one, and negative if its name is its id, as code has given it. */
    private int number;

    /** The id with a number in it. Made when it is asked for, by any thread, each of which makes the same. */
    private @Nullable String text;

    /** Null without settings. */
    final @Nullable TaskRules rules;

    // Written with the lock held, and read without it, too.

    private volatile boolean paused;

    /** It has been, because too many of its runs have failed. */
    private volatile boolean pausedAfterFailures;

    /** Its settings disable it, and it has not been enabled since. */
    private volatile boolean disabled;

    TaskSeries(TaskStore book, String name, Runnable task, TaskInfo.Origin origin, SettledSchedule settled) {
        super(settled.schedule());
        TaskSettings settings = settled.settings();
        boolean isDisabled = !SettledSchedule.isEnabled(settings);
        if (isDisabled) {
            this.disabled = true;
        }
        this.rules = settings.isNothing() ? null : new TaskRules(this, settings, schedule(), book.timers);
        this.namesakes = book.places.of(name);
        this.origin = origin;
        boolean mayGoOn = origin == TaskInfo.Origin.ANNOTATED && TaskNames.mayGoOn(name, book.timers.catalog);
        this.guard = new GuardedTask(this, book, task, mayGoOn, rules != null || isDisabled);
    }

    /** It gets its id, before it is shown to other threads. */
    void placed(Namesakes at, int itsNumber, boolean isGiven) {
        namesakes = at;
        number = isGiven ? -itsNumber : itsNumber;
    }

    Namesakes namesakes() {
        return namesakes;
    }

    int number() {
        return Math.abs(number);
    }

    boolean isGiven() {
        return number < 0;
    }

    private TaskTimers timers() {
        return guard.book.timers;
    }

    @Override
    public String id() {
        int mine = number();
        if (mine <= 1) {
            return namesakes.name;
        }
        String made = text;
        if (made == null) {
            made = Namesakes.idOf(namesakes.name, mine);
            text = made;
        }
        return made;
    }

    /** Returns the id without a number that only tells namesakes apart. */
    String name() {
        return isGiven() ? id() : namesakes.name;
    }

    /** Whether code has given it a name. */
    public boolean isNamed() {
        return origin == TaskInfo.Origin.NAMED || guard.isNamed();
    }

    boolean isPaused() {
        return paused;
    }

    public boolean isPausedAfterFailures() {
        return paused && pausedAfterFailures;
    }

    boolean isDisabled() {
        return disabled;
    }

    TaskSettings settings() {
        return rules == null ? TaskSettings.NONE : rules.settings;
    }

    /** Returns the boundary of its runs. */
    @Override
    GuardedTask guard() {
        return guard;
    }

    // Timers

    /** Gives the task its first timer, unless it has been re-timed meanwhile; false if none can be created. */
    boolean armFirst(@Nullable Instant first) {
        if (timer != null) {
            return true;
        }
        boolean isInert = disabled;
        TaskRules.Pace pace = rules == null ? null : rules.firstPace;
        TaskTimers.Plan plan = isInert ? null : timers().plan(guard, SeriesRun.FIRST, pace, schedule(), first);
        if (plan == null && !isInert) {
            return timer != null;
        }
        ScheduledFuture<?> armed;
        try {
            // Without the lock: a rejection handler may run it here.
            armed = plan == null ? timers().inert(guard) : plan.arm();
        } catch (Throwable ex) {
            try {
                if (ex instanceof TaskRejectedException) {
                    guard.book.news.rejected(this);
                }
            } finally {
                giveUp();
            }
            throw ex;
        }
        begin(plan == null ? null : plan.cron(), armed);
        return true;
    }

    private TaskTimers.Plan plan(int mine, TaskSchedule other, @Nullable Instant first, boolean isPaced) {
        TaskRules.Pace pace = rules == null || !isPaced ? null : rules.new Pace(other);
        TaskTimers.Plan plan = timers().plan(guard, mine, pace, other, first);
        if (plan == null) {
            throw new IllegalArgumentException("schedule must have a time in the future, was " + other.text());
        }
        return plan;
    }

    // Steering

    /**
     * Asks for a run now.
     *
     * @throws IllegalStateException if it is running, is about to, or is over
     */
    public void trigger() {
        boolean isAsked;
        do {
            isAsked = isTriggered();
        } while (!isAsked);
    }

    /** Returns false if another thread has given it another timer meanwhile, which is to be looked at. */
    private boolean isTriggered() {
        if (!isRepeating() && enable(true)) {
            letTimerPass();
            return true;
        }
        boolean isSeries;
        int seen = SeriesRun.NONE;
        WheelTimer<?> pending = null;
        BooleanSupplier isWanted = this::mustBeReleased;
        CurrentRun run = guard.madeRun();
        synchronized (guard) {
            require(!isDone());
            if (guard.isRunning()) {
                throw new IllegalStateException("The task must not be running when it is triggered: " + id());
            }
            if (run.triggered != null && !run.triggered.isDone()) {
                throw new IllegalStateException(
                        "The task must not be triggered again before its triggered run has ended: " + id());
            }
            isSeries = isRepeating();
            if (isSeries) {
                // In place of the timer that follows, for others that trigger it meanwhile.
                run.triggered = this;
            } else if (!mustBeReleased()) {
                seen = generation();
                pending = WrappedTimer.onWheel(timer);
                if (pending != null) {
                    paused = false;
                } else {
                    int expected = seen;
                    isWanted = () -> expected == generation() && !disabled && !isGone();
                }
            }
        }
        if (pending != null) {
            // A timer that is due already runs anyway.
            boolean ignored = pending.reschedule(0, TimeUnit.NANOSECONDS);
            timers().executor().forceRun(pending);
            return seen == generation();
        }
        if (isSeries) {
            runNow(run);
            return true;
        }
        boolean isGiven = giveTimerForNow(isWanted);
        letTimerPass();
        return isGiven;
    }

    private void runNow(CurrentRun run) {
        ScheduledFuture<?> armed = null;
        try {
            armed = timers().runNow(guard);
        } finally {
            synchronized (guard) {
                run.triggered = armed;
            }
        }
    }

    /** Lets a timer that is due run, though others may be held. */
    private void letTimerPass() {
        WheelTimer<?> pending = WrappedTimer.onWheel(timer);
        if (pending != null) {
            timers().executor().forceRun(pending);
        }
    }

    public void pause() {
        synchronized (guard) {
            require(!isDone());
            prepareToHold();
            pausedAfterFailures = false;
            paused = true;
            guard.steered();
        }
    }

    public void resume() {
        if (enable(false)) {
            synchronized (guard) {
                endPause();
            }
            return;
        }
        synchronized (guard) {
            require(!isDone());
        }
        endPauseOrRelease();
    }

    /**
     * Resets the task to its code and settings, as at the start. If arming a timer fails, nothing changes.
     *
     * @throws IllegalStateException if that is a time that has passed
     */
    public void reset() {
        synchronized (guard) {
            require(!isGone());
        }
        if (!SettledSchedule.isEnabled(settings())) {
            disable();
            return;
        }
        if (schedule() != written) {
            if (written instanceof TaskSchedule.Once once && once.at().isBefore(now().minus(PAST))) {
                throw new IllegalStateException(
                        "The original time of a one-time task must be in the future to be restored, was " + once.at());
            }
            boolean ignored = retime(written, true, SeriesRun.NONE);
        }
        endPauseOrRelease();
    }

    /**
     * Interrupts the active runs, and returns their number.
     *
     * @throws IllegalStateException if there is none that can be
     */
    public int interrupt() {
        int interrupted = guard.openRuns == null ? 0 : guard.openRuns.cancelAll();
        if (interrupted == 0 && guard.interruptRun()) {
            interrupted = 1;
        }
        if (interrupted == 0) {
            throw new IllegalStateException(
                    guard.openSince() == null
                            ? "The task must be running to be interrupted: " + id()
                            : "The run cannot be interrupted, as its method has returned and it continues "
                                    + "elsewhere: " + id());
        }
        return interrupted;
    }

    /** Returns the stacks of the threads in runs. */
    public List<TaskInfo.Stack> stacks() {
        TaskInfo.Stack stack = guard.stack();
        return stack == null ? List.of() : List.of(stack);
    }

    /** Returns where its settings come from, by their names. */
    public Map<String, String> settingSources() {
        return timers().catalog.sourcesOf(name(), settings());
    }

    /** Returns the details of the newest failure; null if there is none. */
    public RunOutcome.@Nullable LastError lastError() {
        return guard.lastError();
    }

    private void disable() {
        ScheduledFuture<?> inert = timers().inert(guard);
        ScheduledFuture<?> before;
        synchronized (guard) {
            require(!isGone());
            before = follow(nextGeneration(), written, null, inert);
            disabled = true;
            endPause();
        }
        replaced(before);
        guard.book.news.retimed(this);
    }

    /** Gives the task another schedule; an active run continues. If arming a timer fails, nothing changes. */
    public void retime(TaskSchedule other) {
        boolean ignored = retime(settled(other), true, SeriesRun.NONE);
    }

    private TaskSchedule settled(TaskSchedule other) {
        ZoneId zone = other.isCron() ? schedule().zone() : null;
        ZoneId usual = zone == null ? timers().clock().getZone() : zone;
        return SettledSchedule.retimed(other, usual, settings());
    }

    /** Returns its next starts, as far as they are known, up to the given number. */
    public List<Instant> upcoming(int most) {
        return Upcoming.of(this, most);
    }

    /** Returns when it would start if it were re-timed now. */
    public List<Instant> upcoming(TaskSchedule other, int most) {
        return Upcoming.of(settled(other), timers().clock()).ifRetimed(now(), timers().clock(), most);
    }

    /**
     * Gives the task another schedule.
     *
     * @param isPaced whether its settings have a say in when it runs
     * @param expected only if its timer is still of that generation; {@link SeriesRun#NONE} for any
     * @return false if it is of another one, so that nothing has been done
     */
    private boolean retime(TaskSchedule other, boolean isPaced, int expected) {
        int mine;
        synchronized (guard) {
            require(!isGone());
            prepareToHold();
            mine = nextGeneration();
        }
        TaskTimers.Plan plan = plan(mine, other, SettledSchedule.firstRun(other, now()), isPaced);
        try {
            plan.armAhead();
            ScheduledFuture<?> before;
            synchronized (guard) {
                if (expected != SeriesRun.NONE && expected != generation()) {
                    return false;
                }
                require(!isGone());
                before = follow(mine, other, plan.cron(), plan.take());
                disabled = false;
            }
            replaced(before);
        } finally {
            plan.settle();
        }
        guard.book.news.retimed(this);
        return true;
    }

    /**
     * Enables a task that is disabled, by its schedule or to run once, now; false if it is not disabled, or another
     * thread has given it another timer.
     */
    private boolean enable(boolean isForNow) {
        int seen;
        synchronized (guard) {
            if (!disabled) {
                return false;
            }
            disabled = false;
            seen = generation();
        }
        boolean hasFailed = true;
        try {
            boolean isEnabled = retime(isForNow ? TaskSchedule.once(now()) : schedule(), !isForNow, seen);
            hasFailed = false;
            return isEnabled;
        } finally {
            if (hasFailed) {
                synchronized (guard) {
                    disabled |= seen == generation();
                }
                if (timers().executor().isShutdown()) {
                    // The shutdown may have seen it enabled.
                    boolean ignored = cancel(false);
                }
            }
        }
    }

    /**
     * A run of a task with rules has failed. Counted and paused in one step: a thread that resumes it comes before or
     * after.
     */
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
        guard.book.news.pausedAfterFailures(this, failures);
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

    private void endPauseOrRelease() {
        synchronized (guard) {
            if (!mustBeReleased()) {
                endPause();
                return;
            }
        }
        boolean ignored = giveTimerForNow(this::mustBeReleased);
    }

    /**
     * Gives a task that runs once a timer for now and ends its pause, if that is still wanted, and returns whether it
     * was. If arming a timer fails, nothing changes.
     */
    private boolean giveTimerForNow(BooleanSupplier isWanted) {
        TaskSchedule once = schedule();
        int mine = nextGeneration();
        TaskTimers.Plan plan = plan(mine, once, now(), false);
        try {
            plan.armAhead();
            ScheduledFuture<?> before;
            synchronized (guard) {
                if (!isWanted.getAsBoolean()) {
                    return false;
                }
                before = follow(mine, once, plan.cron(), plan.take());
                paused = false;
            }
            replaced(before);
            return true;
        } finally {
            plan.settle();
        }
    }

    // Calls from runs

    /** Whether the run that is due must not take place, because of a pause; a one-time task then runs later. */
    boolean isHeldBack(int due) {
        if (!paused) {
            return false;
        }
        synchronized (guard) {
            if (paused && !isRepeating() && isCurrentNow(due)) {
                hold(Hold.Until.RESUMED);
            }
            return paused;
        }
    }

    /** Keeps the only run of a task for when the one that is active has ended; false if it is not the only one. */
    boolean keepForLater(int due) {
        if (isRepeating()) {
            return false;
        }
        synchronized (guard) {
            if (isRepeating() || !isCurrentNow(due)) {
                return false;
            }
            hold(Hold.Until.END_OF_RUN);
            // The thread that ends the run that is active looks there after saying so.
            guard.steered();
            return true;
        }
    }

    Instant now() {
        return timers().clock().instant();
    }

    long nanoTime() {
        return guard.book.nanoTime();
    }

    /** Returns when a timer is due, on the clock of {@link #nanoTime}. */
    long deadlineNanos(ScheduledFuture<?> armed) {
        return timers().executor().deadlineNanos(behind(armed));
    }

    /** Returns from when on the start of a timer is late. */
    long lateFromNanos(ScheduledFuture<?> armed) {
        return timers().executor().lateFromNanos(behind(armed));
    }

    private static ScheduledFuture<?> behind(ScheduledFuture<?> armed) {
        WheelTimer<?> onWheel = WrappedTimer.onWheel(armed);
        return onWheel == null ? armed : onWheel;
    }
}
