package io.github.wheelscheduler.worker;

import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Threads that come when they are needed, up to a limit, and end when they have been idle for long.
 *
 * <p>A worker, or a thread of their own if that has failed, starts further workers; the tick thread never does.
 *
 * <p>It is long because waking, taking, performing and falling idle rely on the order in which each of them says what it does and looks at
 * the queue again, and can only be judged together; who comes and who ends, which can be parted from that, is {@link PoolSize}'s.
 */
public final class ElasticPool extends Workers {

    /*
     * Who wakes whom
     * --------------
     * At most one wake-up is on its way at a time. The worker that wakes up takes a run and, if more are waiting, sends
     * the next wake-up; so a burst of runs wakes as many workers as it needs, one after the other, and the tick thread
     * pays for one of them.
     *
     * When the tick thread has said that it will follow up soon, because it wakes up often anyway, the worker does not wake
     * the next, and the tick thread wakes none for what it adds to a batch that one is working on: short runs are done by
     * one worker then, and a run that takes long holds up the others until the follow-up.
     *
     *   signal:  queue not empty, an idle bit is set, nobody is on the way  ->  claim a bit, unpark
     *   worker:  set idle bit (fence), look at the queue again, park
     *
     * Who starts whom: see PoolSize.
     *
     * A worker ends only by way of PoolSize, which counts it out: whatever is thrown inside, memory that runs out included, the
     * counts are made good and it goes on. A run that has been taken is performed, whatever happens in between.
     */

    private static final long PAUSE_AFTER_FAILURE_NANOS = 1_000_000;

    private final long keepAliveNanos;
    private final LongSupplier nanoClock;
    private final Predicate<Runnable> touch;
    private final PoolSize poolSize;

    /** Null unless the pool is one of several on a wheel, where the ends of runs matter to others. */
    private final @Nullable ThreadLocal<Worker> workerOfThread;

    /** Whether each worker ends with its first run. */
    private final boolean oneRunEach;

    /** The workers that will look at the ready queue once more, perhaps after a run. */
    private final AtomicInteger awake = new AtomicInteger();

    private final AtomicBoolean wakeUpOnItsWay = new AtomicBoolean();

    private ElasticPool(
            ThreadFactory threadFactory,
            Starter starter,
            int maxSize,
            long keepAliveNanos,
            LongSupplier nanoClock,
            Listener listener,
            @Nullable RunHooks hooks,
            int ringSize,
            boolean onDemand,
            boolean oneRunEach) {
        super(listener, hooks, ringSize);
        this.keepAliveNanos = keepAliveNanos;
        this.nanoClock = nanoClock;
        this.touch = listener::touch;
        this.oneRunEach = oneRunEach;
        this.workerOfThread = onDemand ? new ThreadLocal<>() : null;
        this.poolSize = new PoolSize(this, threadFactory, starter, maxSize, onDemand);
    }

    /**
     * Creates a pool without threads, some of which stay once they have come.
     *
     * @param threadFactory makes the workers
     * @param starter tries again when a worker could not be started
     * @param maxSize how many workers there may be, at least 1
     * @param keepAliveNanos how long a worker stays idle before it ends
     * @param nanoClock the monotonic clock that the idle time is read from
     */
    public static ElasticPool of(
            ThreadFactory threadFactory,
            Starter starter,
            int maxSize,
            long keepAliveNanos,
            LongSupplier nanoClock,
            Listener listener,
            @Nullable RunHooks hooks) {
        return new ElasticPool(
                threadFactory,
                starter,
                maxSize,
                keepAliveNanos,
                nanoClock,
                listener,
                hooks,
                ReadyQueue.RING_SIZE,
                false,
                false);
    }

    /**
     * Creates a pool that has no thread before its first run, and none after it has been idle for long.
     *
     * @param threadFactory makes the workers
     * @param starter starts the first worker, and tries again when one could not be started
     * @param maxSize how many workers there may be, at least 1
     * @param keepAliveNanos how long a worker stays idle before it ends
     * @param nanoClock the monotonic clock that the idle time is read from
     * @param oneRunEach whether each run has a thread of its own
     */
    public static ElasticPool onDemand(
            ThreadFactory threadFactory,
            Starter starter,
            int maxSize,
            long keepAliveNanos,
            LongSupplier nanoClock,
            Listener listener,
            @Nullable RunHooks hooks,
            boolean oneRunEach) {
        return new ElasticPool(
                threadFactory,
                starter,
                maxSize,
                keepAliveNanos,
                nanoClock,
                listener,
                hooks,
                ReadyQueue.SMALL_RING_SIZE,
                true,
                oneRunEach);
    }

    @Override
    public void start() {
        poolSize.startFirst();
    }

