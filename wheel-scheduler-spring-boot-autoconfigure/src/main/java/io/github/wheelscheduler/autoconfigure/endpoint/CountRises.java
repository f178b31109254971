package io.github.wheelscheduler.autoconfigure.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Remembers of counts that go on since the start by how much they have risen lately, as far as they are looked at. The first look at a
 * count is where it begins. Any thread.
 */
public final class CountRises {

    /** A rise is forgotten if the count has stayed the same for so long. */
    private static final Duration FORGET = Duration.ofMinutes(5);

    private final Map<String, Look> looks = new ConcurrentHashMap<>();

    /**
     * @param count when it was looked at last
     * @param at when that was
     * @param by how much it has risen lately
     * @param since when; the last look before it rose
     * @param risenAt when a rise was seen last; null if none is remembered
     */
    private record Look(
            long count,
            Instant at,
            long by,
            Instant since,
            @Nullable Instant risenAt) {

        Look next(long now, Instant instant) {
            boolean isForgotten = risenAt == null || risenAt.plus(FORGET).isBefore(instant);
            if (now <= count) {
                return isForgotten
                        ? new Look(now, instant, 0, instant, null)
                        : new Look(now, instant, by, since, risenAt);
            }
            return isForgotten
                    ? new Look(now, instant, now - count, at, instant)
                    : new Look(now, instant, by + now - count, since, instant);
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
    public Rise note(String name, long count, Instant now) {
        Look look = looks.merge(name, new Look(count, now, 0, now, null), (before, first) -> before.next(count, now));
        return new Rise(look.by(), Duration.between(look.since(), now));
    }
}
