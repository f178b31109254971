package io.github.wheelscheduler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** All the dispatchers on a wheel: that of the executor, and those of its groups. Tick thread, unless it says otherwise. */
final class Dispatchers {

    /*
     * Without groups, what is due and cannot go, because timers are held or the workers have no room, stays in the wheel: that
     * costs nothing. With groups that would hold up the timers of the others. So the wheel then expires all that is due, and each
     * Dispatcher hands over or keeps what is its own: 'parted'.
     */

    /** That of the executor itself. */
    private final Dispatcher root;

    /** The root, and those of the groups. Writers: whoever adds or removes one, one at a time. */
    private volatile Dispatcher[] all;

    /** There are groups, or have been: what is due leaves the wheel. Written on the tick thread, or before there is one. */
    private boolean parted;

    Dispatchers(Dispatcher root) {
        this.root = root;
        this.all = new Dispatcher[] {root};
    }

    Dispatcher root() {
        return root;
    }

    boolean isParted() {
        return parted;
    }

    static Dispatcher of(ScheduledTimer<?> timer) {
        return timer.owner().dispatcher();
    }

    /** Hands the timers of a new group to its own workers from now on. On the tick thread, or before there is one. */
    void add(Dispatcher dispatcher) {
        Dispatcher[] before = all;
        Dispatcher[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = dispatcher;
        root.keepWaitingHere();
        dispatcher.keepWaitingHere();
        parted = true;
        all = after;
    }

    /** Forgets a group of which no timer is left. */
    void remove(Dispatcher dispatcher) {
        dispatcher.forgetLists();
        List<Dispatcher> left = new ArrayList<>(List.of(all));
        left.remove(dispatcher);
        all = left.toArray(new Dispatcher[0]);
    }

    // Detours

    /** To be called before the time of a pass is read. */
    void beforePass() {
        for (Dispatcher dispatcher : all) {
            dispatcher.detours().beforePass();
        }
    }

    boolean isAnyDetour() {
        for (Dispatcher dispatcher : all) {
            if (dispatcher.detours().isAny()) {
                return true;
            }
        }
        return false;
    }

    /** Ends the detours, all of which have been handed over that were under way before the pass. Returns whether there is none now. */
    boolean endDetours() {
        boolean ended = true;
        for (Dispatcher dispatcher : all) {
            Detours detours = dispatcher.detours();
            ended &= !detours.isAny() || detours.end();
        }
        return ended;
    }

    // What is held

    /** Reads what is held. */
    void look() {
        for (Dispatcher dispatcher : all) {
            dispatcher.look();
        }
    }

    /** The same at the beginning of a pass, once they are parted. */
    void beginPass(long nowNanos) {
        for (Dispatcher dispatcher : all) {
            dispatcher.beginPass(nowNanos);
        }
    }

    /** Whether timers may leave the wheel one at a time, or not at all; once they are parted, they leave it. */
    boolean isWheelStepped() {
        return !parted && root.isStepped();
    }

    /** Whether timers are held, this one among them unless it goes all the same. */
    boolean isStepped(ScheduledTimer<?> timer) {
        return parted ? of(timer).isStepped() : root.isStepped();
    }

    /** Whether somebody has asked for something since the last pass; to be read after a sleep has been announced. Any thread. */
    boolean isWanted() {
        boolean isWanted = false;
        for (Dispatcher dispatcher : all) {
            isWanted |= dispatcher.isWanted();
        }
        return isWanted;
    }

    // What waits

    /** Lets timers go that wait outside of the wheel, and says whether there are more that may go now. */
    boolean letGo(long nowNanos, boolean isAllHere, HandOver handOver) {
        boolean more = false;
        try {
            for (Dispatcher dispatcher : all) {
                more |= dispatcher.letGo(nowNanos, isAllHere, handOver);
            }
            return more;
        } finally {
            signalHandOver();
        }
    }

    /** Returns when to look again at those that wait; for ever if none do. */
    long nanosToNextLook(long nowNanos) {
        long nanos = Long.MAX_VALUE;
        for (Dispatcher dispatcher : all) {
            nanos = Math.min(nanos, dispatcher.nanosToNextLook(nowNanos));
        }
        return nanos;
    }

    /** Whether due timers have waited for room, and there is some now; to be read after a sleep has been announced. Any thread. */
    boolean isRoomForHeldUp() {
        for (Dispatcher dispatcher : all) {
            if (dispatcher.isRoomForHeldUp()) {
                return true;
            }
        }
        return false;
    }

    // Workers

    /** Wakes the workers for which anything has been handed over since the last call. */
    void signalHandOver() {
        for (Dispatcher dispatcher : all) {
            dispatcher.signalHandOver();
        }
    }

    /** Whether no run of any group is on its way or going on; exact once nobody hands over any more. Any thread. */
    boolean areWorkersDrained() {
        for (Dispatcher dispatcher : all) {
            if (!dispatcher.isDrained()) {
                return false;
            }
        }
        return true;
    }
}
