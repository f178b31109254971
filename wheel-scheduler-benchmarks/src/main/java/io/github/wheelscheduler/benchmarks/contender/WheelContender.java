package io.github.wheelscheduler.benchmarks.contender;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.WheelTimer;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Our executor with its defaults, or with a new thread for each run. */
final class WheelContender extends ExecutorContender {

    private final CapturingThreadFactory tickThread;
    private final @Nullable WheelContender group;

    private WheelContender(
            WheelScheduledExecutor executor, CapturingThreadFactory tickThread, @Nullable WheelContender group) {
        super(executor);
        this.tickThread = tickThread;
        this.group = group;
    }

    static WheelContender withDefaults() {
        return of(WheelScheduledExecutor.builder());
    }

    static WheelContender withWorkers(int workers) {
        return of(WheelScheduledExecutor.builder().maxWorkers(workers));
    }

    static WheelContender withThreadPerRun(ThreadFactory threads) {
        return of(WheelScheduledExecutor.builder().threadPerRun(threads));
    }

    static WheelContender withTolerance(Duration tolerance) {
        return of(WheelScheduledExecutor.builder().startTolerance(tolerance));
    }

    /** With the defaults, and a group of so many workers for slow tasks, in whose queue as many may wait. */
    static Contender withGroup(int workers) {
        CapturingThreadFactory tickThread = new CapturingThreadFactory("tick");
        WheelScheduledExecutor executor =
                WheelScheduledExecutor.builder().tickThreadFactory(tickThread).build();
        WheelScheduledExecutor group = executor.newGroup("slow")
                .maxWorkers(workers)
                .queueCapacity(workers)
                .build();
        return new WheelContender(executor, tickThread, new WheelContender(group, tickThread, null));
    }

    private static WheelContender of(WheelScheduledExecutorBuilder builder) {
        CapturingThreadFactory tickThread = new CapturingThreadFactory("tick");
        return new WheelContender(builder.tickThreadFactory(tickThread).build(), tickThread, null);
    }

    @Override
    public Object move(Object handle, BenchTask task, long delayNanos) {
        if (!((WheelTimer<?>) handle).reschedule(delayNanos, TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException("a pending timer must be movable, was " + handle);
        }
        return handle;
    }

    @Override
    public Contender forSlowTasks() {
        return group == null ? this : group;
    }

    @Override
    public @Nullable Thread timerThread() {
        return tickThread.thread();
    }
}
