package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.WheelTimer;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The future of an executor of the user's, and the timer on the wheel behind it, which has the state: so no code of the
 * user's is asked under a lock. Calls reach both.
 */
final class WrappedTimer implements ScheduledFuture<@Nullable Object> {

    private final ScheduledFuture<?> future;
    private final WheelTimer<?> timer;

    WrappedTimer(ScheduledFuture<?> future, WheelTimer<?> timer) {
        this.future = future;
        this.timer = timer;
    }

    /** Returns the timer on the wheel behind a future; null if there is none, or none is known. */
    static @Nullable WheelTimer<?> onWheel(@Nullable ScheduledFuture<?> armed) {
        if (armed instanceof WrappedTimer wrapped) {
            return wrapped.timer;
        }
        return armed instanceof WheelTimer<?> known ? known : null;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean won = false;
        try {
            won = future.cancel(mayInterruptIfRunning);
        } finally {
            won |= timer.cancel(mayInterruptIfRunning);
        }
        return won;
    }

    @Override
    public boolean isCancelled() {
        return timer.isCancelled();
    }

    @Override
    public boolean isDone() {
        return timer.isDone();
    }

    @Override
    public @Nullable Object get() throws InterruptedException, ExecutionException {
        return future.get();
    }

    @Override
    public @Nullable Object get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(timeout, unit);
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return timer.getDelay(unit);
    }

    @Override
    public int compareTo(Delayed other) {
        return timer.compareTo(other);
    }
}
