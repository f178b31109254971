package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.internal.spring.task.PendingFutures;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The wheel's executor, for code that asks for a {@link ScheduledThreadPoolExecutor}: every method is answered by the
 * executor, or refused. The pool that this is by its type has no thread and no task, and never gets one. Any thread.
 */
class ScheduledPoolView extends ScheduledThreadPoolExecutor {

    final WheelScheduledExecutor executor;
    private final BlockingQueue<Runnable> queue;

    /** The largest numbers that have been seen. Guarded by this. */
    private long completed;

    private int largest;

    ScheduledPoolView(WheelScheduledExecutor executor, ThreadFactory threads, RejectedExecutionHandler handler) {
        this(
                executor,
                threads,
                handler,
                new PendingFutures(
                        executor,
                        () -> new UnsupportedOperationException(
                                "Tasks must be scheduled or executed on the scheduler; its queue accepts none")));
    }

    ScheduledPoolView(
            WheelScheduledExecutor executor,
            ThreadFactory threads,
            RejectedExecutionHandler handler,
            BlockingQueue<Runnable> queue) {
        super(0, threads, handler);
        this.executor = executor;
        this.queue = queue;
    }

    /** Returns a new view. To name the class alone, as the type of the result, would load it with its users. */
    static ScheduledThreadPoolExecutor of(
            WheelScheduledExecutor executor, ThreadFactory threads, RejectedExecutionHandler handler) {
        return new ScheduledPoolView(executor, threads, handler);
    }

    /** Whether that is a view of the executor. */
    static boolean isOf(WheelScheduledExecutor executor, ScheduledThreadPoolExecutor view) {
        return view instanceof ScheduledPoolView known && known.executor == executor;
    }

