package io.github.wheelscheduler.spring.run;

import io.github.wheelscheduler.internal.LogLimit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings to the log in one line what happens many times: a second after the first of it, and a minute after the line before at the
 * earliest, from a thread that ends with it. Any thread.
 */
public final class GatheredLine {

    private static final long SHORTEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<@Nullable String> gathered;
    private final Consumer<String> log;
    private final LogTime time;

    /** Waits until it is time; guarded by this, as all that follows. */
    private @Nullable Thread reporter;

    private boolean hasSaid;
    private long saidNanos;

    /**
     * Makes one that has nothing to say.
     *
     * @param gathered returns what there is to say, or null, and begins anew; needs no lock that is held while {@link #expect} is called
     * @param log takes the lines
     */
    public GatheredLine(Supplier<@Nullable String> gathered, Consumer<String> log, LogTime time) {
        this.gathered = gathered;
        this.log = log;
        this.time = time;
    }

    /** Takes note that the log has been told otherwise, if this has said nothing yet. */
    synchronized void begin() {
        if (!hasSaid) {
            noteSaid();
        }
    }

    private void noteSaid() {
        hasSaid = true;
        saidNanos = time.nanos();
    }

    /** Sees to it that what has just been gathered is said in time; where no thread can be started, the next call does. */
    public void expect() {
        boolean isToBeSaidNow = false;
        synchronized (this) {
            if (reporter == null) {
                long waitNanos = waitNanos();
                isToBeSaidNow = !startReporter(waitNanos) && waitNanos == SHORTEST_WAIT_NANOS;
            }
        }
        if (isToBeSaidNow) {
            say();
        }
    }

    private long waitNanos() {
        long left = hasSaid ? LogLimit.INTERVAL_NANOS - (time.nanos() - saidNanos) : 0;
        return Math.max(SHORTEST_WAIT_NANOS, left);
    }

    /** Returns whether there is one. */
    private boolean startReporter(long waitNanos) {
        try {
            Thread created = time.threads().newThread(() -> report(waitNanos));
            created.setDaemon(true);
            created.start();
            reporter = created;
            time.sumUpLater().accept(this::say);
            return true;
        } catch (Throwable ex) {
            return false;
        }
    }

    private void report(long waitNanos) {
        long startNanos = time.nanos();
        long left = waitNanos;
        while (left > 0 && isReporter()) {
            LockSupport.parkNanos(this, left);
            boolean ignored = Thread.interrupted();
            left = waitNanos - (time.nanos() - startNanos);
        }
        sayUnless(true);
    }

    private synchronized boolean isReporter() {
        return reporter == Thread.currentThread();
    }

    /** Says what there is to say, now. */
    public void say() {
        sayUnless(false);
    }

    /** Says it, unless that is the business of a reporter, and this thread is none any more. */
    private void sayUnless(boolean isOthersBusiness) {
        String text;
        synchronized (this) {
            if (isOthersBusiness && !isReporter()) {
                return;
            }
            Thread waiting = reporter;
            reporter = null;
            if (waiting != null) {
                LockSupport.unpark(waiting);
            }
            text = gathered.get();
            if (text == null) {
                return;
            }
            noteSaid();
        }
        log.accept(text);
    }
}
