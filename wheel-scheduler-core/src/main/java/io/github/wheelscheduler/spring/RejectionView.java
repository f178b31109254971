package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What a {@link java.util.concurrent.RejectedExecutionHandler} is shown as the pool that has rejected its task: it answers
 * for the wheel's executor, and has no thread and no task of its own.
 */
final class RejectionView extends ThreadPoolExecutor {

    private final WheelScheduledExecutor executor;

    RejectionView(WheelScheduledExecutor executor) {
        super(0, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        this.executor = executor;
    }

    @Override
    public void execute(Runnable command) {
        executor.execute(command);
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
}
