package io.github.wheelscheduler.internal.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A timer of a series, whose runs have one permit to be pending between them. */
abstract class RepeatingTimer extends ScheduledTimer<@Nullable Void> {

    private static final VarHandle PERMIT;

    static {
        try {
            PERMIT = MethodHandles.lookup().findVarHandle(RepeatingTimer.class, "permit", boolean.class);
        } catch (ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
        try {
            // Linked here, so that no cancel needs memory for that.
            boolean ignored = (boolean) PERMIT.getAndSet((@Nullable RepeatingTimer) null, false);
        } catch (NullPointerException ex) {
            // It has no timer.
        }
    }

    private int refusedAt;

    /** Whether this timer holds the permit; it goes to the next timer of the series or back, once. */
    @SuppressWarnings("unused") // read by way of the VarHandle
    private volatile boolean permit = true;

    RepeatingTimer(TimerOwner owner, Runnable task, long deadlineNanos) {
        super(owner, task, deadlineNanos);
    }

    @Override
    final int refusedAt() {
        return refusedAt;
    }

    @Override
    final void setRefusedAt(int mark) {
        refusedAt = mark;
    }

    @Override
    final boolean takePermit() {
        return (boolean) PERMIT.getAndSet(this, false);
    }

    /** Returns the permit to this timer after it could not be passed on. */
    final void putPermitBack() {
        permit = true;
    }

    @Override
    public final boolean isRepeating() {
        return true;
    }
}
