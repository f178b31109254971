package io.github.wheelscheduler.test;

import io.github.wheelscheduler.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;

/**
 * Monotonic time that moves only when it is told to. A thread that waits for a time parks without a limit until it has
 * come.
 */
final class VirtualTimeSource extends TimeSource {

    private final AtomicLong now = new AtomicLong();

    /** Number of waits that threads have begun. */
    private final AtomicLong parks = new AtomicLong();

    /** The threads that wait, each with the time that it waits for. */
    private final Map<Thread, Long> wakeUps = new ConcurrentHashMap<>();

    /** The summaries that are logged when time has been moved. */
    private final Queue<Runnable> summaries = new ConcurrentLinkedQueue<>();

    private final List<Poller> pollers = new CopyOnWriteArrayList<>();

    /** Writer: who makes virtual time. */
    private volatile LongPredicate mover = nanos -> false;

    /** A thread waits from the last time that it has read, so that no step is lost between reading and waiting. */
    private final ThreadLocal<Long> lastReading = new ThreadLocal<>();

    @Override
    public long nanoTime() {
        long reading = now.get();
        lastReading.set(reading);
        return reading;
    }

    /** Returns the time for a caller that does not wait for it. */
    long look() {
        return now.get();
    }

    @Override
    public long slackNanos() {
        return 0;
    }

    @Override
    public boolean isVirtual() {
        return true;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
        Long reading = lastReading.get();
        long from = reading == null ? now.get() : reading;
        long wakeUp = nanos > Long.MAX_VALUE - from ? Long.MAX_VALUE : from + nanos;
        Thread thread = Thread.currentThread();
        // In this order: a reader that sees the thread wait has seen it counted.
        parks.incrementAndGet();
        wakeUps.put(thread, wakeUp);
        if (wakeUp > now.get()) {
            LockSupport.park(blocker);
        }
        wakeUps.remove(thread, wakeUp);
    }

    @Override
    public List<Poller> pollers() {
        return pollers;
    }

    /** Sets how time moves by a number of nanoseconds for a caller that waits; false if the caller may not move it. */
    void setMover(LongPredicate mover) {
        this.mover = mover;
    }

    @Override
    public void pass(Object blocker, long nanos) {
        if (!mover.test(nanos)) {
            LockSupport.parkNanos(blocker, nanos);
        }
    }

    @Override
    public void sumUpLater(Runnable summary) {
        boolean ignored = summaries.add(summary);
    }

    /** Logs the lines that have been held back. */
    void sumUp() {
        for (Runnable summary = summaries.poll(); summary != null; summary = summaries.poll()) {
            summary.run();
        }
    }

    /** Moves time, and wakes the threads that have waited for it. */
    void moveTo(long nanos) {
        if (nanos < now.get()) {
            throw new IllegalStateException("Time must not go back from " + now + " to " + nanos);
        }
        now.set(nanos);
        wakeUps.forEach((thread, wakeUp) -> {
            if (wakeUp <= nanos) {
                LockSupport.unpark(thread);
            }
        });
    }

    long parks() {
        return parks.get();
    }

    /** Whether at least this number of threads wait for a later time. */
    boolean isAwaitedBy(int threads) {
        long seen = now.get();
        int waiting = 0;
        for (Map.Entry<Thread, Long> wait : wakeUps.entrySet()) {
            if (wait.getValue() > seen && wait.getKey().getState() == Thread.State.WAITING) {
                waiting++;
            }
        }
        return waiting >= threads;
    }

    /** Returns the first time that a thread waits for; {@code Long.MAX_VALUE} if none waits. */
    long nextWakeUp() {
        long next = Long.MAX_VALUE;
        for (long wakeUp : wakeUps.values()) {
            next = Math.min(next, wakeUp);
        }
        return next;
    }
}
