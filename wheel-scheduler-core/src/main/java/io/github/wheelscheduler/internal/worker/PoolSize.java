package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.internal.EngineLog;
import java.lang.System.Logger.Level;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntBinaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The workers of an elastic pool: how many there are, how many of them are free, and when further ones start or some
 * leave.
 */
final class PoolSize {

    /*
     * Starting workers
     * ----------------
     * 'available' counts the workers that are not in a run: parked, or on their way to the queue. A worker that takes a
     * run and finds that it was the last available one starts another before it runs. So, below the limit, a worker
     * always looks at the queue, and a run that takes for ever holds up no other. The last SPARE available workers do
     * not end, so that a lone task does not start a thread each time.
     *
     * No pool has a worker before its first run. A caller who hands that over itself starts the first worker before,
     * and receives its failure; if the tick thread hands it over, or a caller who may start no thread, the Starter
     * starts the worker.
     *
     * When a thread could not be started, all workers may be in long runs, and no thread comes by that could try again.
     * That is what the thread of the Starter is for, too.
     *
     * A pool on demand has no worker after it has been idle for long, either: the Starter starts each first one, so
     * that neither the tick thread nor a worker of another pool does.
     */

    /** The number of available workers that stay, unless the pool is on demand. */
    static final int SPARE = 2;

    private static final String NOT_STARTED =
            "Another worker could not be started; due tasks wait for one of the existing workers. Check memory, the "
                    + "limit of threads and the thread factory";

    private static final String NONE_STARTED =
            "No worker could be started; due tasks wait until a retry succeeds. Check memory, the limit of threads "
                    + "and the thread factory";

    private static final long NONE = 0;

    /** No worker has been started yet, nor has the starter failed to. */
    private static final long UNTRIED = -1;

    /** Made beforehand, as it may be needed when there is no memory. */
    private static final Predicate<Worker> WAKE = PoolSize::wake;

    private static final IntBinaryOperator MAX = Math::max;

    private final ElasticPool pool;
    private final ThreadFactory threadFactory;
    final IdleSlots slots = new IdleSlots();
    final AtomicInteger size = new AtomicInteger();
    private final AtomicInteger available = new AtomicInteger();

    /**
     * The number of the last failure to start a thread; {@link #NONE} once a start that began after it has succeeded.
     * {@link #UNTRIED} at first, unless the pool is on demand.
     */
    private final AtomicLong lastStartFailure;

    private final AtomicLong startFailures = new AtomicLong();

    /** Whether the last failure was a lack of memory or threads. Writers: threads that start a worker. */
    private volatile boolean wasOutOfMemory;

    private final Starter starter;

    /** It waits for the starter. Writers: the thread that asks; the starter. */
    final AtomicBoolean hasAsked = new AtomicBoolean();

    /** Another one that waits. Writer: the thread that has set the mark; the starter. */
    @Nullable
    PoolSize askedBefore;

    /** The threads that have been started and not ended. */
    private final AtomicInteger alive = new AtomicInteger();

    /** The most that there have been. Writers: threads that start a worker. */
    final AtomicInteger largest = new AtomicInteger();

    /** The number of idle workers that stay. */
    final int spare;

    /**
     * Whether the starter starts the next worker if none is there: always if the pool is on demand, else until the
     * first one has been started. Writers: threads that have started a worker. Any thread reads it; a stale value only
     * leads to a futile attempt.
     */
    private boolean isLeftToStarter = true;

    PoolSize(ElasticPool pool, ThreadFactory threadFactory, Starter starter, boolean onDemand) {
        this.pool = pool;
        this.threadFactory = threadFactory;
        this.starter = starter;
        this.spare = onDemand ? 0 : SPARE;
        this.lastStartFailure = new AtomicLong(onDemand ? NONE : UNTRIED);
    }

    /** Whether no thread from outside but the starter starts workers. */
    boolean isOnDemand() {
        return spare == 0;
    }

