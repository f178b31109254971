package io.github.wheelscheduler;

import io.github.wheelscheduler.inbox.Inbox;
import io.github.wheelscheduler.worker.Workers;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Starts the threads, pauses and stops them, and hands back what never ran: what an executor and each of its groups have in common.
 * Any thread.
 */
abstract class Lifecycle {

    private static final long PAUSE_WITHOUT_MEMORY_NANOS = 1_000_000;

    final SharedWheel shared;
    final RunState runState;
    final TickLoop loop;
    final Inbox<ScheduledTimer<?>> inbox;
    final ReentrantLock lock;
    final Dispatcher dispatcher;
    final Workers workers;

    private final ShutdownPolicies policies;

    private final AtomicReference<@Nullable Runnable> stopListener = new AtomicReference<>();

    /** What shutdownNow is to return. Guarded by the lock. */
    private final NeverRan givenBack = new NeverRan();

    /** What the workers have given back, and is to follow. Guarded by the lock. */
    private List<Runnable> stoppedRuns = List.of();

    private boolean isGivenBack;

    /** Where a sweep puts what comes too late. Set around it, under the lock. Reader: tick thread, in the sweep. */
    private @Nullable NeverRan tooLate;

    Lifecycle(SharedWheel shared, RunState runState, ShutdownPolicies policies, Dispatcher dispatcher) {
        this.shared = shared;
        this.runState = runState;
        this.policies = policies;
        this.dispatcher = dispatcher;
        this.workers = dispatcher.workers();
        this.loop = shared.loop();
        this.inbox = shared.inbox();
        this.lock = shared.lock();
    }

    /** Starts the threads, if nobody has. */
    abstract void startIfNeeded();

    /** Whether a shutdown of this concerns the timer. */
    abstract boolean concerns(ScheduledTimer<?> timer);

    /** Says that nothing is accepted any more, here and wherever that follows. Under the lock. */
    abstract void beginShutdown();

    /** Says that nothing runs any more, here and wherever that follows. Under the lock. */
    abstract void beginStop();

    /** Does something for each set of workers that a shutdown of this concerns. */
    abstract void forEachWorkers(Consumer<Workers> action);

    /** Takes the timers that this concerns out of the wheel, with nobody else at it. Under the lock. */
    abstract void sweepForGood(Runnable sweep);

    /** Ends whatever has nothing left to do. */
    abstract void terminateIfEnded();

    /** Ends a group that was shut down and has nothing left. Tick thread. */
    void endIfDrained() {}

    /** Whether there is a group that was shut down and has nothing left, as far as that can be seen. Tick thread. */
    boolean mayEnd() {
        return false;
    }

    /** Whether this has been shut down, or what it is a group of. Each call that arms or cancels asks. */
    abstract boolean isEnding();

    /** Whether the tick thread looks at the inbox for the last time on behalf of this, or has done so. */
    boolean isLeaving() {
        return shared.isLeaving();
    }

    /** Holds due runs back, unless the executor is shut down, and calls back when no run is going on. */
    abstract void pause(@Nullable Runnable whenQuiet);

    abstract void resume();

    final void wakeIfHeldUp() {
        if (dispatcher.shortcut().isHeldUp()) {
            inbox.wake();
        }
    }

