package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Pause and resume of a scheduler by Spring's lifecycle. Due tasks are held back before the workers, so no thread waits
 * meanwhile.
 */
final class PauseGate {

    private volatile @Nullable WheelScheduledExecutor executor;

    /** Held to change both what this says and what the executor does; for no code of a user's. */
    private final ReentrantLock lock = new ReentrantLock();

    /** As the lifecycle sees it; a shutdown lets due tasks continue all the same. */
    private volatile boolean paused;

    /** When that began, by the wall clock; null while it is not paused. Written by threads that pause and resume. */
    private volatile @Nullable Instant pausedAt;

    /** When the last pause ended; there may have been none. */
    private volatile @Nullable Long resumedNanos;

    /** The context closes, and the scheduler is to continue until it is destroyed. */
    private volatile boolean lateShutdown;

    /** Begins anew with an executor that is not paused. */
    void attach(WheelScheduledExecutor executor) {
        this.executor = executor;
        this.paused = false;
        this.pausedAt = null;
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
            lock.lock();
            try {
                if (paused) {
                    noteResumed(current);
                }
                paused = false;
                pausedAt = null;
                current.resume();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Runs that have waited until now were delayed by the pause. */
    void noteResumed(WheelScheduledExecutor current) {
        resumedNanos = current.nanoTime();
    }

    /** Pauses, and calls back when the last run that is active has ended; at once where there is nothing to pause. */
    void pause(Clock clock, Runnable whenQuiet) {
        WheelScheduledExecutor current = executor;
        if (current != null && !lateShutdown) {
            Instant now = clock.instant();
            AtomicInteger left = new AtomicInteger(2);
            Runnable unlockedAndQuiet = () -> {
                if (left.decrementAndGet() == 0) {
                    whenQuiet.run();
                }
            };
            lock.lock();
            try {
                if (!paused) {
                    pausedAt = now;
                }
                paused = true;
                current.pause(unlockedAndQuiet);
            } finally {
                lock.unlock();
            }
            unlockedAndQuiet.run();
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

    @Nullable
    Instant pausedAt() {
        return pausedAt;
    }

    boolean isPaused() {
        return paused;
    }

    boolean isOpen() {
        WheelScheduledExecutor current = executor;
        return current != null && !paused && !current.isTerminated();
    }
}
