package io.github.wheelscheduler.inbox;

/**
 * Makes sure of some stack before a step that must not fail half way. A queue's index that has been moved must be followed by a
 * store, and a thread that has been chosen must be woken; a caller at the end of its stack would fail in between, and hold up
 * all that comes behind.
 */
public final class StackReserve {

    /** By then the step has been compiled, and makes hardly a call that could fail. */
    private static final int ENOUGH = 50_000;

    private static final int DEPTH = 30;

    /** For steps that may not have been compiled, while this here has been and so needs less stack for each level. */
    private static final int DEPTH_RARE = 150;

    /** For steps that have been compiled. */
    private static final int DEPTH_COMPILED = 10;

    /** For those that start threads: what follows asks {@linkplain #askToWake for itself}, and must not be refused then. */
    private static final int DEPTH_COMPILED_START = 60;

    /** How often it has been asked for, more or less. Any thread. */
    private int asked;

    /** Keeps compilers from leaving out what is called for nothing but its stack. */
    @SuppressWarnings("unused")
    private long sink;

    /**
     * Needs more stack than what follows, and does nothing.
     *
     * @throws StackOverflowError if there is not enough stack; nothing has happened then
     */
    public void ask() {
        if (asked < ENOUGH) {
            asked++;
            sink = descend(DEPTH, asked, 1, 2, 3, 4, 5, 6);
        }
    }

    /**
     * Like {@link #ask}, for steps that call others also when they have been compiled: needs a little each time.
     *
     * @throws StackOverflowError if there is not enough stack; nothing has happened then
     */
    public void askEachTime() {
        if (asked < ENOUGH) {
            ask();
        } else {
            sink = descend(DEPTH_COMPILED, asked, 1, 2, 3, 4, 5, 6);
        }
    }

    /**
     * Like {@link #askEachTime}, for steps that start a thread.
     *
     * @throws StackOverflowError if there is not enough stack; nothing has happened then
     */
    public void askToStart() {
        if (asked < ENOUGH) {
            asked++;
            askAlways();
        } else {
            sink = descend(DEPTH_COMPILED_START, asked, 1, 2, 3, 4, 5, 6);
        }
    }

    /**
     * Like {@link #askAlways}, for waking a thread at the end of what {@link #askToStart} has been asked for, which asks for more.
     *
     * @throws StackOverflowError if there is not enough stack; nothing has happened then
     */
    public void askToWake() {
        sink = descend(DEPTH, asked, 1, 2, 3, 4, 5, 6);
    }

    /**
     * Like {@link #ask}, for steps that are so rare that they may never be compiled.
     *
     * @throws StackOverflowError if there is not enough stack; nothing has happened then
     */
    public void askAlways() {
        sink = descend(DEPTH_RARE, asked, 1, 2, 3, 4, 5, 6);
    }

    /** Needs its arguments when it is back, so each call takes a frame that holds them. */
    private static long descend(int depth, long a, long b, long c, long d, long e, long f, long g) {
        long below = depth == 0 ? a : descend(depth - 1, b, c, d, e, f, g, a);
        return below + (a ^ b ^ c ^ d ^ e ^ f ^ g);
    }
}
