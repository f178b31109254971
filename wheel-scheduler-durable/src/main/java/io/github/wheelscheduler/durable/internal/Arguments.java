package io.github.wheelscheduler.durable.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks what users hand over, and says what is wrong with it. Any thread. */
public final class Arguments {

    private static final int LONGEST_NAME = 250;
    private static final int LONGEST_RECURRING = 200;
    private static final int LONGEST_PAGE = 10_000;
    static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

    private static final Duration BEYOND = Duration.between(EARLIEST, LATEST).multipliedBy(2);
    private static final Duration SHORTEST_LIMIT = Duration.ofMillis(1);
    private static final Duration LONGEST_DELAY = Duration.ofDays(365_250);

    private Arguments() {}

    /** Recurring tasks have rows of their own. */
    public static void requireHandler(String name) {
        requireName("handler", name);
        if (name.startsWith(Handler.RECURRING)) {
            throw new IllegalArgumentException(
                    "handler must not begin with " + Handler.RECURRING + ", was '" + name + "'");
        }
    }

    /** MariaDB takes names that differ in trailing spaces only for one name. */
    public static void requireNewHandler(String name) {
        requireHandler(name);
        if (name.endsWith(" ")) {
            throw new IllegalArgumentException("handler must not end in a space, was '" + name + "'");
        }
    }

    static void requireNewTask(String handler, String id) {
        requireNewHandler(handler);
        requireName("id", id);
    }

    static void requireTask(String handler, String id) {
        requireHandler(handler);
        requireName("id", id);
    }

    public static void requireId(String id) {
        requireName("id", id);
    }

    public static void requireName(String what, String name) {
        if (name == null) {
            throw new NullPointerException(what + " must not be null");
        }
        if (name.isEmpty() || name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException(what + " must have 1 to 250 characters, was '" + name + "'");
        }
        requireText(what, name);
    }

    /** Refuses what PostgreSQL would refuse with the caller's transaction. */
    public static void requireText(String what, String name) {
        // Half of a character would become another id on its way.
        if (name.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            throw new IllegalArgumentException(
                    what + " must contain neither the character U+0000 nor unpaired surrogates");
        }
    }

    static void requireRecurringId(String id) {
        Objects.requireNonNull(id, "id must not be null");
        if (id.isEmpty() || id.length() > LONGEST_RECURRING) {
            throw new IllegalArgumentException("id must have 1 to 200 characters, was '" + id + "'");
        }
        requireName("id", id);
    }

    public static void requireTime(Instant at) {
        Objects.requireNonNull(at, "at must not be null");
        if (at.isBefore(EARLIEST) || at.isAfter(LATEST)) {
            throw new IllegalArgumentException("at must be in one of the years 1 to 9999, was " + at);
        }
    }

    static void requireWait(Duration limit) {
        Objects.requireNonNull(limit, "limit must not be null");
        if (limit.isNegative() || limit.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("limit must be 0 to 1 hour, was " + limit);
        }
    }

    static void requireDelay(Duration delay) {
        Objects.requireNonNull(delay, "delay must not be null");
        if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
            throw new IllegalArgumentException("delay must be 0 to 1,000 years, was " + delay);
        }
    }

    /** Returns a time, or the first or last one that databases know. */
    static Instant inCalendar(Instant time) {
        return time.isAfter(LATEST) ? LATEST : time.isBefore(EARLIEST) ? EARLIEST : time;
    }

    /**
     * Returns when something is due that comes after so long, or after a thousand years: what is later than that is for
     * no calendar of a database.
     */
    public static Instant after(Instant time, Duration delay) {
        return time.plus(delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay);
    }

    /** Returns when something is due that comes after so long, or a time that {@link #requireTime} refuses. */
    public static Instant perhapsBeyond(Instant time, Duration delay) {
        return time.plus(delay.compareTo(BEYOND) > 0 ? BEYOND : delay);
    }

    public static void requireLimits(int maxConcurrent, @Nullable Duration timeLimit) {
        if (maxConcurrent < 1) {
            throw new IllegalArgumentException("maxConcurrent must be at least 1, was " + maxConcurrent);
        }
        if (timeLimit != null && (timeLimit.compareTo(SHORTEST_LIMIT) < 0 || timeLimit.compareTo(LONGEST_DELAY) > 0)) {
            throw new IllegalArgumentException("timeLimit must be 1 ms to 1,000 years, was " + timeLimit);
        }
    }

    public static void requireLimit(int limit) {
        if (limit < 1 || limit > LONGEST_PAGE) {
            throw new IllegalArgumentException("limit must be 1 to 10,000, was " + limit);
        }
    }
}
