package io.github.wheelscheduler.spring.run;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** Lets one line of a kind into the log a minute, and counts the others. Any thread. */
public final class LogLimit {

    static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long NEVER = Long.MIN_VALUE;

    private final LogTime time;
    private final AtomicLong lastNanos = new AtomicLong(NEVER);
    private final AtomicLong heldBack = new AtomicLong();

    /** Makes one that has let nothing through. */
    public LogLimit(LogTime time) {
        this.time = time;
    }

    /**
     * Returns how many have been held back since the last one that was let through; -1 if this one is held back, too.
     *
     * @param summary is told, of the first one that is held back, how many there were if none is let through before virtual time sums up
     */
    public long tryPass(LongConsumer summary) {
        long nowNanos = time.nanos();
        long last = lastNanos.get();
        boolean isTime = last == NEVER || nowNanos - last >= INTERVAL_NANOS;
        if (isTime && lastNanos.compareAndSet(last, nowNanos)) {
            return heldBack.getAndSet(0);
        }
        if (heldBack.getAndIncrement() == 0) {
            time.sumUpLater().accept(() -> sumUp(summary));
        }
        return -1;
    }

    private void sumUp(LongConsumer summary) {
        long others = heldBack.getAndSet(0);
        if (others > 0) {
            summary.accept(others);
        }
    }
}
