package io.github.wheelscheduler;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A one-time timer with a result. */
final class CallableTimer<V extends @Nullable Object> extends ScheduledTimer<V> {

    CallableTimer(TimerOwner owner, Callable<V> task, long deadlineNanos) {
        super(owner, task, deadlineNanos);
    }

    @Override
    void perform() {
        performOnce();
    }

    @Override
    @Nullable
    Object call(Object task) throws Exception {
        return ((Callable<?>) task).call();
    }
}
