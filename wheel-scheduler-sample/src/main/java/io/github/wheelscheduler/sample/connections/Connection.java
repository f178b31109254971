package io.github.wheelscheduler.sample.connections;

import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A connection to a peer that answers each beat until it falls silent. */
final class Connection {

    private final Traffic traffic;

    /** {@link Long#MAX_VALUE} for a peer that answers for ever. */
    private final long silentFromNanos;

    private final AtomicLong lastAnswerNanos;
    private volatile @Nullable Future<?> beats;
    private volatile boolean isClosed;

    Connection(Traffic traffic, long nowNanos, long silentFromNanos) {
        this.traffic = traffic;
        this.silentFromNanos = silentFromNanos;
        this.lastAnswerNanos = new AtomicLong(nowNanos);
    }

    /** Sets what ends when this is closed. */
    void beatBy(Future<?> timer) {
        beats = timer;
        if (isClosed) {
            boolean ignored = timer.cancel(false);
        }
    }

    /** Sends a beat, and returns whether it has been answered. */
    boolean beat() {
        long nowNanos = System.nanoTime();
        traffic.beats.increment();
        if (isClosed || (silentFromNanos != Long.MAX_VALUE && nowNanos - silentFromNanos >= 0)) {
            return false;
        }
        lastAnswerNanos.set(nowNanos);
        traffic.answers.increment();
        return true;
    }

    /** Closes it, as it has been silent for too long. */
    void close() {
        long lateNanos = System.nanoTime() - lastAnswerNanos.get() - traffic.idleNanos();
        isClosed = true;
        Future<?> timer = beats;
        if (timer != null) {
            boolean ignored = timer.cancel(false);
        }
        traffic.closed(lateNanos);
    }
}
