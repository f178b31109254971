package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.internal.inbox.Inbox;
import io.github.wheelscheduler.internal.wheel.TimingWheel;
import io.github.wheelscheduler.internal.worker.Workers;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One pass of the tick thread: take the messages, advance the wheel, hand over due timers. It receives the time, and
 * runs no user code. Tick thread only, unless it says otherwise.
 */
final class TickLoop {

    /*
     * Parts of a pass
     * -------------------------
     *   Admission     takes messages, and puts timers where they belong
     *   HandOver      takes what leaves the wheel, and hands it to the workers or keeps it
     *   Dispatchers   whose workers those are: of the executor and of its groups
     *   TickPass     what time it is
     *
     * Each keeps its state to itself; none knows this.
     *
     * When the wheel stands
     * ---------------------
     * As long as all timers are the executor's own, no more of them leave the wheel than its workers have room for.
     * Due timers stay in their bucket, in the order of their deadlines, and are touched once. With timers of groups,
     * those without room wait in the list of its
     * dispatcher, so that it stands before no other.
     */

    /** Preparing continues in small parts, so that it delays nothing and is done in time all the same. */
    private static final int PREPARE_BUDGET = 1024;

    private static final long PREPARE_PAUSE_NANOS = 100_000;

    /** The number of moves in the wheel that allow for a message while it is behind: a timer takes two or three. */
    private static final int MOVES_PER_MESSAGE = 4;

    /**
     * The lead time of the start of the first worker, before the first run that the tick thread hands over, on a
     * machine's clock.
     */
    private static final long FIRST_WORKER_AHEAD_NANOS = 1_000_000;

    private final Inbox<ScheduledTimer<?>> inbox;
    private final TimingWheel wheel;
    private final WallClockWatch watch;
    private final PendingTimers pending;
    private final Workers workers;
    private final TimeSource clock;

    private final SweepPlan sweeps;
    final TickPass pass;
    final Dispatchers dispatchers;
    private final HandOver handOver;

    /** Null but in virtual time. */
    private final @Nullable StepQueue steps;

    private final Admission admission;

    final OccupancyBoard occupancy = new OccupancyBoard();

    /** The number of messages that the next pass may take; all unless due timers are left in the wheel. */
    private int mostMessages = Integer.MAX_VALUE;

    /**
     * The number of timers in the wheel after the last pass, including finished ones. Writer: tick thread. Readers:
     * any.
     */
    volatile long wheelSize;

    TickLoop(Engine root, TimingWheel wheel, WallClockWatch watch) {
        this.inbox = root.inbox;
        this.wheel = wheel;
        this.watch = watch;
        this.pending = root.pending;
        this.workers = root.workers;
        this.clock = root.settings.clock();
        this.pass = new TickPass(clock);
        this.sweeps = new SweepPlan(wheel, pending);
        this.dispatchers = new Dispatchers(root.dispatcher);
        this.steps = clock.isVirtual() ? new StepQueue(wheel, dispatchers) : null;
        this.handOver = new HandOver(wheel, watch, sweeps, dispatchers, pass, steps);
        this.admission =
                new Admission(inbox, wheel, watch, dispatchers, handOver, pass, 1L << root.settings.tickShift());
    }

