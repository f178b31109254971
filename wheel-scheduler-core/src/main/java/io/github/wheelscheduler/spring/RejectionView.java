package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What a {@link RejectedExecutionHandler} is shown as the pool that has rejected its task: it answers for the wheel's
 * executor, and has no thread and no queue of its own.
 */
final class RejectionView extends ThreadPoolExecutor {

    private final WheelScheduledExecutor executor;
    private final RejectedExecutionException reason;

    private RejectionView(WheelScheduledExecutor executor, RejectedExecutionException reason) {
        super(0, 1, 0, TimeUnit.SECONDS, refusingQueue(reason));
        this.executor = executor;
        this.reason = reason;
    }

    /**
     * Lets the handler decide. A task that repeats, or that one of the JDK's own handlers has dropped, is cancelled, as it can never run.
     * A task that is not due yet cannot run in its caller, which would be too early, so that handler throws instead.
     *
     * @throws RejectedExecutionException if the handler aborts
     */
    static void handle(
            WheelTimer<?> timer,
            RejectedExecutionException reason,
            RejectedExecutionHandler handler,
            WheelScheduledExecutor executor) {
        boolean tooEarly = !executor.isShutdown() && (timer.isRepeating() || timer.getDelay(TimeUnit.NANOSECONDS) > 0);
        if (handler.getClass() == AbortPolicy.class || (handler instanceof CallerRunsPolicy && tooEarly)) {
            throw reason;
        }
        handler.rejectedExecution(timer, new RejectionView(executor, reason));
        boolean mayBeKept = !timer.isRepeating() && handler.getClass().getDeclaringClass() != ThreadPoolExecutor.class;
        if (!mayBeKept && !timer.isDone()) {
            // It can never run, and no thread is to wait for it.
            boolean ignored = timer.cancel(false);
        }
    }

    /** Throws: what has been rejected once would be rejected again, and its handler be called for ever. */
    @Override
    public void execute(Runnable command) {
        throw reason;
    }

    @Override
    public void shutdown() {
        executor.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return executor.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return executor.isShutdown();
    }

    @Override
    public boolean isTerminating() {
        return executor.isShutdown() && !executor.isTerminated();
    }

    @Override
    public boolean isTerminated() {
        return executor.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return executor.awaitTermination(timeout, unit);
    }

    @Override
    public int getPoolSize() {
        return executor.workerCount();
    }

    @Override
    public int getActiveCount() {
        return executor.activeCount();
    }

    @Override
    public String toString() {
        return executor.toString();
    }

    /** Returns a queue that is always empty, and refuses to be waited for. */
    @SuppressWarnings("serial")
    private static BlockingQueue<Runnable> refusingQueue(RejectedExecutionException reason) {
        return new LinkedBlockingQueue<>() {
            @Override
            public void put(Runnable task) {
                throw reason;
            }

            @Override
            public boolean offer(Runnable task) {
                throw reason;
            }

            @Override
            public boolean offer(Runnable task, long timeout, TimeUnit unit) {
                throw reason;
            }
        };
    }
}
