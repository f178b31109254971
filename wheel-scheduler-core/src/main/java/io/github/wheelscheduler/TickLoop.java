package io.github.wheelscheduler;

import io.github.wheelscheduler.inbox.Inbox;
import io.github.wheelscheduler.wheel.Expiry;
import io.github.wheelscheduler.wheel.TimerNode;
import io.github.wheelscheduler.wheel.TimingWheel;
import io.github.wheelscheduler.worker.Workers;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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
     *   cancelled, in the wheel     ->  take it out
     *   anything else               ->  somebody was faster; nothing to do
     *
     * A timer that is cancelled tells the wheel only if the wheel holds it. So that no cancelled timer stays behind, the two
     * sides follow the same rule as poster and owner of the inbox: the canceller moves the state, then looks whether the
     * timer is linked; the tick thread links it, fences, then looks at the state again.
     */

    private static final int DRAIN_LIMIT = 1024;
    private static final int ADVANCE_BUDGET = 1024;

    /** A cancelled timer may stay in the wheel for so long. */
    private static final long LINGER_NANOS = 1_000_000_000;

    private final Inbox<ScheduledTimer<?>> inbox;
    private final TimingWheel wheel;
    private final WallClockWatch watch;
    private final Workers workers;

    private final Consumer<ScheduledTimer<?>> admission = this::admit;
    private final Expiry expiry = this::expire;

    private final @Nullable ScheduledTimer<?>[] admitted;
    private int admittedCount;
    private boolean handedOver;
    private long nowNanos;
    private long lingerUntilNanos;

    TickLoop(Inbox<ScheduledTimer<?>> inbox, TimingWheel wheel, WallClockWatch watch, Workers workers, long nowNanos) {
        this.admitted = new ScheduledTimer<?>[DRAIN_LIMIT];
        this.inbox = inbox;
        this.wheel = wheel;
        this.watch = watch;
        this.workers = workers;
        this.nowNanos = nowNanos;
        this.lingerUntilNanos = nowNanos;
    }

    /**
     * Does what is to be done now, or a part of it.
     *
     * @return how many nanoseconds after {@code nowNanos} there is more to do; 0 if there may be more now
     */
    long pass(long nowNanos) {
        this.nowNanos = nowNanos;
        int drained = drainOnce();
        workers.removeAbandoned();
        watch.check(nowNanos);
        int unusedBudget;
        try {
            unusedBudget = wheel.advance(nowNanos, ADVANCE_BUDGET, expiry);
        } finally {
            if (handedOver) {
                handedOver = false;
                workers.signal();
            }
        }
        if (unusedBudget == 0 || drained == DRAIN_LIMIT) {
            return 0;
        }
        return Math.min(wheel.nanosToNextExpiry(nowNanos), watch.nanosToNextCheck(nowNanos));
    }

    /** Whether cancelled timers may be waiting in the inbox soon, so that the next sleep should be a short one. */
    boolean isLingering() {
        return lingerUntilNanos - nowNanos > 0;
    }

    /** Returns how long a sleep may be while {@linkplain #isLingering() lingering}. */
    long lingerNanos() {
        return lingerUntilNanos - nowNanos;
    }

    /** Whether no timer is in the inbox or in the wheel. */
    boolean isEmpty() {
        return inbox.isEmpty() && wheel.size() == 0;
    }

    long wheelSize() {
        return wheel.size();
    }

    /** Takes everything out of the inbox into the wheel. */
    void admitAll() {
        while (!inbox.isEmpty()) {
            if (drainOnce() == 0) {
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

    private int drainOnce() {
        try {
            return inbox.drain(admission, DRAIN_LIMIT);
        } finally {
            // Also after a failure, or the list overflows in the next pass.
            settleAdmitted();
        }
    }

    private void admit(ScheduledTimer<?> timer) {
        if (timer.state() == TimerWord.ARMED) {
            if (timer instanceof InstantTimer instant) {
                watch.add(instant, nowNanos);
            }
            wheel.reposition(timer);
            admitted[admittedCount++] = timer;
        } else if (timer.isLinked()) {
            drop(timer);
            lingerUntilNanos = nowNanos + LINGER_NANOS;
        }
    }

    private void settleAdmitted() {
        if (admittedCount > 0) {
            VarHandle.fullFence();
            for (int i = 0; i < admittedCount; i++) {
                ScheduledTimer<?> timer = admitted[i];
                admitted[i] = null;
                if (timer != null) {
                    dropIfOver(timer);
                }
            }
            admittedCount = 0;
        }
    }

    private void expire(TimerNode node) {
        ScheduledTimer<?> timer = (ScheduledTimer<?>) node;
        boolean early = timer instanceof InstantTimer instant && watch.isEarly(instant, nowNanos);
        if (!early && timer.claim(nowNanos)) {
            handOver(timer);
        } else if (timer.state() == TimerWord.ARMED) {
            putBack(timer);
        } else {
            unwatch(timer);
        }
    }

    private void handOver(ScheduledTimer<?> timer) {
        try {
            workers.handOver(timer.runnable());
        } catch (Throwable ex) {
            // Out of memory, most likely: the timer is not lost.
            timer.unclaim();
            putBack(timer);
            throw ex;
        }
        handedOver = true;
        unwatch(timer);
    }

    private void putBack(ScheduledTimer<?> timer) {
        wheel.add(timer);
        VarHandle.fullFence();
        dropIfOver(timer);
    }

    private void dropIfOver(ScheduledTimer<?> timer) {
        if (timer.state() != TimerWord.ARMED) {
            drop(timer);
        }
    }

    private void drop(ScheduledTimer<?> timer) {
        boolean ignored = wheel.remove(timer);
        unwatch(timer);
    }

    private void unwatch(ScheduledTimer<?> timer) {
        if (timer instanceof InstantTimer instant) {
            watch.remove(instant);
        }
    }
}
