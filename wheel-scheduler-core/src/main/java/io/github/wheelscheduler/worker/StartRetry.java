package io.github.wheelscheduler.worker;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that tries to start workers again after that has failed, at growing intervals, while nobody is free. It sleeps
 * until then.
 */
final class StartRetry implements Runnable {

    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final long LONGEST_PAUSE_NANOS = 100_000_000;

    private final Crew crew;
    private final ThreadFactory threadFactory;

    /** Writer: whoever starts it, under the lock of the engine, and the thread itself when it ends. */
    private volatile @Nullable Thread thread;

    StartRetry(Crew crew, ThreadFactory threadFactory) {
        this.crew = crew;
        this.threadFactory = threadFactory;
    }

    /** Starts the thread unless it has been. One caller at a time. What fails is thrown. */
    void start() {
        if (thread != null) {
            return;
        }
        Thread created = Crew.newThread(threadFactory, this);
        thread = created;
        boolean started = false;
        try {
            created.start();
            started = true;
        } finally {
            if (!started) {
                thread = null;
            }
        }
    }

    /** Makes the thread look what is to be done. Any thread. */
    void wake() {
        LockSupport.unpark(thread);
    }

    boolean hasEnded() {
        return thread == null;
    }

    @Override
    public void run() {
        long pauseNanos = FIRST_PAUSE_NANOS;
        while (!crew.isStopped()) {
            if (crew.isShort()) {
                LockSupport.parkNanos(this, pauseNanos);
                pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
                crew.startIfShort();
            } else {
                pauseNanos = FIRST_PAUSE_NANOS;
                LockSupport.park(this);
            }
            // Nobody has reason to interrupt it; with the flag set it would not park.
            boolean ignored = Thread.interrupted();
        }
        thread = null;
        crew.retryEnded();
    }
}
