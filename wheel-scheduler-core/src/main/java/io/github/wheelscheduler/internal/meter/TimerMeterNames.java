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
            case TIMERS_PENDING -> "How many timers wait for their time or for a worker";
            case TIMERS_FIRED -> "How many timers have fired";
            case TIMERS_MOVED -> "How often a timer has been given another time";
            case TIMERS_FAILED -> "How many handlers have failed";
            case TIMERS_LATENESS -> "How late timers fire";
            case LEASES_KEPT -> "How many leases are kept";
            case LEASES_RENEWED -> "How many renewals have succeeded";
            case LEASES_FAILED -> "How many renewals have failed";
            case LEASES_LOST -> "How many leases have been lost";
            default -> throw new IllegalArgumentException("name must be that of a meter, was " + name);
        };
    }
}