    /**
     * Does the work that is due now, or a part of it.
     *
     * @return the nanoseconds from {@code nowNanos} until there is more to do; 0 if there may be more now
     */
    long pass(long nowNanos) {
        boolean timeStandsStill = pass.begin(nowNanos);
        dispatchers.beginPass(nowNanos);
        boolean tookAllMessages = admitWhatHasCome(timeStandsStill);
        pass.moved(watch.check(nowNanos));
        boolean isAllHere = advance() > 0;
        boolean mayMoreGo = dispatchers.letGo(pass.nowNanos(), handOver);
        mayMoreGo |= steps != null && isAllHere && steps.letGo(handOver);
        boolean stands = dispatchers.root.stillLacksRoom();
        boolean advanced = (isAllHere || stands) && !mayMoreGo;
        int preparationLeft = advanced ? prepare() : PREPARE_BUDGET;
        boolean swept = sweep();
        wheelSize = wheel.size();
        occupancy.answer(wheel, nowNanos);
        boolean detoursWait = dispatchers.isAnyDetour() && !admission.endDetours(tookAllMessages);
        if (!advanced || !tookAllMessages || !swept || (detoursWait && admission.isSettled())) {
            return 0;
        }
        long preparationNanos = preparationLeft == 0 ? PREPARE_PAUSE_NANOS : wheel.nanosToNextPreparation(nowNanos);
        // In virtual time, a run that makes room says so.
        long roomNanos = clock.isVirtual() ? Long.MAX_VALUE : dispatchers.nanosToNextLook(pass.nowNanos());
        long lookNanos = Math.min(roomNanos, watch.nanosToNextCheck(nowNanos));
        long otherNanos = Math.min(
                Math.min(preparationNanos, lookNanos),
                Math.min(admission.nanosToSettled(nowNanos), sweeps.nanosToNext(nowNanos)));
        long expiryNanos = stands ? Long.MAX_VALUE : wheel.nanosToNextExpiry(nowNanos);
        return expiryNanos <= otherNanos && workers.isFirstLacking()
                ? untilFirstWorker(expiryNanos)
                : Math.min(expiryNanos, otherNanos);
    }

    /**
     * Lets the first worker come if the next timer is due soon, and may be one of the executor's own; returns when to
     * look again.
     */
    private long untilFirstWorker(long expiryNanos) {
        if (clock.slackNanos() == 0 || !dispatchers.root.hold.isOpen() || pending.count() == 0) {
            return expiryNanos;
        }
        if (expiryNanos <= FIRST_WORKER_AHEAD_NANOS) {
            workers.startAhead();
            return expiryNanos;
        }
        return expiryNanos - FIRST_WORKER_AHEAD_NANOS;
    }

    /**
     * Takes messages, and returns whether that was all; without memory for that, due timers are handed over all the
     * same.
     */
    private boolean admitWhatHasCome(boolean timeStandsStill) {
        try {
            admission.takeUpWhatIsInHand();
            boolean isCaughtUp = dispatchers.isAnyDetour() && advance() > 0;
            return admission.takeMessages(isCaughtUp, timeStandsStill, mostMessages);
        } catch (Throwable ex) {
            if (!handOver.hasInHand()) {
                int ignored = advance();
            }
            throw ex;
        }
    }

    // The wheel

    /** Hands over due timers, or a part of them; returns 0 if there may be more. */
    private int advance() {
        boolean isOfRootAlone = steps == null && pending.isNoneOfGroups();
        int budget = dispatchers.root.mayLeaveTheWheel(Admission.EXPIRY_BUDGET, isOfRootAlone, pass.nowNanos());
        mostMessages = mostWhileBehind(budget);
        if (budget == 0) {
            return 0;
        }
        try {
            int left = wheel.advance(pass.nowNanos(), budget, handOver);
            pass.moved(left < budget);
            if (left > 0) {
                mostMessages = Integer.MAX_VALUE;
                dispatchers.root.caughtUp();
            }
            return left;
        } finally {
            dispatchers.signalHandOver();
        }
    }

    /**
     * Returns the number of messages that may be taken while more timers are due than the budget lets leave the wheel.
     * It is smaller than that budget: callers that schedule faster wait, and due timers do not. All may be taken if
     * long runs are the reason, as no caller delays those; and in virtual time, which waits for all.
     */
    private int mostWhileBehind(int budget) {
        boolean areRunsLong = budget < Admission.EXPIRY_BUDGET && !workers.areBusyWithShortRuns(pass.nowNanos());
        return areRunsLong || steps != null ? Integer.MAX_VALUE : budget / MOVES_PER_MESSAGE;
    }

    private int prepare() {
        int left = wheel.prepare(pass.nowNanos(), PREPARE_BUDGET, handOver);
        pass.moved(left < PREPARE_BUDGET);
        return left;
    }