    /** Lets the starter start a worker for a run that waits, if that is its task and none is there. Any thread. */
    void ask() {
        if (isLeftToStarter && isLacking() && pool.hasWork()) {
            starter.wake(this);
        }
    }

    /** Whether no worker of a pool that is not on demand has been started yet. */
    boolean isFirstLacking() {
        return lastStartFailure.get() == UNTRIED;
    }

    /** Lets the starter start the first worker of such a pool, for a run that is still to come. */
    void askAhead() {
        if (isFirstLacking() && isLacking()) {
            starter.wake(this);
        }
    }

    /**
     * Whether the starter is to start a worker.
     *
     * @param again whether it is to try again where that has failed
     */
    boolean isWanted(boolean again) {
        long seen = lastStartFailure.get();
        boolean isLeft = seen > NONE ? again : seen == UNTRIED || isOnDemand();
        return isLeft && isLacking();
    }

    /** Whether starting a thread has failed, none is free, and there may be more workers. */
    boolean isShort() {
        return lastStartFailure.get() > NONE && isLacking();
    }

    /** Whether the last start of a thread failed for lack of memory or threads. */
    boolean isOutOfMemory() {
        return lastStartFailure.get() > NONE && wasOutOfMemory;
    }

    /**
     * Whether no worker is there that would take a run, and one may be; for a pool on demand, a run has to be there.
     */
    private boolean isLacking() {
        return available.get() == 0 && size.get() < limit() && (!isOnDemand() || pool.hasWork());
    }

    /** Whether {@link #startIfShort} may start a worker. */
    boolean mayStartThread(boolean isFirstNeeded) {
        long seen = lastStartFailure.get();
        return seen != NONE && (isFirstNeeded || seen != UNTRIED);
    }

    /**
     * Tries again to start a worker if that has failed and none is free.
     *
     * @param isFirstNeeded whether to start the first one, too, for a run that is about to be handed over; what fails
     *     then is thrown
     */
    void startIfShort(boolean isFirstNeeded) {
        long seen = lastStartFailure.get();
        if (seen == NONE) {
            return;
        }
        if (isFirstNeeded && size.compareAndSet(0, 1)) {
            startFirst(seen);
        } else if (seen != UNTRIED && isLacking()) {
            startIfAllowed();
        }
    }

    private void startFirst(long seen) {
        boolean isStarted = false;
        try {
            isStarted = startCounted();
        } finally {
            if (isStarted) {
                boolean ignored = lastStartFailure.compareAndSet(seen, NONE);
            } else {
                // Others may have handed over runs meanwhile, and have relied on this worker.
                ask();
            }
        }
    }

    /** Starts a worker if one is lacking and there may be more now, or lets those end that are too many. */
    void maxSizeChanged() {
        if (isOnDemand()) {
            ask();
        } else if (size.get() > 0 && available.get() == 0) {
            startIfAllowed();
        }
        if (isTooLarge()) {
            wakeAll();
        }
    }

    /** Returns how many workers there may be now. */
    private int limit() {
        return pool.stopped ? 0 : pool.maxSize();
    }

    boolean isTooLarge() {
        return size.get() > pool.maxSize();
    }

    boolean hasMoreThanSpare() {
        return available.get() > spare;
    }

    /**
     * Whether no thread is left, and none will come, after the pool has been stopped; though a thread factory may still
     * be at work.
     */
    boolean hasEnded() {
        return pool.ending && alive.get() == 0;
    }

    /** Wakes every thread, so that it looks whether it is to end. */
    void wakeAll() {
        boolean ignored = slots.anyWorker(WAKE);
    }

    private static boolean wake(Worker worker) {
        LockSupport.unpark(worker.thread);
        return false;
    }

    /** Counts a worker that has taken a run; true if it was the last one that was available. */
    boolean leaveAvailable() {
        return available.decrementAndGet() == 0;
    }

