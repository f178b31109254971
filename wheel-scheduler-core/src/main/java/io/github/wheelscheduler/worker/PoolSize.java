package io.github.wheelscheduler.worker;

import java.lang.System.Logger.Level;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The workers of an elastic pool: how many there are, how many of them are free, and when further ones start or some leave. */
final class PoolSize {

    /*
     * Who starts whom
     * ---------------
     * 'available' counts the workers that are not in a run: parked, or on their way to the queue. A worker that takes a
     * run and finds that it was the last available one starts another before it runs. So, below the limit, somebody
     * always looks at the queue, and a run that takes for ever holds up nobody. The last SPARE available workers do not
     * end, so that a lone task does not start a thread each time.
     *
     * When a thread could not be started, all workers may be in long runs, and nobody comes by who could try again. That is
     * what the thread of the Starter is for; it is there before it is needed, because a thread could not be started then.
     *
     * A pool on demand has no worker before its first run, and none after it has been idle for long: the Starter starts the
     * first one, so that neither the tick thread nor somebody else's worker does.
     */

    /** So many available workers stay, unless the pool is on demand. */
    static final int SPARE = 2;

    private static final long NONE = 0;

    private final ElasticPool pool;
    private final ThreadFactory threadFactory;
    private final IdleSlots firstSlots = new IdleSlots();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicInteger available = new AtomicInteger();

    /** The number of the last failure to start a thread; {@link #NONE} once a start that began after it has succeeded. */
    private final AtomicLong lastStartFailure = new AtomicLong();

    private final AtomicLong startFailures = new AtomicLong();
    private final Starter starter;

    /** It waits for the starter. Writers: the thread that asks; the starter. */
    final AtomicBoolean hasAsked = new AtomicBoolean();

    /** Another one that waits. By who has set the mark. */
    @Nullable
    PoolSize askedBefore;

    /** The threads that have been started and not ended. */
    private final AtomicInteger alive = new AtomicInteger();

    private final int spare;
    private volatile int maxSize;

    PoolSize(ElasticPool pool, ThreadFactory threadFactory, Starter starter, int maxSize, boolean onDemand) {
        this.pool = pool;
        this.threadFactory = threadFactory;
        this.starter = starter;
        this.maxSize = maxSize;
        this.spare = onDemand ? 0 : SPARE;
    }

    /** Starts the first worker, unless the pool is on demand, and the thread of the starter. What fails is thrown. */
    void startFirst() {
        if (!isOnDemand() && size.get() == 0) {
            boolean ignored = startWorker();
        }
        starter.start();
    }

    /** Whether the starter, and nobody else from outside, starts workers. */
    boolean isOnDemand() {
        return spare == 0;
    }

    /** Returns how many workers stay though they have nothing to do. */
    int spare() {
        return spare;
    }

    /** Lets the starter start a worker if nobody is there who would take a run, and the pool is on demand. Any thread. */
    void ask() {
        if (isWanting()) {
            starter.wake(this);
        }
    }

    /** Starts a worker if nobody is there who would take a run, and the pool is on demand. */
    void startIfWanted() {
        if (isWanted()) {
            startIfAllowed();
        }
    }

    /** Whether {@link #startIfWanted} starts one. */
    boolean isWanted() {
        return isWanting() && pool.hasWork() && !isStartFailing();
    }

    private boolean isWanting() {
        return isOnDemand() && available.get() == 0 && size.get() < maxSize && !pool.stopped;
    }

    private boolean isStartFailing() {
        return lastStartFailure.get() != NONE;
    }

    /** Whether starting a thread has failed, nobody is free, and there may be more workers. */
    boolean isShort() {
        return isStartFailing()
                && available.get() == 0
                && size.get() < maxSize
                && !pool.stopped
                && (!isOnDemand() || pool.hasWork());
    }

    /** Tries again to start a worker if that has failed and nobody is free. */
    void startIfShort() {
        if (isStartFailing() && available.get() == 0 && (!isOnDemand() || pool.hasWork())) {
            startIfAllowed();
        }
    }

    void setMaxSize(int maxSize) {
        this.maxSize = maxSize;
        if (isOnDemand()) {
            starter.wake(this);
        } else if (size.get() > 0 && available.get() == 0) {
            startIfAllowed();
        }
    }

    int maxSize() {
        return maxSize;
    }

    int size() {
        return size.get();
    }

    boolean isTooLarge() {
        return size.get() > maxSize;
    }

    boolean hasMoreThanSpare() {
        return available.get() > spare;
    }

    /** Whether no thread is left, and none will come, after the pool has been stopped; whatever a thread factory is still about. */
    boolean hasEnded() {
        return pool.stopped && alive.get() == 0;
    }

