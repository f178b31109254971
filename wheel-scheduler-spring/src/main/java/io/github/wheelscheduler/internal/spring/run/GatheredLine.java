package io.github.wheelscheduler.internal.spring.run;

import io.github.wheelscheduler.internal.LogLimit;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts repeated events and logs a summary line. It comes a second after the first event, and a minute after the
 * previous line at the earliest, from a thread that ends with it. Any thread.
 */
public final class GatheredLine {

    private static final long SHORTEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The number of events that a line names. */
    public static final int MOST_NAMED = 3;

    private final Wording wording;
    private final Consumer<String> log;
    private final LogTime time;

    /** Waits until it is time; guarded by this, as all that follows. */
    private @Nullable Thread reporter;

    /** A thread is about to start one. */
    private boolean isStarting;

    private boolean hasSaid;
    private long saidNanos;

    // Since the last line.
    private long times;
    private long sum;
    private final Set<String> named = new LinkedHashSet<>(2 * MOST_NAMED);

    /** Formats the gathered events. */
    @FunctionalInterface
    public interface Wording {

        /**
         * Returns the line.
         *
         * @param times the number of times that it has happened, at least 1
         * @param sum of the numbers that came with it
         * @param named the first few, each once; not empty
         */
        String text(long times, long sum, List<String> named);
    }

    /**
     * Creates one without pending lines.
     *
     * @param log takes the lines
     */
    public GatheredLine(Wording wording, Consumer<String> log, LogTime time) {
        this.wording = wording;
        this.log = log;
        this.time = time;
    }

    /** Records that the log has a line from elsewhere, if this has not logged any yet. */
    synchronized void begin() {
        if (!hasSaid) {
            noteSaid();
        }
    }

    private void noteSaid() {
        hasSaid = true;
        saidNanos = time.nanos();
    }

    /**
     * Counts an event, and ensures that it is logged in time; if no thread can be started, the next call does.
     *
     * @param name is asked for a name if it is one of the first
     */
    public void add(Supplier<String> name, long number) {
        // First: if asking for the name fails, nothing has been counted, and no line lacks one. Not under the lock: the
        // name, the thread factory and the log may be the user's.
        String known = null;
        while (!count(known, number)) {
            known = name.get();
        }
        long waitNanos = claimStart();
        if (waitNanos >= 0 && !startReporter(waitNanos) && waitNanos <= SHORTEST_WAIT_NANOS) {
            say();
        }
    }

    /** Counts that it has happened; false, and nothing has been counted, if a name is needed for that. */
    private synchronized boolean count(@Nullable String name, long number) {
        if (named.size() < MOST_NAMED) {
            if (name == null) {
                return false;
            }
            named.add(name);
        }
        times++;
        sum += number;
        return true;
    }

    /** Returns how long a reporter is to wait that the caller is to start; less than 0 if it need not. */
    private synchronized long claimStart() {
        if (reporter != null || isStarting) {
            return -1;
        }
        isStarting = true;
        long left = hasSaid ? LogLimit.INTERVAL_NANOS - (time.nanos() - saidNanos) : 0;
        return Math.max(SHORTEST_WAIT_NANOS, left);
    }

    /** Returns whether there is one. */
    private boolean startReporter(long waitNanos) {
        boolean isStarted = false;
        try {
            Thread created = time.threads().newThread(() -> report(waitNanos));
            created.setDaemon(true);
            synchronized (this) {
                reporter = created;
            }
            created.start();
            isStarted = true;
            time.sumUpLater().accept(this::say);
            return true;
        } catch (Throwable ex) {
            return false;
        } finally {
            synchronized (this) {
                isStarting = false;
                reporter = isStarted ? reporter : null;
            }
        }
    }

    private void report(long waitNanos) {
        long startNanos = time.nanos();
        for (long left = waitNanos; left > 0 && isReporter(); left = waitNanos - (time.nanos() - startNanos)) {
            LockSupport.parkNanos(this, left);
            boolean ignored = Thread.interrupted();
        }
        sayUnless(true);
    }

    private synchronized boolean isReporter() {
        return reporter == Thread.currentThread();
    }

    /** Logs the pending summary, now. */
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
            LockSupport.unpark(reporter);
            reporter = null;
            if (times == 0) {
                return;
            }
            text = wording.text(times, sum, List.copyOf(named));
            times = 0;
            sum = 0;
            named.clear();
            noteSaid();
        }
        log.accept(text);
    }
}
