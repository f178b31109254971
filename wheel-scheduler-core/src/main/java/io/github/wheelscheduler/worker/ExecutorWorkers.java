package io.github.wheelscheduler.worker;

import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands due runs to an executor of the user's, or starts a thread for each.
 *
 * <p>A thread of its own, the {@linkplain ExecutorFeeder feeder}, does the handing over, because a given executor may block, refuse,
 * or run the task in its caller. A thread for a run that is due now is started by the caller, unless others wait. What is
 * refused is offered again after a short pause, and nothing behind it overtakes it.
 */
public final class ExecutorWorkers extends Workers {

    private static final long PAUSE_AFTER_FAILURE_NANOS = 1_000_000;

    private final Executor target;

    /** Whether the target starts a thread for each run: that neither blocks nor runs anything in its caller. */
    private final boolean startsThreads;

    private final ThreadFactory feederFactory;
    private volatile int maxSize;

    private final InFlight inFlight = new InFlight();

    private final ExecutorRefusals refusals;
    private final ExecutorFeeder feeder;
    private volatile @Nullable Thread feederThread;

    private ExecutorWorkers(
            Executor target,
            boolean startsThreads,
            ThreadFactory feederFactory,
            int maxSize,
            LongSupplier nanoClock,
            Listener listener,
            @Nullable RunHooks hooks) {
        super(listener, hooks, ReadyQueue.RING_SIZE);
        this.target = target;
        this.startsThreads = startsThreads;
        this.feederFactory = feederFactory;
        this.maxSize = maxSize;
        this.refusals = new ExecutorRefusals(nanoClock);
        this.feeder = new ExecutorFeeder(this, inFlight, target, refusals);
    }

    /**
     * Creates workers that are tasks of the given executor.
     *
     * @param nanoClock the monotonic clock that says when refusals are logged again
     */
    public static ExecutorWorkers ofExecutor(
            Executor target,
            ThreadFactory feederFactory,
            int maxSize,
            LongSupplier nanoClock,
            Listener listener,
            @Nullable RunHooks hooks) {
        return new ExecutorWorkers(target, false, feederFactory, maxSize, nanoClock, listener, hooks);
    }

