package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.util.Objects;

/**
 * The rates and delays of the last tasks, so that the many tasks of one period share the object that says it. Any
 * thread; the objects do not change, so threads that see different ones do no harm.
 */
public final class SharedSchedules {

    private static final int PLACES = 32;

    private final TaskSchedule.FixedRate[] rates = new TaskSchedule.FixedRate[PLACES];
    private final TaskSchedule.FixedDelay[] delays = new TaskSchedule.FixedDelay[PLACES];

    /** Returns a schedule of that rate. */
    public TaskSchedule fixedRate(Duration period) {
        int place = placeOf(Objects.requireNonNull(period, "period must not be null"));
        TaskSchedule.FixedRate known = rates[place];
        if (known == null || !known.period().equals(period)) {
            known = new TaskSchedule.FixedRate(period);
            rates[place] = known;
        }
        return known;
    }

    /** Returns a schedule of that delay. */
    public TaskSchedule fixedDelay(Duration delay) {
        int place = placeOf(Objects.requireNonNull(delay, "delay must not be null"));
        TaskSchedule.FixedDelay known = delays[place];
        if (known == null || !known.delay().equals(delay)) {
            known = new TaskSchedule.FixedDelay(delay);
            delays[place] = known;
        }
        return known;
    }

    private static int placeOf(Duration duration) {
        int hash = duration.hashCode();
        return Math.floorMod(hash ^ (hash >>> 10), PLACES);
    }
}
