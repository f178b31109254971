package io.github.wheelscheduler.soak;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** A pool with a bounded queue that keeps what it has accepted when memory is out, as it allocates nothing. */
final class SteadyPool implements Executor {

    /** Made beforehand, as refusing must not need memory either. */
    private final RejectedExecutionException full = new RejectedExecutionException("on purpose: full");

    private final Runnable[] ring;
    private long taken;
    private long added;

    /** Starts the threads, which are daemons and never end. */
    SteadyPool(int threads, int capacity) {
        this.ring = new Runnable[capacity];
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(this::work, "given-" + i);
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Override
    public synchronized void execute(Runnable run) {
        if (added - taken == ring.length) {
            throw full;
        }
        ring[(int) (added++ % ring.length)] = run;
        notify();
    }

    private void work() {
        while (true) {
            try {
                take().run();
            } catch (Throwable ex) {
                // As a pool does that goes on with another thread.
            }
        }
    }

    private synchronized Runnable take() throws InterruptedException {
        while (added == taken) {
            wait();
        }
        int place = (int) (taken++ % ring.length);
        Runnable run = ring[place];
        ring[place] = null;
        return run;
    }
}
