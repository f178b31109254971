package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.internal.EngineLog;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Hands due runs to an executor, on a thread of its own, one after the other; nothing overtakes a run that was refused.
 *
 * <p>Nothing that is thrown ends it, and a run that it has taken is in {@link InFlight} from the moment when it leaves
 * the ready queue.
 */
final class ExecutorFeeder implements Runnable {

    /*
     *   IDLE --> TAKING --> HANDING --> IDLE
     *               |                    ^
     *               +----nothing there---+
     *
     * A thread that stops the workers waits TAKING out, which is short: then every run is in the ready queue or in
     * flight. A thread that starts a run past the feeder looks whether the queue is empty, and then whether the feeder
     * is IDLE: if so, what was added to the queue before has been handed over.
     */

    private static final int IDLE = 0;
    private static final int TAKING = 1;
    private static final int HANDING = 2;

    /**
     * The interval at which the feeder checks whether an executor that was shut down has terminated, while it holds
     * runs.
     */
    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int NOT_AWAITED = -1;

    private static final String FAILED = "Handing due runs to the executor failed, so tasks may start late; it is "
            + "retried. Fix the executor, which threw this exception";

    private final ExecutorWorkers workers;
    private final InFlight inFlight;
    private final Executor target;

    /** The target, if it can be asked whether it has been shut down. */
    private final @Nullable ExecutorService service;

    private final ExecutorRefusals refusals;

    private final ThreadStart start = new ThreadStart();

    /** Null unless it is handing over. Writer: feeder. */
    private volatile @Nullable Thread thread;

    /** Writer: feeder. Readers: threads that stop the workers, or start a run past the feeder. */
    private volatile int phase = IDLE;

    /** The feeder sleeps, or is about to, until there is work; the thread that clears it wakes the feeder. */
    private final AtomicBoolean parked = new AtomicBoolean();

    /**
     * When the target is full, the feeder sleeps until so few runs are in flight; the thread that clears it wakes the
     * feeder.
     */
    private final AtomicInteger awaitedCount = new AtomicInteger(NOT_AWAITED);

    // Feeder thread only from here on.

    /** Details from the ready queue about the run that was taken last. */
    private final ReadyQueue.Taken taken = new ReadyQueue.Taken();

    /** Taken and not handed over. */
    private @Nullable ExecutorRun held;

    /** Runs that a pause has caught, in their order; they go before all others. */
    private @Nullable ExecutorRun nextReturned;

    private final ExecutorCapacity capacity = new ExecutorCapacity();

    private boolean isFailing;

    ExecutorFeeder(ExecutorWorkers workers, InFlight inFlight, Executor target, ExecutorRefusals refusals) {
        this.workers = workers;
        this.inFlight = inFlight;
        this.target = target;
        this.service = target instanceof ExecutorService executorService ? executorService : null;
        this.refusals = refusals;
        // Now, so that there is memory for the class.
        boolean ignored = new ExecutorRun(workers).isWaiting();
    }

    /** Starts the thread, unless it has started, or another caller is starting it. Throws any failure. */
    void start(ThreadFactory threadFactory) {
        if (start.claim()) {
            boolean hasFailed = true;
            try {
                start.startAs(threadFactory, this);
                hasFailed = false;
            } finally {
                if (hasFailed) {
                    start.failed();
                }
            }
        }
    }

    @Override
    public void run() {
        if (!start.begin()) {
            return;
        }
        thread = Thread.currentThread();
        while (!workers.stopped) {
            try {
                step();
            } catch (Throwable ex) {
                // Without memory, the handling of a failure fails, too.
            }
        }
        thread = null;
        start.end();
        refusals.logAbandoned(true);
        workers.tellIfEnded();
    }

    /** Whether there is no thread that hands over. */
    boolean hasEnded() {
        return !start.isThere();
    }

    /** Lets the thread end, or never begin, once the workers have been closed. */
    void stop() {
        if (!start.giveUp()) {
            LockSupport.unpark(thread);
        }
    }

    /** Interrupts the thread, which may sit in an executor that blocks; unless it is the calling one. */
    void interrupt() {
        Thread interrupted = thread;
        if (interrupted != null && interrupted != Thread.currentThread()) {
            Workers.interrupt(interrupted);
        }
    }

    /** Whether a run has perhaps left the ready queue and is not in flight yet. */
    boolean isTaking() {
        return phase == TAKING;
    }

    /** Whether all that has been handed over is at the target, in order. Any thread. */
    boolean isCaughtUp() {
        // In this order: see above.
        return workers.ready.isEmpty() && inFlight.returnedCount() == 0 && phase == IDLE;
    }

    /** Wakes the feeder if there is something for it to do. Any thread; a fence has come before. */
    void signal() {
        if (parked.get()
                && (hasWork() || (holdsRunsOfService() && workers.listener.isShutdown()))
                && parked.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
        }
    }

    /** Wakes the feeder if it waits for that: a run is over, or will not be run. Any thread. */
    void runEnded() {
        int awaited = awaitedCount.get();
        if (awaited != NOT_AWAITED && inFlight.count() <= awaited && awaitedCount.compareAndSet(awaited, NOT_AWAITED)) {
            LockSupport.unpark(thread);
        } else if (parked.get() && (hasWork() || hasToWatch()) && parked.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
        }
    }

    private boolean hasWork() {
        return workers.isOpen()
                && (phase == HANDING || ((inFlight.returnedCount() > 0 || !workers.ready.isEmpty()) && isBelowLimit()));
    }

