package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A whole executor, with its real threads, in time that a test moves. */
public final class VirtualTime implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** A deadline is rounded up to 8 ns and then to a tick, and a fixed delay adds that up. */
    private static final long ROUNDING_NANOS = 10_000;

    public final ManualClock clock;
    public final ManualWallClock wallClock;
    public final WheelScheduledExecutor executor;
    private final Set<WheelScheduledExecutor> blocked = ConcurrentHashMap.newKeySet();
    private final long originNanos;

    /** As seen when all was quiet. */
    private long nextWakeUpNanos;

    public VirtualTime() {
        this(0, builder -> builder);
    }

    public VirtualTime(UnaryOperator<WheelScheduledExecutorBuilder> options) {
        this(0, options);
    }

    /** The tick is as fine as it can be, unless the options say otherwise: so deadlines are met to 1,024 ns. */
    public VirtualTime(long originNanos, UnaryOperator<WheelScheduledExecutorBuilder> options) {
        this.originNanos = originNanos;
        this.clock = new ManualClock(originNanos);
        this.wallClock = new ManualWallClock(clock);
        this.executor = options.apply(WheelScheduledExecutor.builder()
                        .timeSource(clock)
                        .wallClock(wallClock)
                        .tick(Duration.ofNanos(1_024)))
                .build();
    }

    /** Returns the milliseconds since the start, rounded down. */
    public long millis() {
        return TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - originNanos);
    }

    /** Moves time in one jump, as after a pause of the process, and waits until what follows from it is done. */
    public void jump(Duration step) {
        clock.advance(step);
        awaitQuiet();
    }

    /**
     * Lets time pass from wake-up to wake-up of the tick thread, so that everything happens when it is due; ends a
     * little later, so that what is due at the end is done, although it is rounded up to a tick.
     */
    public void pass(Duration duration) {
        awaitQuiet();
        long end = clock.nanoTime() + duration.toNanos() + ROUNDING_NANOS;
        while (nextWakeUpNanos <= end - clock.nanoTime()) {
            clock.advanceTo(clock.nanoTime() + nextWakeUpNanos);
            awaitQuiet();
        }
        clock.advanceTo(end);
        awaitQuiet();
    }

    /** Waits until the tick thread sleeps, nobody has asked it to wake up, and no worker has anything to do. */
    public void awaitQuiet() {
        if (!Patience.holdsWithin(PATIENCE, this::isQuiet)) {
            throw new AssertionError("must become quiet: " + executor + ", " + executor.snapshot());
        }
    }

    private boolean isQuiet() {
        if (executor.isTerminated()) {
            return true;
        }
        // The tick thread has slept from the first look to the last one, so all that was on its way lies between.
        long parks = clock.parks();
        if (!clock.isAwaited()) {
            return false;
        }
        nextWakeUpNanos = clock.nanosToNextWakeUp();
        return areWorkersQuiet()
                && !EngineOf.executor(executor).shared.loop.dispatchers.isRoomForHeldUp()
                && EngineOf.executor(executor).inbox.isSleepAnnounced()
                && clock.isAwaited()
                && clock.parks() == parks;
    }

    private boolean areWorkersQuiet() {
        return isQuiet(executor) && executor.groups().stream().allMatch(this::isQuiet);
    }

    private boolean isQuiet(WheelScheduledExecutor one) {
        Dispatcher dispatcher = EngineOf.executor(one).dispatcher();
        GroupRefusals refusals = dispatcher.refusals;
        return dispatcher.isDrained()
                || (one.isPaused() && one.activeCount() == 0)
                || (blocked.contains(one) && (refusals == null || refusals.workers.isDrained()));
    }

    /** Says whether a test holds workers of the executor or of a group, so that nobody waits for their runs. */
    public void setBlocked(WheelScheduledExecutor one, boolean isBlocked) {
        boolean ignored = isBlocked ? blocked.add(one) : blocked.remove(one);
    }

    long wheelSize() {
        return EngineOf.executor(executor).shared.loop.wheelSize;
    }

    /** Returns a task that writes down when it runs, in milliseconds since the start. */
    public Recorder recorder() {
        return new Recorder();
    }

    @Override
    public void close() {
        List<Runnable> ignored = executor.shutdownNow();
        Patience.awaitThat(executor::isTerminated);
    }

    /** Writes down when it runs. */
    final class Recorder implements Runnable {

        private final List<Long> millis = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void run() {
            millis.add(millis());
        }

        /** Returns the times of the runs since the last call. */
        List<Long> take() {
            synchronized (millis) {
                List<Long> taken = List.copyOf(millis);
                millis.clear();
                return taken;
            }
        }
    }
}
