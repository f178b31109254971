package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.internal.EngineLog;
import io.github.wheelscheduler.internal.worker.ThreadOrigin;
import io.github.wheelscheduler.internal.worker.ThreadStart;
import java.lang.System.Logger.Level;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Starts the tick thread for the first caller, and before it the thread that hands runs over, if there is one. No lock
 * is held while their factory is asked. Any thread.
 */
final class FirstStart {

    /*
     * Another caller that comes while the first one is in the factory continues, and posts:
     *
     *      first caller                              another caller
     *   1  claim: STARTING                        1  read STARTING
     *   2  the factory                            2  post
     *   3  it fails: NONE                         3  read NONE: claim, and so on
     *   4  anything posted: lets a thread retry      read STARTING: the first caller sees the message at 4
     *
     * TickThread says which thread has the wheel meanwhile.
     */

    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final long LONGEST_PAUSE_NANOS = 100_000_000;

    private static final String FAILED = "The tick thread could not be started; scheduled tasks wait until ";

    private static final String REMEDY = ". Check memory, the limit of threads and the thread factory";

    private final Engine root;
    private final SharedWheel shared;
    private final ThreadStart start;
    private final ThreadFactory factory;
    private final Runnable code;

    /** Of the thread that makes the executor, as this is made with it. */
    private final ThreadOrigin origin = new ThreadOrigin();

    /** A thread tries again for others. Writers: the caller whose start has failed; that thread, at its end. */
    private final AtomicBoolean isRetrying = new AtomicBoolean();

    FirstStart(Engine root, SharedWheel shared, ThreadStart start, ThreadFactory factory, Runnable code) {
        this.root = root;
        this.shared = shared;
        this.start = start;
        this.factory = factory;
        this.code = code;
    }

    /**
     * Starts the threads unless they have been, or another caller is at it. Not under a lock. Throws what fails.
     *
     * @return false if it may yet fail, so that the caller has to ask once more when it has posted
     */
    boolean startIfNeeded() {
        if (!start.claim()) {
            return start.isDecided();
        }
        try {
            root.workers.start();
            start.startAs(factory, code);
            return true;
        } catch (Throwable ex) {
            start.failed();
            retryIfLeft(ex);
            throw ex;
        }
    }

    /** Starts the threads if anything waits for them, and no caller is at it. Not under a lock. Throws nothing. */
    void startIfLeft() {
        if (isLeft() && !isRetrying.get()) {
            boolean ignored = hasStarted();
        }
    }

    /** Tries again on behalf of others if they have posted anything. Throws nothing. */
    private void retryIfLeft(Throwable failure) {
        try {
            if (isLeft() && isRetrying.compareAndSet(false, true)) {
                boolean tries = startRetrying();
                String next = tries ? "a retry succeeds" : "the next call that schedules a task retries";
                EngineLog.log(Level.WARNING, FAILED + next + REMEDY, null, failure);
            }
        } catch (Throwable ex) {
            // Without memory, the handling of a failure fails, too.
        }
    }

    private boolean startRetrying() {
        boolean isStarted = false;
        try {
            // A daemon: where the factory keeps failing, it keeps no program from its end.
            origin.newDaemon(this::retry, Thread.currentThread().getName() + "-retry")
                    .start();
            isStarted = true;
        } catch (Throwable ex) {
            // The next call tries.
        } finally {
            if (!isStarted) {
                isRetrying.set(false);
            }
        }
        return isStarted;
    }

    private void retry() {
        do {
            long pauseNanos = FIRST_PAUSE_NANOS;
            while (isLeft() && !hasStarted()) {
                LockSupport.parkNanos(this, pauseNanos);
                boolean ignored = Thread.interrupted();
                pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
            }
            isRetrying.set(false);
            // A start may have failed meanwhile, and have left this to it.
        } while (isLeft() && isRetrying.compareAndSet(false, true));
    }

    private boolean hasStarted() {
        try {
            return startIfNeeded();
        } catch (Throwable ex) {
            return false;
        }
    }

    /** Whether anything waits for the tick thread, and no caller is about to start it. */
    private boolean isLeft() {
        return start.isNone()
                && !root.runState.isStopped()
                && (root.pending.countWithGroups() > 0 || !shared.areWorkersDrained());
    }
}
