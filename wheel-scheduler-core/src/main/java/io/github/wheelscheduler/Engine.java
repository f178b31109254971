package io.github.wheelscheduler;

import io.github.wheelscheduler.inbox.Inbox;
import io.github.wheelscheduler.inbox.StackReserve;
import io.github.wheelscheduler.wheel.TimingWheel;
import io.github.wheelscheduler.worker.Workers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Puts the stages together, answers what timers ask and tell, and starts and stops the threads. */
final class Engine implements TimerOwner, Workers.Listener {

    private static final long LONGEST_DELAY_NANOS = Long.MAX_VALUE / 2;

    private static final long DUE_ROUNDING_MASK = ~7L;

    /**
     * Callers that schedule more than the tick thread takes, so that so many messages wait, wait a little themselves. Those
     * messages take it some ten milliseconds.
     */
    private static final long FLOOD = 1 << 17;

    private static final int FLOOD_WAITS = 50;
    private static final long FLOOD_WAIT_NANOS = 100_000;

    private static final long PAUSE_WITHOUT_MEMORY_NANOS = 1_000_000;

    /** One in 128 cancelled timers looks whether there are too many. */
    private static final int SAMPLE_SHIFT = Long.SIZE - 7;

    private final ExecutorSettings settings;
    private final boolean decorates;
    private final MonotonicClock clock;
    private final PendingTimers pending;
    private final RunState runState = new RunState();
    private final Inbox<ScheduledTimer<?>> inbox = new Inbox<>();
    private final Workers workers;
    private final TickLoop loop;
    private final TickThread tickThread;
    private final WallClockWatch watch;
    private final CatchUp catchUp;
    private final ShutdownPolicies policies = new ShutdownPolicies(runState);

    /** Starting and stopping; never taken by the tick thread, by schedule (after the first), cancel or reschedule. */
    private final ReentrantLock lifecycleLock = new ReentrantLock();

    /** Set once both tick thread and workers have been started. */
    private volatile boolean started;

    private volatile boolean tickThreadStarted;

    private final StripedCount rejected = new StripedCount();

    private final Detours detours = new Detours();

    /** What shutdownNow is to return. Guarded by the lock. */
    private final NeverRan givenBack = new NeverRan();

    /** What the workers have given back, and is to follow. Guarded by the lock. */
    private List<Runnable> stoppedRuns = List.of();

    private boolean isGivenBack;

    private final RunObservation observation;
    private final StackReserve stackReserve = new StackReserve();

    /** Where a sweep puts what comes too late. Set around it, under the lifecycle lock. Reader: tick thread, in the sweep. */
    private @Nullable NeverRan tooLate;

    Engine(ExecutorSettings settings) {
        this.settings = settings;
        this.decorates = settings.decorator() != null;
        this.clock = settings.clock();
        this.observation = new RunObservation(clock);
        this.pending = new PendingTimers(inbox::posted, settings.maxPending());
        this.catchUp = new CatchUp(settings.maxCatchUp());
        this.workers = settings.newWorkers(this);
        TimingWheel wheel = new TimingWheel(settings.tickShift(), clock.nanoTime());
        this.watch = new WallClockWatch(clock, settings.wallClock(), wheel);
        this.loop = new TickLoop(inbox, wheel, watch, workers, pending, detours, clock, 1L << settings.tickShift());
        this.tickThread = new TickThread(clock, inbox, loop, workers, runState, this::sweep, this::tickThreadEnded);
    }

    // Arming

    /**
     * Makes the new timer pending.
     *
     * @param isDue whether its deadline has come, so that it can go to the workers at once
     * @throws RejectedExecutionException if it is not accepted, unless the rejection handler decides otherwise
     */
    <T extends ScheduledTimer<?>> T arm(T timer, boolean isDue) {
        if (runState.isShutdown()) {
            reject(timer, "the executor has been shut down");
        } else if (!pending.tryAcquire()) {
            reject(
                    timer,
                    "max-pending is " + pending.max() + ", and " + pending.inUse()
                            + " timers are pending or repeating");
        } else if (!post(timer, isDue, true)) {
            reject(timer, "the executor has been shut down");
        }
        return timer;
    }

    /**
     * Makes the next timer of a series pending, with the permit of the running one; false after shutdown or cancel. If that
     * fails, as when memory is short, it can be tried again.
     */
    boolean armNext(InstantTimer running, InstantTimer timer) {
        if (!policies.mayRepeat() || !running.takePermit()) {
            return false;
        }
        boolean failed = true;
        try {
            boolean armed = post(timer, timer.isDueAtOnce(), false);
            failed = false;
            return armed;
        } finally {
            if (failed) {
                pending.acquireAgain();
                running.putPermitBack();
                if (running.isDone()) {
                    // Whoever has cancelled it may have looked for the permit too early.
                    releasePermit(running);
                }
            }
        }
    }

