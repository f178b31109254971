package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.internal.spring.observation.AnnotatedRun;
import io.github.wheelscheduler.internal.spring.observation.ObservedRun;
import io.github.wheelscheduler.internal.spring.observation.ObservedRuns;
import io.github.wheelscheduler.internal.spring.observation.UnobservedRuns;
import io.github.wheelscheduler.internal.spring.run.EpochNanos;
import io.github.wheelscheduler.internal.spring.run.RunFailures;
import io.github.wheelscheduler.internal.spring.run.RunHistory;
import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.SkipReason;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.DelegatingErrorHandlingRunnable;
import org.springframework.util.ErrorHandler;

/**
 * The boundary of the runs of a series. It claims a run, so that the task never runs concurrently or while paused. It
 * shows the current run, interrupts it, and records its result. One object with few fields, as there may be very many.
 */
final class GuardedTask implements Runnable, ManagedTask {

    private static final long HALF_A_SECOND_NANOS = 500_000_000;

    // Made with this class: to load one near the end of a stack, as within a cancel, or without memory may fail for
    // good.
    private static final Runnable RELEASED_NAMED = new ReleasedNamed();

    /** Whether OpenTelemetry's Java agent is there and makes spans of repeating tasks; else no run asks for more. */
    private static final boolean TRACED_BY_AGENT = isAgentThere() && AgentTask.isMade();

    static {
        CurrentRun.initialize();
    }

    /**
     * The user's, until the series is over: then it is released, as others may hold the future for long. A run reads it
     * once, when it has claimed the guard. Null, and not a reference to an object, in the many cancelled tasks that had
     * no name: a collector with regions keeps an account of such references.
     */
    @Nullable
    Runnable task;

    /** The task as decorated by the user when it was scheduled; null if it was not decorated. */
    private final @Nullable DecoratedBody decorated;

    final TaskSeries owner;
    final TaskStore book;

    /** The runs that have returned and continue; null unless runs may do so. */
    final OpenRun.@Nullable All openRuns;

    /**
     * Set if there are rules, or the series has been cancelled, paused or re-timed, or owes a run. Only then do runs of
     * its first timer consult the series, which saves a memory access with very many tasks. Never false again.
     */
    private volatile boolean steered;

    /**
     * The run in progress, or the last one; null before the first one. Made, guarded by this, by the first thread that
     * needs it.
     */
    private volatile @Nullable CurrentRun run;

    GuardedTask(TaskSeries owner, TaskStore book, Runnable task, boolean mayGoOn, boolean steered) {
        this.task = TRACED_BY_AGENT && owner.isRepeating() ? AgentTask.of(task, this) : task;
        this.owner = owner;
        this.book = book;
        this.openRuns = mayGoOn ? new OpenRun.All() : null;
        if (steered) {
            this.steered = true;
        }
        this.decorated = DecoratedBody.of(this, book);
    }

    /** Whether the JVM was started with the agent, whose classes the loader of the JDK's classes has. */
    private static boolean isAgentThere() {
        try {
            Class<?> ignored = Class.forName("io.opentelemetry.javaagent.bootstrap.AgentInitializer", false, null);
            return true;
        } catch (ClassNotFoundException | LinkageError ex) {
            return false;
        }
    }

    /** Returns the user's task, also if the agent traces it. */
    private static Runnable behind(Runnable task) {
        return TRACED_BY_AGENT && task instanceof AgentTask traced ? traced.users : task;
    }

    /** Lets runs ask the series from now on; a change there that they are to see comes before or after. */
    void steered() {
        steered = true;
    }

    private @Nullable TaskRules rules() {
        return steered ? owner.rules : null;
    }

    /** The series has another schedule. With the lock held. */
    void retimed(TaskSchedule other) {
        steered();
        CurrentRun current = run;
        if (current != null) {
            current.mayOverrunNanos = SettledSchedule.shortest(other);
        }
    }

