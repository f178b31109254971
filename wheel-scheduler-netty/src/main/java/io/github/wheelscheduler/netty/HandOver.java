package io.github.wheelscheduler.netty;

import io.github.wheelscheduler.internal.FailureLog;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Hands due timeouts, one after the other, to an executor of the user's: no more of them than may run at a time, so that the others stay
 * where they can be cancelled, and in their order.
 */
final class HandOver {

    private static final long FIRST_PAUSE_MILLIS = 1;
    private static final long LONGEST_PAUSE_MILLIS = 100;

    private final Executor executor;
    private final Semaphore places;
    private final FailureLog refusals;

    /** Writer: who stops the executor or the timer, once. Reader: the worker. */
    private volatile boolean isGivenUp;

    HandOver(Executor executor, int maxConcurrent, FailureLog refusals) {
        this.executor = executor;
        this.places = new Semaphore(maxConcurrent);
        this.refusals = refusals;
    }

    /** Hands nothing over any more. Who waits here is to be interrupted afterwards. Any thread. */
    void giveUp() {
        isGivenUp = true;
    }

    /**
     * Waits for a place, and hands the timeout over, as often as it takes; but not if it is over by then, this has been given up, or the
     * executor has been shut down: then it stays pending. The one worker of the group.
     */
    void pass(WheelTimeout timeout) {
        // Before there is a place to lose.
        Run run = new Run(timeout);
        while (isWanted(timeout)) {
            try {
                // Nobody says when the executor is shut down, and drops those that have the places.
                if (places.tryAcquire(LONGEST_PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                    offer(run);
                    return;
                }
            } catch (InterruptedException ex) {
                // By who has given up, which is seen above, or by nobody who has a say here.
            }
        }
    }

    private void offer(Run run) {
        long pauseMillis = FIRST_PAUSE_MILLIS;
        while (isWanted(run.timeout)) {
            if (isTaken(run)) {
                return;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
            } catch (InterruptedException ex) {
                // As above.
            }
            pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
        }
        run.withdraw();
    }

    private boolean isWanted(WheelTimeout timeout) {
        return timeout.isPending()
                && !isGivenUp
                && !(executor instanceof ExecutorService service && service.isShutdown());
    }

    private boolean isTaken(Run run) {
        try {
            executor.execute(run);
            return true;
        } catch (Throwable ex) {
            // It may have taken the run all the same. Offering it again does no harm then, as it begins once.
            refusals.log(ex);
            return run.hasBegun();
        }
    }

    /** A timeout that has a place. It begins once, however often the executor calls it. */
    private final class Run implements Runnable {

        final WheelTimeout timeout;
        private final AtomicBoolean begun = new AtomicBoolean();

        Run(WheelTimeout timeout) {
            this.timeout = timeout;
        }

        @Override
        public void run() {
            if (begun.compareAndSet(false, true)) {
                try {
                    timeout.runInTurn();
                } finally {
                    places.release();
                }
            }
        }

        /** Gives its place back, and never begins. */
        void withdraw() {
            if (begun.compareAndSet(false, true)) {
                places.release();
            }
        }

        boolean hasBegun() {
            return begun.get();
        }

        /** Without the task, as that of the timeout. */
        @Override
        public String toString() {
            return timeout.toString();
        }
    }
}
