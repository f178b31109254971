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

    private final ThreadFactory threadFactory;
    private final Runnable whenEnded;
    private final CopyOnWriteArrayList<Crew> crews = new CopyOnWriteArrayList<>();

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
        wake();
    }

    /** Whether there is no thread, and will be none once it has been stopped. */
    public boolean hasEnded() {
        return thread == null;
    }

    void add(Crew crew) {
        crews.add(crew);
    }

    void remove(Crew crew) {
        crews.remove(crew);
    }

    /** Makes the thread look what is to be done. Any thread. */
    void wake() {
        LockSupport.unpark(thread);
    }

    @Override
    public void run() {
        long pauseNanos = FIRST_PAUSE_NANOS;
        while (!stopped) {
            if (startWhatIsWanted()) {
                LockSupport.parkNanos(this, pauseNanos);
                pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
                startWhatIsShort();
            } else {
                pauseNanos = FIRST_PAUSE_NANOS;
                LockSupport.park(this);
            }
            // Nobody has reason to interrupt it; with the flag set it would not park.
            boolean ignored = Thread.interrupted();
        }
        thread = null;
        whenEnded.run();
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
