package io.github.wheelscheduler.benchmarks.contender;

import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A {@link ScheduledExecutorService}. */
abstract class ExecutorContender implements Contender {

    private final ScheduledExecutorService executor;

    ExecutorContender(ScheduledExecutorService executor) {
        this.executor = executor;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the handle is the future
    public final Object schedule(BenchTask task, long delayNanos) {
        return executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public final void execute(BenchTask task) {
        executor.execute(task);
    }

    @Override
    public final Future<?> submit(BenchTask task) {
        return executor.submit(task);
    }

    @Override
    public final void cancel(Object handle) {
        ((Future<?>) handle).cancel(false);
    }

    @Override
    public final void repeatAtRate(BenchTask task, long firstDeadlineNanos, long periodNanos) {
        Future<?> ignored = executor.scheduleAtFixedRate(
                task, firstDeadlineNanos - System.nanoTime(), periodNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the handle is the future
    public final Object repeating(BenchTask task, long delayNanos, long periodNanos) {
        return executor.scheduleAtFixedRate(task, delayNanos, periodNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public final void repeatWithDelay(BenchTask task, long firstDeadlineNanos, long delayNanos) {
        Future<?> ignored = executor.scheduleWithFixedDelay(
                task, firstDeadlineNanos - System.nanoTime(), delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public final void close() {
        List<Runnable> ignored = executor.shutdownNow();
    }
}