    /**
     * Makes the timer pending; false if a shutdown came in between, and the timer has been cancelled.
     *
     * @param mayWait whether the caller may be held up if the tick thread does not keep up
     */
    private boolean post(ScheduledTimer<?> timer, boolean isDue, boolean mayWait) {
        boolean posted = false;
        boolean done = false;
        // A decorator may move it.
        long dueNanos = timer.deadlineNanos();
        try {
            startIfNeeded();
            if (settings.decorator() != null) {
                decorate(timer, settings.decorator());
            }
            // What may fail comes before the timer is posted: afterwards it has been accepted.
            workers.startIfShort();
            if (isDue && goStraight(timer, dueNanos)) {
                posted = true;
                workers.signal();
            } else {
                if (mayWait && inbox.isFlooded(FLOOD)) {
                    awaitEbb();
                }
                long neededAtNanos = neededAt(timer);
                inbox.prepareToWakeFor(neededAtNanos);
                inbox.postLazily(timer);
                posted = true;
                if (isDue && timer.deadlineNanos() - dueNanos <= 0) {
                    detours.posted();
                }
                inbox.wakeFor(neededAtNanos);
            }
            done = true;
        } finally {
            if (!posted) {
                takeBack(timer);
            } else if (!done) {
                // What fails at the very end is not accepted, either.
                boolean ignored = timer.withdraw();
            }
        }
        // A shutdown that came meanwhile may not have seen the timer.
        return !(runState.isShutdown()
                && (!(timer.isRepeating() && policies.mayRepeat()) || tickThread.isLeaving())
                && timer.withdraw());
    }

    /**
     * Hands an armed timer whose deadline has come to the workers at once, unless it has to go the long way: they have no room or
     * are paused, or others wait that came before it. False, too, if somebody has moved the timer beyond that time, or cancelled
     * it.
     */
    private boolean goStraight(ScheduledTimer<?> timer, long nowNanos) {
        if (!detours.isNone() || loop.isHeldUp() || workers.isPaused()) {
            return false;
        }
        // What follows is done completely or undone completely, and both take stack.
        if (workers.startsThreadsOnCallers()) {
            stackReserve.askAlways();
        } else {
            stackReserve.askEachTime();
        }
        if (!timer.claim(nowNanos)) {
            return false;
        }
        pending.countHandOver();
        boolean taken = false;
        try {
            taken = workers.handOverNow(timer.runnable(), nowNanos);
        } finally {
            if (!taken) {
                pending.uncountHandOver();
                timer.unclaim();
            }
        }
        return taken;
    }

    /** Waits for the tick thread, which cannot keep up with its callers; for a while only, whatever keeps it. */
    private void awaitEbb() {
        // It may sleep, and would wake for the next message only.
        inbox.wake();
        for (int i = 0; i < FLOOD_WAITS && inbox.holdsMoreThan(FLOOD / 2); i++) {
            LockSupport.parkNanos(this, FLOOD_WAIT_NANOS);
        }
    }

    /** Undoes the arming of a timer that could not be posted. */
    private void takeBack(ScheduledTimer<?> timer) {
        if (timer.giveBack()) {
            releasePermit(timer);
        } else {
            // The decorator has cancelled or run it: it was counted as gone, and will never be counted as posted.
            pending.countMissingPost();
        }
    }

    private static void decorate(ScheduledTimer<?> timer, Function<WheelTimer<?>, Runnable> decorator) {
        Runnable outer = Objects.requireNonNull(decorator.apply(timer), "the decorator must not return null");
        if (outer != timer) {
            timer.decorate(outer);
        }
    }

    private void reject(ScheduledTimer<?> timer, String reason) {
        rejected.increment();
        boolean ignored = timer.giveBack();
        settings.rejectionHandler()
                .rejected(timer, new RejectedExecutionException("Task rejected, because " + reason + ": " + timer));
    }

    private void startIfNeeded() {
        if (started) {
            return;
        }
        lifecycleLock.lock();
        try {
            if (runState.isShutdown()) {
                return;
            }
            workers.start();
            if (!tickThreadStarted) {
                Thread thread = settings.tickThreadFactory().newThread(tickThread);
                if (thread == null) {
                    throw new RejectedExecutionException("The thread factory must return a thread, returned null");
                }
                tickThread.aboutToStart();
                thread.start();
                tickThreadStarted = true;
            }
            started = true;
        } finally {
            lifecycleLock.unlock();
        }
    }

