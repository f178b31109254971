package io.github.wheelscheduler.internal.engine;

import java.util.concurrent.TimeUnit;

/** The executor as seen by its timers. Every call follows a move of the timer's state. */
interface TimerOwner {

    long nanoTime();

    /** Returns the deadline that lies so far ahead of now; delays below zero count as zero, huge ones are cut. */
    long deadlineAfter(long delay, TimeUnit unit);

    /** Returns the dispatcher of its due timers. */
    Dispatcher dispatcher();

    /** Whether timers may have been {@linkplain ScheduledTimer#decorate decorated}. */
    boolean decorates();

    /** Whether the timer may start now; {@code handedOver} says that a worker has taken it before it was stopped. */
    boolean mayStart(ScheduledTimer<?> timer, boolean handedOver);

    /** A pending timer that was in the given state has started. */
    void started(ScheduledTimer<?> timer, int stateBefore);

    /** A timer that was in the given state has been cancelled. */
    void cancelled(ScheduledTimer<?> timer, int stateBefore);

    /** A pending timer has been handed back by a shutdown. */
    void gaveBack(ScheduledTimer<?> timer);

    /** A pending timer will not have its run, because its group is full. */
    void refused(ScheduledTimer<?> timer);

    /**
     * A run is about to end the timer, unless that is cancelled just before.
     *
     * @param wasReady whether a worker has it, or had
     */
    void ending(ScheduledTimer<?> timer, boolean wasReady);

    /** An armed timer is to run earlier than the wheel knows. */
    void movedEarlier(ScheduledTimer<?> timer, long deadlineNanos);

    /** A run of a periodic timer has ended and is to be followed by the next; as above. */
    void repeat(PeriodicTimer timer, boolean wasReady);
}
