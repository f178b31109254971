package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.internal.wheel.Bucket;
import io.github.wheelscheduler.internal.wheel.TimerNode;
import io.github.wheelscheduler.internal.wheel.TimingWheel;
import io.github.wheelscheduler.internal.worker.Workers;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Hands the due timers of an executor, or of one of its groups, to its workers. Due timers that cannot go wait here, so
 * that the timers of others expire. Tick thread, unless it says otherwise.
 *
 * <p>Holds, slots and the timers that came before decide together whether a timer goes, waits or is refused, by the
 * same rules when it becomes due and when it has waited.
 */
final class Dispatcher {

    /*
     * Two lists
     * ---------
     * Timers wait in the order in which they became due, in the list of timers with a time. While timers are held,
     * timers that run at once go past them, and wait for room in a list of their own.
     *
     * A timer that waits is armed as before: a thread that cancels or moves it does not know that it waits; it is
     * looked at again when its turn comes. Callers do not go past waiting timers: Shortcut.isHeldUp says that there are
     * some.
     */

    /** The number of timers that leave a list in a pass. */
    private static final int BUDGET = 1024;

    private final TimingWheel wheel;
    private final Workers workers;
    final Backlog backlog;
    final Hold hold;
    final Shortcut shortcut;
    final @Nullable GroupSlots slots;
    final @Nullable GroupRefusals refusals;

    /** A pass goes through it. Written by {@link Dispatchers}, as is the next one that a pass goes through. */
    boolean active;

    @Nullable
    Dispatcher nextActive;

    /** Null until something waits. */
    private @Nullable Bucket timed;

    private @Nullable Bucket atOnce;

    /** Timers may leave one at a time, or not at all. */
    private boolean stepped;

    /** The last pass has kept timers because none may leave. Writer: tick thread. Readers: any. */
    private volatile boolean halted;

    /** While timers are held: timers that run at once are in a list apart from timers with a time. */
    private boolean isAtOnceApart;

    /** The number of messages about timers of this group that have been taken. */
    long admitted;

    /** In virtual time, the first timer of this group is due and has to wait for a slot; so have those behind it. */
    boolean lacksSlot;

    /** The wheel stands: there was no room for due timers, and there is too little yet. */
    private boolean lacksRoom;

    /** It has stood, and some timers that were due then may still be in the wheel. */
    private boolean isBehind;

    /** The number of those skipped by the last check, and the due time of the first of them. */
    long passedBy;

    private long firstPassedByNanos;

    /** The number of runs that may be handed over before the room is checked again. */
    private int room;

    private boolean handedOver;
    private boolean othersWaited;

    /** About how many due timers wait here. Writer: tick thread. Readers: snapshots. */
    volatile long waitingCount;

    /** When the first waiting timer was due. As above, written before the count. */
    private volatile long waitingSinceNanos;

    Dispatcher(
            TimingWheel wheel,
            Workers workers,
            Hold hold,
            Shortcut shortcut,
            @Nullable GroupSlots slots,
            @Nullable GroupRefusals refusals) {
        this.wheel = wheel;
        this.workers = workers;
        this.hold = hold;
        this.shortcut = shortcut;
        this.slots = slots;
        this.refusals = refusals;
        this.backlog = new Backlog(workers, slots, shortcut);
    }

    /**
     * Whether there is nothing to do for this until the next timer or message; forgets the lists, which are empty then.
     */
    boolean retires() {
        if (handedOver || isAnyWaiting() || !shortcut.isNoDetour()) {
            return false;
        }
        timed = dropped(timed);
        atOnce = dropped(atOnce);
        return true;
    }

    // The state of a pass

    /** Reads the hold. */
    void look() {
        lacksSlot = false;
        long mayLeave = hold.mayLeave();
        stepped = mayLeave != Hold.ALL;
        boolean isHalted = mayLeave == 0;
        if (halted != isHalted) {
            halted = isHalted;
        }
    }

    /** Whether timers were kept, and none need be any more. Any thread. */
    boolean isWanted() {
        return halted && !hold.isClosed();
    }

