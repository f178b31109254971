package io.github.wheelscheduler.spring.watch;

import io.github.wheelscheduler.internal.spring.watch.LatenessDistribution;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** How late the runs of a scheduler start. All methods may be called from any thread. */
public final class RunLateness implements LatenessListener {

    private static final Log logger = LogFactory.getLog(RunLateness.class);

    private final LongSupplier nanoClock;
    private final LatenessDistribution distribution = new LatenessDistribution();
    private final List<LatenessListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean listenerFailed = new AtomicBoolean();

    /** Makes one that asks the clock, in nanoseconds, when it is asked. */
    public RunLateness(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Notes what a run has waited for, and tells the listeners. On its thread. */
    @Override
    public void starting(long wheelNanos, long queueNanos, long nowNanos) {
        distribution.record(wheelNanos, queueNanos, nowNanos);
        for (LatenessListener listener : listeners) {
            try {
                listener.starting(wheelNanos, queueNanos, nowNanos);
            } catch (Throwable ex) {
                if (listenerFailed.compareAndSet(false, true)) {
                    logger.warn("A lateness listener failed; runs go on, and this is said once", ex);
                }
            }
        }
    }

    /**
     * Returns how late so large a share of the runs of the last one to two minutes started at most, to within a thirtieth.
     *
     * @throws IllegalArgumentException if the share is not between 0 and 1
     */
    public LatenessPercentile percentile(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share must be between 0 and 1, was " + share);
        }
        return distribution.percentile(share, nanoClock.getAsLong());
    }

    /** Tells the listener of each run from now on. */
    public void addListener(LatenessListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener must not be null"));
    }

    /** Tells the listener nothing more. */
    public void removeListener(LatenessListener listener) {
        boolean ignored = listeners.remove(listener);
    }
}
