package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.RunHooks;
import io.github.wheelscheduler.internal.EngineLog;
import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that come when they are needed, up to a limit, and end when they have been idle for long.
 *
 * <p>The first worker comes with the first run. A worker, or a thread of their own if that has failed, starts further
 * ones; the tick thread never does.
 *
 * <p>This class wakes workers, and lets them take runs, perform them and fall idle: each of these announces its step
 * before it looks at the queue again. {@link PoolSize} decides which threads start and which end.
 */
public final class ElasticPool extends Workers {

    /*
     * Waking workers
     * --------------
     * At most one wake-up is on its way at a time. The worker that wakes up takes a run and, if more are waiting, sends
     * the next wake-up; so a burst of runs wakes as many workers as it needs, one after the other, and the tick thread
     * pays for one of them.
     *
     * When the tick thread has said that it will follow up soon, because it wakes up often anyway, the worker does not
     * wake the next, and the tick thread wakes none for what it adds to a batch that one is working on: short runs are
     * done by one worker then, and a run that takes long holds up the others until the follow-up.
     *
     *   signal:  queue not empty, an idle bit is set, none is on the way  ->  claim a bit, unpark
     *   worker:  set idle bit (fence), look at the queue again, park
     *
     * Starting workers: see PoolSize.
     *
     * A worker ends only by way of PoolSize, which counts it out: if anything is thrown inside, memory that runs out
     * included, the counts are made good and it continues. A run that has been taken is performed, also if something
     * fails in between.
     */

    /** When the threads of a pool come and end. */
    public enum ThreadPolicy {

        /** None comes before the first run, and some stay once they have come. */
        KEEP_SOME,

        /** None comes before the first run, and none stays after it has been idle for long. */
        ON_DEMAND,

        /** As with {@link #ON_DEMAND}, and each ends with its first run. */
        PER_RUN
    }

    private static final String FAILED = "A worker failed outside of a task; it continues, and tasks may start "
            + "late. Report this stack trace, unless memory was short";

    private final long keepAliveNanos;
    private final LongSupplier nanoClock;
    private final PoolSize poolSize;

    /** Null unless the pool is one of several on a wheel, where the ends of runs matter to others. */
    private final @Nullable ThreadLocal<Worker> workerOfThread;

    /** Whether each worker ends with its first run. */
    private final boolean oneRunEach;

    /** The workers that will look at the ready queue once more, perhaps after a run. */
    private final AtomicInteger awake = new AtomicInteger();

    private final AtomicBoolean wakeUpOnItsWay = new AtomicBoolean();

    /**
     * Creates a pool that has no thread yet.
     *
     * @param threadFactory makes the workers
     * @param starter starts the first worker where no caller does, and tries again when a worker could not be started
     * @param maxSize the maximum number of workers, at least 1
     * @param keepAliveNanos the time that a worker stays idle before it ends
     * @param nanoClock the monotonic clock that the idle time is read from
     */
    public ElasticPool(
            ThreadPolicy policy,
            ThreadFactory threadFactory,
            Starter starter,
            int maxSize,
            long keepAliveNanos,
            LongSupplier nanoClock,
            Listener listener,
            @Nullable RunHooks hooks) {
        super(
                listener,
                hooks,
                maxSize,
                policy == ThreadPolicy.KEEP_SOME ? ReadyQueue.RING_SIZE : ReadyQueue.SMALL_RING_SIZE);
        boolean onDemand = policy != ThreadPolicy.KEEP_SOME;
        this.keepAliveNanos = keepAliveNanos;
        this.nanoClock = nanoClock;
        this.oneRunEach = policy == ThreadPolicy.PER_RUN;
        this.workerOfThread = onDemand ? new ThreadLocal<>() : null;
        this.poolSize = new PoolSize(this, threadFactory, starter, onDemand);
    }

    @Override
    public boolean mayStartThread(boolean isDue) {
        return !poolSize.isOnDemand() && poolSize.mayStartThread(isDue);
    }

    @Override
    public void startIfShort(boolean isFirstNeeded) {
        // By the starter, if the pool is on demand: the caller may be a worker of another pool.
        if (!poolSize.isOnDemand()) {
            poolSize.startIfShort(isFirstNeeded);
        }
    }

    @Override
    public boolean isFirstLacking() {
        return poolSize.isFirstLacking() && isOpen();
    }

    @Override
    public void startAhead() {
        poolSize.askAhead();
    }

    @Override
    public void signal() {
        VarHandle.fullFence();
        while (hasWork() && poolSize.slots.hasIdle()) {
            if (wakeUpOnItsWay.get() || !wakeUpOnItsWay.compareAndSet(false, true)) {
                return;
            }
            Worker worker = poolSize.slots.claimIdle();
            if (worker != null) {
                LockSupport.unpark(worker.thread);
                return;
            }
            // Another thread may have relied on this wake-up meanwhile: look again after taking it back.
            wakeUpOnItsWay.set(false);
        }
        poolSize.ask();
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
        super.setMaxSize(maxSize);
        poolSize.maxSizeChanged();
    }

    @Override
    public int coreSize() {
        return Math.min(poolSize.spare, maxSize());
    }

    @Override
    public int threadCount() {
        return poolSize.size.get();
    }

    @Override
    public int largestThreadCount() {
        return poolSize.largest.get();
    }

    @Override
    public int activeCount() {
        int[] count = {0};
        forEachWorker(worker -> count[0] += worker.phase == Worker.RUNNING ? 1 : 0);
        return count[0];
    }

    @Override
    public void stop() {
        close();
        ending = true;
        poolSize.wakeAll();
    }

