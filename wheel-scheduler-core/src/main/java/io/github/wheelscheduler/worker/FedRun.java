package io.github.wheelscheduler.worker;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A due run on its way through an executor: started by it, or taken back before that; never both. */
final class FedRun implements Runnable {

    private static final int WAITING = 0;
    private static final int STARTED = 1;
    private static final int TAKEN_BACK = 2;

    final Runnable task;
    private final FedWorkers workers;
    private final AtomicInteger state = new AtomicInteger(WAITING);

    /** Guarded by this: an interrupt must not hit the thread after the run has left it. */
    private @Nullable Thread thread;

    private boolean interrupted;

    FedRun(FedWorkers workers, Runnable task) {
        this.workers = workers;
        this.task = task;
    }

    @Override
    public void run() {
        workers.execute(this);
    }

    boolean isWaiting() {
        return state.get() == WAITING;
    }

    boolean takeBack() {
        return state.compareAndSet(WAITING, TAKEN_BACK);
    }

    /** In one step with the thread: an interrupt finds either a run that can be taken back, or its thread. */
    synchronized boolean start() {
        if (!state.compareAndSet(WAITING, STARTED)) {
            return false;
        }
        thread = Thread.currentThread();
        return true;
    }

    /** To be called on the thread that started it. */
    synchronized void finish() {
        thread = null;
        if (interrupted) {
            boolean ignored = Thread.interrupted();
        }
    }

    synchronized void interrupt() {
        if (thread != null) {
            interrupted = true;
            thread.interrupt();
        }
    }

    @Override
    public String toString() {
        return task.toString();
    }
}