    /**
     * Returns the run in progress, or the next one. A run is not lost for lack of memory: it waits until there is some.
     */
    private CurrentRun runToClaim() {
        while (true) {
            try {
                return madeRun();
            } catch (OutOfMemoryError ex) {
                ShortMemory.pause();
            }
        }
    }

    /** Returns the same; without memory for it, it fails. */
    CurrentRun madeRun() {
        CurrentRun current = run;
        if (current == null) {
            synchronized (this) {
                current = run == null ? new CurrentRun(book, SettledSchedule.shortest(owner.schedule())) : run;
                run = current;
            }
        }
        return current;
    }

    /** Notes how late the run that follows on this thread starts, now. */
    void startsLate(long nanos, long nowNanos) {
        runToClaim().startsLate(nanos, nowNanos);
    }

    @Override
    public void run() {
        TaskRules rules = rules();
        run(SeriesRun.FIRST, rules == null ? null : rules.firstPace, null);
    }

    @Override
    public @Nullable Pacing pacing() {
        TaskRules rules = rules();
        return rules == null ? null : rules.firstPace;
    }

    /**
     * Runs the task for a timer of that generation.
     *
     * @param origin the span of the call that has asked for the run; null for none
     */
    void run(int generation, TaskRules.@Nullable Pace pace, @Nullable RunOrigin origin) {
        CurrentRun current = runToClaim();
        long late = generation == SeriesRun.TRIGGERED ? CurrentRun.NOT_TOLD : current.takeLateness();
        boolean isThrown = true;
        try {
            if (pace != null && pace.skips(late) && owner.isCurrent(generation) && !owner.isPaused()) {
                leftOut(1);
            } else if (late == CurrentRun.NOT_TOLD) {
                runAndWhatIsOwed(current, generation, 0, book.nanoTime(), origin);
            } else {
                runAndWhatIsOwed(current, generation, late, current.toldNanos, origin);
            }
            isThrown = false;
        } finally {
            // A rate or a cron needs no look at the series.
            if (isThrown || (current.mayOverrunNanos == Long.MAX_VALUE && !owner.isRepeating())) {
                releaseAfterRun(generation, isThrown);
            } else if (steered) {
                releaseIfCancelled();
            }
        }
    }

    /**
     * Releases the user's task if its timer ends with this run and there can be no other: an exception ends each timer.
     */
    private void releaseAfterRun(int generation, boolean isThrown) {
        synchronized (this) {
            if (owner.endsWith(generation, isThrown)) {
                releaseTask();
                book.ended();
            }
        }
        releaseIfCancelled();
    }

    /** Releases the user's task as its series has no next run. */
    void releaseAtEnd(int generation) {
        synchronized (this) {
            if (owner.endsWith(generation, true)) {
                releaseTask();
                book.ended();
            }
        }
    }

    /**
     * Releases the user's task if the series has been cancelled, unless it is running: the end of the run looks here
     * once more.
     */
    void releaseIfCancelled() {
        if (owner.cancelled && !isRunning()) {
            releaseTask();
        }
    }

    private void releaseTask() {
        // A failure of a run that continues is logged with the name of its task.
        if (openSince() == null) {
            task = isNamed() ? RELEASED_NAMED : null;
        }
    }

    /** Whether the user's task says its name, or did so before it was released. */
    boolean isNamed() {
        Runnable current = task;
        return current == RELEASED_NAMED || (current != null && behind(current) instanceof NamedTask);
    }

    /** Returns the task to name in a rejection: the user's, unless that has been released. */
    Object shownTask() {
        Runnable current = task;
        return current == null ? this : behind(current);
    }

    /** Whether the user's task has been released. */
    boolean isReleased() {
        Runnable current = task;
        return current == null || current == RELEASED_NAMED;
    }

    /** Stands for a released task that had a name. */
    private static final class ReleasedNamed implements Runnable {

