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

    /** Many timers that are over stay no longer than that. */
    private static final long SWEEP_DELAY_NANOS = 1_000_000_000;

    /** Sweeps take a hundredth of a processor's time at most, unless there is too much litter. */
    private static final long SWEEP_DELAY_PER_TIMER_NANOS = 1_000;

    /** Preparing goes on in small parts, so that it delays nothing and is done in time all the same. */
    private static final int PREPARE_BUDGET = 1024;

    private static final long PREPARE_PAUSE_NANOS = 100_000;

    /** While the workers have no room for what is due, they are asked again so often. A worker that is idle asks for more. */
    private static final long HELD_UP_PAUSE_NANOS = 300_000;

    private static final long LONGEST_HELD_UP_PAUSE_NANOS = 50_000_000;

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

    private long sweepAtNanos;

    private long heldUpPauseNanos;

    /** Due timers have been held up since {@link #backlogSinceNanos}, and not all of them are handed over. */
    private boolean backlog;

    private long backlogSinceNanos;

    /** Due timers wait in the wheel because the workers have no room for more. Writer: tick thread. Readers: workers. */
    private volatile boolean heldUp;

    /** Writer: tick thread. Readers: those who cancel. */
    private volatile boolean sweepPlanned;

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
        watch.check(nowNanos);
        boolean mayAdvance = hasRoom();
        boolean advanced = !mayAdvance || advance(Math.min(ADVANCE_BUDGET, workers.room())) > 0;
        backlog &= !(mayAdvance && advanced);
        int preparationLeft = advanced ? wheel.prepare(nowNanos, PREPARE_BUDGET, expiry) : PREPARE_BUDGET;
        boolean swept = sweep();
        wheelSize = wheel.size();
        if (!advanced || drained == DRAIN_LIMIT || !swept) {
            return 0;
        }
        long expiryNanos = mayAdvance ? wheel.nanosToNextExpiry(nowNanos) : heldUpPauseNanos;
        long preparationNanos = preparationLeft == 0 ? PREPARE_PAUSE_NANOS : wheel.nanosToNextPreparation(nowNanos);
        long sweepNanos = sweepPlanned ? Math.max(0, sweepAtNanos - nowNanos) : Long.MAX_VALUE;
        return Math.min(
                Math.min(expiryNanos, watch.nanosToNextCheck(nowNanos)), Math.min(preparationNanos, sweepNanos));
    }

    private int advance(int budget) {
        try {
            return wheel.advance(nowNanos, budget, expiry);
        } finally {
            if (handedOver) {
                handedOver = false;
                workers.signalHandOver(othersWaited);
            }
        }
    }

    /**
     * Whether the workers have room for what is due, if anything is. If not, it stays in the wheel, which costs nothing,
     * keeps the order, and leaves it open to be cancelled or moved, until there is room for many at a time.
     */
    private boolean hasRoom() {
        if (workers.hasRoom(heldUp)) {
            heldUp = false;
            heldUpPauseNanos = HELD_UP_PAUSE_NANOS;
            return true;
        }
        heldUpPauseNanos = heldUp ? Math.min(2 * heldUpPauseNanos, LONGEST_HELD_UP_PAUSE_NANOS) : HELD_UP_PAUSE_NANOS;
        if (!backlog) {
            backlog = true;
            backlogSinceNanos = nowNanos;
        }
        // Before the room is looked at again: a worker that becomes idle looks at this after it has made room.
        heldUp = true;
        VarHandle.fullFence();
        return workers.hasRoom(true);
    }

    /** Whether due timers wait for room, which an idle worker has. Any thread. */
    boolean isHeldUp() {
        return heldUp;
    }

    /** Whether due timers have waited for room, and there is some now; to be read after a sleep has been announced. */
    boolean isRoomForHeldUp() {
        return heldUp && workers.hasRoom(true);
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

    /** Whether the tick thread should look at the timers in the wheel that are over, and has no plan to. Any thread. */
    boolean isLittered() {
        long litter = pending.litter(wheelSize);
        return pending.isTooMuchLitter(litter) || (litter > 0 && !sweepPlanned);
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
            if (!isSweepDue()) {
                return true;
            }
            wheel.startSweep();
        }
        if (wheel.sweep(SWEEP_BUDGET, expiry) == 0) {
            return false;
        }
        sweepPlanned = false;
        return true;
    }

    private boolean isSweepDue() {
        long litter = pending.litter(wheel.size());
        if (litter == 0) {
            sweepPlanned = false;
            return wheel.isSparse();
        }
        if (!sweepPlanned) {
            sweepAtNanos = nowNanos + Math.max(SWEEP_DELAY_NANOS, SWEEP_DELAY_PER_TIMER_NANOS * wheel.size());
            sweepPlanned = true;
        }
        return sweepAtNanos - nowNanos <= 0 || pending.isTooMuchLitter(litter);
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
            workers.handOver(timer.runnable(), handOverNanos(timer));
        } catch (Throwable ex) {
            // Out of memory, most likely: the timer is not lost.
            timer.unclaim();
            wheel.add(timer);
            throw ex;
        }
        handedOver = true;
        unwatch(timer);
    }

    /** Returns when the timer would have been handed over if the workers had had room: what is later is their doing. */
    private long handOverNanos(ScheduledTimer<?> timer) {
        if (!backlog) {
            return nowNanos;
        }
        long deadlineNanos = timer.exactDeadlineNanos();
        return deadlineNanos - backlogSinceNanos > 0 ? deadlineNanos : backlogSinceNanos;
    }

    private void unwatch(ScheduledTimer<?> timer) {
        if (timer instanceof InstantTimer instant) {
            watch.remove(instant);
        }
    }
}
