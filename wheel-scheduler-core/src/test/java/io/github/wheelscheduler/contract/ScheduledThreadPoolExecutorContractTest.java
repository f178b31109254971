package io.github.wheelscheduler.contract;

import java.util.Optional;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

/** The JDK's own executor: what it does not pass is not the contract. */
@Tag("full")
class ScheduledThreadPoolExecutorContractTest extends ScheduledExecutorServiceContract {

    @Override
    public ScheduledExecutorService create() {
        return withThreads(8);
    }

    @Override
    public Optional<ScheduledExecutorService> createWithOneWorker() {
        return Optional.of(withThreads(1));
    }

    @Override
    public Optional<ScheduledExecutorService> createWithThreadsOf(ThreadFactory factory) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(8, factory);
        executor.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
        executor.allowCoreThreadTimeOut(true);
        return Optional.of(executor);
    }

    @Override
    public long countDue(ScheduledExecutorService executor) {
        return ((ScheduledThreadPoolExecutor) executor)
                .getQueue().stream()
                        .filter(each -> ((RunnableScheduledFuture<?>) each).getDelay(TimeUnit.NANOSECONDS) <= 0)
                        .count();
    }

    @Override
    public void setExecuteExistingDelayedTasksAfterShutdownPolicy(ScheduledExecutorService executor, boolean execute) {
        ((ScheduledThreadPoolExecutor) executor).setExecuteExistingDelayedTasksAfterShutdownPolicy(execute);
    }

    @Override
    public void setContinueExistingPeriodicTasksAfterShutdownPolicy(
            ScheduledExecutorService executor, boolean proceed) {
        ((ScheduledThreadPoolExecutor) executor).setContinueExistingPeriodicTasksAfterShutdownPolicy(proceed);
    }

    private static ScheduledExecutorService withThreads(int threads) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(threads);
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }
}
