package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.RunHooks;
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
 * <p>A thread of its own, the {@linkplain ExecutorFeeder feeder}, does the handing over, because a given executor may
 * block, refuse, or run the task in its caller. A thread for a run that is due now is started by the caller, unless
 * others wait. A rejected run is offered again after a short pause, and no later run overtakes it.
 */
public final class ExecutorWorkers extends Workers {

    private final Executor target;

    /** Whether the target starts a thread for each run: that neither blocks nor runs anything in its caller. */
    private final boolean startsThreads;

    private final ThreadFactory feederFactory;
    private final InFlight inFlight = new InFlight();

    private final ExecutorRefusals refusals;
    private final ExecutorFeeder feeder;

    /**
     * Creates workers that are tasks of the executor, which is the user's, or a {@link ThreadPerRun}.
     *
     * @param feederFactory makes the thread that hands runs to the executor
     * @param maxSize the maximum number of runs that the executor has at a time, at least 1
     * @param nanoClock the monotonic clock for the limit of logged rejections
     */
    public ExecutorWorkers(
            Executor target,
            ThreadFactory feederFactory,
            int maxSize,
            LongSupplier nanoClock,
            Listener listener,
            @Nullable RunHooks hooks) {
        super(listener, hooks, maxSize, ReadyQueue.RING_SIZE);
        this.target = target;
        this.startsThreads = target instanceof ThreadPerRun;
        this.feederFactory = feederFactory;
        this.refusals = new ExecutorRefusals(nanoClock);
        this.feeder = new ExecutorFeeder(this, inFlight, target, refusals);
    }

    @Override
    public void start() {
        feeder.start(feederFactory);
    }

    @Override
    public boolean mayStartThread(boolean isDue) {
        return isDue && startsThreads;
    }

    /**
     * Starts the thread of the run on the calling thread, if every run that was handed over before has its own; else
     * the feeder does.
     */
    @Override
    public boolean handOverNow(Runnable run, long nowNanos) {
        return (startsThreads && startNow(run, nowNanos)) || super.handOverNow(run, nowNanos);
    }

    /** Returns whether nothing is left to be done for the run: it has its thread, or has been taken back by a stop. */
    private boolean startNow(Runnable task, long nowNanos) {
        if (!isOpen() || !feeder.isCaughtUp()) {
            return false;
        }
        ExecutorRun run = new ExecutorRun(this);
        if (!inFlight.tryCount(maxSize())) {
            return false;
        }
        run.fill(task, nowNanos);
        try {
            // A stop sets the flag first, then reads the runs in flight.
            inFlight.show(run);
            if (!stopped) {
                target.execute(run);
                return true;
            }
        } catch (Throwable ex) {
            refusals.total.incrementAndGet();
            refusals.log(run.task, ex);
        }
        if (!inFlight.takeBack(run)) {
            return true;
        }
        inFlight.remove(run);
        signal();
        return false;
    }

    @Override
    public void signal() {
        VarHandle.fullFence();
        feeder.signal();
    }

    @Override
    public void setMaxSize(int maxSize) {
        super.setMaxSize(maxSize);
        signal();
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
        return refusals.total.get();
    }

    @Override
    public void stop() {
        close();
        ending = true;
        feeder.stop();
    }

    @Override
    public List<Runnable> stopNow() {
        close();
        while (feeder.isTaking()) {
            LockSupport.parkNanos(this, 10_000);
        }
        // Runs in flight come before waiting ones.
        List<Runnable> neverRan = inFlight.takeBackUpTo(inFlight.count());
        if (neverRan.isEmpty()) {
            neverRan = ready.pollAll();
        }
        stop();
        return neverRan;
    }

    @Override
    public void interruptFeeder() {
        feeder.interrupt();
    }

    @Override
    public void interruptActive() {
        inFlight.forEach(ExecutorRun::interrupt);
    }

    @Override
    public void interruptLate() {
        inFlight.forEach(ExecutorRun::interruptLate);
    }

    @Override
    public boolean hasEnded() {
        return ending && inFlight.activeCount() == 0 && feeder.hasEnded();
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
    boolean holdsRuns() {
        return inFlight.count() > 0;
    }

    /** Runs on the target's thread. If anything is thrown here, the counts are true afterwards. */
    void execute(ExecutorRun run) {
        // The counter first, then the flags; a thread that closes the pool sets the flags first, then looks at the
        // counter.
        inFlight.enter();
        Thread thread = Thread.currentThread();
        boolean started = false;
        try {
            started = isOpen() && run.start(thread);
            if (started) {
                try {
                    long nowNanos = tellStarting(run.task, run.expiredNanos);
                    if (nowNanos != 0) {
                        run.startedAt(nowNanos);
                    }
                    boundary.run(run.task);
                } finally {
                    run.finish(thread);
                }
            } else if (!stopped) {
                inFlight.sendBack(run);
            }
        } finally {
            inFlight.leave(run, started);
            try {
                feeder.runEnded();
                afterWork();
            } finally {
                tellIfEnded();
            }
        }
    }
}