        @Override
        public void run() {}
    }

    /**
     * Also runs what has become due meanwhile and must not be lost: the thread that ends a run does that, or the one
     * that found it active.
     */
    private void runAndWhatIsOwed(
            CurrentRun current, int generation, long late, long nowNanos, @Nullable RunOrigin origin) {
        try {
            boolean ignored = runUnlessRunning(current, generation, late, nowNanos, origin);
        } finally {
            SeriesFuture.Hold owed = steered ? owner.takeOwed() : null;
            while (owed != null) {
                boolean isOver = true;
                try {
                    isOver = runUnlessRunning(current, owed.generation, 0, book.nanoTime(), null);
                } catch (Throwable ex) {
                    // It has been handled, and is no failure of the timer whose run has just ended.
                }
                owner.ranWhatWasOwed(owed, isOver);
                owed = owner.takeOwed();
            }
        }
    }

    /** Returns whether there is no run to come of it. */
    private boolean runUnlessRunning(
            CurrentRun current, int generation, long late, long nowNanos, @Nullable RunOrigin origin) {
        boolean isDue = generation != SeriesRun.TRIGGERED;
        if (steered || generation != SeriesRun.FIRST) {
            if (isDue ? !owner.isCurrent(generation) : owner.isCancelled()) {
                return true;
            }
            // First: a run that does not take place must not be in the way of one that is asked for.
            if (isDue && owner.isHeldBack(generation)) {
                skipped(SkipReason.PAUSED);
                return false;
            }
        }
        if (!current.claim()) {
            if (isDue && owner.keepForLater(generation)) {
                return false;
            }
            skipped(SkipReason.RUNNING);
            return true;
        }
        try {
            Runnable users = task;
            if (users != null && users != RELEASED_NAMED) {
                perform(current, users, generation, late, nowNanos, origin);
            }
            return true;
        } finally {
            current.unclaim();
        }
    }

    @Override
    public void missed(long runs) {
        RunHistory notes = historyToNote();
        boolean isFirst = notes != null && notes.missed(runs);
        // Runs skipped by a pause are not reported.
        book.news.missed(owner, runs, isFirst && !owner.isPaused());
    }

    /** Counts skipped runs that the timer does not count; while the task is paused, they are not missed. */
    void leftOut(long runs) {
        if (!owner.isPaused()) {
            missed(runs);
            book.news.leftOut(runs);
        }
    }

    @Override
    public void refused(RejectedExecutionException reason) {
        refused(SeriesRun.FIRST);
    }

    /** The run of a timer of that generation does not take place, as its group is full. */
    void refused(int generation) {
        skipped(SkipReason.FULL);
        if (!owner.isRepeating()) {
            releaseAfterRun(generation, false);
        }
    }

    /** Takes a note of it. */
    private void skipped(SkipReason reason) {
        RunHistory notes = historyToNote();
        if (notes != null) {
            notes.skipped();
        }
        book.news.skipped(owner, reason);
    }

    private void perform(
            CurrentRun current,
            Runnable users,
            int generation,
            long late,
            long startNanos,
            @Nullable RunOrigin origin) {
        boolean triggered = generation == SeriesRun.TRIGGERED;
        long startedAtNanos = book.epochNanos();
        current.begin(generation, startedAtNanos, startNanos);
        ObservedRun observed = observe(triggered, late, origin);
        current.observed = observed;
        OpenRun open = openRuns == null ? null : OpenRun.begin(this, startedAtNanos, startNanos, late, triggered);
        AnnotatedRun annotated = annotate(triggered, late, origin);
        try {
            if (decorated == null) {
                runUndecorated(users);
            } else if (!decorated.runOuter(users)) {
                // It can never run, and no thread is to wait for it.
                boolean ignored = owner.cancel(false);
            }
        } finally {
            if (open != null) {
                open.leave();
            }
            long nanos = book.nanoTime() - startNanos;
            current.end();
            boolean hasRun = decorated == null || decorated.hasRun || current.thrown != null;
            Throwable failure = hasRun ? takeThrown(current, users) : null;
            noteEnd(annotated, hasRun, open, startedAtNanos, nanos, late, triggered, failure);
            endObservation(current, observed, failure);
        }
    }