    @Override
    public void startIfShort() {
        // By the starter, if the pool is on demand: the caller may be anybody's worker.
        if (!poolSize.isOnDemand()) {
            poolSize.startIfShort();
        }
    }

    @Override
    public void signal() {
        VarHandle.fullFence();
        while (isOpen() && ready.hasNext() && poolSize.hasIdleWorker()) {
            if (wakeUpOnItsWay.get()) {
                return;
            }
            if (!wakeUpOnItsWay.compareAndSet(false, true)) {
                return;
            }
            Worker worker = poolSize.claimIdleWorker();
            if (worker != null) {
                LockSupport.unpark(worker.thread);
                return;
            }
            // Somebody may have relied on this wake-up meanwhile: look again after taking it back.
            wakeUpOnItsWay.set(false);
        }
        if (hasWork()) {
            poolSize.ask();
        }
    }

    /** Whether there is a run that may be taken. Any thread. */
    boolean hasWork() {
        return isOpen() && ready.hasNext();
    }

    @Override
    int awakeCount() {
        // A worker that is in its only run looks at the queue no more.
        return oneRunEach ? 0 : awake.get();
    }

    @Override
    public void setMaxSize(int maxSize) {
        poolSize.setMaxSize(maxSize);
        if (poolSize.isTooLarge()) {
            poolSize.wakeAll();
        }
    }

    @Override
    public int maxSize() {
        return poolSize.maxSize();
    }

    @Override
    public int coreSize() {
        return Math.min(poolSize.spare(), poolSize.maxSize());
    }

    @Override
    public int threadCount() {
        return poolSize.size();
    }

    @Override
    public int activeCount() {
        int[] count = {0};
        forEachWorker(worker -> count[0] += worker.phase == Worker.RUNNING ? 1 : 0);
        return count[0];
    }

    @Override
    public long refusedHandOvers() {
        return 0;
    }

    @Override
    public void stop() {
        stopped = true;
        poolSize.stop();
    }

    @Override
    public List<Runnable> stopNow() {
        stopped = true;
        forEachWorker(worker -> {
            while (worker.phase == Worker.TAKING) {
                LockSupport.parkNanos(this, 10_000);
            }
        });
        stop();
        return ready.pollAll();
    }

    @Override
    public void forEachRunning(RunningVisitor visitor) {
        forEachWorker(worker -> worker.showTo(visitor));
    }

    @Override
    public void interruptActive() {
        forEachWorker(worker -> {
            Thread thread = worker.thread;
            if (worker.phase == Worker.RUNNING && thread != null) {
                thread.interrupt();
            }
        });
    }

    @Override
    public boolean hasEnded() {
        return poolSize.hasEnded();
    }

    @Override
    boolean isActive() {
        return poolSize.anyWorker(worker -> worker.phase != Worker.IDLE);
    }

    @Override
    boolean holdsRuns() {
        return isActive();
    }

    /** Tells the listener if the last thread has ended after a stop. */
    void tellIfEnded() {
        if (hasEnded()) {
            listener.ended();
        }
    }

    private void knowThread(Worker worker) {
        ThreadLocal<Worker> known = workerOfThread;
        boolean isKnown = known == null;
        while (known != null && !isKnown) {
            try {
                known.set(worker);
                isKnown = true;
            } catch (OutOfMemoryError ex) {
                LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
            }
        }
    }

    /** The life of a worker, on its thread. */
    void work(Worker worker) {
        knowThread(worker);
        boolean isNew = true;
        while (!worker.hasLeft) {
            try {
                if (awaitWork(worker, isNew)) {
                    workOff(worker);
                }
            } catch (Throwable ex) {
                recover(worker, ex);
            }
            isNew = false;
        }
        worker.place.leave();
        boolean told = false;
        while (!told) {
            try {
                tellIfEnded();
                told = true;
            } catch (Throwable ex) {
                // Nobody else would.
                LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
            }
        }
    }

    /** Lets the worker go on after a failure. Throws nothing: it is counted, and is to be there. */
    private void recover(Worker worker, Throwable failure) {
        try {
            RunBoundary.log(Level.ERROR, "A worker failed and goes on", null, failure);
        } catch (Throwable ex) {
            // Even a text needs memory when it is used for the first time.
        }
        // A wake-up may have been meant for it; it looks at the queue next.
        if (!worker.place.unmarkIdle()) {
            wakeUpOnItsWay.set(false);
        }
        LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
    }

