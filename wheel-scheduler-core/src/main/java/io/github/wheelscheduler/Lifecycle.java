package io.github.wheelscheduler;

import io.github.wheelscheduler.inbox.Inbox;
import io.github.wheelscheduler.worker.Workers;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Starts the threads, pauses and stops them, and hands back what never ran. Any thread. */
final class Lifecycle {

    private static final long PAUSE_WITHOUT_MEMORY_NANOS = 1_000_000;

    private final ExecutorSettings settings;
    private final TimeSource clock;
    private final RunState runState;
    private final ShutdownPolicies policies;
    private final PendingTimers pending;
    private final Inbox<ScheduledTimer<?>> inbox;
    private final Workers workers;
    private final TickLoop loop;
    private final TickThread tickThread;

    /** Starting and stopping; never taken by the tick thread, by schedule (after the first), cancel or reschedule. */
    private final ReentrantLock lifecycleLock = new ReentrantLock();

    /** Set once both tick thread and workers have been started. */
    private volatile boolean started;

    private volatile boolean tickThreadStarted;

    /** What shutdownNow is to return. Guarded by the lock. */
    private final NeverRan givenBack = new NeverRan();

    /** What the workers have given back, and is to follow. Guarded by the lock. */
    private List<Runnable> stoppedRuns = List.of();

    private boolean isGivenBack;

    /** Where a sweep puts what comes too late. Set around it, under the lifecycle lock. Reader: tick thread, in the sweep. */
    private @Nullable NeverRan tooLate;

    Lifecycle(
            ExecutorSettings settings,
            RunState runState,
            ShutdownPolicies policies,
            PendingTimers pending,
            Inbox<ScheduledTimer<?>> inbox,
            Workers workers,
            TickLoop loop) {
        this.settings = settings;
        this.clock = settings.clock();
        this.runState = runState;
        this.policies = policies;
        this.pending = pending;
        this.inbox = inbox;
        this.workers = workers;
        this.loop = loop;
        this.tickThread = new TickThread(clock, inbox, loop, workers, runState, this::tickThreadEnded);
    }

    /** Starts the threads, if nobody has. */
    void startIfNeeded() {
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
            policies.setLastDeadlineNanos(Engine.deadlineAfter(clock.nanoTime(), limitNanos, TimeUnit.NANOSECONDS));
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
                if (Engine.timerOf(run) instanceof ScheduledTimer<?> timer) {
                    giveBack(timer, givenBack);
                }
            }
            stoppedRuns = List.of();
        }
    }

    private void giveBack(ScheduledTimer<?> timer, NeverRan neverRan) {
        if (timer.giveBack()) {
            pending.cancelled();
            pending.releasePermit(timer);
            neverRan.add(timer);
        }
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
            tickThread.runBetweenPasses(this::sweep);
        } else {
            workers.stop();
        }
        terminateIfEnded();
    }

    /** Cancels what the shutdown policies do not let run, or hands it back. Tick thread. */
    private void sweep() {
        NeverRan handedBack = tooLate;
        loop.admitAll();
        loop.removeIf(
                timer -> !policies.mayStart(timer, false) && (handedBack == null || handedBack.hasRoomFor(1)),
                timer -> {
                    if (handedBack != null && policies.isTooLate(timer)) {
                        giveBack(timer, handedBack);
                    } else {
                        boolean ignored = timer.cancel(false);
                    }
                });
        workers.forEachReady(run -> {
            if (Engine.timerOf(run) instanceof ScheduledTimer<?> scheduled && !policies.mayStart(scheduled, true)) {
                boolean ignored = scheduled.cancel(false);
            }
        });
    }

    /** Does something that no shutdown comes into; nothing after it. */
    void unlessShutdown(Runnable action) {
        lifecycleLock.lock();
        try {
            if (!runState.isShutdown()) {
                action.run();
            }
        } finally {
            lifecycleLock.unlock();
        }
    }

    /** Does something on the tick thread, between two passes, and waits for that; nothing if there is none. */
    void onTickThread(Runnable action) {
        lifecycleLock.lock();
        try {
            if (tickThreadStarted) {
                tickThread.runBetweenPasses(action);
            }
        } finally {
            lifecycleLock.unlock();
        }
    }

    /** Returns how far ahead the first deadline lies, the longest time if nothing is pending. Looks at all timers. */
    long nanosToFirstDeadline() {
        long[] nanos = {Long.MAX_VALUE};
        onTickThread(() -> nanos[0] = loop.nanosToFirstDeadline());
        return nanos[0];
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

    void terminateIfEnded() {
        boolean tickThreadGone = !tickThreadStarted || tickThread.hasGivenUp();
        if (runState.isShutdown() && tickThreadGone && workers.hasEnded()) {
            runState.terminate();
        }
    }

    /** After shutdown, the tick thread waits for the last pending timer to go. */
    void wakeIfItMayEnd() {
        if (runState.isShutdown()) {
            inbox.wake();
        }
    }

    /** Whether the tick thread looks at the inbox for the last time, or has done so. */
    boolean isLeaving() {
        return tickThread.isLeaving();
    }

    /** Whether there is a tick thread, which has been started and has not ended. Any thread. */
    boolean hasTickThread() {
        return tickThreadStarted && !tickThread.hasGivenUp();
    }

    WheelSnapshot.Tick lookAtTickThread(long nowNanos, long clockJumps) {
        return tickThread.look(nowNanos, clockJumps);
    }
}
