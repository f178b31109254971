package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.internal.wheel.Expiry;
import io.github.wheelscheduler.internal.wheel.TimerNode;
import io.github.wheelscheduler.internal.wheel.TimingWheel;
import org.jspecify.annotations.Nullable;

/**
 * Where a timer goes that is in no list any more: to its workers if it is due, into a waiting list, to the worker that
 * ends refused runs, or back into the wheel. Tick thread only.
 */
final class HandOver implements Expiry {

    /*
     * If memory runs out, the timer stays in 'inHand'; the next pass retries it first.
     */

    private final TimingWheel wheel;
    private final WallClockWatch watch;
    private final SweepPlan sweeps;
    private final Dispatchers dispatchers;
    private final TickPass pass;

    /** Null but in virtual time. */
    private final @Nullable StepQueue steps;

    /** The wheel has given it up, and it has not been handed over: that has failed. */
    private @Nullable ScheduledTimer<?> inHand;

    /** Let go though others are held. */
    private @Nullable ScheduledTimer<?> forced;

    HandOver(
            TimingWheel wheel,
            WallClockWatch watch,
            SweepPlan sweeps,
            Dispatchers dispatchers,
            TickPass pass,
            @Nullable StepQueue steps) {
        this.wheel = wheel;
        this.watch = watch;
        this.sweeps = sweeps;
        this.dispatchers = dispatchers;
        this.pass = pass;
        this.steps = steps;
    }

    // In hand

    boolean hasInHand() {
        return inHand != null;
    }

    boolean hasInHand(ScheduledTimer<?> timer) {
        return timer == inHand;
    }

    /** Returns the unfinished timer, if there is one, and passes it to the caller. */
    @Nullable
    ScheduledTimer<?> takeFromHand() {
        ScheduledTimer<?> timer = inHand;
        inHand = null;
        return timer;
    }

    private void keepInHand(ScheduledTimer<?> timer) {
        // There is only one, as a failure ends the pass.
        if (timer.state() == TimerWord.ARMED) {
            inHand = timer;
        } else {
            watch.unwatch(timer);
        }
    }

    // Timers that leave the wheel

    @Override
    public void expire(TimerNode node) {
        ScheduledTimer<?> timer = (ScheduledTimer<?>) node;
        try {
            dispatch(timer);
        } catch (Throwable ex) {
            keepInHand(timer);
            throw ex;
        }
    }

    /** Lets a timer go that is in the wheel, or waits, and is due, though others are held. */
    void forceRun(ScheduledTimer<?> timer) {
        forced = timer;
        try {
            boolean ignored = wheel.remove(timer);
            expire(timer);
        } finally {
            forced = null;
            dispatchers.signalHandOver();
        }
    }

    private void dispatch(ScheduledTimer<?> timer) {
        // In this order: one that is over is given up without a look at a clock, which may fail.
        if (!isDueNow(timer) || isEarly(timer)) {
            putBack(timer);
        } else {
            Dispatcher dispatcher = dispatchers.of(timer);
            if (takeSlot(timer, dispatcher)) {
                go(timer, dispatcher, false);
            }
        }
    }

    boolean isEarly(ScheduledTimer<?> timer) {
        return timer instanceof InstantTimer instant && watch.isEarly(instant, pass.nowNanos());
    }

    boolean isDueNow(ScheduledTimer<?> timer) {
        return timer.state() == TimerWord.ARMED && pass.isDue(timer.deadlineNanos());
    }

    /**
     * Hands a timer over if it is due. It has a slot, which is released at the end of the run, or here.
     *
     * @param mayBeEarly whether the wall clock has not been asked yet
     */
    private void go(ScheduledTimer<?> timer, Dispatcher dispatcher, boolean mayBeEarly) {
        boolean goes = false;
        try {
            goes = !(mayBeEarly && isEarly(timer)) && timer.claim(pass.nowNanos());
        } finally {
            if (!goes) {
                dispatcher.releaseSlot(timer, true);
            }
        }
        if (goes) {
            dispatcher.handOver(timer, pass.nowNanos(), timer == forced);
            watch.unwatch(timer);
        } else {
            putBack(timer);
        }
    }

    /** Puts a timer where it belongs that does not go now: it is over, or has been moved. */
    private void putBack(ScheduledTimer<?> timer) {
        if (timer.state() == TimerWord.ARMED) {
            wheel.add(timer);
        } else {
            giveUp(timer);
        }
    }

    /** Takes a slot for a timer that is due; if there is none, it waits or is refused. */
    private boolean takeSlot(ScheduledTimer<?> timer, Dispatcher dispatcher) {
        boolean isForced = timer == forced;
        if (dispatcher.isSlotTakenAtCall(timer)) {
            // It waits for nothing: a timer that waits may wait for its slot.
            return true;
        }
        if (!isForced && dispatcher.isHeldFor(timer)) {
            if (steps == null) {
                dispatcher.keep(timer, pass.nowNanos(), false);
            } else {
                steps.keep(timer);
            }
            return false;
        }
        boolean hasToQueue = !isForced && dispatcher.isAnyWaiting();
        if (!hasToQueue && dispatcher.takeSlot(timer)) {
            return true;
        }
        if (dispatcher.waitsForSlot(timer)) {
            dispatcher.keep(timer, pass.nowNanos(), isForced);
        } else {
            refuse(timer);
        }
        return false;
    }

    /** Refuses a timer that is due, and is in no list. */
    private void refuse(ScheduledTimer<?> timer) {
        Dispatcher dispatcher = dispatchers.of(timer);
        GroupRefusals refusals = dispatcher.refusals;
        GroupRefusals.Refused refused = refusals == null ? null : refusals.newRefused(timer);
        if (refused == null || !timer.claim(pass.nowNanos())) {
            putBack(timer);
            return;
        }
        dispatcher.noteRefused(timer);
        try {
            refused.handOver(pass.nowNanos());
        } catch (Throwable ex) {
            boolean ignored = timer.unclaim();
            throw ex;
        }
        watch.unwatch(timer);
    }

    // Timers that have waited

    /**
     * Takes a timer out of the list in which it has waited, and lets it go: it may be due later by now, and then its
     * slot is released.
     *
     * @param isOver whether it was over, and has no slot; it is forgotten
     * @param hasSlot whether it has a slot; if not, and it is not over, it is refused
     */
    void takeOut(ScheduledTimer<?> timer, boolean isOver, boolean hasSlot) {
        boolean ignored = wheel.remove(timer);
        if (isOver) {
            giveUp(timer);
            return;
        }
        pass.moved();
        try {
            if (hasSlot) {
                go(timer, dispatchers.of(timer), true);
            } else {
                refuse(timer);
            }
        } catch (Throwable ex) {
            keepInHand(timer);
            throw ex;
        }
    }

    /** Forgets a timer that is over, and has no slot. */
    void giveUp(ScheduledTimer<?> timer) {
        pass.moved();
        sweeps.givenUp++;
        watch.unwatch(timer);
    }
}
