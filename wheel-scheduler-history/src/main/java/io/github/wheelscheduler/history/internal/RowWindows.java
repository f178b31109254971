package io.github.wheelscheduler.history.internal;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of time in which a page is read, the newest first: an hour, the two hours before, the four before these,
 * and so on. An index by blocks of time knows no order, so the database would read and sort all days for one page.
 */
final class RowWindows {

    private static final Duration FIRST = Duration.ofHours(1);

    private final @Nullable Instant from;
    private final Duration age;
    private Duration width = FIRST;

    /** The time from which widths count back: no row of the first range is later. */
    private final Instant newest;

    private @Nullable Instant begin;
    private @Nullable Instant end;
    private boolean isLast;

    private RowWindows(@Nullable Instant from, @Nullable Instant to, Instant newest, Duration age) {
        this.from = from;
        this.end = to;
        this.newest = newest;
        this.age = age;
        open();
    }

    /**
     * Returns ranges that double.
     *
     * @param from the first time; null for the oldest row
     * @param to the time behind the last one; null for now
     * @param newest no row that is asked for is later
     * @param age the time for which rows are kept; beyond it, one range has the rest
     */
    static RowWindows doubling(@Nullable Instant from, @Nullable Instant to, Instant newest, Duration age) {
        return new RowWindows(from, to, newest, age);
    }

    /** Returns one range. */
    static RowWindows all(@Nullable Instant from, @Nullable Instant to) {
        return new RowWindows(from, to, Instant.EPOCH, Duration.ZERO);
    }

    /** Widths that double add up to twice the last one. */
    private void open() {
        Duration sum = width.multipliedBy(2).minus(FIRST);
        Instant next = newest.minus(sum);
        isLast = sum.compareTo(age) > 0 || (from != null && !next.isAfter(from));
        begin = isLast ? from : next;
    }

    /** Returns the first time of this range; null for the oldest row. */
    @Nullable
    Instant begin() {
        return begin;
    }

    /** Returns the time behind this range; null for now. */
    @Nullable
    Instant end() {
        return end;
    }

    /** Goes on to the range before; false if there is none. */
    boolean next() {
        if (isLast) {
            return false;
        }
        end = begin;
        width = width.multipliedBy(2);
        open();
        return true;
    }
}
