package io.github.wheelscheduler;

import io.github.wheelscheduler.worker.Workers;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The life of an executor, which its groups share, but for those that stand apart. */
final class RootLifecycle extends Lifecycle {

    /** Set once both tick thread and workers have been started. */
    private volatile boolean started;

    RootLifecycle(SharedWheel shared, RunState runState, ShutdownPolicies policies, Dispatcher dispatcher) {
        super(shared, runState, policies, dispatcher);
    }

    @Override
    boolean isEnding() {
        return runState.isShutdown();
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
            workers.start();
            shared.startTickThread();
            started = true;
        } finally {
            lock.unlock();
        }
    }

    private void forEachFollowing(Consumer<GroupLifecycle> action) {
        for (Engine group : shared.groups()) {
            if (group.lifecycle() instanceof GroupLifecycle lifecycle && !lifecycle.standsApart()) {
                action.accept(lifecycle);
            }
        }
    }

    @Override
    void pause(@Nullable Runnable whenQuiet) {
        StackReserve.askForMore();
        AtomicInteger notQuiet = new AtomicInteger(1);
        Runnable countDown = () -> {
            if (notQuiet.decrementAndGet() == 0 && whenQuiet != null) {
                whenQuiet.run();
            }
        };
        lock.lock();
        try {
            if (!runState.isShutdown()) {
                workers.pause();
                forEachFollowing(group -> group.pauseWithRoot(true));
            }
        } finally {
            lock.unlock();
        }
        // The pause has made the workers forget who waits.
        forEachFollowing(GroupLifecycle::awaitQuiet);
        if (whenQuiet != null) {
            forEachFollowing(group -> {
                notQuiet.incrementAndGet();
                group.callRootWhenQuiet(countDown);
            });
            workers.callWhenQuiet(countDown);
        }
    }

    @Override
    void resume() {
        StackReserve.askForMore();
        lock.lock();
        try {
            workers.resume();
            wakeIfHeldUp();
            forEachFollowing(group -> group.pauseWithRoot(false));
        } finally {
            lock.unlock();
        }
    }

    @Override
    boolean concerns(ScheduledTimer<?> timer) {
        return true;
    }

    @Override
    void beginShutdown() {
        runState.shutdown();
        forEachFollowing(GroupLifecycle::beginShutdown);
    }

    @Override
    void limitShutdown(long deadlineNanos) {
        super.limitShutdown(deadlineNanos);
        forEachFollowing(group -> group.limitShutdown(deadlineNanos));
    }

    @Override
    void tellOfStop() {
        super.tellOfStop();
        for (Engine group : shared.groups()) {
            group.lifecycle().tellOfStop();
        }
    }

    @Override
    void beginStop() {
        runState.stop();
        for (Engine group : shared.groups()) {
            group.lifecycle().beginStop();
        }
        shared.awaitGivenUp();
    }

    @Override
    void sweepForGood(Runnable sweep) {
        sweep.run();
    }

    @Override
    void forEachWorkers(Consumer<Workers> action) {
        action.accept(workers);
        for (Engine group : shared.groups()) {
            // What stands apart is concerned once the executor is stopped.
            if (group.runState().isShutdown()) {
                group.lifecycle().forEachWorkers(action);
            }
        }
    }

    @Override
    void stopWorkers() {
        workers.stop();
        for (Engine group : shared.groups()) {
            group.runState().shutdown();
            group.lifecycle().stopWorkers();
        }
        shared.starter().stop();
    }

    /** The tick thread has let go of the wheel. On that thread. */
    void tickThreadEnded() {
        untilDone(() -> {
            stopWorkers();
            terminateIfEnded();
        });
    }

    @Override
    void terminateIfEnded() {
        boolean haveAllEnded = runState.isShutdown() && shared.isTickThreadGone() && workers.hasEnded();
        for (Engine group : shared.groups()) {
            GroupLifecycle lifecycle = (GroupLifecycle) group.lifecycle();
            haveAllEnded &= lifecycle.terminateItselfIfEnded();
        }
        if (haveAllEnded) {
            if (shared.starter().hasEnded()) {
                runState.terminate();
            } else {
                shared.starter().stop();
            }
        }
    }
}
