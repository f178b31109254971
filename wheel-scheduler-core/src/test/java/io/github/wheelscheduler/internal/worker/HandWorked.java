package io.github.wheelscheduler.internal.worker;

import org.jspecify.annotations.Nullable;

/** Does the work of workers that have no thread, on the thread of a test. */
public final class HandWorked {

    private final Workers workers;
    private final ReadyQueue.Taken taken = new ReadyQueue.Taken();

    public HandWorked(Workers workers) {
        this.workers = workers;
    }

    /** Returns how many runs wait in the ready queue. */
    public int ready() {
        return Math.toIntExact(workers.ready.size());
    }

    /** Takes the first run out of the ready queue; null if there is none, or the workers are paused or stopped. */
    public @Nullable Runnable take() {
        return workers.isOpen() ? workers.ready.poll(taken) : null;
    }

    /** Runs what was taken, to its end. */
    public void run(Runnable run) {
        workers.boundary.run(run);
        workers.listener.left();
        workers.afterWork();
    }
}
