package io.github.wheelscheduler.internal.worker;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A due run on its way through an executor: started by it, or taken back before that; never both.
 *
 * <p>Its value is a {@link State}, or the thread that is in the run: one step decides which of several moves is made.
 * It is no field with a handle of its own, because the first use of such a handle takes memory, which may be lacking
 * just then.
 */
final class ExecutorRun extends AtomicReference<Object> implements Runnable {

    /*
     *   WAITING ----start----> its thread ----finish----> OVER
     *     |  ^                   |    ^
     *     |  |                   v    |
     *     |  |                INTERRUPTING              the thread is not to leave the run meanwhile
     *     |  +---------------+
     *     +--sendBack--> RETURNED --sendAgain--+        a pause has caught it; the feeder hands it over again
     *     |                  |
     *     +-----takeBack-----+--> TAKEN_BACK            stopped, cancelled, or not taken by the executor
     */

    /** The possible states while no thread is in the run. */
    enum State {
        WAITING,
        RETURNED,
        TAKEN_BACK,
        INTERRUPTING,
        OVER
    }

    private static final AtomicLongFieldUpdater<ExecutorRun> STARTED_NANOS =
            AtomicLongFieldUpdater.newUpdater(ExecutorRun.class, "startedNanos");

    /**
     * Stands in for a task whose run has ended, so that the task is not retained until the run leaves the in-flight
     * list.
     */
    static final Runnable NOTHING = ExecutorRun::nothing;

    private final ExecutorWorkers workers;

    /** The task to run. Written by the thread that fills this run, before others see it; and when it is over. */
    Runnable task = NOTHING;

    /** When the task was handed over to be run. Written by the thread that fills this run, before others see it. */
    long expiredNanos;

    /**
     * A run that was shown before this one. Writers: the thread that shows this run; then the thread that is sweeping.
     */
    @Nullable
    ExecutorRun next;

    /** The returned run that goes after this one. Feeder only. */
    @Nullable
    ExecutorRun nextReturned;

    /** Written while the state is INTERRUPTING, read by the thread that has left the run. */
    private boolean interrupted;

    /** When it started, if runs are observed; else 0. Writer: the thread that runs it. Readers: watchdogs. */
    private volatile long startedNanos;

    ExecutorRun(ExecutorWorkers workers) {
        super(State.WAITING);
        this.workers = workers;
    }

    /** Sets the task to run, and when it was handed over. */
    void fill(Runnable newTask, long newExpiredNanos) {
        task = newTask;
        expiredNanos = newExpiredNanos;
    }

    @Override
    public void run() {
        SeparateFrame.execute(workers, this);
    }

    boolean isWaiting() {
        return get() == State.WAITING;
    }

    boolean isReturned() {
        return get() == State.RETURNED;
    }

    /** Whether it has ended, or will never start. */
    boolean isOver() {
        Object seen = get();
        return seen == State.OVER || seen == State.TAKEN_BACK;
    }

    /** In one step with the thread: an interrupt finds either a run that can be taken back, or its thread. */
    boolean start(Thread thread) {
        return compareAndSet(State.WAITING, thread);
    }

    /** Notes when it started. No thread waits for this, so it needs no fence. */
    void startedAt(long nanos) {
        STARTED_NANOS.lazySet(this, nanos);
    }

    /** Shows the run if it is active and has been observed. */
    void showTo(Workers.RunningVisitor visitor) {
        Runnable shown = task;
        if (shown != NOTHING && get() instanceof Thread thread) {
            long sinceNanos = startedNanos;
            if (sinceNanos != 0) {
                visitor.visit(shown, thread, sinceNanos);
            }
        }
    }

    /** To be called on the thread that started it: no interrupt hits it from here on, and none is left over. */
    void finish(Thread thread) {
        while (!compareAndSet(thread, State.OVER)) {
            LockSupport.parkNanos(this, 10_000);
        }
        if (interrupted) {
            boolean ignored = Thread.interrupted();
        }
    }

    /** Interrupts the thread in the run, if one is. */
    void interrupt() {
        interrupt(true);
    }

    /** The same unless that has been done before. */
    void interruptLate() {
        interrupt(false);
    }

    private void interrupt(boolean isAgain) {
        if (get() instanceof Thread thread && compareAndSet(thread, State.INTERRUPTING)) {
            try {
                if (isAgain || !interrupted) {
                    interrupted = true;
                    Workers.interrupt(thread);
                }
            } finally {
                // The run waits for this.
                set(thread);
            }
        }
    }

    private static void nothing() {}

    @Override
    public String toString() {
        return task.toString();
    }
}
