package io.github.wheelscheduler;

import io.github.wheelscheduler.inbox.Inbox;
import io.github.wheelscheduler.wheel.Expiry;
import io.github.wheelscheduler.wheel.TimerNode;
import io.github.wheelscheduler.wheel.TimingWheel;
import java.util.ArrayList;
import java.util.Arrays;
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
     *
     * Groups
     * ------
     * Without groups, what is due and cannot go, because timers are held or the workers have no room, stays in the wheel: that
     * costs nothing. With groups that would hold up the timers of the others. So the wheel then expires all that is due, and each
     * Dispatcher hands over or keeps what is its own: 'parted'.
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
    private final PendingTimers pending;
    private final TimeSource clock;
    private final long tickNanos;

    private final Consumer<ScheduledTimer<?>> admission = this::take;
    private final Expiry expiry = this::expire;

    private final SweepPlan sweeps;

    /** That of the executor itself. */
    private final Dispatcher root;

    private final Dispatcher.Exit waitingExit = new Dispatcher.Exit() {

        @Override
        public void goWithPlace(ScheduledTimer<?> timer) {
            expireWithPlace(timer);
        }

        @Override
        public void goWithoutPlace(ScheduledTimer<?> timer) {
            productive = true;
            try {
                refuse(timer);
            } catch (Throwable ex) {
                keepInHand(timer);
                throw ex;
            }
        }

        @Override
        public void giveUp(ScheduledTimer<?> timer) {
            productive = true;
            sweeps.countGivenUp();
            unwatch(timer);
        }
    };

    /** The root, and those of the groups. Writers: whoever adds or removes one, one at a time. */
    private volatile Dispatcher[] dispatchers;

    /** There are groups, or have been: what is due leaves the wheel. Written on the tick thread, or before there is one. */
    private boolean parted;

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

    /** Unless the timers are parted: they may leave the wheel one at a time, or not at all. */
    private boolean stepped;

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
            Dispatcher root,
            PendingTimers pending,
            TimeSource clock,
            long tickNanos) {
        this.inbox = inbox;
        this.wheel = wheel;
        this.watch = watch;
        this.root = root;
        this.dispatchers = new Dispatcher[] {root};
        this.pending = pending;
        this.clock = clock;
        this.tickNanos = tickNanos;
        this.nowNanos = clock.nanoTime();
        this.sweeps = new SweepPlan(wheel, pending);
    }

    // Groups

    /** Hands the timers of a new group to its own workers from now on. On the tick thread, or before there is one. */
    void add(Dispatcher dispatcher) {
        Dispatcher[] before = dispatchers;
        Dispatcher[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = dispatcher;
        root.keepWaitingHere();
        dispatcher.keepWaitingHere();
        parted = true;
        dispatchers = after;
    }

    /** Forgets a group of which no timer is left. Tick thread. */
    void remove(Dispatcher dispatcher) {
        dispatcher.forgetLists();
        List<Dispatcher> left = new ArrayList<>(List.of(dispatchers));
        left.remove(dispatcher);
        dispatchers = left.toArray(new Dispatcher[0]);
    }

    /** Gives up the timers of a group that are over, and that it lets wait. Tick thread. */
    void giveUpWaitingOf(Dispatcher dispatcher) {
        dispatcher.removeWaitingIf(ScheduledTimer::isOver, waitingExit);
    }

    /** Whether no run of any group is on its way or going on; exact once nobody hands over any more. Any thread. */
    boolean areWorkersDrained() {
        for (Dispatcher dispatcher : dispatchers) {
            if (!dispatcher.isDrained()) {
                return false;
            }
        }
        return true;
    }

    private static Dispatcher dispatcherOf(ScheduledTimer<?> timer) {
        return timer.owner().dispatcher();
    }

    /** To be called before the time of a pass is read. */
    void beforePass() {
        for (Dispatcher dispatcher : dispatchers) {
            dispatcher.detours().beforePass();
        }
    }

    private boolean isAnyDetour() {
        for (Dispatcher dispatcher : dispatchers) {
            if (dispatcher.detours().isAny()) {
                return true;
            }
        }
        return false;
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
        boolean isHalted = false;
        if (parted) {
            advanced = !letWaitingGo(advanced) && advanced;
        } else {
            if (mayAdvance && advanced) {
                root.backlog().clear();
            }
            isHalted = root.isHalted() || (stepped && root.hold().isClosed());
            root.setHalted(isHalted);
        }
        int preparationLeft = advanced && !isHalted ? prepare() : PREPARE_BUDGET;
        boolean swept = sweep();
        wheelSize = wheel.size();
        boolean detoursWait = isAnyDetour() && mayAdvance && !endDetours(drained);
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
                Math.min(Math.min(expiryNanos, nanosToNextLookAtWaiting()), watch.nanosToNextCheck(nowNanos)),
                Math.min(detourNanos, Math.min(preparationNanos, sweepNanos)));
    }

    private boolean mayAdvance() {
        if (parted) {
            stepped = false;
            for (Dispatcher dispatcher : dispatchers) {
                dispatcher.beginPass(nowNanos);
            }
            return true;
        }
        root.look();
        stepped = root.isStepped();
        if (!root.isHalted()) {
            return root.backlog().mayHandOver(nowNanos);
        }
        root.backlog().hold(nowNanos);
        if (holdsAtOnce) {
            letGoWhatRunsAtOnce();
        }
        return false;
    }

    /** Lets timers go that wait outside of the wheel, and says whether there are more that may go now. */
    private boolean letWaitingGo(boolean isAllHere) {
        boolean more = false;
        try {
            for (Dispatcher dispatcher : dispatchers) {
                more |= dispatcher.letGo(nowNanos, isAllHere, waitingExit);
            }
            return more;
        } finally {
            signalHandOver();
        }
    }

    private long nanosToNextLookAtWaiting() {
        long nanos = Long.MAX_VALUE;
        if (parted && !clock.isVirtual()) {
            for (Dispatcher dispatcher : dispatchers) {
                nanos = Math.min(nanos, dispatcher.nanosToNextLook(nowNanos));
            }
        }
        return nanos;
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
        return clock.isVirtual() ? Long.MAX_VALUE : root.backlog().nanosToNextLook(nowNanos);
    }

    /** Whether somebody has asked for something since the last pass; to be read after a sleep has been announced. Any thread. */
    boolean isWanted() {
        boolean isWanted = watch.isAsked();
        for (Dispatcher dispatcher : dispatchers) {
            isWanted |= dispatcher.isWanted();
        }
        return isWanted;
    }

    /** Takes messages; without memory for that, what is due is handed over all the same. */
    private int admitWhatHasCome(boolean mayAdvance, boolean timeStandsStill) {
        boolean taken = false;
        try {
            takeUpWhatIsInHand();
            boolean isCaughtUp = isAnyDetour() && mayAdvance && advance() > 0;
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
        int budget = parted
                ? ADVANCE_BUDGET
                : Math.min(ADVANCE_BUDGET, root.workers().room());
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
        Hold hold = root.hold();
        try {
            for (int i = 0; i < ADVANCE_BUDGET && !hold.isClosed(); i++) {
                if (root.workers().room() == 0) {
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
        for (Dispatcher dispatcher : dispatchers) {
            dispatcher.signalHandOver();
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
        if (!straight || drained == DRAIN_LIMIT || !inbox.isEmpty()) {
            return false;
        }
        boolean ended = true;
        for (Dispatcher dispatcher : dispatchers) {
            Detours detours = dispatcher.detours();
            ended &= !detours.isAny() || detours.end();
        }
        return ended;
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

    /** Whether due timers have waited for room, and there is some now; to be read after a sleep has been announced. */
    boolean isRoomForHeldUp() {
        for (Dispatcher dispatcher : dispatchers) {
            if (dispatcher.isRoomForHeldUp()) {
                return true;
            }
        }
        return false;
    }

    /** Whether nothing is pending or on its way here. Looks at all timers if that may be so. */
    boolean isEmpty() {
        if (!inbox.isEmpty() || pending.countWithGroups() > 0 || inHand != null || expiredInHand != null) {
            return false;
        }
        removeIf(ScheduledTimer::isOver, timer -> {});
        return wheel.size() == 0;
    }

    /** Whether no timer of a group that accepts none is pending or on its way here. Tick thread. */
    boolean holdsNothingOf(Dispatcher dispatcher, PendingTimers pendingOfGroup) {
        // Messages first: what they bring is counted before.
        return pendingOfGroup.messages() == dispatcher.admitted()
                && pendingOfGroup.count() == 0
                && inHand == null
                && expiredInHand == null;
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
        for (Dispatcher dispatcher : dispatchers) {
            dispatcher.look();
        }
        stepped = !parted && root.isStepped();
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

    /** Returns how far ahead the first deadline of that owner, or of any, lies; the longest time if there is none. Looks at all timers. */
    long nanosToFirstDeadline(@Nullable TimerOwner owner) {
        admitAll();
        long now = clock.nanoTime();
        long[] least = {Long.MAX_VALUE};
        removeIf(
                timer -> {
                    if (timer.state() == TimerWord.ARMED && (owner == null || timer.owner() == owner)) {
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

    /** Takes a message. */
    private void take(ScheduledTimer<?> timer) {
        if (parted) {
            dispatcherOf(timer).countAdmitted();
        }
        admit(timer);
    }

    private void admit(ScheduledTimer<?> timer) {
        try {
            if (timer.state() != TimerWord.ARMED) {
                if (timer.isLinked()) {
                    boolean ignored = wheel.remove(timer);
                }
                // It may be watched although no place was found for it in the wheel.
                unwatch(timer);
            } else if (!(straight || passesThoseHeld(timer)) || !handOverIfDue(timer)) {
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

    /** Whether timers are held, and this one goes all the same. */
    private boolean passesThoseHeld(ScheduledTimer<?> timer) {
        return (parted ? dispatcherOf(timer).isStepped() : stepped) && timer.runsAtOnce();
    }

    /** Hands a timer over that is due, before those that come behind it. */
    private boolean handOverIfDue(ScheduledTimer<?> timer) {
        if (timer.isLinked() || timer instanceof InstantTimer || !isDueByNow(timer.deadlineNanos())) {
            return false;
        }
        if (!parted && !stepped && root.workers().room() == 0) {
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
            keepInHand(timer);
            throw ex;
        }
    }

    private void dispatch(ScheduledTimer<?> timer) {
        boolean early = timer instanceof InstantTimer instant && watch.isEarly(instant, nowNanos);
        if (early || (parted && !isDueNow(timer))) {
            putBack(timer);
        } else if (!parted) {
            go(timer, root);
        } else if (takePlace(timer, dispatcherOf(timer))) {
            go(timer, dispatcherOf(timer));
        }
    }

    /** Hands a timer over if it is due. Where there are groups it has a place, which whoever ends the run leaves, or this. */
    private void go(ScheduledTimer<?> timer, Dispatcher dispatcher) {
        boolean gone = false;
        try {
            if (timer.claim(nowNanos)) {
                dispatcher.handOver(timer, nowNanos, timer == passing);
                gone = true;
                unwatch(timer);
            } else {
                putBack(timer);
            }
        } finally {
            if (!gone) {
                dispatcher.leavePlace(timer);
            }
        }
    }

    private boolean isDueNow(ScheduledTimer<?> timer) {
        return timer.state() == TimerWord.ARMED && timer.deadlineNanos() - nowNanos <= 0;
    }

    /** Puts a timer where it belongs that does not go now: it is over, or has been moved. */
    private void putBack(ScheduledTimer<?> timer) {
        if (timer.state() == TimerWord.ARMED) {
            wheel.add(timer);
        } else {
            sweeps.countGivenUp();
            unwatch(timer);
        }
    }

    /** Takes a place for a timer that is due; if there is none, it waits or is refused. */
    private boolean takePlace(ScheduledTimer<?> timer, Dispatcher dispatcher) {
        boolean isPassing = timer == passing;
        if (dispatcher.hasPlaceFromCall(timer)) {
            // It waits for nobody: whoever waits may wait for its place.
            return true;
        }
        if (!isPassing && dispatcher.isHeldFor(timer)) {
            dispatcher.keep(timer, nowNanos, false);
            return false;
        }
        boolean hasToQueue = !isPassing && dispatcher.isAnyWaiting();
        if (!hasToQueue && dispatcher.takePlace(timer)) {
            return true;
        }
        if (dispatcher.waitsForPlace(timer)) {
            dispatcher.keep(timer, nowNanos, isPassing);
        } else {
            refuse(timer);
        }
        return false;
    }

    /** Refuses a timer that is due, and is in no list. */
    private void refuse(ScheduledTimer<?> timer) {
        Refusals refusals = dispatcherOf(timer).refusals();
        if (refusals == null || !timer.claim(nowNanos)) {
            putBack(timer);
            return;
        }
        boolean done = false;
        try {
            refusals.refuse(timer, nowNanos);
            done = true;
        } finally {
            if (!done) {
                timer.unclaim();
            }
        }
        unwatch(timer);
    }

    /** Lets a timer go that has waited for its place. */
    private void expireWithPlace(ScheduledTimer<?> timer) {
        productive = true;
        Dispatcher dispatcher = dispatcherOf(timer);
        boolean goes = false;
        try {
            boolean early = timer instanceof InstantTimer instant && watch.isEarly(instant, nowNanos);
            goes = !early;
            if (early) {
                dispatcher.leavePlace(timer);
                goes = true;
                putBack(timer);
            } else {
                go(timer, dispatcher);
            }
        } catch (Throwable ex) {
            if (!goes) {
                dispatcher.leavePlace(timer);
            }
            keepInHand(timer);
            throw ex;
        }
    }

    private void keepInHand(ScheduledTimer<?> timer) {
        // There is only one, as whatever is thrown ends the pass.
        if (timer.state() == TimerWord.ARMED) {
            expiredInHand = timer;
        }
    }

    private void unwatch(ScheduledTimer<?> timer) {
        if (timer instanceof InstantTimer instant) {
            watch.remove(instant);
        }
    }
}
