package io.github.wheelscheduler.internal.worker;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Is told what workers do, keeps it for a test, and fails if it is to. */
final class RecordingListener implements Workers.Listener {

    final AtomicInteger idle = new AtomicInteger();
    final AtomicInteger ended = new AtomicInteger();
    final AtomicInteger left = new AtomicInteger();
    final List<Runnable> touched = new CopyOnWriteArrayList<>();
    final List<Runnable> abandoned = new CopyOnWriteArrayList<>();

    /** So often it fails. */
    final AtomicInteger failuresWhenIdle = new AtomicInteger();

    final AtomicInteger failuresWhenEnded = new AtomicInteger();
    final AtomicInteger failuresWhenAskedIfOver = new AtomicInteger();

    /** What it says when it is asked. */
    final AtomicLong now = new AtomicLong();

    final Set<Runnable> over = ConcurrentHashMap.newKeySet();
    volatile boolean shutdown;
    volatile Runnable whenTouched = () -> {};

    @Override
    public void wentIdle() {
        fail(failuresWhenIdle);
        idle.incrementAndGet();
    }

    @Override
    public void ended() {
        fail(failuresWhenEnded);
        ended.incrementAndGet();
    }

    private static void fail(AtomicInteger failures) {
        if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new IllegalStateException("on purpose");
        }
    }

    @Override
    public boolean touch(Runnable run) {
        whenTouched.run();
        return touched.add(run);
    }

    @Override
    public boolean isOver(Runnable run) {
        fail(failuresWhenAskedIfOver);
        return over.contains(run);
    }

    @Override
    public long starting(Runnable run, long expiredNanos) {
        return now.get();
    }

    @Override
    public void left() {
        left.incrementAndGet();
    }

    @Override
    public void abandoned(Runnable run) {
        abandoned.add(run);
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }
}
