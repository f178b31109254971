package io.github.wheelscheduler.internal.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Counts what timers tell it, and arms periodic ones again as the engine does. Its time stands still. */
final class CountingOwner implements TimerOwner {

    final AtomicInteger started = new AtomicInteger();
    final AtomicInteger ending = new AtomicInteger();
    final AtomicInteger cancelledPending = new AtomicInteger();
    final AtomicInteger cancelledRunning = new AtomicInteger();
    final AtomicInteger cancelledReturned = new AtomicInteger();
    final AtomicInteger repeated = new AtomicInteger();

    /** For the test, which knows. */
    final AtomicInteger returned = new AtomicInteger();

    /** Called at that very moment, with the timer. */
    Consumer<ScheduledTimer<?>> whenEnding = timer -> {};

    private final long nowNanos;

    CountingOwner(long nowNanos) {
        this.nowNanos = nowNanos;
    }

    int cancelled() {
        return cancelledPending.get() + cancelledRunning.get() + cancelledReturned.get();
    }

    @Override
    public long nanoTime() {
        return nowNanos;
    }

    @Override
    public long deadlineAfter(long delay, TimeUnit unit) {
        return delay;
    }

    @Override
    public boolean decorates() {
        return true;
    }

    @Override
    public boolean mayStart(ScheduledTimer<?> timer, boolean handedOver) {
        return true;
    }

    @Override
    public void started(ScheduledTimer<?> timer, int stateBefore) {
        started.incrementAndGet();
    }

    @Override
    public void cancelled(ScheduledTimer<?> timer, int stateBefore) {
        switch (stateBefore) {
            case TimerWord.RUNNING -> cancelledRunning.incrementAndGet();
            case TimerWord.RETURNED -> cancelledReturned.incrementAndGet();
            default -> cancelledPending.incrementAndGet();
        }
    }

    @Override
    public Dispatcher dispatcher() {
        throw new UnsupportedOperationException("There is nothing to dispatch to");
    }

    @Override
    public void gaveBack(ScheduledTimer<?> timer) {
        cancelledPending.incrementAndGet();
    }

    @Override
    public void refused(ScheduledTimer<?> timer) {
        cancelledPending.incrementAndGet();
    }

    @Override
    public void ending(ScheduledTimer<?> timer, boolean wasReady) {
        ending.incrementAndGet();
        whenEnding.accept(timer);
    }

    @Override
    public void movedEarlier(ScheduledTimer<?> timer, long deadlineNanos) {}

    @Override
    public void repeat(PeriodicTimer timer, boolean wasReady) {
        repeated.incrementAndGet();
        if (!timer.rearmExactly(nowNanos, nowNanos)) {
            repeated.decrementAndGet();
        }
    }
}
