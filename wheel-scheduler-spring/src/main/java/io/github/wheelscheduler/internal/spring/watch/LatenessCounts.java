package io.github.wheelscheduler.internal.spring.watch;

import io.github.wheelscheduler.internal.CallerStripe;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A histogram of the lateness of runs, accurate to a thirtieth: the share of the wheel, and that of the queue. Any
 * thread.
 */
public final class LatenessCounts {

    /*
     * The first bits of a floating-point number are its power of two and a part of what follows it. So the bits that
     * are left when the last ones are dropped number buckets of which each is a sixteenth of a power of two wide:
     *
     *      value    0, 1   2     3     4     4.25     4.5    ...   8     8.5   ...
     *      bucket    0     16    24    32     33       34    ...   48     49   ...
     */

    private static final int DROPPED_BITS = 19;
    private static final int FIRST = Float.floatToRawIntBits(1) >>> DROPPED_BITS;
    private static final int HALF_A_BUCKET = 1 << (DROPPED_BITS - 1);

    /** The number of sizes. */
    public static final int BUCKETS = bucketOf(Long.MAX_VALUE) + 1;

    /**
     * For each stripe the counts of the wheel's share by size, and behind them those of the queue's; null where there
     * are none.
     */
    private final AtomicReferenceArray<@Nullable AtomicIntegerArray> stripes =
            new AtomicReferenceArray<>(CallerStripe.COUNT);

    /** Counts a run; nothing is less than zero. */
    public void add(long wheelNanos, long queueNanos) {
        int stripe = CallerStripe.index();
        AtomicIntegerArray counts = stripes.getAcquire(stripe);
        if (counts == null) {
            AtomicIntegerArray created = new AtomicIntegerArray(2 * BUCKETS);
            AtomicIntegerArray other = stripes.compareAndExchange(stripe, null, created);
            counts = other == null ? created : other;
        }
        int ignored = counts.getAndIncrement(bucketOf(wheelNanos));
        int unused = counts.getAndIncrement(BUCKETS + bucketOf(queueNanos));
    }

    /**
     * Adds the counts to sums: by size, those of the wheel's share and behind them those of the queue's.
     *
     * @param isMoved whether they are forgotten here
     */
    public void addTo(long[] sums, boolean isMoved) {
        for (int stripe = 0; stripe < CallerStripe.COUNT; stripe++) {
            AtomicIntegerArray counts = stripes.getAcquire(stripe);
            for (int i = 0; counts != null && i < sums.length; i++) {
                int count = counts.get(i);
                sums[i] += Integer.toUnsignedLong(isMoved && count != 0 ? counts.getAndSet(i, 0) : count);
            }
        }
    }

    static int bucketOf(long nanos) {
        return Math.max(0, (Float.floatToRawIntBits((float) nanos) >>> DROPPED_BITS) - FIRST);
    }

    /** Returns the value, in nanoseconds, in the middle of a size. */
    public static long middleOf(int bucket) {
        return bucket == 0 ? 0 : (long) Float.intBitsToFloat(((bucket + FIRST) << DROPPED_BITS) + HALF_A_BUCKET);
    }
}
