package io.github.wheelscheduler.internal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** Lets one line of a kind into the log a minute, and counts the others. Any thread. */
public final class LogLimit {

    /** A line comes no earlier than this after the one before. */
    public static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long NEVER = Long.MIN_VALUE;

    private final LongSupplier nanoClock;
    private final AtomicLong lastNanos = new AtomicLong(NEVER);
    private final AtomicLong heldBack = new AtomicLong();

    /**
     * Creates one that has let nothing through.
     *
     * @param nanoClock a monotonic clock in nanoseconds
     */
    public LogLimit(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /**
     * Returns how many have been held back since the last one that was let through; -1 if this one is held back, too.
     */
    public long tryPass() {
        return tryPass(sumUp -> {}, others -> {});
    }

    /**
     * Like {@link #tryPass()}, and has suppressed lines summed up.
     *
     * @param sumUpLater receives the task that logs the summary, when the first line is suppressed
     * @param summary receives their count, if there are any
     */
    public long tryPass(Consumer<Runnable> sumUpLater, LongConsumer summary) {
        long nowNanos = nanoClock.getAsLong();
        long last = lastNanos.get();
        boolean isTime = last == NEVER || nowNanos - last >= INTERVAL_NANOS;
        if (isTime && lastNanos.compareAndSet(last, nowNanos)) {
            return heldBack.getAndSet(0);
        }
        if (heldBack.getAndIncrement() == 0) {
            sumUpLater.accept(() -> sumUp(summary));
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
