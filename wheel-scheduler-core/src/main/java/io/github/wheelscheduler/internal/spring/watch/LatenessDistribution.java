package io.github.wheelscheduler.internal.spring.watch;

import io.github.wheelscheduler.internal.CallerStripe;
import io.github.wheelscheduler.spring.watch.LatenessPercentile;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * How late runs start, over the last one to two minutes, to within a thirtieth. Any thread.
 */
public final class LatenessDistribution {

    private static final long WINDOW_NANOS = 60_000_000_000L;

    private final AtomicReference<@Nullable Windows> windows = new AtomicReference<>();

    /**
     * Two neighbouring minutes.
     *
     * @param startNanos of the current one
     */
    private record Windows(long startNanos, Window previous, Window current) {}

    /** Counts of a minute. */
    private static final class Window {

        /** Null where there has been nothing to count. */
        private final AtomicReferenceArray<@Nullable LatenessCounts> stripes =
                new AtomicReferenceArray<>(CallerStripe.COUNT);

        void count(long wheelNanos, long queueNanos) {
            int index = CallerStripe.index();
            LatenessCounts counts = stripes.getAcquire(index);
            if (counts == null) {
                LatenessCounts created = new LatenessCounts();
                LatenessCounts other = stripes.compareAndExchange(index, null, created);
                counts = other == null ? created : other;
            }
            counts.add(wheelNanos, queueNanos);
        }

        void addTo(long[] wheelSums, long[] queueSums) {
            for (int index = 0; index < CallerStripe.COUNT; index++) {
                LatenessCounts counts = stripes.getAcquire(index);
                if (counts != null) {
                    counts.addTo(wheelSums, queueSums);
                }
            }
        }
    }

    /** Counts a run. */
    public void record(long wheelNanos, long queueNanos, long nowNanos) {
        Windows seen = windows.get();
        if (seen == null || nowNanos - seen.startNanos >= WINDOW_NANOS) {
            seen = rotated(nowNanos);
        }
        seen.current.count(Math.max(0, wheelNanos), Math.max(0, queueNanos));
    }

    /** Returns the values that so large a share of runs did not exceed; zero if there were none. */
    public LatenessPercentile percentile(double share, long nowNanos) {
        if (windows.get() == null) {
            return new LatenessPercentile(Duration.ZERO, Duration.ZERO);
        }
        Windows seen = rotated(nowNanos);
        long[] wheelSums = new long[LatenessCounts.BUCKETS];
        long[] queueSums = new long[LatenessCounts.BUCKETS];
        seen.previous.addTo(wheelSums, queueSums);
        seen.current.addTo(wheelSums, queueSums);
        return new LatenessPercentile(percentile(share, wheelSums), percentile(share, queueSums));
    }

    private static Duration percentile(double share, long[] sums) {
        long total = Arrays.stream(sums).sum();
        long wanted = Math.max(1, (long) Math.ceil(share * total));
        long counted = 0;
        for (int bucket = 0; bucket < sums.length && total > 0; bucket++) {
            counted += sums[bucket];
            if (counted >= wanted) {
                return Duration.ofNanos(LatenessCounts.middleOf(bucket));
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
}
