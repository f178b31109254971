package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Monotonic time that moves only when a test says so. A thread that waits for it parks without a limit. */
public final class ManualClock extends TimeSource {

    private final AtomicLong now;
    private final AtomicLong parks = new AtomicLong();

    /** The threads that wait, each with the reading that it waits for. */
    private final Map<Thread, Long> wakeUps = new ConcurrentHashMap<>();

    /** A thread waits from the last time that it has read, so that no step is lost between reading and waiting. */
    private final ThreadLocal<Long> lastReading = new ThreadLocal<>();

    ManualClock(long originNanos) {
        this.now = new AtomicLong(originNanos);
    }

    @Override
    public long nanoTime() {
        long reading = now.get();
        lastReading.set(reading);
        return reading;
    }

    @Override
    public long slackNanos() {
        return 0;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
        Long reading = lastReading.get();
        long wakeUp = (reading == null ? now.get() : reading) + nanos;
        Thread thread = Thread.currentThread();
        // In this order: a test that sees the thread wait has seen it counted.
        parks.incrementAndGet();
        wakeUps.put(thread, wakeUp);
        if (wakeUp - now.get() > 0) {
            LockSupport.park(blocker);
        }
        wakeUps.remove(thread, wakeUp);
    }

    /** Moves time, and wakes who has waited for it. Any thread, tasks included. */
    public void advance(Duration step) {
        advanceTo(now.get() + step.toNanos());
    }

    void advanceTo(long nanos) {
        now.updateAndGet(seen -> nanos - seen > 0 ? nanos : seen);
        wakeUps.forEach((thread, wakeUp) -> {
            if (wakeUp - now.get() <= 0) {
                LockSupport.unpark(thread);
            }
        });
    }

    /** Returns how often a thread has begun to wait. */
    long parks() {
        return parks.get();
    }

    /** Whether a thread waits for a time that is still to come, and has no wake-up left that would stir it before. */
    public boolean isAwaited() {
        return wakeUps.entrySet().stream()
                .anyMatch(
                        wait -> wait.getValue() - now.get() > 0 && wait.getKey().getState() == Thread.State.WAITING);
    }

    /** Returns how long it is until the first waiting thread wakes up; the longest time if none waits. */
    long nanosToNextWakeUp() {
        return wakeUps.values().stream()
                .mapToLong(wakeUp -> Math.max(0, wakeUp - now.get()))
                .min()
                .orElse(Long.MAX_VALUE);
    }
}
