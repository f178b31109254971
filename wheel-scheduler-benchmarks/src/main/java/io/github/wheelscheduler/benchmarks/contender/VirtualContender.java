package io.github.wheelscheduler.benchmarks.contender;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** The JDK's executor that starts a virtual thread for each task. It knows only tasks that are to run now. */
final class VirtualContender implements Contender {

    private final ExecutorService executor;

    private VirtualContender(ExecutorService executor) {
        this.executor = executor;
    }

    static VirtualContender create() {
        return new VirtualContender(VirtualThreads.executor());
    }

    @Override
    public void execute(BenchTask task) {
        executor.execute(task);
    }

    @Override
    public Future<?> submit(BenchTask task) {
        return executor.submit(task);
    }

    @Override
    public Object schedule(BenchTask task, long delayNanos) {
        throw new UnsupportedOperationException("a plain executor cannot schedule with a delay");
    }

    @Override
    public void cancel(Object handle) {
        throw new UnsupportedOperationException("a plain executor cannot schedule with a delay");
    }

    @Override
    public void repeatAtRate(BenchTask task, long firstDeadlineNanos, long periodNanos) {
        throw new UnsupportedOperationException("a plain executor cannot repeat a task");
    }

    @Override
    public void repeatWithDelay(BenchTask task, long firstDeadlineNanos, long delayNanos) {
        throw new UnsupportedOperationException("a plain executor cannot schedule with a delay");
    }

    @Override
    public long absorb() {
        return 0;
    }

    @Override
    public void close() {
        List<Runnable> ignored = executor.shutdownNow();
    }
}
