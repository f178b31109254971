package io.github.wheelscheduler.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A timer as the wheel sees it: a deadline and the links of one bucket.
 *
 * <p>The links are part of the timer so that adding one allocates nothing and removing one searches nothing. A node is
 * in at most one bucket of one wheel at a time.
 */
public abstract class TimerNode {

    private static final VarHandle BUCKET;

    static {
        try {
            BUCKET = MethodHandles.lookup().findVarHandle(TimerNode.class, "bucket", Bucket.class);
        } catch (ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    @Nullable
    TimerNode previous;

    @Nullable
    TimerNode next;

    /** The bucket that holds this node, or null. Writer: the owner of the wheel. */
    @Nullable
    Bucket bucket;

    protected TimerNode() {}

    /**
     * Returns the time, in nanoseconds of the wheel's clock, before which this timer must not expire. It may change
     * while the node is in a wheel: a later time is noticed when the old one comes, an earlier one only after
     * {@link TimingWheel#reposition}.
     */
    protected abstract long deadlineNanos();

    /**
     * Whether a wheel holds this node. Any thread may ask; threads other than the owner of the wheel get a hint that is
     * only as fresh as their own fences make it.
     */
    public final boolean isLinked() {
        return BUCKET.getOpaque(this) != null;
    }
}
