package io.github.wheelscheduler.internal.wheel;

/**
 * A timer as the wheel sees it: a deadline, and where the wheel keeps it.
 *
 * <p>A node is in at most one cell of one wheel at a time. The wheel writes nothing but one number into it, no
 * reference: to a collector with generations, references between old and new objects are dear.
 */
public abstract class TimerNode {

    /** The golden ratio, as for hashing. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** The position of the cell that holds this node, or 0. Writer: the owner of the wheel. */
    int position;

    protected TimerNode() {}

    /**
     * Returns the time, in nanoseconds of the wheel's clock, before which this timer must not expire. It may change
     * while the node is in a wheel: a later time is noticed when the old one comes, an earlier one only after
     * {@link TimingWheel#reposition}.
     */
    protected abstract long deadlineNanos();

    /**
     * Whether this timer is needed no more. Any thread may bring that about while the node is in a wheel, and does not
     * tell the wheel: it gives the timer up when it comes across it, at the latest at the deadline. Never false again
     * after it was true while the node is in a wheel.
     */
    protected abstract boolean isOver();

    /**
     * Returns a number that is different for most nodes of a wheel, spread over all values. Any thread may ask; the
     * answer changes when the wheel moves the node.
     */
    protected final long spread() {
        return (deadlineNanos() ^ position) * SPREAD;
    }

    /** Whether a wheel holds this node. Only the owner of the wheel may ask. */
    public final boolean isLinked() {
        return position != 0;
    }
}