    /** A method of its own, as the compiler copies it for each way in which a run ends. */
    private void noteEnd(
            @Nullable AnnotatedRun annotated,
            boolean hasRun,
            @Nullable OpenRun open,
            long startedAtNanos,
            long nanos,
            long late,
            boolean triggered,
            @Nullable Throwable failure) {
        if (annotated != null) {
            annotated.openAgain();
        }
        try {
            if (hasRun && open != null) {
                open.returned(failure, nanos);
            } else if (hasRun) {
                note(startedAtNanos, nanos, late, triggered, failure);
            }
        } finally {
            if (annotated != null) {
                annotated.end();
            }
        }
    }

    /** Begins a run that Spring observes; null if it does not, or nobody has asked for more than that. */
    private @Nullable AnnotatedRun annotate(boolean triggered, long late, @Nullable RunOrigin origin) {
        ObservedRuns observer = observerOfAnnotated();
        return observer == null ? null : observer.beginAnnotated(this, triggered, late, origin);
    }

    /** Returns what knows of the runs that Spring observes; null unless they are of that kind. */
    private @Nullable ObservedRuns observerOfAnnotated() {
        ObservedRuns observed = book.timers.observed;
        return observed == null || owner.origin != TaskInfo.Origin.ANNOTATED || isLeftOut() ? null : observed;
    }

    /** Begins the observation of a run; null for none, as where Spring observes it. */
    private @Nullable ObservedRun observe(boolean triggered, long late, @Nullable RunOrigin origin) {
        ObservedRuns observer = observer();
        try {
            return observer == null
                    ? null
                    : observer.begin(this, owner.isNamed() ? owner.name() : null, triggered, late, origin);
        } catch (OutOfMemoryError ex) {
            // There is not even memory for the name.
            return null;
        }
    }

    /** Returns the observation of its runs; null if they are not observed by us. */
    private @Nullable ObservedRuns observer() {
        ObservedRuns observed = book.timers.observed;
        if (observed == null || owner.origin == TaskInfo.Origin.ANNOTATED) {
            return null;
        }
        Boolean asked = owner.settings().observe();
        boolean isObserved = asked == null ? observed.includes(owner.isNamed()) : asked;
        return isObserved ? observed : null;
    }

    /**
     * Returns the current span, for a run that is due after a delay; null if there is none, or runs are not observed.
     */
    @Nullable
    RunOrigin origin(long delayNanos) {
        ObservedRuns observer = observer();
        return observer == null ? null : observer.origin(delayNanos);
    }

    /** Returns the same for a run that is due because of a call that steers the task. */
    @Nullable
    RunOrigin originOfSteering() {
        ObservedRuns annotated = observerOfAnnotated();
        ObservedRuns observer = annotated == null ? observer() : annotated;
        return observer == null ? null : observer.originOfSteering();
    }

    private static void endObservation(
            CurrentRun current, @Nullable ObservedRun observed, @Nullable Throwable failure) {
        if (observed != null) {
            current.observed = null;
            observed.end(failure);
        }
    }

    boolean isOnThreadOfRun() {
        CurrentRun current = run;
        return current != null && current.isOnThisThread();
    }

    /** Runs the task; a failure goes to the error handler, which may throw it on. */
    void runUndecorated(Runnable current) {
        if (TRACED_BY_AGENT && current instanceof AgentTask && !hasSpanOfOurs()) {
            // It reports its failures while the agent's span is current.
            runInContext(current);
            return;
        }
        Runnable users = behind(current);
        try {
            runInContext(users);
        } catch (Throwable ex) {
            if (isThrownOn(users, ex)) {
                throw ex;
            }
        }
    }

