package io.github.wheelscheduler.internal.engine;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A one-time timer with a result. */
public class CallableTimer<V extends @Nullable Object> extends ScheduledTimer<V> {

    public CallableTimer(TimerOwner owner, Callable<V> task, long deadlineNanos) {
        super(owner, task, deadlineNanos);
    }

    @Override
    final @Nullable Object call(Object task) throws Exception {
        return ((Callable<?>) task).call();
    }

    /** Without a time of its own. */
    public static final class AtOnce<V extends @Nullable Object> extends CallableTimer<V> {

        public AtOnce(TimerOwner owner, Callable<V> task, long deadlineNanos) {
            super(owner, task, deadlineNanos);
        }

        @Override
        boolean hasNoTime() {
            return true;
        }
    }
}
