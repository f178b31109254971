package io.github.wheelscheduler.spring.watch;

import io.github.wheelscheduler.inbox.CallerStripe;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * How late runs start, over the last one to two minutes, to within a tenth. Values are counted in buckets of which each is
 * an eighth of a power of two wide, in nanoseconds. Any thread.
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
    private record Windows(long startNanos, Window previous, Window current) {}

    /** Counts of a minute: of the wheel's share in the first half of each array, of the queue's in the second. */
    private static final class Window {

        /** Null where there has been nothing to count. */
        private final AtomicReferenceArray<@Nullable AtomicIntegerArray> stripes =
                new AtomicReferenceArray<>(CallerStripe.COUNT);

        void count(long wheelNanos, long queueNanos) {
            int index = CallerStripe.index();
            AtomicIntegerArray counts = stripes.getAcquire(index);
            if (counts == null) {
                AtomicIntegerArray created = new AtomicIntegerArray(2 * BUCKETS);
                AtomicIntegerArray other = stripes.compareAndExchange(index, null, created);
                counts = other == null ? created : other;
            }
            int ignored = counts.getAndIncrement(bucketOf(wheelNanos));
            int unused = counts.getAndIncrement(BUCKETS + bucketOf(queueNanos));
        }

        void addTo(long[] sums) {
            for (int index = 0; index < CallerStripe.COUNT; index++) {
                AtomicIntegerArray counts = stripes.getAcquire(index);
                for (int bucket = 0; counts != null && bucket < 2 * BUCKETS; bucket++) {
                    sums[bucket] += Integer.toUnsignedLong(counts.get(bucket));
                }
            }
        }
    }

    /** Counts a run. */
    void record(long wheelNanos, long queueNanos, long nowNanos) {
        Windows seen = windows.get();
        if (seen == null || nowNanos - seen.startNanos >= WINDOW_NANOS) {
            seen = rotated(nowNanos);
        }
        seen.current.count(Math.max(0, wheelNanos), Math.max(0, queueNanos));
    }

    /** Returns the values that so large a share of runs did not exceed; zero if there were none. */
    LatenessPercentile percentile(double share, long nowNanos) {
        if (windows.get() == null) {
            return new LatenessPercentile(Duration.ZERO, Duration.ZERO);
        }
        Windows seen = rotated(nowNanos);
        long[] sums = new long[2 * BUCKETS];
        seen.previous.addTo(sums);
        seen.current.addTo(sums);
        return new LatenessPercentile(percentile(share, sums, 0), percentile(share, sums, BUCKETS));
    }

    private static Duration percentile(double share, long[] sums, int from) {
        long total = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            total += sums[from + bucket];
        }
        long wanted = Math.max(1, (long) Math.ceil(share * total));
        long counted = 0;
        for (int bucket = 0; bucket < BUCKETS && total > 0; bucket++) {
            counted += sums[from + bucket];
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
            Window previous = seen != null && age < 2 * WINDOW_NANOS ? seen.current : new Window();
            long startNanos = seen == null ? nowNanos : seen.startNanos + age / WINDOW_NANOS * WINDOW_NANOS;
            Windows next = new Windows(startNanos, previous, new Window());
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
