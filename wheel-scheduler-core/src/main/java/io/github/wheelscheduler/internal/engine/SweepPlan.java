package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.internal.wheel.Expiry;
import io.github.wheelscheduler.internal.wheel.TimingWheel;

/**
 * When timers that are over are swept out of the wheel, and how far at a time. Tick thread, unless it says otherwise.
 */
final class SweepPlan {

    /**
     * Several times the number of messages taken in a pass, so that a sweep is faster than the arrival of cancelled
     * timers.
     */
    private static final int BUDGET = 4096;

    /** Many timers that are over stay no longer than that. */
    private static final long DELAY_NANOS = 1_000_000_000;

    /** Sweeps take a hundredth of a processor's time at most, unless there is too much litter. */
    private static final long DELAY_PER_TIMER_NANOS = 1_000;

    /** A sweep that has found fewer is not begun again at once. */
    private static final int FRUITFUL = 1024;

    private final TimingWheel wheel;
    private final PendingTimers pending;

    private long atNanos;

    /** The number of finished timers that the wheel has released. */
    long givenUp;

    private long givenUpBefore;

    /** A group has ended that timers in the wheel belong to, however few. Writer: tick thread. Readers: any. */
    private volatile boolean isAsked;

    /** The last sweep has found little. Writer: tick thread. Readers: threads that cancel. */
    private volatile boolean fruitless;

    /** Writer: tick thread. Readers: threads that cancel. */
    private volatile boolean planned;

    SweepPlan(TimingWheel wheel, PendingTimers pending) {
        this.wheel = wheel;
        this.pending = pending;
    }

    /** Whether a sweep is active, or begins now. */
    boolean isDue(long nowNanos) {
        if (wheel.isSweeping()) {
            return true;
        }
        if (!isTime(nowNanos)) {
            return false;
        }
        givenUpBefore = givenUp;
        isAsked = false;
        wheel.startSweep();
        return true;
    }

    private boolean isTime(long nowNanos) {
        long litter = pending.litter(wheel.size());
        if (litter == 0 && !isAsked) {
            planned = false;
            return wheel.isSparse();
        }
        if (!planned) {
            atNanos = nowNanos + Math.max(DELAY_NANOS, DELAY_PER_TIMER_NANOS * wheel.size());
            planned = true;
        }
        return atNanos - nowNanos <= 0 || (pending.isTooMuchLitter(litter) && !fruitless);
    }

    /** A group has ended: timers of it that are over would keep it in memory until they were due. */
    void groupEnded() {
        isAsked |= wheel.size() > pending.countWithGroups();
    }

    /** Whether the next pass is to plan a sweep. Any thread. */
    boolean isWanted() {
        return isAsked && !planned;
    }

    /** Does a part of a sweep, and returns whether that was the last one. */
    boolean goOn(Expiry expiry) {
        if (wheel.sweep(BUDGET, expiry) == 0) {
            return false;
        }
        planned = false;
        fruitless = givenUp - givenUpBefore < FRUITFUL;
        return true;
    }

    long nanosToNext(long nowNanos) {
        return planned ? Math.max(0, atNanos - nowNanos) : Long.MAX_VALUE;
    }

    /** Whether the tick thread should look at the timers in the wheel that are over, and has no plan to. Any thread. */
    boolean isLittered(long wheelSize) {
        long litter = pending.litter(wheelSize);
        return (pending.isTooMuchLitter(litter) && !fruitless) || (litter > 0 && !planned);
    }
}