    private boolean hasSpanOfOurs() {
        ObservedRun observed = runToClaim().observed;
        return observed != null && observed.hasSpan();
    }

    private void runInContext(Runnable current) {
        // The decorator may have made another observation current.
        ObservedRun observed = decorated == null ? null : runToClaim().observed;
        if (observed != null) {
            observed.runInside(current);
        } else if (isLeftOut()) {
            UnobservedRuns.run(current);
        } else if (decorated != null && owner.isRepeating()) {
            runApart(current);
        } else {
            current.run();
        }
    }

    /** Reports a failure of the user's task; true if the caller has to throw it on. */
    boolean isThrownOn(Runnable users, Throwable failure) {
        if (isHandledBy(users, failure)) {
            runToClaim().thrown = failure;
            countFailure(failure);
            return true;
        }
        failed(
                users,
                failure instanceof UndeclaredThrowableException wrapper ? wrapper.getUndeclaredThrowable() : failure);
        return false;
    }

    /** Whether Spring would observe its runs, and is not to. */
    private boolean isLeftOut() {
        TaskRules rules = rules();
        return rules != null
                && owner.origin == TaskInfo.Origin.ANNOTATED
                && Boolean.FALSE.equals(rules.settings.observe());
    }

    /** Runs a task that is not observed by us: a context set by a decorator must not last for all of its runs. */
    private void runApart(Runnable users) {
        ObservedRuns observed = book.timers.observed;
        if (observed == null) {
            users.run();
        } else {
            observed.runApart(users);
        }
    }

    /**
     * Whether the task has brought an error handler, which has thrown that: Spring asks another one for runs of a
     * trigger only.
     */
    private boolean isHandledBy(Runnable current, Throwable failure) {
        return current instanceof DelegatingErrorHandlingRunnable
                && !(failure instanceof OutOfMemoryError)
                && SettledSchedule.startsByDelay(owner.schedule());
    }

    void failed(Runnable users, Throwable failure) {
        AnnotatedRun annotated = observerOfAnnotated() == null ? null : AnnotatedRun.reopened();
        try {
            handle(users, failure);
        } finally {
            if (annotated != null) {
                annotated.closeAgain();
            }
        }
    }

    private void handle(Runnable users, Throwable failure) {
        CurrentRun current = runToClaim();
        current.thrown = failure;
        countFailure(failure);
        try {
            handler(current, users).handleError(failure);
        } catch (OutOfMemoryError ex) {
            if (!owner.isRepeating()) {
                throw ex;
            }
            // That memory is short while a failure is handled says nothing about the series.
        }
    }

    /** Counts a failure, and keeps its stack trace. On a thread that knows its trace id, if one does; does not fail. */
    void countFailure(Throwable failure) {
        RunFailures failures = book.timers.failures;
        failures.countOne();
        RunHistory notes = historyToNote();
        if (notes != null) {
            notes.failed(book.epochNanos(), failure, book.timers.traceIds, failures.traces);
        }
    }

    /** A task may be re-timed from one kind to the other. */
    private ErrorHandler handler(CurrentRun current, Runnable users) {
        RunFailures failures = book.timers.failures;
        if (!owner.isRepeating()) {
            return failures.oneTimeTarget(behind(users));
        }
        ErrorHandler made = current.seriesHandler;
        if (made == null) {
            made = failures.seriesTarget(owner.id());
            current.seriesHandler = made;
        }
        return made;
    }

    /**
     * Returns the exception of the run that has just returned. A handler that received the previous failure is called
     * if this run succeeded.
     */
    private @Nullable Throwable takeThrown(CurrentRun current, Runnable users) {
        Throwable failure = current.thrown;
        current.thrown = null;
        if (current.failing && failure == null) {
            try {
                RunFailures.tellOfSuccess(handler(current, users));
            } catch (OutOfMemoryError ex) {
                // It has gone well all the same.
            }
        }
        current.failing = failure != null;
        return failure;
    }