    private boolean isBelowLimit() {
        return inFlight.count() - inFlight.returnedCount() < workers.maxSize();
    }

    private boolean holdsRunsOfService() {
        return service != null && inFlight.count() > 0;
    }

    /** Whether the target has runs that it may silently never start. */
    private boolean hasToWatch() {
        return holdsRunsOfService() && (isServiceShutdown() || workers.listener.isShutdown());
    }

    private boolean isServiceShutdown() {
        try {
            return service != null && service.isShutdown();
        } catch (Throwable ex) {
            // Then it is an executor like any other.
            return false;
        }
    }

    private boolean isServiceTerminated() {
        try {
            return service != null && service.isTerminated();
        } catch (Throwable ex) {
            // As above.
            return false;
        }
    }

    /** Does the next step. Throws nothing. */
    private void step() {
        try {
            if (!workers.isOpen() || (held == null && !takeNext())) {
                rest();
            } else if (capacity.isFull(atTarget())) {
                awaitRoom(capacity.pauseNanos);
            } else {
                offer();
            }
            isFailing = false;
        } catch (Throwable ex) {
            if (!isFailing) {
                EngineLog.log(Level.ERROR, FAILED, null, ex);
            }
            isFailing = true;
            LockSupport.parkNanos(this, Workers.PAUSE_AFTER_FAILURE_NANOS);
        }
    }

    /** Takes the next run, which is held then; false if there is none, or no more may be in flight. */
    private boolean takeNext() {
        if (!takeReturned()) {
            takeReady();
        }
        phase = held == null ? IDLE : HANDING;
        return held != null;
    }

    private boolean takeReturned() {
        if (nextReturned == null && inFlight.returnedCount() > 0) {
            nextReturned = inFlight.linkReturned();
        }
        while (nextReturned != null && isBelowLimit()) {
            ExecutorRun run = nextReturned;
            phase = HANDING;
            nextReturned = run.nextReturned;
            run.nextReturned = null;
            if (inFlight.sendAgain(run)) {
                held = run;
                return true;
            }
        }
        return nextReturned != null;
    }

    private void takeReady() {
        if (workers.ready.isEmpty() || !inFlight.tryCount(workers.maxSize())) {
            return;
        }
        phase = TAKING;
        try {
            // First, so that no run is lost for lack of memory.
            ExecutorRun run = new ExecutorRun(workers);
            Runnable task = workers.isOpen() ? workers.ready.poll(taken) : null;
            if (task != null) {
                run.fill(task, taken.expiredNanos);
                held = run;
                inFlight.show(run);
            }
        } finally {
            if (held == null) {
                inFlight.uncount();
                phase = IDLE;
            }
        }
    }

    /** Offers the run that is held to the target; if it is refused, waits. */
    private void offer() {
        ExecutorRun run = held;
        // What the run before has left behind; a thread that stops the pool takes the run back before it interrupts.
        boolean ignored = Thread.interrupted();
        if (run != null && run.isWaiting()) {
            Runnable task = run.task;
            // A stop that has taken the run back meanwhile leaves nothing of the task.
            if (task != ExecutorRun.NOTHING && workers.listener.isOver(task)) {
                if (inFlight.takeBack(run)) {
                    inFlight.remove(run);
                }
            } else if (!isTaken(run)) {
                awaitRoom(capacity.refused(atTarget()));
                return;
            }
        }
        held = null;
        phase = IDLE;
    }

    private boolean isTaken(ExecutorRun run) {
        int atTarget = atTarget();
        try {
            target.execute(run);
            capacity.accepted(atTarget);
            return true;
        } catch (Throwable ex) {
            refusals.total.incrementAndGet();
            if (isServiceShutdown()) {
                abandon(run);
                return true;
            }
            refusals.log(run.task, ex);
            return false;
        }
    }

    /** Returns how many runs the target has, while one is held that it does not have. */
    private int atTarget() {
        return Math.max(0, inFlight.count() - inFlight.returnedCount() - 1);
    }

    /** Waits until some of the runs that the target has have ended, or the pause is over. */
    private void awaitRoom(long pauseNanos) {
        int atTarget = atTarget();
        int awaited = atTarget > 0 ? inFlight.count() - capacity.batch(atTarget) : NOT_AWAITED;
        awaitedCount.set(awaited);
        if (inFlight.count() > awaited && !workers.stopped) {
            // With the flag set it would not park.
            boolean ignored = Thread.interrupted();
            LockSupport.parkNanos(this, pauseNanos);
        }
        awaitedCount.set(NOT_AWAITED);
        capacity.waited(inFlight.count() <= awaited);
    }

    /** Waits until there is something to do. */
    private void rest() {
        if (holdsRunsOfService() && isServiceTerminated()) {
            inFlight.forEach(this::abandon);
        }
        refusals.logAbandoned(false);
        workers.afterWork();
        parked.set(true);
        if (hasWork() || workers.stopped) {
            // Most likely, a thread is still adding a run that has been counted.
            Thread.onSpinWait();
        } else if (hasToWatch()) {
            LockSupport.parkNanos(this, WATCH_NANOS);
        } else {
            LockSupport.park(this);
        }
        parked.set(false);
        // Meant for an executor that blocked, if for anything.
        boolean ignored = Thread.interrupted();
    }

    /** Ends a run that the target, which has been shut down, has not started and never may. */
    private void abandon(ExecutorRun run) {
        if (!inFlight.takeBack(run)) {
            return;
        }
        try {
            workers.listener.abandoned(run.task);
        } finally {
            inFlight.remove(run);
            refusals.abandoned.incrementAndGet();
        }
    }
}
