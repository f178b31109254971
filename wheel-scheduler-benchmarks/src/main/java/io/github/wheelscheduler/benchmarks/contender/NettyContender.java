package io.github.wheelscheduler.benchmarks.contender;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Netty's {@link HashedWheelTimer}; it runs tasks on its own thread unless it has workers. */
final class NettyContender implements Contender {

    private static final int BUCKETS = 512;

    private final CapturingThreadFactory timerThread = new CapturingThreadFactory("hashed-wheel-timer");
    private final @Nullable ExecutorService workers;
    private final HashedWheelTimer timer;

    private NettyContender(@Nullable ExecutorService workers) {
        this.workers = workers;
        this.timer = workers == null
                ? new HashedWheelTimer(timerThread, 1, TimeUnit.MILLISECONDS, BUCKETS, false)
                : new HashedWheelTimer(timerThread, 1, TimeUnit.MILLISECONDS, BUCKETS, false, -1, workers);
    }

    static NettyContender withoutWorkers() {
        return new NettyContender(null);
    }

    static NettyContender withWorkers(int workers) {
        return new NettyContender(Executors.newFixedThreadPool(workers));
    }

    @Override
    public Object schedule(BenchTask task, long delayNanos) {
        return timer.newTimeout(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void cancel(Object handle) {
        ((Timeout) handle).cancel();
    }

    @Override
    public void repeatAtRate(BenchTask task, long firstDeadlineNanos, long periodNanos) {
        SelfArming.atRate(this, task, firstDeadlineNanos, periodNanos);
    }

    @Override
    public void repeatWithDelay(BenchTask task, long firstDeadlineNanos, long delayNanos) {
        SelfArming.withDelay(this, task, firstDeadlineNanos, delayNanos);
    }

    @Override
    public @Nullable Thread timerThread() {
        return timerThread.thread();
    }

    @Override
    public void close() {
        Set<Timeout> unusedTimeouts = timer.stop();
        if (workers != null) {
            List<Runnable> ignored = workers.shutdownNow();
        }
    }
}
