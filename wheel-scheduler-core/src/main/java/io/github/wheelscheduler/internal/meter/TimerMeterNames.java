package io.github.wheelscheduler.internal.meter;

/** The names of the meters of timers for programs, and of their tags. */
public final class TimerMeterNames {

    public static final String TIMERS_PENDING = "wheel.scheduler.timers.pending";
    public static final String TIMERS_FIRED = "wheel.scheduler.timers.fired";
    public static final String TIMERS_MOVED = "wheel.scheduler.timers.moved";
    public static final String TIMERS_FAILED = "wheel.scheduler.timers.failed";
    public static final String TIMERS_LATENESS = "wheel.scheduler.timers.lateness";
    public static final String LEASES_KEPT = "wheel.scheduler.leases.kept";
    public static final String LEASES_RENEWED = "wheel.scheduler.leases.renewed";
    public static final String LEASES_FAILED = "wheel.scheduler.leases.failed";
    public static final String LEASES_LOST = "wheel.scheduler.leases.lost";
    public static final String TAG_NAME = "name";
    public static final String TAG_KIND = "kind";

    private TimerMeterNames() {}

    /** Returns the description of a meter of that name. */
    public static String descriptionOf(String name) {
        return switch (name) {
            case TIMERS_PENDING -> "Number of timers that wait for their time or for a worker";
            case TIMERS_FIRED -> "Number of fired timers";
            case TIMERS_MOVED -> "Number of rescheduled timers";
            case TIMERS_FAILED -> "Number of failed handlers";
            case TIMERS_LATENESS -> "Lateness of fired timers";
            case LEASES_KEPT -> "Number of leases that are kept";
            case LEASES_RENEWED -> "Number of successful renewals";
            case LEASES_FAILED -> "Number of failed renewals";
            case LEASES_LOST -> "Number of lost leases";
            default ->
                throw new IllegalArgumentException(
                        "name must be a constant of TimerMeterNames that names a meter, was " + name);
        };
    }
}
