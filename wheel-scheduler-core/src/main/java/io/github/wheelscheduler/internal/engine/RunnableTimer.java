package io.github.wheelscheduler.internal.engine;

import org.jspecify.annotations.Nullable;

/** A one-time timer without a result. */
public class RunnableTimer extends ScheduledTimer<@Nullable Void> {

    public RunnableTimer(TimerOwner owner, Runnable task, long deadlineNanos) {
        super(owner, task, deadlineNanos);
    }

    /** Without a time of its own. */
    public static final class AtOnce extends RunnableTimer {

        public AtOnce(TimerOwner owner, Runnable task, long deadlineNanos) {
            super(owner, task, deadlineNanos);
        }

        @Override
        boolean hasNoTime() {
            return true;
        }
    }
}
