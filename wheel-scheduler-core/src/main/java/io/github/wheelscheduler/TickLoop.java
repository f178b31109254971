package io.github.wheelscheduler;

import io.github.wheelscheduler.inbox.Inbox;
import io.github.wheelscheduler.wheel.Expiry;
import io.github.wheelscheduler.wheel.TimerNode;
import io.github.wheelscheduler.wheel.TimingWheel;
import io.github.wheelscheduler.worker.Workers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
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
     *   anything else               ->  take it out, if it is in
     *
     * A timer that is cancelled posts no message, unless it is an instant timer: the wheel gives it up when it comes across
     * it. When there are many of them, the tick thread sweeps the wheel, a part in each pass.
     *
     * Detours
     * -------
     * Timers that were due when they came are handed over before they enter the wheel, each caller's in their order, once none is left
     * in there. Those that are were taken from the inbox before; so they are due, but for the rounding up to a tick. When everything
     * that is due has been handed over, the inbox is left alone for one tick: then they have been, too.
     *
     * What fails in the middle, for lack of memory, leaves the timer that was in hand there, and the next pass begins with it.
     */

    private static final int DRAIN_LIMIT = 1024;
    private static final int ADVANCE_BUDGET = 1024;

    /** Preparing goes on in small parts, so that it delays nothing and is done in time all the same. */
    private static final int PREPARE_BUDGET = 1024;

    private static final long PREPARE_PAUSE_NANOS = 100_000;

    /** How often a thread that posts is waited for, in all several times what an operating system keeps it from running. */
    private static final int MAX_WAITS_FOR_PRODUCERS = 50_000;

    private static final long PRODUCER_WAIT_NANOS = 20_000;

    /** What runs at once is due by the end of the pass that finds it. */
    private static final long NEAR_NANOS = 100_000_000;

    /** No pass takes that long, unless the whole process stands still. */
    private static final long LONGEST_PASS_NANOS = 60_000_000_000L;

    private final Inbox<ScheduledTimer<?>> inbox;
    private final TimingWheel wheel;
    private final WallClockWatch watch;
    private final Workers workers;
    private final PendingTimers pending;
    private final Detours detours;
    private final Hold hold;
    private final TimeSource clock;
    private final long tickNanos;

    private final Consumer<ScheduledTimer<?>> admission = this::admit;
    private final Expiry expiry = this::expire;

    private final Backlog backlog;
    private final SweepPlan sweeps;

    private boolean handedOver;
    private boolean othersWaited;
    private long nowNanos;

    /** Neither in the inbox nor in the wheel, nor handed over: placing it has failed. */
    private @Nullable ScheduledTimer<?> inHand;

    /** The same for one that the wheel has given up. */
    private @Nullable ScheduledTimer<?> expiredInHand;

    /** Timers that are due go from the inbox to the workers, because nothing is due that came before them. */
    private boolean straight;

    /** While there are detours: no timer is in the wheel that came before those in the inbox and was due when it came. */
    private boolean settled;

    /** That will be so from {@link #settledNanos} on, unless the workers have no room before. */
    private boolean settling;

    private long settledNanos;

    /** Timers may leave the wheel one at a time, or not at all. */
    private boolean stepped;

    /** The last pass has left timers in the wheel because none may leave it. Writer: tick thread. Readers: any. */
    private volatile boolean halted;

    /** Timers that run at once may be in the wheel, where they had to wait with others. */
    private boolean holdsAtOnce;

    /** Let go though others are held. */
    private @Nullable ScheduledTimer<?> passing;

    /** This pass has done something. */
    private boolean productive;

    /** Writer: tick thread, once per pass. Readers: those who cancel. */
    private volatile long wheelSize;

    TickLoop(
            Inbox<ScheduledTimer<?>> inbox,
            TimingWheel wheel,
            WallClockWatch watch,
            Workers workers,
            PendingTimers pending,
            Detours detours,
            Hold hold,
            TimeSource clock,
            long tickNanos) {
        this.inbox = inbox;
        this.wheel = wheel;
        this.watch = watch;
        this.workers = workers;
        this.pending = pending;
        this.detours = detours;
        this.hold = hold;
        this.clock = clock;
        this.tickNanos = tickNanos;
        this.nowNanos = clock.nanoTime();
        this.backlog = new Backlog(workers);
        this.sweeps = new SweepPlan(wheel, pending);
    }

    /** To be called before the time of a pass is read. */
    void beforePass() {
        detours.beforePass();
    }

    /**
     * Does what is to be done now, or a part of it.
     *
     * @return how many nanoseconds after {@code nowNanos} there is more to do; 0 if there may be more now
     */
    long pass(long nowNanos) {
        boolean timeStandsStill = this.nowNanos == nowNanos;
        this.nowNanos = nowNanos;
        productive = false;
        boolean mayAdvance = mayAdvance();
        int drained = admitWhatHasCome(mayAdvance, timeStandsStill);
        productive |= watch.check(nowNanos);
        boolean advanced = !mayAdvance || advance() > 0;
        if (mayAdvance && advanced) {
            backlog.clear();
        }
        boolean isHalted = halted || (stepped && hold.isClosed());
        if (halted != isHalted) {
            halted = isHalted;
        }
        int preparationLeft = advanced && !isHalted ? prepare() : PREPARE_BUDGET;
        boolean swept = sweep();
        wheelSize = wheel.size();
        boolean detoursWait = detours.isAny() && mayAdvance && !endDetours(drained);
        if (!advanced || drained == DRAIN_LIMIT || !swept || (detoursWait && straight)) {
            return 0;
        }
        long sweepNanos = sweeps.nanosToNext(nowNanos);
        if (isHalted) {
            return Math.min(sweepNanos, watch.nanosToNextCheck(nowNanos));
        }
        long expiryNanos = mayAdvance ? wheel.nanosToNextExpiry(nowNanos) : nanosToNextLook();
        long preparationNanos = preparationLeft == 0 ? PREPARE_PAUSE_NANOS : wheel.nanosToNextPreparation(nowNanos);
        long detourNanos = settling ? Math.max(0, settledNanos - nowNanos) : Long.MAX_VALUE;
        return Math.min(
                Math.min(expiryNanos, watch.nanosToNextCheck(nowNanos)),
                Math.min(detourNanos, Math.min(preparationNanos, sweepNanos)));
    }

    private boolean mayAdvance() {
        boolean wasHalted = halted;
        stepped = !hold.isOpen();
        boolean isHalted = stepped && hold.isClosed();
        if (wasHalted != isHalted) {
            halted = isHalted;
        }
        if (!isHalted) {
            return backlog.hasRoom(nowNanos);
        }
        backlog.hold(nowNanos);
        if (holdsAtOnce) {
            letGoWhatRunsAtOnce();
        }
        return false;
    }

    /** Lets those go that run at once and have come into the wheel before it was held. */
    private void letGoWhatRunsAtOnce() {
        removeIf(
                timer ->
                        timer.state() == TimerWord.ARMED && timer.runsAtOnce() && timer.deadlineNanos() - nowNanos <= 0,
                this::expire);
        holdsAtOnce = false;
        signalHandOver();
    }

    /** Lets a timer go that is due, though others are held. */
    void letPass(ScheduledTimer<?> timer) {
        admitAll();
        nowNanos = clock.nanoTime();
        if (timer.state() == TimerWord.ARMED && timer.isLinked() && timer.deadlineNanos() - nowNanos <= 0) {
            passing = timer;
            try {
                boolean ignored = wheel.remove(timer);
                expire(timer);
            } finally {
                passing = null;
                signalHandOver();
            }
        }
    }

    /** Returns when to look again whether there is room; in virtual time who makes room says so. */
    private long nanosToNextLook() {
        return clock.isVirtual() ? Long.MAX_VALUE : backlog.nanosToNextLook(nowNanos);
    }

    /** Whether somebody has asked for something since the last pass; to be read after a sleep has been announced. Any thread. */
    boolean isWanted() {
        return watch.isAsked() || (halted && !hold.isClosed());
    }

    /** Takes messages; without memory for that, what is due is handed over all the same. */
    private int admitWhatHasCome(boolean mayAdvance, boolean timeStandsStill) {
        boolean taken = false;
        try {
            takeUpWhatIsInHand();
            boolean isCaughtUp = detours.isAny() && mayAdvance && advance() > 0;
            settle(isCaughtUp, timeStandsStill);
            straight = settled && !stepped;
            int drained = settling ? 0 : drain();
            taken = true;
            return drained;
        } finally {
            if (!taken && mayAdvance && expiredInHand == null) {
                int ignored = advance();
            }
        }
    }

    /** Whether the last pass has moved anything: a pass that has not, and wants another at once, is in vain. */
    boolean wasProductive() {
        return productive;
    }

    private int drain() {
        try {
            int drained = inbox.drain(admission, DRAIN_LIMIT);
            productive |= drained > 0;
            return drained;
        } finally {
            signalHandOver();
        }
    }

    private int advance() {
        if (stepped) {
            return advanceInSteps();
        }
        int budget = Math.min(ADVANCE_BUDGET, workers.room());
        try {
            int left = wheel.advance(nowNanos, budget, expiry);
            productive |= left < budget;
            return left;
        } finally {
            signalHandOver();
        }
    }

    /** Lets one timer go after the other, as long as they may. */
    private int advanceInSteps() {
        try {
            for (int i = 0; i < ADVANCE_BUDGET && !hold.isClosed(); i++) {
                if (workers.room() == 0) {
                    return 0;
                }
                IntUnaryOperator choice = hold.choice();
                int left = choice == null ? wheel.advance(nowNanos, 1, expiry) : expireAnyOf(choice);
                if (left > 0) {
                    return 1;
                }
                productive = true;
            }
            return hold.isClosed() ? 1 : 0;
        } finally {
            signalHandOver();
        }
    }

    /** Lets one of the timers go that are due, and says whether there was none. */
    private int expireAnyOf(IntUnaryOperator choice) {
        List<ScheduledTimer<?>> due = new ArrayList<>();
        int left = wheel.advance(nowNanos, Integer.MAX_VALUE, node -> due.add((ScheduledTimer<?>) node));
        if (due.isEmpty()) {
            return left;
        }
        ScheduledTimer<?> chosen = due.remove(choice.applyAsInt(due.size()));
        due.forEach(wheel::add);
        expire(chosen);
        return 0;
    }

    private int prepare() {
        int left = wheel.prepare(nowNanos, PREPARE_BUDGET, expiry);
        productive |= left < PREPARE_BUDGET;
        return left;
    }

    private void signalHandOver() {
        if (handedOver) {
            handedOver = false;
            workers.signalHandOver(othersWaited);
        }
    }

    private void settle(boolean isCaughtUp, boolean timeStandsStill) {
        if (!isCaughtUp || (settling && timeStandsStill)) {
            unsettle();
        } else if (!settled) {
            if (!settling) {
                settling = true;
                settledNanos = nowNanos + tickNanos;
            }
            settled = nowNanos - settledNanos >= 0;
            settling = !settled;
            productive = true;
        }
    }

    private void unsettle() {
        straight = false;
        settled = false;
        settling = false;
    }

    /** Ends the detours if all that were under way have been handed over. */
    private boolean endDetours(int drained) {
        return straight && drained < DRAIN_LIMIT && inbox.isEmpty() && detours.end();
    }

    /** Goes on with the timer that the last pass has failed with. */
    private void takeUpWhatIsInHand() {
        ScheduledTimer<?> timer = inHand;
        if (timer != null) {
            inHand = null;
            unsettle();
            admit(timer);
            productive = true;
        }
        ScheduledTimer<?> expired = expiredInHand;
        if (expired != null) {
            expiredInHand = null;
            unsettle();
            admit(expired);
            productive = true;
        }
    }

    /** Whether due timers wait for room, which an idle worker has. Any thread. */
    boolean isHeldUp() {
        return backlog.isHeldUp();
    }

    /** Whether due timers have waited for room, and there is some now; to be read after a sleep has been announced. */
    boolean isRoomForHeldUp() {
        return backlog.isHeldUp() && workers.hasRoom(true);
    }

    /** Whether nothing is pending or on its way here. Looks at all timers if that may be so. */
    boolean isEmpty() {
        if (!inbox.isEmpty() || pending.count() > 0 || inHand != null || expiredInHand != null) {
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
        return sweeps.isLittered(wheelSize);
    }

    /** Takes everything out of the inbox into the wheel. */
    void admitAll() {
        stepped = !hold.isOpen();
        takeUpWhatIsInHand();
        unsettle();
        int waits = 0;
        while (!inbox.isEmpty() && waits < MAX_WAITS_FOR_PRODUCERS) {
            if (inbox.drain(admission, DRAIN_LIMIT) == 0) {
                // A producer is still storing its message, and hides those behind it: it may need this processor to.
                waits++;
                LockSupport.parkNanos(this, PRODUCER_WAIT_NANOS);
            }
        }
    }

    /** Returns how far ahead the first deadline lies, the longest time if nothing is pending. Looks at all timers. */
    long nanosToFirstDeadline() {
        admitAll();
        long now = clock.nanoTime();
        long[] least = {Long.MAX_VALUE};
        removeIf(
                timer -> {
                    if (timer.state() == TimerWord.ARMED) {
                        least[0] = Math.min(least[0], Math.max(0, timer.deadlineNanos() - now));
                    }
                    return false;
                },
                timer -> {});
        return least[0];
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
        try {
            if (timer.state() != TimerWord.ARMED) {
                if (timer.isLinked()) {
                    boolean ignored = wheel.remove(timer);
                }
                // It may be watched although no place was found for it in the wheel.
                unwatch(timer);
            } else if (!(straight || (stepped && timer.runsAtOnce())) || !handOverIfDue(timer)) {
                if (timer instanceof InstantTimer instant) {
                    watch.add(instant, nowNanos);
                }
                if (timer.deadlineNanos() - nowNanos < NEAR_NANOS && timer.runsAtOnce()) {
                    holdsAtOnce = true;
                }
                wheel.reposition(timer);
            }
        } catch (Throwable ex) {
            if (timer.state() == TimerWord.ARMED && timer != expiredInHand) {
                inHand = timer;
            }
            throw ex;
        }
    }

    /** Hands a timer over that is due, before those that come behind it. */
    private boolean handOverIfDue(ScheduledTimer<?> timer) {
        if (timer.isLinked() || timer instanceof InstantTimer || !isDueByNow(timer.deadlineNanos())) {
            return false;
        }
        if (!stepped && workers.room() == 0) {
            // It goes into the wheel, and so does whatever comes behind it.
            unsettle();
            return false;
        }
        expire(timer);
        return true;
    }

    /** Looks at the clock again for a timer that may have come since the pass began. */
    private boolean isDueByNow(long deadlineNanos) {
        if (deadlineNanos - nowNanos > 0 && deadlineNanos - nowNanos < LONGEST_PASS_NANOS) {
            nowNanos = clock.nanoTime();
        }
        return deadlineNanos - nowNanos <= 0;
    }

    /** Does a part of a sweep, if one is due or going on, and says whether there is no more to do of it. */
    private boolean sweep() {
        if (!sweeps.isDue(nowNanos)) {
            return true;
        }
        productive = true;
        return sweeps.goOn(expiry);
    }

    private void expire(TimerNode node) {
        ScheduledTimer<?> timer = (ScheduledTimer<?>) node;
        try {
            dispatch(timer);
        } catch (Throwable ex) {
            // There is only one, as whatever is thrown ends the pass.
            if (timer.state() == TimerWord.ARMED) {
                expiredInHand = timer;
            }
            throw ex;
        }
    }

    private void dispatch(ScheduledTimer<?> timer) {
        boolean early = timer instanceof InstantTimer instant && watch.isEarly(instant, nowNanos);
        if (!early && timer.claim(nowNanos)) {
            handOver(timer);
        } else if (timer.state() == TimerWord.ARMED) {
            wheel.add(timer);
        } else {
            sweeps.countGivenUp();
            unwatch(timer);
        }
    }

    private void handOver(ScheduledTimer<?> timer) {
        if (!handedOver) {
            othersWaited = !workers.isReadyEmpty();
        }
        boolean taken = false;
        try {
            workers.handOver(timer.runnable(), backlog.handOverNanos(timer, nowNanos));
            taken = true;
            if (stepped && timer != passing && !timer.runsAtOnce()) {
                hold.left();
            }
        } finally {
            if (!taken) {
                timer.unclaim();
            }
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
