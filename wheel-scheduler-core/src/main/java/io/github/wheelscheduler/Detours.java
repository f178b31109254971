package io.github.wheelscheduler;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Knows whether any timer that was due when it was scheduled is on the long way to the workers, through inbox and wheel. While
 * one is, others follow it there, so that what one caller submits stays in order, and what waits for room is not overtaken
 * for ever.
 */
final class Detours {

    /*
     *      caller                                   tick thread
     *   1  post the timer                        1  seen = number
     *   2  increment the number                  2  read the time, take all messages,
     *   3  the next timer: number != 0,             hand over all that are due
     *      so it goes the long way, too          3  number = 0 by CAS, unless others have come since 1
     *
     * What was counted at 1 had been posted before, and with a deadline that had come by then. It may be in the wheel, which
     * rounds up to a tick; Admission says when it is not any more.
     */

    /** 0: none is under way. Writers: callers that take the long way; the tick thread, back to 0. Readers: callers. */
    private final AtomicLong number = new AtomicLong();

    /** Tick thread only. */
    private long seen;

    /** Whether there is none. Any thread. */
    boolean isNone() {
        return number.get() == 0;
    }

    /** A timer that is due has been posted. Any thread. */
    void posted() {
        number.incrementAndGet();
    }

    /** Before the tick thread reads the time of a pass. */
    void beforePass() {
        seen = number.get();
    }

    /** Whether any was under way before the pass. Tick thread. */
    boolean isAny() {
        return seen != 0;
    }

    /** All that were under way before the pass have been handed over. Returns whether there is none now. Tick thread. */
    boolean end() {
        return number.compareAndSet(seen, 0);
    }
}
