package io.github.wheelscheduler;

import io.github.wheelscheduler.inbox.Inbox;
import io.github.wheelscheduler.wheel.Bucket;
import io.github.wheelscheduler.wheel.TimerNode;
import io.github.wheelscheduler.wheel.TimingWheel;
import io.github.wheelscheduler.worker.Workers;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Hands the due timers of an executor, or of one of its groups, to its workers. Due timers that cannot go wait here, so that the timers of
 * others expire. Tick thread, unless it says otherwise.
 *
 * <p>It is long because whether a timer goes, waits or is refused is decided by what is held, by the places and by who came before,
 * together, and by the same rules when it becomes due as when it has waited.
 */
final class Dispatcher {

    /*
     * Two lists
     * ---------
     * Timers wait in the order in which they became due, in the list of those that have a time. While timers are held, those that run
     * at once go past them, and wait for room in a list of their own.
     *
     * A timer that waits is armed as before: whoever cancels or moves it does not know that it waits, and it is looked at again when
     * its turn comes. Callers do not go past those that wait: Shortcut.isHeldUp says that there are some.
     */

    /** So many timers leave a list in a pass. */
    private static final int BUDGET = 1024;

    private final Inbox<ScheduledTimer<?>> inbox;
    private final TimingWheel wheel;
    private final Workers workers;
    private final Hold hold;
    private final Shortcut shortcut = new Shortcut();
    private final Backlog backlog;
    private final @Nullable GroupSlots places;
    private final @Nullable GroupRefusals refusals;

    /** A pass goes through it. */
    private boolean active;

    /** Null until something waits. */
    private @Nullable Bucket timed;

    private @Nullable Bucket atOnce;

    /** Timers may leave one at a time, or not at all. */
    private boolean stepped;

    /** The last pass has kept timers because none may leave. Writer: tick thread. Readers: any. */
    private volatile boolean halted;

    /** While timers are held: those that run at once have been parted from those that wait with a time. */
    private boolean isAtOnceApart;

    /** How many messages about timers of this group have been taken. */
    private long admitted;

    /** In virtual time, the first timer of this group is due and has to wait for a place; so have those behind it. */
    private boolean lacksPlace;

    /** So many of those were passed by when it was looked at them last, and when the first of them was due. */
    private long inTurns;

    private long firstInTurnsNanos;

    /** So many more may be handed over before it is asked again how much room there is. */
    private int room;

    private boolean handedOver;
    private boolean othersWaited;

    /** Writer: tick thread. Readers: snapshots. */
    private volatile long waitingCount;

    /** When the first of those that wait was due. As above, written before the count. */
    private volatile long waitingSinceNanos;

    Dispatcher(
            Inbox<ScheduledTimer<?>> inbox,
            TimingWheel wheel,
            Workers workers,
            Hold hold,
            @Nullable GroupSlots places,
            @Nullable GroupRefusals refusals) {
        this.inbox = inbox;
        this.wheel = wheel;
        this.workers = workers;
        this.hold = hold;
        this.places = places;
        this.refusals = refusals;
        this.backlog = new Backlog(workers, places, shortcut);
    }

    Workers workers() {
        return workers;
    }

    Hold hold() {
        return hold;
    }

    Shortcut shortcut() {
        return shortcut;
    }

    @Nullable
    GroupSlots places() {
        return places;
    }

    @Nullable
    GroupRefusals refusals() {
        return refusals;
    }

    boolean isActive() {
        return active;
    }

    void setActive(boolean value) {
        active = value;
    }

    /** Whether there is nothing to do for this until the next timer or message; forgets the lists, which are empty then. */
    boolean retires() {
        if (handedOver || isAnyWaiting() || !shortcut.isNoDetour()) {
            return false;
        }
        forgetLists();
        return true;
    }

    // The state of a pass

    /** Reads what is held. */
    void look() {
        lacksPlace = false;
        stepped = !hold.isOpen();
        boolean isHalted = stepped && hold.isClosed();
        if (halted != isHalted) {
            halted = isHalted;
        }
    }

    /** Whether timers were kept, and none need be any more. Any thread. */
    boolean isWanted() {
        return halted && !hold.isClosed();
    }

    /** Whether due timers have waited for room, and there is some now. Any thread. */
    boolean isRoomForHeldUp() {
        return backlog.isRoomForHeldUp();
    }

    /** Counts a message that has been taken. */
    void countAdmitted() {
        admitted++;
    }

    long admitted() {
        return admitted;
    }

    // Handing over

    /** Hands over a timer that has been claimed. */
    void handOver(ScheduledTimer<?> timer, long nowNanos, boolean isForced) {
        if (!handedOver) {
            othersWaited = !workers.isReadyEmpty();
            handedOver = true;
        }
        try {
            workers.handOver(timer.runnable(), backlog.handOverNanos(timer, nowNanos));
        } catch (Throwable ex) {
            timer.unclaim();
            throw ex;
        }
        if (stepped && !isForced && !timer.runsAtOnce()) {
            hold.left();
        }
    }

