package io.github.wheelscheduler.spring.settings;

import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.UnusableSettingException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The pause of a task after a failure, counted from the end of the run. Take a delay of 10 s, a multiplier of 2, a
 * maximum of 60 s, and a rate of 5 s whose runs fail immediately. First due at 12:00:00, it runs at 12:00:00, 12:00:10,
 * 12:00:30, 12:01:10, and then every minute. After the first success it returns to 5 s. Runs lie on the task's own
 * grid: a back-off of 12 s lasts 15. Runs that are left out do not count as missed.
 *
 * @param delay the back-off after the first failure; positive
 * @param multiplier the ratio of each back-off to the previous one; at least 1
 * @param maxDelay the longest back-off; not shorter than {@code delay}
 */
public record BackOff(Duration delay, double multiplier, Duration maxDelay) {

    /** Of the multiplier. */
    public static final double DEFAULT_MULTIPLIER = 2;

    /** Of the longest back-off. */
    public static final Duration DEFAULT_MAX_DELAY = Duration.ofHours(1);

    /**
     * Checks it.
     *
     * @throws UnusableSettingException if a value is out of the range of its parameter
     */
    public BackOff {
        Objects.requireNonNull(delay, "delay must not be null");
        Objects.requireNonNull(maxDelay, "maxDelay must not be null");
        TaskSetting.BACK_OFF_DELAY.check(delay);
        TaskSetting.BACK_OFF_MULTIPLIER.check(multiplier);
        UnusableSettingException.unless(
                maxDelay.compareTo(delay) >= 0,
                TaskSetting.BACK_OFF_MAX_DELAY.property(),
                maxDelay,
                "must not be shorter than the delay, which is " + delay,
                "1h");
    }

    /** Returns one whose back-offs are twice as long each time, up to an hour or, if that is longer, its delay. */
    public static BackOff of(Duration delay) {
        Objects.requireNonNull(delay, "delay must not be null");
        return new BackOff(
                delay, DEFAULT_MULTIPLIER, delay.compareTo(DEFAULT_MAX_DELAY) > 0 ? delay : DEFAULT_MAX_DELAY);
    }

    /** Returns the back-off after a number of failures in a row, in nanoseconds; 0 after none. */
    public long restNanos(long failures) {
        if (failures <= 0) {
            return 0;
        }
        double nanos = TimeUnit.NANOSECONDS.convert(delay) * Math.pow(multiplier, failures - 1.0);
        // Far from where deadlines end.
        long longest = Math.min(TimeUnit.NANOSECONDS.convert(maxDelay), Long.MAX_VALUE / 4);
        return nanos < longest ? (long) nanos : longest;
    }

    @Override
    public String toString() {
        return exactly(delay) + " * " + multiplier + " <= " + exactly(maxDelay);
    }
}
