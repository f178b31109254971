package io.github.wheelscheduler;

import io.github.wheelscheduler.worker.Workers;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The life of a group of an executor. It has threads of its own and shares the tick thread. */
final class GroupLifecycle extends Lifecycle {

    private final Engine engine;
    private final PendingTimers pending;

    /** Whether neither pause, steering nor shutdown of the executor concern it. */
    private final boolean standsApart;

    private volatile boolean started;

    /** Who waits until no run of this group is going on: somebody who has paused it, and the executor. */
    private final AtomicReference<@Nullable Runnable> whenQuiet = new AtomicReference<>();

    private final AtomicReference<@Nullable Runnable> whenQuietForRoot = new AtomicReference<>();

    /** Guarded by the lock, as the next one. */
    private boolean isPausedItself;

    private boolean isPausedWithRoot;

    /** Set before the inbox is looked at for the last time on behalf of this group. */
    private volatile boolean leaving;

    private volatile boolean areWorkersStopped;

    GroupLifecycle(
            Engine engine,
            SharedWheel shared,
            RunState runState,
            ShutdownPolicies policies,
            PendingTimers pending,
            Dispatcher dispatcher,
            boolean standsApart) {
        super(shared, runState, policies, dispatcher);
        this.engine = engine;
        this.pending = pending;
        this.standsApart = standsApart;
    }

    boolean standsApart() {
        return standsApart;
    }

    /** Starts what all groups share; the group's own threads come with its first run. */
    @Override
    boolean isEnding() {
        return runState.isShutdown() || shared.isShutdown();
    }

    @Override
    void startIfNeeded() {
        if (started) {
            return;
        }
        lock.lock();
        try {
            if (runState.isShutdown()) {
                return;
            }
            forEachWorkers(Workers::start);
            shared.startTickThread();
            started = true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    void pause(@Nullable Runnable whenQuiet) {
        StackReserve.askForMore();
        lock.lock();
        try {
            if (!runState.isShutdown()) {
                isPausedItself = true;
                workers.pause();
            }
        } finally {
            lock.unlock();
        }
        this.whenQuiet.set(whenQuiet);
        awaitQuiet();
    }

    /** Calls back, on behalf of the executor, when no run is going on, at once if there is none. */
    void callRootWhenQuiet(Runnable callback) {
        whenQuietForRoot.set(callback);
        awaitQuiet();
    }

    /** Sees to it that whoever waits is called back. Not under the lock: that may be at once, and is the user's code. */
    void awaitQuiet() {
        if (whenQuiet.get() != null || whenQuietForRoot.get() != null) {
            workers.callWhenQuiet(this::tellOfQuiet);
        }
    }

    private void tellOfQuiet() {
        try {
            call(whenQuiet);
        } finally {
            call(whenQuietForRoot);
        }
    }

    private static void call(AtomicReference<@Nullable Runnable> callback) {
        Runnable taken = callback.getAndSet(null);
        if (taken != null) {
            taken.run();
        }
    }

    @Override
    void resume() {
        StackReserve.askForMore();
        lock.lock();
        try {
            isPausedItself = false;
            resumeUnlessPaused();
        } finally {
            lock.unlock();
        }
    }

    /** The executor has been paused, or goes on. */
    void pauseWithRoot(boolean isPaused) {
        lock.lock();
        try {
            if (isPaused && !runState.isShutdown()) {
                isPausedWithRoot = true;
                workers.pause();
            } else if (!isPaused) {
                isPausedWithRoot = false;
                resumeUnlessPaused();
            }
        } finally {
            lock.unlock();
        }
    }

    private void resumeUnlessPaused() {
        if (!isPausedItself && !isPausedWithRoot) {
            workers.resume();
            wakeIfHeldUp();
        }
    }

    @Override
    boolean concerns(ScheduledTimer<?> timer) {
        return timer.owner() == engine;
    }

    @Override
    void beginShutdown() {
        tellThatItEnds();
        runState.shutdown();
        noteThatItMayEnd();
    }

    private void tellThatItEnds() {
        if (!runState.isShutdown()) {
            shared.addEnding(engine);
        }
    }

    @Override
    void beginStop() {
        tellThatItEnds();
        runState.stop();
        noteThatItMayEnd();
    }

    @Override
    void noteThatItMayEnd() {
        shared.noteThatAGroupMayEnd();
    }

    @Override
    void sweepForGood(Runnable sweep) {
        shared.onTickThread(sweep);
    }

    @Override
    void forEachWorkers(Consumer<Workers> action) {
        action.accept(workers);
        Refusals refusals = dispatcher.refusals();
        if (refusals != null) {
            action.accept(refusals.workers());
        }
    }

    @Override
    boolean isLeaving() {
        return leaving || super.isLeaving();
    }

    @Override
    void endIfDrained() {
        if (!areWorkersStopped && isDrained()) {
            leaving = true;
            VarHandle.fullFence();
            boolean stops = false;
            try {
                stops = isDrained();
                if (stops) {
                    stopWorkers();
                }
            } finally {
                leaving = stops;
            }
        }
        boolean ignored = terminateItselfIfEnded();
    }

    @Override
    boolean mayEnd() {
        return runState.isShutdown() && !areWorkersStopped && pending.count() == 0 && isDrained();
    }

    private boolean isDrained() {
        // Workers first: a run that has ended has posted its next one before.
        return runState.isShutdown() && dispatcher.isDrained() && loop.holdsNothingOf(dispatcher, pending);
    }

    @Override
    void stopWorkers() {
        leaving = true;
        forEachWorkers(Workers::stop);
        areWorkersStopped = true;
    }

    @Override
    void terminateIfEnded() {
        boolean ended = terminateItselfIfEnded();
        if (ended && lock.isHeldByCurrentThread()) {
            shared.forgetIfNoTickThread(engine);
        }
        if (ended && shared.isShutdown()) {
            engine.root().lifecycle().terminateIfEnded();
        }
    }

    /** Ends the group if it has no thread any more, and says whether it has ended. */
    boolean terminateItselfIfEnded() {
        if (runState.isShutdown() && !isTerminated() && haveWorkersEnded()) {
            runState.terminate();
            noteThatItMayEnd();
            inbox.wake();
        }
        return isTerminated();
    }

    private boolean haveWorkersEnded() {
        Refusals refusals = dispatcher.refusals();
        return workers.hasEnded() && (refusals == null || refusals.workers().hasEnded());
    }

    boolean isTerminated() {
        return runState.terminated().getCount() == 0;
    }
}
