package io.github.wheelscheduler.spring.watch;

import java.util.concurrent.atomic.AtomicLong;

/** Lets one of many through in each interval, and counts the others. */
final class RateLimit {

    private static final long NEVER = Long.MIN_VALUE;

    private final long intervalNanos;
    private final AtomicLong lastNanos = new AtomicLong(NEVER);
    private final AtomicLong heldBack = new AtomicLong();

    RateLimit(long intervalNanos) {
        this.intervalNanos = intervalNanos;
    }

    /** Returns how many have been held back since the last one that was let through; -1 if this one is held back, too. */
    long tryPass(long nowNanos) {
        long last = lastNanos.get();
        boolean isTime = last == NEVER || nowNanos - last >= intervalNanos;
        if (isTime && lastNanos.compareAndSet(last, nowNanos)) {
            return heldBack.getAndSet(0);
        }
        heldBack.incrementAndGet();
        return -1;
    }
}
