package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.ManagedTask;

/** A periodic timer whose runs may be handed over later than they are due, see {@link StartTolerance}. */
final class TolerantPeriodicTimer extends PeriodicTimer {

    /** Written before the timer is posted. */
    private long toleranceNanos;

    /**
     * When the run is handed over; without effect unless that is within the tolerance of when it is due. So a thread
     * that reads it while another moves the timer sees a time that is right for the deadline that it has read, or has
     * no effect. Writers: the thread that arms the timer, and threads that move it.
     */
    private long startNanos;

    private TolerantPeriodicTimer(
            TimerOwner owner,
            Runnable task,
            long deadlineNanos,
            long periodNanos,
            boolean paced,
            long toleranceNanos,
            boolean isDue) {
        super(owner, task, deadlineNanos, periodNanos, paced);
        this.toleranceNanos = toleranceNanos;
        plan(deadlineNanos, isDue);
    }

    /**
     * Makes a timer. The type that it returns keeps a verifier from loading this class where no timer has a tolerance.
     *
     * @param paced whether the task has a pacing
     * @param toleranceNanos positive, and not above half of the period
     * @param isDue whether the first run is for now
     */
    static PeriodicTimer of(
            TimerOwner owner,
            Runnable task,
            long deadlineNanos,
            long periodNanos,
            boolean paced,
            long toleranceNanos,
            boolean isDue) {
        return new TolerantPeriodicTimer(owner, task, deadlineNanos, periodNanos, paced, toleranceNanos, isDue);
    }

    @Override
    void adopt(ManagedTask books) {
        super.adopt(books);
        toleranceNanos = StartTolerance.of(books.pacing(), toleranceNanos, intervalNanos() / 2);
        plan(exactDueNanos(), startNanos - dueNanos() <= 0);
    }

    @Override
    boolean rearmExactly(long deadlineNanos, long nowNanos) {
        plan(deadlineNanos, deadlineNanos - nowNanos <= 0);
        return super.rearmExactly(deadlineNanos, nowNanos);
    }

    /** Says when the run with that deadline is handed over. Before the timer is armed. */
    private void plan(long deadlineNanos, boolean isDue) {
        long dueNanos = deadlineNanos + TimerWord.roundingOf(deadlineNanos);
        startNanos = isDue || toleranceNanos == 0 ? dueNanos : StartTolerance.startOf(dueNanos, toleranceNanos);
    }

    @Override
    void forgetStart() {
        // Before any deadline that the timer is moved to, but for what that is rounded down.
        startNanos = owner().nanoTime();
    }

    @Override
    long startOf(long dueNanos) {
        long waitNanos = startNanos - dueNanos;
        return waitNanos > 0 && waitNanos < toleranceNanos ? dueNanos + waitNanos : dueNanos;
    }

    @Override
    long lateFromNanos() {
        return exactDueNanos() + toleranceNanos;
    }
}
