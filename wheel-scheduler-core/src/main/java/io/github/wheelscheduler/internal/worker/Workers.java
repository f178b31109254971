package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.RunHooks;
import io.github.wheelscheduler.internal.EngineLog;
import io.github.wheelscheduler.internal.ShortMemory;
import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes due runs from the tick thread and runs them elsewhere, in the order in which they were handed over.
 *
 * <p>{@link #handOver} and {@link #signal} never block, start a thread or call user code.
 */
public abstract class Workers {

    /** Called by workers, on their threads, for the events of their life. */
    public interface Listener {

        /** A worker has nothing more to run. */
        void wentIdle();

        /** The last worker has ended after a stop. */
        void ended();

        /**
         * Reads the memory that starting the run will read, to have it in the cache; the result depends on it. Any
         * thread.
         */
        default boolean touch(Runnable run) {
            return false;
        }

        /** Whether there is nothing more to run: it has been cancelled. Any thread. */
        default boolean isOver(Runnable run) {
            return false;
        }

        /**
         * A run that expired at {@code expiredNanos} is about to start on the calling thread. Throws nothing.
         *
         * @return the time now, if runs are observed; else 0
         */
        default long starting(Runnable run, long expiredNanos) {
            return 0;
        }

        /**
         * A worker has ended a run that it had taken, unless it has {@linkplain Workers#leaveEarly said} so before.
         * Throws nothing.
         */
        default void left() {}

        /**
         * An error has left the run, which may not have been ended: no other code would end it. On the thread of the
         * run. Throws nothing.
         */
        default void escaped(Runnable run, Throwable failure) {}

        /** This run will never be started: it is to end as cancelled. Any thread. */
        default void abandoned(Runnable run) {}

        /** Whether the scheduler accepts nothing more, and waits for the runs that it has. Any thread. */
        default boolean isShutdown() {
            return false;
        }
    }

    static final long PAUSE_AFTER_FAILURE_NANOS = 1_000_000;

    /** The suffix of the name of a tick thread that states its role. */
    static final String TICK = "tick";

    static {
        // While there is memory for the class: it is used when something has failed.
        EngineLog.prepare();
    }

    /** Runs that take less, on average, get done no sooner by more workers than there are processors. */
    private static final long SHORT_RUN_NANOS = 50_000;

    /** The interval between two looks at how many runs are taken; workers may be without a processor for less. */
    private static final long LOOK_INTERVAL_NANOS = 50_000_000;

    /** More workers than processors, in case some of them wait for something. */
    private static final int WORKERS_BEYOND_PROCESSORS = 1;

    /** Due and not started, first in, first out. */
    final ReadyQueue ready;

    final Listener listener;
    final RunBoundary boundary;

    private volatile int maxSize;

    /** Made beforehand, as there may be no memory when it is needed. */
    private final Runnable lastStep = this::endIfEnded;

    /**
     * Due runs are held back while set. Writers: any. Readers: a thread that is about to take a run, after it said so.
     */
    volatile boolean paused;

    /** Nothing is taken any more once set. Never reset. */
    volatile boolean stopped;

    /** The threads have been asked to end, after that. Never reset. Writers: threads that stop these. Readers: any. */
    volatile boolean ending;

    /**
     * Whether a worker that finds several runs waiting leaves them to itself, because the tick thread looks again soon.
     * Writer: tick thread. Readers: workers.
     */
    volatile boolean followedUp;

    /** Runs that came before the last follow-up still waited in it. Tick thread only. */
    private boolean behind;

    /**
     * The flag has been cleared since the last follow-up: workers were not woken because one was promised, which is
     * still owed.
     */
    private boolean isPromiseOpen;

    /** Tick thread only. */
    private long seenAdded;

    /** Tick thread only. */
    private long seenTaken;

    private final int processors = Runtime.getRuntime().availableProcessors();

    /** Tick thread only. */
    private long followedUpNanos;

    /** The clock may be negative. Tick thread only. */
    private boolean followedUpBefore;

    /** The number of runs that had been taken at the last look, as of the time below. Tick thread only. */
    private long lookedTaken;

    private long lookedNanos;

    private boolean shortRuns = true;

    private final AtomicReference<@Nullable Runnable> quietCallback = new AtomicReference<>();

    Workers(Listener listener, @Nullable RunHooks hooks, int maxSize, int ringSize) {
        this.maxSize = maxSize;
        this.ready = new ReadyQueue(ringSize);
        this.listener = listener;
        this.boundary = new RunBoundary(listener, hooks);
    }

    /**
     * Starts, on the calling thread, the thread that has to be there before the first run, if there is one. Throws the
     * failure of the start.
     */
    public void start() {}

    /** Returns how many runs can be handed over now; the others had better stay where they are. Tick thread. */
    public final int room() {
        return ready.room();
    }

    /** Whether there is room for enough runs to be worth a hand-over. Tick thread. */
    public final boolean hasRoom() {
        return ready.room() >= ready.ringSize() / 2;
    }

    /** Adds a run that is due now, at {@code nowNanos}. Tick thread; {@link #signalHandOver} follows. */
    public final void handOver(Runnable run, long nowNanos) {
        ready.add(run, nowNanos);
    }

    /**
     * Hands over a run that is due now, unless it has to go the long way: because of a pause, or because there is no
     * room. {@link #signal} follows. Any thread.
     *
     * @return whether it has been handed over
     */
    public boolean handOverNow(Runnable run, long nowNanos) {
        return isOpen() && ready.offer(run, nowNanos);
    }

    /** Whether no due run waits. */
    public final boolean isReadyEmpty() {
        return ready.isEmpty();
    }

    /**
     * Makes a worker poll for runs that have been handed over. Tick thread.
     *
     * @param othersWaited whether other runs waited before; then a worker that is awake may be about to take these, too
     */
    public final void signalHandOver(boolean othersWaited) {
        VarHandle.fullFence();
        if (!(followedUp && othersWaited && awakeCount() > 0)) {
            signal();
        }
    }

    /** Makes a worker look at the ready queue, if one is free. Any thread. */
    public abstract void signal();

    /**
     * Whether none of the threads that stay has come yet: to come takes the first one longer than to wake up. Tick
     * thread.
     */
    public boolean isFirstLacking() {
        return false;
    }

    /**
     * Lets the first thread come ahead of a run that is due soon, if {@linkplain #isFirstLacking it is lacking}. Tick
     * thread.
     */
    public void startAhead() {}

    /**
     * Announces whether the caller will {@linkplain #followUp follow up} soon on the runs that it hands over. If so,
     * the workers that are awake take all of it, and wake no others. Tick thread.
     */
    public final void setFollowedUp(boolean value) {
        boolean trusted = value && !behind;
        if (followedUp != trusted) {
            followedUp = trusted;
            isPromiseOpen |= !trusted;
        }
    }

    /**
     * Whether runs wait for which no worker may have been woken because a {@linkplain #followUp follow-up} was
     * promised. Tick thread.
     */
    public final boolean isFollowUpOwed() {
        return (followedUp || isPromiseOpen) && !ready.isEmpty();
    }

    /**
     * If runs wait since the last call, makes one more worker look at them, and as many as are needed if those of the
     * last call still wait. Does nothing if that was just before, or if the processors are busy with short runs: more
     * workers would only be in each other's way. Tick thread.
     *
     * @param nowNanos the time now
     * @param intervalNanos the time for workers to take the runs that have been handed over
     */
    public final void followUp(long nowNanos, long intervalNanos) {
        if (followedUpBefore && nowNanos - followedUpNanos < intervalNanos) {
            return;
        }
        long taken = ready.takenSoFar();
        boolean waiting = !ready.isEmpty();
        boolean enoughWorkers =
                waiting && followedUpBefore && areShortRuns(taken - seenTaken, nowNanos - followedUpNanos);
        followedUpBefore = true;
        followedUpNanos = nowNanos;
        isPromiseOpen = enoughWorkers;
        behind = waiting && !enoughWorkers && taken < seenAdded;
        seenAdded = ready.addedSoFar();
        seenTaken = taken;
        if (enoughWorkers) {
            followedUp = true;
        } else if (waiting) {
            if (behind) {
                followedUp = false;
            }
            signal();
        }
    }

    /**
     * Whether runs are so short that the processors bound their number; so it is at first, until the number of runs in
     * an interval says something else. Tick thread.
     */
    public final boolean areBusyWithShortRuns(long nowNanos) {
        long nanos = nowNanos - lookedNanos;
        if (nanos >= 0 && nanos < LOOK_INTERVAL_NANOS) {
            return shortRuns;
        }
        long taken = ready.takenSoFar();
        boolean isFirstLook = nanos < 0 || nanos > 4 * LOOK_INTERVAL_NANOS;
        shortRuns = isFirstLook || (taken - lookedTaken) * SHORT_RUN_NANOS >= nanos * processors;
        lookedTaken = taken;
        lookedNanos = nowNanos;
        return shortRuns;
    }

    /** Whether all processors have been busy with short runs, given the number of runs taken in that time. */
    private boolean areShortRuns(long taken, long nanos) {
        return awakeCount() >= processors + WORKERS_BEYOND_PROCESSORS && taken * SHORT_RUN_NANOS >= nanos * processors;
    }

    /**
     * Says that what {@link Listener#left} is for has been done for the run that the calling thread is in, so that it
     * is not told. False, and nothing has changed, if the calling thread is none of these workers, or has said so
     * before.
     */
    public boolean leaveEarly() {
        return false;
    }

    /**
     * Returns what a thread is for that runs this, and that the factory of the tick thread makes: a word for its name.
     */
    public static String roleOf(Runnable code) {
        return code instanceof ExecutorFeeder ? "feeder" : TICK;
    }

    /** Runs the user's code on the calling thread; its exception is logged and returned. */
    public static @Nullable Throwable runGuarded(Runnable code) {
        return RunBoundary.runGuarded(code);
    }

    /**
     * Whether a run that is armed now may make its caller start a thread: in {@link #startIfShort}, or, if it is due,
     * in {@link #handOverNow}. Any thread.
     *
     * @param isDue whether the run is about to be handed over
     */
    public boolean mayStartThread(boolean isDue) {
        return false;
    }

    /**
     * Tries again to start a thread if that has failed and none is free. Any thread that may start threads.
     *
     * @param isFirstNeeded whether to start the first thread, too, for a run that is about to be handed over; what
     *     fails then is thrown
     */
    public void startIfShort(boolean isFirstNeeded) {}

    /** Changes how many runs may be active at a time. Lowering it interrupts no run. */
    public void setMaxSize(int maxSize) {
        this.maxSize = maxSize;
    }

    /** Returns how many runs may be active at a time. */
    public final int maxSize() {
        return maxSize;
    }

    /** Returns how many threads stay though they have nothing to do. */
    public int coreSize() {
        return 0;
    }

    /** Returns the number of threads that take runs. */
    public int threadCount() {
        return activeCount();
    }

    /**
     * Returns the largest number of threads that there have been; where there is no pool of threads, the number now.
     */
    public int largestThreadCount() {
        return threadCount();
    }

    /** Returns the number of active runs. */
    public abstract int activeCount();

    /** Returns about how many due runs wait for a worker. */
    public long readyCount() {
        return ready.size();
    }

    /** Returns how often an executor has refused a run, which was offered again later. */
    public long refusedHandOvers() {
        return 0;
    }

    /** Returns about how long the first of the due runs has been waiting for a worker; 0 if none waits. */
    public long oldestReadyNanos(long nowNanos) {
        return ready.oldestNanos(nowNanos);
    }

    /**
     * Looks at the runs that are active: the run, its thread, and since when. Only runs that started while
     * {@link Listener#starting} returned the time.
     */
    public abstract void forEachRunning(RunningVisitor visitor);

    /** Is shown a run that is active. */
    public interface RunningVisitor {

        void visit(Runnable run, Thread thread, long startedNanos);
    }

    /** Holds due runs back from now on; active ones continue. */
    public final void pause() {
        paused = true;
    }

    /**
     * Runs the callback once when no run is active, at once if there is none; callbacks that wait already come first.
     */
    public final void callWhenQuiet(Runnable callback) {
        quietCallback.accumulateAndGet(callback, Workers::bothOf);
        callBackIfQuiet();
    }

    private static Runnable bothOf(@Nullable Runnable first, Runnable second) {
        return first == null
                ? second
                : () -> {
                    Throwable ignored = RunBoundary.runGuarded(first);
                    second.run();
                };
    }

    /** Ends the pause. */
    public final void resume() {
        paused = false;
        signal();
    }

    public final boolean isPaused() {
        return paused;
    }

    /** Whether no run waits and none is active; exact once no thread hands over any more. */
    public final boolean isDrained() {
        // In this order: a thread that takes a run says so before the run leaves the ready queue.
        // A run that a pause has sent back to the queue meanwhile has been counted before it was let go.
        long seen = ready.addedSoFar();
        return ready.isEmpty() && !holdsRuns() && ready.addedSoFar() == seen;
    }

    /** Looks at every run that waits. */
    public void forEachReady(Consumer<? super Runnable> action) {
        ready.forEach(action);
    }

    /** Lets no thread take another run from now on, and neither waits for one nor wakes one; a stop follows. */
    public final void close() {
        stopped = true;
    }

    /** Lets the threads end, each after the run that it is in. */
    public abstract void stop();

    /**
     * Like {@link #stop}, and returns runs that have not started, in their order: from here on none starts any more.
     * Returns as many as it has found memory for before it took them; to be called until there is none. Waits only for
     * threads that are between taking a run and starting it.
     */
    public abstract List<Runnable> stopNow();

    /** Interrupts the threads that are in a run. Not under a lock: threads are the user's, and may override that. */
    public abstract void interruptActive();

    /**
     * The same, after {@link #close}, for threads alone that have not been interrupted since: they had taken a run
     * before. Waits for threads that are between taking a run and starting it.
     */
    public abstract void interruptLate();

    /** Interrupts the thread that hands runs over, after {@link #stopNow}: an executor may keep it. As above. */
    public void interruptFeeder() {}

    /** Interrupts a thread; an exception is logged. */
    static void interrupt(Thread thread) {
        try {
            thread.interrupt();
        } catch (Throwable ex) {
            EngineLog.log(
                    Level.WARNING,
                    "The interrupt of a worker threw an exception; its run continues, so closing may take longer. "
                            + "Fix the thread that the thread factory returns",
                    null,
                    ex);
        }
    }

    /** Whether all threads have ended after a stop. */
    public abstract boolean hasEnded();

    /** Returns how many threads are going to look at the ready queue anyway, though perhaps after a run. */
    int awakeCount() {
        return 0;
    }

    /** Whether any thread is in a run or about to start one. */
    boolean isActive() {
        return activeCount() > 0;
    }

    /** Whether any run has left the ready queue, or is about to, and is not over. */
    boolean holdsRuns() {
        return isActive();
    }

    /**
     * Tells the listener that the last thread has ended after a stop, if so; until that succeeds, as no other thread
     * would.
     */
    final void tellIfEnded() {
        ShortMemory.untilDone(lastStep);
    }

    private void endIfEnded() {
        if (hasEnded()) {
            listener.ended();
        }
    }

    /** Tells that a run is about to start, and returns the time if runs are observed; else 0. */
    final long tellStarting(Runnable run, long expiredNanos) {
        try {
            return SeparateFrame.starting(listener, run, expiredNanos);
        } catch (Throwable ex) {
            // The run continues though the telling has failed.
            return 0;
        }
    }

    final boolean isOpen() {
        return !paused && !stopped;
    }

    /** To be called by a worker that has just said that it is not active. */
    final void afterWork() {
        callBackIfQuiet();
        listener.wentIdle();
    }

    /** Whether a callback waits for the moment when no run is active. */
    final boolean isQuietAwaited() {
        return quietCallback.get() != null;
    }

    final void callBackIfQuiet() {
        if (quietCallback.get() != null && !isActive()) {
            Runnable callback = quietCallback.getAndSet(null);
            if (callback != null) {
                RunBoundary.runGuarded(callback);
            }
        }
    }
}
