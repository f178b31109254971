package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers of counts that go on since the start by how much they have risen lately, as far as they are looked at. The
 * first look at a count is where it begins. Any thread.
 */
public final class CountRises {

    /** A rise is forgotten if the count has stayed the same for so long. */
    private static final long FORGET_NANOS = Duration.ofMinutes(5).toNanos();

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
     * @param count when it was looked at last
     * @param atNanos when that was
     * @param by how much it has risen lately
     * @param sinceNanos when; the last look before it rose
     * @param risenAtNanos when a rise was seen last; null if none is remembered
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

    /** Notes a count, and returns by how much it has risen lately. */
    public Rise note(String name, long count) {
        long nowNanos = nanoTime.getAsLong();
        Look first = new Look(count, nowNanos, 0, nowNanos, null);
        Look look = looks.merge(name, first, (before, unused) -> before.next(count, nowNanos));
        return new Rise(look.by(), Duration.ofNanos(nowNanos - look.sinceNanos()));
    }
}
