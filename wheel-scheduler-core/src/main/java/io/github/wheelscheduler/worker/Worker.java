package io.github.wheelscheduler.worker;

import org.jspecify.annotations.Nullable;

/** One thread of the elastic pool. */
final class Worker implements Runnable {

    /** Waits, or looks for a reason not to. */
    static final int IDLE = 0;

    /** Is about to take a run, if the pool is open: whoever closes the pool waits this out. */
    static final int TAKING = 1;

    /** Has taken a run; it counts as started. */
    static final int RUNNING = 2;

    final Rack.Place place;
    private final ElasticPool pool;

    /** Keeps the compiler from leaving out reads whose result nobody needs. This worker only. */
    int touched;

    /** Writer: this worker. Readers: pause, stop, counts. Volatile: written before the pool's flags are read. */
    volatile int phase = IDLE;

    /** Writer: whoever creates the thread, before it starts. */
    @Nullable
    volatile Thread thread;

    Worker(ElasticPool pool, Rack.Place place) {
        this.pool = pool;
        this.place = place;
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        pool.work(this);
    }
}
