package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.internal.worker.Workers;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The life of an executor or of one of its groups: starts the threads, pauses and stops them, and returns the tasks
 * that never ran. Any thread.
 */
public final class Lifecycle {

    /*
     * An executor is a group that owns the wheel. A group has workers of its own and shares the tick thread; it follows
     * the executor's pause and shutdown, unless it stands apart, and always its stop.
     *
     *                     executor                                   group
     *   shutdown          of the groups that follow, too             of itself
     *   ends              when the tick thread has released          when the tick thread finds nothing of it,
     *                     the wheel, and all groups have ended       between two passes
     *
     * shutdownNow
     * -----------
     *      caller                                                      worker
     *   1  closed, in the groups, too; then the state: STOPPED      1  phase = TAKING
     *   2  interrupts the threads in a run (RUNNING)                2  reads closed; takes a run unless it is set
     *   3  waits TAKING out, interrupts those it has missed         3  phase = RUNNING, and the run
     *   4  under the lock: has the tick thread released the wheel
     *   5  takes what is ready and what is in the wheel
     *   6  not under the lock: interrupts once more the threads that it has missed
     *
     * A thread that sees the state finds the workers closed. So each begins one run at most after that, which it had
     * taken before, and which is interrupted. Before 4, nothing waits for the tick thread, which may stand.
     */

    private final Engine engine;
    private final boolean ownsWheel;

    private final SharedWheel shared;
    private final RunState runState;
    private final Shortcut shortcut;
    private final Workers workers;

    /** Set once the tick thread has been started. */
    private volatile boolean started;

    private final AtomicReference<@Nullable Runnable> stopListener = new AtomicReference<>();
    private final AtomicReference<@Nullable Runnable> shutdownListener = new AtomicReference<>();

    /** Guarded by the lock. */
    private boolean isPausedItself;

    /** Set before the inbox is looked at for the last time on behalf of this. */
    private volatile boolean leaving;

    private volatile boolean areWorkersStopped;

    /** The result of shutdownNow. Guarded by the lock. */
    private final ArrayList<ScheduledTimer<?>> givenBack = new ArrayList<>();

    /** Runs that the workers have returned and that are still to be added. Guarded by the lock. */
    private List<Runnable> stoppedRuns = List.of();

    private boolean isGivenBack;

    /** Made beforehand, as there may be no memory when it is needed. */
    private final Runnable lastStep = this::stopAndTerminate;

    /**
     * Receives the timers that a sweep finds to be too late. Set around it, under the lock. Reader: tick thread, in the
     * sweep.
     */
    private @Nullable ArrayList<ScheduledTimer<?>> tooLate;

    Lifecycle(Engine engine, SharedWheel shared) {
        this.engine = engine;
        this.ownsWheel = engine.root == engine;
        this.shared = shared;
        this.runState = engine.runState;
        this.shortcut = engine.dispatcher.shortcut;
        this.workers = engine.workers;
    }

    /**
     * Starts the threads that are there before the first run, unless they have been; workers come with it. Throws what
     * fails.
     *
     * @return false if another caller is at it, and may fail: then this is called again after a timer has been posted
     */
    boolean startIfNeeded() {
        return started || start();
    }

    private boolean start() {
        if (runState.isShutdown()) {
            return true;
        }
        started = shared.tickThread.firstStart.startIfNeeded();
        return started;
    }

    /** Whether a shutdown of this concerns the timer. */
    private boolean concerns(ScheduledTimer<?> timer) {
        return ownsWheel || timer.owner() == engine;
    }

    /** Whether this, or the executor of this group, has been shut down. Read by each call that arms or cancels. */
    boolean isEnding() {
        return runState.isShutdown() || (!ownsWheel && engine.root.runState.isShutdown());
    }

    /** Names the executor or, if that has not been shut down, this group. */
    String whatHasEnded() {
        return ownsWheel || engine.root.runState.isShutdown() ? "the executor" : "group " + engine.settings.groupName();
    }

