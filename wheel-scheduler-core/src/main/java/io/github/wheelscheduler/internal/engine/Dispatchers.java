package io.github.wheelscheduler.internal.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The dispatchers on a wheel that have something to do, and that of the executor. Tick thread, unless it says otherwise. */
final class Dispatchers {

    /*
     * A pass goes through the dispatchers that are active. A group's becomes active with a message or a timer of that group, and is so
     * until nothing of it waits and none of its timers is on a detour. So a group that does nothing costs nothing, however many there are.
     */

    /** That of the executor itself; always active. */
    private final Dispatcher root;

    /** The active ones, the first so many of these, the root first. Readers: tick thread; any while that sleeps. */
    private @Nullable Dispatcher[] active;

    private int activeCount = 1;

    /** When the active ones have been looked at last: at the beginning of the pass, or between two. */
    private long lookNanos;

    Dispatchers(Dispatcher root) {
        this.root = root;
        this.active = new @Nullable Dispatcher[] {root};
        root.setActive(true);
    }

    Dispatcher root() {
        return root;
    }

    /** Returns the dispatcher of the timer, which is active from now on. */
    Dispatcher of(ScheduledTimer<?> timer) {
        Dispatcher dispatcher = timer.owner().dispatcher();
        if (!dispatcher.isActive()) {
            if (activeCount == active.length) {
                active = Arrays.copyOf(active, 2 * activeCount);
            }
            active[activeCount] = dispatcher;
            activeCount++;
            dispatcher.setActive(true);
            dispatcher.beginPass(lookNanos);
        }
        return dispatcher;
    }

    /** Counts a message about a timer; of groups only, as the executor's are not asked for. */
    void countAdmitted(ScheduledTimer<?> timer) {
        Dispatcher dispatcher = timer.owner().dispatcher();
        if (dispatcher != root) {
            dispatcher.countAdmitted();
        }
    }

    /** Returns one of the active dispatchers. */
    private Dispatcher active(int index) {
        @Nullable Dispatcher[] seen = active;
        Dispatcher dispatcher = index < seen.length ? seen[index] : null;
        // What another thread sees of both may not fit.
        return dispatcher == null ? root : dispatcher;
    }

    /** Forgets dispatchers that have nothing to do, at the end of a pass. */
    private void retire() {
        int left = 1;
        for (int i = 1; i < activeCount; i++) {
            Dispatcher dispatcher = active(i);
            if (dispatcher.retires()) {
                dispatcher.setActive(false);
            } else {
                active[left++] = dispatcher;
            }
        }
        Arrays.fill(active, left, activeCount, null);
        activeCount = left;
    }

    // Detours

    /** To be called before the time of a pass is read. */
    void beforePass() {
        for (int i = 0; i < activeCount; i++) {
            active(i).shortcut().beforePass();
        }
    }

    boolean isAnyDetour() {
        for (int i = 0; i < activeCount; i++) {
            if (active(i).shortcut().isAnyDetour()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Ends the detours that were under way before the pass and have left the wheel, unless they wait outside of it: that
     * is not said while they are held, so callers might go past them. Returns false if more are to be ended now.
     */
    boolean endDetours() {
        boolean ended = true;
        for (int i = 0; i < activeCount; i++) {
            Dispatcher dispatcher = active(i);
            Shortcut shortcut = dispatcher.shortcut();
            ended &= !shortcut.isAnyDetour() || dispatcher.isAnyWaiting() || shortcut.endDetours();
        }
        return ended;
    }

    // What is held

    /** Reads what is held. */
    void look(long nowNanos) {
        lookNanos = nowNanos;
        for (int i = 0; i < activeCount; i++) {
            active(i).look();
        }
    }

    /** The same at the beginning of a pass. */
    void beginPass(long nowNanos) {
        lookNanos = nowNanos;
        for (int i = 0; i < activeCount; i++) {
            active(i).beginPass(nowNanos);
        }
    }

    /** Whether anything has been asked for since the last pass; to be read after a sleep has been announced. */
    boolean isWanted() {
        boolean isWanted = false;
        for (int i = 0; i < activeCount; i++) {
            isWanted |= active(i).isWanted();
        }
        return isWanted;
    }

    // What waits

    /** Lets timers go that wait outside of the wheel, and says whether there are more that may go now. */
    boolean letGo(long nowNanos, HandOver handOver) {
        boolean more = false;
        try {
            for (int i = 0; i < activeCount; i++) {
                more |= active(i).letGo(nowNanos, handOver);
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
        for (int i = 0; i < activeCount; i++) {
            nanos = Math.min(nanos, active(i).nanosToNextLook(nowNanos));
        }
        return nanos;
    }

    /** Whether due timers have waited for room, and there is some now; to be read after a sleep has been announced. */
    boolean isRoomForHeldUp() {
        for (int i = 0; i < activeCount; i++) {
            if (active(i).isRoomForHeldUp()) {
                return true;
            }
        }
        return false;
    }

    // Workers

    /** Wakes the workers for which anything has been handed over since the last call. */
    void signalHandOver() {
        for (int i = 0; i < activeCount; i++) {
            active(i).signalHandOver();
        }
    }
}