    /** Counts a worker that has worked and will look at the queue again. */
    void becomeAvailable() {
        available.incrementAndGet();
    }

    /** Counts a worker out that has worked, and ends with its run. */
    void leaveAfterRun() {
        size.decrementAndGet();
    }

    /** Counts an available worker out if there are more workers than there may be; true if it is to end. */
    boolean leaveIfTooMany() {
        int seen = size.get();
        while (seen > limit()) {
            if (size.compareAndSet(seen, seen - 1)) {
                if (available.decrementAndGet() == 0) {
                    // The limit may have been raised meanwhile, by a thread that saw this worker available.
                    startIfAllowed();
                }
                return true;
            }
            seen = size.get();
        }
        return false;
    }

    /** Counts an available worker out if more are available than stay; true if it is to end. */
    boolean leaveIfMoreThanSpare() {
        int seen = available.get();
        while (seen > spare) {
            if (available.compareAndSet(seen, seen - 1)) {
                size.decrementAndGet();
                if (!isOnDemand() && available.get() == 0) {
                    // The last of the others to take a run meanwhile may have seen the pool at its limit.
                    startIfAllowed();
                }
                return true;
            }
            seen = available.get();
        }
        return false;
    }

    /** Frees the place of a worker that has been counted out; its thread, if it has had one, is over. */
    void countEnd(Worker worker) {
        worker.leaveSlot();
        if (worker.thread != null) {
            alive.decrementAndGet();
        }
    }

    /** Starts a further worker if there may be one; a failure is logged once, and retried. */
    void startIfAllowed() {
        // A worker that is started here may be busy and have failed to start the next one before this ends.
        long seen = lastStartFailure.get();
        try {
            if (startWorker()) {
                boolean ignored = lastStartFailure.compareAndSet(seen, NONE);
            }
        } catch (Throwable ex) {
            wasOutOfMemory = ex instanceof OutOfMemoryError;
            boolean isFirst = lastStartFailure.getAndSet(startFailures.incrementAndGet()) <= NONE;
            starter.wake(this);
            if (isFirst) {
                logNotStarted(ex);
            }
        }
    }

    private void logNotStarted(Throwable failure) {
        try {
            EngineLog.log(Level.WARNING, size.get() == 0 ? NONE_STARTED : NOT_STARTED, null, failure);
        } catch (Throwable ex) {
            // Without memory, the handling of a failure fails, too.
        }
    }

    /** Starts a worker, unless there may be no more. Throws the failure of the start. */
    private boolean startWorker() {
        int seen;
        do {
            seen = size.get();
            if (seen >= limit()) {
                return false;
            }
        } while (!size.compareAndSet(seen, seen + 1));
        return startCounted();
    }

    /**
     * Starts a worker that has been counted, unless the pool has been stopped; if it is not started, it is counted no
     * more.
     */
    private boolean startCounted() {
        available.incrementAndGet();
        Worker worker = null;
        boolean isStarted = false;
        try {
            worker = slots.newWorker(pool);
            Thread thread = WheelThreadFactory.newThread(threadFactory, worker);
            worker.thread = thread;
            int counted = alive.incrementAndGet();
            // After it is counted: a thread that stops the pool and counts none has stopped it before this looks.
            if (!pool.stopped) {
                boolean ignored = worker.start.claim();
                thread.start();
                isStarted = true;
                isLeftToStarter = isOnDemand();
                if (counted > largest.get()) {
                    largest.accumulateAndGet(counted, MAX);
                }
            }
            return isStarted;
        } finally {
            // A factory may have started the thread, which works then.
            if (!isStarted && (worker == null || worker.start.giveUp())) {
                if (worker != null) {
                    countEnd(worker);
                }
                available.decrementAndGet();
                size.decrementAndGet();
                // The last worker may have ended meanwhile and left the news to this one.
                pool.tellIfEnded();
            }
        }
    }
}
