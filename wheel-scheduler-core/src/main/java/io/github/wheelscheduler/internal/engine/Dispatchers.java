package io.github.wheelscheduler.internal.engine;

/**
 * The dispatchers on a wheel that have something to do, and that of the executor. Tick thread, unless it says
 * otherwise.
 */
final class Dispatchers {

    /*
     * A pass goes through the dispatchers that are active. A group's becomes active with a message or a timer of that
     * group, and is so until nothing of it waits and none of its timers is on a detour. So a group that does nothing
     * costs nothing, however many there are.
     */

    /**
     * That of the executor itself; always active, and the first. The others follow it. Readers: tick thread; any while
     * that sleeps.
     */
    final Dispatcher root;

    private Dispatcher last;

    /** When the active ones have been looked at last: at the beginning of the pass, or between two. */
    private long lookNanos;

    Dispatchers(Dispatcher root) {
        this.root = root;
        this.last = root;
        root.active = true;
    }

    /** Returns the dispatcher of the timer, which is active from now on. */
    Dispatcher of(ScheduledTimer<?> timer) {
        Dispatcher dispatcher = timer.owner().dispatcher();
        if (!dispatcher.active) {
            last.nextActive = dispatcher;
            last = dispatcher;
            dispatcher.active = true;
            dispatcher.beginPass(lookNanos);
        }
        return dispatcher;
    }

    /** Counts a message about a timer; of groups only, as the executor's are not asked for. */
    void countAdmitted(ScheduledTimer<?> timer) {
        Dispatcher dispatcher = timer.owner().dispatcher();
        if (dispatcher != root) {
            dispatcher.admitted++;
        }
    }

    /** Forgets dispatchers that have nothing to do, at the end of a pass. */
    private void retire() {
        Dispatcher before = root;
        for (Dispatcher each = root.nextActive; each != null; each = before.nextActive) {
            if (each.retires()) {
                before.nextActive = each.nextActive;
                each.nextActive = null;
                each.active = false;
            } else {
                before = each;
            }
        }
        last = before;
    }

    // Detours

    /** To be called before the time of a pass is read. */
    void beforePass() {
        for (Dispatcher each = root; each != null; each = each.nextActive) {
            each.shortcut.beforePass();
        }
    }

    boolean isAnyDetour() {
        for (Dispatcher each = root; each != null; each = each.nextActive) {
            if (each.shortcut.isAnyDetour()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Ends the detours that were under way before the pass and have left the wheel, unless they wait outside of it:
     * that is not said while they are held, so callers might go past them. Returns false if more are to be ended now.
     */
    boolean endDetours() {
        boolean ended = true;
        for (Dispatcher each = root; each != null; each = each.nextActive) {
            Shortcut shortcut = each.shortcut;
            ended &= !shortcut.isAnyDetour() || each.isAnyWaiting() || shortcut.endDetours();
        }
        return ended;
    }

    // What is held

    /** Reads the holds. */
    void look(long nowNanos) {
        lookNanos = nowNanos;
        for (Dispatcher each = root; each != null; each = each.nextActive) {
            each.look();
        }
    }

    /** The same at the beginning of a pass. */
    void beginPass(long nowNanos) {
        lookNanos = nowNanos;
        for (Dispatcher each = root; each != null; each = each.nextActive) {
            each.beginPass(nowNanos);
        }
    }

    /** Whether anything has been asked for since the last pass; to be read after a sleep has been announced. */
    boolean isWanted() {
        boolean isWanted = false;
        for (Dispatcher each = root; each != null; each = each.nextActive) {
            isWanted |= each.isWanted();
        }
        return isWanted;
    }

    // What waits

    /** Releases timers that wait outside of the wheel, and returns whether there are more that may leave now. */
    boolean letGo(long nowNanos, HandOver handOver) {
        boolean more = false;
        try {
            for (Dispatcher each = root; each != null; each = each.nextActive) {
                more |= each.letGo(nowNanos, handOver);
            }
        } finally {
            signalHandOver();
        }
        retire();
        return more;
    }

    /** Returns when to look again at waiting timers; for ever if none wait. */
    long nanosToNextLook(long nowNanos) {
        long nanos = Long.MAX_VALUE;
        for (Dispatcher each = root; each != null; each = each.nextActive) {
            nanos = Math.min(nanos, each.nanosToNextLook(nowNanos));
        }
        return nanos;
    }

    /** Whether due timers have waited for room, and there is some now; to be read after a sleep has been announced. */
    boolean isRoomForHeldUp() {
        for (Dispatcher each = root; each != null; each = each.nextActive) {
            if (each.backlog.isRoomForHeldUp()) {
                return true;
            }
        }
        return false;
    }

    // Workers

    /** Wakes the workers for which anything has been handed over since the last call. */
    void signalHandOver() {
        for (Dispatcher each = root; each != null; each = each.nextActive) {
            each.signalHandOver();
        }
    }
}