    /** Whether the tick thread looks at the inbox for the last time on behalf of this, or has done so. */
    boolean isLeaving() {
        return leaving || engine.root.lifecycle.leaving;
    }

    private void forEachOwnWorkers(Consumer<Workers> action) {
        action.accept(workers);
        GroupRefusals refusals = engine.dispatcher.refusals;
        if (refusals != null) {
            action.accept(refusals.workers);
        }
    }

    /** Does something for each set of workers that a shutdown of this concerns. */
    private void forEachWorkers(Consumer<Workers> action) {
        forEachOwnWorkers(action);
        engine.forEachGroup(group -> {
            // Detached groups are affected once the executor is stopped.
            if (group.runState.isShutdown()) {
                group.lifecycle.forEachOwnWorkers(action);
            }
        });
    }

    // Pause

    /** Holds due runs back, unless this is shut down, and calls back when no run is active. */
    public void pause(@Nullable Runnable callback) {
        StackReserve.askForMore();
        setPaused(true);
        if (callback != null) {
            callWhenQuiet(callback);
        }
    }

    /**
     * Calls back when no run is active, here and in the groups that follow. Not under the lock: it may do so at once,
     * and is the user's code.
     */
    private void callWhenQuiet(Runnable callback) {
        AtomicInteger notQuiet = new AtomicInteger(1);
        Runnable countDown = () -> {
            if (notQuiet.decrementAndGet() == 0) {
                callback.run();
            }
        };
        engine.forEachGroupThatFollows(group -> {
            // Stopped runs were interrupted, and may never end.
            if (!group.runState.isStopped()) {
                notQuiet.incrementAndGet();
                group.workers.callWhenQuiet(countDown);
            }
        });
        workers.callWhenQuiet(countDown);
    }

    /** Ends the pause; a group continues when neither it nor the executor that it follows is paused. */
    public void resume() {
        StackReserve.askForMore();
        setPaused(false);
    }

    private void setPaused(boolean value) {
        shared.locked(() -> {
            if (!value || !runState.isShutdown()) {
                isPausedItself = value;
                applyPause();
                engine.forEachGroupThatFollows(group -> group.lifecycle.applyPause());
            }
        });
    }

    /** Pauses or resumes the workers. Under the lock. */
    void applyPause() {
        boolean isPaused = isPausedItself || (!engine.settings.standsApart() && engine.root.lifecycle.isPausedItself);
        if (!isPaused) {
            workers.resume();
            wakeIfHeldUp();
        } else if (!runState.isShutdown()) {
            workers.pause();
        }
    }

    void wakeIfHeldUp() {
        if (shortcut.isHeldUp()) {
            engine.inbox.wake();
        }
    }

    // Shutdown

    public void shutdown() {
        StackReserve.askForMore();
        shared.locked(this::shutDown);
        tellOfShutdown();
        startForWhatIsLeft();
    }

    /** Under the lock. */
    private void shutDown() {
        beginShutdown();
        try {
            applyShutdownPolicies();
        } finally {
            forEachWorkers(Workers::resume);
        }
    }

    /**
     * Starts the tick thread for timers that remain after a shutdown, as no further call would start it. Not under the
     * lock.
     */
    private void startForWhatIsLeft() {
        shared.tickThread.firstStart.startIfLeft();
    }

    /**
     * Shuts down and returns, by deadline, the one-time timers that are not due within the limit; none is cancelled.
     */
    public List<Runnable> shutdownWithin(long limitNanos) {
        StackReserve.askForMore();
        ArrayList<ScheduledTimer<?>> neverRun = new ArrayList<>();
        shared.lock.lock();
        try {
            limitShutdown(engine.deadlineAfter(limitNanos, TimeUnit.NANOSECONDS));
            tooLate = neverRun;
            shutDown();
        } finally {
            tooLate = null;
            shared.lock.unlock();
        }
        tellOfShutdown();
        startForWhatIsLeft();
        return takeByDeadline(neverRun);
    }

