package io.github.wheelscheduler.worker;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A due run on its way through an executor: started by it, or taken back before that; never both. */
final class FedRun implements Runnable {

    private static final int WAITING = 0;
    private static final int STARTED = 1;
    private static final int TAKEN_BACK = 2;

    final Runnable task;

    /** When the task was handed over to be run. */
    final long expiredNanos;

    private final FedWorkers workers;
    private final AtomicInteger state = new AtomicInteger(WAITING);

    /** Guarded by this: an interrupt must not hit the thread after the run has left it. */
    private @Nullable Thread thread;

    private boolean interrupted;

    /** When it started, if somebody observes runs; else 0. Guarded by this. */
    private long startedNanos;

    FedRun(FedWorkers workers, Runnable task, long expiredNanos) {
        this.workers = workers;
        this.task = task;
        this.expiredNanos = expiredNanos;
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

    /** Notes when it started. */
    synchronized void startedAt(long nanos) {
        startedNanos = nanos;
    }

    /** Shows the run if it is going on and has been observed. */
    void showTo(Workers.RunningVisitor visitor) {
        Thread running;
        long sinceNanos;
        synchronized (this) {
            running = thread;
            sinceNanos = startedNanos;
        }
        if (running != null && sinceNanos != 0) {
            visitor.visit(task, running, sinceNanos);
        }
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