    // What timers ask and tell

    @Override
    public long nanoTime() {
        return clock.nanoTime();
    }

    @Override
    public long deadlineAfter(long delay, TimeUnit unit) {
        long nanos = Math.min(Math.max(0, unit.toNanos(delay)), LONGEST_DELAY_NANOS);
        return clock.nanoTime() + nanos;
    }

    /** Returns the deadline for a run that is due now: no later than that, although the state word rounds up. */
    long deadlineNow() {
        return clock.nanoTime() & DUE_ROUNDING_MASK;
    }

    @Override
    public boolean decorates() {
        return decorates;
    }

    @Override
    public boolean mayStart(ScheduledTimer<?> timer, boolean handedOver) {
        return policies.mayStart(timer, handedOver);
    }

    @Override
    public void started(ScheduledTimer<?> timer) {
        pending.started();
        if (!timer.isRepeating()) {
            pending.release();
        }
        wakeIfItMayEnd();
    }

    @Override
    public void cancelled(ScheduledTimer<?> timer, int stateBefore) {
        if (stateBefore == TimerWord.RETURNED) {
            return;
        }
        if (stateBefore == TimerWord.RUNNING) {
            if (timer.isRepeating()) {
                releasePermit(timer);
            }
            return;
        }
        pending.cancelled();
        releasePermit(timer);
        // In the ready queue, which is short, it waits for a worker that drops it.
        if (stateBefore == TimerWord.ARMED) {
            cancelledInWheel(timer);
        }
        wakeIfItMayEnd();
    }

    private void cancelledInWheel(ScheduledTimer<?> timer) {
        if (timer instanceof InstantTimer) {
            tellOfCancelled(timer);
        } else if (timer.isSample(SAMPLE_SHIFT) && loop.isLittered()) {
            inbox.wake();
        }
    }

    /** The tick thread looks at the clocks every second while it knows of such a timer. */
    private void tellOfCancelled(ScheduledTimer<?> timer) {
        try {
            inbox.postLazily(timer);
            pending.countOtherPost();
        } catch (OutOfMemoryError ex) {
            // It will come across the timer.
        }
    }

    /** After shutdown, the tick thread waits for the last pending timer to go. */
    private void wakeIfItMayEnd() {
        if (runState.isShutdown()) {
            inbox.wake();
        }
    }

    @Override
    public void ending(ScheduledTimer<?> timer) {
        if (timer.isRepeating()) {
            releasePermit(timer);
        }
    }

    @Override
    public void movedEarlier(ScheduledTimer<?> timer, long deadlineNanos) {
        inbox.prepareToWakeFor(deadlineNanos);
        inbox.postLazily(timer);
        pending.countOtherPost();
        inbox.wakeFor(deadlineNanos);
        wakeIfItMayEnd();
        if (inbox.isFlooded(FLOOD)) {
            awaitEbb();
        }
    }

    @Override
    public void repeat(PeriodicTimer timer) {
        long nowNanos = clock.nanoTime();
        long nextNanos = catchUp.nextDeadlineNanos(timer, nowNanos);
        if (policies.mayRepeat()) {
            if (!timer.rearmExactly(nextNanos)) {
                return;
            }
            passOn(timer, nextNanos, nowNanos);
        } else {
            timer.endRun();
        }
        if (!policies.mayRepeat()) {
            // Not what shutdownNow has handed back meanwhile.
            boolean ignored = timer.withdraw();
        }
    }

    /**
     * Sends a timer on that is armed again. Without memory for that, it is tried again until there is some: nobody else knows of
     * the timer. Worker.
     */
    private void passOn(PeriodicTimer timer, long nextNanos, long nowNanos) {
        boolean straight = false;
        boolean posted = false;
        while (true) {
            try {
                if (!straight && !posted) {
                    straight = nextNanos - nowNanos <= 0 && goStraight(timer, nowNanos);
                }
                if (straight) {
                    workers.signal();
                    return;
                }
                if (!posted) {
                    inbox.prepareToWakeFor(nextNanos);
                    inbox.postLazily(timer);
                    posted = true;
                }
                inbox.wakeFor(nextNanos);
                return;
            } catch (Throwable ex) {
                LockSupport.parkNanos(this, PAUSE_WITHOUT_MEMORY_NANOS);
            }
            if (!policies.mayRepeat()) {
                boolean ignored = timer.withdraw();
            }
            if (!straight && !posted && timer.state() != TimerWord.ARMED) {
                // It was counted as gone, and will never be counted as posted.
                pending.countMissingPost();
                return;
            }
        }
    }

