package io.github.wheelscheduler.internal.engine;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The task that a worker runs in place of a decorated timer. */
final class DecoratedTask implements Runnable {

    final ScheduledTimer<?> timer;

    /**
     * Null once the timer is over, as is the task. Plain: a thread that reads a stale one has won the timer's state
     * before.
     */
    private @Nullable Runnable outer;

    @Nullable
    Object task;

    /** The number of calls that asked the timer to run, including late ones. */
    final AtomicInteger calls = new AtomicInteger();

    /**
     * @param outer the wrapper of the timer
     * @param task the task of the timer
     */
    DecoratedTask(ScheduledTimer<?> timer, Runnable outer, @Nullable Object task) {
        this.timer = timer;
        this.outer = outer;
        this.task = task;
    }

    @Override
    public void run() {
        int callsBefore = calls.get();
        Runnable wrapper = outer;
        try {
            if (wrapper != null) {
                wrapper.run();
            }
        } finally {
            // A wrapper that has not run the timer never will: no thread must wait for it. A repeating timer that it
            // has run may be ready again by now; one that was not to be run any more was run by other code, as it may
            // be without a wrapper.
            if (calls.get() == callsBefore) {
                boolean ignored = timer.withdraw();
            } else if (timer.isOnItsThread()) {
                // The wrapper has kept an error to itself.
                timer.endIfLeft(ScheduledTimer.WITHOUT_MEMORY);
            }
        }
    }

    void letGo() {
        outer = null;
        task = null;
    }

    @Override
    public String toString() {
        return timer.toString();
    }
}