    /**
     * Creates workers that each have a new thread, usually a virtual one, and end with their run.
     *
     * @param nanoClock the monotonic clock that says when failures to start threads are logged again
     */
    public static ExecutorWorkers ofThreadPerRun(
            ThreadFactory threads,
            ThreadFactory feederFactory,
            int maxSize,
            LongSupplier nanoClock,
            Listener listener,
            @Nullable RunHooks hooks) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Executor starter = run -> {
            Thread thread = PoolSize.newThread(threads, run);
            ClassLoader inherited = Thread.currentThread().getContextClassLoader();
            if (inherited != loader && thread.getContextClassLoader() == inherited) {
                // It would depend on who happens to schedule.
                thread.setContextClassLoader(loader);
            }
            thread.start();
        };
        return new ExecutorWorkers(starter, true, feederFactory, maxSize, nanoClock, listener, hooks);
    }

    @Override
    public void start() {
        if (feederThread == null) {
            Thread thread = PoolSize.newThread(feederFactory, feeder);
            feederThread = thread;
            try {
                thread.start();
            } catch (Throwable ex) {
                feederThread = null;
                throw ex;
            }
        }
    }

    /**
     * Starts the thread of the run on the calling thread, if every run that was handed over before has its own; else the
     * feeder does.
     */
    @Override
    public boolean handOverNow(Runnable run, long nowNanos) {
        return (startsThreads && startNow(run, nowNanos)) || super.handOverNow(run, nowNanos);
    }

    /** Returns whether the run needs nobody any more: it has its thread, or whoever stopped the workers has it. */
    private boolean startNow(Runnable task, long nowNanos) {
        if (!isOpen() || !feeder.isCaughtUp() || !inFlight.tryCount(maxSize)) {
            return false;
        }
        ExecutorRun run = newRun(task, nowNanos);
        if (run == null) {
            inFlight.uncount();
            signal();
            return false;
        }
        // Whoever stops the workers sets the flag first, then looks at what is in flight.
        inFlight.show(run);
        try {
            if (!stopped) {
                target.execute(run);
                return true;
            }
        } catch (Throwable ex) {
            refusals.count();
            refusals.log(run, ex);
        }
        if (!inFlight.takeBack(run)) {
            return true;
        }
        inFlight.remove(run);
        signal();
        return false;
    }

    /** Returns a run with a place, or null if there is no memory for it. */
    private @Nullable ExecutorRun newRun(Runnable task, long nowNanos) {
        try {
            ExecutorRun run = new ExecutorRun(this);
            run.fill(task, nowNanos);
            inFlight.prepare(run);
            return run;
        } catch (Throwable ex) {
            // The feeder tries again.
            return null;
        }
    }

    @Override
    public void signal() {
        VarHandle.fullFence();
        feeder.signal(feederThread);
    }

    @Override
    int awakeCount() {
        return 0;
    }

    @Override
    public void setMaxSize(int maxSize) {
        this.maxSize = maxSize;
        signal();
    }

    @Override
    public int maxSize() {
        return maxSize;
    }

    @Override
    public int coreSize() {
        return 0;
    }

    @Override
    public int threadCount() {
        return inFlight.activeCount();
    }

    @Override
    public int activeCount() {
        return inFlight.activeCount();
    }

    @Override
    public long readyCount() {
        return super.readyCount() + inFlight.returnedCount();
    }

    @Override
    public long oldestReadyNanos(long nowNanos) {
        return Math.max(super.oldestReadyNanos(nowNanos), inFlight.oldestReturnedNanos(nowNanos));
    }

    @Override
    public long refusedHandOvers() {
        return refusals.total();
    }

    @Override
    public void stop() {
        stopped = true;
        LockSupport.unpark(feederThread);
    }

    @Override
    public List<Runnable> stopNow() {
        stopped = true;
        while (feeder.isTaking()) {
            LockSupport.parkNanos(this, 10_000);
        }
        // What is in flight comes before what waits.
        List<Runnable> neverRan = inFlight.takeBackUpTo(inFlight.count());
        if (neverRan.isEmpty()) {
            neverRan = ready.pollAll();
        }
        stop();
        Thread thread = feederThread;
        if (thread != null && thread != Thread.currentThread()) {
            // It may sit in an executor that blocks.
            thread.interrupt();
        }
        return neverRan;
    }

    @Override
    public void interruptActive() {
        inFlight.forEach(ExecutorRun::interrupt);
    }

    @Override
    public boolean hasEnded() {
        return stopped && inFlight.activeCount() == 0 && (feederThread == null || feeder.hasEnded());
    }

    @Override
    public void forEachReady(Consumer<? super Runnable> action) {
        super.forEachReady(action);
        inFlight.forEachNotStarted(action);
    }

    @Override
    public void forEachRunning(RunningVisitor visitor) {
        inFlight.forEach(run -> run.showTo(visitor));
    }

    @Override
    boolean isActive() {
        return inFlight.activeCount() > 0;
    }

    @Override
    boolean holdsRuns() {
        return inFlight.count() > 0;
    }

    /** Runs on the target's thread. Whatever is thrown here, the counts are true afterwards. */
    void execute(ExecutorRun run) {
        // The counter first, then the flags; whoever closes the pool sets the flags first, then looks at the counter.
        inFlight.enter();
        Thread thread = Thread.currentThread();
        boolean started = false;
        try {
            started = isOpen() && run.start(thread);
            if (started) {
                perform(run, thread);
            } else if (!stopped) {
                inFlight.sendBack(run);
            }
        } finally {
            if (started) {
                inFlight.leave(run);
            } else {
                inFlight.leave();
            }
            try {
                feeder.runEnded(feederThread);
                afterWork();
            } finally {
                tellIfEnded();
            }
        }
    }

    private void perform(ExecutorRun run, Thread thread) {
        try {
            long nowNanos = tellStarting(run.task, run.expiredNanos);
            if (nowNanos != 0) {
                run.startedAt(nowNanos);
            }
            boundary.run(run.task);
        } finally {
            run.finish(thread);
        }
    }

    /** Tells that the last of the threads has ended, if so, and insists. */
    void tellIfEnded() {
        boolean told = !hasEnded();
        while (!told) {
            try {
                listener.ended();
                told = true;
            } catch (Throwable ex) {
                LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
            }
        }
    }
}
