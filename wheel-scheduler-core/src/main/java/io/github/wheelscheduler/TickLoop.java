package io.github.wheelscheduler;

import io.github.wheelscheduler.inbox.Inbox;
import io.github.wheelscheduler.wheel.Expiry;
import io.github.wheelscheduler.wheel.TimerNode;
import io.github.wheelscheduler.wheel.TimingWheel;
import io.github.wheelscheduler.worker.Workers;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * One pass of the tick thread: take the messages, advance the wheel, hand over what is due. It is told the time, and runs
 * no user code. Tick thread only.
 */
final class TickLoop {

    /*
     * A message in the inbox says no more than "look at this timer":
     *
     *   armed, not in the wheel     ->  add it
     *   armed, in the wheel         ->  its deadline has become earlier: put it where it belongs
     *   anything else               ->  take it out, if it is in
     *
     * A timer that is cancelled posts no message, unless it is an instant timer: the wheel gives it up when it comes across
     * it. When there are many of them, the tick thread sweeps the wheel, a part in each pass.
     */

    private static final int DRAIN_LIMIT = 1024;
    private static final int ADVANCE_BUDGET = 1024;

    /** Several times the drain limit: so a sweep gets on faster than cancelled timers come. */
    private static final int SWEEP_BUDGET = 4096;

    /** Preparing goes on in small parts, so that it delays nothing and is done in time all the same. */
    private static final int PREPARE_BUDGET = 1024;

    private static final long PREPARE_PAUSE_NANOS = 100_000;

    private final Inbox<ScheduledTimer<?>> inbox;
    private final TimingWheel wheel;
    private final WallClockWatch watch;
    private final Workers workers;
    private final PendingTimers pending;

    private final Consumer<ScheduledTimer<?>> admission = this::admit;
    private final Expiry expiry = this::expire;

    private boolean handedOver;
    private boolean othersWaited;
    private long nowNanos;

    /** Writer: tick thread, once per pass. Readers: those who cancel. */
    private volatile long wheelSize;

    TickLoop(
            Inbox<ScheduledTimer<?>> inbox,
            TimingWheel wheel,
            WallClockWatch watch,
            Workers workers,
            PendingTimers pending,
            long nowNanos) {
        this.inbox = inbox;
        this.wheel = wheel;
        this.watch = watch;
        this.workers = workers;
        this.pending = pending;
        this.nowNanos = nowNanos;
    }

    /**
     * Does what is to be done now, or a part of it.
     *
     * @return how many nanoseconds after {@code nowNanos} there is more to do; 0 if there may be more now
     */
    long pass(long nowNanos) {
        this.nowNanos = nowNanos;
        int drained = inbox.drain(admission, DRAIN_LIMIT);
        workers.removeAbandoned();
        watch.check(nowNanos);
        int unusedBudget;
        try {
            unusedBudget = wheel.advance(nowNanos, ADVANCE_BUDGET, expiry);
        } finally {
            if (handedOver) {
                handedOver = false;
                workers.signalHandOver(othersWaited);
            }
        }
        int preparationLeft = unusedBudget > 0 ? wheel.prepare(nowNanos, PREPARE_BUDGET, expiry) : PREPARE_BUDGET;
        boolean swept = sweep();
        wheelSize = wheel.size();
        if (unusedBudget == 0 || drained == DRAIN_LIMIT || !swept) {
            return 0;
        }
        long preparationNanos = preparationLeft == 0 ? PREPARE_PAUSE_NANOS : wheel.nanosToNextPreparation(nowNanos);
        return Math.min(
                Math.min(wheel.nanosToNextExpiry(nowNanos), preparationNanos), watch.nanosToNextCheck(nowNanos));
    }

    /** Whether nothing is pending or on its way here. Looks at all timers if that may be so. */
    boolean isEmpty() {
        if (!inbox.isEmpty() || pending.count() > 0) {
            return false;
        }
        removeIf(ScheduledTimer::isOver, timer -> {});
        return wheel.size() == 0;
    }

    /** Returns how many timers were in the wheel after the last pass, those that are over included. Any thread. */
    long wheelSize() {
        return wheelSize;
    }

    /** Whether the wheel holds too many timers that are over. Any thread. */
    boolean isLittered() {
        return pending.isLittered(wheelSize);
    }

    /** Takes everything out of the inbox into the wheel. */
    void admitAll() {
        while (!inbox.isEmpty()) {
            if (inbox.drain(admission, DRAIN_LIMIT) == 0) {
                // A producer is still storing its message, and hides those behind it: it may need this processor to.
                LockSupport.parkNanos(this, 10_000);
            }
        }
    }

    /** Removes the timers for which the filter says so, and then does something with each. */
    void removeIf(Predicate<ScheduledTimer<?>> filter, Consumer<ScheduledTimer<?>> action) {
        long ignored = wheel.removeIf(node -> filter.test((ScheduledTimer<?>) node), node -> {
            ScheduledTimer<?> timer = (ScheduledTimer<?>) node;
            unwatch(timer);
            action.accept(timer);
        });
    }

    private void admit(ScheduledTimer<?> timer) {
        if (timer.state() == TimerWord.ARMED) {
            if (timer instanceof InstantTimer instant) {
                watch.add(instant, nowNanos);
            }
            wheel.reposition(timer);
        } else if (timer.isLinked()) {
            boolean ignored = wheel.remove(timer);
            unwatch(timer);
        }
    }

    /** Does a part of a sweep, if one is due or going on, and says whether there is no more to do of it. */
    private boolean sweep() {
        if (!wheel.isSweeping()) {
            if (!pending.isLittered(wheel.size()) && !wheel.isSparse()) {
                return true;
            }
            wheel.startSweep();
        }
        return wheel.sweep(SWEEP_BUDGET, expiry) > 0;
    }

    private void expire(TimerNode node) {
        ScheduledTimer<?> timer = (ScheduledTimer<?>) node;
        boolean early = timer instanceof InstantTimer instant && watch.isEarly(instant, nowNanos);
        if (!early && timer.claim(nowNanos)) {
            handOver(timer);
        } else if (timer.state() == TimerWord.ARMED) {
            wheel.add(timer);
        } else {
            unwatch(timer);
        }
    }

    private void handOver(ScheduledTimer<?> timer) {
        if (!handedOver) {
            othersWaited = !workers.isReadyEmpty();
        }
        try {
            workers.handOver(timer.runnable());
        } catch (Throwable ex) {
            // Out of memory, most likely: the timer is not lost.
            timer.unclaim();
            wheel.add(timer);
            throw ex;
        }
        handedOver = true;
        unwatch(timer);
    }

    private void unwatch(ScheduledTimer<?> timer) {
        if (timer instanceof InstantTimer instant) {
            watch.remove(instant);
        }
    }
}
