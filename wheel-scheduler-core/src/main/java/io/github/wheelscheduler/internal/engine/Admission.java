package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.internal.inbox.Inbox;
import io.github.wheelscheduler.internal.wheel.TimingWheel;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages out of the inbox, and puts the timers that they are about where they belong: into the wheel, out of
 * it, or past it to the workers. Tick thread only.
 */
final class Admission {

    /*
     * A message in the inbox says no more than "look at this timer":
     *
     *   armed, not in the wheel     ->  add it
     *   armed, in the wheel         ->  its deadline has become earlier: put it where it belongs
     *   anything else               ->  take it out, if it is in
     *
     * A timer that is cancelled posts no message, unless it is an instant timer: the wheel gives it up when it comes
     * across it. When there are many of them, the tick thread sweeps the wheel, a part in each pass.
     *
     * Detours
     * -------
     * Timers that were due when they came are handed over before they enter the wheel, each caller's in their order,
     * once none is left in there. Timers in the wheel were taken from the inbox before; so they are due, but for the
     * rounding up to a tick. When everything that is due has been handed over, the inbox is left alone for one tick:
     * then they have been, too.
     *
     * A sleep
     * -------
     * Messages that can wait until the next deadline do not end a sleep. Some of them may be about timers that are due
     * when it ends, and before timers in the wheel. So all messages that have come since the inbox was empty are taken
     * before anything is handed over.
     *
     * If memory runs out, the timer stays in 'inHand'; the next pass retries it first.
     */

    /** The number of messages taken at a time while more arrive: due timers do not wait for all of them. */
    private static final int DRAIN_LIMIT = 1024;

    /** More than come while the tick thread sleeps and nothing wakes it. */
    private static final int DRAIN_LIMIT_AFTER_ALL = 2 * Inbox.LARGE_BACKLOG;

    /** The number of waits for a posting thread: in total several times as long as an operating system suspends it. */
    private static final int MAX_WAITS_FOR_PRODUCERS = 50_000;

    private static final long PRODUCER_WAIT_NANOS = 20_000;

    /** The number of timers that leave the wheel at a time. */
    static final int EXPIRY_BUDGET = 1024;

    private final Inbox<ScheduledTimer<?>> inbox;
    private final TimingWheel wheel;
    private final WallClockWatch watch;
    private final Dispatchers dispatchers;
    private final HandOver handOver;
    private final TickPass pass;
    private final long tickNanos;

    private final Consumer<ScheduledTimer<?>> taking = this::take;

    /** Neither in the inbox nor in the wheel, nor handed over: placing it has failed. */
    private @Nullable ScheduledTimer<?> inHand;

    /**
     * While there are detours: no timer is in the wheel that came before the messages and was due when it came; so due
     * timers go from the inbox to the workers.
     */
    private boolean settled;

    /** That will be so from {@link #settledNanos} on, unless the workers have no room before. */
    private boolean settling;

    private long settledNanos;

    /** While messages go straight: timers that were due in the wheel have been handed over. */
    private long caughtUpNanos;

    /** The last drain has left no message. */
    private boolean tookAll = true;

    Admission(
            Inbox<ScheduledTimer<?>> inbox,
            TimingWheel wheel,
            WallClockWatch watch,
            Dispatchers dispatchers,
            HandOver handOver,
            TickPass pass,
            long tickNanos) {
        this.inbox = inbox;
        this.wheel = wheel;
        this.watch = watch;
        this.dispatchers = dispatchers;
        this.handOver = handOver;
        this.pass = pass;
        this.tickNanos = tickNanos;
    }

    // In hand

    /** Whether a failed pass has left a timer unfinished. */
    boolean isAnyInHand() {
        return inHand != null || handOver.hasInHand();
    }

    /** Goes on with the timers that the last pass has failed with. */
    void takeUpWhatIsInHand() {
        ScheduledTimer<?> own = inHand;
        inHand = null;
        takeUp(own);
        takeUp(handOver.takeFromHand());
    }

    private void takeUp(@Nullable ScheduledTimer<?> timer) {
        if (timer != null) {
            restartSettling();
            admit(timer);
            pass.moved();
        }
    }

    // Messages

