package io.github.wheelscheduler.netty;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Which threads are in something of the users', so that a stop can interrupt them and wait for their end. Any thread. */
final class Runs {

    /** An interrupt that was swallowed is followed by another. */
    private static final long INTERRUPT_EVERY_MILLIS = 100;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition quiet = lock.newCondition();

    /** Guarded by the lock. */
    private final Map<Thread, Stay> inside = new HashMap<>();

    /** Written under the lock, once. */
    private volatile boolean closed;

    /**
     * Begins something that the same thread ends with {@link #leave}; it may do so several times, one within the other.
     *
     * @return false, and nothing has begun, after {@link #close}
     */
    boolean enter() {
        Thread thread = Thread.currentThread();
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            Stay stay = inside.get(thread);
            if (stay == null) {
                stay = new Stay();
                put(thread, stay);
            }
            stay.depth++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void put(Thread thread, Stay stay) {
        try {
            Stay ignored = inside.put(thread, stay);
        } catch (Throwable ex) {
            // The map may have run out of memory when it grew, after it had put it in.
            Stay ignored = inside.remove(thread);
            throw ex;
        }
    }

    /** Ends what {@link #enter} began. No interrupt of ours reaches the thread afterwards. */
    void leave() {
        Thread thread = Thread.currentThread();
        lockWithoutMemory();
        try {
            Stay stay = inside.get(thread);
            if (stay != null && --stay.depth == 0) {
                // An interrupt of ours was meant for what ends here, and not for what the thread does next.
                boolean ignored = stay.isInterrupted && Thread.interrupted();
                inside.remove(thread, stay);
                if (inside.isEmpty()) {
                    quiet.signalAll();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Who does not get out for lack of memory would be waited for, for ever. */
    private void lockWithoutMemory() {
        boolean isLocked = false;
        while (!isLocked) {
            try {
                lock.lock();
                isLocked = true;
            } catch (OutOfMemoryError ex) {
                WheelTimeout.pauseWithoutMemory();
            }
        }
    }

    /** Whether the calling thread is inside. */
    boolean isInside() {
        lock.lock();
        try {
            return inside.containsKey(Thread.currentThread());
        } finally {
            lock.unlock();
        }
    }

    /** Lets nobody in any more; true for the one who has done so. */
    boolean close() {
        lock.lock();
        try {
            boolean isFirst = !closed;
            closed = true;
            return isFirst;
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Interrupts who is inside, and waits, whatever happens, until nobody is.
     *
     * @return whether the calling thread was interrupted meanwhile
     */
    boolean awaitQuiet() {
        boolean interrupted = false;
        lock.lock();
        try {
            while (!inside.isEmpty()) {
                inside.forEach((thread, stay) -> {
                    stay.isInterrupted = true;
                    thread.interrupt();
                });
                try {
                    boolean ignored = quiet.await(INTERRUPT_EVERY_MILLIS, TimeUnit.MILLISECONDS);
                } catch (InterruptedException ex) {
                    interrupted = true;
                }
            }
        } finally {
            lock.unlock();
        }
        return interrupted;
    }

    /** Guarded by the lock. */
    private static final class Stay {

        int depth;
        boolean isInterrupted;
    }
}