    /** Nothing is started any more. */
    void stop() {
        wakeAll();
    }

    /** Wakes every thread, so that it looks whether it is to end. */
    void wakeAll() {
        // Without a lambda, which may need memory.
        for (IdleSlots slots = firstSlots; slots != null; slots = slots.next()) {
            for (int index = 0; index < IdleSlots.places(); index++) {
                Worker worker = slots.worker(index);
                if (worker != null) {
                    LockSupport.unpark(worker.thread);
                }
            }
        }
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
        alive.decrementAndGet();
    }

    /** Counts an available worker that ends because the pool has been stopped. */
    void leave() {
        available.decrementAndGet();
        size.decrementAndGet();
        alive.decrementAndGet();
    }

    /** Counts an available worker out if there are more workers than there may be; true if it is to end. */
    boolean leaveIfTooMany() {
        int seen = size.get();
        while (seen > maxSize) {
            if (size.compareAndSet(seen, seen - 1)) {
                if (available.decrementAndGet() == 0) {
                    // The limit may have been raised meanwhile, by somebody who saw this worker available.
                    startIfAllowed();
                }
                alive.decrementAndGet();
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
                    // Whoever was the last of the others to take a run meanwhile may have seen the pool at its limit.
                    startIfAllowed();
                }
                alive.decrementAndGet();
                return true;
            }
            seen = available.get();
        }
        return false;
    }

    /** Starts a further worker if there may be one; a failure is logged once, and tried again. */
    void startIfAllowed() {
        // A worker that is started here may be busy and have failed to start the next one before this ends.
        long seen = lastStartFailure.get();
        try {
            if (startWorker()) {
                boolean ignored = lastStartFailure.compareAndSet(seen, NONE);
            }
        } catch (Throwable ex) {
            boolean isFirst = lastStartFailure.getAndSet(startFailures.incrementAndGet()) == NONE;
            starter.wake(this);
            if (isFirst) {
                logStartFailure(ex);
            }
        }
    }

    private static void logStartFailure(Throwable failure) {
        try {
            RunBoundary.log(
                    Level.WARNING,
                    "A further worker could not be started; the others go on, and due tasks wait for one of them",
                    null,
                    failure);
        } catch (Throwable ex) {
            // Even a text needs memory when it is used for the first time.
        }
    }

    /** Starts a worker, unless there may be no more. What fails is thrown. */
    private boolean startWorker() {
        int seen;
        do {
            seen = size.get();
            if (seen >= maxSize || pool.stopped) {
                return false;
            }
        } while (!size.compareAndSet(seen, seen + 1));
        available.incrementAndGet();
        IdleSlots.Place place = null;
        boolean isCounted = false;
        boolean started = false;
        try {
            place = firstSlots.takePlace();
            Worker worker = new Worker(pool, place);
            Thread thread = newThread(threadFactory, worker);
            worker.thread = thread;
            place.seat(worker);
            alive.incrementAndGet();
            isCounted = true;
            // After it is counted: a thread that stops the pool and counts none has stopped it before this looks.
            if (!pool.stopped) {
                thread.start();
                started = true;
            }
            return started;
        } finally {
            if (!started) {
                if (isCounted) {
                    alive.decrementAndGet();
                }
                if (place != null) {
                    place.leave();
                }
                available.decrementAndGet();
                size.decrementAndGet();
                // The last worker may have ended meanwhile and left the news to this one.
                pool.tellIfEnded();
            }
        }
    }

    /** Returns a new thread of the factory, which must not return null. */
    static Thread newThread(ThreadFactory factory, Runnable task) {
        Thread thread = factory.newThread(task);
        if (thread == null) {
            throw new RejectedExecutionException("The thread factory must return a thread, returned null");
        }
        return thread;
    }

    boolean hasIdleWorker() {
        for (IdleSlots slots = firstSlots; slots != null; slots = slots.next()) {
            if (slots.hasIdle()) {
                return true;
            }
        }
        return false;
    }

    /** Takes the idle mark from a worker, which the caller must wake; null if none is idle. */
    @Nullable
    Worker claimIdleWorker() {
        for (IdleSlots slots = firstSlots; slots != null; slots = slots.next()) {
            Worker worker = slots.claimIdle();
            if (worker != null) {
                return worker;
            }
        }
        return null;
    }

    boolean anyWorker(Predicate<Worker> condition) {
        for (IdleSlots slots = firstSlots; slots != null; slots = slots.next()) {
            for (int index = 0; index < IdleSlots.places(); index++) {
                Worker worker = slots.worker(index);
                if (worker != null && condition.test(worker)) {
                    return true;
                }
            }
        }
        return false;
    }
}
