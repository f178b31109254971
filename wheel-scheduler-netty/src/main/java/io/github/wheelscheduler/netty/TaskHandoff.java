package io.github.wheelscheduler.netty;

import io.github.wheelscheduler.internal.FailureLog;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Hands due timeouts one by one to an executor of the user's, up to the number that may run at a time. The others stay
 * cancellable and in order.
 */
final class TaskHandoff {

    private static final long FIRST_PAUSE_MILLIS = 1;
    private static final long LONGEST_PAUSE_MILLIS = 100;

    private final Executor executor;
    private final Semaphore places;
    private final FailureLog refusals;

    /** Writer: the thread that stops the executor or the timer, once. Reader: the worker. */
    private volatile boolean isGivenUp;

    TaskHandoff(Executor executor, int maxConcurrent, FailureLog refusals) {
        this.executor = executor;
        this.places = new Semaphore(maxConcurrent);
        this.refusals = refusals;
    }

    /** Hands nothing over any more. A worker that waits here is to be interrupted afterwards. Any thread. */
    void giveUp() {
        isGivenUp = true;
    }

    /**
     * Waits for a place and hands the timeout over, retrying until it is accepted. It stays pending if it is over, this
     * hand-off has been given up, or the executor has been shut down. The one worker of the group.
     */
    void pass(WheelTimeout timeout) {
        // Before there is a place to lose.
        Run run = new Run(timeout);
        boolean hasPlace = false;
        long pauseMillis = FIRST_PAUSE_MILLIS;
        try {
            while (isWanted(timeout)) {
                try {
                    if (!hasPlace) {
                        // An executor that is shut down drops the tasks that hold the places silently.
                        hasPlace = places.tryAcquire(LONGEST_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                    } else if (isTaken(run)) {
                        // The run gives it back.
                        hasPlace = false;
                        return;
                    } else {
                        TimeUnit.MILLISECONDS.sleep(pauseMillis);
                        pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
                    }
                } catch (InterruptedException ex) {
                    // A stop is seen above; other interrupts mean nothing here.
                }
            }
        } finally {
            if (hasPlace && run.begin()) {
                places.release();
            }
        }
    }

    private boolean isWanted(WheelTimeout timeout) {
        return timeout.isPending() && !isGivenUp && !isExecutorShutdown();
    }

    private boolean isExecutorShutdown() {
        try {
            return executor instanceof ExecutorService service && service.isShutdown();
        } catch (Throwable ex) {
            // Then it is an executor like any other.
            return false;
        }
    }

    private boolean isTaken(Run run) {
        try {
            executor.execute(run);
            return true;
        } catch (Throwable ex) {
            // It may have taken the run all the same. Offering it again is safe then, as it starts only once.
            refusals.log(ex);
            return run.begun.get();
        }
    }

    /** A timeout that has a place. It begins once, however often the executor calls it, or is withdrawn. */
    private final class Run implements Runnable {

        private final WheelTimeout timeout;
        private final AtomicBoolean begun = new AtomicBoolean();

        Run(WheelTimeout timeout) {
            this.timeout = timeout;
        }

        /** Returns true to the one caller that begins or withdraws it, and gives its place back. */
        boolean begin() {
            return begun.compareAndSet(false, true);
        }

        @Override
        public void run() {
            if (begin()) {
                try {
                    timeout.runInTurn();
                } finally {
                    places.release();
                }
            }
        }

        /** Shows no task, as the text of the timeout shows none. */
        @Override
        public String toString() {
            return timeout.toString();
        }
    }
}
