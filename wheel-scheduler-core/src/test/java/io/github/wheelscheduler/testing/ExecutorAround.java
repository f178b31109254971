package io.github.wheelscheduler.testing;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An executor as libraries for tracing put it around another one: each task that it passes on has something around it.
 */
public final class ExecutorAround extends AbstractExecutorService implements ScheduledExecutorService {

    private final ScheduledExecutorService executor;
    private final boolean hasOwnFutures;
    private final AtomicInteger wrapped = new AtomicInteger();
    private final AtomicInteger runs = new AtomicInteger();

    /** Called on the scheduling thread after each task that has been passed on. */
    public volatile Runnable whenPassedOn = () -> {};

    /**
     * Puts one around an executor.
     *
     * @param hasOwnFutures whether what it returns is of a type of its own
     */
    public ExecutorAround(ScheduledExecutorService executor, boolean hasOwnFutures) {
        this.executor = executor;
        this.hasOwnFutures = hasOwnFutures;
    }

    /** Returns how many tasks have been wrapped. */
    public int wrapped() {
        return wrapped.get();
    }

    /** Returns how many runs have begun in a wrapper. */
    public int runs() {
        return runs.get();
    }

    private Runnable around(Runnable task) {
        wrapped.incrementAndGet();
        return () -> {
            runs.incrementAndGet();
            task.run();
        };
    }

    private <V> Callable<V> around(Callable<V> task) {
        wrapped.incrementAndGet();
        return () -> {
            runs.incrementAndGet();
            return task.call();
        };
    }

    private <V> ScheduledFuture<V> passedOn(ScheduledFuture<V> future) {
        whenPassedOn.run();
        return hasOwnFutures ? new OwnFuture<>(future) : future;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return passedOn(executor.schedule(around(command), delay, unit));
    }

    @Override
    public <V extends @Nullable Object> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return passedOn(executor.schedule(around(callable), delay, unit));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return passedOn(executor.scheduleAtFixedRate(around(command), initialDelay, period, unit));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return passedOn(executor.scheduleWithFixedDelay(around(command), initialDelay, delay, unit));
    }

    @Override
    public void execute(Runnable command) {
        executor.execute(around(command));
    }

    @Override
    public Future<?> submit(Runnable task) {
        return executor.submit(around(task));
    }

    @Override
    public <T extends @Nullable Object> Future<T> submit(Callable<T> task) {
        return executor.submit(around(task));
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
    public boolean isTerminated() {
        return executor.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return executor.awaitTermination(timeout, unit);
    }

    private record OwnFuture<V>(ScheduledFuture<V> future) implements ScheduledFuture<V> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return future.cancel(mayInterruptIfRunning);
        }

        @Override
        public boolean isCancelled() {
            return future.isCancelled();
        }

        @Override
        public boolean isDone() {
            return future.isDone();
        }

        @Override
        public V get() throws InterruptedException, ExecutionException {
            return future.get();
        }

        @Override
        public V get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
            return future.get(timeout, unit);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return future.getDelay(unit);
        }

        @Override
        public int compareTo(Delayed other) {
            return future.compareTo(other);
        }
    }
}