    /** Wakes a worker if anything has been handed over since the last call. */
    void signalHandOver() {
        if (handedOver) {
            handedOver = false;
            workers.signalHandOver(othersWaited);
        }
    }

    // Waiting

    private void forgetLists() {
        if (timed != null) {
            wheel.dropWaitingList(timed);
            timed = null;
        }
        if (atOnce != null) {
            wheel.dropWaitingList(atOnce);
            atOnce = null;
        }
    }

    /** Reads what is held, at the beginning of a pass. */
    void beginPass(long nowNanos) {
        look();
        room = 0;
        if (!halted) {
            isAtOnceApart = false;
        } else if (!isAtOnceApart && timed != null) {
            Bucket passBy = atOnce == null ? wheel.newWaitingList() : atOnce;
            atOnce = passBy;
            Predicate<TimerNode> move = node -> {
                if (((ScheduledTimer<?>) node).runsAtOnce()) {
                    wheel.moveWaiting(node, passBy);
                }
                return false;
            };
            wheel.removeWaitingIf(timed, move, node -> {});
            // What fails in between is done by the next pass.
            isAtOnceApart = true;
        }
        noteHeldUp(nowNanos);
    }

    /** Says whether timers wait for room: those that are held do not. */
    private void noteHeldUp(long nowNanos) {
        if (halted ? isWaiting(atOnce) : isAnyWaiting() || lacksPlace) {
            backlog.holdUp(nowNanos);
        } else if (halted) {
            backlog.hold(nowNanos);
        } else {
            backlog.clear();
        }
    }

    private static boolean isWaiting(@Nullable Bucket list) {
        return list != null && !list.isEmpty();
    }

    /** Whether timers wait here. Tick thread. */
    boolean isAnyWaiting() {
        return isWaiting(timed) || isWaiting(atOnce);
    }

    /** Whether a timer that is due now has to wait because timers are held; in steps, all that are due come together first. */
    boolean isHeldFor(ScheduledTimer<?> timer) {
        return stepped && !timer.runsAtOnce();
    }

    /** Whether the timer, which is due now, waits when there is no place for it. */
    boolean waitsForPlace(ScheduledTimer<?> timer) {
        return refusals == null || workers.isPaused() || isOwedAPlace(timer) || asksToWait(timer);
    }

    /**
     * Whether it is a series whose last run was refused, and another run has taken a place since: it waits for the next one, so that what comes
     * more often does not have them all.
     */
    private boolean isOwedAPlace(ScheduledTimer<?> timer) {
        int mark = timer.refusedAt();
        return mark != 0 && places != null && mark != places.mark();
    }

    /** The timer is about to be refused. */
    void noteRefused(ScheduledTimer<?> timer) {
        if (places != null) {
            timer.setRefusedAt(places.mark());
        }
    }

    private static boolean asksToWait(ScheduledTimer<?> timer) {
        try {
            return timer.taskIfAny() instanceof ManagedTask managed && managed.waitsWhenFull();
        } catch (Throwable ex) {
            // Then nothing is lost.
            return true;
        }
    }

    /** Takes a place for the timer, if it needs one and there is one. */
    boolean takePlace(ScheduledTimer<?> timer) {
        if (places == null) {
            return takeRoom();
        }
        if (!hasPlaceFromCall(timer) && !places.tryTake()) {
            return false;
        }
        if (refusals != null) {
            timer.setRefusedAt(0);
        }
        return true;
    }

    /** Asks for many at a time: workers write where this looks. */
    private boolean takeRoom() {
        if (room == 0) {
            room = Math.min(BUDGET, workers.room());
        }
        if (room > 0) {
            room--;
            return true;
        }
        return false;
    }

    /** Whether the timer, whose turn it is in virtual time, goes now or is refused; if not, others pass it by. */
    boolean mayGo(ScheduledTimer<?> timer) {
        if (lacksPlace || hold.isHalted() || isWaiting(atOnce)) {
            return false;
        }
        boolean hasPlace = places == null ? workers.room() > 0 : hasPlaceFromCall(timer) || places.hasRoom(false);
        lacksPlace = !hasPlace && waitsForPlace(timer);
        if (lacksPlace) {
            noteHeldUp(timer.deadlineNanos());
        }
        return !lacksPlace;
    }

    boolean isLackingPlace() {
        return lacksPlace;
    }

    /** In virtual time, a timer is passed by for lack of a place. */
    void countInTurns(ScheduledTimer<?> timer) {
        if (inTurns++ == 0) {
            firstInTurnsNanos = timer.deadlineNanos();
        }
    }

    void countNoneInTurns() {
        inTurns = 0;
    }

    boolean isAnyInTurns() {
        return inTurns > 0;
    }

    long deadlineOfFirstInTurns() {
        return firstInTurnsNanos;
    }

    /** A timer has its turn, which may have been one of those. */
    void leavesTurns() {
        if (inTurns > 0) {
            inTurns--;
            noteWaiting(firstInTurnsNanos);
        }
    }