    /** Says that nothing is accepted any more, here and wherever that follows. Under the lock. */
    private void beginShutdown() {
        noteThatItEnds();
        boolean ignored = runState.shutdown();
        noteThatItMayEnd();
        engine.forEachGroupThatFollows(group -> group.lifecycle.beginShutdown());
    }

    /** Says that nothing runs any more, here and in all groups. Waits for no thread. */
    private void beginStop() {
        // In this order: once a thread sees the state, no worker takes a run, here and in the groups.
        forEachOwnWorkers(Workers::close);
        engine.forEachGroup(group -> group.lifecycle.beginStop());
        noteThatItEnds();
        boolean ignored = runState.stop();
        noteThatItMayEnd();
    }

    /** Before it is shut down, as there may be no memory; the tick thread passes it over until then. */
    private void noteThatItEnds() {
        if (!ownsWheel && !runState.isShutdown()) {
            boolean ignored = shared.ending.add(engine);
        }
    }

    /** Ends the wait for delayed timers with a later deadline. */
    private void limitShutdown(long deadlineNanos) {
        runState.setLastDeadlineNanos(deadlineNanos);
        engine.forEachGroupThatFollows(group -> group.lifecycle.limitShutdown(deadlineNanos));
    }

    /** Sets the listener that is called before anything is stopped; null for none. */
    public void setStopListener(@Nullable Runnable listener) {
        stopListener.set(listener);
    }

    /** Sets the listener that is called when the shutdown has begun; null for none. */
    public void setShutdownListener(@Nullable Runnable listener) {
        shutdownListener.set(listener);
    }

    /**
     * Calls the listeners of the shutdown once, also those of groups that stand apart. Not under the lock. Throws
     * nothing: the shutdown has begun, and what is left is to be returned.
     */
    private void tellOfShutdown() {
        try {
            Runnable listener = shutdownListener.get() == null ? null : shutdownListener.getAndSet(null);
            if (listener != null) {
                Throwable ignored = Workers.runGuarded(listener);
            }
            engine.forEachGroup(group -> group.lifecycle.tellOfShutdown());
        } catch (Throwable ex) {
            // There is no memory or no stack to look through the groups.
        }
    }

    /** Tells, once, that everything is about to be stopped. Not under the lock: it is the user's code. */
    private void tellOfStop() {
        Runnable listener = stopListener.get() == null ? null : stopListener.getAndSet(null);
        if (listener != null) {
            Throwable ignored = Workers.runGuarded(listener);
        }
        engine.forEachGroup(group -> group.lifecycle.tellOfStop());
    }

    /**
     * Stops everything and returns, in the order of their deadlines, the timers that never ran; none is cancelled.
     *
     * @param interrupts whether runs that are active are interrupted
     */
    public List<Runnable> shutdownNow(boolean interrupts) {
        StackReserve.askForMore();
        tellOfStop();
        beginStop();
        if (interrupts) {
            forEachWorkers(Workers::interruptActive);
            forEachWorkers(Workers::interruptLate);
        }
        shared.lock.lock();
        try {
            // Groups may have come since.
            beginStop();
            if (ownsWheel) {
                shared.tickThread.giveUp();
            }
            if (!isGivenBack) {
                giveBackWhatIsReady();
                giveBackWhatIsPending();
                giveBackWhatIsReady();
                isGivenBack = true;
            }
            terminateIfEnded();
        } finally {
            shared.lock.unlock();
            forEachWorkers(Workers::interruptFeeder);
            if (interrupts) {
                forEachWorkers(Workers::interruptLate);
            }
        }
        return takeGivenBack();
    }

    /** The last step: a call that fails before leaves them to the next one. */
    private List<Runnable> takeGivenBack() {
        shared.lock.lock();
        try {
            return takeByDeadline(givenBack);
        } finally {
            shared.lock.unlock();
        }
    }

