package io.github.wheelscheduler.spring;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * How late runs start, over the last one to two minutes, to within a tenth. Values are counted in buckets of which each is
 * an eighth of a power of two wide, in nanoseconds.
 */
final class LatenessDistribution {

    private static final long WINDOW_NANOS = 60_000_000_000L;
    private static final int SUB_BITS = 3;
    private static final int SUBS = 1 << SUB_BITS;
    private static final int BUCKETS = (Long.SIZE - SUB_BITS) * SUBS;

    private final AtomicReference<@Nullable Windows> windows = new AtomicReference<>();

    /**
     * Two neighbouring minutes.
     *
     * @param startNanos of the current one
     */
    private record Windows(long startNanos, AtomicLongArray previous, AtomicLongArray current) {}

    void record(long nanos, long nowNanos) {
        AtomicLongArray current = rotated(nowNanos).current;
        current.getAndIncrement(bucketOf(Math.max(0, nanos)));
    }

    /** Returns the value that so large a share of runs did not exceed; zero if there were none. */
    Duration percentile(double share, long nowNanos) {
        Windows seen = rotated(nowNanos);
        long total = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            total += seen.previous.get(bucket) + seen.current.get(bucket);
        }
        long wanted = Math.max(1, (long) Math.ceil(share * total));
        long counted = 0;
        for (int bucket = 0; bucket < BUCKETS && total > 0; bucket++) {
            counted += seen.previous.get(bucket) + seen.current.get(bucket);
            if (counted >= wanted) {
                return Duration.ofNanos(middleOf(bucket));
            }
        }
        return Duration.ZERO;
    }

    private Windows rotated(long nowNanos) {
        while (true) {
            Windows seen = windows.get();
            long age = seen == null ? 0 : nowNanos - seen.startNanos;
            if (seen != null && age < WINDOW_NANOS) {
                return seen;
            }
            AtomicLongArray previous =
                    seen != null && age < 2 * WINDOW_NANOS ? seen.current : new AtomicLongArray(BUCKETS);
            long startNanos = seen == null ? nowNanos : seen.startNanos + age / WINDOW_NANOS * WINDOW_NANOS;
            Windows next = new Windows(startNanos, previous, new AtomicLongArray(BUCKETS));
            if (windows.compareAndSet(seen, next)) {
                return next;
            }
        }
    }

    private static int bucketOf(long nanos) {
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos | 1);
        if (exponent < SUB_BITS) {
            return (int) nanos;
        }
        int sub = (int) (nanos >>> (exponent - SUB_BITS)) & (SUBS - 1);
        return (exponent - SUB_BITS + 1) * SUBS + sub;
    }

    private static long middleOf(int bucket) {
        if (bucket < SUBS) {
            return bucket;
        }
        int shift = bucket / SUBS - 1;
        long low = (long) (SUBS + bucket % SUBS) << shift;
        return low + (1L << shift) / 2;
    }
}
