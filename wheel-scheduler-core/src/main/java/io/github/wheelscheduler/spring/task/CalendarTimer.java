package io.github.wheelscheduler.spring.task;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A timer that follows a calendar, and knows to the nanosecond when it is due. */
public interface CalendarTimer {

    /** Returns the instant of the run that is pending or going on; null if there is none. */
    @Nullable
    Instant nextInstant();
}
