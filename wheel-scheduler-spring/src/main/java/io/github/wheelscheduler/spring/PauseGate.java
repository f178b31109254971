package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.WheelScheduledExecutor;
import org.jspecify.annotations.Nullable;

/**
 * Pause and resume of a scheduler by Spring's lifecycle. Due tasks are held back before the workers, so no thread waits
 * meanwhile.
 */
final class PauseGate {

    private volatile @Nullable WheelScheduledExecutor executor;

    /** As the lifecycle sees it; a shutdown lets due tasks go on all the same. */
    private volatile boolean paused;

    /** When the last pause ended; there may have been none. */
    private volatile @Nullable Long resumedNanos;

    /** The context closes, and the scheduler is to go on until it is destroyed. */
    private volatile boolean lateShutdown;

    /** Begins anew with an executor that is not paused. */
    void attach(WheelScheduledExecutor executor) {
        this.executor = executor;
        this.paused = false;
        this.lateShutdown = false;
        this.resumedNanos = null;
    }

    void keepOpen() {
        lateShutdown = true;
    }

    void resume() {
        WheelScheduledExecutor current = executor;
        if (current != null) {
            if (!isOpen()) {
                current.checkWallClock();
            }
            if (paused) {
                noteResumed(current);
            }
            paused = false;
            current.resume();
        }
    }

    /** What has waited until now has waited because it was held back. */
    void noteResumed(WheelScheduledExecutor current) {
        resumedNanos = current.nanoTime();
    }

    /** Pauses, and calls back when the last run that is going on has ended; at once where there is nothing to pause. */
    void pause(Runnable whenQuiet) {
        WheelScheduledExecutor current = executor;
        if (current != null && !lateShutdown) {
            paused = true;
            current.pause(whenQuiet);
        } else {
            whenQuiet.run();
        }
    }

    /** Returns how much of a wait that ends now is not due to a pause. */
    long nanosNotPaused(long waitNanos, long nowNanos) {
        if (paused) {
            return 0;
        }
        Long since = resumedNanos;
        return since == null ? waitNanos : Math.min(waitNanos, nowNanos - since);
    }

    boolean isKeptOpen() {
        return lateShutdown;
    }

    boolean isPaused() {
        return paused;
    }

    boolean isOpen() {
        WheelScheduledExecutor current = executor;
        return current != null && !paused && !current.isTerminated();
    }
}