    // Handing over

    /** Hands over a timer that has been claimed and has a slot, which is released if this fails. */
    void handOver(ScheduledTimer<?> timer, long nowNanos, boolean isForced) {
        if (!handedOver) {
            othersWaited = !workers.isReadyEmpty();
            handedOver = true;
        }
        try {
            workers.handOver(timer.runnable(), backlog.handOverNanos(timer, nowNanos));
        } catch (Throwable ex) {
            releaseSlot(timer, timer.unclaim());
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

    private @Nullable Bucket dropped(@Nullable Bucket list) {
        if (list != null) {
            wheel.dropWaitingList(list);
        }
        return null;
    }

    /** Reads the hold, at the beginning of a pass. */
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
            wheel.removeIf(timed, move, node -> {});
            // The next pass continues where this fails in between.
            isAtOnceApart = true;
        }
        noteHeldUp(nowNanos);
    }

    /** Says whether timers wait for room: held timers do not. */
    private void noteHeldUp(long nowNanos) {
        boolean waitsForRoom = halted ? isWaiting(atOnce) : isAnyWaiting() || lacksSlot || lacksRoom;
        backlog.note(halted || waitsForRoom || isBehind, waitsForRoom, nowNanos);
    }

    private static boolean isWaiting(@Nullable Bucket list) {
        return list != null && !list.isEmpty();
    }

    /**
     * Returns how many timers may leave the wheel now, up to a limit. Once there is no room for more, none may until
     * there is room for many.
     *
     * @param isAlone whether all of them belong to this; timers of others without room must not block these
     */
    int mayLeaveTheWheel(int limit, boolean isAlone, long nowNanos) {
        if (!isAlone || stepped || slots != null) {
            lacksRoom = false;
            return limit;
        }
        int left = Math.min(limit, workers.room());
        boolean lackedRoom = lacksRoom;
        lacksRoom = left == 0 || isWaiting(timed) || (lackedRoom && !backlog.hasRoom());
        if (lacksRoom != lackedRoom) {
            isBehind = true;
            noteHeldUp(nowNanos);
        }
        return lacksRoom ? 0 : left;
    }

    /** Everything that was due has left the wheel. */
    void caughtUp() {
        isBehind = false;
    }

    /** Whether the wheel still stands after timers that waited have gone. */
    boolean stillLacksRoom() {
        return lacksRoom && (isWaiting(timed) || !backlog.hasRoom());
    }

    /** Whether timers wait here. Tick thread. */
    boolean isAnyWaiting() {
        return isWaiting(timed) || isWaiting(atOnce);
    }

    /**
     * Whether a timer that is due now has to wait because timers are held; in steps, all that are due come together
     * first.
     */
    boolean isHeldFor(ScheduledTimer<?> timer) {
        return stepped && !timer.runsAtOnce();
    }

    /** Whether the timer, which is due now, waits when there is no slot for it. */
    boolean waitsForSlot(ScheduledTimer<?> timer) {
        return refusals == null || workers.isPaused() || (slots != null && slots.isOwedTo(timer)) || asksToWait(timer);
    }