    /**
     * Takes notes of a run that is over. Nothing in here fails, also when memory is short: a series would end for it.
     * On the thread of the run or, of one that continued when it had returned, any.
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
        CurrentRun current = runToClaim();
        boolean overran = !triggered && nanos > current.mayOverrunNanos && hasOverrun(startedAtNanos - late, nanos);
        RunHistory notes = historyToNote();
        RunOutcome.Failure described = failure == null
                ? null
                : RunOutcome.Failure.of(failure, notes == null ? null : notes.traceIdSince(startedAtNanos));
        if (notes != null) {
            notes.ran(startedAtNanos, nanos, late, triggered, described, overran);
        }
        book.news.ran(owner, current, startedAtNanos, nanos, late, triggered, described, overran, failure);
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

    /** Interrupts the run if it has been active for longer, once, and returns whether it did. */
    boolean interruptIfRunningFor(long limitNanos) {
        CurrentRun current = run;
        return current != null && current.interrupt(limitNanos, false);
    }

    /** Interrupts the run, also once more, and returns whether there is one on a thread. */
    boolean interruptRun() {
        CurrentRun current = run;
        return current != null && current.interrupt(0, true);
    }

    /** Interrupts a run that does not belong to a timer of that generation. */
    void interruptUnlessOf(int generation) {
        CurrentRun current = run;
        if (current != null) {
            current.interruptUnlessOf(generation);
        }
    }

    /** Returns the stack of the thread in the run; null if no run is active there all the time that it is looked at. */
    TaskInfo.@Nullable Stack stack() {
        CurrentRun current = run;
        return current == null ? null : current.stack();
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
        CurrentRun current = run;
        return current != null && current.isClaimed();
    }

    /** Whether a run has begun. */
    boolean hasBegun() {
        return isRunning() || lastRunAt() != 0;
    }

    /** Returns since when it is running; null if it is not. */
    @Nullable
    Instant runningSince() {
        CurrentRun current = run;
        return current == null ? null : current.since();
    }

    /** Returns the same on the monotonic clock; 0 if it is not. */
    long runningSinceNanos() {
        CurrentRun current = run;
        return current == null ? 0 : current.sinceNanos();
    }

    /** Returns since when a run has been active that has returned; null if there is none. */
    @Nullable
    Instant openSince() {
        return openRuns == null ? null : openRuns.since();
    }

    /** Whether the last run that has ended failed. */
    boolean isFailing() {
        RunHistory notes = history();
        return notes != null && notes.isFailing();
    }

    /** Whether its runs, as far as they are remembered, each took longer than it was to the next one. */
    boolean isOverrunning() {
        RunHistory notes = history();
        return notes != null && notes.isOverrunning();
    }

    /** Returns when a run last failed, since the epoch, in nanoseconds; 0 if none has. */
    long lastFailure() {
        RunHistory notes = history();
        return notes == null ? 0 : notes.lastFailure();
    }

    RunHistory.View seen() {
        RunHistory notes = history();
        return notes == null ? RunHistory.View.EMPTY : notes.view();
    }

    RunOutcome.@Nullable LastError lastError() {
        RunHistory notes = history();
        return notes == null ? null : notes.lastError();
    }

    long lastRunAt() {
        RunHistory notes = history();
        return notes == null ? 0 : notes.lastRunAt();
    }

    /** Returns the history of its runs; null while it is empty. */
    @Nullable
    RunHistory history() {
        CurrentRun current = run;
        return current == null ? null : current.history;
    }

    /** Returns the history to record to; null if there is no memory for it. */
    private @Nullable RunHistory historyToNote() {
        try {
            return madeRun().historyToNote();
        } catch (OutOfMemoryError ex) {
            return null;
        }
    }
}
