package io.github.wheelscheduler.worker;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that starts workers for whoever cannot: the first ones of pools that have no thread while they are idle, and, after a
 * start has failed, further ones at growing intervals while nobody is free. All pools of one wheel share it. It sleeps until then.
 */
public final class Starter implements Runnable {

    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final long LONGEST_PAUSE_NANOS = 100_000_000;

    /** So often a pause is cut short because others want something, before it counts as over. */
    private static final int PATIENCE = 16;

    private final ThreadFactory threadFactory;
    private final Runnable whenEnded;
    private final CopyOnWriteArrayList<Crew> crews = new CopyOnWriteArrayList<>();

    /** Somebody wants something since the thread looked last. A permit to unpark is not enough: a factory may use it up. */
    private volatile boolean asked;

    private volatile boolean stopped;

    /** Writer: whoever starts it, under the lock of the engine, and the thread itself when it ends. */
    private volatile @Nullable Thread thread;

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
        Thread created = Crew.newThread(threadFactory, this);
        thread = created;
        boolean started = false;
        try {
            created.start();
            started = true;
        } finally {
            if (!started) {
                thread = null;
            }
        }
    }

    /** Lets the thread end; nothing is started after that. */
    public void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    /** Whether there is no thread, and will be none once it has been stopped. */
    public boolean hasEnded() {
        return thread == null;
    }

    void add(Crew crew) {
        boolean ignored = crews.addIfAbsent(crew);
    }

    void remove(Crew crew) {
        crews.remove(crew);
    }

    /** Makes the thread look what is to be done. Any thread. */
    void wake() {
        if (Thread.currentThread() != thread) {
            asked = true;
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void run() {
        long pauseNanos = FIRST_PAUSE_NANOS;
        int interruptions = 0;
        while (!stopped) {
            asked = false;
            boolean isShort = startWhatIsWanted();
            // Nobody has reason to interrupt it; with the flag set it would not park.
            boolean ignored = Thread.interrupted();
            if (!isShort) {
                pauseNanos = FIRST_PAUSE_NANOS;
                while (!asked && !stopped) {
                    LockSupport.park(this);
                    ignored = Thread.interrupted();
                }
                continue;
            }
            LockSupport.parkNanos(this, pauseNanos);
            interruptions = asked ? interruptions + 1 : 0;
            if (interruptions % PATIENCE == 0) {
                pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
                startWhatIsShort();
            }
        }
        thread = null;
        boolean told = false;
        while (!told) {
            try {
                whenEnded.run();
                told = true;
            } catch (Throwable ex) {
                // Nobody else would.
                LockSupport.parkNanos(this, FIRST_PAUSE_NANOS);
            }
        }
    }

    /** Starts workers where one is wanted, and says whether that has failed somewhere, now or before. Throws nothing. */
    private boolean startWhatIsWanted() {
        boolean isShort = false;
        try {
            for (Crew crew : crews) {
                crew.startIfWanted();
                isShort |= crew.isShort();
            }
            return isShort;
        } catch (Throwable ex) {
            // To go through a list takes memory, the first time.
            return true;
        }
    }

    private void startWhatIsShort() {
        try {
            for (Crew crew : crews) {
                crew.startIfShort();
            }
        } catch (Throwable ex) {
            // The next round tries again.
        }
    }
}