    /** The timer is about to be refused. */
    void noteRefused(ScheduledTimer<?> timer) {
        if (slots != null) {
            slots.noteRefused(timer);
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

    /** Takes a slot for the timer, or room in the ready queue where there are no slots. */
    boolean takeSlot(ScheduledTimer<?> timer) {
        return slots == null ? takeRoom() : slots.tryTake(timer);
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
        if (lacksSlot || hold.isHalted() || isWaiting(atOnce)) {
            return false;
        }
        boolean hasSlot = slots == null ? workers.room() > 0 : slots.isTakenAtCall(timer) || slots.hasRoom(false);
        lacksSlot = !hasSlot && waitsForSlot(timer);
        if (lacksSlot) {
            noteHeldUp(timer.deadlineNanos());
        }
        return !lacksSlot;
    }

    /** In virtual time, a timer is passed by for lack of a slot. */
    void countPassedBy(ScheduledTimer<?> timer) {
        if (passedBy++ == 0) {
            firstPassedByNanos = timer.deadlineNanos();
        }
    }

    /** A timer has its turn, which may have been one of those. */
    void uncountPassedBy() {
        if (passedBy > 0) {
            passedBy--;
            noteWaiting();
        }
    }

    /** Takes {@link #takeSlot} back; see {@link GroupSlots#release(ScheduledTimer, boolean)}. */
    void releaseSlot(ScheduledTimer<?> timer, boolean isPending) {
        if (slots != null) {
            slots.release(timer, isPending);
        }
    }

    /** Whether the timer has had a slot since it was submitted. */
    boolean isSlotTakenAtCall(ScheduledTimer<?> timer) {
        return slots != null && slots.isTakenAtCall(timer);
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

    /** Gives up the waiting timers that are over. */
    void giveUpOver(HandOver handOver) {
        giveUpOver(timed, handOver);
        giveUpOver(atOnce, handOver);
    }

    private void giveUpOver(@Nullable Bucket list, HandOver handOver) {
        if (list != null) {
            wheel.removeIf(
                    list,
                    node -> ((ScheduledTimer<?>) node).isOver(),
                    node -> handOver.giveUp((ScheduledTimer<?>) node));
        }
    }

    /**
     * Lets timers go that wait and may. In virtual time, timers with a time wait elsewhere, see {@link StepQueue}.
     *
     * @return whether there are more that may go now
     */
    boolean letGo(long nowNanos, HandOver handOver) {
        if (!isAnyWaiting() && waitingCount == 0 && passedBy == 0) {
            return false;
        }
        boolean isRoomWorthWhile = slots != null || backlog.hasRoom();
        boolean more = isRoomWorthWhile && letGo(atOnce, handOver);
        // Timers that have passed held ones came before timers that have come since.
        if (isRoomWorthWhile && !isWaiting(atOnce) && !stepped) {
            more |= letGo(timed, handOver);
        }
        noteWaiting();
        noteHeldUp(nowNanos);
        return more;
    }

    private boolean letGo(@Nullable Bucket list, HandOver handOver) {
        for (int left = BUDGET; left > 0; left--) {
            if (list == null || !(list.peek() instanceof ScheduledTimer<?> timer)) {
                return false;
            }
            boolean isOver = timer.isDone();
            if (!isOver && !takeSlot(timer)) {
                return false;
            }
            handOver.takeOut(timer, isOver, true);
        }
        return true;
    }

    /** Says how many timers wait, and since when. */
    void noteWaiting() {
        // Held timers wait for no worker.
        Bucket waiting = stepped ? null : timed;
        long count = (waiting == null ? 0 : waiting.count()) + (atOnce == null ? 0 : atOnce.count()) + passedBy;
        if (passedBy > 0) {
            waitingSinceNanos = firstPassedByNanos;
        } else if (count > 0) {
            Bucket first = isWaiting(waiting) ? waiting : atOnce;
            if (first != null && first.peek() instanceof ScheduledTimer<?> timer) {
                waitingSinceNanos = timer.deadlineNanos();
            }
        }
        if (waitingCount != count) {
            waitingCount = count;
        }
    }

    /** Returns about how long the first of them has been waiting. Any thread. */
    long oldestWaitingNanos(long nowNanos) {
        return waitingCount == 0 ? 0 : Math.max(0, nowNanos - waitingSinceNanos);
    }

    /** Returns when to look again whether there is room, although nothing has said so; a run that frees a slot does. */
    long nanosToNextLook(long nowNanos) {
        boolean isHeldUp = halted ? isWaiting(atOnce) : isAnyWaiting() || lacksRoom;
        return slots != null || !isHeldUp ? Long.MAX_VALUE : backlog.nanosToNextLook(nowNanos);
    }

    /** Whether no run is on its way or active; exact once nothing is handed over any more. Any thread. */
    boolean isDrained() {
        return workers.isDrained() && (refusals == null || refusals.workers.isDrained());
    }
}
