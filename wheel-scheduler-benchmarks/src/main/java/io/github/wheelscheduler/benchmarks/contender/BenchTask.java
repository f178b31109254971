package io.github.wheelscheduler.benchmarks.contender;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;

/**
 * A task that every contender takes as it is. It is Netty's kind, too, so that nobody has to allocate a wrapper for it.
 */
public abstract class BenchTask implements Runnable, TimerTask {

    /** A task that does nothing and may be scheduled any number of times. */
    public static final BenchTask NOTHING = new BenchTask() {
        @Override
        public void run() {}
    };

    protected BenchTask() {}

    @Override
    public final void run(Timeout timeout) {
        run();
    }
}