    final void shutdown() {
        StackReserve.askForMore();
        lock.lock();
        try {
            beginShutdown();
            try {
                applyShutdownPolicies();
            } finally {
                forEachWorkers(Workers::resume);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Shuts down and returns, by deadline, the one-time timers that are not due within the limit; none is cancelled. */
    final List<Runnable> shutdownWithin(long limitNanos) {
        StackReserve.askForMore();
        NeverRan neverRun = new NeverRan();
        lock.lock();
        try {
            limitShutdown(Engine.deadlineAfter(shared.clock().nanoTime(), limitNanos, TimeUnit.NANOSECONDS));
            tooLate = neverRun;
            shutdown();
        } finally {
            tooLate = null;
            lock.unlock();
        }
        return neverRun.takeByDeadline();
    }

    /** Says that nobody waits for delayed timers with a later deadline. */
    void limitShutdown(long deadlineNanos) {
        policies.setLastDeadlineNanos(deadlineNanos);
    }

    /** Sets who is told before anything is stopped; null for nobody. */
    final void setStopListener(@Nullable Runnable listener) {
        stopListener.set(listener);
    }

    /** Tells, once, that everything is about to be stopped. Not under the lock: it is the user's code. */
    void tellOfStop() {
        Runnable listener = stopListener.getAndSet(null);
        if (listener != null) {
            Throwable ignored = Workers.runGuarded(listener);
        }
    }

    /**
     * Stops everything and returns, in the order of their deadlines, the timers that never ran; none is cancelled.
     *
     * @param interrupts whether runs that are going on are interrupted
     */
    final List<Runnable> shutdownNow(boolean interrupts) {
        StackReserve.askForMore();
        tellOfStop();
        lock.lock();
        try {
            beginStop();
            if (!isGivenBack) {
                giveBackWhatIsReady();
                sweepForGood(() -> {
                    loop.admitAll();
                    loop.removeIf(
                            timer -> concerns(timer) && givenBack.hasRoomFor(1), timer -> giveBack(timer, givenBack));
                });
                giveBackWhatIsReady();
                isGivenBack = true;
            }
            if (interrupts) {
                forEachWorkers(Workers::interruptActive);
            }
            terminateIfEnded();
            return givenBack.takeByDeadline();
        } finally {
            lock.unlock();
        }
    }

    /** Without memory for it, nothing is lost: the next call goes on. */
    private void giveBackWhatIsReady() {
        forEachWorkers(each -> {
            boolean mayBeMore = true;
            while (mayBeMore) {
                if (stoppedRuns.isEmpty()) {
                    stoppedRuns = each.stopNow();
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
        });
    }

    private static void giveBack(ScheduledTimer<?> timer, NeverRan neverRan) {
        if (timer.giveBack()) {
            timer.owner().gaveBack(timer);
            neverRan.add(timer);
        }
    }

    /** Applies policies that have been changed after shutdown. */
    final void reapplyShutdownPolicies() {
        lock.lock();
        try {
            if (runState.isShutdown() && !runState.isStopped()) {
                applyShutdownPolicies();
            }
        } finally {
            lock.unlock();
        }
    }

    private void applyShutdownPolicies() {
        if (shared.isTickThreadStarted()) {
            shared.onTickThread(this::sweep);
        } else {
            stopWorkers();
        }
        terminateIfEnded();
    }

    /** Lets the threads end that nobody needs, as there is no tick thread. */
    abstract void stopWorkers();

    /** Cancels what the shutdown policies do not let run, or hands it back. Tick thread. */
    private void sweep() {
        NeverRan handedBack = tooLate;
        loop.admitAll();
        loop.removeIf(
                timer -> concerns(timer)
                        && !timer.owner().mayStart(timer, false)
                        && (handedBack == null || handedBack.hasRoomFor(1)),
                timer -> {
                    if (handedBack != null && policies.isTooLate(timer)) {
                        giveBack(timer, handedBack);
                    } else {
                        boolean ignored = timer.cancel(false);
                    }
                });
        forEachWorkers(each -> each.forEachReady(run -> {
            if (Engine.timerOf(run) instanceof ScheduledTimer<?> scheduled
                    && !scheduled.owner().mayStart(scheduled, true)) {
                boolean ignored = scheduled.cancel(false);
            }
        }));
    }

    /** Does something that no shutdown comes into; nothing after it. */
    final void unlessShutdown(Runnable action) {
        lock.lock();
        try {
            if (!runState.isShutdown()) {
                action.run();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Does something on the tick thread, between two passes, and waits for that; nothing if there is none. */
    final void onTickThread(Runnable action) {
        lock.lock();
        try {
            shared.onTickThread(action);
        } finally {
            lock.unlock();
        }
    }

    /** Insists: nobody else would do it. */
    static void untilDone(Runnable action) {
        boolean done = false;
        while (!done) {
            try {
                action.run();
                done = true;
            } catch (Throwable ex) {
                LockSupport.parkNanos(PAUSE_WITHOUT_MEMORY_NANOS);
            }
        }
    }

    /** After shutdown, the tick thread waits for the last pending timer to go. */
    final void wakeIfItMayEnd() {
        if (isEnding()) {
            noteThatItMayEnd();
            inbox.wake();
        }
    }

    /** Something has happened, so that a group that was shut down may have nothing left. Any thread. */
    void noteThatItMayEnd() {}
}