    /** Takes {@link #takePlace} back. */
    void leavePlace(ScheduledTimer<?> timer) {
        if (places != null && !hasPlaceFromCall(timer)) {
            releasePlace();
        }
    }

    /** Frees a place of the group's, and wakes the tick thread if timers wait for it. Any thread. */
    void releasePlace() {
        if (places != null) {
            places.release();
            if (isRoomForHeldUp()) {
                inbox.wake();
            }
        }
    }

    /**
     * Frees the place of the run that the calling worker is in, and that is about to tell its end, before it does: whoever hears of that may
     * take it. The worker then does it no more. Without effect on other threads. Any thread.
     */
    void leaveEarly() {
        if (places != null && workers.leaveEarly()) {
            releasePlace();
        }
    }

    /** Whether the timer has had a place since it was submitted. Any thread. */
    boolean hasPlaceFromCall(ScheduledTimer<?> timer) {
        return refusals != null && timer.hasNoTime();
    }

    /**
     * Lets a due timer wait, which is in no list.
     *
     * @param isForced whether it is not held though others are
     */
    void keep(ScheduledTimer<?> timer, long nowNanos, boolean isForced) {
        if (isForced || (stepped && timer.runsAtOnce())) {
            atOnce = atOnce == null ? wheel.newWaitingList() : atOnce;
            wheel.addWaiting(timer, atOnce);
        } else {
            timed = timed == null ? wheel.newWaitingList() : timed;
            wheel.addWaiting(timer, timed);
        }
        noteHeldUp(nowNanos);
    }

    /** Gives up those of the waiting timers for which the filter says so. */
    void removeWaitingIf(Predicate<ScheduledTimer<?>> filter, HandOver handOver) {
        removeIf(timed, filter, handOver);
        removeIf(atOnce, filter, handOver);
    }

    private void removeIf(@Nullable Bucket list, Predicate<ScheduledTimer<?>> filter, HandOver handOver) {
        if (list != null) {
            wheel.removeWaitingIf(
                    list,
                    node -> filter.test((ScheduledTimer<?>) node),
                    node -> handOver.giveUp((ScheduledTimer<?>) node));
        }
    }

    /**
     * Lets timers go that wait and may. In virtual time, timers with a time wait elsewhere, see {@link Turns}.
     *
     * @return whether there are more that may go now
     */
    boolean letGo(long nowNanos, HandOver handOver) {
        if (!isAnyWaiting() && waitingCount == 0 && inTurns == 0) {
            return false;
        }
        boolean isRoomWorthWhile = places != null || backlog.hasRoom();
        boolean more = isRoomWorthWhile && letGo(atOnce, handOver);
        // What has passed those that were held came before what has come since.
        if (isRoomWorthWhile && !isWaiting(atOnce) && !stepped) {
            more |= letGo(timed, handOver);
        }
        noteWaiting(nowNanos);
        noteHeldUp(nowNanos);
        return more;
    }

    private boolean letGo(@Nullable Bucket list, HandOver handOver) {
        for (int left = BUDGET; left > 0; left--) {
            if (list == null || !(list.peek() instanceof ScheduledTimer<?> timer)) {
                return false;
            }
            boolean isOver = timer.isDone();
            if (!isOver && !takePlace(timer)) {
                return false;
            }
            boolean ignored = wheel.remove(timer);
            if (isOver) {
                handOver.giveUp(timer);
            } else {
                handOver.startWithSlot(timer);
            }
        }
        return true;
    }

    /** Says how many wait; in virtual time the first of them may be due then. */
    void noteWaiting(long nowNanos) {
        // What is held waits for no worker.
        long count = (timed == null || stepped ? 0 : timed.count()) + (atOnce == null ? 0 : atOnce.count()) + inTurns;
        if (inTurns > 0) {
            waitingSinceNanos = firstInTurnsNanos;
        } else if (count > 0) {
            TimerNode first = timed != null && !stepped && !timed.isEmpty()
                    ? timed.peek()
                    : atOnce != null ? atOnce.peek() : null;
            waitingSinceNanos = first instanceof ScheduledTimer<?> timer ? timer.deadlineNanos() : nowNanos;
        }
        if (waitingCount != count) {
            waitingCount = count;
        }
    }

    /** Returns about how many due timers wait here. Any thread. */
    long waitingCount() {
        return waitingCount;
    }

    /** Returns about how long the first of them has been waiting. Any thread. */
    long oldestWaitingNanos(long nowNanos) {
        return waitingCount == 0 ? 0 : Math.max(0, nowNanos - waitingSinceNanos);
    }

    /** Returns when to look again whether there is room, although nobody has said so; who leaves a place does. */
    long nanosToNextLook(long nowNanos) {
        boolean isHeldUp = halted ? isWaiting(atOnce) : isAnyWaiting();
        return places != null || !isHeldUp ? Long.MAX_VALUE : backlog.nanosToNextLook(nowNanos);
    }

    /** Whether no run is on its way or going on; exact once nobody hands over any more. Any thread. */
    boolean isDrained() {
        return workers.isDrained() && (refusals == null || refusals.workers().isDrained());
    }
}
