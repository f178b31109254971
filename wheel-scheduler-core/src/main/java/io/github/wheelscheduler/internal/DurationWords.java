package io.github.wheelscheduler.internal;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Formats durations for people, such as {@code 1.5 s}, {@code 250 ms}, {@code 1 h 30 min}. A rejected value, its bounds
 * and all text for programs use the form of a setting, {@code PT0S}.
 */
public final class DurationWords {

    private static final int DECIMALS_OF_NANOS = 9;
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long TENTHS_BELOW = 10;
    private static final long SECONDS_PER_MINUTE = 60;
    private static final long SECONDS_PER_HOUR = 3_600;
    private static final long SECONDS_PER_DAY = 86_400;

    private DurationWords() {}

    /** Returns all of it. */
    public static String exactly(Duration duration) {
        if (duration.isNegative()) {
            return "-" + exactly(duration.negated());
        }
        if (duration.toSeconds() == 0) {
            return plain(BigDecimal.valueOf(duration.toNanosPart(), DECIMALS_OF_NANOS - 3)) + " ms";
        }
        List<String> parts = new ArrayList<>();
        add(parts, duration.toHours(), "h");
        add(parts, duration.toMinutesPart(), "min");
        BigDecimal seconds = BigDecimal.valueOf(
                duration.toSecondsPart() * NANOS_PER_SECOND + duration.toNanosPart(), DECIMALS_OF_NANOS);
        if (seconds.signum() != 0) {
            parts.add(plain(seconds) + " s");
        }
        return String.join(" ", parts);
    }

    /** Returns as much of it as a reader needs. */
    public static String about(Duration duration) {
        if (duration.isNegative()) {
            return "-" + about(duration.negated());
        }
        long seconds = duration.toSeconds();
        long step;
        if (seconds == 0) {
            step = stepBelowASecond(duration.toNanosPart());
        } else {
            step = seconds < TENTHS_BELOW ? NANOS_PER_SECOND / 10 : NANOS_PER_SECOND;
        }
        Duration rounded = Duration.ofSeconds(seconds, duration.toNanosPart() / step * step);
        if (seconds < SECONDS_PER_HOUR) {
            return exactly(rounded);
        }
        List<String> parts = new ArrayList<>();
        add(parts, rounded.toDays(), "d");
        add(parts, rounded.toHoursPart(), "h");
        if (seconds < SECONDS_PER_DAY) {
            add(parts, rounded.toMinutesPart(), "min");
        }
        return String.join(" ", parts);
    }

    private static long stepBelowASecond(long nanos) {
        if (nanos < NANOS_PER_MILLI) {
            return NANOS_PER_MICRO;
        }
        return nanos < TENTHS_BELOW * NANOS_PER_MILLI ? NANOS_PER_MILLI / 10 : NANOS_PER_MILLI;
    }

    /** Returns all of it, as it follows {@code every}: a single hour or minute is the unit alone. */
    public static String interval(Duration duration) {
        if (duration.toNanosPart() == 0 && duration.toSeconds() % SECONDS_PER_MINUTE == 0) {
            boolean isHours = duration.toSeconds() % SECONDS_PER_HOUR == 0;
            return times(isHours ? duration.toHours() : duration.toMinutes(), isHours ? "hour" : "minute");
        }
        return exactly(duration);
    }

    /** Returns a number of units as it follows {@code every}. */
    public static String times(long number, String unit) {
        return number == 1 ? unit : number + " " + unit + "s";
    }

    private static void add(List<String> parts, long number, String unit) {
        if (number != 0) {
            parts.add(number + " " + unit);
        }
    }

    private static String plain(BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }
}