    /** Takes the timers that this concerns out of the wheel, with no other thread at it. Under the lock. */
    private void giveBackWhatIsPending() {
        Runnable sweep = () -> removeIf(timer -> hasRoomFor(1, givenBack), timer -> giveBack(timer, givenBack));
        if (ownsWheel) {
            sweep.run();
        } else {
            shared.onTickThread(sweep);
        }
    }

    /** Without memory for it, nothing is lost: the next call continues. */
    private void giveBackWhatIsReady() {
        forEachWorkers(each -> {
            boolean mayBeMore = true;
            while (mayBeMore) {
                if (stoppedRuns.isEmpty()) {
                    stoppedRuns = each.stopNow();
                }
                mayBeMore = !stoppedRuns.isEmpty();
                boolean ignored = hasRoomFor(stoppedRuns.size(), givenBack);
                stoppedRuns.forEach(run -> giveBack(Engine.timerOf(run), givenBack));
                stoppedRuns = List.of();
            }
        });
    }

    private static void giveBack(ScheduledTimer<?> timer, List<ScheduledTimer<?>> neverRun) {
        if (timer.giveBack()) {
            timer.owner().gaveBack(timer);
            neverRun.add(timer);
        }
    }

    /** Reserves memory for a number of timers before they are removed from their place; true, or it throws. */
    @SuppressWarnings("NonApiType") // a List finds no memory ahead
    private static boolean hasRoomFor(int more, ArrayList<ScheduledTimer<?>> timers) {
        timers.ensureCapacity(timers.size() + more);
        return true;
    }

    /** Empties the list, and returns its timers in the order of their deadlines. */
    private static List<Runnable> takeByDeadline(List<ScheduledTimer<?>> timers) {
        timers.sort((one, other) -> one.compareTo(other));
        List<Runnable> taken = new ArrayList<>(timers);
        timers.clear();
        return taken;
    }

    /** Applies policies that have been changed after shutdown. */
    public void reapplyShutdownPolicies() {
        shared.locked(() -> {
            if (runState.isShutdown() && !runState.isStopped()) {
                applyShutdownPolicies();
            }
        });
    }

    private void applyShutdownPolicies() {
        shared.onTickThread(this::sweep);
        if (shared.tickThread.isLacking()) {
            endInItsPlace();
        }
        terminateIfEnded();
    }

    /** Ends groups that have nothing left, as the tick thread would. Under the lock, as long as that has not begun. */
    private void endInItsPlace() {
        if (!ownsWheel) {
            endIfDrained();
        } else if (leavesIf(shared.tickThread::isDrainedAfterShutdown)) {
            shared.tickThread.giveUp();
            stopWorkers();
        }
    }

    /** Cancels or returns the timers that the shutdown policies do not let run. Tick thread. */
    private void sweep() {
        ArrayList<ScheduledTimer<?>> handedBack = tooLate;
        removeIf(
                timer -> !timer.owner().mayStart(timer, false) && (handedBack == null || hasRoomFor(1, handedBack)),
                timer -> {
                    if (handedBack != null && runState.isTooLate(timer)) {
                        giveBack(timer, handedBack);
                    } else {
                        boolean ignored = timer.cancel(false);
                    }
                });
        forEachWorkers(each -> each.forEachReady(run -> {
            ScheduledTimer<?> timer = Engine.timerOf(run);
            if (!timer.owner().mayStart(timer, true)) {
                boolean ignored = timer.cancel(false);
            }
        }));
    }

    /**
     * Removes timers that a shutdown of this concerns. It looks at none if they are of a group that has none pending.
     * Tick thread, or in its place.
     */
    private void removeIf(Predicate<ScheduledTimer<?>> filter, Consumer<ScheduledTimer<?>> action) {
        shared.loop.admitAll();
        if (ownsWheel || !shared.loop.holdsNothingOf(engine.dispatcher, engine.pending)) {
            shared.loop.removeIf(timer -> concerns(timer) && filter.test(timer), action);
        }
    }

