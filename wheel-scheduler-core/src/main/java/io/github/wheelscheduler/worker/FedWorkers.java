package io.github.wheelscheduler.worker;

import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands due runs to an executor of the user's, or starts a thread for each.
 *
 * <p>A thread of its own, the feeder, does the handing over, because a given executor may block, refuse, or run the task
 * in its caller. What is refused is offered again after a short pause, and nothing behind it overtakes it.
 */
public final class FedWorkers extends Workers {

    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final long LONGEST_PAUSE_NANOS = 100_000_000;

    private final Executor target;
    private final ThreadFactory feederFactory;
    private volatile int maxSize;

    /** Handed to the target and not over yet; those that the target has not started can still be taken back. */
    private final Set<FedRun> inFlight = ConcurrentHashMap.newKeySet();

    private final AtomicInteger inFlightCount = new AtomicInteger();
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicBoolean feederParked = new AtomicBoolean();
    private final LongAdder refused = new LongAdder();

    /** The feeder is between taking a run and showing it in {@link #inFlight}: whoever stops it waits this out. */
    private volatile boolean taking;

    /** So many threads are about to put a run back into the ready queue: whoever stops them waits this out. */
    private final AtomicInteger sendingBack = new AtomicInteger();

    /** What the ready queue says about the run that was taken last. Feeder only. */
    private final ReadyQueue.Taken taken = new ReadyQueue.Taken();

    /** The target has refused the last run that it was offered. Feeder only. */
    private boolean refusing;

    private volatile @Nullable Thread feeder;
    private volatile boolean feederEnded;

    private FedWorkers(
            Executor target, ThreadFactory feederFactory, int maxSize, Listener listener, @Nullable RunHooks hooks) {
        super(listener, hooks);
        this.target = target;
        this.feederFactory = feederFactory;
        this.maxSize = maxSize;
    }

    /** Creates workers that are tasks of the given executor. */
    public static FedWorkers ofExecutor(
            Executor target, ThreadFactory feederFactory, int maxSize, Listener listener, @Nullable RunHooks hooks) {
        return new FedWorkers(target, feederFactory, maxSize, listener, hooks);
    }

    /** Creates workers that each have a new thread, usually a virtual one, and end with their run. */
    public static FedWorkers ofThreadPerRun(
            ThreadFactory threads,
            ThreadFactory feederFactory,
            int maxSize,
            Listener listener,
            @Nullable RunHooks hooks) {
        Executor starter = run -> {
            Thread thread = threads.newThread(run);
            if (thread == null) {
                throw new RejectedExecutionException("The thread factory must return a thread, returned null");
            }
            thread.start();
        };
        return new FedWorkers(starter, feederFactory, maxSize, listener, hooks);
    }

    @Override
    public void start() {
        if (feeder == null) {
            Thread thread = feederFactory.newThread(this::feed);
            if (thread == null) {
                throw new RejectedExecutionException("The thread factory must return a thread, returned null");
            }
            feeder = thread;
            boolean started = false;
            try {
                thread.start();
                started = true;
            } finally {
                if (!started) {
                    feeder = null;
                }
            }
        }
    }

    @Override
    public void signal() {
        VarHandle.fullFence();
        if (feederParked.get() && feederParked.compareAndSet(true, false)) {
            LockSupport.unpark(feeder);
        }
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
        return active.get();
    }

    @Override
    public int activeCount() {
        return active.get();
    }

    @Override
    public long refusedHandOvers() {
        return refused.sum();
    }