    // Tasks

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return executor.schedule(command, delay, unit);
    }

    @Override
    public <V extends @Nullable Object> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return executor.schedule(callable, delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return executor.scheduleAtFixedRate(command, initialDelay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return executor.scheduleWithFixedDelay(command, initialDelay, delay, unit);
    }

    @Override
    public void execute(Runnable command) {
        executor.execute(command);
    }

    @Override
    public Future<?> submit(Runnable task) {
        return executor.submit(task);
    }

    @Override
    public <T extends @Nullable Object> Future<T> submit(Runnable task, T result) {
        return executor.submit(task, result);
    }

    @Override
    public <T extends @Nullable Object> Future<T> submit(Callable<T> task) {
        return executor.submit(task);
    }

    @Override
    public <T extends @Nullable Object> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks)
            throws InterruptedException {
        return executor.invokeAll(tasks);
    }

    @Override
    public <T extends @Nullable Object> List<Future<T>> invokeAll(
            Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit) throws InterruptedException {
        return executor.invokeAll(tasks, timeout, unit);
    }

    @Override
    public <T extends @Nullable Object> T invokeAny(Collection<? extends Callable<T>> tasks)
            throws InterruptedException, ExecutionException {
        return executor.invokeAny(tasks);
    }

    @Override
    public <T extends @Nullable Object> T invokeAny(
            Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return executor.invokeAny(tasks, timeout, unit);
    }

    @Override
    public BlockingQueue<Runnable> getQueue() {
        return queue;
    }

    @Override
    public boolean remove(Runnable task) {
        return queue.remove(task);
    }

    /** Does nothing: cancelled tasks have left already. */
    @Override
    public void purge() {}

    /** Returns true: cancelled tasks are always removed. */
    @Override
    public boolean getRemoveOnCancelPolicy() {
        return true;
    }

    @Override
    public void setRemoveOnCancelPolicy(boolean value) {
        if (!value) {
            throw refused("Cancelled tasks are always removed at once; the policy must be true, was false");
        }
    }

    // The end

    @Override
    public boolean getContinueExistingPeriodicTasksAfterShutdownPolicy() {
        return executor.getContinueExistingPeriodicTasksAfterShutdownPolicy();
    }

    @Override
    public void setContinueExistingPeriodicTasksAfterShutdownPolicy(boolean value) {
        executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(value);
    }

    @Override
    public boolean getExecuteExistingDelayedTasksAfterShutdownPolicy() {
        return executor.getExecuteExistingDelayedTasksAfterShutdownPolicy();
    }

    @Override
    public void setExecuteExistingDelayedTasksAfterShutdownPolicy(boolean value) {
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(value);
    }

    @Override
    public void shutdown() {
        executor.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        List<Runnable> futures = executor.shutdownNow();
        futures.replaceAll(PendingFutures::returnedFor);
        return futures;
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

    // Overrides the default of JDK 19 and later.
    @SuppressWarnings("MissingOverride")
    public void close() {
        executor.close();
    }

    // Threads

    @Override
    public int getPoolSize() {
        return executor.workerCount();
    }

    /** Returns how many workers there were at most; on virtual threads, of the numbers that this has been asked for. */
    @Override
    public synchronized int getLargestPoolSize() {
        largest = Math.max(largest, executor.largestWorkerCount());
        return largest;
    }

    @Override
    public int getActiveCount() {
        return executor.activeCount();
    }

    /** Returns how many workers stay, once they have come, though they have nothing to do. */
    @Override
    public int getCorePoolSize() {
        return executor.coreWorkers();
    }

    @Override
    public void setCorePoolSize(int corePoolSize) {
        throw refused("The core size must not be changed, as workers start on demand up to the maximum pool size;"
                + " was to be " + corePoolSize);
    }

    @Override
    public int getMaximumPoolSize() {
        return executor.maxWorkers();
    }

    @Override
    public void setMaximumPoolSize(int maximumPoolSize) {
        executor.setMaxWorkers(maximumPoolSize);
    }

    @Override
    public long getKeepAliveTime(TimeUnit unit) {
        return unit.convert(executor.workerKeepAlive());
    }

    @Override
    public void setKeepAliveTime(long time, TimeUnit unit) {
        throw refused("The keep-alive of workers must be set on the scheduler before it is initialized, was to be "
                + time + " " + unit);
    }

    @Override
    public boolean allowsCoreThreadTimeOut() {
        return executor.coreWorkers() == 0;
    }

    @Override
    public void allowCoreThreadTimeOut(boolean value) {
        if (value != allowsCoreThreadTimeOut()) {
            throw refused("The number of idle workers is fixed; the policy must be " + allowsCoreThreadTimeOut()
                    + ", was to be " + value);
        }
    }

    /** Returns false: workers start with the runs. */
    @Override
    public boolean prestartCoreThread() {
        return false;
    }

    /** Returns 0: workers start with the runs. */
    @Override
    public int prestartAllCoreThreads() {
        return 0;
    }

    @Override
    public void setThreadFactory(ThreadFactory threadFactory) {
        throw refused("The thread factory must be set on the scheduler before it is initialized, was to be "
                + nameOf(threadFactory));
    }

    @Override
    public void setRejectedExecutionHandler(RejectedExecutionHandler handler) {
        throw refused("The rejection handler must be set on the scheduler before it is initialized, was to be "
                + nameOf(handler));
    }

    private static String nameOf(@Nullable Object given) {
        return given == null ? "null" : given.getClass().getName();
    }

    private static UnsupportedOperationException refused(String rule) {
        return new UnsupportedOperationException(rule);
    }

    // Counts

    /**
     * Returns how many runs have ended: the number of started runs minus the number of active ones. The two are not of
     * one moment, so the count is kept from falling, which would look like a restart. At rest it is exact.
     */
    @Override
    public synchronized long getCompletedTaskCount() {
        // In this order: a run that ends in between is not missed, and one that starts in between is not counted yet.
        long started = executor.snapshot().totals().fired();
        completed = Math.max(completed, started - executor.activeCount());
        return completed;
    }

    @Override
    public long getTaskCount() {
        return getCompletedTaskCount() + executor.activeCount() + executor.pendingCount();
    }

    /** Returns the same text as a pool: Spring's statistics of message brokers parse it. */
    @Override
    public String toString() {
        String state = isTerminated() ? "Terminated" : isShutdown() ? "Shutting down" : "Running";
        return getClass().getName() + "@" + Integer.toHexString(hashCode()) + "[" + state + ", pool size = "
                + getPoolSize() + ", active threads = " + getActiveCount() + ", queued tasks = " + queue.size()
                + ", completed tasks = " + getCompletedTaskCount() + "]";
    }
}