    /** Does a part of a sweep, if one is due or in progress, and returns whether there is no more to do of it. */
    private boolean sweep() {
        if (!sweeps.isDue(pass.nowNanos())) {
            return true;
        }
        pass.moved();
        return sweeps.goOn(handOver);
    }

    /**
     * Whether something has been asked for since the last pass; to be read after a sleep has been announced. Any
     * thread.
     */
    boolean isWanted() {
        boolean isAsked = watch.asked || occupancy.asked;
        return dispatchers.isWanted() || isAsked || sweeps.isWanted();
    }

    /** Whether the tick thread should look at the timers in the wheel that are over, and has no plan to. Any thread. */
    boolean isLittered() {
        return sweeps.isLittered(wheelSize);
    }

    // The end

    /** Whether anything is pending or on its way here; does not look at the timers. */
    boolean isAnyPending() {
        return !inbox.isEmpty() || pending.countWithGroups() > 0 || admission.isAnyInHand();
    }

    /** Whether nothing is pending or on its way here. Looks at all timers if that may be so. */
    boolean isEmpty() {
        if (isAnyPending()) {
            return false;
        }
        removeIf(ScheduledTimer::isOver, timer -> {});
        return wheel.size() == 0;
    }

    // Groups

    /** Lets no timer keep a group in memory that has ended. */
    void groupEnded() {
        sweeps.groupEnded();
    }

    /** Gives up the timers of a group that are over, and that it lets wait. */
    void giveUpWaitingOf(Dispatcher dispatcher) {
        dispatcher.giveUpOver(handOver);
    }

    /** Whether no timer of a group that accepts none is pending or on its way here. */
    boolean holdsNothingOf(Dispatcher dispatcher, PendingTimers pendingOfGroup) {
        // Messages first: their timers are counted before.
        return isSettled(dispatcher, pendingOfGroup) && pendingOfGroup.count() == 0 && !admission.isAnyInHand();
    }

    /** Whether no message of a group is on its way here or unfinished. */
    boolean isSettled(Dispatcher dispatcher, PendingTimers pendingOfGroup) {
        return pendingOfGroup.messages.sum() == dispatcher.admitted && !admission.isAnyInHand();
    }

    // Between two passes

    /** Takes everything out of the inbox into the wheel. */
    void admitAll() {
        dispatchers.look(pass.nowNanos());
        admission.takeAll();
    }

    /** Lets a timer go that is due, though others are held. */
    void forceRun(ScheduledTimer<?> timer) {
        admitAll();
        pass.lookAtClock();
        if (timer.state() == TimerWord.ARMED && timer.isLinked() && pass.isDue(timer.deadlineNanos())) {
            handOver.forceRun(timer);
        }
    }

    /** Looks at all armed timers in the wheel. */
    void forEachArmed(Consumer<ScheduledTimer<?>> look) {
        admitAll();
        removeIf(
                timer -> {
                    if (timer.state() == TimerWord.ARMED) {
                        look.accept(timer);
                    }
                    return false;
                },
                timer -> {});
    }

    /** Returns when the timers were due that may go now in virtual time, in their order, up to the given number. */
    long[] dueNanos(int most) {
        admitAll();
        pass.lookAtClock();
        return steps == null
                ? new long[0]
                : steps.mayGo(most).stream()
                        .filter(timer -> handOver.isDueNow(timer) && !handOver.isEarly(timer))
                        .mapToLong(ScheduledTimer::deadlineNanos)
                        .toArray();
    }

    /** Removes the timers that the filter matches, and then does something with each. */
    void removeIf(Predicate<ScheduledTimer<?>> filter, Consumer<ScheduledTimer<?>> action) {
        long ignored = wheel.removeIf(node -> filter.test((ScheduledTimer<?>) node), node -> {
            ScheduledTimer<?> timer = (ScheduledTimer<?>) node;
            watch.unwatch(timer);
            action.accept(timer);
        });
    }
}