    @Override
    public void stop() {
        stopped = true;
        Thread thread = feeder;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public List<Runnable> stopNow() {
        stopped = true;
        while (taking || sendingBack.get() > 0) {
            LockSupport.parkNanos(this, 10_000);
        }
        List<Runnable> neverRan = new ArrayList<>();
        for (FedRun run : inFlight) {
            if (run.takeBack()) {
                neverRan.add(run.task);
            }
        }
        neverRan.addAll(ready.pollAll());
        stop();
        Thread thread = feeder;
        if (thread != null && thread != Thread.currentThread()) {
            // It may sit in an executor that blocks.
            thread.interrupt();
        }
        return neverRan;
    }

    @Override
    public void interruptActive() {
        for (FedRun run : inFlight) {
            run.interrupt();
        }
    }

    @Override
    public boolean hasEnded() {
        return stopped && active.get() == 0 && (feeder == null || feederEnded);
    }

    @Override
    public void forEachReady(Consumer<? super Runnable> action) {
        super.forEachReady(action);
        inFlight.stream().filter(FedRun::isWaiting).forEach(run -> action.accept(run.task));
    }

    @Override
    public void forEachRunning(RunningVisitor visitor) {
        inFlight.forEach(run -> run.showTo(visitor));
    }

    @Override
    boolean isActive() {
        return active.get() > 0;
    }

    @Override
    boolean holdsRuns() {
        return inFlightCount.get() > 0;
    }

    private void feed() {
        try {
            while (!stopped) {
                FedRun run = isOpen() && inFlightCount.get() < maxSize ? takeNext() : null;
                if (run == null) {
                    afterWork();
                    awaitSignal();
                } else {
                    handToTarget(run);
                }
            }
        } finally {
            feederEnded = true;
            if (hasEnded()) {
                listener.ended();
            }
        }
    }

    /** Counts a run as in flight before it leaves the ready queue, so that it is always in one of them. */
    private @Nullable FedRun takeNext() {
        taking = true;
        inFlightCount.incrementAndGet();
        Runnable task = isOpen() ? ready.poll(taken) : null;
        FedRun run = null;
        if (task == null) {
            inFlightCount.decrementAndGet();
        } else {
            run = new FedRun(this, task, taken.expiredNanos);
            inFlight.add(run);
        }
        taking = false;
        return run;
    }

    private void awaitSignal() {
        feederParked.set(true);
        boolean workWaiting = !paused && !ready.isEmpty() && inFlightCount.get() < maxSize;
        if (!workWaiting && !stopped) {
            LockSupport.park(this);
        }
        feederParked.set(false);
        // Meant for an executor that blocked, if for anything.
        boolean ignored = Thread.interrupted();
    }

    private void handToTarget(FedRun run) {
        long pauseNanos = FIRST_PAUSE_NANOS;
        while (true) {
            // What the run before has left behind; whoever stops the pool takes the run back before he interrupts.
            boolean ignored = Thread.interrupted();
            if (!run.isWaiting()) {
                return;
            }
            if (listener.isOver(run.task) && run.takeBack()) {
                forget(run);
                return;
            }
            try {
                target.execute(run);
                refusing = false;
                return;
            } catch (Throwable ex) {
                refused.increment();
                if (!refusing) {
                    refusing = true;
                    RunBoundary.log(
                            Level.WARNING,
                            "The executor refused a due run, which is offered again until it is taken",
                            run,
                            ex);
                }
            }
            LockSupport.parkNanos(this, pauseNanos);
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        }
    }

    /** Lets a run that a pause has caught on its way wait with the others. */
    private boolean sendBack(FedRun run) {
        sendingBack.incrementAndGet();
        try {
            if (stopped || !run.takeBack()) {
                return false;
            }
            ready.addBack(run.task, run.expiredNanos);
            return true;
        } finally {
            sendingBack.decrementAndGet();
        }
    }

    private void forget(FedRun run) {
        if (inFlight.remove(run)) {
            inFlightCount.decrementAndGet();
        }
    }

    /** Runs on the target's thread. */
    void execute(FedRun run) {
        // The counter first, then the flags; whoever closes the pool sets the flags first, then looks at the counter.
        active.incrementAndGet();
        boolean started = isOpen() && run.start();
        boolean over = started;
        if (started) {
            try {
                long nowNanos = listener.starting(run.task, run.expiredNanos);
                if (nowNanos != 0) {
                    run.startedAt(nowNanos);
                }
                boundary.run(run.task);
            } finally {
                run.finish();
            }
        } else {
            over = sendBack(run);
        }
        active.decrementAndGet();
        if (over) {
            forget(run);
        }
        signal();
        afterWork();
        if (hasEnded()) {
            listener.ended();
        }
    }
}
