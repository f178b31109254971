package io.github.wheelscheduler.benchmarks.contender;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.netty.WheelNettyTimer;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Netty's {@link HashedWheelTimer}, which runs tasks on its own thread unless it has workers; or ours in its place. */
final class NettyContender implements Contender {

    private static final int BUCKETS = 512;

    private final @Nullable CapturingThreadFactory timerThread;
    private final @Nullable ExecutorService workers;
    private final Timer timer;

    private NettyContender(
            Timer timer, @Nullable CapturingThreadFactory timerThread, @Nullable ExecutorService workers) {
        this.timer = timer;
        this.timerThread = timerThread;
        this.workers = workers;
    }

    static NettyContender withoutWorkers() {
        CapturingThreadFactory thread = new CapturingThreadFactory("hashed-wheel-timer");
        return new NettyContender(new HashedWheelTimer(thread, 1, TimeUnit.MILLISECONDS, BUCKETS, false), thread, null);
    }

    static NettyContender withWorkers(int count) {
        CapturingThreadFactory thread = new CapturingThreadFactory("hashed-wheel-timer");
        ExecutorService workers = Executors.newFixedThreadPool(count);
        return new NettyContender(
                new HashedWheelTimer(thread, 1, TimeUnit.MILLISECONDS, BUCKETS, false, -1, workers), thread, workers);
    }

    /** Our timer of Netty's kind, whose one worker is where tasks belong. */
    static NettyContender onTheWheel() {
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        return new NettyContender(WheelNettyTimer.builder(executor).build(), null, executor);
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
        return timerThread == null ? null : timerThread.thread();
    }

    @Override
    public void close() {
        Set<Timeout> unusedTimeouts = timer.stop();
        if (workers != null) {
            List<Runnable> ignored = workers.shutdownNow();
        }
    }
}