    /**
     * Takes messages, or none while the detours settle.
     *
     * @param isCaughtUp whether there are detours, and everything that is due has been handed over
     * @param most the number of messages that may be taken
     * @return whether there were no more than could be taken
     */
    boolean takeMessages(boolean isCaughtUp, boolean timeStandsStill, int most) {
        settle(isCaughtUp, timeStandsStill);
        caughtUpNanos = pass.nowNanos();
        return settling || drain(most);
    }

    /** Takes messages, and returns whether there were no more than could be taken. */
    private boolean drain(int most) {
        int limit = Math.min(most, tookAll ? DRAIN_LIMIT_AFTER_ALL : DRAIN_LIMIT);
        if (limit == 0) {
            // The next drain begins with the stripe whose turn it is.
            tookAll = inbox.isEmpty();
            return tookAll;
        }
        // Also if this fails.
        tookAll = false;
        try {
            int drained = inbox.drain(taking, limit);
            pass.moved(drained > 0);
            tookAll = drained < limit;
            return tookAll;
        } finally {
            dispatchers.signalHandOver();
        }
    }

    /** Takes what is in the inbox into the wheel; not what comes meanwhile, which may never end. */
    void takeAll() {
        takeUpWhatIsInHand();
        restartSettling();
        int waits = 0;
        inbox.mark();
        while (!inbox.isDrainedToMark() && waits < MAX_WAITS_FOR_PRODUCERS) {
            if (inbox.drain(taking, DRAIN_LIMIT) == 0) {
                // A producer is still storing its message, and hides those behind it: it may need this processor to.
                waits++;
                LockSupport.parkNanos(this, PRODUCER_WAIT_NANOS);
            }
        }
    }

    /** Takes a message. */
    private void take(ScheduledTimer<?> timer) {
        dispatchers.countAdmitted(timer);
        admit(timer);
    }

    private void admit(ScheduledTimer<?> timer) {
        try {
            if (timer.state() != TimerWord.ARMED) {
                if (timer.isLinked()) {
                    boolean ignored = wheel.remove(timer);
                }
                // It may be watched although no place was found for it in the wheel.
                watch.unwatch(timer);
            } else if (!settled || !handOverIfDue(timer)) {
                if (timer instanceof InstantTimer instant) {
                    watch.add(instant, pass.nowNanos());
                }
                wheel.reposition(timer);
            }
        } catch (Throwable ex) {
            if (timer.state() == TimerWord.ARMED && !handOver.hasInHand(timer)) {
                inHand = timer;
            }
            throw ex;
        }
    }

    /** Hands a timer over that is due, before the timers behind it. */
    private boolean handOverIfDue(ScheduledTimer<?> timer) {
        if (timer.isLinked() || timer instanceof InstantTimer || !pass.isDueByNow(timer.deadlineNanos())) {
            return false;
        }
        if (timer.deadlineNanos() - caughtUpNanos > 0 && !catchUp()) {
            restartSettling();
            return false;
        }
        handOver.expire(timer);
        return true;
    }

    /** Hands over timers that have become due in the wheel since the pass began, and returns whether those were all. */
    private boolean catchUp() {
        caughtUpNanos = pass.nowNanos();
        return wheel.advance(caughtUpNanos, EXPIRY_BUDGET, handOver) > 0;
    }

    // Detours

    private void settle(boolean isCaughtUp, boolean timeStandsStill) {
        if (!isCaughtUp || (settling && timeStandsStill)) {
            restartSettling();
        } else if (!settled) {
            if (!settling) {
                settling = true;
                settledNanos = pass.nowNanos() + tickNanos;
            }
            settled = pass.nowNanos() - settledNanos >= 0;
            settling = !settled;
            pass.moved();
        }
    }

    private void restartSettling() {
        settled = false;
        settling = false;
    }

    boolean isSettled() {
        return settled;
    }

    /** Ends the detours if all that were under way have been handed over. */
    boolean endDetours(boolean tookAllMessages) {
        if (!settled || !tookAllMessages || !inbox.isEmpty()) {
            return false;
        }
        return dispatchers.endDetours();
    }

    /** Returns when messages are to be taken again if none are now; for ever if they are. */
    long nanosToSettled(long nowNanos) {
        return settling ? Math.max(0, settledNanos - nowNanos) : Long.MAX_VALUE;
    }
}
