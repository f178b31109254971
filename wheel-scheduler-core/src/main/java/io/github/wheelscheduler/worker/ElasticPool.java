package io.github.wheelscheduler.worker;

import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
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
 * <p>A worker, never the tick thread, starts further workers.
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
     * Who starts whom
     * ---------------
     * 'available' counts the workers that are not in a run: parked, or on their way to the queue. A worker that takes a
     * run and finds that it was the last available one starts another before it runs. So, below the limit, somebody
     * always looks at the queue, and a run that takes for ever holds up nobody. The last SPARE available workers do not
     * end, so that a lone task does not start a thread each time.
     */

    private static final int SPARE = 2;

    private final ThreadFactory threadFactory;
    private final long keepAliveNanos;
    private final LongSupplier nanoClock;
    private final Predicate<Runnable> touch;
    private final Rack firstRack = new Rack();

    private final AtomicInteger size = new AtomicInteger();
    private final AtomicInteger available = new AtomicInteger();

    /** The workers that will look at the ready queue once more, perhaps after a run. */
    private final AtomicInteger awake = new AtomicInteger();

    private final AtomicBoolean wakeUpOnItsWay = new AtomicBoolean();
    private final AtomicBoolean startFailing = new AtomicBoolean();
    private volatile int maxSize;

    /**
     * Creates a pool without threads.
     *
     * @param maxSize how many workers there may be, at least 1
     * @param keepAliveNanos how long a worker stays idle before it ends
     * @param nanoClock the monotonic clock that the idle time is read from
     */
    public ElasticPool(
            ThreadFactory threadFactory,
            int maxSize,
            long keepAliveNanos,
            LongSupplier nanoClock,
            Listener listener,
            @Nullable RunHooks hooks) {
        super(listener, hooks);
        this.threadFactory = threadFactory;
        this.maxSize = maxSize;
        this.keepAliveNanos = keepAliveNanos;
        this.nanoClock = nanoClock;
        this.touch = listener::touch;
    }

    @Override
    public void start() {
        if (size.get() == 0) {
            startWorker();
        }
    }

    @Override
    public void startIfShort() {
        if (startFailing.get() && available.get() == 0) {
            startWorkerIfAllowed();
        }
    }

    @Override
    public void signal() {
        VarHandle.fullFence();
        while (isOpen() && !ready.isEmpty() && hasIdleWorker()) {
            if (!wakeUpOnItsWay.compareAndSet(false, true)) {
                return;
            }
            Worker worker = claimIdleWorker();
            if (worker != null) {
                LockSupport.unpark(worker.thread);
                return;
            }
            // Somebody may have relied on this wake-up meanwhile: look again after taking it back.
            wakeUpOnItsWay.set(false);
        }
    }

    @Override
    int awakeCount() {
        return awake.get();
    }

    @Override
    public void setMaxSize(int maxSize) {
        this.maxSize = maxSize;
        if (size.get() > 0 && available.get() == 0) {
            startWorkerIfAllowed();
        }
        if (size.get() > maxSize) {
            forEachWorker(worker -> LockSupport.unpark(worker.thread));
        }
    }

    @Override
    public int maxSize() {
        return maxSize;
    }

    @Override
    public int coreSize() {
        return Math.min(SPARE, maxSize);
    }

    @Override
    public int threadCount() {
        return size.get();
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
        forEachWorker(worker -> LockSupport.unpark(worker.thread));
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
        return stopped && size.get() == 0;
    }

    @Override
    boolean isActive() {
        return anyWorker(worker -> worker.phase != Worker.IDLE);
    }

    @Override
    boolean holdsRuns() {
        return isActive();
    }

    /** The life of a worker, on its thread. */
    void work(Worker worker) {
        try {
            boolean isNeeded = awaitWork(worker, true);
            while (isNeeded) {
                awake.incrementAndGet();
                workOff(worker);
                // Before the worker looks at the queue for the last time: whoever adds a run and sees it awake is
                // right.
                awake.decrementAndGet();
                isNeeded = awaitWork(worker, false);
            }
        } finally {
            worker.phase = Worker.IDLE;
            worker.place.leave();
            if (size.get() == 0 && stopped) {
                listener.ended();
            }
        }
    }

    private void workOff(Worker worker) {
        boolean worked = false;
        while (true) {
            worker.phase = Worker.TAKING;
            // An interrupt that was meant for the run before, or that it left behind, ends here.
            boolean ignored = Thread.interrupted();
            worker.touched += ready.touchAhead(touch);
            Runnable run = isOpen() && size.get() <= maxSize ? ready.poll(worker.taken) : null;
            if (run == null) {
                break;
            }
            worker.phase = Worker.RUNNING;
            if (worked) {
                startIfShort();
            } else {
                worked = true;
                leaveAvailable();
            }
            perform(worker, run);
            if (isQuietAwaited()) {
                worker.phase = Worker.IDLE;
                callBackIfQuiet();
            }
        }
        worker.phase = Worker.IDLE;
        if (worked) {
            available.incrementAndGet();
        }
        afterWork();
    }

    private void perform(Worker worker, Runnable run) {
        long nowNanos = listener.starting(run, worker.taken.expiredNanos);
        if (nowNanos == 0) {
            boundary.run(run);
            return;
        }
        worker.show(run, nowNanos);
        boundary.run(run);
        worker.showNothing();
    }

    private void leaveAvailable() {
        if (available.decrementAndGet() == 0) {
            startWorkerIfAllowed();
            if (!followedUp && !ready.isEmpty()) {
                // A second one: so that the pool grows to a burst by doubling, not one by one.
                startWorkerIfAllowed();
            }
        }
        if (!followedUp && !ready.isEmpty()) {
            signal();
        }
    }

    /**
     * Waits for a signal; false if the worker is to end, which then is counted no more.
     *
     * @param isNew whether the worker has just come, perhaps only to be available; if the tick thread follows up, it says
     *     when the worker is needed
     */
    private boolean awaitWork(Worker worker, boolean isNew) {
        long idleSince = nanoClock.getAsLong();
        while (true) {
            if (leaveIfStopped()) {
                return false;
            }
            if (leaveIfTooMany()) {
                // It may have used up a wake-up and taken nothing.
                signal();
                return false;
            }
            worker.place.markIdle();
            if (stopped || (isWorkWaiting() && !(isNew && followedUp))) {
                return returnToWork(worker);
            }
            if (available.get() > SPARE) {
                LockSupport.parkNanos(this, keepAliveNanos);
            } else {
                LockSupport.park(this);
            }
            // Whoever interrupts an idle worker means nobody; with the flag set it would not park again.
            boolean ignored = Thread.interrupted();
            if (!worker.place.unmarkIdle()) {
                return returnToWork(worker);
            }
            if (nanoClock.getAsLong() - idleSince >= keepAliveNanos && leaveIfMoreThanSpare()) {
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

    private boolean leaveIfStopped() {
        if (!stopped) {
            return false;
        }
        available.decrementAndGet();
        size.decrementAndGet();
        return true;
    }

    private boolean leaveIfTooMany() {
        int seen = size.get();
        while (seen > maxSize) {
            if (size.compareAndSet(seen, seen - 1)) {
                if (available.decrementAndGet() == 0) {
                    // The limit may have been raised meanwhile, by somebody who saw this worker available.
                    startWorkerIfAllowed();
                }
                return true;
            }
            seen = size.get();
        }
        return false;
    }

    private boolean leaveIfMoreThanSpare() {
        int seen = available.get();
        while (seen > SPARE) {
            if (available.compareAndSet(seen, seen - 1)) {
                size.decrementAndGet();
                return true;
            }
            seen = available.get();
        }
        return false;
    }

    private boolean isWorkWaiting() {
        return !paused && !ready.isEmpty();
    }

    private void startWorkerIfAllowed() {
        try {
            startWorker();
            startFailing.set(false);
        } catch (Throwable ex) {
            if (startFailing.compareAndSet(false, true)) {
                RunBoundary.log(
                        Level.WARNING,
                        "A further worker could not be started; " + size.get() + " workers go on, and due tasks wait",
                        null,
                        ex);
            }
        }
    }

    private void startWorker() {
        int seen;
        do {
            seen = size.get();
            if (seen >= maxSize || stopped) {
                return;
            }
        } while (!size.compareAndSet(seen, seen + 1));
        available.incrementAndGet();
        Rack.Place place = null;
        boolean started = false;
        try {
            place = firstRack.takePlace();
            Worker worker = new Worker(this, place);
            Thread thread = threadFactory.newThread(worker);
            if (thread == null) {
                throw new RejectedExecutionException("The thread factory must return a thread, returned null");
            }
            worker.thread = thread;
            place.seat(worker);
            thread.start();
            started = true;
        } finally {
            if (!started) {
                if (place != null) {
                    place.leave();
                }
                available.decrementAndGet();
                if (size.decrementAndGet() == 0 && stopped) {
                    // The last worker has ended meanwhile and left the news to this one.
                    listener.ended();
                }
            }
        }
    }

    private boolean hasIdleWorker() {
        for (Rack rack = firstRack; rack != null; rack = rack.next()) {
            if (rack.hasIdle()) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Worker claimIdleWorker() {
        for (Rack rack = firstRack; rack != null; rack = rack.next()) {
            Worker worker = rack.claimIdle();
            if (worker != null) {
                return worker;
            }
        }
        return null;
    }

    private void forEachWorker(Consumer<Worker> action) {
        boolean ignored = anyWorker(worker -> {
            action.accept(worker);
            return false;
        });
    }

    private boolean anyWorker(Predicate<Worker> condition) {
        for (Rack rack = firstRack; rack != null; rack = rack.next()) {
            for (int index = 0; index < Rack.places(); index++) {
                Worker worker = rack.worker(index);
                if (worker != null && condition.test(worker)) {
                    return true;
                }
            }
        }
        return false;
    }
}
