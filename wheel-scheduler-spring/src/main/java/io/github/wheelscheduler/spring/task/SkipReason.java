package io.github.wheelscheduler.spring.task;

import java.util.Locale;

/** Why a run did not take place when it was due. */
public enum SkipReason {
    /** The task was paused. */
    PAUSED,
    /** The task was running already, because a run of it had been triggered. */
    RUNNING,
    /** The run of a fixed-rate task was missed, and is not caught up. */
    MISSED,
    /** The group was full, and lets no run wait. */
    FULL;

    /** Returns the value of the tag in meters. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