    private void workOff(Worker worker) {
        boolean worked = false;
        awake.incrementAndGet();
        try {
            Runnable run = take(worker);
            while (run != null) {
                boolean isFirst = !worked;
                worked = true;
                try {
                    if (isFirst) {
                        leaveAvailable();
                    } else {
                        poolSize.startIfShort();
                    }
                } finally {
                    perform(worker, run);
                }
                if (isQuietAwaited()) {
                    worker.phase = Worker.IDLE;
                    callBackIfQuiet();
                }
                run = oneRunEach ? null : take(worker);
            }
        } finally {
            worker.phase = Worker.IDLE;
            if (worked && oneRunEach) {
                worker.hasLeft = true;
                poolSize.leaveAfterRun();
            } else if (worked) {
                poolSize.becomeAvailable();
            }
            try {
                afterWork();
            } finally {
                // Before the worker looks at the queue for the last time: whoever adds a run and sees it awake is
                // right.
                awake.decrementAndGet();
                if (worker.hasLeft) {
                    // The limit may have kept others from coming.
                    poolSize.startIfWanted();
                    signal();
                }
            }
        }
    }

    private @Nullable Runnable take(Worker worker) {
        worker.phase = Worker.TAKING;
        // An interrupt that was meant for the run before, or that it left behind, ends here.
        boolean ignored = Thread.interrupted();
        worker.touched += ready.touchAhead(touch);
        Runnable run = isOpen() && !poolSize.isTooLarge() ? ready.poll(worker.taken) : null;
        if (run != null) {
            worker.phase = Worker.RUNNING;
        }
        return run;
    }

    @Override
    public boolean leaveEarly() {
        Worker worker = workerOfThread == null ? null : workerOfThread.get();
        if (worker == null || worker.hasLeftEarly) {
            return false;
        }
        worker.hasLeftEarly = true;
        return true;
    }

    private void perform(Worker worker, Runnable run) {
        worker.hasLeftEarly = false;
        try {
            long nowNanos = tellStarting(run, worker.taken.expiredNanos);
            if (nowNanos == 0) {
                boundary.run(run);
                return;
            }
            worker.show(run, nowNanos);
            try {
                boundary.run(run);
            } finally {
                worker.showNothing();
            }
        } finally {
            if (!worker.hasLeftEarly) {
                listener.left();
            }
        }
    }

    private void leaveAvailable() {
        if (poolSize.leaveAvailable()) {
            poolSize.startIfAllowed();
            if (isOnItsOwn() && ready.hasNext()) {
                // A second one: so that the pool grows to a burst by doubling, not one by one.
                poolSize.startIfAllowed();
            }
        }
        if (isOnItsOwn() && ready.hasNext()) {
            signal();
        }
    }

    /** Whether no one else sees to the runs that wait: the tick thread by a follow-up, or workers after the run that they are in. */
    private boolean isOnItsOwn() {
        return oneRunEach || !followedUp;
    }

    /**
     * Waits for a signal; false if the worker is to look again or has left, and then is counted no more.
     *
     * @param isNew whether the worker has just come, perhaps only to be available; if the tick thread follows up, it says
     *     when the worker is needed
     */
    private boolean awaitWork(Worker worker, boolean isNew) {
        long idleSince = nanoClock.getAsLong();
        while (true) {
            if (stopped) {
                poolSize.leave();
                worker.hasLeft = true;
                return false;
            }
            if (poolSize.leaveIfTooMany()) {
                worker.hasLeft = true;
                // It may have used up a wake-up and taken nothing.
                signal();
                return false;
            }
            worker.place.markIdle();
            if (stopped || (isWorkWaiting() && (!isNew || isOnItsOwn()))) {
                return returnToWork(worker);
            }
            if (poolSize.hasMoreThanSpare()) {
                LockSupport.parkNanos(this, keepAliveNanos);
            } else {
                LockSupport.park(this);
            }
            // Whoever interrupts an idle worker means nobody; with the flag set it would not park again.
            boolean ignored = Thread.interrupted();
            if (!worker.place.unmarkIdle()) {
                return returnToWork(worker);
            }
            if (nanoClock.getAsLong() - idleSince >= keepAliveNanos && poolSize.leaveIfMoreThanSpare()) {
                worker.hasLeft = true;
                // A signal that came while this worker was not marked idle may have found nobody.
                signal();
                return false;
            }
        }
    }

    /** Ends the wait; a wake-up that was meant for this worker has arrived. */
    private boolean returnToWork(Worker worker) {
        if (!worker.place.unmarkIdle()) {
            wakeUpOnItsWay.set(false);
        }
        return true;
    }

    private boolean isWorkWaiting() {
        return !paused && ready.hasNext();
    }

    private void forEachWorker(Consumer<Worker> action) {
        boolean ignored = poolSize.anyWorker(worker -> {
            action.accept(worker);
            return false;
        });
    }
}
