package io.github.wheelscheduler.benchmarks.contender;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Future;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.scheduling.TaskScheduler;

/** A scheduler behind Spring's interface, which takes instants. */
abstract class SpringContender implements Contender {

    private final TaskScheduler scheduler;
    private final AsyncTaskExecutor executor;
    private final Runnable close;

    <S extends TaskScheduler & AsyncTaskExecutor> SpringContender(S scheduler, Runnable close) {
        this.scheduler = scheduler;
        this.executor = scheduler;
        this.close = close;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the handle is the future
    public final Object schedule(BenchTask task, long delayNanos) {
        return Objects.requireNonNull(scheduler.schedule(task, after(delayNanos)));
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
        Future<?> ignored = scheduler.scheduleAtFixedRate(task, at(firstDeadlineNanos), Duration.ofNanos(periodNanos));
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the handle is the future
    public final Object repeating(BenchTask task, long delayNanos, long periodNanos) {
        return scheduler.scheduleAtFixedRate(task, after(delayNanos), Duration.ofNanos(periodNanos));
    }

    @Override
    public final void repeatWithDelay(BenchTask task, long firstDeadlineNanos, long delayNanos) {
        Future<?> ignored =
                scheduler.scheduleWithFixedDelay(task, at(firstDeadlineNanos), Duration.ofNanos(delayNanos));
    }

    @Override
    public final void close() {
        close.run();
    }

    private static Instant at(long deadlineNanos) {
        return after(deadlineNanos - System.nanoTime());
    }

    private static Instant after(long delayNanos) {
        return Instant.now().plusNanos(delayNanos);
    }
}
