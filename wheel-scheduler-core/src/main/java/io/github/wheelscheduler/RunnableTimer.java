package io.github.wheelscheduler;

import org.jspecify.annotations.Nullable;

/** A one-time timer without a result. */
class RunnableTimer extends ScheduledTimer<@Nullable Void> {

    RunnableTimer(TimerOwner owner, Runnable task, long deadlineNanos) {
        super(owner, task, deadlineNanos);
    }

    /** Without a time of its own. */
    static final class AtOnce extends RunnableTimer {

        AtOnce(TimerOwner owner, Runnable task, long deadlineNanos) {
            super(owner, task, deadlineNanos);
        }

        @Override
        boolean hasNoTime() {
            return true;
        }
    }
}
