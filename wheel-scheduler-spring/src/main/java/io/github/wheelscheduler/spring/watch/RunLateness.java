package io.github.wheelscheduler.spring.watch;

import io.github.wheelscheduler.internal.spring.watch.LatenessCounts;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** The lateness of the runs of a scheduler. All methods may be called from any thread. */
public final class RunLateness implements LatenessListener {

    private static final Log logger = LogFactory.getLog(RunLateness.class);

    private static final long WINDOW_NANOS = 60_000_000_000L;

    private final LongSupplier nanoClock;
    private final AtomicReference<@Nullable Windows> windows = new AtomicReference<>();
    private final List<LatenessListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean listenerFailed = new AtomicBoolean();

    /**
     * Counts two neighbouring minutes.
     *
     * @param startNanos of the current one
     */
    private record Windows(long startNanos, LatenessCounts previous, LatenessCounts current) {}

    /** Creates one that reads the clock, in nanoseconds, on demand. */
    public RunLateness(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Records the delay of a run, and calls the listeners. On its thread. */
    @Override
    public void starting(long wheelNanos, long queueNanos, long nowNanos) {
        Windows seen = windows.get();
        if (seen == null || nowNanos - seen.startNanos >= WINDOW_NANOS) {
            seen = rotated(nowNanos);
        }
        seen.current.add(Math.max(0, wheelNanos), Math.max(0, queueNanos));
        for (LatenessListener listener : listeners) {
            try {
                listener.starting(wheelNanos, queueNanos, nowNanos);
            } catch (Throwable ex) {
                if (listenerFailed.compareAndSet(false, true)) {
                    logger.warn(
                            "A lateness listener failed; runs continue, and further failures are not logged. Fix the "
                                    + "LatenessListener",
                            ex);
                }
            }
        }
    }

    /**
     * Returns how late so large a share of the runs of the last one to two minutes started at most, to within a
     * thirtieth.
     *
     * @throws IllegalArgumentException if the share is not between 0 and 1
     */
    public LatenessPercentile percentile(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share of runs must be between 0 and 1, was " + share);
        }
        long[] sums = new long[2 * LatenessCounts.BUCKETS];
        if (windows.get() != null) {
            Windows seen = rotated(nanoClock.getAsLong());
            seen.previous.addTo(sums, false);
            seen.current.addTo(sums, false);
        }
        return new LatenessPercentile(percentile(share, sums, 0), percentile(share, sums, LatenessCounts.BUCKETS));
    }

    private static Duration percentile(double share, long[] sums, int first) {
        long total = Arrays.stream(sums, first, first + LatenessCounts.BUCKETS).sum();
        long left = Math.max(1, (long) Math.ceil(share * total));
        for (int bucket = 0; bucket < LatenessCounts.BUCKETS; bucket++) {
            left -= sums[first + bucket];
            if (left <= 0) {
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
            LatenessCounts previous = seen != null && age < 2 * WINDOW_NANOS ? seen.current : new LatenessCounts();
            long startNanos = seen == null ? nowNanos : seen.startNanos + age / WINDOW_NANOS * WINDOW_NANOS;
            Windows next = new Windows(startNanos, previous, new LatenessCounts());
            if (windows.compareAndSet(seen, next)) {
                return next;
            }
        }
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
