package io.github.wheelscheduler.internal.worker;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Starts workers, on a thread of its own, where others cannot: the first ones of pools that have no thread while they are idle, and, after a
 * start has failed, further ones at growing intervals while none is free. All pools of one wheel share it. The thread sleeps until then.
 */
public final class Starter implements Runnable {

    /*
     * Thread factories are the user's, and one may take its time. So a deputy is there while the thread is in one: when a call takes
     * long, the deputy goes on in place of the thread, which ends after that call. 'calls' says which of them goes on:
     *
     *      thread                                    deputy
     *   1  calls = odd, before the call           1  seen = calls, sleep for LONG_CALL_NANOS
     *   2  the call                               2  seen odd: calls = seen + 1 by CAS
     *   3  calls = even by CAS                       won: it is the thread from now on
     *      lost: ends
     *
     * Only the one that goes on takes pools from the stack of pools that have asked, and looks at pools that are short of workers.
     */

    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final long LONGEST_PAUSE_NANOS = 100_000_000;
    private static final long LONG_CALL_NANOS = 20_000_000;

    /** So often a pause is cut short because others want something, before it counts as over. */
    private static final int PATIENCE = 16;

    private final ThreadFactory threadFactory;
    private final Runnable whenEnded;

    /** The pool that has asked last, and through it the others. */
    private final AtomicReference<@Nullable PoolSize> lastAsked = new AtomicReference<>();

    /** Those for which no worker could be started. The thread only. */
    private @Nullable PoolSize lastShort;

    private final AtomicLong calls = new AtomicLong();

    private volatile boolean stopped;

    /** Writers: the thread that starts it, under the lock of the engine; the deputy that takes over; the thread itself when it ends. */
    private volatile @Nullable Thread thread;

    /** Null while nothing is being started. Writers: the thread; the deputy that takes over. */
    private volatile @Nullable Thread deputy;

    /**
     * Creates a starter without a thread.
     *
     * @param threadFactory makes the thread
     * @param whenEnded is called on that thread, as the last thing
     */
    public Starter(ThreadFactory threadFactory, Runnable whenEnded) {
        this.threadFactory = threadFactory;
        this.whenEnded = whenEnded;
    }

    /** Starts the thread unless it has been. One caller at a time. What fails is thrown. */
    public void start() {
        if (thread != null || stopped) {
            return;
        }
        Thread created = WheelThreadFactory.newThread(threadFactory, this);
        thread = created;
        try {
            created.start();
        } catch (Throwable ex) {
            thread = null;
            throw ex;
        }
    }

    /** Lets the thread end; nothing is started after that. */
    public void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    /** Whether there is no thread, and will be none once it has been stopped; one that hangs in a thread factory does not count. */
    public boolean hasEnded() {
        return thread == null;
    }

    /** Makes the thread look what is to be done for the pool. Any thread. */
    void wake(PoolSize poolSize) {
        if (!poolSize.hasAsked.get() && poolSize.hasAsked.compareAndSet(false, true)) {
            push(poolSize);
            LockSupport.unpark(thread);
        }
    }

    private void push(PoolSize poolSize) {
        PoolSize before;
        do {
            before = lastAsked.get();
            poolSize.askedBefore = before;
        } while (!lastAsked.compareAndSet(before, poolSize));
    }

    /** Returns the pool that has asked last; null if there is none, or nothing is to be started any more. */
    private @Nullable PoolSize pop() {
        PoolSize poolSize;
        do {
            poolSize = stopped ? null : lastAsked.get();
        } while (poolSize != null && !lastAsked.compareAndSet(poolSize, poolSize.askedBefore));
        return poolSize;
    }

    @Override
    public void run() {
        long pauseNanos = FIRST_PAUSE_NANOS;
        int interruptions = 0;
        boolean again = false;
        while (!stopped) {
            if (!startForAll(again)) {
                return;
            }
            again = false;
            // No code has reason to interrupt it; with the flag set it would not park.
            boolean ignored = Thread.interrupted();
            if (lastShort == null) {
                dismissDeputy();
                pauseNanos = FIRST_PAUSE_NANOS;
                if (lastAsked.get() == null && !stopped) {
                    LockSupport.park(this);
                }
            } else {
                LockSupport.parkNanos(this, pauseNanos);
                interruptions = lastAsked.get() != null ? interruptions + 1 : 0;
                again = interruptions % PATIENCE == 0;
            }
            if (again) {
                pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
                askForThoseThatAreShort();
            }
        }
        dismissDeputy();
        thread = null;
        tellOfEnd();
    }

    private void tellOfEnd() {
        while (true) {
            try {
                whenEnded.run();
                return;
            } catch (Throwable ex) {
                // No other thread would.
                LockSupport.parkNanos(this, FIRST_PAUSE_NANOS);
            }
        }
    }

    private void askForThoseThatAreShort() {
        while (lastShort != null) {
            PoolSize poolSize = lastShort;
            lastShort = poolSize.askedBefore;
            push(poolSize);
        }
    }

    /**
     * Starts workers for the pools that have asked. Throws nothing.
     *
     * @param again whether to try where it has failed
     * @return false if another thread goes on
     */
    private boolean startForAll(boolean again) {
        for (PoolSize poolSize = pop(); poolSize != null; poolSize = pop()) {
            boolean goesOn = startFor(poolSize, again);
            if (goesOn && poolSize.isShort()) {
                poolSize.askedBefore = lastShort;
                lastShort = poolSize;
            } else {
                poolSize.askedBefore = null;
                poolSize.hasAsked.set(false);
                if (poolSize.isWanted(true)) {
                    // It has asked while it was marked.
                    wake(poolSize);
                }
            }
            if (!goesOn) {
                return false;
            }
        }
        return true;
    }

    /** Starts a worker if the pool wants one, and says whether this thread goes on. */
    private boolean startFor(PoolSize poolSize, boolean again) {
        if (!poolSize.isWanted(again)) {
            return true;
        }
        long call = calls.incrementAndGet();
        try {
            appointDeputy();
            poolSize.startIfAllowed();
        } catch (Throwable ex) {
            // The next round tries again.
        }
        return calls.compareAndSet(call, call + 1);
    }

    // The deputy

    private void appointDeputy() {
        if (deputy != null) {
            return;
        }
        try {
            Thread own = Thread.currentThread();
            Thread created = new Thread(own.getThreadGroup(), this::watch, own.getName(), 0, false);
            created.setDaemon(own.isDaemon());
            deputy = created;
            created.start();
        } catch (Throwable ex) {
            // Then there is none.
            deputy = null;
        }
    }

    private void dismissDeputy() {
        Thread dismissed = deputy;
        deputy = null;
        LockSupport.unpark(dismissed);
    }

    /** Goes on in place of the thread when that has been in one call for long, or ends when it is dismissed. */
    private void watch() {
        Thread own = Thread.currentThread();
        while (deputy == own) {
            long seen = calls.get();
            LockSupport.parkNanos(this, LONG_CALL_NANOS);
            boolean ignored = Thread.interrupted();
            if (deputy == own && (seen & 1) == 1 && calls.compareAndSet(seen, seen + 1)) {
                deputy = null;
                thread = own;
                run();
                return;
            }
        }
    }
}
