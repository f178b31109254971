package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the recent rises of counts that have run since the start, as far as they are read. The first reading of a
 * count is its begin. Any thread.
 */
public final class CountRises {

    /** A rise is forgotten if the count has stayed the same for so long. */
    private static final long FORGET_NANOS = Duration.ofMinutes(5).toNanos();

    /** From so many counts on, those are forgotten that have not been read for so long. */
    private static final int MANY = 1_000;

    private final Map<String, Look> looks = new ConcurrentHashMap<>();

    /** No wall clock: that it was set is one of the things that are counted. */
    private final LongSupplier nanoTime;

    public CountRises() {
        this(new TimeSource()::nanoTime);
    }

    CountRises(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * @param count the count at the last reading
     * @param atNanos the time of that reading
     * @param by the recent rise
     * @param sinceNanos the time of the last reading before the rise began
     * @param risenAtNanos the time when a rise was last seen; null if none is remembered
     */
    private record Look(
            long count,
            long atNanos,
            long by,
            long sinceNanos,
            @Nullable Long risenAtNanos) {

        Look next(long now, long nowNanos) {
            boolean isForgotten = risenAtNanos == null || nowNanos - risenAtNanos > FORGET_NANOS;
            if (now <= count) {
                return isForgotten
                        ? new Look(now, nowNanos, 0, nowNanos, null)
                        : new Look(now, nowNanos, by, sinceNanos, risenAtNanos);
            }
            return isForgotten
                    ? new Look(now, nowNanos, now - count, atNanos, nowNanos)
                    : new Look(now, nowNanos, by + now - count, sinceNanos, nowNanos);
        }
    }

    /**
     * By how much a count has risen.
     *
     * @param by zero if it has not
     * @param within so long at most
     */
    public record Rise(long by, Duration within) {}

    /** Returns how many counts are remembered. */
    int size() {
        return looks.size();
    }

    /** Notes a count, and returns by how much it has risen lately. */
    public Rise note(String name, long count) {
        long nowNanos = nanoTime.getAsLong();
        Look first = new Look(count, nowNanos, 0, nowNanos, null);
        if (looks.size() >= MANY && !looks.containsKey(name)) {
            // of schedulers that are gone, as far as anything reads
            boolean ignored = looks.values().removeIf(look -> nowNanos - look.atNanos() > FORGET_NANOS);
        }
        Look look = looks.merge(name, first, (before, unused) -> before.next(count, nowNanos));
        return new Rise(look.by(), Duration.ofNanos(nowNanos - look.sinceNanos()));
    }
}
