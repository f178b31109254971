package io.github.wheelscheduler;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** How far the executor has got: running, shut down, stopped, terminated. It only moves forward. */
final class RunState {

    private static final int RUNNING = 0;
    private static final int SHUTDOWN = 1;
    private static final int STOPPED = 2;

    private final AtomicInteger state = new AtomicInteger(RUNNING);
    private final CountDownLatch terminated = new CountDownLatch(1);

    boolean isRunning() {
        return state.get() == RUNNING;
    }

    /** Whether no new tasks are accepted. */
    boolean isShutdown() {
        return state.get() >= SHUTDOWN;
    }

    /** Whether pending tasks are not run any more. */
    boolean isStopped() {
        return state.get() >= STOPPED;
    }

    void shutdown() {
        advance(SHUTDOWN);
    }

    void stop() {
        advance(STOPPED);
    }

    void terminate() {
        stop();
        terminated.countDown();
    }

    /** Whether no thread is left. */
    boolean isTerminated() {
        return terminated.getCount() == 0;
    }

    /** The latch that opens when no thread is left. */
    CountDownLatch terminated() {
        return terminated;
    }

    private void advance(int to) {
        // Without a lambda, which may need memory.
        int seen = state.get();
        while (seen < to && !state.compareAndSet(seen, to)) {
            seen = state.get();
        }
    }
}