    private void releasePermit(ScheduledTimer<?> timer) {
        if (timer.takePermit()) {
            pending.release();
        }
    }

    // Pausing and stopping

    /** Holds due runs back, unless the executor is shut down, and calls back when no run is going on. */
    void pause(@Nullable Runnable whenQuiet) {
        lifecycleLock.lock();
        try {
            if (!runState.isShutdown()) {
                workers.pause();
            }
        } finally {
            lifecycleLock.unlock();
        }
        if (whenQuiet != null) {
            workers.callWhenQuiet(whenQuiet);
        }
    }

    void resume() {
        workers.resume();
        if (loop.isHeldUp()) {
            inbox.wake();
        }
    }

    void shutdown() {
        lifecycleLock.lock();
        try {
            runState.shutdown();
            try {
                applyShutdownPolicies();
            } finally {
                workers.resume();
            }
        } finally {
            lifecycleLock.unlock();
        }
    }

    /** Shuts down and returns, by deadline, the one-time timers that are not due within the limit; none is cancelled. */
    List<Runnable> shutdownWithin(long limitNanos) {
        NeverRan neverRun = new NeverRan();
        lifecycleLock.lock();
        try {
            policies.setLastDeadlineNanos(deadlineAfter(limitNanos, TimeUnit.NANOSECONDS));
            tooLate = neverRun;
            shutdown();
        } finally {
            tooLate = null;
            lifecycleLock.unlock();
        }
        return neverRun.takeByDeadline();
    }

    /** Stops everything and returns, in the order of their deadlines, the timers that never ran; none is cancelled. */
    List<Runnable> shutdownNow() {
        lifecycleLock.lock();
        try {
            runState.stop();
            if (tickThreadStarted) {
                tickThread.awaitGivenUp();
            }
            if (!isGivenBack) {
                giveBackWhatIsReady();
                loop.admitAll();
                loop.removeIf(timer -> givenBack.hasRoomFor(1), timer -> giveBack(timer, givenBack));
                isGivenBack = true;
            }
            workers.interruptActive();
            terminateIfEnded();
            return givenBack.takeByDeadline();
        } finally {
            lifecycleLock.unlock();
        }
    }

    /** Without memory for it, nothing is lost: the next call goes on. */
    private void giveBackWhatIsReady() {
        boolean mayBeMore = true;
        while (mayBeMore) {
            if (stoppedRuns.isEmpty()) {
                stoppedRuns = workers.stopNow();
            }
            mayBeMore = !stoppedRuns.isEmpty();
            boolean ignored = givenBack.hasRoomFor(stoppedRuns.size());
            for (Runnable run : stoppedRuns) {
                if (timerOf(run) instanceof ScheduledTimer<?> timer) {
                    giveBack(timer, givenBack);
                }
            }
            stoppedRuns = List.of();
        }
    }

    /** Takes a timer that is not due yet out of use, without cancelling it; false if it is due, or over. */
    boolean remove(ScheduledTimer<?> timer) {
        if (!timer.takeOut()) {
            return false;
        }
        pending.cancelled();
        releasePermit(timer);
        cancelledInWheel(timer);
        wakeIfItMayEnd();
        return true;
    }

    private void giveBack(ScheduledTimer<?> timer, NeverRan neverRan) {
        if (timer.giveBack()) {
            pending.cancelled();
            releasePermit(timer);
            neverRan.add(timer);
        }
    }

    ShutdownPolicies policies() {
        return policies;
    }

    /** Applies policies that have been changed after shutdown. */
    void reapplyShutdownPolicies() {
        lifecycleLock.lock();
        try {
            if (runState.isShutdown() && !runState.isStopped()) {
                applyShutdownPolicies();
            }
        } finally {
            lifecycleLock.unlock();
        }
    }

    private void applyShutdownPolicies() {
        if (tickThreadStarted) {
            tickThread.requestSweep();
        } else {
            workers.stop();
        }
        terminateIfEnded();
    }

    /** Cancels what the shutdown policies do not let run, or hands it back. Tick thread. */
    private void sweep() {
        NeverRan handedBack = tooLate;
        loop.admitAll();
        loop.removeIf(timer -> !mayStart(timer, false) && (handedBack == null || handedBack.hasRoomFor(1)), timer -> {
            if (handedBack != null && policies.isTooLate(timer)) {
                giveBack(timer, handedBack);
            } else {
                boolean ignored = timer.cancel(false);
            }
        });
        workers.forEachReady(run -> {
            if (timerOf(run) instanceof ScheduledTimer<?> scheduled && !mayStart(scheduled, true)) {
                boolean ignored = scheduled.cancel(false);
            }
        });
    }

