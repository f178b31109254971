package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.internal.EngineLog;
import io.github.wheelscheduler.internal.ShortMemory;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Starts workers on a thread of its own where other threads cannot. It starts the first workers for runs handed over by
 * the tick thread, and those of pools that have no threads while idle. After a failed start it retries at growing
 * intervals while no worker is free. All pools of one wheel share it.
 *
 * <p>The thread comes when the first pool asks. The tick thread starts it, and tries again if that fails: it is there
 * anyway, and this is no thread of the user's factory, which might take its time. From then on the thread sleeps while
 * it has nothing to do.
 */
public final class Starter implements Runnable {

    /*
     * Thread factories are the user's, and one may take its time. So a deputy is there while the thread is in one: when
     * a call takes long, the deputy continues in place of the thread, which ends after that call. 'calls' says which of
     * them continues:
     *
     *      thread                                    deputy
     *   1  calls = odd, before the call           1  seen = calls, sleep for LONG_CALL_NANOS
     *   2  the call                               2  seen odd: calls = seen + 1 by CAS
     *   3  calls = even by CAS                       won: it is the thread from now on
     *      lost: ends
     *
     * Where the last start has failed for want of memory, or of threads, the next one does without a deputy, which
     * would take the thread that the worker needs. For the same reason none is there in the pause before.
     *
     * Only the one that continues takes pools from the stack of pools that have asked, and looks at pools that are
     * short of workers.
     */

    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final long LONGEST_PAUSE_NANOS = 100_000_000;
    private static final long LONG_CALL_NANOS = 20_000_000;

    /** So often a pause is cut short because others want something, before it counts as over. */
    private static final int PATIENCE = 16;

    private static final String DEPUTY = "-deputy";

    private static final String NOT_STARTED =
            "The thread that starts workers could not be started; due tasks may wait for a worker until a retry "
                    + "succeeds. Check memory, the limit of threads and the thread factory";

    private final Runnable whenWanted;
    private final Runnable whenEnded;

    /** The pool that has asked last, and through it the others. */
    private final AtomicReference<@Nullable PoolSize> lastAsked = new AtomicReference<>();

    /** Those for which no worker could be started. The thread only. */
    private @Nullable PoolSize lastShort;

    private final AtomicLong calls = new AtomicLong();

    private volatile boolean stopped;

    /**
     * Writers: the tick thread, which starts it; the deputy that takes over; the thread itself when it ends. Readers:
     * any.
     */
    volatile @Nullable Thread thread;

    /** The wait before the next attempt to start the thread; 0 unless the last one failed. Tick thread only. */
    private long startPauseNanos;

    /** Until when to wait. Tick thread only. */
    private long nextStartNanos;

    /** Null while nothing is being started. Writers: the thread; the deputy that takes over. */
    private volatile @Nullable Thread deputy;

    /**
     * Creates a starter without a thread.
     *
     * @param whenWanted makes the tick thread look whether the thread is wanted; is called by any thread
     * @param whenEnded is called on the thread, as the last thing
     */
    public Starter(Runnable whenWanted, Runnable whenEnded) {
        this.whenWanted = whenWanted;
        this.whenEnded = whenEnded;
    }

    /** Whether pools have asked, and there is no thread. Any thread. */
    public boolean isThreadLacking() {
        return thread == null && lastAsked.get() != null && !stopped;
    }

    /**
     * Whether the tick thread is to start the thread now: it is lacking, and no pause after a failure is on. Tick
     * thread.
     */
    public boolean isThreadWanted() {
        return startPauseNanos == 0 && isThreadLacking();
    }

    /**
     * Starts the thread if it is lacking, like the calling one but for its name; where that has failed, at growing
     * intervals. Tick thread. Throws nothing.
     *
     * @param nowNanos the time now, by the machine's clock
     * @return the nanoseconds until the start must be retried; {@code Long.MAX_VALUE} if the thread is not lacking
     */
    public long startThread(long nowNanos) {
        if (!isThreadLacking()) {
            return Long.MAX_VALUE;
        }
        long waitNanos = nextStartNanos - nowNanos;
        if (startPauseNanos > 0 && waitNanos > 0) {
            return waitNanos;
        }
        try {
            Thread created = newThread(this, nameBeside(Thread.currentThread().getName()));
            // Before it starts: it lets go of itself when it ends.
            thread = created;
            created.start();
            startPauseNanos = 0;
            return Long.MAX_VALUE;
        } catch (Throwable ex) {
            thread = null;
            boolean isFirst = startPauseNanos == 0;
            startPauseNanos = isFirst ? FIRST_PAUSE_NANOS : Math.min(2 * startPauseNanos, LONGEST_PAUSE_NANOS);
            nextStartNanos = nowNanos + startPauseNanos;
            if (isFirst) {
                logNotStarted(ex);
            }
            return startPauseNanos;
        }
    }

    private static void logNotStarted(Throwable failure) {
        try {
            EngineLog.log(Level.WARNING, NOT_STARTED, null, failure);
        } catch (Throwable ex) {
            // Without memory, the handling of a failure fails, too.
        }
    }

    private static String nameBeside(String tickName) {
        String stem = tickName.endsWith(Workers.TICK)
                ? tickName.substring(0, tickName.length() - Workers.TICK.length())
                : tickName + "-";
        return stem + "starter";
    }

    /**
     * Returns a new thread that is like the calling one. No factory of the user's makes it, as that may take its time.
     */
    @SuppressWarnings("ThreadPriorityCheck") // that of the calling one
    private static Thread newThread(Runnable code, String name) {
        Thread own = Thread.currentThread();
        Thread created = new ThreadOrigin().newThread(null, code, name);
        created.setDaemon(own.isDaemon());
        created.setPriority(own.getPriority());
        return created;
    }

    /** Lets the thread end; nothing is started after that. */
    public void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    /**
     * Whether there is no thread, and will be none once it has been stopped; one that hangs in a thread factory does
     * not count.
     */
    public boolean hasEnded() {
        return thread == null;
    }

    /** Makes the thread check whether the pool needs workers. Any thread. */
    void wake(PoolSize poolSize) {
        if (!poolSize.hasAsked.get() && poolSize.hasAsked.compareAndSet(false, true)) {
            push(poolSize);
            // One that comes meanwhile looks before it sleeps.
            Thread woken = thread;
            if (woken == null) {
                whenWanted.run();
            } else {
                LockSupport.unpark(woken);
            }
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
            dismissDeputy();
            if (lastShort == null) {
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
        ShortMemory.untilDone(whenEnded);
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
     * @return false if another thread continues
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

    /** Starts a worker if the pool wants one, and returns whether this thread continues. */
    private boolean startFor(PoolSize poolSize, boolean again) {
        if (!poolSize.isWanted(again)) {
            return true;
        }
        long call = calls.incrementAndGet();
        try {
            if (!poolSize.isOutOfMemory()) {
                appointDeputy();
            }
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
            Thread created =
                    newThread(this::watch, nameOfDeputy(Thread.currentThread().getName()));
            deputy = created;
            created.start();
        } catch (Throwable ex) {
            // Then there is none.
            deputy = null;
        }
    }

    /** A deputy that has taken over keeps its name, so the name of the next one is the first name again. */
    private static String nameOfDeputy(String name) {
        return name.endsWith(DEPUTY) ? name.substring(0, name.length() - DEPUTY.length()) : name.concat(DEPUTY);
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