    @Override
    public List<Runnable> stopNow() {
        close();
        forEachWorker(this::awaitTaken);
        stop();
        return ready.pollAll();
    }

    private void awaitTaken(Worker worker) {
        while (worker.phase == Worker.TAKING) {
            LockSupport.parkNanos(this, 10_000);
        }
    }

    @Override
    public void forEachRunning(RunningVisitor visitor) {
        forEachWorker(worker -> worker.showTo(visitor));
    }

    @Override
    public void interruptActive() {
        boolean ignored = poolSize.slots.anyWorker(ElasticPool::interruptIfRunning);
    }

    @Override
    public void interruptLate() {
        forEachWorker(worker -> {
            awaitTaken(worker);
            if (!worker.wasInterrupted) {
                boolean ignored = interruptIfRunning(worker);
            }
        });
    }

    /** Goes on with the next worker. */
    private static boolean interruptIfRunning(Worker worker) {
        Thread thread = worker.thread;
        if (worker.phase == Worker.RUNNING && thread != null) {
            worker.wasInterrupted = true;
            interrupt(thread);
        }
        return false;
    }

    @Override
    public boolean hasEnded() {
        return poolSize.hasEnded();
    }

    @Override
    boolean isActive() {
        return poolSize.slots.anyWorker(worker -> worker.phase != Worker.IDLE);
    }

    /** Lets {@link #leaveEarly} find the worker of the thread, as soon as there is memory for that. */
    private void knowThread(Worker worker) {
        while (workerOfThread != null) {
            try {
                workerOfThread.set(worker);
                return;
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
        poolSize.countEnd(worker);
        tellIfEnded();
    }

    /** Lets the worker continue after a failure. Throws nothing: it is counted, and is to be there. */
    private void recover(Worker worker, Throwable failure) {
        try {
            EngineLog.log(Level.ERROR, FAILED, null, failure);
        } catch (Throwable ex) {
            // Without memory, the handling of a failure fails, too.
        }
        // A wake-up may have been meant for it; it looks at the queue next.
        if (!worker.unmarkIdle()) {
            wakeUpOnItsWay.set(false);
        }
        LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
    }

    private void workOff(Worker worker) {
        boolean worked = false;
        awake.incrementAndGet();
        try {
            for (Runnable run = take(worker); run != null; run = oneRunEach ? null : take(worker)) {
                boolean isFirst = !worked;
                worked = true;
                try {
                    if (isFirst) {
                        leaveAvailable();
                    } else {
                        poolSize.startIfShort(false);
                    }
                } finally {
                    perform(worker, run);
                }
                if (isQuietAwaited()) {
                    worker.phase = Worker.IDLE;
                    callBackIfQuiet();
                }
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
                // Before the worker looks at the queue for the last time: a thread that adds a run and sees it awake
                // is right.
                awake.decrementAndGet();
                if (worker.hasLeft) {
                    // The limit may have kept others from coming.
                    if (poolSize.isWanted(false)) {
                        poolSize.startIfAllowed();
                    }
                    signal();
                }
            }
        }
    }

    private @Nullable Runnable take(Worker worker) {
        worker.phase = Worker.TAKING;
        // An interrupt that was meant for the run before, or that it left behind, ends here.
        boolean ignored = Thread.interrupted();
        worker.touched += ready.touchAhead(listener);
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
        boolean wasLast = poolSize.leaveAvailable();
        if (wasLast) {
            poolSize.startIfAllowed();
        }
        if (isOnItsOwn() && ready.hasNext()) {
            if (wasLast) {
                // A second one: so that the pool grows to a burst by doubling, not one by one.
                poolSize.startIfAllowed();
            }
            signal();
        }
    }

    /**
     * Whether neither the tick thread, by a follow-up, nor workers, after the run that they are in, see to the runs
     * that wait.
     */
    private boolean isOnItsOwn() {
        return oneRunEach || !followedUp;
    }

    /**
     * Waits for a signal; false if the worker is to look again or has left, and then is counted no more.
     *
     * @param isNew whether the worker has just come, perhaps only to be available; if the tick thread follows up, it
     *     says when the worker is needed
     */
    private boolean awaitWork(Worker worker, boolean isNew) {
        long idleSince = nanoClock.getAsLong();
        boolean isIdleForLong = false;
        while (!poolSize.leaveIfTooMany() && !(isIdleForLong && poolSize.leaveIfMoreThanSpare())) {
            worker.markIdle();
            if (stopped || (hasWork() && (!isNew || isOnItsOwn()))) {
                return returnToWork(worker);
            }
            if (poolSize.hasMoreThanSpare()) {
                LockSupport.parkNanos(this, keepAliveNanos);
            } else {
                LockSupport.park(this);
            }
            // An interrupt of an idle worker is meant for no run; with the flag set it would not park again.
            boolean ignored = Thread.interrupted();
            if (!worker.unmarkIdle()) {
                return returnToWork(worker);
            }
            isIdleForLong = nanoClock.getAsLong() - idleSince >= keepAliveNanos;
        }
        worker.hasLeft = true;
        // It may have used up a wake-up and taken nothing, or a signal may have come while it was not marked idle.
        signal();
        return false;
    }

    /** Ends the wait; a wake-up that was meant for this worker has arrived. */
    private boolean returnToWork(Worker worker) {
        if (!worker.unmarkIdle()) {
            wakeUpOnItsWay.set(false);
        }
        return true;
    }

    private void forEachWorker(Consumer<Worker> action) {
        boolean ignored = poolSize.slots.anyWorker(worker -> {
            action.accept(worker);
            return false;
        });
    }
}
