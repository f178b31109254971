package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.spring.task.PendingFutures;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The pool passed to a {@link RejectedExecutionHandler} as the one that has rejected its task; it accepts no task. */
final class RejectionView extends ScheduledPoolView {

    private final RejectedExecutionException reason;

    private RejectionView(
            WheelScheduledExecutor executor,
            ThreadFactory threads,
            RejectedExecutionHandler handler,
            RejectedExecutionException reason) {
        super(executor, threads, handler, new PendingFutures(executor, () -> reason));
        this.reason = reason;
    }

    /**
     * Lets the handler decide. A task that repeats, or that one of the JDK's own handlers has dropped, is cancelled, as
     * it can never run. A task that is not due yet cannot run in its caller, which would be too early, so that handler
     * throws instead.
     *
     * @param threads makes the workers of the executor
     * @throws RejectedExecutionException if the handler aborts
     */
    static void handle(
            WheelTimer<?> timer,
            RejectedExecutionException reason,
            RejectedExecutionHandler handler,
            WheelScheduledExecutor executor,
            ThreadFactory threads) {
        boolean tooEarly = !executor.isShutdown() && (timer.isRepeating() || timer.getDelay(TimeUnit.NANOSECONDS) > 0);
        if (handler.getClass() == AbortPolicy.class || (handler instanceof CallerRunsPolicy && tooEarly)) {
            throw reason;
        }
        handler.rejectedExecution(timer, new RejectionView(executor, threads, handler, reason));
        boolean mayBeKept = !timer.isRepeating() && handler.getClass().getDeclaringClass() != ThreadPoolExecutor.class;
        if (!mayBeKept && !timer.isDone()) {
            // It can never run, and no thread is to wait for it.
            boolean ignored = timer.cancel(false);
        }
    }

    /** Throws: a rejected task would be rejected again, and its handler called forever. */
    @Override
    public void execute(Runnable command) {
        throw reason;
    }
}
