package io.github.wheelscheduler.internal.worker;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;

/** The state of the start of a thread that the user's factory makes. Any thread. */
public final class ThreadStart {

    /*
     *             claim                       begin
     *    NONE --------------> STARTING -----------------> STARTED
     *     | ^                  |    |                        |
     *     | +------failed------+    |                        |
     *     |                         |                        |
     *     +-----giveUp---> GONE <---+----giveUp      end-----+
     *
     *   claim, failed: the caller that asks the factory. begin, end: the thread. giveUp: a thread that stops it.
     *
     * No lock is held while the factory is asked: it may take its time, and call anything. Another caller loses the
     * claim and continues. One thread wins 'begin', however often a factory starts the code that it is given; any other
     * one, and one that comes after a stop, touches nothing.
     */

    private enum State {
        NONE,
        STARTING,
        STARTED,
        GONE
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.NONE);

    /** Lets the calling thread start the thread; false if it has been started, or another caller is at it. */
    public boolean claim() {
        return state.compareAndSet(State.NONE, State.STARTING);
    }

    /**
     * Makes the thread and starts it unless it has been given up. After {@link #claim}; if this fails, the caller takes
     * that back. Throws what fails.
     */
    public void startAs(ThreadFactory factory, Runnable code) {
        Thread created = WheelThreadFactory.newThread(factory, code);
        if (state.get() == State.STARTING) {
            created.start();
        }
    }

    /** Lets another caller claim it: the start has failed. At most once for each claim. */
    public void failed() {
        boolean ignored = state.compareAndSet(State.STARTING, State.NONE);
    }

    /** Says that the calling thread is the one; if this is false, it is not to touch anything. */
    public boolean begin() {
        return state.compareAndSet(State.STARTING, State.STARTED);
    }

    /** Keeps a thread that has not begun from ever doing so; false if it has. */
    public boolean giveUp() {
        State seen = state.get();
        while (seen != State.STARTED && seen != State.GONE && !state.compareAndSet(seen, State.GONE)) {
            seen = state.get();
        }
        return seen != State.STARTED;
    }

    /** Says that the thread that has begun is at its end. */
    public void end() {
        state.set(State.GONE);
    }

    /** Whether no caller is at it, and no thread has begun or been given up. */
    public boolean isNone() {
        return state.get() == State.NONE;
    }

    /** Whether the thread has begun, or never will. */
    public boolean isDecided() {
        State seen = state.get();
        return seen == State.STARTED || seen == State.GONE;
    }

    /** Whether a thread has been asked for, and is not at its end. */
    public boolean isThere() {
        State seen = state.get();
        return seen == State.STARTING || seen == State.STARTED;
    }

    /** Whether the thread is at its end, or will never begin. */
    public boolean isGone() {
        return state.get() == State.GONE;
    }
}