    private void tickThreadEnded() {
        boolean told = false;
        while (!told) {
            try {
                workers.stop();
                terminateIfEnded();
                told = true;
            } catch (Throwable ex) {
                // Nobody else would.
                LockSupport.parkNanos(this, PAUSE_WITHOUT_MEMORY_NANOS);
            }
        }
    }

    @Override
    public void wentIdle() {
        if (runState.isShutdown() || loop.isHeldUp()) {
            inbox.wake();
        }
    }

    @Override
    public void ended() {
        terminateIfEnded();
    }

    @Override
    public boolean touch(Runnable run) {
        return run instanceof ScheduledTimer<?> timer && timer.task() == null;
    }

    @Override
    public boolean isOver(Runnable run) {
        return timerOf(run) instanceof ScheduledTimer<?> timer && timer.isDone();
    }

    @Override
    public long starting(Runnable run, long expiredNanos) {
        return observation.starting(timerOf(run), expiredNanos);
    }

    @Override
    public void abandoned(Runnable run) {
        if (timerOf(run) instanceof ScheduledTimer<?> timer) {
            boolean ignored = timer.withdraw();
        }
    }

    @Override
    public boolean isShutdown() {
        return runState.isShutdown();
    }

    private static Object timerOf(Runnable run) {
        return run instanceof DecoratedTask decorated ? decorated.timer() : run;
    }

    private void terminateIfEnded() {
        boolean tickThreadGone = !tickThreadStarted || tickThread.hasGivenUp();
        if (runState.isShutdown() && tickThreadGone && workers.hasEnded()) {
            runState.terminate();
        }
    }

    // Looking

    RunState runState() {
        return runState;
    }

    Workers workers() {
        return workers;
    }

    Inbox<ScheduledTimer<?>> inbox() {
        return inbox;
    }

    TickLoop loop() {
        return loop;
    }

    PendingTimers pending() {
        return pending;
    }

    Detours detours() {
        return detours;
    }

    RunObservation observation() {
        return observation;
    }

    /** Returns the runs that have been going on for at least so long, those that started while nobody observed not included. */
    List<RunningTask> runningFor(Duration atLeast) {
        long nowNanos = clock.nanoTime();
        List<RunningTask> running = new ArrayList<>();
        workers.forEachRunning((run, thread, startedNanos) -> {
            Duration runningFor = Duration.ofNanos(Math.max(0, nowNanos - startedNanos));
            if (runningFor.compareTo(atLeast) >= 0) {
                running.add(new RunningTask(RunObservation.taskOf(timerOf(run)), thread, startedNanos, runningFor));
            }
        });
        return running;
    }

    WheelSnapshot snapshot() {
        long nowNanos = clock.nanoTime();
        return new WheelSnapshot(
                pending.count(),
                inbox.size(),
                workers.readyCount(),
                Duration.ofNanos(workers.oldestReadyNanos(nowNanos)),
                workers.activeCount(),
                workers.threadCount(),
                new WheelSnapshot.Totals(
                        pending.scheduledSoFar(),
                        pending.startedSoFar(),
                        pending.cancelledSoFar(),
                        rejected.sum(),
                        catchUp.skippedRuns(),
                        workers.refusedHandOvers()),
                tickThread.look(nowNanos, watch.jumps()));
    }

    /** Returns when the tick thread has to know of the timer. Where the wall clock is to be watched, that may be soon. */
    private long neededAt(ScheduledTimer<?> timer) {
        long deadlineNanos = timer.deadlineNanos();
        if (timer instanceof InstantTimer) {
            long checkNanos = clock.nanoTime() + WallClockWatch.CHECK_INTERVAL_NANOS;
            return deadlineNanos - checkNanos < 0 ? deadlineNanos : checkNanos;
        }
        return deadlineNanos;
    }

    /** Creates a timer for an instant on the wall clock, with a deadline as seen now. */
    InstantTimer newInstantTimer(Runnable task, Instant instant) {
        Duration ahead = Duration.between(settings.wallClock().instant(), instant);
        long aheadNanos = WallClockWatch.saturatedNanos(ahead);
        return aheadNanos <= 0
                ? new InstantTimer(this, task, instant, deadlineNow(), true)
                : new InstantTimer(this, task, instant, clock.nanoTime() + aheadNanos, false);
    }
}