    /** After shutdown, the tick thread waits for the last pending timer to go. */
    void wakeIfItMayEnd() {
        if (isEnding()) {
            noteThatItMayEnd();
            engine.inbox.wake();
        }
    }

    /** Something has happened, so that a group that was shut down may have nothing left. Any thread. */
    void noteThatItMayEnd() {
        if (!ownsWheel) {
            shared.mayGroupsEnd = true;
        }
    }

    // The end

    /** Lets the workers end: nothing is handed to them any more. */
    private void stopWorkers() {
        leaving = true;
        forEachOwnWorkers(Workers::stop);
        areWorkersStopped = true;
        if (ownsWheel) {
            engine.forEachGroup(group -> {
                group.runState.shutdown();
                group.lifecycle.stopWorkers();
            });
            shared.starter.stop();
        }
    }

    /**
     * Ends the remaining timers once the tick thread has released the wheel; retries failures, as no other thread
     * would. On that thread.
     */
    void tickThreadEnded() {
        ShortMemory.untilDone(lastStep);
    }

    private void stopAndTerminate() {
        stopWorkers();
        terminateIfEnded();
    }

    /** Ends a group that was shut down and has nothing left. Tick thread. */
    void endIfDrained() {
        if (runState.isShutdown() && !areWorkersStopped && leavesIf(this::isDrained)) {
            stopWorkers();
        }
        boolean ignored = terminateGroupIfEnded();
    }

    /**
     * Says that this looks at the inbox for the last time, if nothing is left, and takes it back if something is left
     * then. Tick thread.
     */
    boolean leavesIf(BooleanSupplier isDrained) {
        if (!isDrained.getAsBoolean()) {
            return false;
        }
        leaving = true;
        VarHandle.fullFence();
        try {
            leaving = isDrained.getAsBoolean();
        } catch (Throwable ex) {
            leaving = false;
            throw ex;
        }
        return leaving;
    }

    /** Whether there is a group that was shut down and has nothing left, as far as that can be seen. Tick thread. */
    boolean mayEnd() {
        return runState.isShutdown() && !areWorkersStopped && engine.pending.count() == 0 && isDrained();
    }

    private boolean isDrained() {
        // Workers first: a run that has ended has posted its next one before.
        return runState.isShutdown()
                && engine.dispatcher.isDrained()
                && shared.loop.holdsNothingOf(engine.dispatcher, engine.pending);
    }

    /** Terminates groups that have nothing left to do. */
    void terminateIfEnded() {
        if (ownsWheel) {
            terminateExecutorIfEnded();
            return;
        }
        boolean ended = terminateGroupIfEnded();
        if (ended && shared.lock.isHeldByCurrentThread()) {
            shared.forgetIfNoTickThread(engine);
        }
        if (ended && engine.root.runState.isShutdown()) {
            engine.root.lifecycle.terminateIfEnded();
        }
    }

    private void terminateExecutorIfEnded() {
        boolean haveAllEnded = runState.isShutdown() && shared.tickThread.isGone() && workers.hasEnded();
        for (Engine group : shared.groups) {
            haveAllEnded &= group.lifecycle.terminateGroupIfEnded();
        }
        if (haveAllEnded) {
            if (shared.starter.hasEnded()) {
                runState.terminate();
            } else {
                shared.starter.stop();
            }
        }
    }

    /** Ends the group if it has no thread any more, and returns whether it has ended. */
    private boolean terminateGroupIfEnded() {
        if (runState.isShutdown() && !runState.isTerminated() && haveWorkersEnded()) {
            runState.terminate();
            noteThatItMayEnd();
            engine.inbox.wake();
        }
        return runState.isTerminated();
    }

    private boolean haveWorkersEnded() {
        GroupRefusals refusals = engine.dispatcher.refusals;
        return workers.hasEnded() && (refusals == null || refusals.workers.hasEnded());
    }
}
