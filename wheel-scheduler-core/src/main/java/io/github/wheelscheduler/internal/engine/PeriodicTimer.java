package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.Pacing;
import org.jspecify.annotations.Nullable;

/** A timer that is armed again, the same object, when a run has ended. */
public class PeriodicTimer extends RepeatingTimer {

    /** Positive: fixed rate. Negative: fixed delay. */
    private final long periodNanos;

    /** Whether the task has a {@link Pacing}. Written before the timer is posted. */
    private boolean paced;

    /**
     * The difference between the deadline in the state word and the exact, earlier one, which keeps the phase. Written
     * with every arming and by no one else; after a reschedule the phase starts from a rounded deadline. At most 7.
     */
    private byte roundingNanos;

    /**
     * Whether the deadline had passed when the timer was armed: only then was it the series that was late. As above.
     */
    private boolean late;

    public PeriodicTimer(TimerOwner owner, Runnable task, long deadlineNanos, long periodNanos) {
        this(owner, task, deadlineNanos, periodNanos, ManagedTask.pacingOf(task) != null);
    }

    PeriodicTimer(TimerOwner owner, Runnable task, long deadlineNanos, long periodNanos, boolean paced) {
        super(owner, task, deadlineNanos);
        this.periodNanos = periodNanos;
        this.paced = paced;
        this.roundingNanos = (byte) TimerWord.roundingOf(deadlineNanos);
    }

    @Override
    void adopt(ManagedTask books) {
        super.adopt(books);
        paced = books.pacing() != null;
    }

    @Override
    final void perform(boolean wasReady) {
        Object task = task();
        try {
            if (task != null) {
                Object ignored = call(task);
            }
        } catch (Throwable ex) {
            finish(Failure.of(ex), wasReady);
            return;
        }
        owner().repeat(this, wasReady);
    }

    /** Arms the timer for the deadline; false if it has been cancelled meanwhile. */
    boolean rearmExactly(long deadlineNanos, long nowNanos) {
        // Before the timer is armed: after that, another run may be here.
        late = deadlineNanos - nowNanos < 0;
        roundingNanos = (byte) TimerWord.roundingOf(deadlineNanos);
        return rearm(deadlineNanos);
    }

    /** Returns the task's pacing; null if it has none. */
    @Nullable
    final Pacing pacing() {
        return paced ? ManagedTask.pacingOf(taskIfAny()) : null;
    }

    final boolean isFixedRate() {
        return periodNanos > 0;
    }

    /** Returns the period or the delay between runs, always positive. */
    final long intervalNanos() {
        return Math.abs(periodNanos);
    }

    /** Returns the deadline of the current run, to the nanosecond. */
    @Override
    final long exactDueNanos() {
        return dueNanos() - roundingNanos;
    }

    @Override
    final boolean wasArmedLate() {
        return late;
    }

    @Override
    public final boolean isPeriodic() {
        return true;
    }
}
