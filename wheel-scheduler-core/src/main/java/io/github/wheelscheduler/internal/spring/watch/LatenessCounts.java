package io.github.wheelscheduler.internal.spring.watch;

import java.util.concurrent.atomic.AtomicIntegerArray;

/** How late runs were, counted by size, to within a thirtieth: the share of the wheel, and that of the queue. Any thread. */
public final class LatenessCounts {

    /*
     * The first bits of a floating-point number are its power of two and a part of what follows it. So the bits that are
     * left when the last ones are dropped number buckets of which each is a sixteenth of a power of two wide:
     *
     *      value    0, 1   2     3     4     4.25     4.5    ...   8     8.5   ...
     *      bucket    0     16    24    32     33       34    ...   48     49   ...
     */

    private static final int DROPPED_BITS = 19;
    private static final int FIRST = Float.floatToRawIntBits(1) >>> DROPPED_BITS;
    private static final int HALF_A_BUCKET = 1 << (DROPPED_BITS - 1);

    /** How many sizes there are. */
    public static final int BUCKETS = bucketOf(Long.MAX_VALUE) + 1;

    private final AtomicIntegerArray wheel = new AtomicIntegerArray(BUCKETS);
    private final AtomicIntegerArray queue = new AtomicIntegerArray(BUCKETS);

    /** Counts a run; nothing is less than zero. */
    public void add(long wheelNanos, long queueNanos) {
        int ignored = wheel.getAndIncrement(bucketOf(wheelNanos));
        int unused = queue.getAndIncrement(bucketOf(queueNanos));
    }

    /** Adds to the counts what there is of it here, and forgets that. */
    public void moveTo(long[] wheelCounts, long[] queueCounts) {
        move(wheel, wheelCounts);
        move(queue, queueCounts);
    }

    /** Adds to the counts what there is of it here, and keeps it. */
    void addTo(long[] wheelCounts, long[] queueCounts) {
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            wheelCounts[bucket] += Integer.toUnsignedLong(wheel.get(bucket));
            queueCounts[bucket] += Integer.toUnsignedLong(queue.get(bucket));
        }
    }

    private static void move(AtomicIntegerArray from, long[] to) {
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            if (from.get(bucket) != 0) {
                to[bucket] += Integer.toUnsignedLong(from.getAndSet(bucket, 0));
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
