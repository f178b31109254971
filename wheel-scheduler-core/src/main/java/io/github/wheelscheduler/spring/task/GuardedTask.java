package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.spring.run.EpochNanos;
import io.github.wheelscheduler.spring.run.RunFailures;
import io.github.wheelscheduler.spring.run.RunHistory;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.DelegatingErrorHandlingRunnable;
import org.springframework.util.ErrorHandler;

/**
 * What runs in place of a registered task: it never runs beside itself, or while it is paused, and takes notes.
 *
 * <p>It is long because there may be very many of them: claiming a run, showing it, interrupting it and taking notes of it share the
 * fields of one object, and the order in which a run writes them is what the others rely on.
 */
public final class GuardedTask extends DelegatingErrorHandlingRunnable implements ManagedTask {

    /** More instants of a calendar than that are not counted when they have passed at once. */
    public static final int MOST_COUNTED = 1_000;

    private static final long NOT_TOLD = -1;
    private static final long HALF_A_SECOND_NANOS = 500_000_000;

    private static final ErrorHandler NOBODY = failure -> {};

    private static final VarHandle RUNNER;
    private static final VarHandle HISTORY;
    private static final VarHandle RUNNING_SINCE;
    private static final VarHandle STARTED_AT;
    private static final VarHandle RUNNING_GENERATION;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            RUNNER = lookup.findVarHandle(GuardedTask.class, "runner", Thread.class);
            HISTORY = lookup.findVarHandle(GuardedTask.class, "history", RunHistory.class);
            RUNNING_SINCE = lookup.findVarHandle(GuardedTask.class, "runningSinceNanos", long.class);
            STARTED_AT = lookup.findVarHandle(GuardedTask.class, "startedAt", long.class);
            RUNNING_GENERATION = lookup.findVarHandle(GuardedTask.class, "runningGeneration", int.class);
        } catch (ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    /** The generation of the first timer, which runs this; later ones run a {@link SteeredRun.Later}. */
    private static final int FIRST = 0;

    private final Runnable task;

    /** What the user's decorator has made of the task when it was scheduled; null if it has made nothing. */
    private final @Nullable DecoratedBody decorated;

    private final RegisteredTask owner;
    private final TaskBook book;

    /** Null unless runs may go on when they have returned. */
    private final @Nullable OpenRuns openRuns;

    /**
     * There are rules, or somebody has cancelled, paused or re-timed the task, or owes it a run: only then do runs of its first timer ask
     * the owner, which is memory that a run of one of very many tasks need not touch. Never false again.
     */
    private volatile boolean steered;

    /** A run that takes longer may be longer than it is to the next one. */
    private volatile long mayOverrunNanos;

    /** Null as long as there is nothing to remember. Made by whoever notes something first. */
    private volatile @Nullable RunHistory history;

    /** Hears of failures while the task repeats; null before the first one. By the thread of the run. */
    private @Nullable ErrorHandler seriesHandler;

    /** The thread in the run; claimed from null. */
    @SuppressWarnings("unused") // written through the handle
    private volatile @Nullable Thread runner;

    /** Since when a run is going on, on the monotonic clock; 0 while none is. */
    private volatile long runningSinceNanos;

    /** The same, since the epoch. Written before. */
    private volatile long startedAt;

    /** Set before the run is looked at for an interrupt; whoever ends it looks here after saying so. */
    private volatile boolean interruptConsidered;

    /** Guarded by this, as is an interrupt against the end of the run that it is meant for. */
    private boolean interrupted;

    /** What the next run on the same thread has waited for. */
    private long latenessNanos = NOT_TOLD;

    /** When that was. */
    private long toldNanos;

    /** Of the timer whose run is going on; none if that is outside of the schedule. Written before it shows. */
    private volatile int runningGeneration;

    private static final int TRIGGERED = -2;

    /** What the current run has thrown. */
    private @Nullable Throwable thrown;

    /** The last run failed. By the thread of the run. */
    private boolean failing;

    GuardedTask(
            RegisteredTask owner,
            TaskBook book,
            Runnable task,
            boolean mayGoOn,
            long mayOverrunNanos,
            boolean steered) {
        // Failures are handled here.
        super(task, NOBODY);
        this.task = task;
        this.owner = owner;
        this.book = book;
        this.openRuns = mayGoOn ? new OpenRuns() : null;
        this.mayOverrunNanos = mayOverrunNanos;
        this.steered = steered;
        this.decorated = DecoratedBody.of(this, book);
    }

    /** Lets runs ask the owner from now on; who has changed something there that they are to see calls it before or after. */
    void steered() {
        steered = true;
    }

    TaskBook book() {
        return book;
    }

    long mayOverrunNanos() {
        return mayOverrunNanos;
    }

    void setMayOverrunNanos(long nanos) {
        mayOverrunNanos = nanos;
    }

    private @Nullable TaskRules rules() {
        return steered ? owner.rules() : null;
    }

    /** Says how late the run that follows on this thread starts, now. */
    public void startsLate(long nanos, long nowNanos) {
        latenessNanos = nanos;
        toldNanos = nowNanos;
    }

    @Override
    public void run() {
        TaskRules rules = rules();
        runDue(FIRST, rules == null ? null : rules.firstPace());
    }

    @Override
    public @Nullable Pacing pacing() {
        TaskRules rules = rules();
        return rules == null ? null : rules.firstPace();
    }

    void runDue(int generation, @Nullable Pace pace) {
        long late = latenessNanos;
        latenessNanos = NOT_TOLD;
        if (pace != null && pace.skips(late) && !owner.isPaused() && owner.isCurrent(generation)) {
            missed(1);
            book.leftOut(1);
        } else if (late == NOT_TOLD) {
            runAndWhatIsOwed(generation, 0, book.nanoTime());
        } else {
            runAndWhatIsOwed(generation, late, toldNanos);
        }
    }

    /** Also runs what became due meanwhile and must not be lost: whoever ends a run does that, or who found it going on. */
    private void runAndWhatIsOwed(int generation, long late, long nowNanos) {
        try {
            boolean ignored = runUnlessRunning(generation, late, nowNanos);
        } finally {
            if (steered) {
                runWhatIsOwed();
            }
        }
    }

    private void runWhatIsOwed() {
        int owed = owner.takeOwed();
        while (owed != RegisteredTask.NONE) {
            runOwed(owed);
            owed = owner.takeOwed();
        }
    }

    /** A failure in there has been handled, and is not one of the timer whose run has just ended. */
    private void runOwed(int owed) {
        boolean isOver = true;
        try {
            isOver = runUnlessRunning(owed, 0, book.nanoTime());
        } catch (Throwable ex) {
            // As said above.
        } finally {
            owner.ranWhatWasOwed(owed, isOver);
        }
    }

    /** Runs outside of the schedule. */
    void runTriggered() {
        if (!owner.future().isCancelled()) {
            runAndWhatIsOwed(TRIGGERED, 0, book.nanoTime());
        }
    }

    /** Returns whether there is no run to come of it. */
    private boolean runUnlessRunning(int generation, long late, long nowNanos) {
        boolean isDue = generation != TRIGGERED;
        if (!steered && generation == FIRST) {
            return claimAndRun(generation, late, nowNanos, true);
        }
        if (isDue ? !owner.isCurrent(generation) : owner.future().hasBeenCancelled()) {
            return true;
        }
        // First: a run that does not take place must not be in the way of one that somebody asks for.
        if (isDue && owner.isHeldBack(generation)) {
            skipped(SkipReason.PAUSED);
            return false;
        }
        return claimAndRun(generation, late, nowNanos, isDue);
    }

    private boolean claimAndRun(int generation, long late, long nowNanos, boolean isDue) {
        if (!RUNNER.compareAndSet(this, null, Thread.currentThread())) {
            if (isDue && owner.keepForLater(generation)) {
                return false;
            }
            skipped(SkipReason.RUNNING);
            return true;
        }
        try {
            perform(generation, late, nowNanos);
            return true;
        } finally {
            RUNNER.setVolatile(this, null);
        }
    }

    @Override
    public void missed(long runs) {
        RunHistory notes = historyToNote();
        boolean isFirst = notes != null && notes.missed(runs);
        // What a pause leaves out is no news.
        book.missed(owner, runs, isFirst && !owner.isPaused());
    }

    /** Whether runs of a calendar that have missed their instants are not to take place. */
    public boolean maySkipInstants() {
        TaskRules rules = owner.rules();
        return rules != null
                && rules.missedRuns(MissedRuns.LATEST) == MissedRuns.SKIP
                && owner.schedule().isCron();
    }

    /** Whether the run of a calendar that starts so late is not to take place. */
    public boolean skipsInstant(Duration late) {
        return maySkipInstants()
                && late.compareTo(TaskRules.CRON_GRACE) > 0
                && !owner.isPaused()
                && !owner.future().hasBeenCancelled();
    }

    /** That many instants of a calendar have passed without a run; while the task is paused, that is not missed. */
    public void missedInstants(long instants) {
        if (!owner.isPaused()) {
            missed(instants);
            book.leftOut(instants);
        }
    }

    @Override
    public void refused(RejectedExecutionException reason) {
        skipped(SkipReason.FULL);
    }

    /** Takes a note of it. */
    private void skipped(SkipReason reason) {
        RunHistory notes = historyToNote();
        if (notes != null) {
            notes.skipped();
        }
        book.skipped(owner, reason);
    }

    private void perform(int generation, long late, long startNanos) {
        boolean triggered = generation == TRIGGERED;
        long startedAtNanos = book.epochNanos();
        STARTED_AT.setOpaque(this, startedAtNanos);
        RUNNING_GENERATION.setOpaque(this, generation);
        // All three show with this one; nothing that follows has to wait for it.
        RUNNING_SINCE.setRelease(this, startNanos == 0 ? 1 : startNanos);
        OpenRuns open = openRuns;
        OpenRun run = open == null ? null : OpenRun.begin(this, open, startedAtNanos, startNanos, late, triggered);
        try {
            runBody();
        } finally {
            if (run != null) {
                run.leave();
            }
            long nanos = nanosSince(startNanos);
            runningSinceNanos = 0;
            endInterrupt();
            if (decorated == null || decorated.hasRun() || thrown != null) {
                Throwable failure = takeThrown();
                if (run == null) {
                    note(startedAtNanos, nanos, late, triggered, failure);
                } else {
                    run.returned(failure, nanos);
                }
            }
        }
    }

    long nanosSince(long startNanos) {
        return book.nanoTime() - startNanos;
    }

    private void runBody() {
        DecoratedBody outer = decorated;
        if (outer == null) {
            runUndecorated();
        } else if (!outer.run()) {
            // Nobody is to wait for it.
            boolean ignored = owner.future().cancel(false);
        }
    }

    boolean isOnThreadOfRun() {
        return runner == Thread.currentThread();
    }

    /** Runs the task; a failure goes to the error handler, which may throw it on. */
    void runUndecorated() {
        try {
            task.run();
        } catch (Throwable ex) {
            if (isHandledByTask(ex)) {
                thrown = ex;
                countFailure();
                throw ex;
            }
            failed(ex instanceof UndeclaredThrowableException wrapper ? wrapper.getUndeclaredThrowable() : ex);
        }
    }

    /** Whether the task has brought an error handler, which has thrown that: Spring asks another one for runs of a trigger only. */
    private boolean isHandledByTask(Throwable failure) {
        if (!(task instanceof DelegatingErrorHandlingRunnable) || failure instanceof OutOfMemoryError) {
            return false;
        }
        TaskSchedule schedule = owner.schedule();
        return schedule instanceof TaskSchedule.FixedRate
                || schedule instanceof TaskSchedule.FixedDelay
                || schedule instanceof TaskSchedule.Once;
    }

    void failed(Throwable failure) {
        thrown = failure;
        countFailure();
        try {
            handler().handleError(failure);
        } catch (OutOfMemoryError ex) {
            if (!isRepeating()) {
                throw ex;
            }
            // That memory is short while a failure is handled says nothing about the series.
        }
    }

    void countFailure() {
        book.failures().countOne();
    }

    /** A task may be re-timed from one kind to the other. */
    private ErrorHandler handler() {
        RunFailures failures = book.failures();
        if (!isRepeating()) {
            return failures.oneTimeTarget(task);
        }
        ErrorHandler made = seriesHandler;
        if (made == null) {
            made = failures.seriesTarget(owner.id());
            seriesHandler = made;
        }
        return made;
    }

    private boolean isRepeating() {
        return owner.isRepeating();
    }

    /** Returns what the run has thrown that has returned just now. A handler that has heard of the one before is told if this went well. */
    private @Nullable Throwable takeThrown() {
        Throwable failure = thrown;
        thrown = null;
        if (failing && failure == null) {
            tellOfSuccess();
        }
        failing = failure != null;
        return failure;
    }

    /**
     * Takes notes of a run that is over. Nothing in here fails, also when memory is short: a series would end for it. On the thread of the
     * run or, of one that went on when it had returned, any.
     */
    void note(long startedAtNanos, long nanos, long late, boolean triggered, @Nullable Throwable failure) {
        TaskRules rules = rules();
        if (rules != null) {
            if (failure != null) {
                owner.runFailed(rules);
            } else {
                owner.runSucceeded(rules, triggered);
            }
        }
        boolean overran = !triggered && nanos > mayOverrunNanos && hasOverrun(startedAtNanos - late, nanos);
        RunOutcome.Failure described = failure == null ? null : RunOutcome.Failure.of(failure);
        RunHistory notes = historyToNote();
        if (notes != null) {
            notes.ran(startedAtNanos, nanos, late, triggered, described, overran);
        }
        book.ran(owner, startedAtNanos, nanos, late, triggered, described, overran);
    }

    private void tellOfSuccess() {
        try {
            RunFailures.tellOfSuccess(handler());
        } catch (OutOfMemoryError ex) {
            // It has gone well all the same.
        }
    }

    /** Whether the run took longer than it is from its deadline, since the epoch, to the next one. */
    private boolean hasOverrun(long deadline, long nanos) {
        try {
            // Calendars name whole seconds, the deadline is read from two clocks.
            Instant before = EpochNanos.toInstant(deadline - HALF_A_SECOND_NANOS);
            Duration interval = owner.schedule().intervalAfter(before);
            return interval != null && interval.compareTo(Duration.ofNanos(nanos)) < 0;
        } catch (Throwable ex) {
            return false;
        }
    }

    /** Interrupts the run if it has been going on for longer, and says whether it did. */
    public boolean interruptIfRunningFor(long limitNanos) {
        synchronized (this) {
            interruptConsidered = true;
            // The thread first: as long as the run has not ended, it is the thread's.
            Thread thread = runner;
            long sinceNanos = runningSinceNanos;
            if (interrupted || thread == null || sinceNanos == 0 || book.nanoTime() - sinceNanos < limitNanos) {
                interruptConsidered = interrupted;
                return false;
            }
            interrupted = true;
            thread.interrupt();
            return true;
        }
    }

    /** Interrupts a run that a timer of that generation knows nothing of. */
    void interruptUnlessOf(int generation) {
        if (runningGeneration != generation) {
            boolean ignored = interruptIfRunningFor(0);
        }
    }

    private void endInterrupt() {
        if (interruptConsidered) {
            synchronized (this) {
                if (interrupted) {
                    interrupted = false;
                    boolean ignored = Thread.interrupted();
                }
                interruptConsidered = false;
            }
        }
    }

    /** Returns how long a run may take before it is to be interrupted, in nanoseconds; the longest there is for no limit. */
    public long timeLimitNanos() {
        TaskRules rules = owner.rules();
        return rules == null ? Long.MAX_VALUE : rules.timeLimitNanos();
    }

    /** Returns the user's task. */
    public Runnable task() {
        return task;
    }

    /** Returns the id of the task. */
    @Override
    public String taskName() {
        return owner.id();
    }

    /** Returns the id: the text of a user's object may be a secret. */
    @Override
    public String toString() {
        return owner.id();
    }

    boolean isRunning() {
        return runner != null;
    }

    /** Returns since when it is running; null if it is not. */
    @Nullable
    Instant runningSince() {
        return runningSinceNanos == 0 ? null : EpochNanos.toInstant(startedAt);
    }

    /** Returns since when a run has been going on that has returned; null if there is none. */
    @Nullable
    Instant openSince() {
        return openRuns == null ? null : openRuns.since();
    }

    RunHistory.View seen() {
        RunHistory notes = history;
        return notes == null ? RunHistory.View.EMPTY : notes.view();
    }

    long lastRunAt() {
        RunHistory notes = history;
        return notes == null ? 0 : notes.lastRunAt();
    }

    /** Returns where to take notes; null if there is no memory for it. */
    private @Nullable RunHistory historyToNote() {
        RunHistory notes = history;
        if (notes == null) {
            try {
                RunHistory made = new RunHistory();
                notes = HISTORY.compareAndSet(this, null, made) ? made : history;
            } catch (OutOfMemoryError ex) {
                return null;
            }
        }
        return notes;
    }

    /** Returns the guarded task that is behind what runs, if there is one; else what runs. */
    public static Object behind(Object running) {
        Object behind = running;
        while (behind instanceof TaskWrapper wrapper) {
            behind = wrapper.wrapped();
        }
        return behind;
    }

    /** Whether a trigger is a cron of Spring's, or ours, and no code of a user's, which is asked once for each run. */
    public static boolean isCron(Trigger trigger) {
        return trigger.getClass() == CronTrigger.class || trigger instanceof DaylightSavingTrigger;
    }

    /** Whether what runs is a run outside of the schedule, that somebody has asked for. */
    public static boolean isTriggered(Object running) {
        return running instanceof SteeredRun.Triggered;
    }
}
