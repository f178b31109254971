package io.github.wheelscheduler.contract;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** What a scheduler returns for its thread pool keeps the contract of one. */
@OnlyParts({
    SubmissionContract.class,
    InvokeAllContract.class,
    InvokeAnyContract.class,
    ArgumentContract.class,
    ShutdownContract.class,
    ShutdownPolicyContract.class,
    ShutdownNowContract.class,
    RejectionContract.class,
    FewThreadsContract.class,
    LaterJdkContract.class
})
class ScheduledPoolViewContractTest extends ScheduledExecutorServiceContract {

    @Override
    public ScheduledExecutorService create() {
        return viewOf(new WheelTaskScheduler());
    }

    @Override
    public Optional<ScheduledExecutorService> createWithOneWorker() {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setPoolSize(1);
        return Optional.of(viewOf(scheduler));
    }

    @Override
    public Optional<ScheduledExecutorService> createWithThreadsOf(ThreadFactory factory) {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setThreadFactory(factory);
        scheduler.setWorkerKeepAlive(Duration.ofMillis(1));
        return Optional.of(viewOf(scheduler));
    }

    private static ScheduledExecutorService viewOf(WheelTaskScheduler scheduler) {
        scheduler.setMaxCatchUp(Integer.MAX_VALUE);
        scheduler.initialize();
        return scheduler.getScheduledThreadPoolExecutor();
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
}
