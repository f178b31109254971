package io.github.wheelscheduler;

import io.github.wheelscheduler.inbox.Inbox;
import io.github.wheelscheduler.wheel.TimingWheel;
import io.github.wheelscheduler.worker.Workers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Puts the stages together, answers what timers ask and tell, and starts and stops the threads. */
final class Engine implements TimerOwner, Workers.Listener {

    private static final long LONGEST_DELAY_NANOS = Long.MAX_VALUE / 2;

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

    private final LongAdder rejected = new LongAdder();

    private final RunObservation observation;

    Engine(ExecutorSettings settings) {
        this.settings = settings;
        this.decorates = settings.decorator() != null;
        this.clock = settings.clock();
        this.observation = new RunObservation(clock);
        this.pending = new PendingTimers(inbox::posted, settings.maxPending());
        this.catchUp = new CatchUp(settings.maxCatchUp());
        this.workers = settings.newWorkers(this);
        TimingWheel wheel = new TimingWheel(settings.tickShift(), clock.nanoTime());
        this.watch = new WallClockWatch(settings.wallClock(), wheel);
        this.loop = new TickLoop(inbox, wheel, watch, workers, pending, clock.nanoTime());
        this.tickThread = new TickThread(clock, inbox, loop, workers, runState, this::sweep, this::tickThreadEnded);
    }

    // Arming

    /**
     * Makes the new timer pending.
     *
     * @throws RejectedExecutionException if it is not accepted, unless the rejection handler decides otherwise
     */
    <T extends ScheduledTimer<?>> T arm(T timer) {
        if (runState.isShutdown()) {
            reject(timer, "the executor has been shut down");
        } else if (!pending.tryAcquire()) {
            reject(
                    timer,
                    "max-pending is " + pending.max() + ", and " + pending.inUse()
                            + " timers are pending or repeating");
        } else if (!post(timer)) {
            reject(timer, "the executor has been shut down");
        }
        return timer;
    }

    /** Makes the next timer of a series pending, with the permit of the running one; false after shutdown or cancel. */
    boolean armNext(InstantTimer running, InstantTimer timer) {
        if (!policies.mayRepeat() || !running.takePermit()) {
            return false;
        }
        return post(timer);
    }

    /** Makes the timer pending; false if a shutdown came in between, and the timer has been cancelled. */
    private boolean post(ScheduledTimer<?> timer) {
        boolean posted = false;
        try {
            startIfNeeded();
            if (settings.decorator() != null) {
                decorate(timer, settings.decorator());
            }
            inbox.post(timer, timer.deadlineNanos());
            posted = true;
        } finally {
            if (!posted) {
                takeBack(timer);
            }
        }
        workers.startIfShort();
        // A shutdown that came meanwhile may not have seen the timer.
        return !(runState.isShutdown()
                && (!(timer.isRepeating() && policies.mayRepeat()) || tickThread.isLeaving())
                && timer.withdraw());
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
            // The tick thread looks at the clocks every second while it knows of one.
            inbox.postLazily(timer);
            pending.countOtherPost();
        } else if (timer.isSample(SAMPLE_SHIFT) && loop.isLittered()) {
            inbox.wake();
        }
    }

    /** After shutdown, the tick thread waits for the last pending timer to go. */
    private void wakeIfItMayEnd() {
        if (runState.isShutdown()) {
            inbox.wake();
        }
    }

    @Override
    public void ended(ScheduledTimer<?> timer) {
        if (timer.isRepeating()) {
            releasePermit(timer);
        }
    }

    @Override
    public void movedEarlier(ScheduledTimer<?> timer, long deadlineNanos) {
        inbox.post(timer, deadlineNanos);
        pending.countOtherPost();
        wakeIfItMayEnd();
    }

    @Override
    public void repeat(PeriodicTimer timer) {
        long nowNanos = clock.nanoTime();
        long nextNanos = catchUp.nextDeadlineNanos(timer, nowNanos);
        if (policies.mayRepeat()) {
            if (!timer.rearmExactly(nextNanos)) {
                return;
            }
            inbox.post(timer, nextNanos);
        } else {
            timer.endRun();
        }
        if (!policies.mayRepeat()) {
            // Not what shutdownNow has handed back meanwhile.
            boolean ignored = timer.withdraw();
        }
    }

    private void releasePermit(ScheduledTimer<?> timer) {
        if (!(timer instanceof InstantTimer instant) || instant.takePermit()) {
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
            applyShutdownPolicies();
            workers.resume();
        } finally {
            lifecycleLock.unlock();
        }
    }

    /** Stops everything and returns, in the order of their deadlines, the timers that never ran; none is cancelled. */
    List<Runnable> shutdownNow() {
        List<ScheduledTimer<?>> neverRan = new ArrayList<>();
        lifecycleLock.lock();
        try {
            boolean first = !runState.isStopped();
            runState.stop();
            if (tickThreadStarted) {
                tickThread.awaitGivenUp();
            }
            if (first) {
                for (Runnable run : workers.stopNow()) {
                    giveBack(timerOf(run), neverRan);
                }
                loop.admitAll();
                loop.removeIf(timer -> true, timer -> giveBack(timer, neverRan));
            }
            workers.interruptActive();
            terminateIfEnded();
        } finally {
            lifecycleLock.unlock();
        }
        neverRan.sort((one, other) -> one.compareTo(other));
        return new ArrayList<>(neverRan);
    }

    private void giveBack(Object run, List<ScheduledTimer<?>> neverRan) {
        if (run instanceof ScheduledTimer<?> timer && timer.giveBack()) {
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

    /** Cancels what the shutdown policies do not let run. Tick thread. */
    private void sweep() {
        loop.admitAll();
        loop.removeIf(timer -> !mayStart(timer, false), timer -> timer.cancel(false));
        workers.forEachReady(run -> {
            if (timerOf(run) instanceof ScheduledTimer<?> scheduled && !mayStart(scheduled, true)) {
                boolean ignored = scheduled.cancel(false);
            }
        });
    }

    private void tickThreadEnded() {
        workers.stop();
        terminateIfEnded();
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

    /** Returns the deadline for an instant on the wall clock, as seen now. */
    long deadlineAt(Instant instant) {
        Duration ahead = Duration.between(settings.wallClock().instant(), instant);
        return clock.nanoTime() + Math.max(0, WallClockWatch.saturatedNanos(ahead));
    }
}
