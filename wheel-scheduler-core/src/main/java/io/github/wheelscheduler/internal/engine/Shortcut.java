package io.github.wheelscheduler.internal.engine;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Says whether a timer that is due when it is armed may go to the workers at once, past inbox and wheel. If it may not,
 * it makes a detour, and others follow it there, so that runs submitted by one caller stay in order, and runs that wait
 * for room are not overtaken forever.
 */
final class Shortcut {

    /*
     *   word:  [ timers on a detour | HELD_UP | HELD ]      0: the way is free
     *
     * Timers on a detour
     * ------------------
     *      caller                                   tick thread
     *   1  post the timer                        1  seen = number
     *   2  increment the number                  2  read the time, take all messages,
     *   3  the next timer: number != 0,             hand over all that are due
     *      so it makes a detour, too             3  number = 0 by CAS, unless others have come since 1
     *
     * A timer counted at 1 had been posted before, and with a deadline that had come by then. It may be in the wheel,
     * which rounds up to a tick; Admission reports when it no longer is.
     */

    /** Timers are held: by a halt, or because time is virtual. Writers: threads that halt, under the lock. */
    private static final long HELD = 1;

    /** Due timers wait for room. Writer: tick thread. */
    private static final long HELD_UP = 2;

    private static final int FLAG_BITS = 2;

    /** Writers: as above, and callers that make a detour. Readers: callers, and workers that end a run. */
    private final AtomicLong word = new AtomicLong();

    /** Tick thread only. */
    private long seenDetours;

    /** Whether a timer may go to the workers at once. Any thread. */
    boolean isFree() {
        return word.get() == 0;
    }

    boolean isHeld() {
        return (word.get() & HELD) != 0;
    }

    void setHeld(boolean value) {
        set(HELD, value);
    }

    /** Whether due timers wait for room, which an idle worker has. Any thread. */
    boolean isHeldUp() {
        return (word.get() & HELD_UP) != 0;
    }

    void setHeldUp(boolean value) {
        set(HELD_UP, value);
    }

    private void set(long flag, boolean value) {
        long seen = word.get();
        while (((seen & flag) != 0) != value && !word.compareAndSet(seen, seen ^ flag)) {
            seen = word.get();
        }
    }

    private long detours() {
        return word.get() >>> FLAG_BITS;
    }

    /** Whether no timer is on a detour. Any thread. */
    boolean isNoDetour() {
        return detours() == 0;
    }

    /** A timer that is due has been posted. Any thread. */
    void countDetour() {
        word.addAndGet(1L << FLAG_BITS);
    }

    /** To be called before the tick thread reads the time of a pass. */
    void beforePass() {
        long seen = detours();
        // Callers read adjacent fields.
        if (seenDetours != seen) {
            seenDetours = seen;
        }
    }

    /** Whether any timer was on a detour before the pass. Tick thread. */
    boolean isAnyDetour() {
        return seenDetours != 0;
    }

    /** All timers on a detour before the pass have been handed over. Returns whether there is none now. Tick thread. */
    boolean endDetours() {
        long seen = word.get();
        while (seen >>> FLAG_BITS == seenDetours) {
            if (word.compareAndSet(seen, seen & (HELD | HELD_UP))) {
                return true;
            }
            seen = word.get();
        }
        return false;
    }
}
